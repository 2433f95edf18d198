"""How a randomized set looks, given the true one: against enumeration, and in exact fractions."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.collection.reconstruction.item_kernel import (
    cut_and_paste_law,
    eigenvalues,
    kept_exactly,
    states_of,
    support_matrix,
)

QUARTERS, FIFTH = (Fraction(1, 4),) * 4, Fraction(1, 5)


def columns(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]


def over(denominator, *numerators):
    return [Fraction(each, denominator) for each in numerators]


def simple_matrix(blocks, law, rho):
    """P[l'][l] by going through all sets that are kept and all items that come in."""
    m, states = len(law) - 1, states_of(blocks)
    offsets = [sum(blocks[:i]) for i in range(len(blocks))]
    asked = [list(range(at, at + block)) for at, block in zip(offsets, blocks, strict=True)]
    found = []
    for true in states_of(blocks, m):
        inside = [item for block, count in zip(asked, true, strict=True) for item in block[:count]]
        full = inside + [f"other {i}" for i in range(m - len(inside))]
        outside = [item for block in asked for item in block if item not in inside]
        column = dict.fromkeys(states, Fraction(0))
        for j in range(m + 1):
            for kept in combinations(full, j):
                for come in product((0, 1), repeat=len(outside)):
                    shown = {*kept, *(item for item, bit in zip(outside, come, strict=True) if bit)}
                    state = tuple(len(shown & set(block)) for block in asked)
                    chance = prod(rho if bit else 1 - rho for bit in come)
                    column[state] += law[j] * Fraction(1, comb(m, j)) * chance
        found.append(list(column.values()))
    return columns(found)


laws = st.lists(st.integers(1, 9), min_size=2, max_size=5).map(
    lambda counts: tuple(Fraction(count, sum(counts)) for count in counts)
)
chances = st.integers(1, 19).map(lambda count: Fraction(count, 20))


@given(laws, chances, st.sampled_from([(1,), (2,), (3,), (1, 1), (2, 1)]))
def test_matrices_are_those_of_enumeration(law, rho, blocks):
    assert support_matrix(blocks, law, rho) == simple_matrix(blocks, law, rho)


@given(laws, chances, st.integers(1, 4))
def test_columns_sum_to_1_and_eigenvalues_are_those_of_the_matrix(law, rho, k):
    k = min(k, len(law) - 1)
    matrix = support_matrix((k,), law, rho)
    assert [sum(column) for column in columns(matrix)] == [1] * (k + 1)
    exact = sorted(float(each) for each in eigenvalues(law, rho, k))
    numeric = np.linalg.eigvals(np.array(matrix, dtype=np.float64))
    assert np.sort(numeric.real) == pytest.approx(
        exact, abs=1e-4
    )  # near eigenvalues that coincide numpy has half its digits
    assert float(np.linalg.det(np.array(matrix, dtype=np.float64))) == pytest.approx(
        float(prod(eigenvalues(law, rho, k)))
    )


def test_items_kept_one_by_one_have_powers_as_eigenvalues():
    keep, rho, m = Fraction(7, 10), Fraction(1, 10), 4
    law = tuple(comb(m, j) * keep**j * (1 - keep) ** (m - j) for j in range(m + 1))
    assert eigenvalues(law, rho, 3) == [(keep - rho) ** r for r in range(4)]
    assert kept_exactly(law, 1, 3) == keep * (1 - keep) ** 2


def test_vector_k1_columns():
    assert columns(support_matrix((2,), QUARTERS, FIFTH)) == [
        over(25, 16, 8, 1), over(10, 4, 5, 1), over(3, 1, 1, 1)
    ]  # fmt: skip


def test_vector_k2_eigenvalues_and_the_inverse():
    assert eigenvalues(QUARTERS, FIFTH, 2) == [1, Fraction(3, 10), Fraction(13, 75)]
    last = over(13, 3, -12, 48)
    assert [sum(q * p for q, p in zip(last, column, strict=True)) for column in columns(support_matrix((2,), QUARTERS, FIFTH))] == [0, 0, 1]  # fmt: skip


def test_vector_k4_cut_and_paste_is_select_a_size():
    assert list(cut_and_paste_law(3, 2, FIFTH)) == over(375, 64, 128, 152, 31)
    assert list(cut_and_paste_law(2, 4, FIFTH)) == over(125, 16, 28, 81)
    assert cut_and_paste_law(0, 3, FIFTH) == (1,)


def test_vector_k5_eigenvalues():
    assert eigenvalues(cut_and_paste_law(3, 2, FIFTH), FIFTH, 2) == [1, Fraction(4, 15), Fraction(16, 225)]


def test_vector_k6_a_legal_matrix_is_singular():
    law, rho = tuple(over(16, 3, 10, 3)), Fraction(1, 4)
    assert columns(support_matrix((2,), law, rho)) == [over(16, 9, 6, 1), over(16, 6, 8, 2), over(16, 3, 10, 3)]
    assert eigenvalues(law, rho, 2) == [1, Fraction(1, 4), 0]


def test_vector_k7_eigenvalues_of_sets_of_five():
    law, rho = tuple(over(10, 1, 2, 2, 2, 2, 1)), Fraction(1, 10)
    found = eigenvalues(law, rho, 3)
    assert found == [1, Fraction(2, 5), Fraction(21, 100), Fraction(31, 250)]
    assert prod(found) == Fraction(651, 62500)
    matrix = np.array(support_matrix((3,), law, rho), dtype=np.float64)
    assert np.linalg.det(matrix) == pytest.approx(651 / 62500, abs=1e-15)


def test_vector_k8_sets_smaller_than_the_itemset():
    half = (Fraction(1, 2), Fraction(1, 2))
    assert columns(support_matrix((2,), half, FIFTH)) == [over(25, 16, 8, 1), over(10, 4, 5, 1)]
