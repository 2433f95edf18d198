"""Groups of records that will show the same, and the frame that every grouping method shares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded, encode
from sfumato.data.table import Table
from sfumato.errors import DataError, ParameterError, SchemaError, suggest
from sfumato.method import Method, Outcome
from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.promise import Promise
from sfumato.privacy.requirements import refuse_infeasible
from sfumato.progress import Progress
from sfumato.randomness import Randomness
from sfumato.tables.showing import REFUSALS, SHOWINGS

__all__ = ["GroupingMethod", "Groups"]


@dataclass(frozen=True, eq=False)
class Groups:
    """A partition of the rows: group g holds `order[starts[g]:starts[g + 1]]`."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    told: dict[str, Any] = field(default_factory=dict)
    """What readers are told of how they were formed, such as the order that won."""

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
        """The group of every row."""
        of_row = np.empty(len(self.order), dtype=np.int64)
        of_row[self.order] = np.repeat(np.arange(self.n_groups), self.sizes)
        return of_row


class GroupingMethod(Method, register=False):
    """Form groups that keep the promise, then show each group by what its records have in common."""

    bounds_loss: ClassVar[bool] = False
    """Whether it can keep an `AccuracyBound`."""
    show: str

    def __post_init__(self) -> None:
        """Check how groups are shown, and that what is yes or no is so."""
        for name in ("strict", "fast"):
            if not isinstance(getattr(self, name, False), bool):
                raise ParameterError(f"{name} must be true or false, got {getattr(self, name)!r}")
        if not isinstance(self.show, str) or self.show not in SHOWINGS:
            raise ParameterError(
                f"show must be one of {', '.join(SHOWINGS)}, got {self.show!r}{suggest(str(self.show), SHOWINGS)}"
            )

    @abstractmethod
    def groups(
        self, quasi: Sequence[Coded], sensitive: Sequence[Coded], promise: Promise, random: Randomness
    ) -> Groups:
        """Who hides with whom."""

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Encode, group, show; the published rows come in random order."""
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
        progress.step("reading values")
        kept = table.complete
        if not len(kept) and len(table):
            raise DataError("every row lacks a value that the schema insists on; declare missing = 'value' instead")
        part = table if len(kept) == len(table) else table.rows(kept)
        quasi, sensitive = encode(part, schema.quasi), encode(part, schema.sensitive)
        empty = next((column.name for column in quasi if len(part) and column.codes.max() < 0), None)
        if empty is not None:
            raise DataError(
                f"column {empty!r} has no value at all in the rows that are published; drop it or declare it plain"
            )
        refuse_infeasible(promise, len(part), sensitive)
        progress.step("forming groups")
        groups = self.groups(quasi, sensitive, promise, random.spawn("groups"))
        progress.step("showing groups")
        arrangement = random.spawn("arrangement").permutation(len(part))
        shown = SHOWINGS[self.show](part, quasi, groups, arrangement, random.spawn("showing"))
        others = [name for name in table.columns if schema.role(name) in ("sensitive", "plain")]
        columns = {name: part.frame[name].gather(arrangement) for name in others if name not in shown.withheld}
        columns |= {column.name: column for column in shown.columns}
        names = [name for name in table.columns if name in columns]
        names += [name for name in columns if name not in table.columns]
        public: dict[str, Any] = {"forms": shown.forms, **groups.told, **shown.public}
        if len(kept) < len(table):
            public["withheld_rows"] = len(table) - len(kept)
        frame = pl.DataFrame([columns[name] for name in names])
        return Outcome(frame=frame, rows=kept[arrangement], public=public, files=shown.files)
