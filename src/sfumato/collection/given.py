"""Answers and reports as they are given: frames of pandas, polars and pyarrow, columns, lists, baskets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
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

    if not nw.dependencies.is_into_dataframe(value):
        raise DataError(f"reports and answers are a table, such as randomize returns, got {told(value)}")
    try:
        frame: pl.DataFrame = nw.from_native(value, eager_only=True).to_polars()
    except Exception:  # each library has errors of its own
        raise DataError(
            "the table cannot be read; give each column a name of its own, and texts alone or numbers alone in it"
        ) from None
    return frame


def given_column(value: Any, what: str) -> pl.Series:
    """A column, an array or a list of values as a series of polars; `what` names it in messages."""
    if isinstance(value, pl.Series):
        return value
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        raise DataError(f"{what} are given as a list or a column, got {told(value)}")
    if isinstance(value, (Set, Mapping)):
        raise DataError(f"{what} are given as a list or a column, and a {type(value).__name__} has no order")
    if isinstance(value, np.ndarray) and value.ndim != 1:
        raise DataError(f"{what} are given as one column, got an array of {value.ndim} dimensions")
    import narwhals as nw

    if nw.dependencies.is_into_dataframe(value):
        raise DataError(f"{what} are given as one column, got a table; take the column out of it")
    try:
        if nw.dependencies.is_into_series(value) and not isinstance(value, np.ndarray):
            series: pl.Series = nw.from_native(value, series_only=True, eager_only=True).to_polars()
            return series
        if isinstance(value, np.ndarray) and value.dtype != object:
            return pl.Series(value)
        return pl.Series(_of_one_kind(value.to_pylist() if hasattr(value, "to_pylist") else list(value)))
    except Exception:  # each library has errors of its own
        raise DataError(f"{what} are of several kinds, or of none that is known; give texts or numbers alone") from None


def _of_one_kind(values: list[Any]) -> list[Any]:
    """The values, whole numbers beside others as floats that keep them; what is not of one kind is refused."""
    kinds = {type(each.item() if isinstance(each, np.generic) else each) for each in values if each is not None}
    if kinds == {int, float}:
        if any(abs(each) > 2**53 for each in values if isinstance(each, int)):
            raise TypeError
        return [None if each is None else float(each) for each in values]
    if len(kinds) > 1:
        raise TypeError
    return values


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
        no_list = isinstance(value, (str, bytes, Set, Mapping)) or not hasattr(value, "__len__")
        if no_list or getattr(value, "ndim", 1) != 1:
            raise DataError(f"{what}s are given as baskets or as a list of lists of items, got {told(value)}")
        value = pl.Series([_texts(each, i, what) for i, each in enumerate(value)], dtype=pl.List(pl.String))
    if not isinstance(value.dtype, (pl.List, pl.Array)):
        raise DataError(f"{what}s are lists of items, and the column holds {value.dtype}")
    if value.dtype.inner.is_nested() or value.dtype.inner in (pl.Object, pl.Binary):
        raise DataError(f"{what}s are lists of items, each a text or a number, and the column holds {value.dtype}")
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
