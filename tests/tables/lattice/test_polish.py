"""Groups are polished to such that hold, at no larger loss."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.data.encoding import encode
from sfumato.tables.coding.levels import levels_of
from sfumato.tables.lattice import polish as polishing
from sfumato.tables.lattice.cover import cover
from sfumato.tables.lattice.leftovers import place_leftovers
from sfumato.tables.lattice.polish import polish_groups
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


@settings(max_examples=30)
@given(tables(min_rows=2, max_rows=20), st.sampled_from(KEPT), st.integers(1, 60))
def test_a_polish_that_runs_out_of_its_budget_still_keeps_the_promise(table, promise, budget):
    quasi, columns, criteria, codes = prepare(table, promise)
    assume(promise.limit(len(table), encode(table, table.schema.sensitive)) is None)
    group = place_leftovers(columns, criteria, cover(levels_of(quasi, halved=True), codes, criteria))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(polishing, "BUDGET", budget)
        better = polish_groups(columns, criteria, group)
    assert holds(criteria, better)
    assert total(quasi, better) <= total(quasi, group) + 1e-9
