"""Table: a frame with a schema. Polars inside; pandas, polars and pyarrow in and out."""

from __future__ import annotations

import copy
import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from sfumato.data.dates import check_dates
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.hierarchy_rules import Automatic
from sfumato.data.schema import Column, Kind, Schema
from sfumato.data.values import in_zone, text
from sfumato.ground.errors import DataError, SchemaError, suggest

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd
    import pyarrow as pa

__all__ = ["Source", "Table"]

Source = Literal["polars", "pandas", "pyarrow"]
_LARGEST = 1e150
_LARGEST_WHOLE = 2**53
"""Up to here whole numbers can be computed with as doubles, and told apart."""


class Table:
    """Records about people, one a row, and what each column is.

    `frame` may come from pandas, polars or pyarrow and is never changed; `to_native` gives that type back, or the one
    that `source` names. `NaN` counts as missing.
    """

    def __init__(self, frame: Any, schema: Schema | None = None, *, source: Source | None = None) -> None:
        self._frame, given_in = _to_polars(frame)
        self._source: Source = source or given_in
        given = schema if schema is not None else Schema()
        if not isinstance(given, Schema):
            raise SchemaError(f"schema must be a Schema, got {type(given).__name__}; read a file with Schema.from_toml")
        for name in given.columns:
            if name not in self._frame.columns:
                raise SchemaError(
                    f"the schema names the column {name!r}, which the data lack{suggest(name, self._frame.columns)}"
                )
        check_dates(self._frame)
        self._frame = _cast_to_kinds(self._frame, given)
        check_dates(self._frame)
        given = given.with_kinds({name: kind_of(self._frame[name]) for name in given.columns})
        kept = _published_rows(self._frame, given)
        self._schema = given.with_columns(*_fit_hierarchies(kept, given))
        _check(self._frame, self._schema, kept)

    @property
    def frame(self) -> pl.DataFrame:
        """The records as a polars frame."""
        return self._frame

    @property
    def schema(self) -> Schema:
        """The declared columns, every kind filled in."""
        return self._schema

    @property
    def source(self) -> Source:
        """The library the records came in."""
        return self._source

    @property
    def columns(self) -> list[str]:
        """All column names, declared or not."""
        return self._frame.columns

    @property
    def undeclared(self) -> list[str]:
        """Columns that the schema does not mention."""
        return [name for name in self._frame.columns if name not in self._schema.columns]

    def __len__(self) -> int:
        return self._frame.height

    def __repr__(self) -> str:
        roles = {role: len(self._schema.named(role)) for role in ("identifier", "quasi", "sensitive", "plain")}
        shown = ", ".join(f"{n} {role}" for role, n in roles.items() if n)
        return f"Table({len(self):,} rows x {len(self.columns)} columns{': ' + shown if shown else ''})"

    def _repr_html_(self) -> str:
        return f"<p>{self!r}</p>"

    def with_schema(self, schema: Schema) -> Table:
        """The same records under another schema."""
        return Table(self._frame, schema, source=self._source)

    @property
    def complete(self) -> NDArray[np.int64]:
        """The positions of the rows that lack no value the schema insists on; the others are withheld."""
        strict = _required_columns(self._schema)
        if not strict:
            return np.arange(len(self))
        complete = self._frame.select(pl.all_horizontal(pl.col(name).is_not_null() for name in strict)).to_series()
        return complete.arg_true().to_numpy().astype(np.int64)

    def rows(self, keep: Any) -> Table:
        """Return the records at these positions; they are not checked again."""
        table = copy.copy(self)
        table._frame = self._frame[keep]
        return table

    def to_polars(self) -> pl.DataFrame:
        """As a polars frame."""
        return self._frame

    def to_pandas(self) -> pd.DataFrame:
        """As a pandas frame."""
        return self._frame.to_pandas()

    def to_arrow(self) -> pa.Table:
        """As a pyarrow table."""
        return self._frame.to_arrow()

    def to_native(self) -> Any:
        """As whatever the records came in."""
        return {"polars": self.to_polars, "pandas": self.to_pandas, "pyarrow": self.to_arrow}[self._source]()


def kind_of(series: pl.Series) -> Kind:
    """Return the kind that a column's type suggests."""
    if series.dtype.is_integer():
        return "integer"
    if series.dtype.is_numeric():
        return "number"
    if series.dtype in (pl.Date, pl.Datetime):
        return "date"
    return "category"


