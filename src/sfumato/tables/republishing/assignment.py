"""Assignment: the new people who are left over join buckets, so that these stay balanced.

Step 3 of Xiao & Tao, SIGMOD 2007, section 5. People can be dealt into classes of m or more with different values as
long as no value makes up more than 1/m of them (they are m-eligible), and every step here keeps that true of those
who are still left. Signatures that exist are used first and as often as possible, then new ones of the most frequent
values: few large buckets leave the split that follows the most choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.tables.republishing.buckets import Buckets, Fresh, Signature, bucket_for

__all__ = ["assign", "most_often"]


def assign(buckets: Buckets, fresh: Fresh, m: int, domain: Sequence[int]) -> None:
    """Put everybody in `fresh` into a bucket; `domain` are all known values, the most frequent first.

    Where one value makes up more than 1/m of them, other values are counted as if more people had them: these places
    stay empty, and counterfeits will take them.
    """
    counts = {value: len(rows) for value, rows in fresh.items() if rows}
    _pad(counts, m, domain)
    by_size = sorted(buckets, key=lambda each: (-buckets[each].height, each))
    for signature in by_size:
        _take(buckets, fresh, counts, signature, most_often(counts, signature, m))
    while counts:
        falling = sorted(counts, key=lambda value: (-counts[value], value))
        for size in range(m, len(falling) + 1):
            signature = tuple(sorted(falling[:size]))
            times = most_often(counts, signature, m)
            if times:
                _take(buckets, fresh, counts, signature, times)
                break
        else:
            raise AssertionError("people who are m-eligible can be dealt out")


def most_often(counts: Mapping[int, int], signature: Signature, m: int) -> int:
    """How often one row of each value of a signature can be taken from `counts` so that the rest stays m-eligible."""
    n, size = sum(counts.values()), len(signature)
    times = min(counts.get(value, 0) for value in signature)
    outside = max((count for value, count in counts.items() if value not in signature), default=0)
    times = min(times, (n - m * outside) // size)
    if size > m:
        times = min(times, (n - m * max(counts.get(value, 0) for value in signature)) // (size - m))
    return max(times, 0)


def _pad(counts: dict[int, int], m: int, domain: Sequence[int]) -> None:
    """Raise the counts of other values, in place, until no value makes up more than 1/m."""
    most = max(counts.values(), default=0)
    lacking = m * most - sum(counts.values())
    for value in domain:
        if lacking <= 0:
            return
        more = min(most - counts.get(value, 0), lacking)
        if more > 0:
            counts[value] = counts.get(value, 0) + more
            lacking -= more


def _take(buckets: Buckets, fresh: Fresh, counts: dict[int, int], signature: Signature, times: int) -> None:
    """Move `times` rows of each value of a signature to its bucket; all rows where fewer are there than counted."""
    if not times:
        return
    bucket = bucket_for(buckets, signature)
    for value in signature:
        there = fresh.get(value, [])
        bucket.rows[value] += [there.pop() for _ in range(min(times, len(there)))]
        counts[value] -= times
        if not counts[value]:
            del counts[value]
