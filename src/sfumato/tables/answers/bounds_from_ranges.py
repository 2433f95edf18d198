"""Bounds of COUNT, SUM, AVG, MIN, MAX and MEDIAN where cells are ranges, sets or nodes.

Some records are selected for certain, others perhaps. Their values are known, and every choice among the records in
doubt may be the truth. So the bounds are the extremes over all choices; where no record is certain, over those that
choose at least one. `bounded_count` has COUNT, `extremes` all others: AVG by `_least_mean`, MEDIAN by `_least_median`.
Withheld records are in doubt too, each at an end of what they may have (`withheld.py`).
tests/tables/answers/test_bounds_from_ranges.py tries every choice on small cases.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError
from sfumato.tables.answers.mixtures import order_statistic
from sfumato.tables.answers.rounding import cap_spread, clip, mean_bounds, round_down, round_up
from sfumato.tables.answers.withheld import Ends

__all__ = ["bounded_aggregate", "bounded_count", "extremes", "median_bounds", "refuse_infinite"]

_NOTHING = Ends(0)


def bounded_count(sure: NDArray[np.bool_], share: NDArray[np.float64]) -> tuple[Any, int, int, float]:
    """COUNT of the records selected: the estimate, its two bounds, and its standard deviation.

    `sure` says who is selected for certain, `share` how likely each record is.
    """
    low, high = int(sure.sum()), len(sure)
    value = clip(math.fsum(share), low, high)
    return value, low, high, math.sqrt(math.fsum(share * (1 - share)))


def bounded_aggregate(
    aggregate: str, values: pl.Series, sure: NDArray[np.bool_], share: NDArray[np.float64], margin: float,
    withheld: Ends = _NOTHING,
) -> tuple[Any, Any, Any, float | None]:  # fmt: skip
    """SUM, AVG, MIN, MAX or MEDIAN of `values`: the estimate, its two bounds, and its standard deviation.

    `sure` says who is selected for certain, `share` how likely each record is. `margin` is what rounding may lose in
    a sum, relative to the sum of absolute values. The estimate is of these values, the bounds also of those withheld.
    """
    numbers = values.to_physical().to_numpy()
    if numbers.dtype.kind == "i" and int(numbers.min()) == -(2**63):
        raise ParameterError(f"column {values.name!r} holds {-(2**63)}, which cannot be aggregated")
    refuse_infinite(values.name, numbers)
    ordered = aggregate in ("MIN", "MAX")  # their ends are joined below, where dates are dates again
    low, high = extremes(aggregate, numbers, sure, _NOTHING if ordered else withheld)
    if margin and aggregate in ("SUM", "AVG"):
        reach, total = max(float(np.abs(numbers).max()), withheld.reach), float(np.abs(numbers).sum())
        lost = margin * (total + withheld.n * withheld.reach if aggregate == "SUM" else reach)
        low, high = low - lost, high + lost
    elif margin and aggregate == "MEDIAN":
        low, high = low - abs(low) * 2.0**-50, high + abs(high) * 2.0**-50
    if values.dtype.is_temporal():
        low, high = pl.Series([int(low), int(high)]).cast(values.dtype).to_list()
    if ordered:
        low, high = withheld.extreme(aggregate, low, high, int(sure.sum()))
    if withheld.n:
        value, _, _, spread = bounded_aggregate(aggregate, values, sure, share, margin)
        return clip(value, low, high), low, high, spread
    weights = share if share.sum() > 0 else np.ones(len(share))
    value, spread = _estimate(aggregate, values, numbers, weights)
    return clip(value, low, high), low, high, cap_spread(spread, low, high)


def _estimate(
    aggregate: str, values: pl.Series, numbers: NDArray[Any], share: NDArray[np.float64]
) -> tuple[Any, float | None]:
    """The estimate and its standard deviation: every record is weighted by the probability that it is selected."""
    if aggregate not in ("SUM", "AVG"):
        order = np.argsort(numbers, kind="stable")
        return order_statistic(aggregate, values.gather(order), share[order], float(share.sum()))
    v = numbers.astype(np.float64)
    total, n, doubt = float((share * v).sum()), float(share.sum()), share * (1 - np.minimum(share, 1.0))
    if aggregate == "SUM":
        return total, math.sqrt(float((doubt * v * v).sum()))
    mean = total / n
    return mean, math.sqrt(float((doubt * (v - mean) ** 2).sum())) / n


def refuse_infinite(name: str, numbers: NDArray[Any]) -> None:
    """Refuse a column that holds infinite numbers, of which sums and means say nothing."""
    if numbers.dtype.kind == "f" and not bool(np.isfinite(numbers).all()):
        raise ParameterError(f"column {name!r} holds infinite numbers, which cannot be aggregated; ask for COUNT")


def extremes(
    aggregate: str, numbers: NDArray[Any], sure: NDArray[np.bool_], withheld: Ends = _NOTHING
) -> tuple[Any, Any]:  # fmt: skip
    """The smallest and the largest value of SUM, AVG, MIN, MAX or MEDIAN over all choices among those not `sure`."""
    certain, perhaps = np.sort(numbers[sure]), np.sort(numbers[~sure])
    if aggregate == "SUM":
        return withheld.sums(_least_sum(certain, perhaps), -_least_sum(-certain, -perhaps), len(certain))
    if aggregate in ("MIN", "MAX"):
        if aggregate == "MIN":
            low, high = _item(numbers.min()), _item(certain[0] if len(certain) else perhaps[-1])
        else:
            low, high = _item(certain[-1] if len(certain) else perhaps[0]), _item(numbers.max())
        return withheld.extreme(aggregate, low, high, len(certain))
    if aggregate == "AVG":
        low = _least_mean(certain, perhaps, withheld.n, withheld.low)
        high = _least_mean(-certain[::-1], -perhaps[::-1], withheld.n, -withheld.high)
        if low is not None and high is not None:
            return mean_bounds(low, -high, 1)
        return -math.inf if low is None else round_down(low), math.inf if high is None else round_up(-high)
    return median_bounds(certain, perhaps, withheld)


def median_bounds(certain: NDArray[Any], perhaps: NDArray[Any], withheld: Ends) -> tuple[float, float]:
    """The smallest and the largest median of the certain values and of any in doubt; both arrays are sorted."""
    least = _least_median(certain, perhaps, withheld.n, withheld.low)
    return least, -_least_median(-certain[::-1], -perhaps[::-1], withheld.n, -withheld.high)


def _item(number: Any) -> Any:
    return number.item() if isinstance(number, np.generic) else number


def _total(numbers: NDArray[Any]) -> Any:
    if numbers.dtype.kind in "iu":
        return sum(numbers.tolist())
    try:
        return math.fsum(numbers)
    except OverflowError:
        raise ParameterError("some numbers are too large to be summed; ask for MIN, MAX or COUNT") from None


def _least_sum(certain: NDArray[Any], perhaps: NDArray[Any]) -> Any:
    """The smallest sum: all certain records, and those in doubt that are negative."""
    taken = perhaps[perhaps < 0]
    if not len(certain) and not len(taken):
        return _item(perhaps.min())
    return _total(certain) + _total(taken)


def _least_mean(certain: NDArray[Any], perhaps: NDArray[Any], n_withheld: int, end: Any) -> Fraction | None:
    """The smallest mean, None where it has no bound; `n_withheld` more in doubt may be `end`, below all others.

    Records in doubt are added from the smallest on, as long as they lie below the mean so far. Both arrays are sorted.
    """
    total, n = _total(certain), len(certain)
    if n_withheld:
        if math.isinf(end):
            return None
        taken = n_withheld if n else 1
        if not n or end * n < total:
            total, n = total + taken * end, n + taken
    for value in perhaps.tolist():
        if n and value * n >= total:
            break
        total, n = total + value, n + 1
    return Fraction(total) / n


def _least_median(certain: NDArray[Any], perhaps: NDArray[Any], n_withheld: int, end: Any) -> float:
    """The smallest median over all k of the certain values, the k smallest in doubt and `n_withheld` at `end`.

    Both arrays are sorted, and `end` is below all values, so that every withheld one lowers the median.
    """
    k = np.arange(0 if len(certain) or n_withheld else 1, len(perhaps) + 1)
    n = len(certain) + k
    ranks = [(n + n_withheld - 1) // 2 - n_withheld, (n + n_withheld) // 2 - n_withheld]
    if ranks[0].min() < 0 and math.isinf(end):
        return -math.inf
    below = 0 if math.isinf(end) else end
    lower, upper = (
        np.where(rank < 0, below, _values_at_rank(certain, perhaps, k, np.maximum(rank, 0))) for rank in ranks
    )
    if lower.dtype.kind in "iu" and max(abs(int(lower.min())), abs(int(upper.max()))) < 2**52:
        return float(((lower + upper) / 2).min())
    least = float((lower / 2 + upper / 2).min())
    return math.nextafter(least, -math.inf) if lower.dtype.kind in "iu" else least


def _values_at_rank(
    certain: NDArray[Any], perhaps: NDArray[Any], k: NDArray[np.int64], rank: NDArray[np.int64]
) -> NDArray[Any]:
    """For each k, the value at position `rank` (from 0) when `certain` and the first k of `perhaps` are merged.

    Both arrays are sorted. By bisection on how many values of `perhaps` come before it.
    """
    ends = _ends(certain.dtype)
    a = np.concatenate([[ends[0]], certain, [ends[1]]]).astype(certain.dtype)
    b = np.concatenate([[ends[0]], perhaps, [ends[1]]]).astype(perhaps.dtype)
    m = len(certain)
    low, high = np.maximum(0, rank - m), np.minimum(k, rank)
    while bool((low < high).any()):
        middle = (low + high) // 2
        more = b[middle + 1] < a[rank - middle]  # the next in doubt comes before the last certain one taken
        low, high = np.where(more & (low < high), middle + 1, low), np.where(more | (low >= high), high, middle)
    from_a = np.where(rank - low < m, a[np.minimum(rank - low, m) + 1], ends[1])
    from_b = np.where(low < k, b[np.minimum(low, len(perhaps)) + 1], ends[1])
    return np.asarray(np.minimum(from_a, from_b))


def _ends(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Values below and above all others of the type."""
    if dtype.kind == "f":
        return -np.inf, np.inf
    return np.iinfo(np.int64).min, np.iinfo(np.int64).max
