"""Content for releases whose sensitive values are in a table apart, joined to the rows by the number of a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import polars as pl

from sfumato.data.schema import Schema
from sfumato.ground.figures import Measures
from sfumato.privacy.words import join_names
from sfumato.published.equivalence import AS_RECORDED, PublishedClasses
from sfumato.published.tables.subdomain_lists import Subdomains, pooled_counts
from sfumato.published.tables.subdomains import SubdomainsShape
from sfumato.published.tables.table import TableShape
from sfumato.published.tables.two_tables import TwoTables, TwoTablesShape
from sfumato.report.counting import Bars, Steps, expected_and_target, value_counts

__all__ = ["GROUP_NUMBER", "MAX_SENSITIVE", "Apart", "sensitive_charts", "tables_apart"]

GROUP_NUMBER = "number of the group"
MAX_SENSITIVE = 6


@dataclass(frozen=True)
class Apart:
    """All parts of the report that differ for such a release."""

    classes: PublishedClasses
    """The groups."""
    group_name: str
    file: str
    form: str
    """How sensitive columns are shown."""
    tiles: Sequence[tuple[str, str]]
    legend: Sequence[tuple[str, str]]
    sensitive: Sequence[tuple[str, Bars | Steps]]
    limits: Sequence[str] = ()
    """What the promise does not cover."""


@singledispatch
def tables_apart(shape: TableShape, measures: Measures) -> Apart | None:
    """The parts of the report on a release in several tables; None for a single table."""
    return None


@tables_apart.register(TwoTablesShape)
def _(shape: TwoTablesShape, measures: Measures) -> Apart:
    permuted, schema = shape.two_tables, shape.schema
    return Apart(
        permuted.classes(schema.sensitive, schema.columns), permuted.group_name, f"{shape.table}.parquet",
        "as recorded, by group", _tiles_of_groups(permuted, measures), _legend_of_groups(schema, shape.parameters),
        sensitive_charts(permuted.records, schema),
    )  # fmt: skip


@tables_apart.register(SubdomainsShape)
def _(shape: SubdomainsShape, measures: Measures) -> Apart:
    seen = shape.subdomains
    classes = PublishedClasses(shape.frame, [seen.group_name], cells=AS_RECORDED, noun="group")
    expected, target = pooled_counts(seen)
    column = shape.schema.column(seen.column)
    return Apart(
        classes, seen.group_name, f"{shape.table}.parquet", "subdomains, by group",
        _tiles_of_subdomains(seen, measures), _legend_of_subdomains(seen, shape.parameters),
        [(seen.column, expected_and_target(seen.values, target, expected, column))],
        _limits(seen),
    )  # fmt: skip


def sensitive_charts(frame: pl.DataFrame, schema: Schema) -> list[tuple[str, Bars | Steps]]:
    """The distributions of the first sensitive columns."""
    counted = []
    for name in schema.sensitive[:MAX_SENSITIVE]:
        counts = value_counts(frame[name], schema.column(name))
        if counts is not None:
            counted.append((name, counts))
    return counted


# -- two tables ----------------------------------------------------------------------------------------------------


def _tiles_of_groups(permuted: TwoTables, measures: Measures) -> list[tuple[str, str]]:
    smallest = f"{int(permuted.sizes.min()):,}" if permuted.n_groups else "–"
    surest = measures.figure("attribute_max").shown if "attribute_max" in measures else "–"
    return [
        (f"{len(permuted.group_of_row):,}", "published rows"),
        (f"{permuted.n_groups:,}", f"{_groups(permuted.n_groups)} whose sensitive values are told together"),
        (smallest, "rows in the smallest group"),
        (surest, "largest share of a sensitive value in a group"),
    ]


def _legend_of_groups(schema: Schema, parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    group, count, table = str(parameters["group"]), str(parameters["count"]), f"{parameters['table']}.parquet"
    return [
        (group, f"The group of the row. Groups are numbered at random; the number joins the rows to {table}."),
        (table, f"For every group, the values of {join_names(schema.sensitive)} that its records have, a row for each "
                f"combination. Which record has which is not told."),
        (count, "How many records of the group have the values of that row. Over the rows of the group it is the "
                "chance that any one of them has these values."),
        ("empty", "No value was recorded."),
    ]  # fmt: skip


# -- subdomains ----------------------------------------------------------------------------------------------------


def _tiles_of_subdomains(seen: Subdomains, measures: Measures) -> list[tuple[str, str]]:
    def figure_text(name: str) -> str:
        return measures.figure(name).shown if name in measures else "–"

    fakes = int(seen.count.sum()) - len(seen.group_of_row)
    return [
        (f"{len(seen.group_of_row):,}", "published rows"),
        (f"{seen.n_groups:,}", f"{_groups(seen.n_groups)} that follow a target distribution"),
        (figure_text("subdomain_width"), "of the domain in a subdomain, on average"),
        (f"{fakes:,}", "fake values")
        if fakes
        else (figure_text("exact_values"), "of the subdomains are a single value"),
    ]


def _legend_of_subdomains(seen: Subdomains, parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    group, count, table = str(parameters["group"]), str(parameters["count"]), f"{parameters['table']}.parquet"
    fakes = int(seen.count.sum()) > len(seen.group_of_row)
    entries = [
        (group, f"The group of the row. Groups are numbered at random; the number joins the rows to {table}."),
        (table, f"For every group, the subdomains that the values of {seen.column} of its records lie in. Whose value "
                f"lies in which is not told."),
        ("first, last", f"The places of a subdomain in {parameters['domain']}.parquet, both included; low and high are "
                        f"the values there."),
        (count, "How many copies of the subdomain the group lists. No two records of the group lie in the same copy."),
        (f"{parameters['targets']}.parquet", "The weights of the target distributions. Inside a subdomain a value is "
                                       "as likely as its weight among the weights there."),
    ]  # fmt: skip
    if fakes:
        entries.append(("fakes", "Some groups list more copies than they have rows: the copies beyond are nobody’s, "
                        "and nobody is told which."))  # fmt: skip
    return entries


def _limits(seen: Subdomains) -> list[str]:
    """What the promise does not cover, against the paper's claim that nothing more can be inferred."""
    said = [
        "It is about a reader who takes the list of a group at its word: read so, each value follows the target.",
        "It is not about one who reckons with how the list was chosen. Subdomains are as narrow as the group’s own "
        "values allow, so that their number and widths tell how these are spread, the more the smaller the group: two "
        "copies of the whole domain among four can only come from values that are split one to three.",
        "An adversary who knows the values of other members of a group, or who expects another distribution than the "
        "target, can learn more than the target says.",
    ]
    if seen.published_target is not None and seen.published_target.by_data:
        said.append(
            "Where the target is that of the table, what all groups but one list exactly tells what the last one has; "
            "where it is that of a group, its values are told, and only whose is whose is not."
        )
    return said


def _groups(n: int) -> str:
    return "group" if n == 1 else "groups"
