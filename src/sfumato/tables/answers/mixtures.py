"""Estimates of MIN, MAX and MEDIAN of records whose values are known as a distribution only."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["order_statistic", "quantile"]


def order_statistic(
    aggregate: str, values: pl.Series, weights: NDArray[np.float64], n: float
) -> tuple[Any, float | None]:
    """The estimate of MIN, MAX or MEDIAN of about `n` records, and its spread; `values` are in order.

    The estimate is the quantile of the distribution at 1/(n + 1), n/(n + 1) or 1/2. The spread is half the way between
    the quantiles one standard deviation to either side.
    """
    total = float(weights.sum())
    if not len(values) or total <= 0:
        return None, None
    n = max(n, 1.0)
    p = {"MIN": 1 / (n + 1), "MAX": n / (n + 1), "MEDIAN": 0.5}[aggregate]
    away = math.sqrt(p * (1 - p) / n)
    steps = np.cumsum(weights) / total
    left, right = (values[quantile(steps, min(max(at, 0.0), 1.0))] for at in (p - away, p + away))
    return values[quantile(steps, p)], _distance(left, right) / 2


def quantile(steps: NDArray[np.float64], p: float) -> int:
    """The first position at which the cumulative shares `steps` reach `p`, among those that have any weight."""
    at = int(np.searchsorted(steps, max(p - 1e-12, 1e-300), side="left"))
    return min(at, int(np.searchsorted(steps, steps[-1], side="left")))


def _distance(left: Any, right: Any) -> float:
    """The difference of two numbers, or of two dates in days."""
    if isinstance(left, dt.date):
        return float((right - left) / dt.timedelta(days=1))
    return float(right) - float(left)
