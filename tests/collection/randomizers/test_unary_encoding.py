"""Unary encoding and its relatives: variances in closed form."""

import math
from fractions import Fraction as F

import pytest

from sfumato import collection


def test_vector_j7_variances_of_unary_encoding():
    optimal = collection.OptimalUnaryEncoding(values=tuple("abc"), epsilon=math.log(9))
    found = [float(optimal.variance(f)) for f in (F(0), F(1, 10), F(1, 2), F(1))]
    assert found == pytest.approx([9 / 16, 53 / 80, 17 / 16, 25 / 16], abs=1e-9)
    symmetric = collection.SymmetricUnaryEncoding(values=tuple("abc"), epsilon=math.log(9))
    assert [float(symmetric.variance(f)) for f in (F(0), F(1, 3), F(1))] == pytest.approx([3 / 4] * 3, abs=1e-9)


def test_vector_j8_variances_of_hashing_and_hadamard():
    hashing = collection.LocalHashing(values=tuple(range(50)), epsilon=math.log(3), cells=4)
    assert [float(hashing.variance(f)) for f in (F(0), F(1))] == pytest.approx([3, 4], abs=1e-6)
    hadamard = collection.HadamardResponse(values=tuple(range(3)), epsilon=math.log(3))
    assert [float(hadamard.variance(f)) for f in (F(0), F(1))] == pytest.approx([4, 3], abs=1e-9)
    for k, columns in ((3, 4), (5, 8), (100, 128)):
        assert collection.HadamardResponse(values=tuple(range(k)), epsilon=1.0).n_columns == columns


def test_vector_j9_the_best_number_of_cells():
    def variance(cells):
        return float(collection.LocalHashing(values=tuple(range(50)), epsilon=1.0, cells=cells).variance(F(0)))

    assert min(range(2, 12), key=variance) == 4 == collection.LocalHashing(values=tuple(range(50)), epsilon=1.0).g
    assert variance(4) == pytest.approx(3.691654617457, abs=1e-7)
    assert variance(2) == pytest.approx(4.682694376831, abs=1e-7)
    optimal = collection.OptimalUnaryEncoding(values=tuple(range(50)), epsilon=1.0)
    assert float(optimal.variance(F(0))) == pytest.approx(3.682694376831, abs=1e-9)


def test_vector_j11_rappor():
    asked = collection.Rappor(values=tuple("ab"), f=0.5, p=0.5, q=0.75)
    assert asked.stages.shown == (F(11, 16), F(9, 16))
    assert asked.privacy.gamma == F(77, 45)
    assert asked.privacy.epsilon == pytest.approx(0.537142932083, abs=1e-12)
    assert asked.privacy.epsilon_for_ever == pytest.approx(2 * math.log(3), abs=1e-12)
    assert [asked.variance(f) for f in (F(0), F(1))] == [F(63, 4), F(55, 4)]
