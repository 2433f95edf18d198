"""Response by a matrix."""

import math

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.reconstruction.em import em_step
from sfumato.errors import ParameterError

PRAM = np.array([[8, 1, 1], [2, 7, 1], [0, 2, 8]]) / 10


def test_vector_j12_a_matrix_with_a_zero():
    asked = collection.MatrixResponse(values=tuple("abc"), matrix=PRAM)
    shares = np.array([50, 30, 20]) / 100
    assert asked.privacy.epsilon == math.inf
    assert asked.law.T @ shares * 100 == pytest.approx([46, 30, 24], abs=1e-12)
    assert np.linalg.det(asked.law) == pytest.approx(21 / 50, abs=1e-12)
    expected = np.array([[1500, -1310, -190], [-1310, 2160, -850], [-190, -850, 1040]]) / 49
    assert asked._noise().covariance(shares) * 100 == pytest.approx(expected, abs=1e-9)
    exactly = asked.estimate(["a"] * 46 + ["b"] * 30 + ["c"] * 24)
    assert exactly.shares * 100 == pytest.approx([50, 30, 20], abs=1e-9)


def test_vector_j14_steps_of_em():
    kernel = np.full((4, 4), 1 / 6) + np.eye(4) / 3
    counts = np.array([5.0, 3, 1, 1])
    first = em_step(kernel, counts, np.full(4, 0.25))
    assert first == pytest.approx([1 / 3, 4 / 15, 1 / 5, 1 / 5], abs=1e-12)
    second = em_step(kernel, counts, first)
    assert second == pytest.approx([997 / 2415, 3316 / 12075, 629 / 4025, 629 / 4025], abs=1e-12)


def test_the_likeliest_shares_are_shares():
    asked = collection.MatrixResponse(values=tuple("abc"), matrix=PRAM)
    found = asked.likeliest(["a"] * 90 + ["c"] * 10)
    assert sum(found.values()) == pytest.approx(1.0)
    assert min(found.values()) >= 0


@pytest.mark.parametrize(
    ("matrix", "said"),
    [([[0.5, 0.5], [0.5, 0.5]], "look the same"), ([[1.0, 0.0]], "a row for each"), ([[0.5, 0.6], [0.5, 0.5]], "sum to 1"),
     ([[1.2, -0.2], [0.5, 0.5]], "row 1 of the matrix must be 2 probabilities"), ("x", "a row for each"),
     ([[0.9, 0.1], "ab"], "row 2"), ([[0.9, float("nan")], [0.5, 0.5]], "row 1")],
)  # fmt: skip
def test_matrices_that_are_none_are_refused(matrix, said):
    with pytest.raises(ParameterError, match=said):
        collection.MatrixResponse(values=("a", "b"), matrix=matrix)
