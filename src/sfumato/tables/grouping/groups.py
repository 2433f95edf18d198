"""Groups of records that will show the same, and the frame that every grouping method shares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.contracts.trying import Streams
from sfumato.data.encoding import Coded, encode
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import flag, one_of
from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.of_population import without_population
from sfumato.privacy.promise import Promise
from sfumato.privacy.requirements import refuse_infeasible
from sfumato.tables.grouping.job import Job
from sfumato.tables.showing.shown_columns import ShownColumns
from sfumato.tables.showing.ways import REFUSALS, SHOWINGS, SPECIAL

__all__ = ["GroupingMethod", "Groups", "Prepared", "groups_from"]


@dataclass(frozen=True, eq=False)
class Groups:
    """A partition of the rows: group g holds `order[starts[g]:starts[g + 1]]`. Rows in no group are withheld."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    disclosed: dict[str, Any] = field(default_factory=dict)
    """What the release says of how the groups were formed, such as the order that won."""
    levels: tuple[int, ...] | None = None
    """The level that every column is shown at, where groups are classes of a full-domain generalisation."""

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows each group has."""
        return np.diff(self.starts)

    @property
    def of_row(self) -> NDArray[np.int64]:
        """The group of every row, -1 for none."""
        of_row = np.full(int(self.order.max(initial=-1)) + 1, -1, dtype=np.int64)
        of_row[self.order] = np.repeat(np.arange(self.n_groups), self.sizes)
        return of_row


def groups_from(group: NDArray[np.int64], disclosed: dict[str, Any] | None = None) -> Groups:
    """Groups by the group of every row; numbers without a row are passed over."""
    sizes = np.bincount(group)
    starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)
    return Groups(np.argsort(group, kind="stable"), starts, disclosed or {})


class Prepared(NamedTuple):
    """A table as a grouping method needs it."""

    kept: NDArray[np.int64]
    """The rows without a gap where the schema allows none."""
    part: Table
    """Those rows."""
    quasi: list[Coded]
    """Their quasi-identifiers as codes."""
    sensitive: list[Coded]
    """Their sensitive columns as codes."""
    promise: Promise
    """What is to be kept."""


class GroupingMethod(Method, register=False):
    """Form groups that keep the promise, then show each group by what its records have in common."""

    needs_promise: ClassVar[bool] = True
    bounds_loss: ClassVar[bool] = False
    """Whether it can keep an `AccuracyBound`."""
    keeps_population: ClassVar[bool] = False
    """Whether it can keep promises on a population, such as `KMap`: it then counts who fits while it searches."""
    own_showings: ClassVar[tuple[str, ...]] = ()
    """Ways of showing that only groups of this method have."""
    show: str

    @property
    def withholds(self) -> bool:
        """Whether rows may be withheld: what the whole table cannot keep, a part of it may."""
        return False

    def __post_init__(self) -> None:
        """Check the flags, and how groups are shown."""
        for name in ("strict", "fast"):
            flag(name, getattr(self, name, False))
        one_of("show", self.show, [name for name in SHOWINGS if name not in SPECIAL or name in self.own_showings])

    @abstractmethod
    def groups(self, job: Job) -> Groups:
        """Form the groups. What takes long calls `job.share` on its way, which raises once the work is called off."""

    def coded(self, table: Table, promise: Promise) -> list[Coded]:
        """The quasi-identifiers as codes; rows of populations that the promise names may follow those of the table."""
        return encode(table, table.schema.quasi)

    def shown(
        self, table: Table, quasi: Sequence[Coded], groups: Groups, rows: NDArray[np.int64], random: Randomness
    ) -> ShownColumns:
        """The published columns, in the way that `show` names."""
        return SHOWINGS[self.show](table, quasi, groups, rows, random)

    def prepare(self, table: Table, promise: Promise | None) -> Prepared:
        """The table as the method needs it. Refuses what this method cannot do."""
        if promise is None:
            raise ParameterError(f"{type(self).__name__} needs a promise to keep, such as KAnonymity(10)")
        if not self.bounds_loss and any(isinstance(part, AccuracyBound) for part in promise.parts):
            raise ParameterError(
                f"{type(self).__name__} keeps no bound on the loss; use Hilbert, or IPCSD over a method that keeps "
                f"l-diversity"
            )
        schema = table.schema
        if not schema.quasi:
            raise SchemaError(
                "no column is declared quasi; name those an outsider may know, as in Schema(quasi=['age'])"
            )
        if self.show in REFUSALS:
            REFUSALS[self.show](promise, schema)
        kept = table.complete
        if not len(kept) and len(table):
            raise DataError("every row lacks a value that the schema insists on; declare missing = 'value' instead")
        part = table if len(kept) == len(table) else table.rows(kept)
        quasi, sensitive = self.coded(part, promise), encode(part, schema.sensitive)
        empty = next((column.name for column in quasi if len(part) and column.codes.max() < 0), None)
        if empty is not None:
            raise DataError(
                f"column {empty!r} has no value at all in the rows that are published; drop it or declare it plain"
            )
        if not self.withholds:
            refuse_infeasible(promise, len(part), sensitive)
        return Prepared(kept, part, quasi, sensitive, promise)

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Encode, group, show; the published rows come in random order."""
        return self._publish(table, promise, random, random, progress)

    def carry_out(self, data: Table, promise: Promise | None, streams: Streams, progress: Progress) -> Outcome:
        """Run; groups that are polished for a number of steps are formed as they would be for any other number."""
        before = self.before_steps()
        if before is self:
            return self.run(data, promise, streams.of(self), progress)
        return self._publish(data, promise, streams.of(before), streams.of(self), progress)

    def before_steps(self) -> Self:
        """The method that goes as far as groups are formed before a number of steps; itself where it takes none."""
        return self

    def after_steps(self, n_steps: int) -> Self | None:
        """The method that goes on for so many steps of regrouping; None where it cannot."""
        return None

    def _publish(
        self, table: Table, promise: Promise | None, forming: Randomness, random: Randomness, progress: Progress
    ) -> Outcome:
        progress.step("reading values")
        prepared = self.prepare(table, promise)
        progress.step("forming groups")
        groups = self.groups(self.job_for(prepared, forming, progress))
        progress.step("showing groups")
        return self.shown_outcome(table, prepared, groups, random)

    def job_for(self, prepared: Prepared, random: Randomness, progress: Progress) -> Job:
        """The job of forming groups."""
        promise = prepared.promise
        if not self.keeps_population:
            promise = without_population(promise, type(self).__name__)
        return Job(prepared.quasi, prepared.sensitive, promise, random.spawn("groups"), progress)

    def shown_outcome(self, table: Table, prepared: Prepared, groups: Groups, random: Randomness) -> Outcome:
        """What is published of groups: the rows in random order, each as its group is shown."""
        kept, part, quasi, schema = prepared.kept, prepared.part, prepared.quasi, table.schema
        arrangement = np.sort(groups.order)[random.spawn("arrangement").permutation(len(groups.order))]
        shown = self.shown(part, quasi, groups, arrangement, random.spawn("showing"))
        carried = arrangement if shown.carried is None else shown.carried
        others = [name for name in table.columns if schema.role(name) in ("sensitive", "plain")]
        columns = {name: part.frame[name].gather(carried) for name in others if name not in shown.withheld}
        columns |= {column.name: column for column in shown.columns}
        names = [name for name in table.columns if name in columns]
        names += [name for name in columns if name not in table.columns]
        public: dict[str, Any] = {"forms": shown.forms, **groups.disclosed, **shown.public}
        if len(arrangement) < len(table):
            public["withheld_rows"] = len(table) - len(arrangement)
        if len(arrangement) < len(part):
            public["suppressed_rows"] = len(part) - len(arrangement)
        frame = pl.DataFrame([columns[name] for name in names])
        rows = kept[arrangement] if shown.carried is None else np.full(len(carried), -1, dtype=np.int64)
        return Outcome(frame=frame, rows=rows, public=public, files=shown.files, kept=shown.kept)
