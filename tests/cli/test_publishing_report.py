"""`publish --title` and `--attack`: what the reports then say."""

from sfumato.cli import run
from sfumato.datasets import hospital


def test_the_title_heads_both_reports_and_attacks_are_told_of_in_the_owners(tmp_path):
    table = hospital(120)
    table.frame.write_csv(tmp_path / "patients.csv")
    (tmp_path / "schema.toml").write_text(table.schema.to_toml(), encoding="utf-8")
    options = [
        "--schema",
        str(tmp_path / "schema.toml"),
        "--method",
        "Mondrian",
        "--k",
        "5",
        "-o",
        str(tmp_path / "out"),
    ]
    assert run(["publish", str(tmp_path / "patients.csv"), *options, "--title", "Stays & more", "--attack"]) == 0
    public = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    owner = (tmp_path / "owner" / "out" / "report.html").read_text(encoding="utf-8")
    for page in (public, owner):
        assert "<h1>Stays &amp; more</h1>" in page
    assert "What attacks achieved" in owner
    assert "What attacks achieved" not in public
