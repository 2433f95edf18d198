"""Distributions for the charts of a report, counted before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Column
from sfumato.data.shown import Cell, parse_bound
from sfumato.data.values import as_number
from sfumato.ground.errors import DataError
from sfumato.published.tables.cells import ShownColumn
from sfumato.report.value_labels import is_coded, labelled, values_in_order
from sfumato.report.wording import day_text, short_number

__all__ = [
    "Bars", "Steps", "bars_of", "before_and_after", "class_sizes", "edges_between", "expected_and_target", "spread",
    "value_counts",
]  # fmt: skip

_MAX_BARS = 20
_MAX_BINS = 30
_MISSING = "(no value)"


@dataclass(frozen=True)
class Bars:
    """Counts of named values; `after` where two states are compared."""

    labels: Sequence[str]
    before: Sequence[float]
    after: Sequence[float] | None = None
    n_rest: int = 0
    """How many further values there are, too many to be named; `rest` are the rows that have one of them."""
    rest: tuple[float, float] = (0.0, 0.0)

    @property
    def summary(self) -> str:
        """How many values there are, and how frequent the most frequent one is."""
        named = [(label, count) for label, count in zip(self.labels, self.before, strict=True) if label != _MISSING]
        if not named:
            return ""
        n, total = len(named) + self.n_rest, sum(self.before) + self.rest[0]
        label, count = max(named, key=lambda pair: pair[1])
        label = label if len(label) <= 60 else f"{label[:57]}…"
        of = f"of {n:,} values the most frequent is" if n > 1 else "the one value is"
        return f"{of.capitalize()} {label}, in {count / total:.1%} of rows." if total else ""


@dataclass(frozen=True)
class Steps:
    """Counts between edges; `after` where two states are compared."""

    edges: Sequence[float]
    before: Sequence[float]
    after: Sequence[float] | None = None
    dates: bool = False
    logarithmic: bool = False
    missing: tuple[float, float] | None = None
    """Records without a value: before and after. They are in no bin."""
    domain: Sequence[float] = ()
    summary: str = ""
    """Where the middle half of the values lies, in a sentence."""


def class_sizes(sizes: NDArray[np.int64], k: int | None) -> Steps | None:
    """How many classes there are of each size; a bin begins at k. None where there is no class."""
    if not len(sizes):
        return None
    low, high = int(sizes.min()), int(sizes.max())
    start = low if k is None or k > low else k
    ratio = (high + 1) / start
    logarithmic = ratio > 30
    if logarithmic:
        edges = np.unique(np.rint(np.geomspace(start, high + 1, _MAX_BINS + 1)).astype(np.int64))
    else:
        width = max(1, -(-(high + 1 - start) // (_MAX_BINS + 10)))
        edges = np.arange(start, high + 1 + width, width)
    counts, _ = np.histogram(sizes, bins=edges)
    shown = (edges - 0.5).tolist()
    left = shown[0] if k is None else min(shown[0], k - 0.5)
    room = 0.0 if logarithmic else max(0.5, 0.02 * (shown[-1] - left))
    return Steps(
        edges=shown, before=counts.tolist(), logarithmic=logarithmic,
        domain=[max(left - room, 0.0) if not logarithmic else left, shown[-1] + room],
    )  # fmt: skip


def value_counts(series: pl.Series, column: Column) -> Bars | Steps | None:
    """The distribution of a column as it stands."""
    if series.dtype.is_float():
        series = series.fill_nan(None)
    present = series.drop_nulls()
    n_missing = len(series) - len(present)
    if not len(series):
        return None
    coded = is_coded(present, column, most=_MAX_BARS)
    if (series.dtype.is_numeric() or series.dtype.is_temporal()) and not coded:
        if not len(present):
            return None
        numbers, counts = _numbers_and_counts(present)
        edges = edges_between(numbers, whole=_whole(series))
        binned, _ = np.histogram(numbers, bins=edges, weights=counts)
        return Steps(
            edges=edges.tolist(), before=binned.tolist(), dates=series.dtype.is_temporal(),
            missing=(n_missing, n_missing) if n_missing else None,
            summary=_middle(numbers, counts, dates=series.dtype.is_temporal()),
        )  # fmt: skip
    table = present.alias("value").cast(pl.String).value_counts(name="n")
    tally = dict(zip(table["value"].to_list(), table["n"].cast(pl.Float64).to_list(), strict=True))
    order = column.order or (values_in_order(tally) if coded else None)
    return bars_of(tally, order=order, name=lambda value: labelled(value, column), missing=n_missing)


def _middle(numbers: NDArray[np.float64], counts: NDArray[np.float64], *, dates: bool) -> str:
    """Where the middle half of the values lies."""
    below = np.cumsum(counts)
    low, half, high = (float(numbers[np.searchsorted(below, q * below[-1] - 1e-9)]) for q in (0.25, 0.5, 0.75))
    shown = [day_text(each) if dates else short_number(each) for each in (low, high, half)]
    return f"Half of the values lie between {shown[0]} and {shown[1]}; the median is {shown[2]}."


def bars_of(
    tally: Mapping[str, float], *, order: Sequence[str] | None = None, name: Callable[[str], str] = str,
    missing: float = 0.0,
) -> Bars:  # fmt: skip
    """Bars of the most frequent values, in their order where they have one, each under its name."""
    rank = sorted(tally, key=lambda value: (-tally[value], value))
    top = _top_bars(rank, np.array([tally[value] for value in rank], dtype=np.float64), None, order=order)
    return _with_missing(replace(top, labels=[name(value) for value in top.labels]), (missing, missing))


def expected_and_target(
    values: pl.Series, target: NDArray[np.float64], expected: NDArray[np.float64], column: Column
) -> Bars | Steps:
    """Rows that a target asks for at each value of a domain (before), and rows that are expected there (after)."""
    if values.dtype.is_numeric() or values.dtype.is_temporal():
        numbers = np.array([as_number(value) for value in values.to_list()], dtype=np.float64)
        edges = edges_between(numbers, whole=_whole(values))
        first, _ = np.histogram(numbers, bins=edges, weights=target)
        second, _ = np.histogram(numbers, bins=edges, weights=expected)
        return Steps(
            edges=edges.tolist(), before=first.tolist(), after=second.tolist(), dates=values.dtype.is_temporal()
        )  # fmt: skip
    labels = values.cast(pl.String).to_list()
    rank = sorted(range(len(labels)), key=lambda i: (-target[i], labels[i]))
    return _top_bars([labels[i] for i in rank], target[rank], expected[rank], order=column.order)


def before_and_after(shown: ShownColumn, original: pl.Series, column: Column) -> Bars | Steps | None:
    """The distribution of a quasi-identifier in the original, and as the published cells show it.

    Every published row is spread evenly over the values its cell covers: over the interval for ranges of numbers
    and dates, over the values below it for a node, over its members for a set. Of n values `or missing`, a missing
    one is taken to be one of n + 1.
    """
    weights = np.bincount(shown.number, minlength=len(shown.cells)).astype(np.float64)
    coded = shown.coded
    if not coded.n_codes:
        return None
    n_covered = (
        np.array([len(members) for members in shown.members], dtype=np.float64)
        if shown.members is not None
        else np.maximum(shown.high - shown.low + 1, 0).astype(np.float64)
    )
    if shown.form == "value":
        n_covered = np.array([float(cell.low is not None) for cell in shown.cells])
    gap = shown.missing & (coded.has_missing | (n_covered == 0))
    blank = np.divide(gap, n_covered + gap, out=np.zeros(len(weights)), where=n_covered + gap > 0)
    missing = (float((coded.codes < 0).sum()), float((blank * weights).sum()))
    kept = weights * (1 - blank)
    if column.kind in ("integer", "number", "date") and not is_coded(original, column, most=_MAX_BARS):
        try:
            return _numeric(shown, kept, original, column, missing)
        except (DataError, ValueError):
            pass  # leaves of the hierarchy that are no numbers: shown by name
    before = np.bincount(coded.codes[coded.codes >= 0], minlength=coded.n_codes).astype(np.float64)
    after = _over_codes(shown, kept)
    labels = coded.values.cast(pl.String).to_list()
    occurs = np.flatnonzero((before > 0) | (after > 0))
    rank = sorted(occurs.tolist(), key=lambda i: (-before[i], -after[i], labels[i]))
    order = column.order or (values_in_order(labels) if column.labels is not None else None)
    top = _top_bars([labels[i] for i in rank], before[rank], after[rank], order=order)
    return _with_missing(replace(top, labels=[labelled(value, column) for value in top.labels]), missing)


def _numeric(
    shown: ShownColumn, kept: NDArray[np.float64], original: pl.Series, column: Column, missing: tuple[float, float]
) -> Steps:
    numbers, counts = _numbers_and_counts(original.drop_nulls())
    whole = _whole(original)
    edges = edges_between(numbers, whole=whole)
    before, _ = np.histogram(numbers, bins=edges, weights=counts)
    if shown.form == "node" and shown.coded.tree is not None:
        kind = str(column.kind)
        places = np.array([as_number(parse_bound(leaf, kind)) for leaf in shown.coded.values.to_list()])
        inside = np.clip(places, numbers[0], numbers[-1])  # leaves that never occur, at the ends
        after, _ = np.histogram(inside, bins=edges, weights=_over_codes(shown, kept))
    else:
        after = _over_intervals(shown.cells, kept, edges, column, shown.form, whole=whole)
    return Steps(
        edges=edges.tolist(), before=before.tolist(), after=after.tolist(), dates=column.kind == "date",
        missing=missing if any(missing) else None,
    )  # fmt: skip


def _over_codes(shown: ShownColumn, kept: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of each cell spread evenly over the codes that it covers."""
    n = shown.coded.n_codes
    after = np.zeros(n)
    if shown.members is not None:
        lengths = np.array([len(members) for members in shown.members])
        flat = np.concatenate([np.empty(0, dtype=np.int64), *shown.members])
        np.add.at(after, flat, np.repeat(kept / np.maximum(lengths, 1), lengths))
        return after
    covers = shown.low <= shown.high
    each = kept[covers] / (shown.high - shown.low + 1)[covers]
    change = np.zeros(n + 1)
    np.add.at(change, shown.low[covers], each)
    np.add.at(change, shown.high[covers] + 1, -each)
    return np.maximum(np.cumsum(change)[:n], 0.0)


