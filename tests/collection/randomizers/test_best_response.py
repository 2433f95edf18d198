"""Which randomizer is taken."""

import pytest

from sfumato import collection
from sfumato.collection.randomizers.best_response import compared_responses


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("k", [2, 3, 10, 50, 300])
def test_none_that_fits_varies_less(epsilon, k):
    found = compared_responses(epsilon, list(range(k)))
    assert found[0][1] <= min(variance for _, variance, _ in found) * (1 + 1e-6)
    assert collection.best_response(epsilon, list(range(k))) == found[0][0]
    assert len(found) == 6


def test_many_values_are_reported_in_short():
    assert isinstance(collection.best_response(1.0, list(range(5000))), collection.LocalHashing)


@pytest.mark.parametrize(("epsilon", "k"), [(0.5, 7), (1.0, 10), (2.0, 21), (3.0, 52)])
def test_where_unary_encoding_passes_kary_response(epsilon, k):
    def variances(size):
        values = tuple(range(size))
        kary = collection.KaryResponse(values=values, epsilon=epsilon).mean_variance
        return kary, collection.OptimalUnaryEncoding(values=values, epsilon=epsilon).mean_variance

    assert variances(k)[0] > variances(k)[1]
    assert variances(k - 1)[0] <= variances(k - 1)[1]
