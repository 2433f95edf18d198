"""The shares of records that attacks link in one release of changed or drawn values, for promises on linkage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import as_numbers
from sfumato.published.shape import Check
from sfumato.published.tables.linkage import ATTACKS, linkage_over_releases
from sfumato.published.tables.mixed_linkage import holds_numbers, linkage_by_nearest

__all__ = ["MOST_MATCHED", "attack_rates", "linked_shares", "numbers_of"]

MOST_MATCHED = 2_000
"""Up to so many records all are matched at once; that takes too long for a certificate above."""


def numbers_of(frame: pl.DataFrame, columns: Sequence[str]) -> NDArray[np.float64]:
    """Columns as lines of numbers, NaN where missing; dates count days."""
    return np.array([as_numbers(frame[name]) for name in columns]).reshape(len(columns), frame.height)


def linked_shares(
    check: Check, published: pl.DataFrame, columns: Sequence[str], rows: NDArray[np.int64] | None
) -> NDArray[np.float64] | None:
    """For each attack, the share of records that it links at least.

    None where no promise speaks of linkage, and where the original or the row map is not known.
    """
    if check.original is None or rows is None or not any(part.measured for part in check.parts):
        return None
    return attack_rates(check.original.frame, published, columns, rows)


def attack_rates(
    original: pl.DataFrame, published: pl.DataFrame, columns: Sequence[str], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """For each attack, the lower end of the 95% interval of the share that it links in one release."""
    if not all(holds_numbers(original[name]) and holds_numbers(published[name]) for name in columns):
        first = np.arange(min(published.height, MOST_MATCHED))  # rows are published in random order
        behind = original[rows]
        recorded = [name for name in columns if behind[name].cast(pl.String).equals(published[name].cast(pl.String))]
        mixed = linkage_by_nearest(behind, published, columns, first, recorded)
        return np.array([mixed.pooled_interval("nearest")[0]])
    shown, true = numbers_of(published, columns), numbers_of(original, columns)[:, rows]
    complete = ~np.isnan(shown + true).any(axis=0)
    shown, true = shown[:, complete], true[:, complete]
    same = np.arange(shown.shape[1])
    attacks = tuple(ATTACKS) if len(same) <= MOST_MATCHED else ("nearest", "by_rank")
    linkage = linkage_over_releases(true, [(shown, same)], attacks)
    return np.array([linkage.pooled_interval(attack)[0] for attack in attacks])
