"""One value is written in one way: what a column is read as must not hide how its cells differ.

A column whose cells are compared after a cast may carry a mark in every row, such as `7`, `07` and `+7`, that readers
of the file see and a check of the values does not.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from sfumato.ground.errors import DataError

__all__ = ["refuse_marked_numbers", "refuse_other_types", "refuse_two_ways"]


def refuse_other_types(held: pl.DataFrame, read: pl.DataFrame) -> None:
    """Refuse columns of a file that holds types (`held`) that are read as something else than they are (`read`)."""
    for name in held.columns:
        given, own = held[name].dtype, read[name].dtype
        if given != own and not (own == pl.String and isinstance(given, (pl.Categorical, pl.Enum))):
            raise DataError(f"column {name!r} holds {_in_words(given)}, and the release says that it is something else")


def refuse_two_ways(held: pl.DataFrame, read: pl.DataFrame) -> None:
    """Refuse columns of text (`held`) that write one value (`read`) in two ways."""
    for name in held.columns:
        if held[name].dtype == read[name].dtype:
            continue
        ways = pl.DataFrame([held[name].alias("text"), read[name].alias("value")]).unique()
        twice = ways.filter(pl.col("value").is_duplicated()).sort("text")
        if twice.height:
            a, b = twice["text"].head(2).to_list()
            raise DataError(f"column {name!r} writes one value in two ways, {a!r} and {b!r}")


def refuse_marked_numbers(frame: pl.DataFrame, names: Iterable[str]) -> None:
    """Refuse columns that hold both 0 and -0, or both NaN and nothing, or different NaN.

    The first two are one number, the others one missing value, and would tell rows apart that show the same.
    """
    for name in names:
        if name not in frame.columns or not frame[name].dtype.is_float():
            continue
        numbers = frame[name].drop_nulls().to_numpy()
        signs = np.signbit(numbers[numbers == 0.0])
        if signs.any() and not signs.all():
            raise DataError(f"column {name!r} writes one value in two ways, '0.0' and '-0.0'")
        lacking = numbers[np.isnan(numbers)]
        bits = np.unique(lacking.view(np.uint32 if lacking.dtype == np.float32 else np.uint64))
        if len(bits) + bool(frame[name].null_count()) > 1:
            raise DataError(f"column {name!r} writes a missing value in two ways, as NaN and as nothing or another NaN")


def _in_words(dtype: pl.DataType) -> str:
    return "text" if dtype == pl.String else "numbers" if dtype.is_numeric() else f"{dtype.base_type()} values"
