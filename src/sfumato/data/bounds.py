"""The ends of ranges as numbers beside their text: `age_low` and `age_high`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import polars as pl

from sfumato.data.schema import Schema
from sfumato.data.shown import parse, parse_bound
from sfumato.ground.errors import ReleaseError

__all__ = ["add_bounds", "drop_bounds"]

_TYPES = {"integer": pl.Int64, "number": pl.Float64}


def add_bounds(
    frame: pl.DataFrame, forms: Mapping[str, str], schema: Schema
) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Return the frame with two more columns for each range of numbers or dates, and their names by column."""
    names: dict[str, list[str]] = {}
    for name, form in forms.items():
        if form == "range" and schema.column(name).kind in ("integer", "number", "date"):
            low, high = f"{name}_low", f"{name}_high"
            while low in frame.columns or high in frame.columns:
                low, high = f"{low}_", f"{high}_"
            frame = frame.with_columns(_bounds(frame[name], str(schema.column(name).kind), low, high))
            names[name] = [low, high]
    return frame, names


def _bounds(shown: pl.Series, kind: str, low: str, high: str) -> list[pl.Series]:
    distinct = shown.unique()
    ends: list[tuple[Any, Any]] = []
    for text in distinct.to_list():
        cell = parse(text, "range")
        known = cell.low is not None and cell.high is not None
        ends.append((parse_bound(str(cell.low), kind), parse_bound(str(cell.high), kind)) if known else (None, None))
    dtype: Any = _TYPES.get(kind)
    if dtype is None:
        ends, dtype = _same_type(ends)
    table = pl.DataFrame(
        {
            "shown": distinct,
            low: pl.Series([a for a, _ in ends], dtype=dtype),
            high: pl.Series([b for _, b in ends], dtype=dtype),
        }
    )
    joined = pl.DataFrame({"shown": shown}).join(table, on="shown", how="left", nulls_equal=True, maintain_order="left")
    return [joined[low], joined[high]]


def _same_type(ends: list[tuple[Any, Any]]) -> tuple[list[tuple[Any, Any]], Any]:
    """Bring the ends to one type: dates, or times where some have a time of day, in UTC where they have a zone."""
    moments = [end for pair in ends for end in pair if isinstance(end, dt.datetime)]
    if not moments:
        return ends, pl.Date
    zone = dt.UTC if any(moment.tzinfo is not None for moment in moments) else None

    def moment(end: Any) -> Any:
        if end is None:
            return None
        whole = end if isinstance(end, dt.datetime) else dt.datetime.combine(end, dt.time())
        return whole.astimezone(zone) if whole.tzinfo is not None else whole.replace(tzinfo=zone)

    return [(moment(a), moment(b)) for a, b in ends], pl.Datetime("us", "UTC" if zone is not None else None)


def drop_bounds(
    frame: pl.DataFrame,
    names: Mapping[str, list[str]],
    forms: Mapping[str, str],
    schema: Schema,
    *,
    texts: bool = False,
) -> pl.DataFrame:
    """Return the frame without its bounds; refuse bounds that disagree with the text of the ranges.

    With `texts`, the frame is a CSV file as the texts of its cells, and bounds must be written as releases write them.
    """
    plain = frame.drop([column for pair in names.values() for column in pair])
    again, renamed = add_bounds(plain, {name: forms[name] for name in names}, schema)
    for name, pair in names.items():
        if len(pair) != len(renamed.get(name, [])):
            raise ReleaseError(f"column {name!r} has no bounds of its own; was the certificate edited by hand?")
        for column, fresh in zip(pair, renamed[name], strict=True):
            given, own = frame[column], again[fresh]
            if not (_same_cells(given, own) if texts else _same_values(given, own)):
                raise ReleaseError(f"the numbers in column {column!r} do not agree with the ranges in {name!r}")
    return plain


def _same_values(given: pl.Series, own: pl.Series) -> bool:
    return given.dtype == own.dtype and given.cast(pl.String).equals(own.cast(pl.String), null_equal=True)


def _same_cells(given: pl.Series, own: pl.Series) -> bool:
    """Whether a column of texts is what a CSV file shows of a column of numbers or dates."""
    return given.to_frame("bound").write_csv() == own.to_frame("bound").write_csv()
