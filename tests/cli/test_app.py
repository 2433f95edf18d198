"""The commands one after the other, as JSON, and bad ones: a sentence and no traceback."""

import json

import pytest

from sfumato.cli import run
from support.commands import PUBLISH


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


def test_ctrl_c_is_told(folder, capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("sfumato.cli.inspecting.inspect_table", interrupt)
    assert run(["inspect", "patients.csv", "-o", "new.toml"]) == 130
    assert capsys.readouterr().err == "sfumato: interrupted; nothing was saved\n"
    assert not (folder / "new.toml").exists()


def test_a_name_with_a_quotation_mark_is_saved_as_csv(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text('"a""b",d\n1,x\n1,y\n2,x\n2,y\n')
    (tmp_path / "s.toml").write_text("[columns.'a\"b']\nrole = 'quasi'\n[columns.d]\nrole = 'sensitive'\n")
    assert (
        run(["publish", "p.csv", "--schema", "s.toml", "--k", "2", "--format", "csv", "--no-report", "-o", "out"]) == 0
    )
    assert run(["verify", "out"]) == 0


def test_what_is_printed_has_no_endless_lines(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text(f"a,d\n{'x' * 100_000},x\ny,y\ny,y\n")
    assert run(["verify", "p.csv", "--quasi", "a", "--k", "2"]) == 1
    assert len(capsys.readouterr().out) < 5_000
