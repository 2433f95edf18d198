"""Buckets: people whose classes show the same sensitive values, release after release.

Steps 1 and 2 of Xiao & Tao, SIGMOD 2007, section 5. Division: whoever was published before goes into the bucket of
their signature. Balancing: each bucket must hold every value of its signature equally often; what is lacking is taken
from the people who are new, and only where none of them has the value will a counterfeit take the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Bucket", "Buckets", "Fresh", "Signature", "balance", "divide_into_buckets"]

Signature: TypeAlias = tuple[int, ...]
"""Sensitive values by number, rising."""

Fresh: TypeAlias = dict[int, list[int]]
"""The rows of new people by their value, each list in random order; taken from the end."""


@dataclass(eq=False)
class Bucket:
    """The rows of the people with one signature, by sensitive value."""

    rows: dict[int, list[int]] = field(default_factory=dict)

    @property
    def height(self) -> int:
        """How many classes it will make: as many as the most frequent value has rows."""
        return max(map(len, self.rows.values()))

    @property
    def n_lacking(self) -> int:
        """How many counterfeits it takes to hold every value equally often."""
        height = self.height
        return sum(height - len(rows) for rows in self.rows.values())


Buckets: TypeAlias = dict[Signature, Bucket]


def divide_into_buckets(
    rows: Iterable[int], values: Sequence[int], signatures: Sequence[Signature | None]
) -> tuple[Buckets, Fresh]:
    """Division: the buckets of people who have a signature, and the rows of all others by value.

    `rows` come in random order; `values` and `signatures` are by row.
    """
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
    """Balancing: put new people where buckets lack a value, in place; they are taken out of `fresh`.

    Each of them saves a counterfeit here. At worst the new people who are left then need one counterfeit more, so that
    no other choice needs fewer in all.
    """
    for _, bucket in sorted(buckets.items()):
        height = bucket.height
        for value, rows in bucket.rows.items():
            there = fresh.get(value, [])
            while there and len(rows) < height:
                rows.append(there.pop())
