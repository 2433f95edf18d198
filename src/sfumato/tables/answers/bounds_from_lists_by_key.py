"""Bounds of SUM and AVG where groups list values: by key, for questions with GROUP BY over whole numbers.

One pass over the rows, group by group, counts how many rows of each key a group has; that number is a position in the
bound tables (`bound_tables.py`), and what stands there is added to the sums of the key. Only for whole numbers, whose
sums are exact whatever the order. AVG is the sum over the number of rows (`rounding.mean_bounds`).

The same bounds stand in `bounds_from_lists_sql.py` (as SQL) and in `bounds_from_lists_arrays.py` (without GROUP BY):
whoever changes one changes all three. `test_duckdb` in tests/tables/answers/test_scripts.py holds them together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.dialects import quote
from sfumato.ground.kernels import kernel
from sfumato.tables.answers.engine import Engine

__all__ = ["Keys", "sums_by_key"]


class Keys:
    """The keys of a GROUP BY as numbers: row `order[i]` of the release has the key `values[codes[i]]`."""

    def __init__(self, engine: Engine, by: Sequence[str], order: NDArray[np.int64]) -> None:
        names = ", ".join(quote(name) for name in by)
        self.values = engine.rows(f"SELECT DISTINCT {names} FROM release ORDER BY {names}")
        codes = engine.array(f"SELECT DENSE_RANK() OVER (ORDER BY {names}) - 1 FROM release ORDER BY rowid")
        self.codes: NDArray[np.int32] = codes.astype(np.int32)[order]


def sums_by_key(
    keys: Keys, starts: NDArray[np.int64], selected: NDArray[np.bool_] | None, ends: Mapping[str, NDArray[Any]],
    of: Mapping[str, NDArray[Any]],
) -> list[tuple[tuple[Any, ...], int, int, int, float, float]]:  # fmt: skip
    """For every key with `selected` rows: the key, their number, the two bounds of their sum, its mean and variance.

    Rows, and the ranks of `ends`, lie group by group, those of group g from `starts[g]` on. O(rows).
    """
    found = _sum_by_key(
        keys.codes, starts, selected if selected is not None else np.ones(1, dtype=bool), len(keys.values),
        ends["low_sum"].astype(np.int64, copy=False), ends["high_sum"].astype(np.int64, copy=False),
        of["listed"].astype(np.float64), of["mean"], of["variance_within"], of["variance_between"],
    )  # fmt: skip
    n, low, high, value, variance = (each.tolist() for each in found)
    return [(tuple(key), n[i], low[i], high[i], value[i], variance[i]) for i, key in enumerate(keys.values) if n[i]]


@kernel
def _sum_by_key(
    codes: NDArray[np.int32], starts: NDArray[np.int64], selected: NDArray[np.bool_], n_keys: int,
    low_sum: NDArray[np.int64], high_sum: NDArray[np.int64], listed: NDArray[np.float64], mean: NDArray[np.float64],
    within: NDArray[np.float64], between: NDArray[np.float64],
) -> tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]
]:  # fmt: skip
    """By key: how many rows are selected, the two bounds of their sum, its mean and its variance."""
    everything = selected.shape[0] != codes.shape[0]
    counts, met = np.zeros(n_keys, np.int64), np.empty(n_keys, np.int64)
    n, low, high = np.zeros(n_keys, np.int64), np.zeros(n_keys, np.int64), np.zeros(n_keys, np.int64)
    value, variance = np.zeros(n_keys), np.zeros(n_keys)
    for g in range(starts.shape[0] - 1):
        n_met = 0
        for i in range(starts[g], starts[g + 1]):
            if everything or selected[i]:
                k = codes[i]
                if counts[k] == 0:
                    met[n_met] = k
                    n_met += 1
                counts[k] += 1
        for j in range(n_met):
            k = met[j]
            s = counts[k]
            counts[k] = 0
            at = starts[g] + s - 1
            n[k] += s
            low[k] += low_sum[at]
            high[k] += high_sum[at]
            left = 1.0 - (s - 1) / max(listed[g] - 1.0, 1.0)
            value[k] += s * mean[g]
            variance[k] += s * (within[g] + left * between[g])
    return n, low, high, value, variance
