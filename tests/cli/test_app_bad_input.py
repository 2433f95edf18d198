"""Bad options, recipes and hierarchies on the command line: one sentence, and nothing is written."""

import pytest

from sfumato.cli import run


@pytest.fixture
def patients_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("a,d\n1,x\n1,y\n2,x\n2,y\n")
    (tmp_path / "s.toml").write_text('[columns.a]\nrole = "quasi"\n[columns.d]\nrole = "sensitive"\n')
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "inspect p.csv -o no/such/folder/s.toml", "inspect p.csv -o p.csv/x", "inspect p.csv -o . --overwrite",
        "publish p.csv --schema s.toml --k 2 -o " + "x" * 300, "publish p.csv --schema s.toml --l 1e308 -o out",
        "publish p.csv --schema s.toml --l 2 --l-kind recursive --c 1e-320 -o out",
        "publish p.csv --schema s.toml --k 2 -o out --param strict=maybe",
        "publish p.csv --schema s.toml --k 2 -o out --param strict=5",
        "publish p.csv --schema s.toml --k 2 -o out --param name=Hilbert",
        "publish p.csv --schema s.toml --k 2 -o out --method hilbert --param fast=3",
        "verify p.csv --quasi a,a --k 2", "demo p.csv/x",
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(patients_folder, command, capsys):
    before = sorted(path.name for path in patients_folder.iterdir())
    assert run(command.split()) == 2
    said = capsys.readouterr().err
    assert said.startswith("sfumato: ")
    assert said.count("\n") == 1
    assert sorted(path.name for path in patients_folder.iterdir()) == before


@pytest.mark.parametrize(
    "promise",
    [
        'name = "LDiversity"\nl = 2\ncolumns = 3',
        'name = "LDiversity"\nl = 2\nkind = "recursive"\nc = "x"',
        'name = "All"',
    ],
)
def test_bad_recipes_are_one_sentence(patients_folder, promise, capsys):
    recipe = f'[input]\npath = "p.csv"\nschema = "s.toml"\n[method]\nname = "Mondrian"\n[[promise]]\n{promise}\n'
    (patients_folder / "r.toml").write_text(recipe)
    assert run(["publish", "r.toml", "-o", "out"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "hierarchy",
    [
        '{type="intervals",widths=[10],low=9999-01-01,high=9999-12-31}', '{type="prefixes",length=2000000000}',
        '{type="intervals",widths=[1e-12],low=0,high=1000}', '{type="intervals",widths=[true],low=0,high=10}',
    ],
)  # fmt: skip
def test_bad_hierarchies_are_one_sentence(patients_folder, hierarchy, capsys):
    (patients_folder / "s.toml").write_text(f'[columns.a]\nrole = "quasi"\nhierarchy = {hierarchy}\n')
    assert run(["publish", "p.csv", "--schema", "s.toml", "--k", "2", "-o", "out"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
