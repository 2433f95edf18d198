"""What a release lost in a line, and whether it is still of use, by whose limit."""

from __future__ import annotations

import pytest

from sfumato.cli import run
from sfumato.cli.loss_lines import judgements
from sfumato.data.baskets import Baskets
from sfumato.datasets import hospital
from sfumato.ground.figures import Measures, catalogue


def figures(**values):
    import sfumato.baskets.measures.loss
    import sfumato.graphs.measures.loss  # noqa: F401  both declare figures

    return Measures(catalogue()[name].of(value) for name, value in values.items())


@pytest.mark.parametrize(("off", "said"), [(0.95, "hardly of use"), (0.3, "with care"), (0.1, "well kept")])
def test_pairs_of_items_are_judged_by_a_limit_that_is_said_to_be_ours(off, said):
    (line,) = judgements(figures(pair_error=off))
    assert said in line
    assert f"{off:.0%}" in line
    assert "rule of thumb of this program" in line


def test_edges_are_judged_where_most_are_false():
    assert judgements(figures(edges_false=0.1, edges_kept=1.0)) == []
    assert "single edges are hardly of use" in judgements(figures(edges_false=0.8, edges_kept=1.0))[0]


def test_baskets_tell_what_they_lost_when_published_and_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [[1, 2, 3], [2, 3], [1, 3, 4], [1, 2], [3, 4], [1, 2, 3, 4]]
    (tmp_path / "b.dat").write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    assert run(["publish", "b.dat", "--k", "2", "-o", "out", "--no-report", "--seed", "1"]) == 0
    said = capsys.readouterr().out
    mean = Baskets.from_lists([list(map(str, row)) for row in rows]).sizes.mean()
    assert f"where a record has {mean:.1f}" in said
    assert "pairs of items are " in said
    assert run(["measure", "out", "b.dat"]) == 0
    measured = capsys.readouterr().out
    assert measured.startswith("look at these first\n  items_changed")
    assert "items of a record of the original, on average" in measured
    assert "pairs of items are " in measured
    assert run(["measure", "out"]) == 0
    assert "items that a published record may differ in" in capsys.readouterr().out


def test_every_kind_of_release_tells_a_loss(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    hospital(200).frame.write_csv("p.csv")
    schema = (
        '[columns.age]\nrole = "quasi"\n[columns.stay_days]\nrole = "quasi"\n[columns.diagnosis]\nrole = "sensitive"\n'
    )
    (tmp_path / "s.toml").write_text(schema)
    asked = {
        "k": ["--k", "5"],
        "two": ["--l", "2", "--show", "permutation"],
        "drawn": ["--k", "5", "--method", "Condensation"],
        "noise": ["--method", "AdditiveNoise", "--param", "scale=0.1"],
        "turned": ["--method", "RotationPerturbation"],
    }
    for name, options in asked.items():
        assert run(["publish", "p.csv", "--schema", "s.toml", *options, "-o", name, "--no-report"]) == 0, name
        assert capsys.readouterr().out.count("what was lost: ") == 1, name


def test_a_table_without_a_secret_is_told_loudly(folder, capsys):
    text = (folder / "schema.toml").read_text()
    (folder / "open.toml").write_text(text.replace('role = "sensitive"', 'role = "plain"'))
    for schema, loud in (("schema.toml", False), ("open.toml", True)):
        assert run(["publish", "patients.csv", "--schema", schema, "--k", "5", "-o", schema[:-5], "--no-report"]) == 0
        assert ("WARNING: Nothing is sensitive" in capsys.readouterr().out) == loud
