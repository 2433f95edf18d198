"""Non-uniform entropy: Gionis & Tassa, "k-anonymization with minimal loss of information", TKDE 21(2), 2009.

A cell loses as many bits as it takes to say which of the values it covers the record has, frequent ones taking fewer:
-log2 of the share that the record's own value has among all records whose value the cell covers. Summed over records
and columns, and divided by what `*` in every cell would lose. O(records x columns).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.figures import Measures, declare
from sfumato.published.measuring import Asked, also_measured
from sfumato.published.tables.cells import ShownColumn
from sfumato.published.tables.classes import ClassesShape
from sfumato.published.tables.placed import place_classes

__all__ = ["NON_UNIFORM_ENTROPY"]

NON_UNIFORM_ENTROPY = declare(
    name="non_uniform_entropy", label="Non-uniform entropy", group="utility", unit="share", audience="owner",
    meaning="bits that tell which of the values a cell covers is the record's own, over those of showing nothing",
)  # fmt: skip


@also_measured(ClassesShape)
def non_uniform_entropy(shape: ClassesShape, original: Table | None, asked: Asked) -> Measures:
    """The figure, with its split by column; it follows the records, and needs them and the row map."""
    single = any(form not in ("range", "set", "node") for form in shape.forms.values())  # these cover nothing
    if original is None or shape.rows is None or len(shape.rows) != shape.frame.height or single:
        return Measures()
    placed = place_classes(shape.frame, shape.forms, original)
    lost, most = np.zeros(len(placed.columns)), np.zeros(len(placed.columns))
    for c, column in enumerate(placed.columns):
        lost[c], most[c] = _bits(column, shape.rows)
    if not most.sum():
        return Measures()
    split = {column.name: float(a / b) for column, a, b in zip(placed.columns, lost, most, strict=True) if b}
    value = float(lost.sum() / most.sum())
    return Measures([NON_UNIFORM_ENTROPY.of(value)], by_column={NON_UNIFORM_ENTROPY.name: split})


def _bits(column: ShownColumn, rows: NDArray[np.int64]) -> tuple[float, float]:
    """Bits that a column lost, and those of showing nothing; withheld records lose all of theirs."""
    codes = column.coded.codes.astype(np.int64)
    counts = np.bincount(codes + 1, minlength=column.coded.n_codes + 1)  # a missing value is one more
    n, own = counts.sum(), np.maximum(counts[codes + 1], 1)
    most = float(np.log2(n / own).sum())
    published = rows >= 0
    covered = _covered(column, counts)[column.number[published]]
    behind = rows[published]
    kept = np.log2(np.maximum(covered, own[behind]) / own[behind])
    withheld = np.log2(n / own).sum() - np.log2(n / own[behind]).sum()
    return float(kept.sum() + withheld), most


def _covered(column: ShownColumn, counts: NDArray[np.int64]) -> NDArray[np.int64]:
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
