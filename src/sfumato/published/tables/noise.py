"""Noise that a release tells of: whether its parameters can be read, and whether the original contradicts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import as_numbers
from sfumato.data.table import Table
from sfumato.ground.validate import is_number

__all__ = ["check_noise"]

_KNOWN = ("uniform", "normal")
_CHANCE = 1e-9
"""What would happen so rarely is taken for a contradiction."""
_ENOUGH = 20


def check_noise(
    parameters: Any, frame: pl.DataFrame, columns: Sequence[str], original: Table | None, rows: NDArray[np.int64] | None
) -> tuple[list[str], list[str]]:
    """Check the noise in these columns; return what was found, and what is broken.

    With the original and the row map, how far values moved is held against the distribution and scale that the release
    tells; the scale is a share of a column's range. Without the map, only that some values differ from the original.
    """
    if (
        not isinstance(parameters, Mapping)
        or parameters.get("distribution") not in _KNOWN
        or not is_number(parameters.get("scale"))
    ):
        return [], ["the release does not say which noise was added"]
    if not parameters["scale"] > 0 or not columns:
        return [], ["the release tells of noise that changes nothing"]
    text = next((name for name in columns if not _is_number(frame[name])), None)
    if text is not None:
        return [], [f"column {text!r} holds no numbers, and the release says that noise was added to it"]
    if original is None or any(
        name not in original.columns or not _is_number(original.frame[name]) for name in columns
    ):
        return [], []
    mapped = rows is not None and len(rows) == frame.height > 0 and 0 <= rows.min() <= rows.max() < len(original)
    broken = []
    for name in columns:
        shown, own = as_numbers(frame[name]), as_numbers(original.frame[name])
        if rows is not None and mapped:
            wrong = _moved_otherwise(
                shown, own[rows], parameters, rounding=0.0 if frame[name].dtype.is_float() else 0.5
            )
        else:
            wrong = _did_not_move(shown, own)
        if wrong:
            broken.append(f"column {name!r} did not move as the noise that is told of would move it")
    found = ["values moved as the noise that is told of makes likely"] if mapped and not broken else []
    return found, broken


def _did_not_move(shown: NDArray[np.float64], own: NDArray[np.float64]) -> bool:
    """Whether all values are those of the original, in whatever order."""
    if len(own) != len(shown) or len(own) < _ENOUGH or not np.nanmin(own) < np.nanmax(own):
        return False
    return bool(np.array_equal(np.sort(own), np.sort(shown), equal_nan=True))


def _is_number(series: pl.Series) -> bool:
    return series.dtype.is_numeric() or series.dtype.is_temporal()


def _moved_otherwise(
    shown: NDArray[np.float64], true: NDArray[np.float64], parameters: Mapping[str, Any], *, rounding: float
) -> bool:
    """Whether uniform noise went beyond its reach or far from filling it, or the spread of normal noise is another."""
    known = ~np.isnan(shown) & ~np.isnan(true)
    moves = np.abs(shown - true)[known]
    span = float(np.ptp(true[known])) if len(moves) else 0.0
    if span == 0.0:
        return bool((moves > 0).any())
    size, room, n = float(parameters["scale"]) * span, rounding + 1e-9 * span, len(moves)
    if (
        parameters["distribution"] == "uniform"
    ):  # the farthest of n moves is below a share s of the reach by chance s**n
        farthest = float(moves.max())
        return farthest > size + room or farthest < size * _CHANCE ** (1.0 / n) - room
    from scipy.stats import chi2

    off = float(np.sqrt((moves**2).mean()))
    low, high = (size * np.sqrt(quantile / n) for quantile in chi2.ppf((_CHANCE, 1.0 - _CHANCE), n))
    return not low - room <= off <= high + room
