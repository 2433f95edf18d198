"""Blocks cannot tell their records apart: ranges and means alone go with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.ground.errors import InfeasibleError
from sfumato.tables.pattern.blocks import Blocks
from support.pattern_properties import assert_interval, cells_of, extract_rows, small_view
from support.pattern_tables import hold, setting_of


def constraint_set(rows, rename=lambda cell: cell):
    """The rows as a set, whatever their order and that of their entries."""
    found = set()
    for r in range(rows.n):
        entries = slice(rows.indptr[r], rows.indptr[r + 1])
        terms = zip(rows.variable[entries].tolist(), rows.coefficient[entries].tolist(), strict=True)
        found.add((
            frozenset((rename(v), round(c, 9)) for v, c in terms), round(float(rows.bound[r]), 9), bool(rows.equal[r]),
        ))  # fmt: skip
    return found


@settings(max_examples=40)
@given(
    st.integers(2, 4),
    st.sampled_from([0.0, 0.1]),
    st.sampled_from([("range",), ("mean",), ("range", "mean")]),
    st.data(),
)
def test_blocks_cannot_tell_their_records_apart(k, within, keep, data):
    n = data.draw(st.integers(k, 12))
    values = {
        name: data.draw(st.lists(st.integers(0, 9).map(float), min_size=n, max_size=n)) for name in ("x", "y")
    }  # fmt: skip
    setting = setting_of(values)
    found = Blocks(k, keep=keep, within=within).extract(setting)
    assert hold(found.rows, cells_of(setting))
    assert np.bincount(found.blocks).min() >= k
    swapped = np.arange(n)
    for block in np.unique(found.blocks):
        members = np.flatnonzero(found.blocks == block)
        swapped[members] = data.draw(st.permutations(members.tolist()))

    def moved(cell):
        return cell // n * n + int(swapped[cell % n])

    assert constraint_set(found.rows, moved) == constraint_set(found.rows)
    assert {moved(cell) for cell in found.fixed.tolist()} == set(found.fixed.tolist())
    for cell in found.fixed.tolist():
        same_block = np.flatnonzero(found.blocks == found.blocks[cell % n])
        assert len(set(setting.numbers[cell // n, same_block].tolist())) == 1


def test_blocks_say_the_range_and_the_mean():
    setting = setting_of({"x": [1.0, 2.0, 6.0]})
    matrix, bound, found = extract_rows(Blocks(3, within=0.1), setting)
    ends = np.abs(matrix).max(axis=1) == 1.0
    assert constraint_set(found.rows.take(np.flatnonzero(ends))) == {
        *((frozenset({(c, 1.0)}), 6.0, False) for c in range(3)),
        *((frozenset({(c, -1.0)}), -1.0, False) for c in range(3)),
    }  # fmt: skip
    assert matrix[~ends] == pytest.approx(np.outer([1, -1], np.full(3, 1 / 3)))
    assert_interval(bound[~ends], 3, 0.5)
    _, bound, found = extract_rows(Blocks(3, within=0, keep=("mean",)), setting)
    assert found.rows.equal.tolist() == [True]
    assert bound.tolist() == [3.0]


def test_blocks_need_enough_records():
    with pytest.raises(InfeasibleError, match="k=4 needs at least 4 records"):
        Blocks(4).extract(small_view(age=[1, 2, 3], cost=[1, 2, 3], g=["a", "b", "c"]))
    with pytest.raises(InfeasibleError, match=r"a partition holds 2 .*fewer than k=3"):
        Blocks(3).extract(setting_of({"x": [1, 2, 3, 4, 5]}, partition=[0, 0, 0, 1, 1]))


def test_blocks_stay_within_partitions():
    partition = np.array([0, 1] * 6)
    found = Blocks(2).extract(setting_of({"x": list(range(12))}, partition=partition))
    for block in np.unique(found.blocks):
        assert len(set(partition[found.blocks == block])) == 1
