"""What published baskets lost: bits that the vote changed, and how far counts are off.

The error rate is that of Xue's thesis, section 3.7.1: bits in which the base vector differs from the record behind it,
over the items of that record. Queries of type I count records that have some items, of type II records that lack some.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.itemsets.top_itemsets import supports, top_itemsets
from sfumato.contracts.measurer import MeasureOptions, measure_of
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import ParameterError
from sfumato.ground.figures import About, Measures, declare, figures_of
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.baskets import BasketsShape
from sfumato.published.baskets.km_check import km_loss

__all__ = [
    "changed_items",
    "error_rate",
    "measure_baskets",
    "measure_recoding",
    "pair_error",
    "query_errors",
    "refuse_other_records",
]

_TOP = 100  # itemsets
_ITEMS = 1024  # items that pairs are counted of at a time

# How much a release leaves open can be counted by everybody; all else compares it with the records.
_MARKED_ITEMS = declare(
    name="marked_items", label="Marked items", group="utility", audience="public",
    meaning="items that a published record may differ in, on average",
)  # fmt: skip
_THRESHOLD = declare(
    name="threshold", label="Threshold", group="utility", audience="public",
    meaning="the most of them that it does differ in, on average, where the release tells",
)  # fmt: skip
_ERROR_RATE = declare(
    name="error_rate", label="Error rate", group="utility", unit="share", audience="owner",
    meaning="bits of the base vector that differ from the record behind it, over the record's items",
)  # fmt: skip
_ITEMS_CHANGED = declare(
    name="items_changed", label="Items changed", group="utility", audience="owner",
    meaning="items that the base vector has and the record behind it lacks, or the other way round, on average",
)  # fmt: skip
_ITEMS_PER_RECORD = declare(
    name="items_per_record", label="Items of a record", group="utility", audience="owner",
    meaning="items of a record of the original, on average", smaller_is_better=None,
)  # fmt: skip
_QUERY_ERROR_PRESENT = declare(
    name="query_error_present", label="Query error, items present", group="utility", unit="share", audience="owner",
    meaning="error of counts of records that have some items, over all records",
)  # fmt: skip
_QUERY_ERROR_ABSENT = declare(
    name="query_error_absent", label="Query error, items absent", group="utility", unit="share", audience="owner",
    meaning="error of counts of records that lack some items, over all records",
)  # fmt: skip
_ITEMSET_ERROR = declare(
    name="itemset_error", label="Itemset error", group="utility", unit="share", audience="owner",
    meaning="relative error of how many records have each of the most frequent sets of 2 to 4 items, on average",
)  # fmt: skip
_ITEMSETS_KEPT = declare(
    name="itemsets_kept", label="Itemsets kept", group="utility", unit="share", audience="owner",
    meaning="share of the most frequent sets of 2 to 4 items that are among the most frequent in the release",
    smaller_is_better=False,
)  # fmt: skip
_PAIR_ERROR = declare(
    name="pair_error", label="Pair error", group="utility", unit="share", audience="owner",
    meaning="differences of how many records have two items, summed over all pairs, over these numbers",
)  # fmt: skip
_ITEM_LOSS = declare(
    name="item_loss", label="Item loss", group="utility", unit="share", audience="owner",
    meaning="of an item, how many others its name may stand for, over all others; 1 where it is withheld",
)  # fmt: skip
_ITEMS_WITHHELD = declare(
    name="items_withheld", label="Items withheld", group="utility", unit="share", audience="owner",
    meaning="items of records that are shown under no name",
)  # fmt: skip


def measure_baskets(
    published: PublishedBaskets,
    original: Baskets | None,
    rows: NDArray[np.int64] | None,
    *,
    n_queries: int = 500,
    random: Randomness | None = None,
) -> Measures:
    """Measure published baskets: what they leave open; with the original also errors of counts; with the owner's row
    map `rows` the error rate too.
    """
    if original is not None:
        refuse_other_records(published, original)
    sizes = published.base.sizes + published.differs.sizes
    values: dict[About, float | None] = {
        _MARKED_ITEMS: float(published.differs.sizes.mean()) if len(published) else 0.0,
    }
    if published.tells_threshold:
        values[_THRESHOLD] = float(published.threshold.mean()) if len(published) else 0.0
    if original is not None and rows is not None and sizes.any():
        values[_ERROR_RATE] = error_rate(published, original, rows)
        values[_ITEMS_CHANGED] = float(changed_items(published, original, rows).mean())
        values[_ITEMS_PER_RECORD] = float(original.sizes.mean())
    if original is not None:
        for about, having in ((_QUERY_ERROR_PRESENT, True), (_QUERY_ERROR_ABSENT, False)):
            values[about] = query_errors(published, original, n_queries=n_queries, having=having, random=random)
        values |= _of_itemsets(published, original)
    return Measures(figures_of(values))


@measure_of.register
def _(shape: BasketsShape, original: Any, asked: MeasureOptions) -> Measures:
    if original is not None:
        refuse_other_records(shape.data, original)
    if original is not None and shape.recoding is not None:
        return measure_recoding(original, shape.recoding)
    own = shape.align_items(original) if original is not None else None
    return measure_baskets(shape.data, own, shape.rows, n_queries=asked.n_queries, random=asked.random)


def refuse_other_records(published: PublishedBaskets, original: Baskets) -> None:
    """Raise where the original has another number of records than are published."""
    if len(original) != len(published):
        raise ParameterError(
            f"{len(published):,} records are published, and the original has {len(original):,}; give the original that "
            f"the release came from"
        )


def measure_recoding(original: Baskets, shown_as: Mapping[str, str | None]) -> Measures:
    """What recoding lost: items that are shown under a more general name, or not at all."""
    counts = dict(zip(original.items, original.counts.tolist(), strict=True))
    untold = [item for item, n in counts.items() if n and item not in shown_as]
    if untold:
        raise ParameterError(
            f"the owner's part does not tell how item {untold[0]!r} of the original is shown; give the original that "
            f"the release came from"
        )
    total, leaves = max(sum(counts.values()), 1), Counter(shown_as.values())
    known = {name: n for name, n in leaves.items() if name is not None}
    withheld = sum(n for item, n in counts.items() if shown_as.get(item) is None) / total
    whole = {
        i for i, item in enumerate(original.items) if shown_as.get(item) is not None and leaves[shown_as[item]] == 1
    }
    best = [items for items, _ in top_itemsets(original, n=_TOP)]
    values: dict[About, float | None] = {
        _ITEM_LOSS: km_loss(original, shown_as, known, original.n_items),
        _ITEMS_WITHHELD: withheld,
    }
    if best:
        meaning = f"share of the {len(best)} most frequent sets of 2 to 4 items that can be counted as they were"
        countable = sum(whole.issuperset(items) for items in best) / len(best)
        values[_ITEMSETS_KEPT.with_wording(meaning=meaning)] = countable
    return Measures(figures_of(values))


def _of_itemsets(published: PublishedBaskets, original: Baskets) -> dict[About, float | None]:
    """Errors of frequent itemsets and of pairs of items in the base vectors; nothing where no record has two items."""
    best = dict(top_itemsets(original, n=_TOP))
    if not best:
        return {}
    true, shown = np.array(list(best.values())), supports(published.base, list(best))
    off = float((np.abs(shown - true) / true).mean())
    kept = len(best.keys() & dict(top_itemsets(published.base, n=_TOP)).keys()) / len(best)
    sets = f"the {len(best)} most frequent sets of 2 to 4 items"
    of_error = f"relative error of how many records have each of {sets}, on average"
    of_kept = f"share of {sets} that are among the most frequent in the release"
    return {
        _ITEMSET_ERROR.with_wording(meaning=of_error): off,
        _ITEMSETS_KEPT.with_wording(meaning=of_kept): kept,
        _PAIR_ERROR: pair_error(published.base, original),
    }


def pair_error(shown: Baskets, original: Baskets) -> float:
    """How far the counts of all pairs of items are off, summed, over the sum of these counts in the original."""
    base, own = (each.to_scipy().astype(np.int64).tocsc() for each in (shown, original))
    off = total = 0
    for first in range(0, original.n_items, _ITEMS):
        some = slice(first, first + _ITEMS)
        together = own.T @ own[:, some]
        apart = abs(base.T @ base[:, some] - together)
        off += int(apart.sum()) - int(apart.diagonal(-first).sum())
        total += int(together.sum()) - int(together.diagonal(-first).sum())
    return off / total if total else 0.0


def error_rate(published: PublishedBaskets, original: Baskets, rows: NDArray[np.int64]) -> float:
    """The mean over records of the bits in which the base differs, over the items of the record (at least 1)."""
    off = changed_items(published, original, rows)
    return float((off / np.maximum(original.sizes[rows], 1)).mean())


def changed_items(published: PublishedBaskets, original: Baskets, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each published record, the number of bits in which the base differs from the record behind it."""
    base, own = published.base.to_scipy().astype(np.int16), original.to_scipy().astype(np.int16)[rows]
    return np.asarray(abs(base - own).sum(axis=1), dtype=np.int64).ravel()


def query_errors(
    published: PublishedBaskets,
    original: Baskets,
    *,
    n_queries: int = 500,
    size: int = 2,
    having: bool = True,
    random: Randomness | None = None,
) -> float:
    """The mean difference of counts by base vectors from the true ones, over all records, for random sets of items."""
    stream = (random if random is not None else Randomness(0)).spawn("queries of items")
    m = original.n_items
    base, own = published.base.to_scipy().tocsc(), original.to_scipy().tocsc()
    total = 0.0
    for _ in range(n_queries):
        asked = stream.permutation(m)[: min(size, m)]
        counts = [_count(matrix[:, asked], having=having) for matrix in (base, own)]
        total += abs(counts[0] - counts[1]) / max(len(original), 1)
    return total / max(n_queries, 1)


def _count(columns: object, *, having: bool) -> int:
    present = np.asarray(columns.sum(axis=1)).ravel()  # type: ignore[attr-defined]
    return int((present == columns.shape[1]).sum() if having else (present == 0).sum())  # type: ignore[attr-defined]
