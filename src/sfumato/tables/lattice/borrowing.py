"""Kernels: classes of too few open records borrow some of groups that have more than they need.

A lent record must fall into the class too. What the open records of such a class cost, all together, is their own loss
and what the lent ones lose more than before; divided by the open records it is the price of the class, which is taken
once that is the cheapest way to cover them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.criteria import Criteria
from sfumato.tables.coding.levels import Levels
from sfumato.tables.lattice.frequency_sets import Scratch, classify, slots_for
from sfumato.tables.lattice.taking import (
    At,
    Open,
    Taken,
    Workshop,
    bucket_of,
    close_up,
    empty_buckets,
    loss_of_class,
    take_whole,
)

__all__ = ["Lending", "lending_for", "take_or_borrow"]


class Lending(NamedTuple):
    """Entries of groups with records to spare, in the order in which these were formed, and all loans.

    `spare` is how many records of the entry are in its group still; a loan is of an entry, to a group, so many. The
    rest is space to work in: what each class wants and pays, and loans that are not made yet.
    """

    entry: NDArray[np.int64]
    spare: NDArray[np.int64]
    group: NDArray[np.int64]
    loss: NDArray[np.float64]
    words: NDArray[np.uint64]
    loan_entry: NDArray[np.int64]
    loan_group: NDArray[np.int64]
    loan_size: NDArray[np.int64]
    n: NDArray[np.int64]
    """How many lenders and how many loans there are."""
    wanting: NDArray[np.int64]
    paid: NDArray[np.float64]
    asked: NDArray[np.int64]
    asked_by: NDArray[np.int64]
    asked_size: NDArray[np.int64]


def lending_for(n_entries: int, n_rows: int, n_words: int) -> Lending:
    """Space for so many entries of so many records."""

    def numbers(n: int) -> NDArray[np.int64]:
        return np.empty(n, dtype=np.int64)

    return Lending(
        entry=numbers(n_entries), spare=numbers(n_entries), group=numbers(n_entries), loss=np.empty(n_entries),
        words=np.empty((n_entries, n_words), dtype=np.uint64),
        loan_entry=numbers(n_rows), loan_group=numbers(n_rows), loan_size=numbers(n_rows),
        n=np.zeros(2, dtype=np.int64), wanting=numbers(n_entries), paid=np.empty(n_entries),
        asked=numbers(n_entries), asked_by=numbers(n_entries), asked_size=numbers(n_entries),
    )  # fmt: skip


@kernel
def take_or_borrow(
    levels: Levels, at: At, words: NDArray[np.uint64], codes: NDArray[np.int32], criteria: Criteria, limit: float,
    open_: Open, taken: Taken, scratch: Scratch, workshop: Workshop, lending: Lending,
) -> float:  # fmt: skip
    """As `take_classes`; classes of too few open records are taken too where their price is at most `limit`.

    Returns the least loss or price of a class that was left.
    """
    m = taken.n[0]
    for a in range(m):
        workshop.place[a], workshop.entry[a], workshop.weight[a] = a, open_.entry[a], open_.weight[a]
    n_classes = classify(words, at.mask, workshop.entry[:m], workshop.weight[:m], scratch)
    later, n_taken = take_whole(levels, at, codes, criteria, limit, taken, scratch, workshop, m, n_classes)
    dearer, n_lent = np.inf, 0
    if lending.n[0] > 0:
        dearer, n_lent = _take_by_loans(
            levels, at, words, codes, criteria.min_size, limit, taken, scratch, workshop, lending, n_classes
        )
    if n_taken + n_lent > 0:
        _enlist(open_, taken, scratch, workshop, lending, criteria.min_size)
        close_up(open_, taken, scratch, workshop, m)
    return float(min(later, dearer))


@kernel
def _take_by_loans(
    levels: Levels, at: At, words: NDArray[np.uint64], codes: NDArray[np.int32], least: int, limit: float,
    taken: Taken, scratch: Scratch, workshop: Workshop, lending: Lending, n_classes: int,
) -> tuple[float, int]:  # fmt: skip
    """Number small classes with what they borrow; returns the least price of one that was left, and how many."""
    n_asked = _ask_lenders(levels, at, words, codes, least, limit, taken, scratch, workshop, lending, n_classes)
    later, n_taken = np.inf, 0
    for g in range(n_classes):
        if scratch.sizes[g] >= least:
            continue
        price = workshop.loss[g]
        if price <= limit:
            price = np.inf if lending.wanting[g] > 0 else price + lending.paid[g] / scratch.sizes[g]
        if price <= limit:
            workshop.number[g] = taken.n[1]
            taken.size[taken.n[1]] = least
            taken.n[1] += 1
            n_taken += 1
        else:
            later = min(later, price)
    for i in range(n_asked):
        b, number, size = lending.asked[i], workshop.number[lending.asked_by[i]], lending.asked_size[i]
        if number < 0:
            taken.size[lending.group[b]] += size
            continue
        lending.spare[b] -= size
        n_loans = lending.n[1]
        lending.loan_entry[n_loans], lending.loan_group[n_loans] = lending.entry[b], number
        lending.loan_size[n_loans] = size
        lending.n[1] += 1
    return later, n_taken


@kernel
def _ask_lenders(
    levels: Levels, at: At, words: NDArray[np.uint64], codes: NDArray[np.int32], least: int, limit: float,
    taken: Taken, scratch: Scratch, workshop: Workshop, lending: Lending, n_classes: int,
) -> int:  # fmt: skip
    """Ask lenders for what small classes want, the last first: these lose least by it. Returns how many were asked.

    Buckets have what their classes want, so that most lenders are passed over at once.
    """
    count, shift = workshop.tally, empty_buckets(workshop.tally, n_classes)
    n_wanted, n_asked = 0, 0
    for g in range(n_classes):
        wanting = least - scratch.sizes[g]
        lending.wanting[g], lending.paid[g] = wanting, 0.0
        if wanting > 0:
            workshop.loss[g] = loss_of_class(levels, at.node, codes[scratch.first[g]])
            if workshop.loss[g] <= limit:
                count[bucket_of(words, at.mask, scratch.first[g], shift)] += wanting
                n_wanted += wanting
    mask, n_words, own_words, holder = at.mask, at.mask.shape[0], lending.words, scratch.holder
    bits = np.uint64(slots_for(taken.n[0]) - 1)
    for b in range(lending.n[0] - 1, -1, -1):
        if n_wanted == 0:
            break
        key = np.uint64(0)
        for w in range(n_words):  # `bucket_of`, written out
            key = (key ^ (own_words[b, w] & mask[w])) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(32)
        bucket = np.int64((key * np.uint64(0xBF58476D1CE4E5B9)) >> shift)
        if count[bucket] == 0:
            continue
        key = np.uint64(0)
        for w in range(n_words):  # the class, looked up as in `classify`
            key += own_words[b, w] & mask[w]
            key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            key ^= key >> np.uint64(31)
        slot = key & bits
        g = holder[slot]
        while g >= 0:
            first, differs = scratch.first[g], np.uint64(0)
            for w in range(n_words):
                differs |= (own_words[b, w] ^ words[first, w]) & mask[w]
            if not differs:
                break
            slot = (slot + np.uint64(1)) & bits
            g = holder[slot]
        if g < 0 or lending.wanting[g] <= 0 or workshop.loss[g] > limit:
            continue
        own = lending.group[b]
        size = min(lending.wanting[g], lending.spare[b], taken.size[own] - least)
        if size > 0:
            lending.paid[g] += size * max(0.0, workshop.loss[g] - lending.loss[b])
            lending.wanting[g] -= size
            taken.size[own] -= size
            count[bucket] -= size
            n_wanted -= size
            lending.asked[n_asked], lending.asked_by[n_asked], lending.asked_size[n_asked] = b, g, size
            n_asked += 1
    return n_asked


@kernel
def _enlist(open_: Open, taken: Taken, scratch: Scratch, workshop: Workshop, lending: Lending, least: Any) -> None:
    """Drop lenders that have nothing left to lend, and add the entries of new groups that have."""
    kept = 0
    for b in range(lending.n[0]):
        if lending.spare[b] == 0 or taken.size[lending.group[b]] <= least:
            continue
        lending.entry[kept], lending.spare[kept] = lending.entry[b], lending.spare[b]
        lending.group[kept], lending.loss[kept] = lending.group[b], lending.loss[b]
        for w in range(lending.words.shape[1]):
            lending.words[kept, w] = lending.words[b, w]
        kept += 1
    for a in range(taken.n[0]):
        g = scratch.ids[a]
        number = workshop.number[g]
        if number < 0 or taken.size[number] <= least:
            continue
        lending.entry[kept], lending.spare[kept] = open_.entry[a], open_.weight[a]
        lending.group[kept], lending.loss[kept] = number, workshop.loss[g]
        for w in range(lending.words.shape[1]):
            lending.words[kept, w] = open_.words[a, w]
        kept += 1
    lending.n[0] = kept
