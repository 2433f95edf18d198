"""That nothing is sensitive is said where it is so."""

from sfumato.data.nothing_sensitive import nothing_sensitive
from sfumato.data.schema import Schema


def test_it_is_said_where_no_column_is_a_secret():
    assert nothing_sensitive(Schema(quasi=["age"])).startswith("Nothing is sensitive: ")
    assert nothing_sensitive(Schema(quasi=["age"], sensitive=["illness"])) is None
