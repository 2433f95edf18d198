"""Settings, rows and bodies for the tests of pattern preservation, made in the shortest way."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.properties import check_properties
from sfumato.tables.pattern.pattern_preserving import PatternPreserving
from sfumato.tables.pattern.polytope import bodies
from sfumato.tables.pattern.rows import Rows, stack
from sfumato.tables.pattern.table_view import TableView


def table_of(columns, **schema):
    """A table; columns of numbers and dates are quasi unless the schema says otherwise."""
    frame = pl.DataFrame(columns)
    if "quasi" not in schema:
        schema["quasi"] = [name for name in frame.columns if frame[name].dtype not in (pl.String, pl.Boolean)]
    return Table(frame, Schema(rest="plain", **schema))


def as_numbers(frame, names):
    """Numbers by cell, one line per column; NaN where missing; dates and times in days since 1970."""
    lines = [[_as_number(value) for value in frame[name]] for name in names]
    return np.array(lines, dtype=np.float64).reshape(len(lines), frame.height)


def _as_number(value):
    if value is None:
        return float("nan")
    if isinstance(value, dt.datetime):
        return (value - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)
    return float((value - dt.date(1970, 1, 1)).days if isinstance(value, dt.date) else value)


def setting_of(columns, partition=None, seed=1, **schema):
    """What a property is extracted from."""
    table = table_of(columns, **schema)
    names = tuple(table.schema.quasi)
    given = np.zeros(len(table)) if partition is None else partition
    return TableView(
        table, names, as_numbers(table.frame, names), np.asarray(given, dtype=np.int64), Randomness(seed)
    )  # fmt: skip


def publish(table, keep, seed=1, promise=None, **parameters):
    """The outcome of PatternPreserving, without the rest of a release."""
    with steps(4) as progress:
        return PatternPreserving(keep, **parameters).run(table, promise, Randomness(seed), progress)


def checked(table, outcome):
    """The check of all properties, on the published frame alone."""
    return check_properties(outcome.files["properties"], as_numbers(outcome.frame, table.schema.quasi))


def dense(rows, n):
    """The coefficients as a matrix."""
    matrix = np.zeros((rows.n, n))
    for r in range(rows.n):
        for q in range(rows.indptr[r], rows.indptr[r + 1]):
            matrix[r, rows.variable[q]] += rows.coefficient[q]
    return matrix


def hold(rows, x, tolerance=1e-9):
    """Whether every row holds at `x`, by plain matrices."""
    over = dense(rows, len(x)) @ x - rows.bound
    return bool((np.where(rows.equal, np.abs(over), over) <= tolerance).all())


def row(weights, bound=0.0, *, equal=False, source=0):
    """One row from {variable: coefficient}."""
    return Rows.of(
        np.array([list(weights)], dtype=np.int64), list(weights.values()), bound, equal=equal, source=source
    )  # fmt: skip


def ordered(n):
    """x_0 <= x_1 <= ... <= x_{n-1}."""
    return stack([row({i: 1.0, i + 1: -1.0}) for i in range(n - 1)])


def bodies_of(values, rows, low=0.0, high=1.0, ties=None, names=("first", "second", "third", "fourth")):
    """The bodies of these values between common bounds."""
    x = np.asarray(values, dtype=np.float64)
    given = np.arange(len(x)) if ties is None else np.asarray(ties)
    return bodies(x, np.full(len(x), float(low)), np.full(len(x), float(high)), rows, given, names)


def body_of(values, rows, low=0.0, high=1.0, ties=None):
    """The one body of these values."""
    (body,) = bodies_of(values, rows, low, high, ties)
    return body


def sorted_table(n=120):
    """A file in the order of one of its columns, as files are."""
    random = Randomness(8)
    frame = pl.DataFrame({"age": np.sort(18 + random.integers(70, size=n)), "cost": random.integers(900, size=n),
                          "s": [f"v{i % 5}" for i in range(n)]})  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["age", "cost"], sensitive=["s"]))
