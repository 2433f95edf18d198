"""Large groups are divided into parts that hold, so that nobody odd widens them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.tables.lattice.divide_groups import divide_groups, reunite_groups
from support.recoded_tables import KEPT, holds, partition, prepare
from support.tables_strategies import tables


@pytest.mark.parametrize("promise", [
    sf.KAnonymity(3), sf.LDiversity(1.9), sf.LDiversity(1.9, kind="entropy"), sf.TCloseness(0.25), sf.BetaLikeness(1),
])  # fmt: skip
def test_one_odd_record_does_not_widen_a_large_group(promise):
    values = ["a"] * 200 + ["b"] * 100 + ["c"]
    frame = pl.DataFrame({"v": values, "s": ["p", "q"] * 150 + ["p"]})
    table = sf.Table(frame, sf.Schema(quasi=["v"], sensitive=["s"]))
    for method in (sf.LocalRecoding(), sf.LocalRecoding(polish=False), sf.CellSuppression()):
        release = sf.publish(table, method, promise, seed=1)
        shown = release.data.frame["v"]
        assert int(shown.is_in(["a", "b"]).sum()) >= 250
        assert release.data.frame.group_by("v").len().height == 3


@settings(max_examples=60)
@given(tables(min_rows=4, max_rows=24), st.sampled_from(KEPT), st.integers(1, 4), st.integers(0, 1000))
def test_groups_are_divided_into_parts_that_hold(table, promise, n_groups, seed):
    _, columns, criteria, _ = prepare(table, promise)
    group = np.random.default_rng(seed).integers(0, n_groups, len(table))
    group = np.unique(group, return_inverse=True)[1]
    assume(holds(criteria, group))
    group[0] = -1
    assume(
        len(np.unique(group[1:])) == group.max() + 1 and holds(criteria._replace(codes=criteria.codes[1:]), group[1:])
    )
    parts, of_group = divide_groups(columns.codes, criteria, group)
    assert parts[0] == -1
    assert of_group[parts[1:]].tolist() == group[1:].tolist()
    assert partition(reunite_groups(parts, of_group, np.where(parts < 0, len(of_group), parts)).tolist()) == {
        (0,), *partition(group.tolist())
    }  # fmt: skip
