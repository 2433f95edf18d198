"""The axes of the pictures of a comparison: where they begin and end, and when risks are drawn as logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.report.charts import tidy

if TYPE_CHECKING:
    from sfumato.report.comparison import ComparedRow, Comparison

__all__ = ["axes", "is_logarithmic", "losses_between", "place", "risks_between"]

_LOG_FROM = 5.0


def axes(comparison: Comparison, *, left: bool = True, bottom: bool = True, small: bool = False) -> tuple[Any, Any]:
    """Where risk and utility are drawn; the same for every picture of a comparison."""
    import altair as alt

    rows = comparison.drawn
    few = 3 if small else 6
    risks, losses = risks_between(rows), losses_between(rows)
    if is_logarithmic(rows):
        ticks = _log_ticks(*risks, most=few)
        domain = [risks[0] / (risks[1] / risks[0]) ** 0.06, risks[1] * (risks[1] / risks[0]) ** 0.06]
        across = alt.Scale(type="log", domain=domain, nice=False)
        axis = alt.Axis(values=ticks, format="~g" if risks[1] < 10_000 else "~s", grid=True, labels=bottom)
    else:
        across = alt.Scale(domain=_padded(*risks), nice=False, zero=False)
        axis = alt.Axis(tickCount=few, labels=bottom, labelOverlap=True, **_large(risks[1]))
    upwards = alt.Scale(domain=_padded(*losses), nice=False, zero=False)
    titles = (None, None) if small else (tidy(comparison.risk_label), tidy(comparison.utility_label))
    beside = alt.Axis(tickCount=few, labels=left, **_large(losses[1]))
    return (
        alt.X("risk:Q", title=titles[0], scale=across, axis=axis),
        alt.Y("utility:Q", title=titles[1], scale=upwards, axis=beside),
    )


def _large(top: float) -> dict[str, Any]:
    return {"format": "~s"} if abs(top) >= 10_000 else {}


def _ends(values: Sequence[float | None]) -> tuple[float, float]:
    known = [value for value in values if value is not None]
    return min(known, default=0.0), max(known, default=1.0)


def _padded(low: float, high: float) -> list[float]:
    """A little more on both sides, so that no point is cut; but nothing below zero where there is nothing."""
    more = 0.07 * (high - low) or 0.1 * abs(high) or 0.1
    return [low - more if low - more >= 0 or low < 0 else 0.0 - more / 3, high + more]


def risks_between(rows: Sequence[ComparedRow]) -> tuple[float, float]:
    """The least and the largest risk, intervals included."""
    return _ends([each for row in rows for each in (row.risk, *(row.risk_interval or ()))])


def losses_between(rows: Sequence[ComparedRow]) -> tuple[float, float]:
    """The least and the largest figure of utility, intervals included."""
    return _ends([each for row in rows for each in (row.utility, *(row.utility_interval or ()))])


def is_logarithmic(rows: Sequence[ComparedRow]) -> bool:
    """Whether risks are so far apart that they are drawn as logarithms."""
    low, high = risks_between(rows)
    return low > 0 and high > _LOG_FROM * low


def _log_ticks(low: float, high: float, *, most: int) -> list[float]:
    """Round numbers between the ends, as few digits as leave `most` of them or fewer."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [float(f"{digit}e{power}") for power in powers for digit in digits]
        inside = [tick for tick in ticks if low * 0.93 <= tick <= high * 1.07]
        if len(inside) <= most and inside:
            return inside
    return inside[:: math.ceil(len(inside) / most)] or [low, high]


def place(value: float, low: float, high: float, *, logarithmic: bool) -> float:
    """From 0 at the low end to 1 at the high one."""
    if high <= low:
        return 0.5
    if logarithmic:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)
