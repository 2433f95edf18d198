"""What a randomizer promises: amplification, breaches, repeated answers."""

import math
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import collection
from sfumato.collection.randomizers.privacy import Privacy, gamma_limit, log_of
from sfumato.errors import ParameterError


@pytest.mark.parametrize(("rho1", "rho2", "limit"), [(0.05, 0.5, F(19)), (0.01, 0.2, F(99, 4)), (0.1, 0.9, F(81))])
def test_vector_h5_the_limit_of_breaches(rho1, rho2, limit):
    assert gamma_limit(rho1, rho2) == limit
    assert not Privacy(gamma=limit).prevents(rho1, rho2), "at equality a breach is attained"
    assert Privacy(gamma=limit - F(1, 10**9)).prevents(rho1, rho2)


def test_vector_h6_posteriors():
    assert Privacy(gamma=F(3)).posterior(0.1) == 1 / 4
    assert Privacy(gamma=F(9)).posterior(0.05) == pytest.approx(9 / 28, abs=1e-15)
    assert Privacy(gamma=F(3)).least_posterior(0.9) == 3 / 4


@given(
    st.lists(st.integers(1, 20), min_size=2, max_size=4), st.lists(st.integers(1, 20), min_size=2, max_size=4),
    st.integers(1, 9),
)  # fmt: skip
def test_no_belief_changes_by_more_than_is_told(first, second, prior):
    """Two answers with any laws of reports: the largest posterior over reports is within the bound of their gamma."""
    width = min(len(first), len(second))
    laws = [[F(each, sum(law[:width])) for each in law[:width]] for law in (first, second)]
    gamma = max(max(a / b, b / a) for a, b in zip(*laws, strict=True))
    believed = F(prior, 10)
    after = [believed * a / (believed * a + (1 - believed) * b) for a, b in zip(*laws, strict=True)]
    told = Privacy(gamma=gamma)
    assert float(max(after)) <= told.posterior(prior / 10) + 1e-12
    assert float(min(after)) >= told.least_posterior(prior / 10) - 1e-12


def test_nothing_is_promised_where_nothing_bounds_a_report():
    open_ended = Privacy(gamma=None, why_none="uniform noise has edges")
    assert open_ended.epsilon == math.inf
    assert open_ended.posterior(0.01) == 1.0
    assert open_ended.least_posterior(0.99) == 0.0
    assert not open_ended.prevents(0.1, 0.99)
    assert open_ended.answers_within(100) == 0
    assert "nothing is promised: uniform noise has edges" in repr(open_ended)


def test_answers_of_one_person_add_up():
    asked = collection.Warner(truth=0.75)
    assert asked.privacy.of_answers(5) == pytest.approx(5 * math.log(3))
    assert asked.privacy.answers_within(3 * math.log(3)) == 3
    assert asked.privacy.answers_within(1.0) == 0
    with pytest.raises(ParameterError, match="n must be a whole number >= 1"):
        asked.privacy.of_answers(0)


@pytest.mark.parametrize("prior", [0, 1, -1, 2, "x", None])
def test_a_belief_is_a_probability(prior):
    with pytest.raises(ParameterError, match="prior must be a probability between 0 and 1"):
        Privacy(gamma=F(3)).posterior(prior)


def test_rho1_must_be_below_rho2():
    with pytest.raises(ParameterError, match="rho1 must be below rho2"):
        Privacy(gamma=F(3)).prevents(0.5, 0.2)


def test_logarithms_of_long_fractions():
    assert log_of(F(10**500, 1)) == pytest.approx(500 * math.log(10))
    assert log_of(F(1, 3)) == pytest.approx(-math.log(3))
    assert log_of(F(2**53 + 1, 2**53)) == pytest.approx(2**-53)
    assert log_of(F(1)) == 0.0


@pytest.mark.parametrize("given", [1.5, "x", 0, F(1, 2), True, -1])
def test_a_gamma_that_is_no_exact_fraction_of_at_least_one_is_refused(given):
    for name in ("gamma", "for_ever"):
        with pytest.raises(ParameterError, match=f"{name} must be an exact fraction"):
            collection.Privacy(**{"gamma": F(3), name: given})
    assert collection.Privacy(gamma=3).epsilon == collection.Privacy(gamma=F(3)).epsilon


def test_any_total_counts_how_many_answers_it_has_room_for():
    assert collection.KaryResponse(values=("a", "b"), epsilon=1e-5).privacy.answers_within(1e308) > 10**312
    assert collection.Privacy(gamma=F(3)).answers_within(2 * collection.Privacy(gamma=F(3)).epsilon) == 2
