"""Sets of items in tables of a survey, which any format must hold: answers as texts, reports as bits."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sfumato.collection.randomizers.itemsets import ItemsetRandomizer
from sfumato.collection.randomizers.randomizer import Randomizer
from sfumato.ground.errors import DataError
from sfumato.ground.validate import told

__all__ = ["sets_of_texts", "without_lists"]


def sets_of_texts(column: pl.Series, items: Sequence[str]) -> pl.Series:
    """Lists of items from texts with ; between them, as a CSV has them; an empty cell is a set without items.

    What is no text is returned as it is; a text of digits alone may have been read as a whole number.
    """
    if column.dtype not in (pl.String, pl.Null) and not column.dtype.is_integer():
        return column
    split = next((item for item in items if ";" in item or item != item.strip() or not item), None)
    if split is not None:
        raise DataError(
            f"sets are written with ; between their items, and {told(split)} cannot be told so; give lists of items, "
            f"as a Parquet file holds them"
        )
    parts = column.cast(pl.String).fill_null("").str.split(";")
    return parts.list.eval(pl.element().str.strip_chars()).list.eval(pl.element().filter(pl.element() != ""))


def without_lists(randomizer: Randomizer, reports: pl.DataFrame) -> pl.DataFrame:
    """Reports of a randomizer in columns that every format holds: sets as bits."""
    return randomizer.bits_frame(reports) if isinstance(randomizer, ItemsetRandomizer) else reports
