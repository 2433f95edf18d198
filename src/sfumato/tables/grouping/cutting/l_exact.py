"""Exact l-diversity for small tables: the partition of least loss, by a dynamic programme over boundaries.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, sections 4.1 and 4.2. On a line where the loss of a group is its
extent, the objectives are met among these partitions:

- `largest` (IL_inf): all l-diverse ones. Splitting a group never raises its loss, so no group needs more than 2l - 1
  records, each then of another value (lemma 2, corollary 1). Put a window of the largest extent over each group, sort
  the windows by where they begin, and hand the records of each value to the groups in that order: every record stays
  within a window and every group keeps its values. Repeat until no group begins elsewhere. Now the groups begin in
  their order (lemmas 3 and 4), so the next one always holds the first record that is left.
- `sum` and `average` (IL_1): those with groups of l to 2l - 1 records. Lemma 2 fails, since a group may split into two
  that overlap, and larger groups can be better (l = 2, values 0, 1, 9, 10, 20, 20, labels a, a, b, b, c, d: an average
  of 5 against 6). Equation 8 as printed minimises the sum; the average also depends on the number of groups.
- `weighted` (GCP): those whose groups come in one order. Lemma 2 holds but lemma 3 fails, so others can be better
  (l = 2, values 0, 3, 5, 7, 52, labels a, a, b, c, b: 116 against 119).

With another loss that never falls when a group grows, such as the NCP of several columns, the result is the best of the
partitions that are looked at, and no more is claimed. `solve_direct.py` calls it for `solve="optimal"`.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

from sfumato.ground.validate import one_of
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
    trace_groups,
)

__all__ = ["Objective", "optimal_diverse"]

Objective: TypeAlias = Literal["largest", "weighted", "sum", "average"]


def optimal_diverse(
    labels: Labels,
    l: int,  # noqa: E741  the literature's own letter
    loss: Loss,
    *,
    objective: Objective = "largest",
    max_states: int = 200_000,
) -> list[list[int]]:
    """The l-diverse partition of least loss: section 4.2, equation 8 and figure 12.

    `labels` holds the sensitive value of each record along the line; `loss` gives the loss of a group of record
    numbers. A group has l to 2l - 1 records, no two of one value. The objective is the `largest` loss of a group
    (where partitions tie, of those looked at the one of least weighted loss), the sum of the losses `weighted` by the
    sizes of the groups, their plain `sum`, or their `average`; the module says among which partitions each is met.
    Costs up to 2^m groups for each of the product of (records of a value + 1) boundaries, m the number of values;
    refused when there are more than `max_states` boundaries.
    """
    one_of("objective", objective, get_args(Objective))
    domains = domains_of(labels, max_states)
    check_eligible(domains, l)
    cached_loss = functools.cache(lambda group: loss(list(group)))
    cheapest = functools.partial(_cheapest_partition, domains, l, cached_loss, max_states)
    if objective == "weighted":
        return cheapest(operator.mul, in_order_of_begin=False)
    if objective == "largest":
        least = max(map(loss, cheapest(_loss_above(0.0), fold=max)))
        return cheapest(operator.mul, at_most=least)
    groups = cheapest(_loss_above(0.0))
    while objective == "average":  # Dinkelbach: lower the average while some partition costs less than nothing above it
        average = _average_loss(groups, loss)
        better = cheapest(_loss_above(average))
        if _average_loss(better, loss) >= average:
            break
        groups = better
    return groups


def _loss_above(average: float) -> Callable[[int, float], float]:
    """A cost function of groups: the loss of a group less an average, whatever its size."""
    return lambda _, price: price - average


def _average_loss(groups: Sequence[Sequence[int]], loss: Loss) -> float:
    """The average loss of a group: IL_1."""
    return math.fsum(map(loss, groups)) / len(groups)


def _cheapest_partition(
    domains: Domains,
    l: int,  # noqa: E741
    loss: Callable[[tuple[int, ...]], float],
    max_states: int,
    cost: Callable[[int, float], float],
    *,
    fold: Callable[[float, float], float] = operator.add,
    at_most: float = math.inf,
    in_order_of_begin: bool = True,
) -> list[list[int]]:
    """Equation 8: IL(a) = min over the boundaries b before a of F(IL(b), cost of the group between b and a).

    `cost` is given the size and the loss of a group; `fold` is F. Groups that lose more than `at_most` are left out.
    Boundaries are reached from the start, those with fewest records first. One that leaves records which are not
    l-diverse leads nowhere and is dropped.
    """
    counts = tuple(map(len, domains))
    reached = empty_prefix(domains, 0.0)
    looked_at = 0
    for done, here in enumerate(reached):
        for b, (total, _) in here.items():
            for a, group in _groups_of_distinct_values(domains, b, l, in_order_of_begin=in_order_of_begin):
                looked_at += 1
                check_effort(looked_at, max_states)
                if not is_eligible(counts_between(a, counts), l) or (price := loss(group)) > at_most:
                    continue
                value = fold(total, cost(len(group), price))
                there = reached[done + len(group)]
                if a not in there or value < there[a][0]:
                    there[a] = (value, b)
    return trace_groups(domains, reached)


def _groups_of_distinct_values(
    domains: Domains,
    b: Boundary,
    l: int,  # noqa: E741
    *,
    in_order_of_begin: bool,
) -> Iterator[tuple[Boundary, tuple[int, ...]]]:
    """The end boundary and the records of every group that begins at b: l to 2l - 1 records of different values.

    With `in_order_of_begin` only groups that hold the first record left.
    """
    ahead = frontier(domains, b)
    fixed = ahead[:1] if in_order_of_begin else []
    free = ahead[len(fixed) :]
    for size in range(l, min(2 * l - 1, len(ahead)) + 1):
        for others in itertools.combinations(free, size - len(fixed)):
            chosen = (*fixed, *others)
            a = list(b)
            for _, q in chosen:
                a[q] += 1
            yield tuple(a), tuple(record for record, _ in chosen)
