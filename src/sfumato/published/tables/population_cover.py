"""Who of a population a published class covers: boxes of codes against the points of a register."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import encode
from sfumato.data.schema import Column, Schema
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.ground.curve import hilbert_keys, radix_order
from sfumato.ground.errors import DataError, SchemaError, suggest
from sfumato.ground.kernels import kernel
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.tables.cells import ShownColumn, place_cells
from sfumato.published.tables.equal_rows import equal_row_numbers

__all__ = ["covered_counts", "equal_counts", "population_counts", "population_points"]

_BLOCK = 64


class Points(NamedTuple):
    """The people of a population: combinations of codes, near ones in blocks, and how many people have each."""

    codes: NDArray[np.int32]
    """For each column (first axis) and point, its code; -1 where it is missing."""
    counts: NDArray[np.int64]
    starts: NDArray[np.int64]
    """Where each block of points starts, and where the last ends."""
    block_low: NDArray[np.int32]
    """For each column and block, the smallest code."""
    block_high: NDArray[np.int32]


class Boxes(NamedTuple):
    """What each class covers, for each column (first axis) and class."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    missing: NDArray[np.bool_]
    """Whether a missing value is covered."""
    is_set: NDArray[np.bool_]
    """Whether the codes `members[first:last]` are covered, and not all from `low` to `high`."""
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    members: NDArray[np.int64]


def population_counts(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    classes: PublishedClasses,
    original: Table | None,
    population: Table,
) -> NDArray[np.int64]:
    """For every class, how many records of the population it covers. A missing value is covered if it is shown."""
    return covered_counts(*population_points(published, forms, classes, original, population))


