"""The samples that a large table is compared on: drawn once from the seed, each smaller one out of the larger.

The rows are put into a random order, and a sample is the first n of them: the same whatever larger sample they are part
of, so that what was found on them can be kept. Ends of ranges and lists of values stay those of the whole table, since
losses are shares of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.schema import Column
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import any_whole
from sfumato.privacy.promise import Promise

__all__ = ["FEWEST_CLASSES", "check_room", "drawn", "n_sampled", "sizes_of"]

WHOLE_UP_TO = 200_000
"""Tables of more rows are compared on samples, unless all rows are asked for."""
FEWEST_SAMPLED, LARGEST_FACTOR = 60_000, 16
"""How many rows the largest sample has at the least, unless another number is asked for; how many times as many rows
the table may have, so that no figure is extrapolated farther than was measured."""
FEWEST_CLASSES = 20
"""How many of the smallest classes that a promise allows must fit into the smallest sample."""
_FEWEST_ROWS = 400


def n_sampled(data: Table | Baskets | Graph, sample: int | None) -> int | None:
    """How many rows the largest sample has; None where all are looked at."""
    if sample is not None:
        any_whole("sample", sample, least=1)
        if data.data_kind != "table":
            raise ParameterError(
                f"only tables are compared on samples, and the data are {type(data).__name__}; leave sample out"
            )
    if data.data_kind != "table" or len(data) <= (WHOLE_UP_TO if sample is None else sample):
        return None
    n = max(FEWEST_SAMPLED, -(-len(data) // LARGEST_FACTOR)) if sample is None else int(sample)
    if n < _FEWEST_ROWS:
        raise ParameterError(f"sample must be {_FEWEST_ROWS} rows or more, got {n}; leave it out for a good number")
    return n


def check_room(n: int, promises: Sequence[Promise]) -> None:
    """Refuse a sample whose quarter has no room for the classes of some promise."""
    for promise in promises:
        needed = 4 * FEWEST_CLASSES * max((part.min_size() for part in promise.parts), default=1)
        if n < needed:
            raise ParameterError(f"sample must be {needed:,} rows or more for {promise!r}, got {n:,}; give more rows")


def sizes_of(n: int) -> tuple[int, int, int]:
    """The sizes of the samples, from the largest on: n, a half and a quarter of it."""
    return n, n // 2, n // 4


def drawn(table: Table, n: int, seed: Seed) -> Table:
    """The first `n` rows of the random order, with the ranges and lists of values that the whole table has."""
    order = Randomness(seed).spawn("compare: samples").permutation(len(table))
    bounded = [_with_domain(column, table.frame[column.name]) for column in table.schema.columns.values()]
    whole = table.with_schema(table.schema.with_columns(*bounded))
    return whole.rows(order[:n])


def _with_domain(column: Column, values: pl.Series) -> Column:
    """The column, with the domain that its values have in the whole table where it declares none."""
    if column.role != "quasi" or column.hierarchy is not None:
        return column
    if column.kind == "category" and column.order is None:
        return replace(column, order=tuple(values.cast(pl.String).drop_nulls().unique().sort()))
    if column.kind in ("integer", "number", "date"):
        low = values.min() if column.low is None else column.low
        high = values.max() if column.high is None else column.high
        if low is not None and high is not None and low < high:  # type: ignore[operator]
            return replace(column, low=low, high=high)
    return column
