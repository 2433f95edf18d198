"""FIMI text: a line for each record, with blanks between its items.

Words are cut out of the bytes by array operations and never become Python objects one by one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.ground.errors import DataError

__all__ = ["as_whole_numbers", "from_lines"]

_BLANK = np.isin(np.arange(256), list(b" \t\v\f\n"))
_WHOLE = r"^(?:0|-?[1-9][0-9]{0,17})$"


def from_lines(file: Path, content: bytes, *, sure: bool) -> Baskets:
    """Read the records of a text in UTF-8; unless it is `sure` to be FIMI, text that looks otherwise is refused."""
    chars = np.frombuffer(content, dtype=np.uint8)
    solid = ~_BLANK[chars]
    edges = np.flatnonzero(np.diff(solid, prepend=False, append=False))
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        raise DataError(f"file '{file}' has lines and no items on them; give at least one item")
    record = np.searchsorted(np.flatnonzero(chars == ord("\n")), starts)
    n_records = content.count(b"\n") + (not content.endswith(b"\n"))
    words = _words_of_lengths(chars[solid], ends - starts)
    items = as_whole_numbers(words)
    if not sure:
        _check_words(file, words, record)
        if items.dtype.is_integer() and set(items.unique()) == {0, 1} and len(items) > 2 * n_records:
            raise DataError(
                f"file '{file}' holds nothing but 0 and 1, as a table with a column for each item does; save it as CSV "
                f"with the names of the items and say format='one-hot', or say format='fimi' if they are the items"
            )
    if items.dtype.is_integer() and (items < 0).any():
        at = int((items < 0).arg_max() or 0)
        raise DataError(
            f"file '{file}', line {record[at] + 1}: the item {items[at]} is negative; number items from 0, and end "
            f"a record by the end of its line"
        )
    return Baskets.from_pairs(record, items, n_records)


def _words_of_lengths(chars: NDArray[np.uint8], lengths: NDArray[np.int64]) -> pl.Series:
    """Cut the characters into words of these lengths, which stand end to end."""
    import pyarrow as pa

    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return pl.Series(
        "item", pa.LargeStringArray.from_buffers(len(lengths), pa.py_buffer(offsets.data), pa.py_buffer(chars.data))
    )


def _check_words(file: Path, words: pl.Series, record: NDArray[np.int64]) -> None:
    odd = words.str.contains(r'[,;|"]|^(?:#|%|//)$')
    if odd.any():
        at = int(odd.arg_max() or 0)
        raise DataError(
            f"file '{file}', line {record[at] + 1}: {words[at][:40]!r} does not look like an item; put blanks "
            f"between items, leave comments out, save a table as .csv, or say format='fimi' if it is an item"
        )


def as_whole_numbers(words: pl.Series) -> pl.Series:
    """Return the words as whole numbers where all of them are; 007 is a name and no number."""
    return words.cast(pl.Int64) if len(words) and words.str.contains(_WHOLE).all() else words
