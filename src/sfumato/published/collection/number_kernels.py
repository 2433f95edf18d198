"""What published randomizers of numbers do: on a grid of `steps` + 1 answers, from the whole numbers they draw with.

Of noise that is added, the whole law is written out in whole numbers, and every report is looked at under all answers:
the largest and the smallest weight in a window of the law that is as wide as the grid.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction

from sfumato.ground.errors import DataError
from sfumato.published.collection.kernel_parts import WHOLE, Kernel, Limits, Said, apart, count, threshold, worst

__all__ = ["NUMBERS"]

_MOST_STEPS = 10_000
_MOST_REACH = 1 << 40
_WIDEST = 1 << 17
"""How many values noise may have for its law to be written out."""
_MOST_DIGITS = 1 << 27
"""How many binary digits the weights of such a law may have together: some seconds."""


def _steps(said: Said) -> int:
    return count(said, "steps", 1, _MOST_STEPS)


# -- for one mean ------------------------------------------------------------------------------------------------------
def _duchi_gamma(said: Said) -> Fraction | None:
    first, rise = threshold(said, "first"), threshold(said, "rise")
    last = first + rise * _steps(said)
    if last > WHOLE:
        raise DataError("a published randomizer tells thresholds beyond 2**53")
    return worst([apart(first, last), apart(WHOLE - first, WHOLE - last)])


def _n_cells(said: Said) -> int:
    return count(said, "cells", 1, _MOST_REACH) + count(said, "moves", 0, _MOST_REACH) * _steps(said)


def _piecewise_gamma(said: Said) -> Fraction | None:
    """Any cell is reported in equal parts, and those of the window of the answer besides."""
    inside, n, cells = threshold(said, "inside"), _n_cells(said), count(said, "cells", 1, _MOST_REACH)
    if n == cells or not inside:
        return Fraction(1)
    outside = Fraction(WHOLE - inside, n)
    return apart(outside + Fraction(inside, cells), outside)


def _hybrid_parts(said: Said) -> tuple[int, Said, Said]:
    coin, piecewise, duchi = threshold(said, "coin"), said.get("piecewise"), said.get("duchi")
    if not isinstance(piecewise, dict) or not isinstance(duchi, dict) or _steps(piecewise) != _steps(duchi):
        raise DataError("a published hybrid tells both of its mechanisms, on one grid, and this one does not")
    return coin, piecewise, duchi


def _hybrid_gamma(said: Said) -> Fraction | None:
    """Which mechanism was taken shows in the report."""
    coin, piecewise, duchi = _hybrid_parts(said)
    ratios = ([_piecewise_gamma(piecewise)] if coin else []) + ([_duchi_gamma(duchi)] if coin < WHOLE else [])
    return worst(ratios)


def _hybrid_limits(said: Said) -> Limits:
    coin, piecewise, _ = _hybrid_parts(said)
    return {"report": (0, 1 + (_n_cells(piecewise) if coin else 0))}


# -- noise that is added -----------------------------------------------------------------------------------------------
def _noise_limits(said: Said, beyond: int = 0) -> Limits:
    reach = count(said, "reach", 0, _MOST_REACH)
    return {"report": (-reach, _steps(said) + reach - beyond)}


def _bounded_noise_gamma(said: Said) -> None:
    """Infinite: the least report can be drawn for the least answer alone."""
    _noise_limits(said)


def _refuse_wide(n_digits: int, most: int, steps: int = 1) -> None:
    """Refuse a law of so many values, or of weights so long, that it takes more than seconds to write out."""
    n_values = (most + 1 << min(n_digits, 20)) * steps
    if n_values > _WIDEST or n_values * (most + n_digits + 1) * 53 > _MOST_DIGITS:
        raise DataError("the law of a published randomizer is too wide to be checked here")


def _geometric(said: Said) -> list[int]:
    """The law of a number drawn digit by digit and then in whole periods, as weights."""
    digits, most = said.get("digits"), count(said, "most", 1, _WIDEST)
    if not isinstance(digits, list):
        raise DataError("a published randomizer tells digits as a list, and this one does not")
    _refuse_wide(len(digits), most)
    law = [1]
    for i in range(len(digits)):
        one = threshold({"digits": digits[i]}, "digits")
        law = [weight * (WHOLE - one) for weight in law] + [weight * one for weight in law]
    again = threshold(said, "again")
    periods = [again**q * (WHOLE - again) * WHOLE ** (most - 1 - q) for q in range(most)] + [again**most]
    return [period * weight for period in periods for weight in law]


def _laplace_gamma(said: Said) -> Fraction | None:
    size, up = _geometric(said), threshold(said, "up")
    law = [weight * (WHOLE - up) for weight in reversed(size)] + [weight * up for weight in size]
    return _additive_gamma(law, -len(size), _steps(said), *_noise_limits(said)["report"])


def _staircase_gamma(said: Said) -> Fraction | None:
    steps, part = _steps(said), threshold(said, "part")
    high = count(said, "n_high", 1, steps)
    stretches = _geometric(said)
    _refuse_wide(len(said["digits"]), said["most"], steps)
    low = steps - high
    stretch = [part * low] * high + [(WHOLE - part) * high] * low if low else [1] * high
    size = [weight * place for weight in stretches for place in stretch]
    return _additive_gamma([*reversed(size), *size], -len(size), steps, *_noise_limits(said, 1)["report"])


def _additive_gamma(law: Sequence[int], first: int, steps: int, least: int, most: int) -> Fraction | None:
    """Of noise whose weights begin at `first`, added to 0 up to `steps` and cut off at both ends."""

    def up_to(drawn: int) -> int:
        return sum(law[: max(drawn - first + 1, 0)])

    def at_least(drawn: int) -> int:
        return sum(law[max(drawn - first, 0) :])

    tails = [apart(up_to(least), up_to(least - steps)), apart(at_least(most - steps), at_least(most))]
    begin, end = least + 1 - steps, most  # what is drawn where a report is between the ends
    if end - begin > 4 * _WIDEST:
        raise DataError("the reports of a published randomizer go too far to be checked here")
    inside = law[max(begin - first, 0) : max(end - first, 0)]
    lacking = min(max(first - begin, 0), end - begin)
    padded = [0] * lacking + list(inside) + [0] * (end - begin - lacking - len(inside))
    return worst([*tails, _steepest(padded, steps + 1)])


def _steepest(weights: Sequence[int], width: int) -> Fraction | None:
    """The largest ratio of two weights within any window of this width; None where one of them is 0, and not all."""
    above, below = 1, 1
    rising: deque[int] = deque()
    falling: deque[int] = deque()
    for i, weight in enumerate(weights):
        for kept, is_kept in ((rising, int.__lt__), (falling, int.__gt__)):
            while kept and not is_kept(weights[kept[-1]], weight):
                kept.pop()
            kept.append(i)
            if kept[0] <= i - width:
                kept.popleft()
        more, less = weights[falling[0]], weights[rising[0]]
        if i < width - 1 or not more:
            continue
        if not less:
            return None
        if more * below > above * less:
            above, below = more, less
    return Fraction(above, below)


NUMBERS: dict[str, Kernel] = {
    "duchi": Kernel(_duchi_gamma, lambda said: {"report": (0, 1)}),
    "piecewise": Kernel(_piecewise_gamma, lambda said: {"report": (0, _n_cells(said) - 1)}),
    "hybrid": Kernel(_hybrid_gamma, _hybrid_limits),
    "laplace": Kernel(_laplace_gamma, _noise_limits),
    "staircase": Kernel(_staircase_gamma, lambda said: _noise_limits(said, 1)),
    "uniform": Kernel(_bounded_noise_gamma, _noise_limits),
    "normal": Kernel(_bounded_noise_gamma, _noise_limits),
}
"""Every kind of draw for numbers."""
