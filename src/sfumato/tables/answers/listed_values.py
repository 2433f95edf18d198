"""Releases that list sensitive values by group, brought into one form: pieces of a domain, and which group lists which.

A piece is a contiguous part of the domain that a listed value lies in: one value in a permuted release, a subdomain in
one that follows a target distribution. Every group lists at least as many pieces as it has rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
import polars as pl

from sfumato.contracts.dialects import quote
from sfumato.data.column_names import padded_name
from sfumato.ground.errors import DataError, ParameterError
from sfumato.published.shape import Shape
from sfumato.published.tables.subdomains import SubdomainsShape
from sfumato.published.tables.two_tables import TwoTablesShape

__all__ = ["Listing", "listing_of", "margin", "plain_types", "refuse_twins"]

_MOST_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class Listing:
    """A release whose groups list sensitive values: its tables, how they are joined, and the values that may occur."""

    group: str
    """The column of the rows that numbers their group."""
    count: str
    secret: Mapping[str, pl.Series]
    """For each sensitive column the values that may occur; null is a missing one."""
    tables: Mapping[str, pl.DataFrame]
    """The published tables beside the rows by their part: `table`; of subdomains `domain`, `targets`, `groups` too."""
    names: Mapping[str, str]
    """The names that these tables are published under, by their part."""
    margins: Mapping[str, float]
    """What rounding may lose in a sum of the column, relative to the sum of absolute values; 0 where sums are exact."""
    n_listed: int

    @property
    def place(self) -> str:
        """The name of the column of places in `release_domain`, which no sensitive column has."""
        return quote(padded_name("place", list(self.secret)))

    @property
    def lists_ranges(self) -> bool:
        """Whether a listed piece may be more than one value."""
        return "domain" in self.tables

    def suffix(self, column: str) -> str:
        """What the names of the bound tables about this column end in; nothing where there is one sensitive column."""
        return f"_{column}" if len(self.secret) > 1 else ""

    def has_bounds(self, column: str) -> bool:
        """Whether there are bound tables for the column: it holds numbers or dates, none of them missing."""
        values = self.secret[column]
        return (values.dtype.is_numeric() or values.dtype.is_temporal()) and not values.null_count()

    def has_exact_sums(self, column: str) -> bool:
        """Whether the column holds whole numbers whose sums fit 64 bits."""
        values = self.secret[column]
        return values.dtype.is_integer() and _reach(values) * max(self.n_listed, 1) < 2**62


def refuse_twins(names: Sequence[str]) -> None:
    """Refuse names that differ in case alone, which databases take for one name."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name.lower(), name)
        if other != name:
            raise ParameterError(
                f"columns {other!r} and {name!r} differ in case alone, which SQL does not tell; publish one under "
                f"another name"
            )


def margin(values: pl.Series, n: int, withheld: int = 0) -> float:
    """What rounding may lose when `n` of these values are summed in any order, relative to the sum of absolute values.

    0 for whole numbers, and for fractions of which every sum is exact in a float: of `withheld` ones none is known.
    """
    if not values.dtype.is_float():
        return 0.0
    if withheld:
        return (n + withheld + 8) * 2.0**-51
    present = values.drop_nulls().to_numpy()
    largest = float(np.abs(present).max(initial=0.0))
    for grain in (1.0, 4.0, 1024.0):
        with np.errstate(over="ignore"):
            scaled = present * grain
        if largest * grain * max(n, 1) < _MOST_EXACT and bool((scaled == np.floor(scaled)).all()):
            return 0.0
    return (n + 8) * 2.0**-51


def _reach(values: pl.Series) -> int:
    """The largest absolute value."""
    present = values.drop_nulls()
    return max((abs(int(each)) for each in (present.min(), present.max()) if each is not None), default=0)  # type: ignore[arg-type]


@singledispatch
def listing_of(shape: Shape) -> Listing:
    """The tables of a release whose groups list sensitive values; every other release is refused."""
    raise ParameterError(
        "only releases that list sensitive values by group have tables of bounds; use ask for any other"
    )


@listing_of.register
def _(shape: TwoTablesShape) -> Listing:
    values = plain_types(shape.two_tables.sensitive)
    secret = {name: values[name] for name in values.columns}
    return _listing(shape, ("table",), secret, int(shape.two_tables.count.sum()))


@listing_of.register
def _(shape: SubdomainsShape) -> Listing:
    seen = shape.subdomains
    if seen.values.dtype.is_temporal() and not seen.values.is_sorted():
        raise DataError(f"the published domain of {seen.column!r} is not in order; ask for a new copy")
    secret = {seen.column: plain_types(seen.values.to_frame())[seen.values.name]}
    return _listing(shape, ("table", "domain", "targets", "groups"), secret, int(seen.count.sum()))


def _listing(
    shape: TwoTablesShape | SubdomainsShape, parts: Sequence[str], secret: Mapping[str, pl.Series], n_listed: int
) -> Listing:
    names = {part: str(shape.parameters[part]) for part in parts}
    tables = {part: plain_types(shape.files[name]) for part, name in names.items()}
    distinct = {name: values.unique() for name, values in secret.items()}
    margins = {name: margin(values, n_listed, shape.n_withheld) for name, values in distinct.items()}
    return Listing(shape.parameters["group"], shape.parameters["count"], distinct, tables, names, margins, n_listed)


def plain_types(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns in the types that databases share: 64-bit numbers, dates and times, truth values, texts.

    Times with a zone become times without one, as the column's own clock has them.
    """
    changed = []
    for column in frame.iter_columns():
        dtype = column.dtype
        if dtype.is_integer():
            try:
                changed.append(column.cast(pl.Int64))
            except pl.exceptions.InvalidOperationError:
                raise ParameterError(
                    f"column {column.name!r} holds numbers past 64 bits; they cannot be asked"
                ) from None
        elif dtype.is_numeric():
            changed.append(column.cast(pl.Float64).fill_nan(None))
        elif isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
            changed.append(column.dt.replace_time_zone(None))
        elif dtype.is_temporal() or dtype == pl.Boolean:
            changed.append(column)
        else:
            changed.append(column.cast(pl.String) if not dtype.is_nested() else column)
    return pl.DataFrame(changed) if changed else frame
