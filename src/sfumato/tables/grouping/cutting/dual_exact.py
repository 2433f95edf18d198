"""Exact dual for small tables: the most private partition within a bound on the loss; and l-diversity by way of it.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, sections 5, 5.1 and 5.2. On a line where the loss of a group is
its extent, the results are the best of all partitions. Put a window of the allowed extent over each group, sort the
windows by where they begin, and hand the records of each value (for k-anonymity: all records) to the groups in that
order. Every record stays within a window and every group keeps its number of records of each value, so its privacy,
and these are now consecutive within their domain (lemmas 3 and 7). Repeat until no group begins elsewhere. Now the
groups begin in their order, so the next one always holds the first record that is left.

With another loss that never falls when a group grows, such as the NCP of several columns, the result is the best of the
partitions that are looked at, and no more is claimed.

`solve_dual.py` calls `optimal_dual` for `solve="optimal"`, `solve_direct.py` calls `optimal_diverse_by_dual` for
`solve="dual"`; `optimal_dual_k` is the plain form of `dual_k_optimal.py`, to test it against.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from sfumato.ground.errors import InfeasibleError
from sfumato.tables.grouping.cutting.boundaries import (
    Boundary,
    Domains,
    Labels,
    Loss,
    check_effort,
    check_eligible,
    counts_between,
    domains_of,
    empty_prefix,
    frontier,
    is_eligible,
    no_records_error,
    trace_groups,
)

__all__ = ["optimal_diverse_by_dual", "optimal_dual", "optimal_dual_k"]

_TOLERANCE = 1e-9


def optimal_dual(
    labels: Labels, max_loss: float, loss: Loss, *, max_states: int = 200_000
) -> tuple[list[list[int]], Fraction]:
    """The most private partition in which no group loses more than `max_loss`, and its privacy: section 5.1.

    `labels` holds the sensitive value of each record along the line; `loss` gives the loss of a group of record
    numbers. The privacy of a group is its size over the number of records of its most frequent value; that of a
    partition is the least of its groups. Costs up to the product of (c + 1)(c + 2) / 2 groups, c the records of each
    value, and far fewer where the bound is tight; refused when the product of (c + 1) is more than `max_states`.
    """
    domains = domains_of(labels, max_states)
    within = _Bound(loss, max_loss + _TOLERANCE)
    everybody = list(range(len(labels)))
    if within(everybody):  # no partition is more private than its table
        return [everybody], _privacy(labels, everybody)
    groups = _most_private_partition(domains, within, 1, max_states)
    if groups is None:
        raise _too_tight_error(max_loss)
    return groups, min(_privacy(labels, group) for group in groups)


def optimal_dual_k(n: int, max_loss: float, loss: Loss) -> tuple[list[list[int]], int]:
    """The cut of n records into consecutive groups that lose up to `max_loss` and whose smallest is as large as can be.

    Section 5: with K(0) = n, K(i) = max over j < i of min(K(j), i - j), for those j where records j .. i - 1 are
    within the bound. Returned with the size of the smallest group. Costs O(n^2) groups.
    """
    if n < 1:
        raise no_records_error()
    K = [n] + [0] * n
    before = [0] * (n + 1)
    for i in range(1, n + 1):
        for j in range(i - 1, -1, -1):
            if not loss(list(range(j, i))) <= max_loss + _TOLERANCE:
                break  # and so for every longer group
            if min(K[j], i - j) > K[i]:
                K[i], before[i] = min(K[j], i - j), j
        if not K[i]:
            raise _too_tight_error(max_loss)
    ends = [n]
    while ends[-1]:
        ends.append(before[ends[-1]])
    return [list(range(j, i)) for j, i in itertools.pairwise(reversed(ends))], K[n]


def optimal_diverse_by_dual(
    labels: Labels,
    l: int,  # noqa: E741  the literature's own letter
    loss: Loss,
    *,
    max_states: int = 200_000,
) -> list[list[int]]:
    """An l-diverse partition of least largest loss, by way of the dual problem: section 5.2.

    The least bound under which the dual reaches l is found by doubling, then halving: low bounds cost least to try. A
    bound that is too low also tells the least loss that it turned away, and no bound below that does better; a bound
    that will do is lowered to what was used of it. So the search goes from one loss of a group to another, and ends at
    the exact bound instead of near it. Groups may hold a value more than once. Costs as `optimal_dual`, a few dozen
    times.
    """
    domains = domains_of(labels, max_states)
    check_eligible(domains, l)
    best = [list(range(len(labels)))]
    low, high = 0.0, loss(best[0])
    while low < high:
        middle = min(2 * low, low + (high - low) / 2)
        within = _Bound(loss, middle if middle < high else low)
        groups = _most_private_partition(domains, within, l, max_states)
        if groups is None:
            low = within.beyond
        else:
            best, high = groups, max(map(loss, groups))
    return best


class _Bound:
    """A test whether a group loses no more than a bound; `beyond` is the least loss that it turned away."""

    def __init__(self, loss: Loss, bound: float) -> None:
        """Turn groups away that lose more than `bound` by `loss`."""
        self.loss, self.bound, self.beyond = loss, bound, math.inf

    def __call__(self, group: Sequence[int]) -> bool:
        price = self.loss(sorted(group))
        if price <= self.bound:
            return True
        self.beyond = min(self.beyond, price)
        return False


def _privacy(labels: Labels, group: Sequence[int]) -> Fraction:
    """The size of a group over the number of records of its most frequent value: equation 6."""
    return Fraction(len(group), max(Counter(int(labels[record]) for record in group).values()))


def _most_private_partition(domains: Domains, within: _Bound, at_least: int, max_states: int) -> list[list[int]] | None:
    """Equation 9: PM(a) = max over the boundaries b before a of min(PM(b), privacy of the group between b and a).

    Groups are `within` the bound and have a privacy of `at_least`; None when no such groups make up the table.
    """
    counts = tuple(map(len, domains))
    reached = empty_prefix(domains, math.inf)
    looked_at = 0
    for done, here in enumerate(reached):
        for b, (privacy, _) in here.items():
            for a in _group_ends_within(domains, b, within):
                looked_at += 1
                check_effort(looked_at, max_states)
                taken = counts_between(b, a)
                if not is_eligible(taken, at_least) or not is_eligible(counts_between(a, counts), at_least):
                    continue
                size = sum(taken)
                value = min(privacy, size / max(taken))  # quotients of counts this small differ as floats if at all
                there = reached[done + size]
                if a not in there or value > there[a][0]:
                    there[a] = (value, b)
    return trace_groups(domains, reached) if reached[-1] else None


def _group_ends_within(domains: Domains, b: Boundary, within: _Bound) -> Iterator[Boundary]:
    """The end boundary of every group within the bound that begins at b and holds the first record left.

    A group grows domain by domain, each by its next records; one beyond the bound need not grow further.
    """
    a = list(b)
    group: list[int] = []

    def ends_from(q: int) -> Iterator[Boundary]:
        if q == len(domains):
            yield tuple(a)
            return
        yield from ends_from(q + 1)
        size, done = len(group), a[q]
        for record in domains[q][done:]:
            group.append(record)
            if not within(group):
                break
            a[q] += 1
            yield from ends_from(q + 1)
        del group[size:]
        a[q] = done

    for first, q in frontier(domains, b)[:1]:
        group.append(first)
        a[q] += 1
        if within(group):
            yield from ends_from(0)


def _too_tight_error(max_loss: float) -> InfeasibleError:
    """The error for a bound that not even single records keep."""
    return InfeasibleError(f"a record alone already loses more than {max_loss:g}; raise the bound on the loss")
