"""Buckets: people whose classes show the same sensitive values, release after release.

Steps 1 and 2 of Xiao & Tao, SIGMOD 2007, section 5. Division: whoever was published before goes into the bucket of
their signature. Balancing: each bucket is to hold every value of its signature equally often; what is lacking is taken
from the people who are new, and only where none of them has the value a counterfeit will stand in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Bucket", "Buckets", "Fresh", "Signature", "balance", "divide"]

Signature: TypeAlias = tuple[int, ...]
"""Sensitive values by number, rising."""

Fresh: TypeAlias = dict[int, list[int]]
"""The rows of new people by their value, each list in random order; taken from the end."""


@dataclass(eq=False)
class Bucket:
    """The rows of a signature's people, by value."""

    rows: dict[int, list[int]] = field(default_factory=dict)

    @property
    def height(self) -> int:
        """How many classes it makes: as many as the most frequent value has rows."""
        return max(map(len, self.rows.values()))

    @property
    def n_lacking(self) -> int:
        """How many counterfeits it takes to hold every value equally often."""
        height = self.height
        return sum(height - len(rows) for rows in self.rows.values())


Buckets: TypeAlias = dict[Signature, Bucket]


def divide(rows: Iterable[int], values: Sequence[int], signatures: Sequence[Signature | None]) -> tuple[Buckets, Fresh]:
    """Buckets of the people who have a signature, and the others by value; `rows` in random order."""
    buckets: Buckets = {}
    fresh: Fresh = {}
    for row in rows:
        signature = signatures[row]
        if signature is None:
            fresh.setdefault(values[row], []).append(row)
        else:
            bucket_for(buckets, signature).rows[values[row]].append(row)
    return buckets, fresh


def bucket_for(buckets: Buckets, signature: Signature) -> Bucket:
    """The bucket of a signature, made where there is none."""
    if signature not in buckets:
        buckets[signature] = Bucket({value: [] for value in signature})
    return buckets[signature]


def balance(buckets: Buckets, fresh: Fresh) -> None:
    """Fill what buckets lack with new people.

    Each of them spares a counterfeit here. At worst that makes what is left of the new people one counterfeit harder
    to deal out, so that no other choice needs fewer of them in all.
    """
    for _, bucket in sorted(buckets.items()):
        height = bucket.height
        for value, rows in bucket.rows.items():
            there = fresh.get(value, [])
            while there and len(rows) < height:
                rows.append(there.pop())
