"""`sfumato demo`: again, but not over other things."""

from sfumato.cli import run


def test_demo_can_be_run_again_but_not_over_other_things(folder, capsys):
    assert run(["demo", "d", "--rows", "150"]) == 0
    out = capsys.readouterr().out
    assert "smallest class" in out
    assert "d/release/report.html" in out
    assert run(["demo", "d", "--rows", "150"]) == 0
    (folder / "d" / "thesis.txt").write_text("mine")
    assert run(["demo", "d"]) == 2
    assert run(["demo", "e", "--rows", "5"]) == 2
