"""The finite domain of a sensitive column: its values in order, where each record lies, and a tree over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import encode_series
from sfumato.data.schema import Column
from sfumato.data.shown import parse_bound
from sfumato.data.tree import Tree
from sfumato.data.values import as_number, date_from_text, text
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from sfumato.published.tables.subdomain_lists import subdomain_texts
from sfumato.tables.distribution.annotated import TreeShape, balanced_tree, shape_of_hierarchy

__all__ = ["Domain", "read_domain"]

_MOST_VALUES = 1_000_000


@dataclass(frozen=True, eq=False)
class Domain:
    """Values in order; a subdomain is a contiguous range of their places."""

    values: pl.Series
    places: NDArray[np.int64]
    """For every record, the place of its value."""
    positions: NDArray[np.float64]
    """Where the values lie: as numbers, or their places."""
    shape: TreeShape
    tree: Tree | None
    ordered: bool
    """Whether any contiguous range means something to people: numbers, dates and ordinals."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def texts(self) -> list[str]:
        """The values as text."""
        return [text(value) for value in self.values.to_list()]

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The values as numbers; None where they are neither numbers nor dates."""
        return self.positions if self.values.dtype.is_numeric() or self.values.dtype.is_temporal() else None

    @property
    def ranges(self) -> NDArray[np.float64]:
        """What a copy of each node of the tree costs: its width, for categories the number of its values."""
        shape = self.shape
        if self.ordered:
            return self.positions[shape.last] - self.positions[shape.first]
        return (shape.last - shape.first + 1).astype(np.float64)

    def range_texts(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> list[str]:
        """The text of every subdomain from `first` to `last`: a value, a range, a set, or the label of a node."""
        return subdomain_texts(self.values, self.tree, first, last, ordered=self.ordered)


def read_domain(series: pl.Series, column: Column, given: str | Sequence[Any] | None, arity: int) -> Domain:
    """The domain of a column: the values that occur, every whole number between the least and the greatest, or a list.

    The tree is the column's own hierarchy, where it has one and no domain is given, else a balanced one.
    """
    if series.null_count():
        raise DataError(
            f"column {column.name!r} has {series.null_count():,} missing values, which no distribution over its values "
            f"has a place for; declare missing = 'withhold' to leave their rows out"
        )
    if series.dtype.is_integer():
        series = series.cast(pl.Int64)
    if column.hierarchy is not None and given is None:
        return _by_hierarchy(series, column)
    if column.kind == "ordinal" and given is not None:
        raise ParameterError(
            f"column {column.name!r} is ordinal, and its order is its domain; leave domain out, or change the order"
        )
    if column.kind == "ordinal":
        assert column.order is not None
        values = pl.Series(column.name, list(column.order), dtype=pl.String)
        series = series.cast(pl.String)
    elif isinstance(given, str):
        if given != "integers" or column.kind != "integer":
            raise ParameterError(
                f"domain must be 'integers' (of a column of whole numbers) or a list of values, got {given!r}"
            )
        values = _whole_numbers_between(series, column)
    elif given is not None:
        series = series if column.kind in ("integer", "number", "date") else series.cast(pl.String)
        values = _values_from_list(series, column, given)
    else:
        series = series if column.kind in ("integer", "number", "date") else series.cast(pl.String)
        values = series.unique().sort()
    ordered = column.kind in ("integer", "number", "date", "ordinal")
    places = _places_of(series, values, column)
    return Domain(values, places, _positions(values), balanced_tree(len(values), arity), None, ordered)


def _whole_numbers_between(series: pl.Series, column: Column) -> pl.Series:
    """Every whole number from the smallest to the largest value of a column."""
    low = int(column.low if column.low is not None else series.min())  # type: ignore[arg-type]
    high = int(column.high if column.high is not None else series.max())  # type: ignore[arg-type]
    if high - low >= _MOST_VALUES:
        raise ParameterError(
            f"column {column.name!r} has {high - low + 1:,} whole numbers between {low} and {high}, more than "
            f"{_MOST_VALUES:,}; leave domain out to take those that occur"
        )
    return pl.Series(column.name, np.arange(low, high + 1), dtype=series.dtype)


def _values_from_list(series: pl.Series, column: Column, given: Sequence[Any]) -> pl.Series:
    """The values that the owner lists, in the column's type."""
    try:
        listed = list(given)
        if column.kind == "date":
            listed = [date_from_text(value) for value in listed]
        elif column.kind == "integer":
            listed = [int(value) if isinstance(value, float) and value.is_integer() else value for value in listed]
        elif column.kind != "number":
            listed = [text(value) for value in listed]
        values = pl.Series(column.name, listed, dtype=pl.String if column.kind == "category" else series.dtype)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        raise ParameterError(f"domain must list values of column {column.name!r}, got {given!r}") from None
    if values.dtype.is_float() and not values.is_finite().all():
        raise ParameterError(f"domain must list finite numbers for column {column.name!r}, got {given!r}")
    if values.null_count() or values.n_unique() < len(values) or not len(values):
        raise ParameterError(f"domain must list every value of column {column.name!r} once")
    return values.sort() if column.kind in ("integer", "number", "date") else values


def _places_of(series: pl.Series, values: pl.Series, column: Column) -> NDArray[np.int64]:
    """The place of every record's value in the domain; refused where one is not in it."""
    if series.dtype.is_integer() and len(values) and int(values[-1]) - int(values[0]) == len(values) - 1:
        places = (series.cast(pl.Int64) - int(values[0])).to_numpy()
        inside = bool(((places >= 0) & (places < len(values))).all())
    else:
        lookup = pl.DataFrame({"value": values, "place": np.arange(len(values))})
        found = pl.DataFrame({"value": series}).join(lookup, on="value", how="left", maintain_order="left")["place"]
        inside, places = not found.null_count(), found.fill_null(-1).to_numpy()
    if not inside:
        outside = series.filter(~series.is_in(values.implode()))[0]
        raise ParameterError(f"column {column.name!r} holds {text(outside)!r}, which is not in the domain; list it too")
    return places.astype(np.int64)


def _positions(values: pl.Series) -> NDArray[np.float64]:
    """Where values lie: numbers and dates as numbers, others by their place."""
    if values.dtype == pl.String:
        return np.arange(len(values), dtype=np.float64)
    if values.dtype.is_numeric():
        return values.cast(pl.Float64).to_numpy()
    return np.array([as_number(value) for value in values.to_list()], dtype=np.float64)


def _by_hierarchy(series: pl.Series, column: Column) -> Domain:
    """The domain of a column with a hierarchy: its leaves, and the hierarchy as the tree."""
    coded = encode_series(series, column)
    tree = coded.tree
    assert tree is not None
    numeric = column.kind in ("integer", "number", "date")
    values = pl.Series(column.name, list(tree.leaves), dtype=pl.String)
    if numeric:
        kind = str(column.kind)
        try:
            values = pl.Series(column.name, [parse_bound(leaf, kind) for leaf in tree.leaves]).cast(series.dtype)
        except (DataError, pl.exceptions.PolarsError):
            raise SchemaError(
                f"the hierarchy of column {column.name!r} names values that are no {kind}; mend it, or declare the "
                f"column a category"
            ) from None
        if not values.is_sorted():
            raise SchemaError(
                f"the hierarchy of column {column.name!r} does not keep its values in order; "
                f"leave it out, or declare the column a category"
            )
    return Domain(values, coded.codes.astype(np.int64), _positions(values), shape_of_hierarchy(tree), tree, numeric)
