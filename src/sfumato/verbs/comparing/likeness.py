"""Is a table like those on which the intervals of extrapolated figures were measured? Else nothing is extrapolated.

Three things were found to make intervals hold less often than they say (`docs/explanation/samples.md`): fewer than
three quasi-identifiers, a range that rests on a few far values, whose rows lose most and are in few samples, and many
missing values, which no range or node covers together with others.
"""

from __future__ import annotations

import polars as pl

from sfumato.data.schema import Column
from sfumato.data.table import Table

__all__ = ["FARTHEST_OUT", "FEWEST_COLUMNS", "MOST_MISSING", "why_unlike"]

FEWEST_COLUMNS = 3
FARTHEST_OUT = 4.5
"""How many times as long as the range of the middle 99% of its values the whole range of a column may be."""
MOST_MISSING = 0.05
"""The share of missing values among the cells of quasi-identifiers that are shown as ranges or nodes."""
_MIDDLE = 0.99


def why_unlike(table: Table) -> str:
    """Why figures of the table are not extrapolated, naming the column; empty where they can be.

    It takes a look at every quasi-identifier of the whole table, and no method.
    """
    columns = [table.schema.column(name) for name in table.schema.quasi]
    if len(columns) < FEWEST_COLUMNS:
        names = " and ".join(repr(column.name) for column in columns) or "none"
        return (
            f"with fewer than {FEWEST_COLUMNS} quasi-identifiers, here {names}, intervals hold less often than they say"
        )
    for column in columns:
        if _is_number(column) and _is_far_out(table.frame[column.name]):
            return (
                f"the range of column {column.name!r} rests on a few values far from the others, and is more than "
                f"{FARTHEST_OUT:g} times as long as that of the middle {_MIDDLE:.0%} of its values"
            )
    covered = [column.name for column in columns if column.hierarchy is not None or column.kind != "category"]
    missing = {name: table.frame[name].null_count() for name in covered}
    share = sum(missing.values()) / max(len(table) * len(covered), 1)
    if share > MOST_MISSING:
        most = max(missing, key=lambda name: missing[name])
        return (
            f"{share:.0%} of the cells that are shown as ranges or nodes are missing, most of them in column {most!r}, "
            f"and intervals were measured on tables where at most {MOST_MISSING:.0%} are"
        )
    return ""


def _is_number(column: Column) -> bool:
    return column.hierarchy is None and column.kind in ("integer", "number", "date")


def _is_far_out(values: pl.Series) -> bool:
    """Whether the whole range of the values is much longer than that of those in the middle."""
    numbers = values.to_physical().cast(pl.Float64).drop_nulls()
    if not len(numbers):
        return False
    ends = [numbers.quantile(share, interpolation="linear") for share in ((1 - _MIDDLE) / 2, (1 + _MIDDLE) / 2)]
    middle = float(ends[1] or 0.0) - float(ends[0] or 0.0)
    return float(numbers.max()) - float(numbers.min()) > FARTHEST_OUT * middle  # type: ignore[arg-type]
