"""Incognito against trying every node of the lattice."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from sfumato.tables.lattice.lattice import is_below
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


def nodes_to_examine(made, holding):
    """The top, and every node that holds with any one of its columns hidden and has none that holds below it.

    Below it are nodes that hide the same columns; `holding` are all that hold.
    """
    tops = made.tops
    for node in made.nodes():
        shown = [c for c, level in enumerate(node) if level < tops[c]]
        hidden = [c for c, level in enumerate(node) if level == tops[c]]
        parts = [(*node[:c], tops[c], *node[c + 1 :]) for c in shown]
        alike = [other for other in holding if other != node and all(other[c] == tops[c] for c in hidden)]
        below = [other for other in alike if is_below(other, node)]
        if node == tops or (all(part in holding for part in parts) and not below):
            yield node


@SOME
@given(lattices(), st.sampled_from(PROMISES), SHARES)
def test_a_node_is_examined_only_where_all_its_parts_hold(made, promise, share):
    """By height the cheapest node is one of the minimal ones, so that choosing it takes no further look."""
    if any(not isinstance(part, sf.KAnonymity) for part in promise.parts):
        share = 0.0
    holding = made.search(promise, share, "height")
    if not holding:
        return
    found = sf.Incognito(max_suppressed=share, measure="height").search(made.table, promise)
    assert found.n_nodes == len(made.nodes())
    assert found.n_examined == len(list(nodes_to_examine(made, holding)))


AGES = [(str(age), f"{age // 10}0s", "*") for age in (21, 22, 31, 32)]


def ages_and_sexes():
    """Ages by decade, two sexes."""
    frame = pl.DataFrame({"age": ["21", "22", "31", "32"] * 2, "sex": ["f", "f", "m", "m", "f", "m", "m", "m"]})
    return sf.Table(frame, sf.Schema(quasi=["age", "sex"], hierarchies={"age": sf.Hierarchy.from_paths(AGES)}))


def test_fewer_nodes_are_examined_than_there_are():
    """By hand, of 3 x 2 nodes: no age is there three times, so that ages beside sexes are never looked at."""
    found = sf.Incognito().search(ages_and_sexes(), sf.KAnonymity(3))
    assert found.minimal == ({"age": 1, "sex": 1}, {"age": 2, "sex": 0})
    assert (found.n_examined, found.n_nodes) == (5, 6)


def test_all_pairs_of_levels_of_two_columns():
    """One worked example, by hand."""
    table = ages_and_sexes()
    found = sf.Incognito().search(table, sf.KAnonymity(2))
    assert found.minimal == ({"age": 0, "sex": 1}, {"age": 2, "sex": 0})
    assert found.cost == 0.5
    assert sf.Samarati().search(table, sf.KAnonymity(2)).levels == {"age": 0, "sex": 1}
    assert sf.BestFirst(0.125).search(table, sf.KAnonymity(2)).levels == {"age": 1, "sex": 0}
    assert sf.BestFirst(0.125).search(table, sf.KAnonymity(2)).cost == pytest.approx((7 * 0.25 + 1) / 8)
