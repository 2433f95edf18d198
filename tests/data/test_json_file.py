"""JSON that may be made to harm."""

import pytest

from sfumato.data.json_file import parse_json
from sfumato.ground.errors import DataError, ReleaseError


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 200_000, "nested deeper than 64"),
        ("[" * 65 + "]" * 65, "nested deeper than 64"),
        ('{"a":' * 65 + "1" + "}" * 65, "nested deeper than 64"),
        ("[" + "9" * 401 + "]", "more than 400 digits"),
        ("[" + "9" * 5_000 + "]", "more than 400 digits"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "names 'c' twice"),
        ("[NaN]", "holds NaN"),
        ("[-Infinity]", "holds -Infinity"),
        ("[1e999]", "too large to compute with"),
        ("[1" + "0" * 350 + ".5]", "too large to compute with"),
        (b"\xff\xfe", "not UTF-8"),
        ('["\\ud800"]', "half a character"),
        ('{"a"', "not JSON: line 1, column 5"),
        ("", "not JSON"),
    ],
)
def test_one_sentence(text, says):
    with pytest.raises(DataError, match=says) as found:
        parse_json(text, "file 'x.json'")
    assert str(found.value).startswith("file 'x.json' ")
    assert "\n" not in str(found.value)


def test_what_is_well_formed_is_taken():
    assert parse_json('{"a": ["[[[[", "\\"", 1e300, "\\ud83d\\ude00"]}', "x") == {"a": ["[[[[", '"', 1e300, "😀"]}
    assert parse_json(b"\xef\xbb\xbf[1]", "x") == [1]
    assert parse_json("[" * 64 + "]" * 64, "x")
    assert parse_json("[" + "9" * 400 + "]", "x") == [int("9" * 400)]
    assert parse_json("[Infinity]", "x", infinite=True) == [float("inf")]
    with pytest.raises(ReleaseError):
        parse_json("", "x", error=ReleaseError)
