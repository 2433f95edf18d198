"""The shape of two tables joined by the number of a group: read, and checked against each other and the original.

The rows have the quasi-identifiers as they are recorded, and a group; a table beside them says which sensitive values
each group has, and how often. Knows nothing of the method that formed the groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import holds_whole_numbers
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError, SchemaError, suggest
from sfumato.published.equivalence import AS_RECORDED, PublishedClasses
from sfumato.published.shape import Check
from sfumato.published.tables.apart import ApartShape
from sfumato.published.tables.equal_rows import equal_row_numbers, number_distinct_rows
from sfumato.published.tables.truth import untruths

__all__ = [
    "Shares",
    "TwoTables",
    "TwoTablesShape",
    "not_numbered",
    "read_two_tables",
    "two_tables_flaws",
    "two_tables_untruths",
]  # fmt: skip

_MOST_PAIRS = 50_000_000


@dataclass(frozen=True, eq=False)
class Shares:
    """How the values of a sensitive column are spread over the groups: one entry for each value that a group has."""

    values: pl.Series
    """The distinct values; null is a missing one."""
    group: NDArray[np.int64]
    value: NDArray[np.int64]
    """The place of the entry's value in `values`."""
    share: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TwoTables:
    """Rows and sensitive values by group. Groups are numbered from 0 in the order of their published numbers."""

    group_of_row: NDArray[np.int64]
    """The group of every published row."""
    sizes: NDArray[np.int64]
    """How many rows each group has."""
    numbers: NDArray[np.int64]
    """The published number of each group."""
    group: NDArray[np.int64]
    """The group of every row of the sensitive table."""
    count: NDArray[np.int64]
    """How many records of the group have that row's values."""
    sensitive: pl.DataFrame
    """The sensitive columns of that table."""
    group_name: str

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.sizes)

    def share_of(self, meets: NDArray[np.bool_]) -> NDArray[np.float64]:
        """For each group, the share of its records whose row of the sensitive table `meets` a condition."""
        found = np.bincount(self.group[meets], weights=self.count[meets], minlength=self.n_groups)
        return np.asarray(found / self.sizes, dtype=np.float64)

    def row_weights(self, column: str, value: Any) -> NDArray[np.float64]:
        """For each published row the probability, by its group, that its record has the value (None: is missing)."""
        series = self._column(column)
        try:
            meets = series.to_frame().select(pl.first().eq_missing(pl.lit(value))).to_series()
        except pl.exceptions.PolarsError:
            raise ParameterError(f"column {column!r} holds {series.dtype}, and {value!r} is no such value") from None
        return self.share_of(meets.to_numpy())[self.group_of_row]

    def shares(self, column: str) -> Shares:
        """The share of every value in every group that has it, group by group. O(rows of the sensitive table)."""
        series = self._column(column)
        place, first = number_distinct_rows(series.to_frame())
        keys, entry = np.unique(self.group * max(len(first), 1) + place, return_inverse=True)
        counts = np.bincount(entry, weights=self.count, minlength=len(keys))
        group, value = keys // max(len(first), 1), keys % max(len(first), 1)
        return Shares(series.gather(first), group, value, counts / self.sizes[group])

    @cached_property
    def records(self) -> pl.DataFrame:
        """The sensitive values once for every record that has them, with the number of the group."""
        rows = np.repeat(np.arange(len(self.count)), self.count)
        numbers = pl.Series(self.group_name, self.numbers[self.group[rows]], dtype=pl.Int64)
        return self.sensitive[rows].insert_column(0, numbers)

    def classes(self, sensitive: Sequence[str], columns: Mapping[str, Column]) -> PublishedClasses:
        """Return the groups as classes, for promises on sensitive values."""
        return PublishedClasses(self.records, [self.group_name], sensitive, columns, AS_RECORDED, noun="group")

    def _column(self, name: str) -> pl.Series:
        if name not in self.sensitive.columns:
            raise SchemaError(f"no sensitive column is called {name!r}{suggest(name, self.sensitive.columns)}")
        return self.sensitive[name]


class TwoTablesShape(ApartShape):
    """Quasi-identifiers as recorded, and a table of the sensitive values of each group."""

    name = shown_as = "two tables"
    key = "permutation"
    of_groups = in_file = "sensitive values"
    unread = "the two tables do not fit each other, so that the promise cannot be decided"

    @cached_property
    def two_tables(self) -> TwoTables:
        """The two tables, read as one."""
        found = read_two_tables(self.frame, self.files, self.public)
        assert found is not None
        return found

    def flaws(self) -> list[str]:
        """What keeps the two tables from being read as one, a clause each."""
        return two_tables_flaws(self.frame, self.files, self.public, self.schema)

    def unnamed_parts(self) -> list[str]:
        """Tables that are neither of the two, a clause each; `flaws` looks at columns."""
        return [
            f"the table {name!r} is published, and the release does not name it"
            for name in self.files if name != self.table
        ]  # fmt: skip

    def untruths(self, check: Check) -> list[str]:
        """What the original contradicts, a clause each."""
        return two_tables_untruths(self.frame, self.two_tables, check.original, self.rows)

    def groups(self, check: Check) -> PublishedClasses:
        """Return the groups, with the sensitive values that are listed for each."""
        return self.two_tables.classes(self.asked_sensitive(check), self.schema.columns)

    def decisions(self) -> Sequence[str]:
        """Say how many groups there are, and what is published of them."""
        n = self.two_tables.n_groups
        return (
            f"{n:,} group{'s' if n != 1 else ''}: quasi-identifiers are published as recorded, sensitive values by "
            f"group",
        )

    @classmethod
    def described_columns(cls, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]) -> list[str]:
        """Return the sensitive columns, which have a table of their own."""
        return files[public["permutation"]["table"]].columns


