"""A thousand small releases, each written, read again and checked: every property holds on the bytes."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from support.pattern_tables import sorted_table

WALKS = ("billiard", "billiard", "hit-and-run", "coordinate")


def case(seed):
    """A small table with ties, duplicates and constants, and a way to publish it."""
    random = Randomness(seed)

    def pick(*options):
        return options[int(random.integers(len(options), size=1)[0])]

    n = pick(1, 2, 3, 3, 4, 6, 9)
    widest = pick(1, 2, 5, 40)
    whole = random.integers(widest, size=2 * n)
    kinds = {
        "integer": pl.Series(whole[:n]),
        "number": pl.Series(whole[:n] / 10 + pick(0.0, 1e6)),
        "date": pl.Series([dt.date(2024, 2, 27) + dt.timedelta(days=int(i)) for i in whole[:n]]),
    }
    frame = pl.DataFrame({"x": kinds[pick(*kinds)], "y": whole[n:], "g": [str(i % 2) for i in range(n)]})
    keep = pick(
        sf.Order(), sf.Localities(), sf.Localities(share=0.5), sf.Means(by="g", within=pick(0.0, 0.01, 0.2)),
        [sf.Localities(), sf.Sums(within=0.05)], [sf.Order("x"), sf.Between("g")],
        sf.PoI(f"x[{n - 1}] - x[0] within 10%") if n > 1 else sf.Order(),
    )  # fmt: skip
    method = sf.PatternPreserving(
        keep, partition=pick(None, 2, "g"), bounds=pick("schema", "partition"), walk=pick(*WALKS),
        steps=pick(None, 50), resolution=pick("column", "real"),
    )  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["x", "y"], plain=["g"])), method, pick("parquet", "csv", "arrow")


@pytest.mark.slow
@pytest.mark.parametrize("tens", range(10))
def test_every_property_holds_on_the_file_as_read_again(tens, tmp_path):
    published, refused = 0, 0
    for seed in range(100 * tens, 100 * tens + 100):
        table, method, format = case(seed)
        try:
            release = sf.publish(table, method, seed=seed)
        except InfeasibleError:
            refused += 1
            continue
        folder = release.save(tmp_path / str(seed), format=format, report=False)
        reread = sf.load_release(folder)
        assert sf.verify(reread), (seed, method)
        assert sf.verify(reread, table), (seed, method)
        assert np.array_equal(np.sort(release.owner.rows), np.arange(len(table)))
        published += 1
    assert published >= 60
    assert refused < 40


def test_the_certificate_holds_no_figure_of_the_row_map(tmp_path):
    release = sf.publish(sorted_table(), sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=3)
    release.save(tmp_path / "out")
    certificate = json.loads((tmp_path / "out" / "release.json").read_text())
    assert set(certificate["measures"]["values"]) == {"linkage_bound", "linkage_chance"}
    assert "Distortion" not in (tmp_path / "out" / "report.html").read_text()
    assert "Distortion" in (tmp_path / "owner" / "out" / "report.html").read_text()
    kept = json.loads((tmp_path / "owner" / "out" / "owner.json").read_text())
    assert "distortion" in kept["measures"]["values"]
