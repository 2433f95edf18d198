"""Set-valued data: for every record the items that it has, and perhaps a sensitive label.

Held as sparse rows: the items of record i are `ids[starts[i]:starts[i + 1]]`, rising, so that memory goes with the
items present and not with records times universe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.values import text
from sfumato.ground.calls import SaysWhatItTakes
from sfumato.ground.errors import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Baskets"]


class Baskets(SaysWhatItTakes):
    """Records that are sets of items. Make one with the constructors below, or read a file with `read_baskets`.

    The items of record i are `ids[starts[i]:starts[i + 1]]`, numbers of `items`; `labels` are sensitive, one for each
    record.

    >>> import sfumato as sf
    >>> sf.Baskets.from_lists([["milk", "tea"], ["milk"]])
    Baskets(2 records, 2 items, 3 present)
    """

    data_kind: ClassVar[str] = "baskets"
    """What kind of data it is, in a word."""

    def __init__(
        self,
        starts: NDArray[Any],
        ids: NDArray[Any],
        items: Sequence[str],
        labels: pl.Series | Sequence[Any] | None = None,
    ) -> None:
        """From sparse rows: items of a record must rise, and be numbers below `len(items)`."""
        self.starts: NDArray[np.int64] = np.asarray(starts, dtype=np.int64)
        self.ids: NDArray[np.int32] = np.asarray(ids, dtype=np.int32)
        self.items = _as_names(items)
        """The names of the items."""
        self.labels = _as_labels(labels, len(self))
        """The sensitive label of every record, or None."""
        self._check()

    def _check(self) -> None:
        starts, ids = self.starts, self.ids
        if (
            starts.ndim != 1
            or not len(starts)
            or starts[0] != 0
            or starts[-1] != len(ids)
            or (np.diff(starts) < 0).any()
        ):
            raise DataError("the starts of records must rise from 0 to the number of items listed")
        if len(ids) and not 0 <= ids.min() <= ids.max() < len(self.items):
            raise DataError(f"an item is numbered {int(ids.max())}, and there are {len(self.items)} names of items")
        inside = np.ones(len(ids), dtype=bool)
        inside[starts[:-1][np.diff(starts) > 0]] = False
        if bool((np.diff(ids.astype(np.int64), prepend=-1)[inside] <= 0).any()):
            raise DataError("the items of a record must be listed in rising order, each once")
        if len(set(self.items)) < len(self.items):
            raise DataError("two items have the same name; give every item a name of its own")

    # -- constructors ------------------------------------------------------------------------------------------------
    @classmethod
    def from_lists(cls, records: Iterable[Iterable[Any]], labels: Sequence[Any] | pl.Series | None = None) -> Baskets:
        """From the items of every record; numbers are ordered as numbers, everything else as text.

        >>> Baskets.from_lists([["milk", "bread"], ["tea"]]).items
        ('bread', 'milk', 'tea')
        """
        lists = _as_lists(records)
        lengths = np.array([len(record) for record in lists], dtype=np.int64)
        return cls.from_pairs(
            np.repeat(np.arange(len(lists)), lengths), [item for record in lists for item in record], len(lists), labels
        )

    @classmethod
    def from_pairs(
        cls, record: NDArray[Any], item: Sequence[Any] | pl.Series | NDArray[Any], n_records: int,
        labels: Sequence[Any] | pl.Series | None = None,
    ) -> Baskets:  # fmt: skip
        """From pairs of the number of a record and an item; pairs that are there twice count once."""
        given = item if isinstance(item, pl.Series) else pl.Series("item", item, strict=False)
        given = given.fill_nan(None) if given.dtype.is_float() else given
        if given.null_count():
            raise DataError(f"{given.null_count():,} items are missing; leave their lines out")
        if not given.dtype.is_integer() and given.dtype != pl.String:
            given = pl.Series("item", [text(value) for value in given.to_list()], dtype=pl.String)
        names = given.unique().sort()
        lookup = pl.DataFrame({"item": names, "id": np.arange(len(names), dtype=np.int64)})
        ids = given.alias("item").to_frame().join(lookup, on="item", how="left", maintain_order="left")["id"].to_numpy()
        keys = np.sort(np.asarray(record, dtype=np.int64) * max(len(names), 1) + ids)
        keys = keys[np.diff(keys, prepend=-1) > 0]
        starts = np.searchsorted(keys // max(len(names), 1), np.arange(n_records + 1))
        return cls(starts, keys % max(len(names), 1), [text(name) for name in names.to_list()], labels)

    @classmethod
    def from_scipy(
        cls, matrix: Any, items: Sequence[str] | None = None, labels: Sequence[Any] | pl.Series | None = None
    ) -> Baskets:
        """From a sparse matrix of records by items; whatever is not 0 is present."""
        from scipy.sparse import csr_array

        try:
            rows = csr_array(matrix)
        except (TypeError, ValueError):
            raise DataError(f"from_scipy takes a matrix of records by items, got {type(matrix).__name__}") from None
        if rows.ndim != 2:
            raise DataError("from_scipy takes a matrix of records by items, got a single row; give it two dimensions")
        rows.sum_duplicates()
        rows.eliminate_zeros()
        rows.sort_indices()
        names = _as_names([str(i) for i in range(rows.shape[1])] if items is None else items)
        if len(names) != rows.shape[1]:
            raise DataError(f"there are {len(names):,} names for {rows.shape[1]:,} columns; give each item one")
        return cls(rows.indptr, rows.indices, names, labels)

    @classmethod
    def from_one_hot(cls, frame: Any, labels: str | Sequence[Any] | pl.Series | None = None) -> Baskets:
        """From a frame (pandas, polars or pyarrow) with a column for each item, true or 1 where it is present.

        `labels` may name the column of the sensitive label.
        """
        import narwhals as nw

        table = nw.from_native(frame, eager_only=True).to_polars()
        if isinstance(labels, str):
            if labels not in table.columns:
                raise DataError(f"the frame has no column {labels!r} for the labels")
            taken = table[labels]
            table, labels = table.drop(labels), taken
        for column in table.iter_columns():
            plain = column.dtype == pl.Boolean or column.dtype.is_numeric()
            if not plain or column.null_count() or not column.cast(pl.Float64).is_in([0.0, 1.0]).all():
                raise DataError(f"column {column.name!r} must hold true and false, or 1 and 0")
        dense = table.select(pl.all().cast(pl.Boolean)).to_numpy()
        record, item = np.nonzero(dense)
        starts = np.searchsorted(record, np.arange(table.height + 1))
        return cls(starts, item, table.columns, labels)

    # -- what it holds -----------------------------------------------------------------------------------------------
    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def n_items(self) -> int:
        """How many items there are in all."""
        return len(self.items)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many items each record has."""
        return np.diff(self.starts)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many records have each item."""
        return np.bincount(self.ids, minlength=self.n_items).astype(np.int64)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """The items of every record, by name."""
        for i in range(len(self)):
            yield tuple(self.items[j] for j in self.ids[self.starts[i] : self.starts[i + 1]])

    def rows(self, keep: NDArray[Any]) -> Baskets:
        """The records at these positions."""
        sizes = self.sizes[keep]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        at = np.repeat(self.starts[:-1][keep] - starts[:-1], sizes) + np.arange(starts[-1])
        return Baskets(starts, self.ids[at], self.items, None if self.labels is None else self.labels.gather(keep))

    @property
    def frame(self) -> pl.DataFrame:
        """One row for each record: `items`, a list of names, and `label` where there is one."""
        names = pl.Series("items", self.items, dtype=pl.String).gather(self.ids)
        flat = pl.DataFrame({"record": np.repeat(np.arange(len(self)), self.sizes), "items": names})
        lists = flat.group_by("record", maintain_order=True).agg("items")
        records = pl.DataFrame({"record": np.arange(len(self))}).join(
            lists, on="record", how="left", maintain_order="left"
        )
        empty = pl.Series([[]], dtype=pl.List(pl.String)).first()
        columns = [records.select(pl.col("items").fill_null(empty)).to_series()]
        return pl.DataFrame(columns if self.labels is None else [*columns, self.labels])

    def to_scipy(self) -> csr_array:
        """As a sparse matrix of 0 and 1, records by items."""
        from scipy.sparse import csr_array

        ones = np.ones(len(self.ids), dtype=np.int8)
        return csr_array((ones, self.ids.copy(), self.starts.copy()), shape=(len(self), self.n_items))

    def __repr__(self) -> str:
        labelled = "" if self.labels is None else f", {self.labels.n_unique():,} labels"
        return f"Baskets({len(self):,} records, {self.n_items:,} items, {len(self.ids):,} present{labelled})"


def _as_names(items: Sequence[str]) -> tuple[str, ...]:
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise DataError(f"items must be a list of names, got {items!r}")
    names = tuple(items)
    for name in names:
        if not isinstance(name, str):
            raise DataError(f"the item {name!r} has a name that is not text; give names as text")
    return names


def _as_lists(records: Iterable[Iterable[Any]]) -> list[list[Any]]:
    if isinstance(records, str) or not isinstance(records, Iterable):
        raise DataError(f"from_lists takes a list with the items of every record, got {records!r}")
    lists = []
    for i, record in enumerate(records):
        if isinstance(record, str) or not isinstance(record, Iterable):
            raise DataError(f"record {i + 1:,} is {record!r}, and not a list of items; give one list for each record")
        lists.append(list(record))
    return lists


def _is_missing(value: Any) -> bool:
    """Whether it is None, NaN, or what pandas has in their place."""
    return (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def _as_labels(given: pl.Series | Sequence[Any] | None, n: int) -> pl.Series | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, (pl.Series, Iterable)):
        raise DataError(f"labels must be a list with one for each record, got {given!r}")
    if not isinstance(given, pl.Series):
        given = [None if _is_missing(each) else each for each in given]
    labels = pl.Series("label", given, strict=False)
    labels = labels.fill_nan(None) if labels.dtype.is_float() else labels
    if len(labels) != n:
        raise DataError(f"there are {len(labels):,} labels for {n:,} records; give each record one")
    if labels.null_count():
        raise DataError(f"{labels.null_count():,} records have no label; give each record one")
    return pl.Series("label", [text(value) for value in labels.to_list()], dtype=pl.String)
