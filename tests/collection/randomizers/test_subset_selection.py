"""Subset selection: sizes and variances."""

import pytest

from sfumato import collection
from sfumato.errors import ParameterError


@pytest.mark.parametrize(
    ("epsilon", "k", "d", "variance", "kary", "unary"),
    [(1, 10, 3, 2.910405515632, 4.095830, 3.782694), (1, 100, 27, 3.599534851841, 34.6833, 3.692694),
     (2, 16, 2, 0.578254150548, 0.660937, 0.786562)],
)  # fmt: skip
def test_vector_j10_sizes_and_variances(epsilon, k, d, variance, kary, unary):
    values = tuple(range(k))
    asked = collection.SubsetSelection(values=values, epsilon=float(epsilon))
    assert asked.d == d
    assert asked.mean_variance == pytest.approx(variance, abs=1e-9)
    assert collection.KaryResponse(values=values, epsilon=float(epsilon)).mean_variance == pytest.approx(kary, abs=1e-4)
    optimal = collection.OptimalUnaryEncoding(values=values, epsilon=float(epsilon))
    assert optimal.mean_variance == pytest.approx(unary, abs=1e-6)


def test_sets_of_one_are_kary_response():
    one = collection.SubsetSelection(values=tuple("abcde"), epsilon=1.0, size=1)
    kary = collection.KaryResponse(values=tuple("abcde"), epsilon=1.0)
    assert [float(each) for each in one.support] == pytest.approx([float(each) for each in kary.support], abs=1e-15)


def test_a_set_of_all_values_would_say_nothing():
    with pytest.raises(ParameterError, match="size must be below the number of values, 3"):
        collection.SubsetSelection(values=tuple("abc"), epsilon=1.0, size=3)
