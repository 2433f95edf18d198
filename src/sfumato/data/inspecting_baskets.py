"""A first look at sets of items: who stands out by one item, by two, or by all of them. Figures, never a name."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.data.baskets import Baskets
from sfumato.ground.errors import DataError

__all__ = ["SetsInspection", "inspect_baskets"]


@dataclass(frozen=True, kw_only=True)
class SetsInspection:
    """What a first look at baskets found."""

    n_records: int
    n_items: int
    n_present: int
    smallest: int
    largest: int
    small: int
    """How many records are too few to hide among."""
    by_one: float
    """Share of records with an item that fewer than `small` have."""
    by_two: float
    """Share of records with two items that fewer than `small` have together."""
    alone: float
    """Share of records that nobody else has the same items as."""
    n_labels: int | None
    most_diverse: int | None
    """The largest l that l-diversity allows: no label may be carried by more than 1 in l records."""

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        return asdict(self)

    def lines(self) -> list[str]:
        """The figures as lines for people."""
        mean = self.n_present / max(self.n_records, 1)
        said = [
            f"{self.n_records:,} records, {self.n_items:,} items; {mean:.1f} items a record "
            f"({self.smallest:,} to {self.largest:,})",
            f"  {self.by_one:.1%} of the records have an item that fewer than {self.small} have",
            f"  {self.by_two:.1%} have two items that fewer than {self.small} have together",
            f"  {self.alone:.1%} have items as nobody else has",
        ]
        if self.n_labels is None:
            said.append("  no labels; --label or --labels names them")
        else:
            said.append(f"  {self.n_labels:,} labels; l-diversity goes up to l={self.most_diverse}")
        return said


def inspect_baskets(baskets: Baskets, *, small: int = 5) -> SetsInspection:
    """Count records and items, and who stands out by one item, by two, or by all. O(co-occurring pairs of items)."""
    n = len(baskets)
    if not n:
        raise DataError("there are no records to describe")
    matrix = baskets.to_scipy().astype(np.int32)
    rare_item = (baskets.counts < small).astype(np.int32)
    pairs = (matrix.T @ matrix).tocsr()
    pairs.setdiag(0)
    pairs.eliminate_zeros()
    pairs.data = (pairs.data < small).astype(np.int32)
    pairs.eliminate_zeros()
    by_two = np.asarray((matrix @ pairs).multiply(matrix).sum(axis=1)).ravel()
    alike = baskets.frame["items"].to_frame().group_by("items").len()["len"]
    labels = baskets.labels
    top = int(labels.value_counts()["count"].max()) if labels is not None else 0  # type: ignore[arg-type]
    return SetsInspection(
        n_records=n, n_items=baskets.n_items, n_present=len(baskets.ids), small=small,
        smallest=int(baskets.sizes.min()), largest=int(baskets.sizes.max()),
        by_one=float((matrix @ rare_item > 0).mean()), by_two=float((by_two > 0).mean()),
        alone=float((alike == 1).sum() / n), n_labels=labels.n_unique() if labels is not None else None,
        most_diverse=n // top if labels is not None else None,
    )  # fmt: skip
