"""Local hashing: three values are hashed independently, and supports are drawn as they are told."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.randomizers import hashing, local_hashing
from sfumato.errors import ParameterError
from support.enumerated_draws import report_law


@pytest.fixture
def small_prime(monkeypatch):
    """The same functions over the numbers below 7."""
    monkeypatch.setattr(hashing, "PRIME", 7)
    monkeypatch.setattr(local_hashing, "PRIME", 7)
    return 7


def test_any_three_values_are_hashed_independently(small_prime):
    coefficients = np.array(list(product(range(7), repeat=3))).T
    for values in ((0, 1, 2), (1, 4, 6)):
        rows = [hashing.hashed(*coefficients, value, 7).tolist() for value in values]
        assert set(Counter(zip(*rows, strict=True)).values()) == {1}


def test_supports_are_drawn_as_they_are_told(small_prime):
    asked = collection.LocalHashing(values=tuple("abcd"), epsilon=1.0, cells=3)
    told = asked.support
    for answer in (0, 3):
        both = np.full((4, 4), Fraction(0), dtype=object)
        for (a, b, c, cell), probability in report_law(asked, answer).items():
            here = [v for v in range(4) if hashing.hashed(a, b, c, v, 3) == cell]
            for v in here:
                both[v, here] += probability
        for v, w in product(range(4), repeat=2):
            if v == w:
                assert both[v, v] == (told.mine if v == answer else told.other)
            else:
                assert both[v, w] == (told.mine_and_other if answer in (v, w) else told.others)


def test_gamma_is_that_of_the_cells(small_prime):
    asked = collection.LocalHashing(values=tuple("abcd"), epsilon=1.0, cells=3)
    laws = [report_law(asked, answer) for answer in range(4)]
    worst = max(max(law[r] for law in laws) / min(law[r] for law in laws) for r in laws[0])
    assert worst == asked.privacy.gamma


def test_the_kernel_counts_what_the_functions_say():
    asked = collection.LocalHashing(values=tuple(range(40)), epsilon=1.0)
    reports = asked.reports_of(asked.randomize([3] * 50 + [39] * 50, seed=1))
    expected = [
        sum(int(hashing.hashed(a, b, c, value, asked.g)) == cell for a, b, c, cell in reports.tolist())
        for value in range(40)
    ]
    assert asked.support_counts(reports).tolist() == expected


def test_estimates_find_the_shares():
    asked = collection.LocalHashing(values=tuple("abcdefgh"), epsilon=2.0)
    found = asked.estimate(asked.randomize(["a"] * 6_000 + ["b"] * 2_000, seed=3))
    for value, share in (("a", 0.75), ("b", 0.25), ("c", 0.0)):
        assert abs(found[value].value - share) < 4 * found[value].stderr
    assert found["a"].stderr < 0.02


@pytest.mark.parametrize("cells", [1, 2**20 + 1, 2**31, 2**55, 2**70])
def test_cells_that_cannot_be_drawn_by_are_refused(cells):
    with pytest.raises(ParameterError, match="cells must be"):
        collection.LocalHashing(values=("a", "b"), epsilon=1.0, cells=cells)
    most = collection.LocalHashing(values=("a", "b"), epsilon=1e-5, cells=2**20)
    assert most.privacy.gamma >= 1
    assert 0 < most.stays < 2**53
