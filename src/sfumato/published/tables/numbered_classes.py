"""Numbered classes, some of whose rows are counterfeits: how they are read, and checked against the original.

Knows nothing of the method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.ground.errors import DataError
from sfumato.published.tables.truth import untruths
from sfumato.published.tables.two_tables import not_numbered

__all__ = ["NumberedClasses", "numbered_classes_flaws", "numbered_classes_untruths", "read_numbered_classes"]

_MOST_RELEASES = 1 << 31


@dataclass(frozen=True, eq=False)
class NumberedClasses:
    """Classes by number: the class of every row, and how many counterfeits (`fakes`) each class has."""

    column: str
    group_name: str
    numbers: NDArray[np.int64]
    """The number that each class is published under, rising."""
    of_row: NDArray[np.int64]
    """The class of every row, by its place among `numbers`."""
    fakes: NDArray[np.int64]
    release: int
    """Which of the sequence it is, from 1."""

    @property
    def n_fakes(self) -> int:
        """How many rows are counterfeits."""
        return int(self.fakes.sum())

    def people(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows without the counterfeits: as many are dropped from each class, whichever they are.

        They need not be the counterfeits themselves, as all rows of a class show the same quasi-identifiers.
        """
        place = pl.DataFrame({"class": self.of_row}).select(pl.int_range(pl.len()).over("class")).to_series().to_numpy()
        return frame.filter(pl.Series(place >= self.fakes[self.of_row]))


def read_numbered_classes(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]
) -> NumberedClasses | None:
    """Read the classes of one release of a sequence; None where it is none.

    Tables that do not fit each other raise `DataError`.
    """
    if "republication" not in public:
        return None
    wrong = numbered_classes_flaws(frame, files, public)
    if wrong:
        raise DataError(f"the published tables do not fit each other: {wrong[0]}; ask the owner for a new copy")
    parameters = public["republication"]
    numbers, of_row = np.unique(frame[parameters["group"]].to_numpy(), return_inverse=True)
    listed = files[parameters["table"]]
    fakes = np.zeros(len(numbers), dtype=np.int64)
    fakes[np.searchsorted(numbers, listed[parameters["group"]].to_numpy())] = listed[parameters["count"]].to_numpy()
    return NumberedClasses(
        parameters["column"], parameters["group"], numbers, of_row.astype(np.int64), fakes, int(parameters["release"])
    )


# -- what the tables say of each other -----------------------------------------------------------------------------


def numbered_classes_flaws(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any], schema: Schema | None = None
) -> list[str]:
    """What keeps the tables from being read, a clause each; with the `schema`, also columns out of place."""
    parameters = public.get("republication")
    text_keys = ("column", "group", "count", "table")
    if not isinstance(parameters, Mapping) or not all(isinstance(parameters.get(key), str) for key in text_keys):
        return ["the release does not say how its classes are numbered"]
    number = parameters.get("release")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number < _MOST_RELEASES:
        return ["the release does not say which of the sequence it is"]
    group, count, name = parameters["group"], parameters["count"], parameters["table"]
    misfit = not_numbered(frame, files, group, count, name)
    if misfit is not None:
        return [misfit]
    table = files[name]
    if parameters["column"] not in frame.columns:
        return [f"column {parameters['column']!r} is missing from the data"]
    wrong = [
        f"the table {beside!r} is published, and the release does not name it" for beside in files if beside != name
    ]
    wrong += [
        f"column {column!r} of {name!r} is published, and the release does not name it"
        for column in table.columns
        if column not in (group, count)
    ]
    if table.height and not bool((table[group].diff().drop_nulls() > 0).all()):
        wrong.append(f"the rows of {name!r} are not in order, or name a class twice")
    sizes = frame.group_by(pl.col(group).cast(pl.Int64)).len("rows")
    joined = table.select(pl.col(group).cast(pl.Int64), pl.col(count).cast(pl.Int64)).join(sizes, on=group, how="left")
    n = joined.filter((pl.col(count) < 1) | (pl.col(count) >= pl.col("rows").fill_null(0))).height
    if n:
        wrong.append(f"{n:,} counts in {name!r} leave no person in their class, or none of it is a counterfeit")
    if schema is not None:
        wrong += _out_of_place(frame, group, schema)
    return wrong


def _out_of_place(frame: pl.DataFrame, group: str, schema: Schema) -> list[str]:
    wrong = [f"column {name!r} is missing" for name in (*schema.quasi, *schema.sensitive) if name not in frame.columns]
    known = {*schema.quasi, *schema.sensitive, group}
    wrong += [
        f"column {name!r} is published, and the release does not name it" for name in frame.columns if name not in known
    ]
    quasi = [name for name in schema.quasi if name in frame.columns]
    split = frame.select(group, *quasi).unique().height - frame[group].n_unique() if quasi else 0
    if split:
        wrong.append(f"{split:,} more classes than numbers: some number stands for rows that show different things")
    return wrong


# -- what they say of the original ---------------------------------------------------------------------------------


def numbered_classes_untruths(
    frame: pl.DataFrame,
    seen: NumberedClasses,
    forms: Mapping[str, Form],
    original: Table,
    rows: NDArray[np.int64] | None,
) -> list[str]:
    """What the original contradicts, a clause each; nothing if the published rows are true.

    With the owner's row map every row that is no counterfeit is compared with its record, and every class must have as
    many counterfeits as the release says. Without it, at most as many rows as are counterfeits may go beyond the
    original.
    """
    own = frame.drop(seen.group_name)
    if rows is not None:
        if len(rows) != own.height:
            return [f"{own.height:,} rows are published, the owner's map has {len(rows):,}"]
        real = rows >= 0
        found = np.bincount(seen.of_row[~real], minlength=len(seen.numbers))
        n = int((found != seen.fakes).sum())
        wrong = [f"{n:,} of {len(found):,} classes have another number of counterfeits than is told"] if n else []
        return wrong + untruths(own.filter(pl.Series(real)), forms, original, rows[real])
    wrong = untruths(seen.people(own.select(list(forms))), forms, original, None)
    ours = own[seen.column].alias("value").value_counts(name="ours")
    behind = original.frame[seen.column].alias("value").cast(own[seen.column].dtype, strict=False)
    joined = ours.join(behind.value_counts(name="theirs"), on="value", how="left", nulls_equal=True)
    more = (joined["ours"].cast(pl.Int64) - joined["theirs"].fill_null(0).cast(pl.Int64)).clip(lower_bound=0).sum()
    if more > seen.n_fakes:
        wrong.append(
            f"column {seen.column!r} shows {more:,} values more than the original holds, and {seen.n_fakes:,} rows are "
            f"told to be counterfeits"
        )
    return wrong