def _over_intervals(
    cells: Sequence[Cell], kept: NDArray[np.float64], edges: NDArray[np.float64], column: Column, form: str, *,
    whole: bool,
) -> NDArray[np.float64]:  # fmt: skip
    """The weight of each cell spread evenly over its interval, summed bin by bin."""
    kind = "number" if form == "value" and column.kind == "integer" else str(column.kind)
    room = 0.5 if whole and form != "value" else 0.0
    low, high = np.full(len(cells), edges[0]), np.full(len(cells), edges[-1])
    for i, cell in enumerate(cells):
        if not cell.everything and cell.low is not None and cell.high is not None:
            low[i], high[i] = (
                as_number(parse_bound(cell.low, kind)) - room,
                as_number(parse_bound(cell.high, kind)) + room,
            )
    return spread(low, high, kept, edges)


def spread(
    low: NDArray[np.float64], high: NDArray[np.float64], weights: NDArray[np.float64], edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The weight of each interval spread evenly over it, summed bin by bin; what lies beyond is at the ends."""
    low, high = np.clip(low, edges[0], edges[-1]), np.clip(high, edges[0], edges[-1])
    tiny = (edges[-1] - edges[0]) * 1e-9
    at = np.minimum(low, edges[-1] - 2 * tiny)
    width = np.maximum(high - at, tiny)
    below = np.array([(weights * np.clip((edge - at) / width, 0.0, 1.0)).sum() for edge in edges])
    return np.diff(below)


def _numbers_and_counts(present: pl.Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The distinct values as rising numbers, and how often each occurs."""
    present = present.alias("value")
    table = present.value_counts(name="n").sort(present.name)
    values = table[present.name]
    if values.dtype == pl.Date:
        numbers = values.to_physical().cast(pl.Float64).to_numpy()
    elif values.dtype.is_temporal():
        numbers = np.array([as_number(value) for value in values.to_list()], dtype=np.float64)
    else:
        numbers = values.cast(pl.Float64).to_numpy()
    return numbers, table["n"].to_numpy().astype(np.float64)


def _whole(series: pl.Series) -> bool:
    return series.dtype.is_integer() or series.dtype == pl.Date


def edges_between(numbers: NDArray[np.float64], *, whole: bool) -> NDArray[np.float64]:
    """Where the bins of a histogram of these rising numbers end."""
    low, high = float(numbers[0]), float(numbers[-1])
    if high - low <= 1e-9 * max(abs(low), abs(high)) or high - low < 1e-200:  # one value, as far as a chart can tell
        room = max(0.5, 1e-9 * abs(low))
        return np.array([low - room, high + room])
    if whole:
        width = max(1, -(-int(high - low + 1) // _MAX_BINS))
        return np.arange(low - 0.5, high + 0.5 + width, width)
    edges = np.linspace(low, high, _MAX_BINS + 1)
    edges[-1] += (high - low) * 1e-6
    return edges


def _top_bars(
    labels: list[str], before: NDArray[np.float64], after: NDArray[np.float64] | None, *, order: Sequence[str] | None
) -> Bars:
    """Bars for the first values by rank, in the order of the column where it has one; the others as a sum."""
    n_kept = len(labels) if len(labels) <= _MAX_BARS + 1 else _MAX_BARS
    kept = list(range(n_kept))
    if order is not None:
        place = {value: i for i, value in enumerate(order)}
        kept.sort(key=lambda i: place.get(labels[i], len(place)))
    second = after if after is not None else before
    return Bars(
        labels=[labels[i] for i in kept],
        before=before[kept].tolist(),
        after=after[kept].tolist() if after is not None else None,
        n_rest=len(labels) - n_kept,
        rest=(float(before[n_kept:].sum()), float(second[n_kept:].sum())),
    )


def _with_missing(bars: Bars, missing: tuple[float, float]) -> Bars:
    if not any(missing):
        return bars
    return replace(
        bars, labels=[*bars.labels, _MISSING], before=[*bars.before, missing[0]],
        after=[*bars.after, missing[1]] if bars.after is not None else None,
    )  # fmt: skip
