"""Full-domain generalisation: every value of a column is shown at the same level of its hierarchy."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, get_args

import numpy as np
import polars as pl

from sfumato.data.encoding import Coded, encode_series
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError, suggest
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.validate import finite, one_of
from sfumato.privacy.of_population import OfPopulation
from sfumato.privacy.promise import Promise
from sfumato.tables.coding.levels import levels_of
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job
from sfumato.tables.lattice.examiner import Examiner
from sfumato.tables.lattice.node_costs import LatticeMeasure
from sfumato.tables.lattice.search_result import BestNode, LatticeSearch

__all__ = ["FullDomainMethod", "columns_all_or_nothing"]


def columns_all_or_nothing(schema: Schema) -> list[str]:
    """The quasi-identifiers without a hierarchy: at one level for all they are shown whole, or not at all."""
    return [name for name in schema.quasi if schema.column(name).hierarchy is None]


class FullDomainMethod(GroupingMethod, register=False):
    """Choose a node of the lattice whose classes keep the promise, withholding few rows, and show its levels."""

    own_showings: ClassVar[tuple[str, ...]] = ("levels",)
    keeps_population: ClassVar[bool] = True
    any_suppression: ClassVar[bool] = False
    """Whether promises on sensitive values can be combined with suppression."""
    max_suppressed: float
    measure: str

    def __post_init__(self) -> None:
        """Check the share of rows that may be withheld, and the measure."""
        super().__post_init__()
        asked = "a share of the rows, 0 or more and below 1"
        finite("max_suppressed", self.max_suppressed, asked=asked, low=0.0, below=1.0)
        one_of("measure", self.measure, get_args(LatticeMeasure))

    @property
    def withholds(self) -> bool:
        """Whether some share of the rows may be withheld."""
        return self.max_suppressed > 0

    def search(self, table: Table, promise: Promise) -> LatticeSearch:
        """Look for the best generalisation without publishing anything."""
        _, _, quasi, sensitive, _ = self.prepare(table, promise)
        found, examiner = self._find_node(quasi, sensitive, promise)
        names = [column.name for column in quasi]
        seen = examiner.examine(found.node)
        return LatticeSearch(
            levels=dict(zip(names, found.node, strict=True)), cost=seen.cost, bound=min(found.bound, seen.cost),
            minimal=tuple(dict(zip(names, node, strict=True)) for node in found.minimal),
            n_withheld=seen.n_withheld, n_nodes=len(examiner.lattice), n_examined=examiner.n_examined,
        )  # fmt: skip

    def coded(self, table: Table, promise: Promise) -> list[Coded]:
        """The quasi-identifiers of the table and, after them, of the populations that the promise speaks of."""
        people = [part.people.frame for part in promise.parts if isinstance(part, OfPopulation)]
        if not people:
            return super().coded(table, promise)
        columns = []
        for name in table.schema.quasi:
            own = table.frame[name]
            others = [_population_column(frame, name, own.dtype) for frame in people]
            declared = replace(table.schema.column(name), low=None, high=None)
            columns.append(encode_series(pl.concat([own, *others]), declared))
        return columns

    def groups(self, job: Job) -> Groups:
        """The classes of the node that was found; rows of classes that break the promise are in no group."""
        found, examiner = self._find_node(job.quasi, job.sensitive, job.promise, job.share)
        of_row, published = examiner.classes(found.node)
        order = np.argsort(of_row, kind="stable")
        order = order[published[of_row[order]]]
        starts = np.concatenate([[0], np.cumsum(np.bincount(of_row)[published])]).astype(np.int64)
        disclosed = {"levels": {column.name: level for column, level in zip(job.quasi, found.node, strict=True)}}
        return Groups(order, starts, disclosed, found.node)

    @abstractmethod
    def _search(self, examiner: Examiner) -> BestNode | None:
        """The best node that this search finds, or None where no node holds."""

    def _find_node(
        self, quasi: Sequence[Coded], sensitive: Sequence[Coded], promise: Promise, share: Share = tell_nobody
    ) -> tuple[BestNode, Examiner]:  # fmt: skip
        """The best node, and the examiner that was used; refuses what this search cannot keep."""
        of_population = [part for part in promise.parts if isinstance(part, OfPopulation)]
        if of_population and self.max_suppressed:
            raise ParameterError(
                f"rows cannot be suppressed under {of_population[0]!r}, which counts them; leave max_suppressed at 0"
            )
        if of_population and self.show != "levels":
            raise ParameterError(
                f"{of_population[0]!r} counts who fits the levels of a column, and show={self.show!r} shows less than "
                f"these cover; leave show at 'levels'"
            )
        n_rows = len(quasi[0].codes) - sum(len(part.people) for part in of_population)
        examiner = Examiner(
            quasi, sensitive, promise, levels_of(quasi), n_rows=n_rows, measure=self.measure,
            max_withheld=math.floor(self.max_suppressed * n_rows + 1e-9), share=share,
        )  # fmt: skip
        if not examiner.monotone and not self.any_suppression:
            why = (
                f"records of nobody in the population spoil for {promise!r}; give the population whole"
                if examiner.has_strangers
                else f"suppression spoils for {promise!r}; leave max_suppressed at 0"
            )
            raise ParameterError(
                f"{type(self).__name__} relies on what holds below holding above, which {why}, or use BestFirst"
            )
        found = self._search(examiner)
        if found is None:
            raise InfeasibleError(
                f"{promise!r} holds at no level of generalisation, even with everything shown as '*'; ask for less"
            )
        return found, examiner


def _population_column(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.Series:
    """A column of a population, cast to the type that the table has; refused where that cannot be done."""
    if name not in frame.columns:
        raise SchemaError(f"the population lacks the column {name!r}{suggest(name, frame.columns)}")
    try:
        return frame[name].cast(dtype)
    except pl.exceptions.InvalidOperationError:
        raise SchemaError(
            f"column {name!r} of the population holds {frame[name].dtype} that cannot be read as {dtype}, as the table "
            f"has it; convert it first"
        ) from None