def read_two_tables(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]
) -> TwoTables | None:
    """Read the two tables of a release; None where it has none.

    Tables that do not fit each other raise `DataError`.
    """
    if "permutation" not in public:
        return None
    wrong = two_tables_flaws(frame, files, public)
    if wrong:
        raise DataError(f"the two tables do not fit each other: {wrong[0]}; ask the owner for a new copy")
    parameters = public["permutation"]
    table = files[parameters["table"]]
    numbers, group_of_row, sizes = np.unique(
        frame[parameters["group"]].to_numpy(), return_inverse=True, return_counts=True
    )  # fmt: skip
    return TwoTables(
        group_of_row=group_of_row.astype(np.int64),
        sizes=sizes.astype(np.int64),
        numbers=numbers.astype(np.int64),
        group=np.searchsorted(numbers, table[parameters["group"]].to_numpy()).astype(np.int64),
        count=table[parameters["count"]].to_numpy().astype(np.int64),
        sensitive=table.drop(parameters["group"], parameters["count"]),
        group_name=parameters["group"],
    )


# -- what the two tables say of each other -------------------------------------------------------------------------


def not_numbered(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], group: str, count: str, name: str
) -> str | None:
    """Why rows cannot be joined by the number of a group with the table `name`, which has counts; None if they can."""
    table = files.get(name)
    if table is None:
        return f"the table {name!r} is missing"
    for column, there, where in ((group, frame, "the data"), (group, table, repr(name)), (count, table, repr(name))):
        if column not in there.columns:
            return f"column {column!r} is missing from {where}"
        if not holds_whole_numbers(there[column]):
            return f"column {column!r} of {where} must hold whole numbers, and some cell does not"
    return None


def two_tables_flaws(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any], schema: Schema | None = None
) -> list[str]:
    """What keeps the two tables from being read as one, a clause each; with the `schema`, also columns out of place."""
    parameters = public.get("permutation")
    if not isinstance(parameters, Mapping) or not all(
        isinstance(parameters.get(k), str) for k in ("group", "count", "table")
    ):
        return ["the release does not say how its two tables are joined"]
    group, count, name = parameters["group"], parameters["count"], parameters["table"]
    misfit = not_numbered(frame, files, group, count, name)
    if misfit is not None:
        return [misfit]
    table = files[name]
    secret = [column for column in table.columns if column not in (group, count)]
    wrong = _out_of_place(frame, secret, group, schema)
    if bool((table[count] < 1).any()):
        return [*wrong, f"some {count} in {name!r} is below 1"]
    nested = next((column for column in secret if _is_nested(table[column].dtype)), None)
    if nested is not None:
        return [*wrong, f"column {nested!r} of {name!r} holds {table[nested].dtype}, not single values"]
    twice = table.height - table.select(group, *secret).n_unique() if table.height else 0
    if twice:
        wrong.append(f"{twice:,} rows of {name!r} list values that their group has already")
    listed_in_order = table.select(group, *secret)
    if not listed_in_order.equals(listed_in_order.sort(group, *secret)):
        wrong.append(f"the rows of {name!r} are not in order, and their order could tell something")
    rows, listed = _by_group(frame, group, pl.len()), _by_group(table, group, pl.col(count).cast(pl.Int128).sum())
    joined = rows.join(listed, on="group", how="full", coalesce=True, suffix="_listed")
    apart = joined.filter(pl.col("n").ne_missing(pl.col("n_listed"))).height
    if apart:
        wrong.append(f"in {apart:,} of {joined.height:,} groups the values in {name!r} are not as many as the rows")
    return wrong


def _out_of_place(frame: pl.DataFrame, secret: Sequence[str], group: str, schema: Schema | None) -> list[str]:
    if not secret:
        return ["no sensitive column is published"]
    wrong = [f"column {column!r} is published beside the quasi-identifiers" for column in secret if column in frame]
    if schema is None:
        return wrong
    wrong += [f"column {column!r} is missing" for column in schema.quasi if column not in frame.columns]
    if sorted(secret) != sorted(schema.sensitive):
        wrong.append("the sensitive columns are not those that the release names")
    known = (*schema.quasi, *schema.plain, group)
    wrong += [
        f"column {column!r} is published, and the release does not name it"
        for column in frame.columns
        if column not in known and column not in secret
    ]
    return wrong