def population_points(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    classes: PublishedClasses,
    original: Table | None,
    population: Table,
) -> tuple[list[ShownColumn], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return what `covered_counts` takes: the cells of each class, and the distinct combinations of the population."""
    quasi = classes.quasi
    _check_population(population, quasi)
    schema = population.schema if original is None else original.schema
    specs = [_without_bounds(schema.column(name)) for name in quasi]
    register = Table(population.frame.select(quasi), Schema.of(specs))
    distinct = register.frame.group_by(quasi).len("persons")
    combinations = (
        register.rows(slice(0, 0)) if not distinct.height else Table(distinct.select(quasi), Schema.of(specs))
    )
    shown = published.select(quasi).filter(~_shows_nothing(published, quasi))
    columns = [
        place_cells(shown[name], forms[name], combinations.frame[name], combinations.schema.column(name))
        for name in quasi
    ]
    example = np.empty(classes.n_classes, dtype=np.int64)
    example[classes.of_row] = np.arange(len(classes.of_row))
    cell = np.stack([column.number[example] for column in columns])
    codes = np.stack([coded.codes for coded in encode(combinations, quasi)])
    return columns, cell, codes, distinct["persons"].to_numpy().astype(np.int64)


def equal_counts(published: pl.DataFrame, classes: PublishedClasses, population: Table) -> NDArray[np.int64]:
    """For every class of rows as recorded, how many people of the population have the same quasi-identifiers."""
    _check_population(population, classes.quasi)
    shown, people = equal_row_numbers(published.select(classes.quasi), population.frame.select(classes.quasi))
    counts = np.bincount(people, minlength=int(shown.max(initial=-1)) + 1)
    of_class = np.zeros(classes.n_classes, dtype=np.int64)
    of_class[classes.of_row] = counts[shown]
    return of_class


def _check_population(population: Table, quasi: Sequence[str]) -> None:
    if not len(population):
        raise DataError("the population has no record; leave it out, or give the register it stands for")
    for name in quasi:
        if name not in population.columns:
            raise SchemaError(f"the population lacks the column {name!r}{suggest(name, population.columns)}")


def _without_bounds(column: Column) -> Column:
    """Return the column without bounds: the population may reach further than the original."""
    return replace(column, role="quasi", low=None, high=None, missing="value")


def _shows_nothing(published: pl.DataFrame, quasi: Sequence[str]) -> pl.Series:
    hidden = pl.all_horizontal(pl.col(quasi).cast(pl.String) == "*").fill_null(value=False)
    return published.select(hidden).to_series()


def covered_counts(
    columns: Sequence[ShownColumn], cell: NDArray[np.int64], codes: NDArray[np.int32], counts: NDArray[np.int64],
    times: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:  # fmt: skip
    """Sum the counts of the points that lie in each class's box; near points are tested in blocks.

    Where `times` is given, the number of boxes that each point lies in is added to it.
    """
    n_points, n_classes = codes.shape[1], cell.shape[1]
    if not n_points or not n_classes:
        return np.zeros(n_classes, dtype=np.int64)
    order = _near_order(codes)
    points = _blocks_of_points(np.ascontiguousarray(codes[:, order]), counts[order])
    times_covered = np.zeros(0 if times is None else n_points, dtype=np.int64)
    totals = sum_covered(points, _boxes_of_classes(columns, cell), times_covered)
    if times is not None:
        times[order] += times_covered
    return totals


def _blocks_of_points(codes: NDArray[np.int32], counts: NDArray[np.int64]) -> Points:
    n_points = codes.shape[1]
    starts = np.arange(0, n_points, _BLOCK)
    return Points(
        codes=codes, counts=counts, starts=np.append(starts, n_points),
        block_low=np.minimum.reduceat(codes, starts, axis=1), block_high=np.maximum.reduceat(codes, starts, axis=1),
    )  # fmt: skip


def _boxes_of_classes(columns: Sequence[ShownColumn], cell: NDArray[np.int64]) -> Boxes:
    shape = cell.shape
    low, high = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
    missing, is_set = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    first, last = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    flat: list[NDArray[np.int64]] = []
    offset = 0
    for c, column in enumerate(columns):
        everything = np.array([shown.everything for shown in column.cells], dtype=bool)
        low[c] = np.where(everything, -1, column.low)[cell[c]]
        high[c] = np.where(everything, column.coded.n_codes, column.high)[cell[c]]
        missing[c] = column.missing[cell[c]]
        if column.members is not None:
            edges = np.cumsum([0, *(len(members) for members in column.members)]) + offset
            is_set[c] = ~everything[cell[c]]
            first[c], last[c] = edges[:-1][cell[c]], edges[1:][cell[c]]
            flat += column.members
            offset = int(edges[-1])
    members = np.concatenate([np.empty(0, dtype=np.int64), *flat])
    return Boxes(low=low, high=high, missing=missing, is_set=is_set, first=first, last=last, members=members)


def _near_order(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """The points along the Hilbert curve, so that a block of neighbours spans little."""
    d = len(codes)
    bits = max(1, min(31, int(codes.max() + 1).bit_length(), 64 // d))
    top = np.maximum(codes.max(axis=1, keepdims=True), 0) + 1.0
    axes = np.floor((codes + 1) / (top + 1) * 2.0**bits).astype(np.uint32)
    return radix_order(hilbert_keys(np.ascontiguousarray(axes), bits))


@kernel
def sum_covered(points: Points, boxes: Boxes, times: NDArray[np.int64]) -> NDArray[np.int64]:
    """The total count of the points in each box; adds to `times`, unless it is empty, how many boxes cover a point."""
    codes, counts, starts, block_low, block_high = points
    low, high, missing, is_set, first, last, members = boxes
    d = codes.shape[0]
    n_classes = low.shape[1]
    totals = np.zeros(n_classes, dtype=np.int64)
    for g in range(n_classes):
        for b in range(starts.shape[0] - 1):
            apart, within = False, True
            for c in range(d):
                if (block_high[c, b] < low[c, g] or block_low[c, b] > high[c, g]) and not (
                    missing[c, g] and block_low[c, b] < 0
                ):
                    apart = True
                    break
                if is_set[c, g] or block_low[c, b] < low[c, g] or block_high[c, b] > high[c, g]:
                    within = False
            if apart:
                continue
            for i in range(starts[b], starts[b + 1]):
                covered = True
                if not within:
                    for c in range(d):
                        code = codes[c, i]
                        if code < 0:
                            covered = missing[c, g]
                        elif is_set[c, g]:
                            at = first[c, g] + np.searchsorted(members[first[c, g] : last[c, g]], code)
                            covered = at < last[c, g] and members[at] == code
                        else:
                            covered = low[c, g] <= code and code <= high[c, g]
                        if not covered:
                            break
                if covered:
                    totals[g] += counts[i]
                    if times.shape[0]:
                        times[i] += 1
    return totals
