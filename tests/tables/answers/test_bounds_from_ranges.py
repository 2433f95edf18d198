"""Bounds over records in doubt are attained by some choice of them."""

import itertools
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.tables.answers.bounds_from_ranges import extremes
from support.asked import EXACT_AGGREGATES
from support.asked_originals import N, ask_within_bounds, published


@pytest.mark.parametrize("seed", range(60))
def test_bounds_over_choices_are_attained(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    values = rng.integers(-6, 7, n) * (1 if seed % 2 else 0.5)
    sure = rng.random(n) < rng.choice([0, 0.4, 0.9])
    doubt = np.flatnonzero(~sure)
    worlds = [
        [*values[sure].tolist(), *values[list(more)].tolist()]
        for k in range(len(doubt) + 1)
        for more in itertools.combinations(doubt, k)
    ]
    for aggregate, exactly in EXACT_AGGREGATES.items():
        truths = [exactly([Fraction(v) for v in world]) for world in worlds if world]
        low, high = extremes(aggregate, values, sure)
        assert low == pytest.approx(float(min(truths)), rel=1e-15), aggregate
        assert high == pytest.approx(float(max(truths)), rel=1e-15), aggregate


def test_numbers_too_large_to_be_summed():
    frame = {"q": range(N), "p": [1.5e308] * N, "s": [1, 2] * 20}
    release = published(frame, sf.Hilbert(), sf.KAnonymity(4), quasi=["q"], plain=["p"], sensitive=["s"])
    with pytest.raises(ParameterError, match="too large to be summed"):
        sf.ask(release, "SELECT SUM(p) FROM release WHERE q > 3")
    ask_within_bounds(release, "SELECT MAX(p) FROM release WHERE q > 3")


def test_infinite_numbers_are_refused_by_name():
    frame = pl.DataFrame({"age": [20, 20, 30, 30], "ill": list("abab"), "p": [float("inf"), 1.0, 2.0, 3.0]})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["ill"], plain=["p"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2), seed=1)
    for aggregate in ("SUM", "AVG", "MIN", "MEDIAN"):
        with pytest.raises(
            ParameterError, match="column 'p' holds infinite numbers, which cannot be aggregated; ask for"
        ):
            sf.ask(release, f"SELECT {aggregate}(p) FROM release")
    two_tables = sf.publish(table, sf.Hilbert(show="permutation"), sf.LDiversity(2), seed=1)
    with pytest.raises(ParameterError, match="column 'p' holds infinite numbers, which cannot be aggregated; ask for"):
        sf.ask(two_tables, "SELECT AVG(p) FROM release")