def _published_rows(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return the rows that will not be withheld: hierarchies are fitted to these alone, and tell nothing of others."""
    strict = _required_columns(schema)
    return frame.drop_nulls(strict) if strict else frame


def _required_columns(schema: Schema) -> list[str]:
    """The columns in which a missing value withholds the row."""
    return [column.name for column in schema.columns.values()
            if column.missing == "withhold" and column.role in ("quasi", "sensitive")]  # fmt: skip


def _fit_hierarchies(frame: pl.DataFrame, schema: Schema) -> list[Column]:
    """Return the columns whose hierarchy is automatic, each with one fitted to its data."""
    return [
        replace(column, hierarchy=Hierarchy.automatic(frame[column.name]))
        for column in schema.columns.values()
        if isinstance(column.hierarchy, Automatic)
    ]


def _to_polars(frame: Any) -> tuple[pl.DataFrame, Source]:
    if isinstance(frame, pl.DataFrame):
        native, source = frame, "polars"
    elif isinstance(frame, pl.LazyFrame):
        native, source = frame.collect(), "polars"
    else:
        import narwhals as nw
        from narwhals.exceptions import DuplicateError

        try:
            wrapped = nw.from_native(frame, eager_only=True)
            names = [str(name) for name in wrapped.columns]
        except DuplicateError:
            names = [str(name) for name in getattr(frame, "column_names", frame.columns)]
        except TypeError:
            kind = type(frame).__name__
            raise DataError(
                f"a table is made from a pandas, polars or pyarrow frame, got {kind}; files go through read_table"
            ) from None
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise DataError(f"the column {twice!r} appears twice; rename one of them")
        source = "pyarrow" if wrapped.implementation.is_pyarrow() else "pandas"
        native = _collect(wrapped)
    if "" in native.columns:
        raise DataError("a column has an empty name; give it one")
    one_zero = cs.float().fill_nan(None).replace(0.0, 0.0)  # -0 and 0 are one value
    return native.with_columns(one_zero), source  # type: ignore[return-value]


def _collect(wrapped: nw.DataFrame[Any]) -> pl.DataFrame:
    """Return the frame in polars; refuse a column that mixes types, by name."""
    import pyarrow as pa

    try:
        return wrapped.to_polars()
    except pa.ArrowException:
        for name in wrapped.columns:
            try:
                wrapped[name].to_polars()
            except pa.ArrowException:
                raise DataError(f"column {str(name)!r} mixes values of several types; bring it to one type") from None
        raise


def _cast_to_kinds(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Bring declared columns to their declared kind; refuse a value that does not fit, by name."""
    changed = []
    for column in schema.columns.values():
        series = frame[column.name]
        if column.role == "identifier":
            continue
        if isinstance(series.dtype, (pl.List, pl.Struct, pl.Array, pl.Object, pl.Binary)):
            raise SchemaError(f"column {column.name!r} holds {series.dtype}, not single values; flatten it first")
        if isinstance(series.dtype, pl.Duration):
            raise SchemaError(f"column {column.name!r} holds {series.dtype}; turn durations into numbers first")
        if isinstance(series.dtype, pl.Datetime) and series.dtype.time_unit == "ns" and column.role != "plain":
            series = series.dt.cast_time_unit("us")  # what texts of times can hold
            changed.append(series)
        kind = column.kind or kind_of(series)
        target: Any = {
            "integer": pl.Int64, "number": pl.Float64, "date": pl.Date, "category": pl.String, "ordinal": pl.String,
        }[kind]  # fmt: skip
        if target == pl.Date and series.dtype == pl.Datetime:
            continue
        if target == pl.Int64 and series.dtype.is_integer() and series.dtype not in (pl.UInt64, pl.Int128, pl.UInt128):
            continue
        if target == series.dtype:
            continue
        cast = _cast(series, target)
        bad = cast.is_null() & series.is_not_null()
        if series.dtype == pl.String and target == pl.Float64:
            bad = bad & (series.str.to_lowercase() != "nan")
        if target == pl.Int64 and series.dtype.is_numeric() and not series.dtype.is_integer():
            bad = bad | (cast.cast(pl.Float64) != series.cast(pl.Float64)).fill_null(value=False)
        if bad.any():
            row = int(bad.arg_true()[0])
            said = "declared" if column.kind is not None else "read as"
            raise SchemaError(
                f"column {column.name!r} is {said} {kind} but row {row + 1} holds {text(series[row])!r}; "
                f"mend the value or declare another kind"
            )
        changed.append(cast)
    return frame.with_columns(changed) if changed else frame


def _cast(series: pl.Series, target: Any) -> pl.Series:
    """Return the column as `target`; null where a value has no such meaning."""
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        series = series.cast(pl.String)
    if target == pl.Date and series.dtype == pl.String:
        return series.str.to_date(strict=False)
    if (target == pl.Date and series.dtype != pl.Null) or (target != pl.String and series.dtype.is_temporal()):
        return pl.repeat(None, len(series), dtype=target, eager=True).alias(series.name)  # a year is no date
    if target == pl.String and series.dtype.is_numeric() and not series.dtype.is_integer():
        return series.map_elements(text, return_dtype=pl.String)
    if target in (pl.Int64, pl.Float64) and series.dtype == pl.String:
        cast = series.str.strip_chars().cast(target, strict=False)
        return cast.fill_nan(None) if target == pl.Float64 else cast
    return series.cast(target, strict=False)  # booleans become `true` and `false`


def _check(frame: pl.DataFrame, schema: Schema, kept: pl.DataFrame) -> None:
    """Refuse data that no method could treat rightly; `kept` are the rows that will not be withheld."""
    for column in schema.columns.values():
        series = frame[column.name]
        if column.role not in ("quasi", "sensitive"):
            continue
        if frame.height and series.null_count() == frame.height:
            raise DataError(f"column {column.name!r} has no value at all; drop it or declare it plain")
        if series.null_count() and column.missing == "refuse":
            row, n = int(series.is_null().arg_true()[0]), series.null_count()
            raise DataError(
                f"column {column.name!r} has {n} missing value{'s' if n > 1 else ''}, first at row {row + 1}; "
                f"fill them in, or declare missing = 'value' or 'withhold'"
            )
        if series.dtype.is_float() and bool(series.is_infinite().any()):
            row = int(series.is_infinite().fill_null(value=False).arg_true()[0])
            raise DataError(
                f"column {column.name!r} holds {text(series[row])} at row {row + 1}; replace infinite values"
            )
        if series.dtype.is_float() and bool((series.abs() > _LARGEST).any()):
            row = int((series.abs() > _LARGEST).fill_null(value=False).arg_true()[0])
            raise DataError(
                f"column {column.name!r} holds {text(series[row])} at row {row + 1}; numbers beyond {_LARGEST:g} are "
                f"too large to compute with: scale them down"
            )
        if series.dtype.is_integer() and column.role == "quasi" and column.hierarchy is None:
            beyond = series.cast(pl.Int128).abs() > _LARGEST_WHOLE
            if bool(beyond.any()):
                row = int(beyond.fill_null(value=False).arg_true()[0])
                raise DataError(
                    f"column {column.name!r} holds {text(series[row])} at row {row + 1}; whole numbers beyond 2**53 "
                    f"cannot be told apart: declare the column a category, or drop digits"
                )
        if column.order is not None:
            odd = series.drop_nulls().unique().cast(pl.String).to_list()
            odd = sorted(set(odd) - set(column.order))
            if odd:
                raise SchemaError(
                    f"column {column.name!r} holds {odd[0]!r}, which its order lacks; add it to the order"
                )
        if column.hierarchy is not None:
            try:
                column.hierarchy.tree(kept[column.name].drop_nulls().unique().sort().to_list())
            except SchemaError as error:
                raise SchemaError(f"the hierarchy of column {column.name!r} {error}") from None
        _check_bounds(series, column.name, column.low, column.high)


def _check_bounds(series: pl.Series, name: str, low: Any, high: Any) -> None:
    if low is None and high is None:
        return
    if not (series.dtype.is_numeric() or series.dtype.is_temporal()):
        raise SchemaError(f"column {name!r} is a category and takes no bounds; remove low and high")
    if series.dtype.is_integer():
        series = series.cast(pl.Int128)
    for bound, word in ((low, "below its low"), (high, "above its high")):
        if bound is None:
            continue
        if isinstance(bound, dt.date) != series.dtype.is_temporal():
            holds, wanted = ("dates", "date") if series.dtype.is_temporal() else ("numbers", "number")
            raise SchemaError(f"column {name!r} holds {holds}, but its bound is {text(bound)}; give a {wanted}")
        values, limit = _comparable(series, bound, name)
        outside = values < limit if word == "below its low" else values > limit
        if bool(outside.any()):
            row = int(outside.fill_null(value=False).arg_true()[0])
            raise DataError(
                f"column {name!r} holds {text(series[row])} at row {row + 1}, {word} {text(bound)}; "
                f"widen the bound or mend the value"
            )


def _comparable(series: pl.Series, bound: Any, name: str) -> tuple[pl.Series, Any]:
    """Return the column and a bound as polars can compare them: both without a time zone, or both in UTC."""
    if not isinstance(series.dtype, pl.Datetime):
        return series, bound
    moment = in_zone(bound, series.dtype.time_zone)
    if not isinstance(moment, dt.datetime):
        moment = dt.datetime.combine(moment, dt.time())
    if series.dtype.time_zone is not None:
        return series.dt.convert_time_zone("UTC"), moment.astimezone(dt.UTC)
    if moment.tzinfo is not None:
        raise SchemaError(f"column {name!r} has no time zone, but its bound {text(bound)} has; remove it")
    return series, moment
