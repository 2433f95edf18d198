"""Rows that a node withholds count no more for its promise."""

import polars as pl
import pytest

import sfumato as sf


@pytest.mark.parametrize("promise", [
    sf.TCloseness(0.19, distance="variational"), sf.TCloseness(0.19), sf.BetaLikeness(0.4, enhanced=False),
])  # fmt: skip
def test_withheld_rows_no_longer_count_for_closeness(promise):
    """Both large classes are close to the whole table, and not to what is left of it without the third."""
    frame = pl.DataFrame({
        "c": ["u"] * 10 + ["v"] * 20 + ["w"] * 5,
        "s": ["a"] * 6 + ["b"] * 4 + ["a"] * 6 + ["b"] * 14 + ["a"] * 5,
    })  # fmt: skip
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["s"]))
    found = sf.BestFirst(0.2).search(table, promise)
    assert (found.levels, found.n_withheld) == ({"c": 1}, 0)
    assert sf.publish(table, sf.BestFirst(0.2), promise, seed=1).verdict.holds


def test_a_value_that_is_withheld_altogether():
    """It has no share any more that another could be compared with."""
    frame = pl.DataFrame({"c": [0, 0, 0, 0, 1], "s": ["p", "p", "p", "p", "q"]})
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["s"]))
    for promise in (sf.TCloseness(0.3, distance="kl"), sf.TCloseness(0.2), sf.BetaLikeness(1, enhanced=False)):
        found = sf.BestFirst(0.2).search(table, promise)
        assert (found.levels, found.n_withheld) == ({"c": 0}, 1)
        assert sf.publish(table, sf.BestFirst(0.2), promise, seed=1).verdict.holds


def test_the_ranks_of_numbers_are_those_that_are_published():
    """Distances between numbers go by their ranks, so that a withheld number brings the others farther apart."""
    frame = pl.DataFrame({"c": ["u"] * 4 + ["v"] * 4 + ["w"], "x": [0, 0, 0, 1, 0, 1, 1, 1, 9]})
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["x"]))
    assert sf.BestFirst(0.2).search(table, sf.TCloseness(0.22)).levels == {"c": 1}
    found = sf.BestFirst(0.2).search(table, sf.TCloseness(0.25))
    assert (found.levels, found.n_withheld) == ({"c": 0}, 1)
    assert sf.publish(table, sf.BestFirst(0.2), sf.TCloseness(0.25), seed=1).verdict.holds
