"""Published set-valued data: for every record a base vector, and the items that it may differ in.

What stands behind a published record is one of its possible worlds: the base with some of the marked items turned
round. Xue's thesis publishes a threshold too, how many of them at most. It is what the farthest original needs, and so
tells that there is one: no method here publishes it. Releases of earlier versions have it, and are read as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import DataError, ParameterError, suggest

__all__ = ["CountBounds", "PublishedBaskets", "RecordComparison"]

_PAIRS = 1 << 18  # that are compared at a time


@dataclass(frozen=True)
class CountBounds:
    """Bounds on a number of records: from `low` to `high`; `base` is the count by base vectors alone."""

    low: int
    base: int
    high: int


@dataclass(frozen=True, eq=False)
class RecordComparison:
    """What each published record says of the items asked for: by record and item, then by record alone."""

    asked: NDArray[np.int64]
    """The items, by number."""
    present: NDArray[np.bool_]
    """Whether each is to be there."""
    flips: NDArray[np.bool_]
    """What would have to be turned round in the base vector."""
    marked: NDArray[np.bool_]
    """What may be turned round at all."""
    certain: NDArray[np.bool_]
    """Whether all possible worlds agree with what is asked."""
    base: NDArray[np.bool_]
    """Whether the base vector does."""
    possible: NDArray[np.bool_]
    """Whether some possible world does."""


class PublishedBaskets(SaysWhatMethodsTake):
    """Base vectors and marked items as baskets over the same items, and a sensitive label or none.

    `threshold` says of each record how many of the marked items are turned round at most; where none is given, any
    number may be, which is what it then holds.

    `base` has what each record shows, `differs` the items that are marked, and `labels` are published beside.

    >>> import sfumato as sf
    >>> baskets = sf.Baskets.from_lists([["milk", "tea"], ["milk"], ["tea", "rice"], ["milk", "rice"]] * 5)
    >>> sf.publish(baskets, sf.Nonreciprocal(), sf.KAnonymity(2), seed=1).data
    PublishedBaskets(20 records, 3 items)
    """

    def __init__(
        self,
        base: Baskets,
        differs: Baskets,
        threshold: NDArray[Any] | None = None,
        labels: pl.Series | Sequence[Any] | None = None,
    ) -> None:
        self.base = Baskets(base.starts, base.ids, base.items, labels)
        self.differs = differs
        self.tells_threshold = threshold is not None
        threshold = differs.sizes if threshold is None else threshold
        self.threshold: NDArray[np.int64] = np.asarray(threshold, dtype=np.int64)
        if base.items != differs.items or not len(base) == len(differs) == len(self.threshold):
            raise DataError("base vectors, marked items and thresholds do not belong to the same records")
        if bool(((self.threshold < 0) | (self.threshold > differs.sizes)).any()):
            raise DataError("some threshold is below 0, or above the number of items that are marked")

    def __len__(self) -> int:
        return len(self.base)

    @property
    def items(self) -> tuple[str, ...]:
        """The names of the items."""
        return self.base.items

    @property
    def labels(self) -> pl.Series | None:
        """The sensitive label of every published record, or None."""
        return self.base.labels

    @property
    def frame(self) -> pl.DataFrame:
        """One row for each record: `base` and `differs` as lists of items, `threshold` and `label` if there are any."""
        columns = [_item_lists("base", self.base), _item_lists("differs", self.differs)]
        columns += [pl.Series("threshold", self.threshold)] if self.tells_threshold else []
        return pl.DataFrame(columns if self.labels is None else [*columns, self.labels.alias("label")])

    @property
    def cells(self) -> pl.Series:
        """What is published of each record but its label, as one value that can be compared and counted."""
        return self.frame.select(pl.struct(pl.all().exclude("label"))).to_series()

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, items: Sequence[str] | None = None) -> PublishedBaskets:
        """Read what `frame` wrote; `items` says how they are numbered, and each must be shown or marked somewhere.

        The items of every list stand in the order of `items`, each once: another order would be a mark on the record.
        """
        _check_columns(frame)
        lists = [frame[name].cast(pl.List(pl.String)) for name in ("base", "differs")]
        threshold = frame["threshold"] if "threshold" in frame.columns else None
        if any(s.null_count() for s in lists):
            raise DataError("published baskets have lists of items in every row")
        if threshold is not None and (threshold.null_count() or not threshold.dtype.is_integer()):
            raise DataError("published baskets have whole-numbered thresholds in every row, or none at all")
        known = (
            list(items)
            if items is not None
            else sorted({item for each in lists for item in each.explode().drop_nulls()})
        )
        base, differs = (_baskets_from_lists(each, known) for each in lists)
        idle = np.flatnonzero(base.counts + differs.counts == 0)
        if len(idle):
            raise DataError(
                f"the release lists an item that no record shows: {base.items[idle[0]]!r}; items that nobody has are "
                f"not published"
            )
        labels = frame["label"] if "label" in frame.columns else None
        return cls(base, differs, None if threshold is None else threshold.to_numpy(), labels)

    # -- what it tells -----------------------------------------------------------------------------------------------
    def contains(self, originals: Baskets, record: NDArray[Any], row: NDArray[Any]) -> NDArray[np.bool_]:
        """For pairs of a published record and an original, whether that is one of its possible worlds. O(items)."""
        if originals.items != self.items:
            raise DataError("the original has other items than the published records; give them in the same order")
        base, own = self.base.to_scipy().astype(np.int16), originals.to_scipy().astype(np.int16)
        differs, found = self.differs.to_scipy(), np.empty(len(record), dtype=np.bool_)
        for first in range(0, len(record), _PAIRS):
            some = slice(first, first + _PAIRS)
            j = np.asarray(record)[some]
            apart = abs(base[j] - own[np.asarray(row)[some]])
            n_apart = np.asarray(apart.sum(axis=1)).ravel()
            marked = np.asarray(apart.multiply(differs[j]).sum(axis=1)).ravel()
            found[some] = (marked == n_apart) & (n_apart <= self.threshold[j])
        return found

    def count(
        self, having: Collection[str] = (), lacking: Collection[str] = (), *, labels: Collection[str] | None = None
    ) -> CountBounds:
        """How many records have all of some items and none of others: bounds that cannot be wrong.

        With `labels`, only records that carry one of them count; published labels are true.
        """
        found = self.compare(having, lacking, labels=labels)
        return CountBounds(int(found.certain.sum()), int(found.base.sum()), int(found.possible.sum()))

    def compare(
        self, having: Collection[str] = (), lacking: Collection[str] = (), *, labels: Collection[str] | None = None
    ) -> RecordComparison:
        """Compare every record with the items and labels asked for. O(records x items asked)."""
        wanted, unwanted = self._ids(having), self._ids(lacking)
        if wanted & unwanted:
            raise ParameterError(f"item {self.items[min(wanted & unwanted)]!r} cannot be both present and absent")
        asked = np.array(sorted(wanted | unwanted), dtype=np.int64)
        present = np.isin(asked, list(wanted))
        base, marked = (each[:, asked].toarray().astype(bool) for each in self._columns)
        flips, marked = base != present[None, :], marked & (self.threshold > 0)[:, None]
        n_flips, meant = flips.sum(axis=1), self._has_label(labels)
        holds = (n_flips == 0) & meant
        possible = ~(flips & ~marked).any(axis=1) & (n_flips <= self.threshold) & meant
        return RecordComparison(asked, present, flips, marked, holds & ~marked.any(axis=1), holds, possible)

    @cached_property
    def _columns(self) -> tuple[Any, Any]:
        """Base vectors and marks by item."""
        return self.base.to_scipy().tocsc(), self.differs.to_scipy().tocsc()

    def _has_label(self, labels: Collection[str] | None) -> NDArray[np.bool_]:
        """For each record, whether it carries one of these labels; all do where no labels are given."""
        if labels is None:
            return np.ones(len(self), dtype=bool)
        if self.labels is None:
            raise ParameterError("the published records have no labels; leave labels out")
        wanted = [labels] if isinstance(labels, str) else [str(each) for each in labels]
        return self.labels.is_in(wanted).to_numpy()

    def _ids(self, names: Collection[str]) -> set[int]:
        place = {name: i for i, name in enumerate(self.items)}
        names = [names] if isinstance(names, str) else names
        for name in names:
            if name not in place:
                raise ParameterError(f"no item is called {name!r}{suggest(str(name), self.items)}")
        return {place[name] for name in names}

    def __repr__(self) -> str:
        return f"PublishedBaskets({len(self):,} records, {len(self.items):,} items)"


def _item_lists(name: str, baskets: Baskets) -> pl.Series:
    return baskets.frame["items"].alias(name)


def _check_columns(frame: pl.DataFrame) -> None:
    """Refuse a table with other columns or types than published baskets have."""
    for name in ("base", "differs"):
        if name not in frame.columns:
            raise DataError(f"published baskets have a column {name!r}, and this table has none")
    for name in frame.columns:
        if name not in ("base", "differs", "threshold", "label"):
            raise DataError(f"published baskets have no column {name!r}; leave it out")
    for name in ("base", "differs"):
        kind = frame[name].dtype
        if not isinstance(kind, pl.List) or kind.inner not in (pl.String, pl.Null):
            raise DataError(f"column {name!r} of published baskets holds lists of items as text, and not {kind}")
    if "label" in frame.columns and (frame["label"].dtype != pl.String or frame["label"].null_count()):
        raise DataError("column 'label' of published baskets holds a text in every row")


def _baskets_from_lists(lists: pl.Series, items: Sequence[str]) -> Baskets:
    """Make baskets from lists of items by name; refuse items that are not listed."""
    place = {name: i for i, name in enumerate(items)}
    lengths = lists.list.len().to_numpy().astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    flat = lists.explode(empty_as_null=False).to_list() if len(lists) else []
    try:
        ids = np.array([place[item] for item in flat], dtype=np.int64)
    except KeyError as error:
        raise DataError(f"the item {error.args[0]!r} is not among the items that are published") from None
    keys = np.repeat(np.arange(len(lists)), lengths) * max(len(items), 1) + ids
    wrong = np.flatnonzero(np.diff(keys) <= 0)
    if len(wrong):
        raise DataError(
            f"column {lists.name!r} lists {flat[wrong[0] + 1]!r} after {flat[wrong[0]]!r}; every list has its items "
            f"once, in the order in which the release names them"
        )
    return Baskets(starts, ids, items)
