"""The cheapest cut into groups of k to 2k - 1 records, against exhaustive search and the vectors of the line."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.cutting.k_optimal import optimal_starts, optimal_starts_1d
from support import naive_partitions as naive
from support.naive import best_consecutive, ncp
from support.tables_strategies import tables


def cut(values, k):
    """Groups and total loss of one numeric column in its own order."""
    table = sf.Table(pl.DataFrame({"x": values}), sf.Schema(quasi=["x"]))
    coded = encode(table, ["x"])
    order = np.argsort(values, kind="stable")
    starts = optimal_starts(
        flatten(coded)._replace(codes=np.ascontiguousarray(coded[0].codes[order])[None, :]), k, np.inf
    )
    ordered = np.array(values)[order]
    return [ordered[a:b].tolist() for a, b in itertools.pairwise(starts)]


def total(groups):
    return sum(len(group) * (max(group) - min(group)) for group in groups)


@pytest.mark.parametrize(
    ("values", "k", "expected"),
    [
        ((1, 2, 4, 7, 11, 12, 13, 20, 22, 29), 2, 38),
        ((1, 2, 4, 7, 11, 12, 13, 20, 22, 29), 3, 57),
        ((1, 2, 4, 7, 11, 12, 13, 20, 22, 29), 4, 130),
        ((0, 49, 50, 51, 100), 2, 248),
        ((0, 10, 11, 12), 2, 22),
    ],
)
def test_vectors_of_the_one_dimensional_cut(values, k, expected):
    """Vectors E-1 to E-3, E-5 and E-6."""
    groups = cut(list(values), k)
    assert total(groups) == expected
    assert sorted(itertools.chain(*groups)) == sorted(values)
    assert all(k <= len(group) <= 2 * k - 1 for group in groups)


def test_vectors_e1_and_e3_groups():
    values = [1, 2, 4, 7, 11, 12, 13, 20, 22, 29]
    assert cut(values, 2) == [[1, 2], [4, 7], [11, 12], [13, 20], [22, 29]]
    assert cut(values, 4) == [[1, 2, 4, 7, 11, 12], [13, 20, 22, 29]]


def test_vector_e4_every_prefix():
    """Opt(i) for the first i values; none for a single one."""
    values = [1, 2, 4, 7, 11, 12, 13, 20, 22, 29]
    assert [total(cut(values[:i], 2)) for i in range(2, 11)] == [2, 9, 8, 17, 10, 14, 24, 18, 38]


def test_a_bound_on_the_loss_that_no_cut_meets():
    columns = flatten(encode(sf.Table(pl.DataFrame({"x": [0, 1, 10, 11]}), sf.Schema(quasi=["x"])), ["x"]))
    assert optimal_starts(columns, 2, 0.1).tolist() == [0, 2, 4]
    assert optimal_starts(columns, 3, 0.1).tolist() == []


@settings(max_examples=150)
@given(tables(sensitive=False), st.data())
def test_the_cut_equals_exhaustive_search(table, data):
    """Every kind of column, missing values, every k, in any order of the rows."""
    coded = encode(table, table.schema.quasi)
    order = np.array(data.draw(st.permutations(range(len(table)))), dtype=np.int64)
    columns = flatten(coded)
    columns = columns._replace(codes=np.ascontiguousarray(columns.codes[:, order]))
    for k in range(1, len(table) + 1):
        starts = optimal_starts(columns, k, np.inf)
        sizes = np.diff(starts)
        assert starts[0] == 0
        assert starts[-1] == len(table)
        assert sizes.min() >= k
        found = sum((b - a) * ncp(coded, order[a:b]) for a, b in itertools.pairwise(starts))
        assert found == pytest.approx(best_consecutive(coded, order.tolist(), k), abs=1e-9)


@settings(max_examples=100)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=12).map(sorted), st.integers(1, 5))
def test_the_cut_of_one_column_equals_exhaustive_search(values, k):
    """Groups of k records or more, as large as they like, by their size times their extent along the line."""
    k = min(k, len(values))
    starts = optimal_starts_1d(np.array(values, dtype=np.float64), k).tolist()
    groups = [range(a, b) for a, b in itertools.pairwise(starts)]
    assert (starts[0], starts[-1]) == (0, len(values))
    assert min(map(len, groups)) >= k
    loss = naive.extents(values)
    every = naive.consecutive(range(len(values)), lambda run: len(run) >= k)
    assert naive.total_loss("weighted", loss, groups) == min(naive.total_loss("weighted", loss, each) for each in every)


def test_the_cut_is_right_across_blocks():
    """Longer than one block of the kernel: compared with the plain recurrence."""
    values = np.sort(np.array([(i * 7919) % 1009 for i in range(3000)]))
    k = 3
    opt = [0.0] + [float("inf")] * len(values)
    for i in range(k, len(values) + 1):
        opt[i] = min(
            opt[j] + (i - j) * float(values[i - 1] - values[j]) for j in range(max(0, i - 2 * k + 1), i - k + 1)
        )
    assert total(cut(values.tolist(), k)) == opt[-1]
    starts = optimal_starts_1d(values.astype(np.float64), k)
    assert sum((b - a) * (values[b - 1] - values[a]) for a, b in itertools.pairwise(starts)) == opt[-1]
