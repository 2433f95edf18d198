"""Incognito against trying every node of the lattice."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from support.naive_lattice import PROMISES, lattices
from support.searched_lattices import MEASURES, SHARES, SOME, lowest_nodes, minimal_levels


@SOME
@given(lattices(), st.sampled_from(PROMISES), SHARES, MEASURES)
def test_incognito_finds_the_minimal_nodes(made, promise, share, measure):
    if any(not isinstance(part, sf.KAnonymity) for part in promise.parts):
        share = 0.0
    every = made.search(promise, share, measure)
    method = sf.Incognito(max_suppressed=share, measure=measure)
    if not every:
        with pytest.raises(InfeasibleError):
            method.search(made.table, promise)
        return
    found = method.search(made.table, promise)
    assert minimal_levels(found) == lowest_nodes(every)
    assert found.cost == pytest.approx(min(every.values()))
    assert found.complete


def test_all_pairs_of_levels_of_two_columns():
    """One worked example, by hand: ages by decade, two sexes."""
    paths = [(str(age), f"{age // 10}0s", "*") for age in (21, 22, 31, 32)]
    frame = pl.DataFrame({"age": ["21", "22", "31", "32"] * 2, "sex": ["f", "f", "m", "m", "f", "m", "m", "m"]})
    table = sf.Table(frame, sf.Schema(quasi=["age", "sex"], hierarchies={"age": sf.Hierarchy.from_paths(paths)}))
    found = sf.Incognito().search(table, sf.KAnonymity(2))
    assert found.minimal == ({"age": 0, "sex": 1}, {"age": 2, "sex": 0})
    assert found.cost == 0.5
    assert sf.Samarati().search(table, sf.KAnonymity(2)).levels == {"age": 0, "sex": 1}
    assert sf.BestFirst(0.125).search(table, sf.KAnonymity(2)).levels == {"age": 1, "sex": 0}
    assert sf.BestFirst(0.125).search(table, sf.KAnonymity(2)).cost == pytest.approx((7 * 0.25 + 1) / 8)
