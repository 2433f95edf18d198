"""Which randomizer of categories to take: the one with the smallest variance, exactly, then the shortest report."""

from __future__ import annotations

import math
from typing import Any

from sfumato.collection.randomizers.categories import PureRandomizer, checked_epsilon, checked_values
from sfumato.collection.randomizers.hadamard_response import HadamardResponse
from sfumato.collection.randomizers.kary_response import KaryResponse
from sfumato.collection.randomizers.local_hashing import LocalHashing
from sfumato.collection.randomizers.subset_selection import SubsetSelection
from sfumato.collection.randomizers.unary_encoding import OptimalUnaryEncoding, SymmetricUnaryEncoding
from sfumato.ground.calls import says_what_it_takes

__all__ = ["best_response", "compared_responses"]

_MOST_IN_SETS = 1_000
"""Values up to which a report may be a set or a row of bits; past it reports would be long."""
_SAME = 1e-9


@says_what_it_takes
def best_response(epsilon: float, values: Any) -> PureRandomizer:
    """The randomizer whose estimates vary least where all values are alike, and of those the one with short reports.

    The usual rule (k-ary response below 3 e**epsilon + 2 values) compares variances at a share of 0; here it is their
    exact mean at a share of 1/k.

    >>> from sfumato import collection
    >>> type(collection.best_response(1.0, ["yes", "no"])).__name__
    'KaryResponse'
    >>> type(collection.best_response(1.0, list(range(100)))).__name__
    'SubsetSelection'
    """
    return compared_responses(epsilon, values)[0][0]


def compared_responses(epsilon: float, values: Any) -> list[tuple[PureRandomizer, float, float]]:
    """Every randomizer that fits, with n times its mean variance and the bits of a report, the best first."""
    listed, strength = checked_values(values), checked_epsilon(epsilon)
    k = len(listed)
    fitting: list[PureRandomizer] = [
        KaryResponse(listed, strength), HadamardResponse(listed, strength), LocalHashing(listed, strength),
    ]  # fmt: skip
    if k <= _MOST_IN_SETS:
        fitting += [
            SubsetSelection(listed, strength), OptimalUnaryEncoding(listed, strength),
            SymmetricUnaryEncoding(listed, strength),
        ]  # fmt: skip
    told = [(each, each.mean_variance, _bits(each)) for each in fitting]
    least = min(variance for _, variance, _ in told)
    return sorted(told, key=lambda each: (max(each[1] / least - 1.0 - _SAME, 0.0), each[2]))


def _bits(randomizer: PureRandomizer) -> float:
    """The length of a report in bits."""
    if isinstance(randomizer, SubsetSelection):
        return math.log2(math.comb(randomizer.k, randomizer.d))
    return sum(math.log2(most - least + 1) for least, most in randomizer.report_limits.values())
