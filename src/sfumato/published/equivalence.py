"""A published table as a reader sees it: equivalence classes, read off the published cells alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Column
from sfumato.data.tree import Tree, node_heights
from sfumato.data.values import SUPPRESSED, text
from sfumato.ground.errors import SchemaError, suggest
from sfumato.published.evidence import Evidence

__all__ = ["AS_RECORDED", "Cells", "PublishedClasses", "SensitiveColumn"]

_CHUNK = 1 << 20
_MARK = "\0"
_HIDDEN = f"{_MARK}hidden"
"""A cell that shows nothing. No other can be equal: those that begin with the mark are read with one mark more."""


@dataclass(frozen=True, kw_only=True)
class Cells:
    """What the cells of a file mean that say no plain value.

    A cell that equals one of `suppressed` shows nothing, and so does an empty or NaN cell where `empty` says so.
    A row that shows nothing in all its quasi-identifiers is a suppressed row: by default it is no class of its own.

    >>> import sfumato as sf
    >>> sf.Cells(suppressed_rows="class")
    Cells(suppressed=('*',), empty='value', suppressed_rows='class')
    """

    suppressed: tuple[str, ...] = (SUPPRESSED,)
    empty: Literal["value", "suppressed"] = "value"
    """`value`: a missing value, which is a value like any other; `suppressed`: a cell that shows nothing."""
    suppressed_rows: Literal["aside", "class"] = "aside"
    """`aside`: not counted as a class; `class`: counted like any other class."""


AS_RECORDED = Cells(suppressed=(), suppressed_rows="class")
"""No cell of such a table stands for anything but itself."""


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """The sensitive values that occur in a published table, in the order that their distance goes by."""

    shape: str
    codes: NDArray[np.int64]
    whole: NDArray[np.int64]
    tree: Tree | None = None
    leaf_node: tuple[int, ...] = ()
    heights: tuple[float, ...] = ()
    values: pl.Series | None = None
    """The value of each code; where `missing` is true, from the code 1 on."""
    missing: bool = False

    def texts(self) -> list[str]:
        """Each value as text, in the order of the codes; a missing value is the empty one."""
        assert self.values is not None
        return [*([""] if self.missing else []), *map(text, self.values.to_list())]


class PublishedClasses:
    """Equivalence classes: rows whose quasi-identifiers show the same; `files` are the tables published beside them.

    `noun` is what people call one of them, `evidence` what a check found out about them.
    """

    def __init__(
        self,
        frame: pl.DataFrame,
        quasi: Sequence[str],
        sensitive: Sequence[str] = (),
        columns: Mapping[str, Column] | None = None,
        cells: Cells | None = None,
        files: Mapping[str, pl.DataFrame] | None = None,
        noun: str = "class",
        evidence: Evidence | None = None,
    ) -> None:
        for name in (*quasi, *sensitive):
            if name not in frame.columns:
                raise SchemaError(f"the table has no column {name!r}{suggest(name, frame.columns)}")
            if frame[name].dtype.is_nested() or frame[name].dtype in (pl.Binary, pl.Object, pl.Duration):
                raise SchemaError(f"column {name!r} holds {frame[name].dtype}, not single values; flatten it first")
        self.quasi, self.sensitive = list(quasi), list(sensitive)
        self._columns = dict(columns or {})
        self.cells = cells or Cells()
        self.files = dict(files or {})
        self.noun = noun
        self.evidence = evidence or Evidence()
        shown = frame.select(_cells_as_text(frame[name], self.cells) for name in quasi)
        suppressed = shown.select(pl.all_horizontal(pl.all() == _HIDDEN).fill_null(value=False)).to_series()
        aside = self.cells.suppressed_rows == "aside" and bool(quasi)
        kept = ~suppressed if aside else pl.repeat(value=True, n=frame.height, eager=True)
        self.n_rows = frame.height
        self.n_suppressed = int(suppressed.sum()) if aside else 0
        self._shown = shown.filter(kept) if quasi else shown
        self._frame = frame.filter(kept)
        self.n_empty = sum(_n_empty(frame[name]) for name in quasi)
        self.n_cells_suppressed = int(sum((shown[name] == _HIDDEN).sum() or 0 for name in quasi))

    @cached_property
    def _classes_of_rows(self) -> tuple[NDArray[np.int64], pl.DataFrame]:
        """The class of every row, and for each class one row of what it shows."""
        if not self.quasi:
            return np.zeros(self._frame.height, dtype=np.int64), pl.DataFrame()
        of_row, first = _number_keys(self._shown.hash_rows())
        if not all(column.eq_missing(column.gather(first[of_row])).all() for column in self._shown.iter_columns()):
            of_row, first = _number_keys(
                self._shown.select(pl.struct(self.quasi)).to_series()
            )  # two classes share a hash
        return of_row, self._shown[first]

    @property
    def of_row(self) -> NDArray[np.int64]:
        """The class of every row that is not suppressed."""
        return self._classes_of_rows[0]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows each class has."""
        return np.bincount(self.of_row).astype(np.int64)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.sizes)

    @property
    def frame(self) -> pl.DataFrame:
        """The published rows that are not suppressed."""
        return self._frame

    def describe(self, i: int) -> str:
        """What class `i` shows, in words; these values are published already."""
        shown = self._classes_of_rows[1].row(i, named=True) if self.quasi else {}
        words = {None: "(empty)", _HIDDEN: SUPPRESSED}
        values = ", ".join(
            f"{name}={words.get(value, str(value).removeprefix(_MARK))}" for name, value in shown.items()
        )
        return f"({values or 'all rows'})"

    def column(self, name: str) -> SensitiveColumn:
        """The sensitive column `name`, its values numbered in order."""
        if name not in self._sensitive_columns:
            self._sensitive_columns[name] = _code_sensitive(self._frame[name], self._columns.get(name))
        return self._sensitive_columns[name]

    @cached_property
    def _sensitive_columns(self) -> dict[str, SensitiveColumn]:
        return {}

    def value_counts(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """How often each class has each value of the column: class, value and count, class by class, none of them 0."""
        column = self.column(name)
        keys, counts = np.unique(self.of_row * len(column.whole) + column.codes, return_counts=True)
        return keys // len(column.whole), keys % len(column.whole), counts.astype(np.int64)

    def histograms(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The counts above 0 of each class, end to end, and where each class starts."""
        of_class, _, counts = self.value_counts(name)
        starts = np.flatnonzero(np.append(True, of_class[1:] != of_class[:-1])) if of_class.size else of_class
        return counts, starts.astype(np.int64)

    def distributions(self, name: str) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """The share of every value in every class: blocks of classes, each with the number of its first."""
        of_class, value, counts = self.value_counts(name)
        m = len(self.column(name).whole)
        step = max(1, _CHUNK // max(m, 1))
        for first in range(0, self.n_classes, step):
            here = (of_class >= first) & (of_class < first + step)
            block = np.zeros((min(step, self.n_classes - first), m))
            block[of_class[here] - first, value[here]] = counts[here]
            yield first, block / block.sum(axis=1, keepdims=True)


def _number_keys(keys: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct keys as they first occur; return the number of every row, and the first row of each key."""
    rows = pl.DataFrame({"key": keys}).lazy().with_row_index("row")
    groups = rows.group_by("key", maintain_order=True).agg("row").collect()["row"]
    if not len(groups):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    of_row = np.empty(len(keys), dtype=np.int64)
    of_row[groups.explode(empty_as_null=False).to_numpy()] = np.repeat(np.arange(len(groups)), groups.list.len())
    return of_row, groups.list.first().to_numpy().astype(np.int64)


def _n_empty(series: pl.Series) -> int:
    blank = int((series == "").sum() or 0) if series.dtype == pl.String else 0
    return blank + series.null_count() + (int(series.is_nan().sum() or 0) if series.dtype.is_float() else 0)


def _cells_as_text(series: pl.Series, cells: Cells) -> pl.Series:
    """Return the cells as text, with one mark for all that show nothing; no other cell can equal the mark."""
    if series.dtype.is_float():
        series = series.fill_nan(None)
    shown = series if series.dtype == pl.String else series.cast(pl.String)
    hidden = shown.is_in(list(cells.suppressed)) if cells.suppressed else None
    marked = shown.str.starts_with(_MARK)
    if bool(marked.any()):
        shown = pl.select(pl.when(marked).then(_MARK + shown).otherwise(shown)).to_series()
    if hidden is not None and bool(hidden.any()):
        shown = pl.select(pl.when(hidden).then(pl.lit(_HIDDEN)).otherwise(shown)).to_series()
    if cells.empty == "suppressed":
        shown = shown.replace("", None).fill_null(_HIDDEN)
    return shown.alias(series.name)


def _code_sensitive(series: pl.Series, column: Column | None) -> SensitiveColumn:
    """Number the values that occur in the order that distances go by: hierarchy, declared order, or the type's own."""
    if series.dtype.is_float():
        series = series.fill_nan(None)
    values = series.drop_nulls().unique()
    hierarchy = column.hierarchy if column is not None else None
    tree: Tree | None = None
    leaf_node: tuple[int, ...] = ()
    if hierarchy is not None:
        shape = "tree"
        tree = hierarchy.tree(values.sort().to_list())
        leaves = [tree.leaf_of[text(value)] for value in values.to_list()]
        order = np.argsort(leaves, kind="stable")
        ordered = values.gather(order)
        leaf_node = tuple(int(tree.leaf_node[leaves[i]]) for i in order)
    elif column is not None and column.order is not None:
        shape = "range"
        ordered = pl.Series(list(column.order), dtype=series.dtype)
    else:
        shape = "range" if series.dtype.is_numeric() or series.dtype.is_temporal() else "set"
        ordered = values.sort()
    missing = bool(series.null_count())
    lookup = pl.DataFrame({"value": ordered.alias("value"), "code": np.arange(len(ordered)) + missing})
    codes = (
        pl.DataFrame({"value": series}).join(lookup, on="value", how="left", maintain_order="left")["code"]
        .fill_null(0).to_numpy().astype(np.int64)
    )  # fmt: skip
    if tree is not None and missing:
        leaf_node = (len(tree.parent), *leaf_node)
    return SensitiveColumn(
        shape=shape, codes=codes, whole=np.bincount(codes, minlength=len(ordered) + missing), tree=tree,
        leaf_node=leaf_node, heights=tuple(node_heights(tree)) if tree is not None else (), values=ordered,
        missing=missing,
    )  # fmt: skip
