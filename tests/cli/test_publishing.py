"""`sfumato publish`: recipes, seeds, methods and their parameters, populations."""

import json

from sfumato.cli import run
from sfumato.datasets import hospital
from support.commands import PUBLISH


def test_recipes(folder, capsys):
    recipe = '[input]\npath = "patients.csv"\nschema = "schema.toml"\n[method]\nname = "Hilbert"\n[promise]\nname = "KAnonymity"\nk = 6\n'
    (folder / "r.toml").write_text(recipe)
    assert run(["publish", "r.toml", "-o", "out", "--no-report"]) == 0
    assert run(["publish", "r.toml", "-o", "out2", "--k", "3"]) == 2
    assert "leave those options out" in capsys.readouterr().err
    assert run(["publish", "r.toml"]) == 2
    assert "--output is missing" in capsys.readouterr().err


def test_a_seed_repeats_to_the_byte_and_is_not_told(folder, capsys):
    for name in ("a", "b"):
        assert run([*PUBLISH[:-1], name, "--seed", "73519064", "--format", "csv"]) == 0
    assert (folder / "a" / "data.csv").read_bytes() == (folder / "b" / "data.csv").read_bytes()
    told = (
        capsys.readouterr().out
        + (folder / "a" / "release.json").read_text()
        + (folder / "a" / "report.html").read_text()
    )
    assert "73519064" not in told


def test_journalist_risk_with_a_population(folder, capsys):
    hospital(2_000, seed=9).frame.write_csv("people.csv")
    assert run([*PUBLISH, "--population", "people.csv", "--json"]) == 0
    assert "journalist_max" in json.loads(capsys.readouterr().out)["measures"]["values"]
    assert "Journalist" in (folder / "out" / "report.html").read_text()
    assert (
        run(["measure", "out", "patients.csv", "--schema", "schema.toml", "--population", "people.csv", "--json"]) == 0
    )
    assert any(name.startswith("journalist") for name in json.loads(capsys.readouterr().out)["values"])


def test_parameters_of_the_method(folder):
    given = ["--method", "mondrian", "--param", "strict=false", "--param", "show=means", "--no-report"]
    assert run([*PUBLISH, *given]) == 0
    method = json.loads((folder / "out" / "release.json").read_text())["method"]
    assert method == {"name": "Mondrian", "strict": False, "show": "means"}


def test_methods_compete_and_what_won_makes_the_same_as_printed(folder, capsys):
    text = (folder / "schema.toml").read_text()
    (folder / "plain.toml").write_text("\n".join(line for line in text.splitlines() if "hierarchy" not in line))
    for schema in ("schema.toml", "plain.toml"):
        given = ["publish", "patients.csv", "--schema", schema, "--k", "5", "--no-report"]
        assert run([*given, "--within", "20", "--seed", "1", "-o", schema[:3]]) == 0
        told = capsys.readouterr().out
        assert "  tried: " in told
        assert "LocalRecoding" in told
        assert "Ordered" in told
        assert "chosen by what it loses" not in told
        words = next(line for line in told.splitlines() if "the same again" in line).partition(": ")[2].split()
        assert run([*given, *words, "-o", f"{schema[:3]}2"]) == 0
        capsys.readouterr()
        for file in ("data.csv", "release.json"):
            assert (folder / schema[:3] / file).read_bytes() == (folder / f"{schema[:3]}2" / file).read_bytes()
    assert run([*PUBLISH, "--l", "2", "--no-report", "--overwrite"]) == 0
    assert "chosen by what it loses, which sensitive values have a part in" in capsys.readouterr().out


def test_the_seed_of_a_run_that_was_given_none_is_found_in_the_owners_folder(folder, capsys):
    given = ["publish", "patients.csv", "--schema", "schema.toml", "--k", "5", "--no-report", "--method", "Mondrian"]
    assert run([*given, "-o", "one"]) == 0
    assert run([*given, "-o", "two", "--seed-of", "owner/one"]) == 0
    assert (folder / "one" / "data.csv").read_bytes() == (folder / "two" / "data.csv").read_bytes()
    capsys.readouterr()
    for asked, why in (
        (["--seed-of", "one"], "'one' is no owner's folder of a release"),
        (["--seed-of", "owner/one", "--seed", "1"], "--seed and --seed-of each say the seed; leave one out"),
    ):
        assert run([*given, "-o", "three", *asked]) == 2
        assert why in capsys.readouterr().err
    (folder / "owner" / "one" / "owner.json").write_text('{"seed": "zz"}')
    assert run([*given, "-o", "three", "--seed-of", "owner/one"]) == 2
    assert "has no seed that can be read" in capsys.readouterr().err
    assert not (folder / "three").exists()


def test_a_time_is_for_who_chooses(folder, capsys):
    assert run([*PUBLISH, "--method", "Mondrian", "--within", "3"]) == 2
    assert (
        "--within is for Best, which chooses among methods of tables, and not for Mondrian" in capsys.readouterr().err
    )
    assert run([*PUBLISH, "--within", "0"]) == 2
    assert "within must be a number of seconds above 0" in capsys.readouterr().err


def test_a_hierarchy_may_be_left_to_the_tool(folder):
    text = (folder / "schema.toml").read_text()
    (folder / "auto.toml").write_text(
        text.replace('[columns."age"]', '[columns."age"]\nhierarchy = { type = "automatic" }')
    )
    assert run(["publish", "patients.csv", "--schema", "auto.toml", "--k", "5", "-o", "out", "--no-report"]) == 0
    certificate = json.loads((folder / "out" / "release.json").read_text())
    assert certificate["public"]["forms"]["age"] == "node"
    assert certificate["public"]["schema"]["columns"]["age"]["hierarchy"]["type"] == "intervals"


def test_the_summary_ends_with_a_copy_for_a_spreadsheet_that_runs_as_printed(folder, capsys):
    assert run([*PUBLISH[:-1], "my release", "--no-report"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "  for Excel, Stata or SPSS: sfumato export 'my release' 'my release.xlsx'"


def test_what_no_promise_covers_and_what_stays_at_home_is_said(folder, capsys):
    assert run([*PUBLISH, "--no-report"]) == 0
    said = capsys.readouterr().out
    assert "covered by no promise, as published as recorded: " in said
    assert "left out, as identifiers: name" in said


def test_a_method_that_loses_less_is_named(folder, capsys):
    assert run([*PUBLISH, "--no-report", "--method", "Mondrian"]) == 0
    assert "another method would lose less: LocalRecoding, 0." in capsys.readouterr().out


def test_columns_without_a_hierarchy_are_said_to_be_all_or_nothing(folder, capsys):
    assert run([*PUBLISH, "--no-report", "--method", "BestFirst"]) == 0
    assert "'age', 'sex', 'education' without a hierarchy: shown whole or not at all" in capsys.readouterr().out
