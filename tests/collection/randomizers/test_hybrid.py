"""The hybrid mechanism: the same variance for all answers."""

import pytest

from sfumato import collection
from sfumato.collection.randomizers.hybrid import LEAST_MIXED, hybrid_variance


def test_vector_h9_the_variance_is_the_same_for_all_answers():
    assert [hybrid_variance(2.0, x) for x in (0, 1)] == pytest.approx([1.042336341702] * 2, abs=1e-12)
    asked = collection.Hybrid(low=-1, high=1, epsilon=2.0, steps=10_000)
    assert [asked.variance_at(x) for x in (0, 1)] == pytest.approx([1.042336341702] * 2, rel=1e-3)


def test_below_an_epsilon_it_is_duchis_alone():
    assert pytest.approx(0.609352493027, abs=1e-12) == LEAST_MIXED
    below, above = (collection.Hybrid(low=0, high=1, epsilon=each) for each in (0.609, 0.7))
    assert below.ends == (0, 1)
    assert below.variances == below.parts[1].variances
    assert above.ends[1] > 1
    assert above.worst_variance < min(part.worst_variance for part in above.parts)
