"""TOML that may be made to harm."""

import pytest

from sfumato.data.toml_file import parse_toml, read_toml
from sfumato.ground.errors import SchemaError


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = " + "[" * 5_000, "nested deeper than 64"),
        ("x = " + "[" * 65 + "]" * 65, "nested deeper than 64"),
        (".".join("a" * 300) + " = 1", "nested deeper than 64"),
        ("x = " + "9" * 5_000, "out of range"),
        ("x = [[9223372036854775808]]", "whole number of 64 bits"),
        ("x = 0000-01-01", "is not TOML"),
        ("x = ", "is not TOML"),
        ("x = 1\nx = 2", "is not TOML"),
    ],
)
def test_one_sentence(text, says):
    with pytest.raises(SchemaError, match=says) as found:
        parse_toml(text, "schema file 'x'", SchemaError)
    assert "\n" not in str(found.value)


def test_what_is_well_formed_is_taken():
    text = "x = " + "[" * 62 + "9223372036854775807" + "]" * 62
    assert str(parse_toml(text, "x", SchemaError)["x"]).count("[") == 62


def test_files(tmp_path):
    (tmp_path / "latin").write_bytes(b'x = "\xe4"')
    for name, says in {
        "none": "does not exist; look",
        "latin": "not UTF-8",
        ".": "cannot be read",
        "\0": "a path",
    }.items():
        with pytest.raises(SchemaError, match=says):
            read_toml(tmp_path / name, "file", SchemaError, "look elsewhere")
