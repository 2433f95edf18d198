"""What codes mean, told beside them: `1 (male)`, where the schema labels the values of a column."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sfumato.data.schema import Column

__all__ = ["is_coded", "labelled", "labels_in_words", "values_in_order"]

_MOST = 12


def labelled(value: str, column: Column) -> str:
    """The text of a value with what it means, where the column has a label for it.

    >>> labelled("1", Column(name="sex", labels={"1": "male"}))
    '1 (male)'
    """
    meaning = (column.labels or {}).get(value)
    return value if meaning is None or meaning == value else f"{value} ({meaning})"


def values_in_order(values: Iterable[str]) -> list[str]:
    """Codes as people sort them: numbers by size, and before texts."""

    def place(value: str) -> tuple[bool, float, str]:
        try:
            return False, float(value), value
        except ValueError:
            return True, 0.0, value

    return sorted(values, key=place)


def labels_in_words(column: Column, shown: Iterable[str]) -> str | None:
    """What the codes of a column mean, of those that are shown; None where none of them has a label."""
    meanings = column.labels or {}
    known = [value for value in values_in_order(set(shown)) if meanings.get(value, value) != value]
    if not known:
        return None
    listed = ", ".join(f"{value} is {meanings[value]}" for value in known[:_MOST])
    rest = f", and {len(known) - _MOST:,} more that release.json lists" if len(known) > _MOST else ""
    return f"In {column.name}: {listed}{rest}."


def is_coded(series: pl.Series, column: Column, *, most: int) -> bool:
    """Whether numbers are codes: the schema labels some of them, and they are few enough to be named."""
    return column.labels is not None and series.drop_nulls().n_unique() <= most
