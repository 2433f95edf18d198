"""The promise of a mechanism: what is spent is compared exactly, and nothing ever holds."""

import math
from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.privacy.differential_privacy import records_apart


@pytest.mark.parametrize(("epsilon", "spent", "kept"), [
    (1, Fraction(1), True), (1, Fraction(1) + Fraction(1, 10**15), False), (0.1, Fraction(1, 10), True),
    (0.3, Fraction(3, 10), True), (0.3, Fraction(0.1) * 3, False), (2, Fraction(1), True),
])  # fmt: skip
def test_epsilon_is_the_decimal_number_that_is_written(epsilon, spent, kept):
    found = sf.DifferentialPrivacy(epsilon).check_spent(spent, 0.0)
    assert found.declared is kept
    assert not found.holds
    assert found.value == float(spent)
    assert ("more than is promised" in found.found) is not kept


def test_delta_counts_as_well():
    assert sf.DifferentialPrivacy(1, 1e-6).check_spent(Fraction(1), 1e-6).declared
    assert not sf.DifferentialPrivacy(1, 1e-6).check_spent(Fraction(1), 1.1e-6).declared
    assert not sf.DifferentialPrivacy(1).check_spent(Fraction(1), 1e-30).declared


def test_what_was_spent_is_never_shown_smaller():
    said = sf.DifferentialPrivacy(1).check_spent(Fraction(100001, 100000), 0.0).found
    assert said.startswith("epsilon 1.0001,")


def test_a_changed_record_is_one_removed_and_one_added():
    assert records_apart("added or removed") == 1
    assert records_apart("changed") == 2


def test_it_says_by_which_factor_and_of_whom():
    words = sf.DifferentialPrivacy(1).in_words((), ())
    assert f"at most {math.e:.3g} times as likely" in words
    assert "as without it" in words
    assert "as with any others, whatever" in sf.DifferentialPrivacy(1, neighbours="changed").in_words((), ())
    assert "plus a probability of 1e-06" in sf.DifferentialPrivacy(1, 1e-6).in_words((), ())
    assert repr(sf.DifferentialPrivacy(1, 1e-6, "changed")) == (
        "DifferentialPrivacy(epsilon=1, delta=1e-06, neighbours='changed')"
    )


def test_records_never_keep_it():
    table = hospital(60)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    verdict = sf.verify(release, promise=sf.DifferentialPrivacy(50))
    assert verdict.word == "broken"
    assert "no epsilon can be computed" in verdict.broken[0]
    with pytest.raises(InfeasibleError, match="publish with NoisyCounts"):
        sf.publish(table, sf.Mondrian(), sf.DifferentialPrivacy(1))


@pytest.mark.parametrize(("given", "said"), [
    ({"epsilon": 0}, "epsilon must be a number from"), ({"epsilon": float("nan")}, "epsilon must be"),
    ({"epsilon": 1, "delta": 1}, "delta must be 0, or a probability below 1"),
    ({"epsilon": 1, "neighbours": "swapped"}, "neighbours must be one of added or removed, changed"),
])  # fmt: skip
def test_bad_parameters(given, said):
    with pytest.raises(ParameterError, match=said):
        sf.DifferentialPrivacy(**given)
