"""Questions have no answers where some rows are made up."""

import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.republished_tables import people, published, second_of_sequence


@pytest.fixture(scope="module")
def two():
    return second_of_sequence()


def test_questions_have_answers_where_nobody_is_made_up(two):
    with pytest.raises(ParameterError, match="rows of this release are counterfeits"):
        sf.ask(two, "SELECT COUNT(*) FROM release")
    with pytest.raises(ParameterError, match="rows of this release are counterfeits"):
        two.sql()
    whole = published(people(8, ["flu", "gout"] * 4), [range(8)], 2)[0]
    assert sf.ask(whole, "SELECT COUNT(*) FROM release").value == 8
