"""The unrelated question: known and unknown share of the harmless answer."""

import math

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.reconstruction.shares import ShareEstimates
from sfumato.errors import DataError, ParameterError


def test_vector_j3_the_harmless_share_is_known():
    asked = collection.UnrelatedQuestion(asked=0.7, unrelated=0.2)
    assert asked.privacy.epsilon == pytest.approx(math.log(38 / 3), abs=1e-12)
    assert 0.1 * asked.law[0, 0] + 0.9 * asked.law[1, 0] == pytest.approx(13 / 100, abs=1e-15)
    for population, variance in (("fixed", 69 / 490_000), ("sampled", 1131 / 4_900_000)):
        found = ShareEstimates(("yes", "no"), np.array([0.1, 0.9]), 1000, asked._noise(), population)
        assert found["yes"].stderr ** 2 == pytest.approx(variance, abs=1e-15)


def test_vector_j4_two_samples():
    question, harmless = collection.unrelated_from_two_samples((65, 85), (500, 500), (0.7, 0.3))
    assert question.value == pytest.approx(1 / 10, abs=1e-12)
    assert harmless.value == pytest.approx(1 / 5, abs=1e-12)
    assert question.stderr**2 == pytest.approx(34059 / 40_000_000, abs=1e-15)
    assert question.low < 0.1 < question.high


def test_a_harmless_question_that_nobody_says_yes_to_gives_the_answer_away():
    for share in (0.0, 1.0):
        asked = collection.UnrelatedQuestion(asked=0.7, unrelated=share)
        assert asked.privacy.epsilon == math.inf
        assert "gives the answer away" in repr(asked.privacy)


def test_bad_samples_are_refused():
    with pytest.raises(ParameterError, match="same probability"):
        collection.unrelated_from_two_samples((1, 2), (10, 10), (0.5, 0.5))
    with pytest.raises(DataError, match="there cannot be 11 and 2 yes among 10 and 10"):
        collection.unrelated_from_two_samples((11, 2), (10, 10), (0.5, 0.7))
    with pytest.raises(ParameterError, match="yes or no, got 3 values"):
        collection.UnrelatedQuestion(values=("a", "b", "c"))


@pytest.mark.parametrize(("yes", "reports", "asked"), [
    (None, (5, 5), (0.7, 0.3)), ((1, 2, 3), (5, 5), (0.7, 0.3)), ((1, 2), (5,), (0.7, 0.3)), ((1, 2), None, (0.7, 0.3)),
    ((1, 2), (5, 5), 0.7), ((1, "x"), (5, 5), (0.7, 0.3)), ((1, 0.5), (5, 5), (0.7, 0.3)), ((1, -1), (5, 5), (0.7, 0.3)),
    ((1, 2), (5, 5), (0.7, "x")),
])  # fmt: skip
def test_what_is_no_pair_of_samples_is_refused(yes, reports, asked):
    with pytest.raises(ParameterError, match=r"(yes|reports|asked) must be"):
        collection.unrelated_from_two_samples(yes, reports, asked)
