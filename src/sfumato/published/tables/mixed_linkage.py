"""Linking records by numbers and categories at once: the nearest published row, where a different category is 1 apart.

Numbers are brought to the range of the original. A missing value is one more category, or 1 apart from any number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import as_numbers
from sfumato.ground.kernels import kernel
from sfumato.published.tables.linkage import Linkage

__all__ = ["holds_numbers", "linkage_by_nearest"]

_DECIDES = 1e6


def holds_numbers(series: pl.Series) -> bool:
    """Whether values of this type are numbers, dates or times."""
    return series.dtype.is_numeric() or series.dtype.is_temporal()


def linkage_by_nearest(
    original: pl.DataFrame,
    published: pl.DataFrame,
    columns: Sequence[str],
    targets: NDArray[np.int64],
    as_recorded: Sequence[str] = (),
) -> Linkage:
    """For each target row, the chance that the nearest published row is its own; both frames are in one order.

    Columns that are published `as_recorded` decide before all others. Of equally near rows one is picked at random.
    """
    (true, shown), (own, now), weights = _numbers_and_codes(original, published, columns, as_recorded)
    hits = _hits(true, shown, own, now, weights, targets)
    return Linkage(n_releases=1, hits={"nearest": hits})


def _numbers_and_codes(
    original: pl.DataFrame, published: pl.DataFrame, columns: Sequence[str], as_recorded: Sequence[str]
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.int64]], NDArray[np.float64]]:
    """The numbers and the codes of both frames, records in rows, and how much a different code counts."""
    numbers: list[list[NDArray[np.float64]]] = [[], []]
    codes: list[list[NDArray[np.int64]]] = [[], []]
    weights = []
    for name in columns:
        weights.append(_DECIDES if name in as_recorded else 1.0)
        own, now = original[name], published[name]
        if holds_numbers(own) and holds_numbers(now):
            a, b = as_numbers(own), as_numbers(now)
            known = a[~np.isnan(a)]
            span = float(np.ptp(known)) if known.size else 0.0
            for i, line in enumerate((a, b)):
                if span > 0:
                    numbers[i].append(np.nan_to_num(line / span) * np.sqrt(weights[-1]))
                codes[i].append(np.isnan(line).astype(np.int64))
        else:
            both = pl.concat([own.cast(pl.String), now.cast(pl.String)])
            ranks = both.rank("dense").fill_null(0).to_numpy().astype(np.int64)
            codes[0].append(ranks[: len(own)])
            codes[1].append(ranks[len(own) :])
    n = original.height
    floats = [np.ascontiguousarray(np.array(part).reshape(len(part), n).T) for part in numbers]
    whole = [np.ascontiguousarray(np.array(part, dtype=np.int64).reshape(len(part), n).T) for part in codes]
    return floats, whole, np.array(weights)


@kernel
def _hits(
    true: NDArray[np.float64], shown: NDArray[np.float64], own: NDArray[np.int64], now: NDArray[np.int64],
    weights: NDArray[np.float64], targets: NDArray[np.int64],
) -> NDArray[np.float64]:  # fmt: skip
    hits = np.zeros(targets.shape[0])
    for t in range(targets.shape[0]):
        i = targets[t]
        best, ties, ours = np.inf, 0, False
        for j in range(shown.shape[0]):
            total = 0.0
            for c in range(own.shape[1]):
                if own[i, c] != now[j, c]:
                    total += weights[c]
            for c in range(true.shape[1]):
                step = true[i, c] - shown[j, c]
                total += step * step
            if total < best * (1.0 - 1e-12) - 1e-15:
                best, ties, ours = total, 1, i == j
            elif total <= best * (1.0 + 1e-12) + 1e-15:
                ties += 1
                ours = ours or i == j
        hits[t] = 1.0 / ties if ours else 0.0
    return hits
