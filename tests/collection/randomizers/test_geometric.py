"""Geometric numbers from digits: the law by enumeration, and the exact ratios by walking through it."""

from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.collection.randomizers.draws import WHOLE
from sfumato.collection.randomizers.geometric import Geometric, geometric
from support.enumerated_draws import law_of

SMALL = Geometric(digits=(WHOLE // 3, WHOLE // 5), again=WHOLE // 7, most=3)


def exact_law(size):
    return law_of(lambda draws: int(size.draw(1, draws)[0]))


def test_the_law_is_that_of_the_draws():
    law = exact_law(SMALL)
    assert [float(law[m]) for m in range(len(law))] == pytest.approx(SMALL.law.tolist(), rel=1e-12)
    assert len(SMALL.law) == (SMALL.most + 1) * SMALL.period


@given(
    st.lists(st.integers(WHOLE // 100, WHOLE // 2), min_size=0, max_size=3), st.integers(WHOLE // 100, WHOLE // 2),
    st.integers(1, 9),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_exact_figures_are_those_of_the_law(digits, again, shift):
    size = Geometric(tuple(digits), again, 3)
    law = exact_law(size)
    whole = size.most * size.period
    falling = [law[m] for m in range(whole)]
    assert [size.height(m) for m in range(whole)] == [each / falling[0] for each in falling]
    assert [size.tail(m) for m in range(whole + 1)] == [sum(law[j] for j in law if j >= m) for m in range(whole + 1)]
    assert {b / a for a, b in pairwise(falling)} == set(size.steps_down())
    long = Geometric(tuple(digits), again, 3 + shift)
    heights = [long.height(m) for m in range(long.most * long.period)]
    assert long.steepest(shift) == max(a / b for a, b in zip(heights, heights[shift:], strict=False))


@pytest.mark.parametrize("rate", [F(1, 1000), F(1, 10), F(1), F(7)])
def test_thresholds_make_the_law_that_is_asked_for(rate):
    size = geometric(rate, 30)
    q = np.exp(-float(rate))
    known = (1 - q) * q ** np.arange(min(31, size.most * size.period))
    assert size.law[: len(known)] == pytest.approx(known, rel=1e-6)
    assert size.most * size.period > 30
