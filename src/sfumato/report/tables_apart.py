"""What a report says of two tables that are joined by the number of a group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.data.schema import Schema
from sfumato.figures import Measures
from sfumato.report.wording import listed
from sfumato.tables.permuted import Permuted

__all__ = ["BY_GROUP", "GROUP_NUMBER", "legend_of_tables", "tiles_of_groups"]

BY_GROUP = "as recorded, by group"
GROUP_NUMBER = "number of the group"


def tiles_of_groups(permuted: Permuted, measures: Measures) -> list[tuple[str, str]]:
    """The figures for the eye."""
    smallest = f"{int(permuted.sizes.min()):,}" if permuted.n_groups else "–"
    plural = "group" if permuted.n_groups == 1 else "groups"
    surest = measures.figure("attribute_max").shown if "attribute_max" in measures else "–"
    return [
        (f"{len(permuted.group_of_row):,}", "published rows"),
        (f"{permuted.n_groups:,}", f"{plural} whose sensitive values are told together"),
        (smallest, "rows in the smallest group"),
        (surest, "largest share of a sensitive value in a group"),
    ]


def legend_of_tables(schema: Schema, told: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How to read a row of either table."""
    group, count, table = str(told["group"]), str(told["count"]), f"{told['table']}.parquet"
    return [
        (group, f"The group of the row. Groups are numbered at random; the number joins the rows to {table}."),
        (table, f"For every group, the values of {listed(schema.sensitive)} that its records have, a row for each "
                f"combination. Which record has which is not told."),
        (count, "How many records of the group have the values of that row. Over the rows of the group it is the "
                "chance that any one of them has these values."),
        ("empty", "No value was recorded."),
    ]  # fmt: skip
