"""How data are read, as the words of another command."""

from dataclasses import fields

from sfumato.cli.app import NO_SETS, SetFile
from sfumato.cli.reading import reading_words


def test_every_option_that_says_how_data_are_read_is_said_again():
    assert reading_words(None, NO_SETS, "") == []
    given = {each.name: f"-{each.name}" if each.name == "item" else each.name for each in fields(SetFile)}
    words = reading_words("SELECT 1", SetFile(**given), "-9,n/a")
    assert words[:2] == ["--query", "SELECT 1"]
    assert words[-1] == "--missing=-9,n/a"
    assert "--item=-item" in words
    for name in set(given) - {"item"}:
        assert words[words.index(f"--{name}") + 1] == name
