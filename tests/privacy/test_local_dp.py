"""Local differential privacy as a promise: its two ways of being asked for, and what it refuses."""

from __future__ import annotations

import math
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.privacy.amplification import gamma_limit, is_within


@given(st.floats(0.01, 0.9), st.floats(0.02, 0.99))
def test_amplification_is_the_largest_epsilon_below_the_limit(rho1, rho2):
    if not rho1 < rho2 - 1e-6:
        return
    promise, limit = sf.LocalDP.amplification(rho1, rho2), gamma_limit(rho1, rho2)
    assert not is_within(limit, promise.epsilon)  # e**epsilon is below the limit, so that no breach is possible
    assert is_within(limit, promise.epsilon + 1e-9)


def test_a_breach_from_5_to_50_percent_needs_a_gamma_of_19():
    assert sf.LocalDP.amplification(0.05, 0.5).epsilon == pytest.approx(math.log(19))


def test_its_words():
    assert sf.LocalDP(1.0).name == "1-local differential privacy"
    assert "at most 2.72 times larger or smaller" in sf.LocalDP(1.0).in_words((), ())


@pytest.mark.parametrize("epsilon", [0, -1, 701, float("nan"), "1", None, True])
def test_bad_parameters_get_a_sentence(epsilon):
    with pytest.raises(ParameterError, match="epsilon must be a number above 0 and at most 700"):
        sf.LocalDP(epsilon)


def test_a_table_does_not_keep_it():
    frame = pl.DataFrame({"q": [1, 1, 1]})
    assert sf.verify(frame, promise=sf.LocalDP(1.0), quasi=["q"]).word == "broken"
    with pytest.raises(ParameterError, match="is about reports of a survey"):
        sf.publish(sf.Table(frame, sf.Schema(quasi=["q"])), sf.Mondrian(), sf.LocalDP(1.0))


def test_is_within_decides_on_whole_numbers():
    e = Fraction(math.e)
    assert is_within(e * Fraction(10**16 - 10, 10**16), 1.0)
    assert not is_within(e * Fraction(10**16 + 10, 10**16), 1.0)
