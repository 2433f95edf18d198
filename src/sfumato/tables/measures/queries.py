"""How well a published table answers counting queries: the error of a random workload.

The workload of LeFevre, DeWitt & Ramakrishnan (KDD 2006) and Xiao & Tao (VLDB 2006): count the records that meet
a condition on a few quasi-identifiers and, where there is one, on a sensitive column. The reader who has the
published table alone takes the records of a class to be spread evenly over what its cells cover. The workload is
drawn from the original and the seed alone, so that releases of the same table by any methods answer the same queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded, encode
from sfumato.data.schema import Column
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.figures import About, Measures, Note, declare, figures_of
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.cells import ShownColumn, place_cells
from sfumato.published.tables.class_coverage import ClassCoverage, place_classes
from sfumato.published.tables.two_tables import TwoTables
from sfumato.tables.measures.distortion import cell_numbers, code_numbers

__all__ = ["QueryCondition", "Workload", "answer_queries", "draw_queries", "query_error"]

_MEDIAN, _MEAN = (
    declare(
        name=f"query_error_{which}", label=f"Query error, {which}", group="utility", unit="share", audience="owner",
        meaning="relative error of counts that a reader estimates from the published table",
        stands_for="counts" if which == "median" else "",
    )
    for which in ("median", "mean")
)  # fmt: skip

_SANITY = 0.001
"""A query's error is taken relative to its true count, or to this share of all records where that is more."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Workload:
    """Says which random counting queries are drawn."""

    n_queries: int = 200
    n_columns: int | None = None
    """How many quasi-identifiers a query has a condition on; by default three, or all if there are fewer."""
    selectivity: float = 0.05
    """The share of the records that all conditions together would hold for, if the columns were independent."""
    sensitive: bool = True
    """Whether a query also has a condition on a random sensitive value."""
    random: Randomness | None = None
    """Without it the workload is always the same."""

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.n_queries < 0:
            raise ParameterError(f"n_queries must be >= 0, got {self.n_queries}")
        if self.n_columns is not None and self.n_columns < 1:
            raise ParameterError(f"n_columns must be >= 1, got {self.n_columns}")
        if not 0 < self.selectivity <= 1:
            raise ParameterError(f"selectivity must be above 0 and at most 1, got {self.selectivity}")

    def width(self, n_usable: int) -> int:
        """How many of the `n_usable` quasi-identifiers a query has a condition on."""
        return min(self.n_columns if self.n_columns is not None else 3, n_usable)


_USUAL = Workload()


