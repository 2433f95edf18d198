"""Bad input, each with exit code 2, one clear sentence, and nothing written."""

import polars as pl
import pytest

from sfumato.cli import run

CSV = "name,age,zip,disease\n" + "".join(f"p{i},{30 + i},0213{i % 3},{'flu' if i % 2 else 'cold'}\n" for i in range(12))
SCHEMA = """
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
[columns.zip]
role = "quasi"
kind = "category"
[columns.disease]
role = "sensitive"
"""


@pytest.fixture
def attempt(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def go(*options, csv=CSV, schema=SCHEMA, data="data.csv"):
        content = csv if isinstance(csv, bytes) else csv.encode()
        (tmp_path / "data.csv").write_bytes(content)
        (tmp_path / "schema.toml").write_text(schema)
        code = run(["publish", data, "--schema", "schema.toml", "-o", "out", *(options or ("--k", "3"))])
        err = capsys.readouterr().err
        assert not list(tmp_path.glob(".*partial*"))
        assert not (tmp_path / "out" / "release.json").exists() or code == 0
        return code, err

    return go


def test_the_good_case_first(attempt):
    assert attempt() == (0, "")


@pytest.mark.parametrize(
    ("options", "given", "message"),
    [
        (("--k", "13"), {}, "k=13 needs at least 13 records and the table has 12; the best is k=12"),
        (("--k", "3", "--l", "3"), {}, "cannot be met on column 'disease'"),
        ((), {"schema": SCHEMA + '[columns.height]\nrole = "quasi"\n'}, "names the column 'height', which the data lack"),
        ((), {"schema": SCHEMA.replace('role = "quasi"', 'role = "quasy"', 1)}, "column 'age': role must be one of"),
        ((), {"schema": SCHEMA + '[columns.age]\nrole = "sensitive"\n'}, "is not TOML"),
        ((), {"csv": CSV.replace("zip", "age", 1)}, "'age'"),
        ((), {"csv": CSV + "p13,44\n"}, "14"),
        ((), {"csv": ""}, "empty"),
        ((), {"csv": "name,age,zip,disease\n"}, "no records"),
        ((), {"csv": "name,age,zip,disease\n" + "p,,02138,flu\n" * 4}, "column 'age' has no value at all"),
        ((), {"csv": CSV.replace("p3,33", "p3,inf"), "schema": SCHEMA.replace('[columns.age]\n', '[columns.age]\nkind = "number"\n')},
         "column 'age' holds inf at row 4; replace infinite values"),
        ((), {"csv": CSV.replace("p3,33", "p3,old"), "schema": SCHEMA.replace('[columns.age]\n', '[columns.age]\nkind = "integer"\n')},
         "column 'age' is declared integer but row 4 holds 'old'"),
        ((), {"schema": SCHEMA.replace('kind = "category"', 'hierarchy = { type = "paths", paths = [["02130", "0213*", "*"], ["02131", "0213*", "*"]] }')},
         "the hierarchy of column 'zip' lacks the value '02132'"),
        ((), {"data": "nowhere.csv"}, "nowhere.csv"),
    ],
)  # fmt: skip
def test_bad_input(attempt, options, given, message):
    code, err = attempt(*options, **given)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_two_roles_for_one_column(attempt):
    import sfumato as sf

    with pytest.raises(sf.errors.SchemaError, match="column 'age' has two roles, quasi and sensitive; keep one"):
        sf.Schema(quasi=["age"], sensitive=["age"])


def test_wrong_encoding(attempt):
    import sfumato as sf

    pl.DataFrame({"x": ["ü"]}).write_csv("u.csv")
    with pytest.raises(sf.errors.DataError, match="encoding"):
        sf.read_table("u.csv", encoding="ascii")


def test_output_folder_that_exists(attempt, tmp_path):
    (tmp_path / "out").mkdir()
    code, err = attempt()
    assert code == 2
    assert "'out' exists already; choose another folder, or say --overwrite" in err
    assert list((tmp_path / "out").iterdir()) == []
