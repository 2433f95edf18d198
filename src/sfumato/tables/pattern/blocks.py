"""Blocks: properties that cannot tell the records of a block apart.

Records are put into blocks of at least k that are alike in every column. Only statements go with a block that stay the
same when its records change places: the range of its values, their mean. The uniform law over all values that keep
them is then exchangeable within each block, so that whoever links by the published values finds the right record with
probability at most 1/k, whatever they compute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.validate import is_number, whole
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.tables.grouping.groups import GroupingMethod
from sfumato.tables.grouping.hilbert import Hilbert
from sfumato.tables.grouping.job import Job
from sfumato.tables.pattern.properties import ExtractedProperties, Property, rows_within
from sfumato.tables.pattern.rows import Rows, stack
from sfumato.tables.pattern.table_view import TableView

__all__ = ["Blocks"]


def _rows_by_missing_values(view: TableView) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """Sets of rows of one partition that lack the same values, each with the columns that they have.

    Which values a record lacks is published, so that records which differ in it cannot hide with each other.
    """
    lacks = np.isnan(view.numbers)
    for rows in view.partitions():
        patterns, kind = np.unique(lacks[:, rows], axis=1, return_inverse=True)
        for i in range(patterns.shape[1]):
            names = [name for name, lacking in zip(view.columns, patterns[:, i], strict=True) if not lacking]
            yield rows[kind.ravel() == i], names


_KEPT = ("range", "mean")


@dataclass(frozen=True, repr=False)
class Blocks(Property):
    """The range and the mean of blocks of at least `k` records, in every column.

    `within` is how far a mean may move, as a share of the block's own range; 0 keeps it to the last digit. `grouping`
    forms the blocks: `Hilbert()` by default, or any grouping method.

    `keep` names what stays of each block: `range`, `mean` or both.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.PatternPreserving(sf.Blocks(4), steps=50), seed=1)
    Release(40 rows, PatternPreserving, None holds)
    """

    k: int
    keep: tuple[str, ...] = _KEPT
    within: float = 0.1
    grouping: GroupingMethod | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        whole("k", self.k, least=2)
        if not self.keep or any(kept not in _KEPT for kept in self.keep):
            raise ParameterError(f"keep must name some of {', '.join(_KEPT)}, got {self.keep!r}")
        if not is_number(self.within) or not 0.0 <= self.within <= 1.0:
            raise ParameterError(f"within must lie between 0 and 1, got {self.within!r}")
        if isinstance(self.grouping, dict):
            from sfumato.contracts.method import method_from_dict

            object.__setattr__(self, "grouping", method_from_dict(self.grouping))
        if self.grouping is not None and not isinstance(self.grouping, GroupingMethod):
            raise ParameterError(
                f"grouping must be a method that forms groups, such as Mondrian(), got {self.grouping!r}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain data; the grouping as its own."""
        given = super().to_dict()
        if self.grouping is not None:
            given["grouping"] = self.grouping.to_dict()
        return given

    def extract(self, setting: TableView) -> ExtractedProperties:
        """Rows for the range and the mean of every block, which treat all records of a block alike."""
        if setting.n_rows < self.k:
            raise InfeasibleError(f"k={self.k} needs at least {self.k} records and the table has {setting.n_rows}")
        block = self._form_blocks(setting)
        rows, fixed = self._ranges_and_means(setting, block)
        return ExtractedProperties(rows, (repr(self),), fixed=fixed, blocks=block)

    def _form_blocks(self, view: TableView) -> NDArray[np.int64]:
        """Put records that are alike into blocks of at least k, and return the block of every record."""
        block = np.empty(view.n_rows, dtype=np.int64)
        grouping = self.grouping or Hilbert()
        found, secret = 0, view.table.schema.sensitive
        alike = list(_rows_by_missing_values(view))
        for i, (rows, names) in enumerate(alike):
            if len(rows) < self.k:
                lacking = [name for name in view.columns if name not in names]
                raise InfeasibleError(
                    f"{len(rows)} records lack a value of {', '.join(lacking)}, fewer than k={self.k}; declare "
                    f"missing = 'withhold'"
                    if lacking
                    else f"a partition holds {len(rows)} such records, fewer than k={self.k}; take larger partitions"
                )
            part = view.table.rows(rows)
            if names:
                own = view.random.spawn("grouping")
                job = Job(encode(part, names), encode(part, secret), KAnonymity(self.k), own, view.progress)
                groups = grouping.groups(job.part(i / len(alike), (i + 1) / len(alike)))
                block[rows] = groups.of_row + found
                found += groups.n_groups
            else:
                block[rows] = found
                found += 1
        return block

    def _ranges_and_means(self, view: TableView, block: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int64]]:
        """The rows that keep every block's range and mean, and the cells of blocks with one value, which stay."""
        parts: list[Rows] = []
        stream = view.random.spawn("blocks")
        fixed = [np.empty(0, dtype=np.int64)]
        order = np.argsort(block, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(block[order])) + 1)
        for line in range(len(view.columns)):
            numbers = view.numbers[line]
            for rows in members:
                known = rows[~np.isnan(numbers[rows])]
                if not len(known):
                    continue
                low, high = float(numbers[known].min()), float(numbers[known].max())
                cells = view.cells(line, known)
                if low == high and "range" in self.keep:
                    fixed.append(cells)
                    continue
                if "range" in self.keep:
                    parts += [Rows.of(cells[:, None], [1.0], high), Rows.of(cells[:, None], [-1.0], -low)]
                if "mean" in self.keep:
                    mean, margin = float(numbers[known].mean()), self.within * (high - low)
                    weight = np.full(len(known), 1.0 / len(known))
                    parts.append(rows_within(cells, weight, mean, margin, stream))
        return stack(parts), np.concatenate(fixed)
