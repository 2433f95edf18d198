"""What all methods along a line share: every table is cut, and dealt groups look at no value."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.dealt_tables import VALUES, people
from support.ordered_tables import ALL_ORDERS


def test_dealt_groups_are_not_solved_exactly():
    with pytest.raises(ParameterError, match="say dealt=False"):
        sf.Hilbert(solve="optimal", show="permutation")
    with pytest.raises(ParameterError, match="dealt must be true, false or left out"):
        sf.Hilbert(dealt="yes")


@pytest.mark.parametrize("method", [sf.Hilbert(dealt=True), sf.Ordered(dealt=True)])
def test_a_bound_is_not_met_by_dealt_groups(method):
    """Else the certificate would call groups dealt that were formed by looking at values."""
    with pytest.raises(ParameterError, match="leave dealt out"):
        sf.publish(people(VALUES), method, sf.AccuracyBound(0.9))
    assert sf.publish(people(VALUES), method, sf.LDiversity(2), seed=1).method["dealt"] is True
    assert sf.publish(people(VALUES), sf.Ordered(), sf.LDiversity(2), seed=1).method["dealt"] is False


EDGES = {
    "one row": ([7], ["a"], ["u"]),
    "two rows": ([7, 9], ["a", "b"], ["u", "v"]),
    "all equal": ([7] * 6, ["a"] * 6, ["u", "v"] * 3),
    "one value in a column": ([7] * 6, list("abcabc"), ["u", "v"] * 3),
    "all missing but one": ([None] * 5 + [7], [None] * 5 + ["b"], ["u", "v"] * 3),
    "one column rises": (list(range(6)), ["a"] * 6, list("uvwuvw")),
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize(
    "method",
    [sf.Hilbert(), sf.Hilbert(fast=True), sf.Hilbert(polish=True), sf.IDistance(), sf.IDistance(centres=2, sample=1.0),
     *(sf.Ordered(best_of=name) for name in ALL_ORDERS), sf.Ordered(best_of=ALL_ORDERS)],
    ids=lambda m: f"{type(m).__name__}-{getattr(m, 'best_of', '')}-{getattr(m, 'fast', '')}-{getattr(m, 'polish', '')}",
)  # fmt: skip
def test_every_order_of_the_smallest_tables(method, edge):
    x, c, s = EDGES[edge]
    frame = pl.DataFrame({"x": x, "c": c, "s": s}, schema={"x": pl.Int64, "c": pl.String, "s": pl.String})
    table = sf.Table(frame, sf.Schema(quasi=["x", "c"], sensitive=["s"]))
    n = len(x)
    for promise in (sf.KAnonymity(1), sf.KAnonymity(n), sf.TCloseness(0.0), sf.LDiversity(2 if n > 1 else 1)):
        release = sf.publish(table, method, promise, seed=1)
        assert release.verdict.holds
        assert len(release.data) == n
    assert sf.publish(table, method, sf.KAnonymity(1), seed=1).data.frame.drop_nulls("c").height == sum(
        value is not None for value in c
    )


@pytest.mark.parametrize("method", [sf.Hilbert(), sf.IDistance(), sf.Ordered()], ids=lambda m: type(m).__name__)
def test_an_empty_table_is_published_empty(method):
    """As by Mondrian: no class is far from anything."""
    frame = pl.DataFrame({"x": [], "c": [], "s": []}, schema={"x": pl.Int64, "c": pl.String, "s": pl.String})
    table = sf.Table(frame, sf.Schema(quasi=["x", "c"], sensitive=["s"]))
    assert len(sf.publish(table, sf.Mondrian(), sf.TCloseness(0.2), seed=1).data) == 0
    assert len(sf.publish(table, method, sf.TCloseness(0.2), seed=1).data) == 0
