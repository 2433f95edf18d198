"""Messages: short, and on one line."""

from sfumato.ground.errors import DataError, shortened, suggest


def test_a_message_is_one_short_line():
    said = str(DataError(f"column 'a\nb\x1b[31m\u202e' holds '{'x' * 1_000_000}'; mend it"))
    assert said.startswith("column 'a\\nb\\x1b[31m\\u202e' holds 'xxx")
    assert said.endswith("xxx'; mend it")
    assert len(said) < 300
    assert len(shortened("x" * 1_000_000)) < 4_000


def test_what_is_short_is_left_as_it_is():
    for message in ("column 'ä' holds '*'; mend it", "x" * 300 + "'" + "y" * 90 + "'"):
        assert str(DataError(message)) == message


def test_a_suggestion_for_a_long_name_is_quick():
    assert suggest("x" * 1_000_000, ["age", "zip"]) == "; there are 'age', 'zip'"
    assert suggest("agee", ["age", "y" * 1_000_000]) == "; did you mean 'age'?"
