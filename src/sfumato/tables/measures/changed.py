"""Measures of changed values: where some are categories, some columns are as recorded, or all were rotated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.measurer import MeasureOptions
from sfumato.data.numbers import as_numbers
from sfumato.data.table import Table
from sfumato.ground.figures import Figure, Measures, Note, declare
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.linkage import ATTACKS
from sfumato.published.tables.mixed_linkage import holds_numbers, linkage_by_nearest
from sfumato.tables.measures.loss import WITHHELD_ROWS
from sfumato.tables.measures.redrawn import (
    LINKAGE_CHANCE,
    LINKAGE_NEAREST,
    LINKAGE_RANK,
    LINKAGE_STRONGEST,
    NEIGHBOURS,
    NEIGHBOURS_KEPT,
    measure_redrawn,
)

__all__ = ["measure_changed"]

_ATTACKED = 2_000
"""The most records that linkage is tried on; all others are taken to fare alike."""

_CELLS_CHANGED = declare(
    name="cells_changed", label="Cells changed", group="utility", unit="share", audience="owner",
    meaning="share of categories that are not the record's own",
)  # fmt: skip
_FREQUENCY_ERROR = declare(
    name="frequency_error", label="Error of frequencies", group="utility", unit="share", audience="owner",
    meaning="total variation between published and true frequencies of a column, on average",
)  # fmt: skip
_MIXED_NEAREST = LINKAGE_NEAREST.with_wording(
    meaning="share of records whose nearest published row is their own, by changed and by recorded quasi-identifiers"
)
_ROTATED_NEAREST = LINKAGE_NEAREST.with_wording(
    meaning="share of records whose nearest published row is their own, without turning back"
)
_ROTATED_RANK = LINKAGE_RANK.with_wording(
    meaning="share of records whose own row is the nearest in rank, without turning back"
)
_LINKAGE_CHANCE = LINKAGE_CHANCE.with_wording(meaning="share of records that guessing would find")


def measure_changed(
    published: pl.DataFrame,
    drawn: Sequence[str],
    original: Table | None,
    rows: NDArray[np.int64] | None,
    asked: MeasureOptions,
    *,
    rotated: bool = False,
) -> Measures:
    """Utility and risk of the changed columns (`drawn`), from the published values, the original and the row map.

    What is found with the map is for the owner; without it see `measure_redrawn`.
    """
    asked.refuse_levels("changed values")
    drawn = [name for name in published.columns if name in drawn]
    if original is None or rows is None:
        return measure_redrawn(published, drawn, None, None, asked)
    if rotated:
        return _measure_rotated(published, drawn, original, rows)
    numbers = [name for name in drawn if holds_numbers(published[name]) and holds_numbers(original.frame[name])]
    recorded = [name for name in original.schema.quasi if name in published.columns and name not in drawn]
    if len(numbers) == len(drawn) and not recorded:
        return measure_redrawn(published, drawn, original, rows, asked)
    found = Measures()
    if numbers:
        of_numbers = measure_redrawn(published, numbers, original, rows, asked).group("utility")
        found = of_numbers.without(WITHHELD_ROWS.name)
    found |= _of_categories(published, original, rows, [name for name in drawn if name not in numbers])
    found |= Measures([_withheld_rows(original, published)])
    return found | _linkage_figures(published, original, rows, recorded, asked)


def _of_categories(
    published: pl.DataFrame, original: Table, rows: NDArray[np.int64], columns: Sequence[str]
) -> Measures:  # fmt: skip
    """The figures of categories: the share of cells that were changed, and how far frequencies are off."""
    if not columns:
        return Measures()
    own = original.frame.select(columns)[rows]
    splits = {
        _CELLS_CHANGED: {name: _share_changed(own[name], published[name]) for name in columns},
        _FREQUENCY_ERROR: {name: _frequency_distance(own[name], published[name]) for name in columns},
    }
    return Measures(
        [about.of(float(np.mean(list(split.values())))) for about, split in splits.items()],
        by_column={about.name: split for about, split in splits.items()},
    )


def _linkage_figures(
    published: pl.DataFrame, original: Table, rows: NDArray[np.int64], recorded: Sequence[str], asked: MeasureOptions
) -> Measures:
    """The figures of linkage by an adversary who knows all quasi-identifiers, some of which are as `recorded`."""
    known = [name for name in original.schema.quasi if name in published.columns]
    n = published.height
    stream = asked.random or Randomness("measures")
    targets = np.sort(stream.spawn("targets").permutation(n)[:_ATTACKED])
    notes = []
    if len(targets) < n:
        notes.append(Note(f"linkage was tried for {len(targets):,} records, picked at random", "owner"))
    rate = 0.0
    if known and n:
        rate = linkage_by_nearest(original.frame[rows], published, known, targets, recorded).rate["nearest"]
    return Measures([_MIXED_NEAREST.of(rate), LINKAGE_STRONGEST.of(rate), _linkage_chance(n)], notes=notes)


def _measure_rotated(
    published: pl.DataFrame, names: Sequence[str], original: Table, rows: NDArray[np.int64]
) -> Measures:  # fmt: skip
    """The figures of rotated columns: which neighbours are kept, and who is linked without turning the records back."""
    from scipy.spatial import cKDTree

    shown = np.array([as_numbers(published[name]) for name in names])
    own = np.array([as_numbers(original.frame[name].gather(rows)) for name in names])
    spread = own.std(axis=1, keepdims=True)
    true = (own - own.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
    n = published.height
    figures = []
    if n > 1:
        k = min(NEIGHBOURS, n - 1)
        near = [np.asarray(cKDTree(part.T).query(part.T, k + 1)[1]) for part in (true, shown)]
        shares = [len(set(a[1:]) & set(b[1:])) / k for a, b in zip(*near, strict=True)]
        figures.append(NEIGHBOURS_KEPT.of(float(np.mean(shares))))
    rates = {
        about: float(ATTACKS[name](true, shown, np.arange(n)).mean())
        for about, name in ((_ROTATED_NEAREST, "nearest"), (_ROTATED_RANK, "by_rank"))
    }
    figures += [
        _withheld_rows(original, published),
        *(about.of(rate) for about, rate in rates.items()),
        LINKAGE_STRONGEST.of(max(rates.values())),
        _linkage_chance(n),
    ]
    note = "whoever knows some records can turn all of them back; no figure here is about that attack"
    return Measures(figures, notes=[Note(note, "owner")])


def _share_changed(own: pl.Series, now: pl.Series) -> float:
    """The share of known values that are published as others."""
    known = int(own.is_not_null().sum())
    return float(own.cast(pl.String).ne_missing(now.cast(pl.String)).sum()) / max(known, 1)


def _frequency_distance(own: pl.Series, now: pl.Series) -> float:
    """The total variation between true and published frequencies."""
    counts = [
        series.cast(pl.String).alias("value").value_counts(name=side) for series, side in ((own, "a"), (now, "b"))
    ]
    both = counts[0].join(counts[1], on="value", how="full", nulls_equal=True).fill_null(0)
    return float((both["a"].cast(pl.Int64) - both["b"].cast(pl.Int64)).abs().sum()) / (2.0 * max(len(own), 1))


def _withheld_rows(original: Table, published: pl.DataFrame) -> Figure:
    return WITHHELD_ROWS.of(float(len(original) - published.height), audience="owner")


def _linkage_chance(n: int) -> Figure:
    return _LINKAGE_CHANCE.of(1.0 / max(n, 1), audience="owner")
