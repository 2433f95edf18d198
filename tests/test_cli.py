import json

import polars as pl
import pytest

from sfumato.cli import run
from sfumato.datasets import hospital


@pytest.fixture
def folder(tmp_path, monkeypatch):
    table = hospital(300)
    table.frame.write_csv(tmp_path / "patients.csv")
    (tmp_path / "schema.toml").write_text(table.schema.to_toml())
    monkeypatch.chdir(tmp_path)
    return tmp_path


PUBLISH = ["publish", "patients.csv", "--schema", "schema.toml", "--k", "5", "-o", "out"]


def test_the_way_from_a_file_to_a_verified_release(folder, capsys):
    assert run(["inspect", "patients.csv", "-o", "suggested.toml"]) == 0
    out = capsys.readouterr().out
    assert "suggestions, not decisions" in out
    assert (folder / "suggested.toml").exists()
    assert run([*PUBLISH, "--l", "2"]) == 0
    out = capsys.readouterr().out
    assert "verified: smallest class" in out
    assert "report: out/report.html" in out
    assert run(["verify", "out"]) == 0
    assert "KAnonymity(k=5) & LDiversity(2) holds" in capsys.readouterr().out
    assert run(["verify", "out", "--original", "patients.csv", "--schema", "schema.toml"]) == 0
    assert "each against its own record" in capsys.readouterr().out
    assert run(["verify", "out", "--k", "200"]) == 1
    assert "does NOT hold" in capsys.readouterr().out
    assert run(["measure", "out", "patients.csv", "--schema", "schema.toml"]) == 0
    assert "gcp" in capsys.readouterr().out.lower()
    assert run(["measure", "out"]) == 0


def test_the_suggested_schema_can_be_used_as_it_is(folder, capsys):
    assert run(["inspect", "patients.csv", "-o", "s.toml"]) == 0
    assert run(["publish", "patients.csv", "--schema", "s.toml", "--k", "4", "-o", "out", "--no-report"]) == 0
    assert run(["inspect", "patients.csv", "-o", "s.toml"]) == 2
    assert "exists already" in capsys.readouterr().err


def test_json_on_every_verb(folder, capsys):
    def result(*arguments):
        code = run([*arguments, "--json"])
        return code, json.loads(capsys.readouterr().out)

    assert result("inspect", "patients.csv", "-o", "s.toml")[1]["schema"] == "s.toml"
    code, published = result(*PUBLISH)
    assert code == 0
    assert published["verdict"]["holds"] is True
    assert published["measures"]["values"]["gcp"] > 0
    assert result("verify", "out")[1]["holds"] is True
    assert result("verify", "out", "--k", "99")[0] == 1
    assert "prosecutor_max" in result("measure", "out")[1]["values"]
    assert result("demo", "d", "--rows", "200")[1]["verdict"]["holds"] is True


def test_a_file_that_sfumato_did_not_make(folder, capsys):
    pl.DataFrame({"age": ["3*", "3*", "*"], "zip": ["130", "130", "*"], "s": ["a", "b", "c"]}).write_csv("other.csv")
    assert run(["verify", "other.csv", "--quasi", "age,zip", "--k", "2"]) == 0
    out = capsys.readouterr().out
    assert "1 of 3 rows show nothing" in out
    assert run(["verify", "other.csv", "--quasi", "age,zip", "--k", "2", "--suppressed-rows", "class"]) == 1
    assert run(["verify", "other.csv", "--quasi", "age", "--k", "2", "--l", "2", "--sensitive", "s"]) == 0
    assert run(["verify", "other.csv", "--quasi", "age", "--l", "2"]) == 2
    assert "name them with --sensitive" in capsys.readouterr().err


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
        assert run([*PUBLISH[:-1], name, "--seed", "424242", "--format", "csv"]) == 0
    assert (folder / "a" / "data.csv").read_bytes() == (folder / "b" / "data.csv").read_bytes()
    told = (
        capsys.readouterr().out
        + (folder / "a" / "release.json").read_text()
        + (folder / "a" / "report.html").read_text()
    )
    assert "424242" not in told


def test_a_tampered_release_fails(folder, capsys):
    assert run([*PUBLISH, "--format", "csv"]) == 0
    text = (folder / "out" / "data.csv").read_text()
    (folder / "out" / "data.csv").write_text(text.replace("female", "male", 1))
    assert run(["verify", "out"]) == 1
    assert "has changed since the certificate was written" in capsys.readouterr().out
    assert run(["measure", "out"]) == 2


def test_journalist_risk_with_a_population(folder, capsys):
    hospital(2_000, seed=9).frame.write_csv("people.csv")
    assert run([*PUBLISH, "--population", "people.csv", "--json"]) == 0
    assert "journalist_max" in json.loads(capsys.readouterr().out)["measures"]["values"]
    assert "Journalist" in (folder / "out" / "report.html").read_text()
    assert (
        run(["measure", "out", "patients.csv", "--schema", "schema.toml", "--population", "people.csv", "--json"]) == 0
    )
    assert any(name.startswith("journalist") for name in json.loads(capsys.readouterr().out)["values"])


