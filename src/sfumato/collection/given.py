"""Answers and reports as they are given: frames of pandas, polars and pyarrow, columns, lists, baskets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from sfumato.data.baskets import Baskets
from sfumato.data.values import text
from sfumato.ground.errors import DataError
from sfumato.ground.validate import told

__all__ = ["given_baskets", "given_column", "given_frame"]


def given_frame(value: Any) -> pl.DataFrame:
    """A frame of any library as one of polars."""
    if isinstance(value, pl.DataFrame):
        return value
    import narwhals as nw

    try:
        frame: pl.DataFrame = nw.from_native(value, eager_only=True).to_polars()
        return frame
    except TypeError:
        raise DataError(f"reports are a table, as randomize returns them, got {told(value)}") from None


def given_column(value: Any, what: str) -> pl.Series:
    """A column, an array or a list of values as a series of polars; `what` names it in messages."""
    if isinstance(value, pl.Series):
        return value
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        raise DataError(f"{what} are given as a list or a column, got {told(value)}")
    if isinstance(value, np.ndarray):
        if value.ndim != 1:
            raise DataError(f"{what} are given as one column, got an array of {value.ndim} dimensions")
        return pl.Series(value)
    import narwhals as nw

    try:
        series: pl.Series = nw.from_native(value, series_only=True, eager_only=True).to_polars()
        return series
    except TypeError:
        pass
    try:
        return pl.Series(list(value))
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        raise DataError(f"{what} are of several kinds; give texts alone, or numbers alone") from None


def given_baskets(value: Any, items: Sequence[str], what: str) -> Baskets:
    """Sets as baskets over `items`, from baskets, a column of lists or a list of them; `what` names one of them.

    An item that is not in the list is refused, and so is one that stands twice in a set.
    """
    if getattr(value, "data_kind", "") == "baskets":
        row, shown, n = (
            np.repeat(np.arange(len(value)), value.sizes),
            pl.Series(value.items).gather(value.ids),
            len(value),
        )
    else:
        lists = _lists(value, what)
        lengths = lists.list.len().to_numpy().astype(np.int64)
        row, n = np.repeat(np.arange(len(lists)), lengths), len(lists)
        shown = lists.filter(lists.list.len() > 0).explode()
    lookup = pl.DataFrame({"name": pl.Series(list(items), dtype=pl.String), "id": np.arange(len(items))})
    names = shown.alias("name").cast(pl.String).to_frame()
    ids = names.join(lookup, on="name", how="left", maintain_order="left")["id"].fill_null(-1).to_numpy()
    if (ids < 0).any():
        at = int((ids < 0).argmax())
        raise DataError(
            f"{what} {int(row[at]) + 1} has {told(shown[at])}, which is none of the {len(items):,} items; leave it "
            f"out, or add it to items"
        )
    keys = np.sort(row * len(items) + ids)
    if (np.diff(keys) == 0).any():
        at = int(keys[int((np.diff(keys) == 0).argmax())] // len(items))
        raise DataError(f"{what} {at + 1} has an item twice; a set has each once")
    return Baskets(np.searchsorted(keys // len(items), np.arange(n + 1)), keys % len(items), items)


def _lists(value: Any, what: str) -> pl.Series:
    """A column of lists of texts, from one of any library or from a list of lists."""
    if not isinstance(value, pl.Series):
        if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
            raise DataError(f"{what}s are given as baskets or as lists of items, got {told(value)}")
        value = pl.Series([_texts(each, i, what) for i, each in enumerate(value)], dtype=pl.List(pl.String))
    if not isinstance(value.dtype, (pl.List, pl.Array)):
        raise DataError(f"{what}s are lists of items, and the column holds {value.dtype}")
    if value.null_count():
        raise DataError(
            f"{what} {int(value.is_null().arg_max() or 0) + 1} is missing; a set without items is an empty list"
        )
    lists: pl.Series = value.cast(pl.List(pl.String))
    return lists


def _texts(each: Any, i: int, what: str) -> list[str]:
    if isinstance(each, (str, bytes)) or not isinstance(each, Iterable):
        raise DataError(f"{what} {i + 1} is {told(each)}, and not a list of items; give one list for each")
    return [text(item) for item in each]
