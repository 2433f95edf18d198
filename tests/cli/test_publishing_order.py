"""`sfumato publish` refuses what it cannot write before it reads the data."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from sfumato.cli import run


@pytest.fixture
def unread(folder, monkeypatch):
    """A folder of data that nobody may read."""

    def read(*args, **kwargs):
        raise AssertionError("the data were read")

    monkeypatch.setattr("sfumato.cli.publishing.read_source", read)
    return folder


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--k", "5"], "--output is missing"),
        (["--k", "0", "-o", "out"], "k must be"),
        (["-o", "out"], "no promise is asked for"),
        (["--k", "5", "-o", "there"], "exists already"),
        (["--k", "5", "-o", "owner"], "cannot be called 'owner'"),
        (["--k", "5", "-o", "out", "--schema", "none.toml"], "none.toml"),
        (["--k", "5", "-o", "out", "--method", "mondrain"], "did you mean 'Mondrian'"),
        (["--k", "5", "-o", "out", "--format", "parquet", "--escape-formulas"], "CSV"),
        (["--k", "5", "-o", "out", "--sign", "no.key"], "key" if find_spec("cryptography") else "needs cryptography"),
    ],
)
def test_what_cannot_be_written_is_refused_before_data_are_read(unread, capsys, options, said):
    (unread / "there").mkdir()
    schema = [] if "--schema" in options else ["--schema", "schema.toml"]
    assert run(["publish", "patients.csv", *schema, *options]) == 2
    assert said in capsys.readouterr().err


def test_a_recipe_as_well(folder, capsys):
    recipe = '[input]\npath = "missing.csv"\nschema = "schema.toml"\n[method]\nname = "Hilbert"\n[promise]\nname = "KAnonymity"\nk = 6\n'
    (folder / "r.toml").write_text(recipe)
    assert run(["publish", "r.toml"]) == 2
    assert "--output is missing" in capsys.readouterr().err
