"""Showing by permutation: two tables, joined by the number of the group and by nothing else.

Xiao & Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006. The first table (their QIT) has the
quasi-identifiers as they are recorded and the group of each row; the second (their ST) says of each group which
sensitive values its records have, and how many of them. Whose value is whose inside a group is not told. Nobody hides
among others: that a person is in the data, and in which row, is published.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.column_names import unused_name
from sfumato.data.encoding import Coded
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, SchemaError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.promise import OfSize, Promise
from sfumato.tables.showing.shown_columns import ShownColumns

if TYPE_CHECKING:
    from sfumato.tables.grouping.groups import Groups

__all__ = ["refuse_for_permutation", "show_permutation"]

_TABLE = "sensitive"


def refuse_for_permutation(promise: Promise, schema: Schema) -> None:
    """Refuse promises that two tables can never keep, and a schema without sensitive columns."""
    for part in promise.parts:
        if isinstance(part, OfSize):
            raise ParameterError(
                f"show='permutation' publishes the quasi-identifiers as they are, so nobody hides among k as {part!r} "
                f"asks; promise LDiversity, or show ranges"
            )
        if isinstance(part, AccuracyBound):
            raise ParameterError(
                f"groups under {part!r} are formed by looking at who has which value, and with show='permutation' "
                f"everybody could retrace it; show ranges"
            )
    if not schema.sensitive:
        raise SchemaError(
            "show='permutation' hides whose sensitive value is whose, and no column is declared sensitive; "
            "declare one, or show ranges"
        )


def show_permutation(
    table: Table, quasi: Sequence[Coded], groups: Groups, rows: NDArray[np.int64], random: Randomness
) -> ShownColumns:
    """The quasi-identifiers of each record with the number of its group, and the sensitive values of each group.

    Groups are numbered at random: the order in which they were formed tells who is near whom. The second table is
    sorted, so that its order tells nothing. O(N log N).
    """
    group_name, count_name = unused_name("group", table.columns), unused_name("count", table.columns)
    number = random.spawn("group numbers").permutation(groups.n_groups)[groups.of_row]
    own = [table.frame[column.name].gather(rows) for column in quasi]
    secret = [name for name in table.columns if table.schema.role(name) == "sensitive"]
    listed = (
        table.frame.select(secret)
        .insert_column(0, pl.Series(group_name, number, dtype=pl.Int64))
        .group_by(group_name, *secret)
        .agg(pl.len().cast(pl.Int64).alias(count_name))
        .sort(group_name, *secret)
    )
    return ShownColumns(
        columns=[*own, pl.Series(group_name, number[rows], dtype=pl.Int64)],
        forms={column.name: "value" for column in quasi},
        withheld=tuple(secret),
        files={_TABLE: listed},
        public={"permutation": {"group": group_name, "count": count_name, "table": _TABLE}},
    )
