"""Records of a stream as numbers and codes: kinds and types are those of the first records, and stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.missing_codes import without_codes
from sfumato.data.numbers import as_numbers
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table, kind_of
from sfumato.data.values import as_number, in_zone, text
from sfumato.ground.errors import DataError, SchemaError, SfumatoError, suggest
from sfumato.tables.condensing.drawing import counts_as_number

__all__ = ["StreamColumns", "polars_type"]


class StreamColumns:
    """The columns of a stream, by kind, and every category that came, in the order of coming."""

    def __init__(self, schema: Schema) -> None:
        self.columns = [column for column in schema.columns.values() if column.role != "identifier"]
        if not self.columns:
            raise SchemaError("no column is declared that could be condensed; name some, as in quasi=['age']")
        self.dtypes: dict[str, str] = {}
        """The type of each column as the first records had it; empty before any came."""
        self.values: list[tuple[str, str | None]] = []
        """Column and text of every category, None for a missing one; its place is its code."""
        self._codes: dict[tuple[str, str | None], int] = {}

    @property
    def numeric(self) -> list[Column]:
        """The columns that are kept as means and covariances."""
        return [column for column in self.columns if counts_as_number(column)]

    @property
    def categories(self) -> list[Column]:
        """The columns that are kept as frequencies."""
        return [column for column in self.columns if not counts_as_number(column)]

    def codes_of(self, name: str) -> list[int]:
        """The codes of a column's categories."""
        return [code for code, (column, _) in enumerate(self.values) if column == name]

    def add_categories(self, values: Sequence[tuple[str, str | None]]) -> None:
        """Give codes to categories that have none yet."""
        for each in values:
            if each not in self._codes:
                self._codes[each] = len(self.values)
                self.values.append(each)

    def restore(
        self, kinds: Mapping[str, Any], dtypes: Mapping[str, str], values: Sequence[tuple[str, str | None]]
    ) -> None:  # fmt: skip
        """Take over the kinds, types and categories of an earlier stream of the same schema."""
        self.columns = [replace(column, kind=kinds[column.name]) for column in self.columns]
        self.dtypes = dict(dtypes)
        self.add_categories(values)

    def read(self, records: Any) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
        """The numbers (NaN: missing) and the codes of records, a row each, and how many records were withheld.

        Withheld are records that lack a value in a column declared so. Either all is read, or nothing changes.
        """
        before = list(self.columns), self.dtypes
        try:
            frame = self._cast_columns(_as_frame(records))
            strict = [column.name for column in self.columns if column.missing == "withhold"]
            kept = frame.drop_nulls(strict) if strict else frame
            for column in self.columns:
                self._check(kept[column.name], column)
        except SfumatoError:
            self.columns, self.dtypes = before
            raise
        n = kept.height
        numbers = np.array([as_numbers(kept[column.name]) for column in self.numeric]).reshape(-1, n).T
        codes = np.empty((n, len(self.categories)), dtype=np.int64)
        for c, column in enumerate(self.categories):
            texts = kept[column.name].cast(pl.String)
            distinct = texts.unique(maintain_order=True)
            self.add_categories([(column.name, value) for value in distinct.to_list()])
            own = pl.DataFrame({"text": distinct, "code": [self._codes[column.name, value] for value in distinct]})
            joined = pl.DataFrame({"text": texts}).join(
                own, on="text", how="left", nulls_equal=True, maintain_order="left"
            )
            codes[:, c] = joined["code"].to_numpy()
        return np.ascontiguousarray(numbers), codes, frame.height - n

    def _cast_columns(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The columns of the stream, cast to the types that the first records had."""
        for column in self.columns:
            if column.name not in frame.columns:
                raise SchemaError(
                    f"the records have no column {column.name!r}{suggest(column.name, frame.columns)}"
                )  # fmt: skip
        if not self.dtypes:
            self._infer_kinds(frame)
        plain = Schema.of(replace(column, role="plain", hierarchy=None) for column in self.columns)
        typed = Table(frame.select(list(plain.columns)), plain).frame
        if not self.dtypes:
            self.dtypes = {name: _type_name(typed[name].dtype) for name in typed.columns}
        return typed.with_columns(_cast(typed[name], dtype) for name, dtype in self.dtypes.items())

    def _infer_kinds(self, frame: pl.DataFrame) -> None:
        """Declare the kind of every column without one, by the first records."""
        for at, column in enumerate(self.columns):
            series = without_codes(frame[column.name], column)
            if column.kind is None and series.dtype == pl.Null:
                raise DataError(
                    f"column {column.name!r} has no value in the first records, so that its kind is not known; "
                    f"declare it, as in kinds={{{column.name!r}: 'number'}}"
                )
            if column.kind is None:
                self.columns[at] = replace(column, kind=kind_of(series))

    @staticmethod
    def _check(series: pl.Series, column: Column) -> None:
        """Refuse values that the column may not hold."""
        if column.missing == "refuse" and series.null_count():
            row = int(series.is_null().arg_true()[0])
            raise DataError(f"column {column.name!r} has no value at row {row + 1} of these records; fill it in")
        if not (series.dtype.is_numeric() or series.dtype.is_temporal()):
            return
        numbers = as_numbers(series)
        zone = getattr(series.dtype, "time_zone", None)
        low, high = (as_number(in_zone(end, zone)) if end is not None else None for end in (column.low, column.high))
        bad = np.isinf(numbers) | (np.abs(numbers) > 1e150)
        bad |= (numbers < low) if low is not None else False
        bad |= (numbers > high) if high is not None else False
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise DataError(
                f"column {column.name!r} holds {text(series[row])} at row {row + 1} of these records, outside of what "
                f"it may hold; mend the value or widen the bounds"
            )


def _as_frame(records: Any) -> pl.DataFrame:
    """Records as a frame: a Table, a frame of any library, one mapping or several."""
    if isinstance(records, Table):
        return records.frame
    if isinstance(records, Mapping) and not hasattr(records, "columns"):
        records = [records]
    if isinstance(records, (list, tuple)):
        if not all(isinstance(record, Mapping) for record in records):
            raise DataError("records are mappings from column to value, or a frame; got a list of something else")
        try:
            return pl.DataFrame(list(records), infer_schema_length=None)
        except (pl.exceptions.PolarsError, TypeError) as error:
            raise DataError(f"the records do not make a table: {str(error).splitlines()[0]}") from None
    return Table(records).frame


def _type_name(dtype: pl.DataType) -> str:
    """The name of a type in a saved stream."""
    if isinstance(dtype, pl.Datetime):
        return " ".join(["time", dtype.time_unit, *([dtype.time_zone] if dtype.time_zone else [])])
    if dtype == pl.Date:
        return "date"
    return "integer" if dtype.is_integer() else "number" if dtype.is_float() else "text"


def polars_type(named: str) -> Any:
    """The polars type for the name of a type in a saved stream."""
    if named.startswith("time"):
        unit, zone = (*named.split(" ")[1:], None)[:2]
        return pl.Datetime(unit or "us", zone)  # type: ignore[arg-type]
    return {"date": pl.Date, "integer": pl.Int64, "number": pl.Float64, "text": pl.String}[named]


def _cast(series: pl.Series, named: str) -> pl.Series:
    """The series as the type of that name; refused where a value does not fit."""
    wanted = polars_type(named)
    try:
        return series.cast(wanted)
    except pl.exceptions.PolarsError:
        raise DataError(
            f"column {series.name!r} held {named}s before, and does not now; bring it to one type"
        ) from None
