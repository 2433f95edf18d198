"""Input and output of every cut: `Problem`, the records of a table in the order of a line, and `Cut`, the groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.criteria import Criteria
from sfumato.privacy.promise import Promise
from sfumato.privacy.requirements import criteria_for
from sfumato.tables.coding.boxes import group_losses, records, word_offsets
from sfumato.tables.coding.columns import Columns
from sfumato.tables.coding.sensitive_profiles import profile_ids

__all__ = ["Cut", "Problem"]


@dataclass(frozen=True, eq=False)
class Cut:
    """Groups of places on the line: group g holds `order[starts[g]:starts[g + 1]]`."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    @staticmethod
    def consecutive(starts: NDArray[np.int64]) -> Cut:
        """Groups of consecutive places, from where each starts and the number of places at the end."""
        return Cut(np.arange(int(starts[-1])), starts)

    @staticmethod
    def of_groups(group: NDArray[np.int64]) -> Cut:
        """The cut in which place i is in group `group[i]`; numbers of groups may be left out."""
        sizes = np.bincount(group)
        starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
        return Cut(np.argsort(group, kind="stable"), starts)

    @staticmethod
    def of_lists(groups: Sequence[Sequence[int]]) -> Cut:
        """The cut with these groups, each a list of places."""
        order = np.array([place for group in groups for place in group], dtype=np.int64)
        return Cut(order, np.cumsum([0, *(len(group) for group in groups)], dtype=np.int64))

    @property
    def group(self) -> NDArray[np.int64]:
        """The group of every place on the line."""
        group = np.empty(len(self.order), dtype=np.int64)
        group[self.order] = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return group


@dataclass(frozen=True, eq=False)
class Problem:
    """The records in the order of a line (`rows`), what they lose and what they must keep."""

    columns: Columns
    rows: NDArray[np.int64]
    along: NDArray[np.float64]
    sensitive: Sequence[Coded]
    promise: Promise

    @property
    def n(self) -> int:
        """How many records there are."""
        return len(self.rows)

    @cached_property
    def data(self) -> NDArray[np.int32]:
        """The codes of the quasi-identifiers, a row for each record."""
        return records(self.columns, self.rows)

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """Where the bits of each column begin in a box (see `coding/boxes.py`)."""
        return word_offsets(self.columns)

    @cached_property
    def criteria(self) -> Criteria:
        """The promise, with the sensitive codes in the order of the line."""
        criteria = criteria_for(self.promise, self.n, self.sensitive)
        return criteria._replace(codes=np.ascontiguousarray(criteria.codes[self.rows]))

    def labels(self, name: str) -> tuple[NDArray[np.int64], int]:
        """The values of one sensitive column as numbers from 0, and how many there are; a missing one is a value."""
        s = [column.name for column in self.sensitive].index(name)
        codes = self.criteria.codes[:, s].astype(np.int64)
        return codes, int(codes.max(initial=-1)) + 1

    @cached_property
    def profiles(self) -> tuple[NDArray[np.int64], int]:
        """A number for the profile of each record, and how many profiles there are.

        Records of the same profile have the same sensitive values in all columns that the promise speaks of, so that
        they can change places without the promise being broken.
        """
        names = [column.name for column in self.sensitive]
        sought = [part.target(names) for part in self.promise.parts if isinstance(part, AccuracyBound)]
        used = np.unique([*self.criteria.column, *(names.index(name) for name in sought if name is not None)])
        return profile_ids(self.criteria.codes[:, used.astype(np.int64)])

    def loss(self, places: Sequence[int]) -> float:
        """The loss of one group of places: its normalised certainty penalty."""
        return float(self.losses(Cut.of_lists([places]))[0])

    def losses(self, cut: Cut) -> NDArray[np.float64]:
        """The loss of every group: its normalised certainty penalty."""
        return group_losses(self.columns, self.words, self.data, cut.order, cut.starts)

    def total(self, cut: Cut) -> float:
        """The global certainty penalty of a cut: the average loss of a record."""
        return float(self.losses(cut) @ np.diff(cut.starts) / max(self.n, 1))
