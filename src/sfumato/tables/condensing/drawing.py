"""Showing a group by records drawn from its statistics: mean and covariance of numbers, frequencies of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.numbers import as_numbers, from_numbers
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.promise import Promise
from sfumato.tables.condensing.extremes import refuse_extremes
from sfumato.tables.condensing.sparse import pool_sparse_columns
from sfumato.tables.condensing.statistics import deal_members, n_drawn, scales_of, sort_by_group, statistics_of
from sfumato.tables.condensing.value_limits import Limits, fit_to_domain
from sfumato.tables.showing.shown_columns import ShownColumns

if TYPE_CHECKING:
    from sfumato.tables.grouping.groups import Groups

__all__ = ["Drawing", "condense", "counts_as_number", "refuse_for_condensed", "show_condensed"]


@dataclass(frozen=True)
class Drawing:
    """How many records are drawn, with how much noise on top, and whether groups keep their means."""

    alpha: float = 1.0
    noise: float = 0.0
    keep_means: bool = False


def show_condensed(
    table: Table, quasi: Sequence[Coded], groups: Groups, rows: NDArray[np.int64], random: Randomness
) -> ShownColumns:
    """Every quasi-identifier drawn anew from the statistics of the row's group, as many rows as there are records."""
    return condense(table, quasi, groups, rows, random, Drawing())


def condense(
    table: Table, quasi: Sequence[Coded], groups: Groups, rows: NDArray[np.int64], random: Randomness, drawing: Drawing
) -> ShownColumns:
    """Draw the quasi-identifiers of each group anew, as `drawing` says.

    Numbers and dates are drawn along the eigenvectors of the group's covariance, whole numbers rounded and dates to
    the day, within the bounds of the schema. Categories, and which numbers are missing, are dealt from the group's own
    frequencies, column by column. The draw knows the group of a row, and not whose record it stands for. Where a group
    has fewer values of a column than the smallest group has records, it draws them from several groups together.
    """
    of_row = groups.of_row
    if drawing.alpha == 1.0:
        group, carried = of_row[rows], rows
    else:
        group = np.repeat(np.arange(groups.n_groups), n_drawn(groups.sizes, drawing.alpha))
        group = group[random.spawn("order").permutation(len(group))]
        carried = deal_members(groups.order, groups.starts, group, random.spawn("carried"))
    names = [column.name for column in quasi if counts_as_number(table.schema.column(column.name))]
    drawn = _draw_numbers(table, names, groups, group, random.spawn("numbers"), drawing)
    columns = []
    for column in quasi:
        own = table.frame[column.name]
        if column.name in drawn:
            columns.append(from_numbers(drawn[column.name], own))
        else:
            members = deal_members(groups.order, groups.starts, group, random.spawn(f"of {column.name}"))
            columns.append(own.gather(members))
    return ShownColumns(
        columns=columns,
        forms={column.name: "substitute" for column in quasi},
        public={"condensed": asdict(drawing)},
        carried=None if drawing.alpha == 1.0 else carried,
        kept={
            "groups": pl.DataFrame({"group": of_row}),
            "synthetic": pl.DataFrame({"group": group, "record": carried}),
        },
    )


def counts_as_number(column: Column) -> bool:
    """Whether means of the column make sense: numbers and dates, unless their hierarchy takes them for codes."""
    ordered = column.hierarchy is None or column.hierarchy.kind in ("intervals", "calendar")
    return column.kind in ("integer", "number", "date") and ordered


def refuse_for_condensed(promise: Promise, schema: Schema) -> None:
    """Refuse promises that condensed groups cannot keep: on what classes show, or on rows and their own records."""
    for part in promise.parts:
        if part.bounds_loss:
            raise ParameterError("a bound on the loss speaks of ranges, and condensed groups show none; show ranges")
        if part.measured:
            raise ParameterError(
                f"{part!r} is measured over repeated draws, which condensation does not do; promise "
                f"KAnonymity({part.min_size()})"
            )
        if not part.kept_by_groups:
            raise ParameterError(
                f"condensed groups keep k-anonymity, l-diversity and what else any group of records can keep, not "
                f"{part!r}; show ranges"
            )


def _draw_numbers(
    table: Table, names: Sequence[str], groups: Groups, group: NDArray[np.int64], random: Randomness, drawing: Drawing
) -> dict[str, NDArray[np.float64]]:
    """Draw the numbers of each column, one for every entry of `group`, the group of each new row; NaN where missing."""
    if not names:
        return {}
    numbers = np.stack([as_numbers(table.frame[name]) for name in names], axis=1)
    for c, name in enumerate(names):
        refuse_extremes(name, numbers[:, c], "condensation")
    scales = scales_of(numbers)
    least = int(groups.sizes.min(initial=len(numbers)))
    statistics, too_few = pool_sparse_columns(statistics_of(numbers, groups.order, groups.starts), least)
    if too_few.any():
        raise InfeasibleError(
            f"column {names[int(np.argmax(too_few))]!r} has fewer values in all than the smallest group has records, "
            f"which is {least:,}; declare it missing = 'withhold', or leave it out"
        )
    points = statistics.draw(group, scales, random.spawn("along"))
    order, starts = sort_by_group(group, groups.n_groups)
    drawn = {}
    for c, name in enumerate(names):
        values = points[:, c]
        if drawing.noise:
            values = values + drawing.noise * scales[c] * (2.0 * random.spawn(f"on {name}").uniform(len(group)) - 1.0)
        lacking = np.isnan(numbers[:, c])
        if lacking.any():
            behind = deal_members(groups.order, groups.starts, group, random.spawn(f"missing {name}"))
            values = np.where(lacking[behind], np.nan, values)
        means = statistics.means[:, c] if drawing.keep_means else None
        limits = Limits.of(table.schema.column(name), table.frame[name].dtype)
        drawn[name] = fit_to_domain(values, limits, order, starts, means)
    return drawn
