"""The inscribed ellipsoid: its centre is not moved by rows that say the same."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.centre import cholesky, john_centre
from sfumato.tables.pattern.rows import stack
from support.pattern_tables import row


def test_cholesky_is_the_root_of_a_matrix():
    normals = Randomness(1).normal(25).reshape(5, 5)
    matrix = normals @ normals.T + np.eye(5)
    lower = cholesky(matrix)
    assert lower @ lower.T == pytest.approx(matrix)
    assert np.triu(lower, 1).any() == np.False_


def centre_of(rows, start):
    return john_centre(rows.indptr, rows.variable, rows.coefficient, rows.bound, np.asarray(start), 30)


def box(n, high=1.0):
    return [row({i: -1.0}) for i in range(n)] + [row({i: 1.0}, high) for i in range(n)]


def test_the_ellipsoid_of_a_box_is_its_ball():
    x, metric = centre_of(stack(box(3)), [0.1, 0.8, 0.6])
    assert x == pytest.approx(np.full(3, 0.5), abs=0.02)
    assert metric == pytest.approx(np.eye(3) / 4, abs=0.02)


def test_the_ellipsoid_of_a_simplex_lies_at_its_centroid():
    rows = stack([row({i: -1.0}) for i in range(3)] + [row({0: 1.0, 1: 1.0, 2: 1.0}, 1.0)])
    x, _ = centre_of(rows, [0.05, 0.05, 0.7])
    assert x == pytest.approx(np.full(3, 0.25), abs=0.01)


def test_rows_said_a_hundred_times_do_not_move_the_centre():
    rows = stack([*box(2), *([row({0: -1.0})] * 100)])
    x, _ = centre_of(rows, [0.5, 0.5])
    assert x == pytest.approx(np.full(2, 0.5), abs=0.1)
