"""Leftover records are given groups such that all hold."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.privacy.criteria import all_hold
from sfumato.tables.lattice import leftovers
from sfumato.tables.lattice.leftovers import place_leftovers
from support.recoded_tables import KEPT, holds, partition, prepare
from support.tables_strategies import tables


@settings(max_examples=60)
@given(tables(min_rows=4, max_rows=24), st.sampled_from(KEPT), st.integers(0, 3), st.integers(0, 1000), st.booleans())
def test_whoever_has_no_group_is_placed(table, promise, n_groups, seed, few_looks):
    """Also where there are so many that only groups around a leftover are looked at."""
    _, columns, criteria, _ = prepare(table, promise)
    assume(promise.limit(len(table), encode(table, table.schema.sensitive)) is None)
    group = np.random.default_rng(seed).integers(-1, max(n_groups, 1), len(table))
    if n_groups == 0:
        group[:] = -1
    inside = group[group >= 0]
    group[group >= 0] = np.unique(inside, return_inverse=True)[1]
    for g in np.unique(group[group >= 0]):
        rows = np.flatnonzero(group == g)
        assume(all_hold(criteria, rows, np.array([0, len(rows)])))
    with pytest.MonkeyPatch.context() as patch:
        if few_looks:
            patch.setattr(leftovers, "BUDGET", 0)
            patch.setattr(leftovers, "_FEWEST", 1)
        found = place_leftovers(columns, criteria, group)
    assert found.min() >= 0
    assert holds(criteria, found)


def test_who_fits_into_no_group_takes_others_along():
    """Two groups with both values, and more of one value: no group can take a single one of them."""
    frame = pl.DataFrame({"a": [1, 1, 5, 5, 9, 9, 9, 9], "s": ["p", "q", "p", "q", "p", "p", "p", "q"]})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    promise = sf.TCloseness(0.13)
    _, columns, criteria, _ = prepare(table, promise)
    group = np.array([0, 0, 1, 1, -1, -1, -1, -1])
    found = place_leftovers(columns, criteria, group)
    assert holds(criteria, found)
    assert len(np.unique(found)) < 4


def test_a_leftover_joins_a_group_beside_it_where_there_are_too_many_to_look_at_all(monkeypatch):
    values = np.repeat(np.arange(0, 400, 10), 4)
    table = sf.Table(pl.DataFrame({"a": np.append(values, [201, 388])}), sf.Schema(quasi=["a"]))
    _, columns, criteria, _ = prepare(table, sf.KAnonymity(4))
    group = np.append(np.random.default_rng(1).permutation(40).repeat(4), [-1, -1])
    whole = place_leftovers(columns, criteria, group)
    monkeypatch.setattr(leftovers, "BUDGET", 0)
    monkeypatch.setattr(leftovers, "_FEWEST", 2)
    found = place_leftovers(columns, criteria, group)
    assert partition(found.tolist()) == partition(whole.tolist())
    assert {tuple(table.frame["a"].gather(list(rows)).unique()) for rows in partition(found.tolist()) if len(rows) > 4} == {
        (200, 201), (388, 390)
    }  # fmt: skip
