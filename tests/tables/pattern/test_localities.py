"""Localities: the staircase is what the vectors say, implies every true statement and no other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from benchmarks.baselines.printed_localities import printed_localities
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sfumato.tables.pattern.localities import staircase
from sfumato.tables.pattern.properties import Localities, Order
from support.pattern_tables import dense, hold, setting_of

SIX = (3, 5, 11, 27, 33, 45)
NEARER, FARTHER = 1, -1  # <= and >= of the vectors


def counted_from_one(rows):
    return [(int(i) + 1, int(j) + 1, int(k) + 1, int(sign)) for i, j, k, sign in rows]


def extracted(values, property=None):
    """Matrix of all rows over the distinct values, rising, and the distinct values."""
    setting = setting_of({"x": list(values)})
    found = (property or Localities()).extract(setting)
    distinct = np.unique(np.asarray(values, dtype=np.float64))
    rank = np.searchsorted(distinct, setting.numbers[0])
    assert not found.rows.equal.any()
    assert not found.rows.bound.any()
    return dense(found.rows._replace(variable=rank[found.rows.variable]), len(distinct)), distinct


def as_rows(matrix):
    return {tuple(line) for line in matrix.tolist()}


def staircase_rows(corners, p):
    """The matrix that corners (counted from 1) and the order of p values should give."""
    rows = set()
    for i, j, k, sign in corners:
        line = [0.0] * p
        line[j - 1] += 2 * sign
        line[i - 1] -= sign
        line[k - 1] -= sign
        rows.add(tuple(line))
    for t in range(p - 1):
        rows.add(tuple(1.0 if c == t else -1.0 if c == t + 1 else 0.0 for c in range(p)))
    return rows


def test_vectors_a1_and_a2_of_the_printed_algorithm():
    assert counted_from_one(printed_localities(np.array([0.0, 1, 3]))) == [
        (1, 2, 2, FARTHER), (1, 2, 3, NEARER), (1, 3, 3, FARTHER), (2, 3, 3, FARTHER),
    ]  # fmt: skip
    assert set(counted_from_one(printed_localities(np.array([1.0, 2, 4, 8])))) == {
        (1, 2, 2, FARTHER), (1, 2, 3, NEARER), (1, 3, 3, FARTHER), (1, 3, 4, NEARER), (2, 3, 3, FARTHER),
        (2, 3, 4, NEARER), (1, 4, 4, FARTHER), (2, 4, 4, FARTHER), (3, 4, 4, FARTHER),
    }  # fmt: skip


def test_vector_a3_of_the_printed_algorithm():
    assert len(printed_localities(np.array(SIX, dtype=np.float64))) == 20


@pytest.mark.parametrize(
    ("values", "corners"),
    [
        ((0, 1, 3), {(1, 2, 3, NEARER)}),
        ((1, 2, 4, 8), {(1, 2, 3, NEARER), (1, 3, 4, NEARER)}),
        (SIX, {(1, 2, 3, NEARER), (1, 3, 4, NEARER), (3, 4, 5, FARTHER), (3, 4, 6, NEARER), (2, 4, 6, FARTHER),
               (4, 5, 6, NEARER), (3, 5, 6, FARTHER)}),
        ((0, 1, 2, 3), {(1, 2, 3, NEARER), (2, 3, 4, NEARER), (1, 3, 4, FARTHER)}),
    ],
)  # fmt: skip
def test_vectors_a4_to_a7_of_the_staircase(values, corners):
    assert set(counted_from_one(staircase(np.array(values, dtype=np.float64)))) == corners
    matrix, _ = extracted(values)
    assert as_rows(matrix) == staircase_rows(corners, len(values))
    assert len(matrix) == len(corners) + len(values) - 1


def test_vector_a8_has_one_order_row_alone():
    matrix, distinct = extracted((5, 5, 7))
    assert distinct.tolist() == [5, 7]
    assert matrix.tolist() == [[1.0, -1.0]]


def test_vector_a9_keeps_equal_values_equal():
    matrix, distinct = extracted((1, 2, 2, 3))
    assert distinct.tolist() == [1, 2, 3]
    assert as_rows(matrix) == staircase_rows({(1, 2, 3, NEARER)}, 3)
    found = Localities().extract(setting_of({"x": [1, 2, 2, 3]}))
    assert [sorted(tie.tolist()) for tie in found.ties] == [[1, 2]]


@pytest.mark.parametrize("values", [(), (4,), (4, 9)])
def test_fewer_than_three_values_have_no_locality(values):
    assert len(staircase(np.array(values, dtype=np.float64))) == 0


def largest(weights, matrix):
    """How large a weighted sum can get inside the unit box where all rows hold."""
    p = len(weights)
    solved = linprog(-weights, A_ub=matrix, b_ub=np.zeros(len(matrix)), bounds=[(0, 1)] * p, method="highs")
    assert solved.status == 0
    return -solved.fun


@settings(max_examples=25)
@given(st.lists(st.integers(0, 25), min_size=3, max_size=12))
def test_the_rows_imply_every_true_locality(values):
    matrix, u = extracted(values)
    for i, j, k in itertools.combinations(range(len(u)), 3):
        gap = 2 * u[j] - u[i] - u[k]
        weights = np.zeros(len(u))
        weights[[i, j, k]] = -1.0, 2.0, -1.0
        if gap <= 0:
            assert largest(weights, matrix) <= 1e-9, (u, i, j, k)
        if gap >= 0 and gap != 0:
            assert largest(-weights, matrix) <= 1e-9, (u, i, j, k)


@settings(max_examples=10)
@given(st.lists(st.integers(0, 40), min_size=4, max_size=9, unique=True))
def test_the_rows_force_nothing_that_is_false(values):
    """What the data break strictly, or tie, can also be broken by other values that keep all rows."""
    matrix, u = extracted(values)
    for i, j, k in itertools.combinations(range(len(u)), 3):
        weights = np.zeros(len(u))
        weights[[i, j, k]] = -1.0, 2.0, -1.0
        gap = 2 * u[j] - u[i] - u[k]
        if gap > 0:
            assert largest(weights, matrix) > 1e-9
        else:  # a tie is recorded as <= alone
            assert largest(-weights, matrix) > 1e-9


@given(st.lists(st.integers(-50, 50) | st.floats(-9, 9).map(lambda x: round(x, 2)), min_size=1, max_size=14))
def test_the_data_satisfy_every_row(values):
    values = [float(value) for value in values]
    setting = setting_of({"x": values})
    for property in (Localities(), Localities(share=0.4), Order()):
        found = property.extract(setting)
        assert hold(found.rows, setting.numbers[0])
        for tie in found.ties:
            assert len(set(setting.numbers[0, tie].tolist())) == 1


@given(st.lists(st.integers(0, 60), min_size=3, max_size=20, unique=True))
def test_every_corner_is_a_true_locality_of_three_values_in_order(values):
    u = np.sort(np.array(values, dtype=np.float64))
    corners = staircase(u)
    assert len({tuple(corner) for corner in corners.tolist()}) == len(corners)
    for i, j, k, sign in corners:
        assert 0 <= i < j < k < len(u)
        assert sign * (2 * u[j] - u[i] - u[k]) <= 0


@settings(max_examples=8)
@given(st.lists(st.integers(0, 30), min_size=4, max_size=8, unique=True))
def test_the_staircase_equals_the_printed_algorithm(values):
    """On distinct values: each implies the other."""
    ours, u = extracted(values)
    theirs = np.zeros((0, len(u)))
    for i, j, k, sign in printed_localities(u):
        line = np.zeros((1, len(u)))
        line[0, j] += 2 * sign
        line[0, i] -= sign
        line[0, k] -= sign
        theirs = np.vstack([theirs, line])
    assert all(largest(line, ours) <= 1e-9 for line in theirs)
    assert all(largest(line, theirs) <= 1e-9 for line in ours)


def test_the_staircase_is_much_shorter_than_the_printed_set():
    u = np.sort(np.random.default_rng(3).uniform(size=100))
    assert 2 * len(staircase(u)) < len(printed_localities(u))


@given(st.lists(st.integers(0, 30), min_size=3, max_size=12), st.sampled_from([0.05, 0.3, 0.7]))
def test_vector_a17_a_sample_of_localities_comes_with_their_order(values, share):
    """Without order rows (10, 0, 1) would pass for values whose first two lie nearer than the last two."""
    matrix, u = extracted(values, Localities(share=share))
    n_corners = len(staircase(u))
    corners = [line for line in matrix if np.abs(line).sum() == 4]
    assert len(corners) == round(share * n_corners)
    orders = as_rows(matrix[np.abs(matrix).sum(axis=1) == 2])
    for line in corners:
        i, j, k = np.flatnonzero(line)
        for a, b in ((i, j), (j, k)):
            assert tuple(1.0 if c == a else -1.0 if c == b else 0.0 for c in range(len(u))) in orders


def test_vector_a17_reversed_values_break_a_row():
    matrix, _ = extracted((0, 1, 3))
    x = np.array([10.0, 0.0, 1.0])
    near = [line for line in matrix if np.abs(line).sum() == 4]
    assert all(line @ x <= 0 for line in near)  # the linear form alone is fooled
    assert (matrix @ x > 0).any()
