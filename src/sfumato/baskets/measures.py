"""What published baskets lost: bits that were turned round, and how far counts are off.

The error rate is that of Xue's thesis, section 3.7.1: bits in which the base vector differs from the record behind it,
over the items of that record. Queries of type I count records that have some items, of type II records that lack some.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.figures import Figure, Measures
from sfumato.randomness import Randomness

__all__ = ["error_rate", "measure_baskets", "query_errors"]


def measure_baskets(
    published: PublishedBaskets,
    original: Baskets | None,
    rows: NDArray[np.int64] | None,
    *,
    n_queries: int = 500,
    random: Randomness | None = None,
) -> Measures:
    """Without the original only how much is left open; the error rate needs the owner's row map too."""
    sizes = published.base.sizes + published.differs.sizes
    about: list[tuple[str, float, str, str]] = [
        ("marked_items", float(published.differs.sizes.mean()) if len(published) else 0.0, "Marked items",
         "items that a published record may differ in, on average"),
        ("threshold", float(published.threshold.mean()) if len(published) else 0.0, "Threshold",
         "the most of them that it does differ in, on average"),
    ]  # fmt: skip
    if original is not None and rows is not None and sizes.any():
        meaning = "bits of the base vector that differ from the record behind it, over the record's items"
        about.append(("error_rate", error_rate(published, original, rows), "Error rate", meaning))
    if original is not None:
        for name, label, what, having in (
            ("query_error_present", "Query error, items present", "have", True),
            ("query_error_absent", "Query error, items absent", "lack", False),
        ):
            value = query_errors(published, original, n_queries=n_queries, having=having, random=random)
            about.append((name, value, label, f"error of counts of records that {what} some items, over all records"))
    return Measures(
        Figure(
            name=name, value=value, label=label, group="utility", meaning=meaning,
            unit="number" if name in ("marked_items", "threshold") else "share",
        )
        for name, value, label, meaning in about
    )  # fmt: skip


def error_rate(published: PublishedBaskets, original: Baskets, rows: NDArray[np.int64]) -> float:
    """The mean of the bits turned round over the items of the record; of a record without items, the bits."""
    base, own = published.base.to_scipy().astype(np.int16), original.to_scipy().astype(np.int16)[rows]
    off = np.asarray(abs(base - own).sum(axis=1)).ravel()
    return float((off / np.maximum(original.sizes[rows], 1)).mean())


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