def _by_group(table: pl.DataFrame, group: str, what: pl.Expr) -> pl.DataFrame:
    return table.group_by(pl.col(group).cast(pl.Int64).alias("group")).agg(what.cast(pl.Int128).alias("n"))


# -- what they say of the original ---------------------------------------------------------------------------------


def two_tables_untruths(
    frame: pl.DataFrame, permuted: TwoTables, original: Table, rows: NDArray[np.int64] | None
) -> list[str]:
    """What the original contradicts, a clause each; nothing if the two tables are true.

    With the owner's row map every row must be its own record, and every group must list the values of its records.
    Without it no row and no values may be published more often than the original has them, and no group may list more
    of a value than there are records equal to its rows that have it.
    """
    own = frame.drop(permuted.group_name)
    secret = permuted.sensitive.columns
    exposed = [name for name in own.columns if original.schema.role(name) == "sensitive"]
    if exposed:
        return [f"column {exposed[0]!r} is sensitive, and is published beside the quasi-identifiers"]
    lacking = [name for name in secret if name not in original.columns]
    if lacking:
        return [f"column {lacking[0]!r} is published, but the original lacks it"]
    leaked = [name for name in secret if original.schema.role(name) == "identifier"]
    if leaked:
        return [f"column {leaked[0]!r} is an identifier, and is published"]
    wrong = untruths(own, {}, original, rows)
    if wrong:
        return wrong
    if rows is not None:
        return _listed_differently(permuted, original.frame.select(secret)[rows])
    complete = original.complete
    there = original.frame if len(complete) == len(original) else original.frame[complete]
    return _too_often(own, permuted, there)


def _listed_differently(permuted: TwoTables, behind: pl.DataFrame) -> list[str]:
    """Groups that do not list what their records have, a clause each; `behind` are the records, row by row."""
    values, true = equal_row_numbers(permuted.sensitive, behind)
    base = max(values.max(initial=0), true.max(initial=0)) + 1
    keys, where = np.unique(
        np.concatenate([permuted.group * base + values, permuted.group_of_row * base + true]), return_inverse=True
    )
    listed = np.bincount(where[: len(values)], weights=permuted.count, minlength=len(keys))
    found = np.bincount(where[len(values) :], minlength=len(keys))
    n = len(np.unique(keys[listed != found] // base))
    if not n:
        return []
    return [f"{n:,} of {permuted.n_groups:,} groups do not list the sensitive values of their records"]


def _too_often(own: pl.DataFrame, permuted: TwoTables, there: pl.DataFrame) -> list[str]:
    """Rows and values that are published more often than the original has them, where no row map is known."""
    single = own.select(name for name in own.columns if not _is_nested(own[name].dtype))
    shown, true = equal_row_numbers(single, there.select(single.columns))
    values, true_values = equal_row_numbers(permuted.sensitive, there.select(permuted.sensitive.columns))
    wrong = []
    n = _more(shown, np.ones(len(shown)), true)
    if n:
        wrong.append(f"{n:,} different rows are published more often than the original holds them")
    n = _more(values, permuted.count, true_values)
    if n:
        wrong.append(f"{n:,} sensitive values are listed more often than the original holds them")
    return wrong or _impossible(permuted, shown, true, values, true_values)


def _is_nested(dtype: pl.DataType) -> bool:
    return dtype.is_nested() or dtype in (pl.Binary, pl.Object, pl.Duration)


def _more(shown: NDArray[np.int64], times: NDArray[Any], true: NDArray[np.int64]) -> int:
    """How many numbers `shown` has more often than `true`, each entry of `shown` counting `times`."""
    n = int(max(shown.max(initial=-1), true.max(initial=-1))) + 1
    return int((np.bincount(shown, weights=times, minlength=n) > np.bincount(true, minlength=n)).sum())


def _impossible(
    permuted: TwoTables, shown: NDArray[np.int64], true: NDArray[np.int64], values: NDArray[np.int64],
    true_values: NDArray[np.int64],
) -> list[str]:  # fmt: skip
    """Groups that list a value more often than records equal to their rows have it; none where that takes too long."""
    rows = pl.DataFrame({"group": permuted.group_of_row, "kind": shown}).group_by("group", "kind").len("rows")
    records = pl.DataFrame({"kind": true, "value": true_values}).group_by("kind", "value").len("records")
    pairs = rows.group_by("kind").len("a").join(records.group_by("kind").len("b"), on="kind")
    if int(pairs.select((pl.col("a").cast(pl.Int64) * pl.col("b").cast(pl.Int64)).sum()).item()) > _MOST_PAIRS:
        return []
    most = (
        rows.join(records, on="kind")
        .group_by("group", "value")
        .agg(pl.min_horizontal("rows", "records").sum().alias("most"))
    )
    listed = pl.DataFrame({"group": permuted.group, "value": values, "count": permuted.count})
    joined = listed.join(most, on=["group", "value"], how="left")
    n = joined.filter(pl.col("count") > pl.col("most").fill_null(0))["group"].n_unique()
    if not n:
        return []
    return [f"{n:,} of {permuted.n_groups:,} groups list sensitive values that no records like theirs have"]
