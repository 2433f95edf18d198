"""Groups are polished and filled up to such that hold, at no larger loss."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.privacy.criteria import all_hold
from sfumato.tables.coding.levels import levels_of
from sfumato.tables.lattice import polish as polishing
from sfumato.tables.lattice.cover import cover
from sfumato.tables.lattice.polish import place_leftovers, polish_groups
from support.recoded_tables import KEPT, holds, prepare, total
from support.tables_strategies import tables


@settings(max_examples=60)
@given(tables(min_rows=4, max_rows=24), st.sampled_from(KEPT), st.integers(1, 5), st.integers(0, 1000))
def test_any_groups_that_hold_are_polished_to_such(table, promise, n_groups, seed):
    quasi, columns, criteria, _ = prepare(table, promise)
    group = np.random.default_rng(seed).integers(0, n_groups, len(table))
    assume(holds(criteria, group))
    better = polish_groups(columns, criteria, group)
    assert holds(criteria, better)
    assert total(quasi, better) <= total(quasi, group) + 1e-9


@settings(max_examples=60)
@given(tables(min_rows=4, max_rows=24), st.sampled_from(KEPT), st.integers(0, 3), st.integers(0, 1000))
def test_whoever_has_no_group_is_placed(table, promise, n_groups, seed):
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


@settings(max_examples=30)
@given(tables(min_rows=2, max_rows=20), st.sampled_from(KEPT), st.integers(1, 60))
def test_a_polish_that_runs_out_of_its_budget_still_keeps_the_promise(table, promise, budget):
    quasi, columns, criteria, codes = prepare(table, promise)
    assume(promise.limit(len(table), encode(table, table.schema.sensitive)) is None)
    group = place_leftovers(columns, criteria, cover(levels_of(quasi, halved=True), codes, criteria))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(polishing, "_BUDGET", budget)
        better = polish_groups(columns, criteria, group)
    assert holds(criteria, better)
    assert total(quasi, better) <= total(quasi, group) + 1e-9
