"""Bounds of COUNT, SUM, AVG, MIN, MAX and MEDIAN where cells are ranges, sets or nodes.

Some records are selected for certain, others perhaps. Their values are known, and every choice among the records in
doubt may be the truth. So the bounds are the extremes over all choices; where no record is certain, over those that
choose at least one. `bounded_count` has COUNT, `extremes` all others: AVG by `_least_mean`, MEDIAN by `_least_median`.
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
from sfumato.tables.answers.rounding import cap_spread, clip, mean_bounds

__all__ = ["bounded_aggregate", "bounded_count", "extremes"]


def bounded_count(sure: NDArray[np.bool_], share: NDArray[np.float64]) -> tuple[Any, int, int, float]:
    """COUNT of the records selected: the estimate, its two bounds, and its standard deviation.

    `sure` says who is selected for certain, `share` how likely each record is.
    """
    low, high = int(sure.sum()), len(sure)
    value = clip(math.fsum(share), low, high)
    return value, low, high, math.sqrt(math.fsum(share * (1 - share)))


def bounded_aggregate(
    aggregate: str, values: pl.Series, sure: NDArray[np.bool_], share: NDArray[np.float64], margin: float
) -> tuple[Any, Any, Any, float | None]:
    """SUM, AVG, MIN, MAX or MEDIAN of `values`: the estimate, its two bounds, and its standard deviation.

    `sure` says who is selected for certain, `share` how likely each record is. `margin` is what rounding may lose in
    a sum, relative to the sum of absolute values.
    """
    numbers = values.to_physical().to_numpy()
    if numbers.dtype.kind == "i" and int(numbers.min()) == -(2**63):
        raise ParameterError(f"column {values.name!r} holds {-(2**63)}, which cannot be aggregated")
    low, high = extremes(aggregate, numbers, sure)
    if margin and aggregate in ("SUM", "AVG"):
        lost = margin * float(np.abs(numbers).sum() if aggregate == "SUM" else np.abs(numbers).max())
        low, high = low - lost, high + lost
    elif margin and aggregate == "MEDIAN":
        low, high = low - abs(low) * 2.0**-50, high + abs(high) * 2.0**-50
    if values.dtype.is_temporal():
        low, high = pl.Series([int(low), int(high)]).cast(values.dtype).to_list()
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


def extremes(aggregate: str, numbers: NDArray[Any], sure: NDArray[np.bool_]) -> tuple[Any, Any]:
    """The smallest and the largest value of SUM, AVG, MIN, MAX or MEDIAN over all choices among those not `sure`."""
    certain, perhaps = np.sort(numbers[sure]), np.sort(numbers[~sure])
    if aggregate == "SUM":
        return _least_sum(certain, perhaps), -_least_sum(-certain, -perhaps)
    if aggregate == "MIN":
        return _item(numbers.min()), _item(certain[0] if len(certain) else perhaps[-1])
    if aggregate == "MAX":
        return _item(certain[-1] if len(certain) else perhaps[0]), _item(numbers.max())
    if aggregate == "AVG":
        low_sum, low_n = _least_mean(certain, perhaps)
        high_sum, high_n = _least_mean(-certain[::-1], -perhaps[::-1])
        low, high = Fraction(low_sum) / low_n, Fraction(-high_sum) / high_n
        return mean_bounds(low, high, 1)
    return _least_median(certain, perhaps), -_least_median(-certain[::-1], -perhaps[::-1])


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


def _least_mean(certain: NDArray[Any], perhaps: NDArray[Any]) -> tuple[Any, int]:
    """The lower bound of AVG, as the sum and the size of the choice with the smallest mean.

    Records in doubt are added from the smallest on, as long as they lie below the mean so far. Both arrays are sorted.
    """
    total, n = _total(certain), len(certain)
    for value in perhaps.tolist():
        if n and value * n >= total:
            break
        total, n = total + value, n + 1
    return total, n


def _least_median(certain: NDArray[Any], perhaps: NDArray[Any]) -> float:
    """The smallest median over all k of the certain values and the k smallest ones in doubt; both arrays are sorted."""
    k = np.arange(0 if len(certain) else 1, len(perhaps) + 1)
    n = len(certain) + k
    lower = _values_at_rank(certain, perhaps, k, (n - 1) // 2)
    upper = _values_at_rank(certain, perhaps, k, n // 2)
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