@dataclass(frozen=True, eq=False)
class QueryCondition:
    """The condition of a query on one column: which of its values (codes) are asked for. A missing value never is."""

    column: str
    wanted: NDArray[np.bool_]

    @property
    def low(self) -> int:
        """The first code asked for; of an ordered column, all codes from `low` to `high` are."""
        return int(np.argmax(self.wanted))

    @property
    def high(self) -> int:
        """The last code asked for."""
        return len(self.wanted) - 1 - int(np.argmax(self.wanted[::-1]))

    def holds(self, codes: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each code (-1 is missing) is asked for."""
        return np.append(self.wanted, np.False_)[codes]


def query_error(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    workload: Workload = _USUAL,
    *,
    classes: ClassCoverage | None = None,
    permuted: TwoTables | None = None,
) -> Measures:
    """The median and mean relative error of random counting queries.

    A query asks for some random quasi-identifiers and a random sensitive value, as `workload` says. A cell's records
    are spread evenly over the values it covers: length for numbers, days, whole numbers, ranks, leaves or members
    otherwise. Of a cell that says `or missing` half the records are taken to have a value (in a set, a missing value
    is one more member); `*` is anything but missing. Of two tables (`permuted`) the rows that meet the conditions are
    counted, each as far as its group has the sensitive value. The error is |estimate - true| / max(true, 0.1% of the
    records). O(queries x (rows + classes)).
    """
    true, estimates, quasi, coded_secrets = answer_queries(
        published, forms, original, workload, classes=classes, permuted=permuted
    )
    if not len(true):
        return Measures()
    errors = np.abs(estimates - true) / np.maximum(true, _SANITY * len(original))
    width = workload.width(len(quasi))
    asked = f"{len(true)} random counting queries over {width} quasi-identifier{'s' if width > 1 else ''}"
    beside = " and a sensitive value" if coded_secrets else ""
    share = workload.selectivity ** (1 / width)
    note = f"query_error: {asked}{beside}, each column asked for a share {share:.2g} of it"
    values: dict[About, float | None] = {_MEDIAN: float(np.median(errors)), _MEAN: float(errors.mean())}
    return Measures(figures_of(values), notes=[Note(note, "owner")])


def answer_queries(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    workload: Workload = _USUAL,
    *,
    classes: ClassCoverage | None = None,
    permuted: TwoTables | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], Sequence[Coded], Sequence[Coded]]:
    """The true count and the reader's estimate of every query of the workload, and the columns it is drawn from."""
    reader: _ByClasses | _ByGroups
    if permuted is not None:
        reader = _ByGroups(published, forms, original, permuted, sensitive=workload.sensitive)
    else:
        reader = _ByClasses(published, forms, original, classes, sensitive=workload.sensitive)
    quasi, coded_secrets = reader.quasi, reader.secrets
    queries = draw_queries(original, quasi, coded_secrets, workload)
    known = {coded.name: coded for coded in (*quasi, *coded_secrets)}
    true, estimates = np.empty(len(queries)), np.empty(len(queries))
    for q, query in enumerate(queries):
        meets = np.ones(len(original), dtype=bool)
        for condition in query:
            meets &= condition.holds(known[condition.column].codes)
        true[q], estimates[q] = np.count_nonzero(meets), reader.count(query)
    return true, estimates, quasi, coded_secrets


# -- the workload ----------------------------------------------------------------------------------------


def draw_queries(
    original: Table,
    quasi: Sequence[Coded],
    sensitive: Sequence[Coded] = (),
    workload: Workload = _USUAL,
) -> list[tuple[QueryCondition, ...]]:
    """Random queries, each a condition on some quasi-identifiers and, where given, one sensitive column.

    Ordered columns and leaves of a tree are asked for in a run of values, sets in a random subset, chosen so that
    about the same share of the records has them.
    """
    usable = sorted((coded for coded in quasi if (coded.codes >= 0).any()), key=lambda coded: coded.name)
    if not usable or not len(original):
        return []
    stream = (workload.random if workload.random is not None else Randomness(0)).spawn("queries")
    width = workload.width(len(usable))
    share = workload.selectivity ** (1 / width)
    counts = {
        coded.name: np.bincount(coded.codes[coded.codes >= 0], minlength=coded.n_codes)
        for coded in (*usable, *sensitive)
    }
    secrets = [coded for coded in sensitive if counts[coded.name].any()]
    queries = []
    for _ in range(workload.n_queries):
        chosen = sorted(stream.permutation(len(usable))[:width].tolist())
        conditions = [_condition(usable[c], counts[usable[c].name], share, stream) for c in chosen]
        if secrets:
            coded = secrets[int(stream.integers(len(secrets), size=1)[0])]
            numeric = original.schema.column(coded.name).kind in ("integer", "number", "date") and coded.tree is None
            conditions.append(_condition(coded, counts[coded.name], share if numeric else 0.0, stream))
        queries.append(tuple(conditions))
    return queries


def _condition(coded: Coded, counts: NDArray[np.int64], share: float, stream: Randomness) -> QueryCondition:
    """A condition that about this share of the records meets: a run of values, or a subset of a set; one at least."""
    wanted = np.zeros(coded.n_codes, dtype=bool)
    total = int(counts.sum())
    if coded.shape == "set":
        order = stream.permutation(coded.n_codes)
        if share == 0:  # the value of a random record
            order = np.array([np.searchsorted(np.cumsum(counts), int(stream.integers(total, size=1)[0]), side="right")])
        covered = np.cumsum(counts[order])
        wanted[order[: int(np.searchsorted(covered, share * total)) + 1]] = True
    else:
        covered = np.cumsum(counts)
        start = float(stream.uniform(1)[0]) * (1 - share) * total
        first = int(np.searchsorted(covered, start, side="right"))
        last = int(np.searchsorted(covered, start + share * total, side="left"))
        wanted[min(first, coded.n_codes - 1) : max(first, min(last, coded.n_codes - 1)) + 1] = True
        wanted[-1] |= not wanted.any()
    return QueryCondition(coded.name, wanted)


# -- the estimate ----------------------------------------------------------------------------------------


class _ByClasses:
    """A reader who takes the records of each class to be spread evenly over what its cells cover."""

    def __init__(
        self,
        published: pl.DataFrame,
        forms: Mapping[str, Form],
        original: Table,
        classes: ClassCoverage | None,
        *,
        sensitive: bool,
    ) -> None:
        self._placed = placed = classes if classes is not None else place_classes(published, forms, original)
        self.quasi = [column.coded for column in placed.columns]
        names = [name for name in original.schema.sensitive if name in published.columns and name not in forms]
        self.secrets = encode(original, names) if sensitive else []
        self._spreads = {
            column.name: (c, _Spread(column, spec))
            for c, (column, spec) in enumerate(zip(placed.columns, placed.specs, strict=True))
        }
        self._shown = {coded.name: _shown_codes(published[coded.name], original, coded.name) for coded in self.secrets}

    def count(self, query: Sequence[QueryCondition]) -> float:
        """The estimated number of records that meet all conditions."""
        placed = self._placed
        weight: NDArray[np.float64] = placed.sizes.astype(np.float64)
        for condition in query:
            if condition.column in self._shown:
                matching = placed.of_row[condition.holds(self._shown[condition.column])]
                weight = np.bincount(matching, minlength=placed.n_classes).astype(np.float64)
        for condition in query:
            if condition.column in self._spreads:
                c, spread = self._spreads[condition.column]
                weight = weight * spread.share(condition)[placed.cell[c]]
        return float(weight.sum())


class _ByGroups:
    """A reader of two tables, who gives every row of a group the group's share of a sensitive value."""

    def __init__(
        self,
        published: pl.DataFrame,
        forms: Mapping[str, Form],
        original: Table,
        permuted: TwoTables,
        *,
        sensitive: bool,
    ) -> None:
        self._permuted = permuted
        self.quasi = encode(original, list(forms))
        names = [name for name in original.schema.sensitive if name in permuted.sensitive.columns]
        self.secrets = encode(original, names) if sensitive else []
        self._shown = {c.name: _same_codes(published[c.name], original.frame[c.name], c) for c in self.quasi}
        self._listed = {
            c.name: _same_codes(permuted.sensitive[c.name], original.frame[c.name], c) for c in self.secrets
        }

    def count(self, query: Sequence[QueryCondition]) -> float:
        """The estimated number of records that meet all conditions."""
        rows = np.ones(len(self._permuted.group_of_row), dtype=bool)
        listed = np.ones(len(self._permuted.group), dtype=bool)
        for condition in query:
            if condition.column in self._listed:
                listed &= condition.holds(self._listed[condition.column])
            else:
                rows &= condition.holds(self._shown[condition.column])
        n_rows = np.bincount(self._permuted.group_of_row[rows], minlength=self._permuted.n_groups)
        return float(n_rows @ self._permuted.share_of(listed))


def _same_codes(shown: pl.Series, original: pl.Series, coded: Coded) -> NDArray[np.int64]:
    """The codes of values published as recorded; -1 where one is missing, or the original does not have it."""
    known = pl.DataFrame({"value": original, "code": coded.codes}).unique("value").drop_nulls("value")
    looked = pl.DataFrame({"value": shown.cast(original.dtype, strict=False)})
    codes = looked.join(known, on="value", how="left", maintain_order="left")["code"]
    return codes.fill_null(-1).to_numpy().astype(np.int64)


class _Spread:
    """How the records behind each cell of a column are spread over the values it covers."""

    def __init__(self, column: ShownColumn, spec: Column) -> None:
        self._coded = column.coded
        self._n_cells = len(column.cells)
        everything = np.array([cell.everything for cell in column.cells], dtype=bool)
        or_missing = column.missing & ~everything
        self._flat: NDArray[np.int64] | None = None
        if column.members is not None:
            lengths = np.array([len(members) for members in column.members], dtype=np.int64)
            self._flat = np.concatenate([np.empty(0, dtype=np.int64), *column.members])
            self._cell_of_member = np.repeat(np.arange(self._n_cells), lengths)
            self._n_members = lengths + or_missing
            return
        self._numeric = spec.kind in ("integer", "number", "date") and column.coded.tree is None
        if self._numeric:
            self._low, self._high = cell_numbers(column, spec, column.coded.numbers)
        else:
            covers = column.low <= column.high
            self._low = np.where(covers, column.low, np.nan)
            self._high = np.where(covers, column.high, np.nan)
            if column.form == "value" and column.coded.tree is not None:
                self._snap_to_leaves(column, spec)
        whole_days = spec.kind == "date" and column.coded.values.dtype == pl.Date
        self._counted = not self._numeric or spec.kind == "integer" or whole_days
        self._present = np.where(or_missing, 0.5, 1.0)

    def _snap_to_leaves(self, column: ShownColumn, spec: Column) -> None:
        """Let a mean of numbers under a hierarchy, which is no leaf, stand for the leaf nearest to it."""
        numbers = code_numbers(column.coded, spec)
        if numbers is None or np.isnan(numbers).all():
            return
        shown, _ = cell_numbers(column, spec, numbers)
        for i in np.flatnonzero(~np.isnan(shown) & np.isnan(self._low)):
            self._low[i] = self._high[i] = int(np.nanargmin(np.abs(numbers - shown[i])))

    def share(self, condition: QueryCondition) -> NDArray[np.float64]:
        """For every cell, the share of its records that meets the condition."""
        if self._flat is not None:
            hits = np.bincount(self._cell_of_member[condition.wanted[self._flat]], minlength=self._n_cells)
            return np.asarray(hits / np.maximum(self._n_members, 1), dtype=np.float64)
        first, last = float(condition.low), float(condition.high)
        if self._numeric:
            first, last = self._coded.numbers[condition.low], self._coded.numbers[condition.high]
        low, high = self._low, self._high
        start, stop = np.maximum(low, first), np.minimum(high, last)
        point = low == high
        if self._counted:
            overlap = np.floor(stop) - np.ceil(start) + 1
            extent = high - low + 1
        else:
            overlap, extent = stop - start, high - low
        inside = np.divide(np.maximum(overlap, 0.0), extent, out=np.zeros(self._n_cells), where=extent > 0)
        inside = np.where(point, (low >= first) & (low <= last), inside)
        return np.nan_to_num(inside, nan=0.0) * self._present


def _shown_codes(series: pl.Series, original: Table, name: str) -> NDArray[np.int64]:
    """The codes of a column published as recorded; -1 where it shows no value of the original."""
    column = place_cells(series, "value", original.frame[name], original.schema.column(name))
    codes = np.full(len(column.cells), -1, dtype=np.int64)
    for i, cell in enumerate(column.cells):
        if column.members is not None:
            codes[i] = column.members[i][0] if len(column.members[i]) == 1 and not cell.everything else -1
        elif column.low[i] == column.high[i]:
            codes[i] = column.low[i]
    return codes[column.number]
