"""Figures and verdicts of a certificate are held against the files, and true ones are never called broken."""

from __future__ import annotations

import shutil

import polars as pl
import pytest

import sfumato as sf
from sfumato.verbs.measure import measure


def people(n=40):
    frame = pl.DataFrame(
        {
            "age": [20 + i * 7 % 60 for i in range(n)],
            "town": ["a", "b", "c", None] * (n // 4),
            "s": list("xyzwv") * (n // 5),
        }
    )
    return frame, sf.Schema(quasi=["age", "town"], sensitive=["s"])


@pytest.mark.parametrize(
    ("method", "missing"),
    [
        (sf.Mondrian(), "withhold"), (sf.Mondrian(show="permutation"), "withhold"), (sf.Hilbert(show="means"), "withhold"),
        (sf.BestFirst(max_suppressed=0.3), "value"), (sf.TargetDistribution(), "withhold"),
    ],
)  # fmt: skip
def test_records_that_were_withheld_do_not_break_a_release(tmp_path, method, missing):
    """What is measured without the original counts them as the certificate does: the release says how many there are."""
    frame, schema = people()
    table = sf.Table(frame, sf.Schema.of([*schema.columns.values()]) if missing == "value" else sf.Schema(
        quasi=["age", "town"], sensitive=["s"], missing=missing))  # fmt: skip
    promise = None if isinstance(method, sf.TargetDistribution) else sf.LDiversity(2)
    release = sf.publish(table, method, promise, seed=1)
    if missing == "withhold":
        assert release.public["withheld_rows"] == 10
    release.save(tmp_path / "out", report=False)
    owned = sf.load_release(tmp_path / "out")
    assert sf.verify(owned, table).holds
    assert sf.verify(owned).holds
    shutil.copytree(tmp_path / "out", tmp_path / "elsewhere")
    copy = sf.load_release(tmp_path / "elsewhere")
    assert sf.verify(copy).holds
    assert sf.verify(copy, table).holds
    found = measure(copy)
    assert {name: found[name] for name in found if name in copy.measures} == pytest.approx(
        {name: copy.measures[name] for name in found if name in copy.measures}
    )


def test_two_promises_of_one_kind_are_each_compared_with_their_own(tmp_path):
    frame, _ = people()
    table = sf.Table(
        frame.drop("town").with_columns(t=pl.Series(list("pq") * 20)), sf.Schema(quasi=["age"], sensitive=["s", "t"])
    )
    promise = sf.LDiversity(2, columns=("s",)) & sf.LDiversity(2, columns=("s",), kind="distinct") & sf.TCloseness(0.9)
    sf.publish(table, sf.Mondrian(), promise & sf.TCloseness(0.9, distance="kl"), seed=1).save(
        tmp_path / "out", report=False
    )
    assert sf.verify(sf.load_release(tmp_path / "out")).holds
    assert sf.verify(sf.load_release(tmp_path / "out"), table).holds


def test_figures_of_the_first_version_are_named_as_not_covered(tmp_path):
    frame, schema = people()
    sf.publish(sf.Table(frame, schema), sf.Mondrian(), sf.KAnonymity(2), seed=1).save(tmp_path / "out", report=False)
    shutil.copytree(tmp_path / "out", tmp_path / "elsewhere")
    path = tmp_path / "elsewhere" / "release.json"
    path.write_text(path.read_text().replace("sfumato release 2", "sfumato release 1"))
    verdict = sf.verify(sf.load_release(tmp_path / "elsewhere"))
    assert verdict.holds
    assert any("'n_classes'" in said or "more" in said for said in verdict.not_covered if "in the certificate" in said)
