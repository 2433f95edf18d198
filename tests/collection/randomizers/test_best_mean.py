"""The best randomizer for one mean has the smallest variance at the worst."""

import pytest

from sfumato import collection
from sfumato.errors import ParameterError

KINDS = (collection.Duchi, collection.Piecewise, collection.Hybrid, collection.LaplaceNoise, collection.Staircase)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0])
def test_no_other_varies_less(epsilon):
    best = collection.best_mean(epsilon, -3, 5)
    others = [kind(low=-3, high=5, epsilon=epsilon).worst_variance for kind in KINDS]
    assert best.worst_variance <= min(others) * (1 + 1e-9)
    assert best.privacy.epsilon <= epsilon
    assert (best.low, best.high, best.steps) == (-3, 5, 200)


def test_noise_that_would_be_too_wide_is_passed_over():
    assert isinstance(collection.best_mean(0.001, 0, 1), collection.Duchi)


@pytest.mark.parametrize(("given", "said"), [((0, 0, 1), "epsilon"), ((1, 1, 0), "low must be"), ((1, 0, "x"), "high")])
def test_bad_parameters_are_refused(given, said):
    with pytest.raises(ParameterError, match=said):
        collection.best_mean(*given)