def test_demo_can_be_run_again_but_not_over_other_things(folder, capsys):
    assert run(["demo", "d", "--rows", "150"]) == 0
    out = capsys.readouterr().out
    assert "smallest class" in out
    assert "d/release/report.html" in out
    assert run(["demo", "d", "--rows", "150"]) == 0
    (folder / "d" / "thesis.txt").write_text("mine")
    assert run(["demo", "d"]) == 2
    assert run(["demo", "e", "--rows", "5"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["publish"], "source"),
        (["publish", "patients.csv", "--kk", "3"], "Unknown option: --kk"),
        (["publish", "patients.csv", "--k", "three"], "three"),
        (["pubish"], "pubish"),
        (["publish", "patients.csv", "--k", "3", "-o", "out"], "--schema is missing"),
        (["publish", "patients.csv", "--schema", "schema.toml", "-o", "out"], "no promise is asked for"),
        (["publish", "patients.csv", "--schema", "schema.toml", "--k", "3"], "--output is missing"),
        ([*PUBLISH, "--method", "hilbrt"], "no method is called 'hilbrt'; did you mean 'Hilbert'"),
        ([*PUBLISH, "--c", "2"], "give --l too"),
        ([*PUBLISH[:4], "--k", "5.4", "-o", "out"], "k must be a whole number >= 1, got 5.4"),
        (
            [*PUBLISH, "--method", "mondrian", "--param", "strikt=false"],
            "Mondrian has no parameter 'strikt'; did you mean 'strict'",
        ),
        ([*PUBLISH, "--param", "strict"], "--param takes name=value"),
        ([*PUBLISH[:-1], "owner"], "cannot be called 'owner'"),
        ([*PUBLISH, "--method", "topdown", "--l", "2"], "TopDown keeps k-anonymity only"),
        ([*PUBLISH, "--method", "mondrian", "--max-ncp", "0.2"], "Mondrian keeps no bound on the loss; use Hilbert"),
        ([*PUBLISH, "--max-ncp", "2"], "max_ncp must lie between 0"),
        (["publish", "nowhere.csv", "--schema", "schema.toml", "--k", "3", "-o", "out"], "nowhere.csv"),
        (["publish", "patients.csv", "--schema", "no.toml", "--k", "3", "-o", "out"], "no.toml"),
        (["verify", "patients.csv", "--quasi", "age"], "no promise to check"),
        (["verify", "patients.csv", "--k", "3"], "name the quasi-identifiers"),
        (["verify", "."], "holds no release"),
        (["measure", "nowhere"], "holds no release"),
    ],
)
def test_bad_commands_end_with_2_and_one_sentence(folder, capsys, arguments, message):
    assert run(arguments) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert not (folder / "out").exists()


def test_parameters_of_the_method(folder):
    given = ["--method", "mondrian", "--param", "strict=false", "--param", "show=means", "--no-report"]
    assert run([*PUBLISH, *given]) == 0
    method = json.loads((folder / "out" / "release.json").read_text())["method"]
    assert method == {"name": "Mondrian", "strict": False, "show": "means"}


def test_the_method_is_local_recoding_where_a_column_has_a_hierarchy(folder):
    text = (folder / "schema.toml").read_text()
    (folder / "plain.toml").write_text("\n".join(line for line in text.splitlines() if "hierarchy" not in line))
    for schema, method in (("schema.toml", "LocalRecoding"), ("plain.toml", "Mondrian")):
        given = ["publish", "patients.csv", "--schema", schema, "--k", "5", "--no-report", "--seed", "1"]
        assert run([*given, "-o", method]) == 0
        assert json.loads((folder / method / "release.json").read_text())["method"]["name"] == method


def test_orders_and_hierarchies_of_the_schema_count_in_other_files(folder, capsys):
    pl.DataFrame({"g": [1, 1, 2, 2], "s": ["low", "mid", "mid", "high"]}).write_csv("other.csv")
    (folder / "o.toml").write_text('[columns.s]\nrole = "sensitive"\norder = ["low", "mid", "high"]\n')
    assert run(["verify", "other.csv", "--quasi", "g", "--sensitive", "s", "--t", "0.4"]) == 0
    assert run(["verify", "other.csv", "--quasi", "g", "--schema", "o.toml", "--t", "0.2"]) == 1
    assert "0.2500" in capsys.readouterr().out


def test_a_release_of_stars_is_one_class_here_too(folder, capsys):
    pl.DataFrame({"c": list("abcd"), "s": ["x", "x", "x", "y"]}).write_csv("d.csv")
    (folder / "d.toml").write_text('[columns.c]\nrole = "quasi"\n[columns.s]\nrole = "sensitive"\n')
    assert run(["publish", "d.csv", "--schema", "d.toml", "--k", "4", "-o", "stars", "--no-report"]) == 0
    assert run(["verify", "stars", "--l", "2"]) == 1
    assert "smallest class" not in capsys.readouterr().err


def test_a_hierarchy_may_be_left_to_the_tool(folder):
    text = (folder / "schema.toml").read_text()
    (folder / "auto.toml").write_text(
        text.replace('[columns."age"]', '[columns."age"]\nhierarchy = { type = "automatic" }')
    )
    assert run(["publish", "patients.csv", "--schema", "auto.toml", "--k", "5", "-o", "out", "--no-report"]) == 0
    certificate = json.loads((folder / "out" / "release.json").read_text())
    assert certificate["public"]["forms"]["age"] == "node"
    assert certificate["public"]["schema"]["columns"]["age"]["hierarchy"]["type"] == "intervals"
