"""Non-uniform entropy: Gionis & Tassa, "k-anonymization with minimal loss of information", TKDE 21(2), 2009.

A cell loses as many bits as it takes to say which of the values it covers the record has, frequent ones taking fewer:
-log2 of the share that the record's own value has among all records whose value the cell covers. Summed over records
and columns, and divided by what `*` in every cell would lose. O(records x columns).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.measurer import MeasureOptions, register_further_measures
from sfumato.data.table import Table
from sfumato.ground.figures import Measures, declare
from sfumato.published.tables.cells import ShownColumn
from sfumato.published.tables.class_coverage import place_classes
from sfumato.published.tables.classes import ClassesShape
from sfumato.tables.measures.loss import published_part

__all__ = ["NON_UNIFORM_ENTROPY"]

NON_UNIFORM_ENTROPY = declare(
    name="non_uniform_entropy", label="Non-uniform entropy", group="utility", unit="share", audience="owner",
    meaning="bits that tell which of the values a cell covers is the record's own, over those of showing nothing",
)  # fmt: skip


@register_further_measures(ClassesShape)
def non_uniform_entropy(shape: ClassesShape, original: Table | None, asked: MeasureOptions) -> Measures:
    """The figure and its split by column; none without the original and the row map."""
    single = any(form not in ("range", "set", "node") for form in shape.forms.values())  # these cover nothing
    if original is None or shape.rows is None or len(shape.rows) != shape.frame.height or single:
        return Measures()
    original, rows, n_withheld = published_part(original, shape.rows, shape.frame.height)
    assert rows is not None
    placed = place_classes(shape.frame, shape.forms, original, n_withheld)
    bits = np.array([_bits(column, rows) for column in placed.columns]).reshape(-1, 2)
    lost, most = bits[:, 0], bits[:, 1]
    if not most.sum():
        return Measures()
    more = n_withheld / len(rows)  # each withheld record loses what showing nothing costs on average
    lost, most = lost + more * most, most * (1 + more)
    split = {column.name: float(a / b) for column, a, b in zip(placed.columns, lost, most, strict=True) if b}
    value = float(lost.sum() / most.sum())
    return Measures([NON_UNIFORM_ENTROPY.of(value)], by_column={NON_UNIFORM_ENTROPY.name: split})


def _bits(column: ShownColumn, rows: NDArray[np.int64]) -> tuple[float, float]:
    """How many bits a column of the published records lost, and how many it would lose by showing nothing."""
    codes = column.coded.codes.astype(np.int64)
    counts = np.bincount(codes + 1, minlength=column.coded.n_codes + 1)  # a missing value is one more
    own = counts[codes + 1][rows]
    covered = np.maximum(_covered_records(column, counts)[column.number], own)
    return float(np.log2(covered / own).sum()), float(np.log2(counts.sum() / own).sum())


def _covered_records(column: ShownColumn, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many records of the original each cell covers."""
    before = np.concatenate([[0], np.cumsum(counts[1:])])
    if column.members is not None:
        inside = np.array([counts[1:][members].sum() for members in column.members], dtype=np.int64)
    else:
        low = np.clip(column.low, 0, len(counts) - 1)
        high = np.clip(column.high + 1, 0, len(counts) - 1)
        inside = np.maximum(before[np.maximum(high, low)] - before[low], 0)
    everything = np.array([cell.everything for cell in column.cells], dtype=bool)
    return np.asarray(
        np.where(everything, counts.sum(), inside + np.where(column.missing, counts[0], 0)), dtype=np.int64
    )
