"""The cells of published baskets in a text file: what readers read there, and nothing that means the same.

Lists of items are JSON as this package writes it, and thresholds are digits. Blanks, leading zeros or escapes that
stand for the same value would make records differ that are checked as equal, so they are refused.
"""

from __future__ import annotations

import json

import polars as pl

from sfumato.ground.errors import DataError

__all__ = ["LISTS", "columns_of_texts"]

LISTS = ("base", "differs")
"""The columns of published records that hold lists of items."""
_SHOWN = 60  # characters of a cell that an error names


def columns_of_texts(texts: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of a text file in their types; a cell that is not written as it should be is refused."""
    found = [
        _lists(column) if column.name in LISTS else _thresholds(column) if column.name == "threshold" else column
        for column in texts.iter_columns()
    ]
    return pl.DataFrame(found)


def _lists(column: pl.Series) -> pl.Series:
    """The lists of items that JSON texts hold."""
    return pl.Series(column.name, [_items(column.name, text) for text in column.to_list()], dtype=pl.List(pl.String))


def _items(name: str, text: str | None) -> list[str]:
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise DataError(f"column {name!r} of published baskets holds lists of items as JSON, and not {_brief(text)}")
    right = json.dumps(found, ensure_ascii=False)
    if text != right:
        raise DataError(f"column {name!r} of published baskets holds {_brief(text)}, which is written {_brief(right)}")
    return found


def _thresholds(column: pl.Series) -> pl.Series:
    """The whole numbers that texts of digits hold."""
    for text in column.unique().to_list():
        if text is None or not (text.isascii() and text.isdigit()) or len(text) > 9 or str(int(text)) != text:
            raise DataError(f"column 'threshold' of published baskets holds numbers such as 3, and not {_brief(text)}")
    return column.cast(pl.Int64)


def _brief(text: str | None) -> str:
    return "an empty cell" if text is None else repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")
