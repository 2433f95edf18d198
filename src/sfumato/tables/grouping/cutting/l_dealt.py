"""Dealt groups: random inside stretches of the line, so that the groups themselves say nothing of who has which value.

Whoever knows how groups are formed, and who lies where on the line, can ask why a record is not in the group of its
neighbours. Under l-diversity the answer is often that a nearer record has the same sensitive value, so that the groups
themselves betray values (the minimality attack of Wong, Fu, Wang & Pei, VLDB 2007). Here the line is first cut into
stretches of a few times l records by the quasi-identifiers alone; stretches that cannot keep the promise by themselves
are joined with the next. Inside a stretch the records are shuffled and grouped by their sensitive values alone: every
way to give a group's values to its records then leads to the same groups with the same probability. What remains is
that a stretch was too uniform to stand alone.

`solve_direct.py` calls it for methods that deal (`LineMethod.deals`). O(N log N) and the cost of `l_heuristic.py`.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness
from sfumato.privacy.criteria import Criteria, holds
from sfumato.tables.grouping.cutting.l_heuristic import diverse_groups
from sfumato.tables.grouping.cutting.problem import Cut, Problem

__all__ = ["deal_groups"]

_CELL = 4
"""Stretches are made of cells of this many times the smallest group that could keep the promise."""


def deal_groups(problem: Problem, diverse: tuple[str, int] | None, random: Randomness) -> Cut:
    """Groups that keep the promise, dealt at random inside each stretch of the line.

    `diverse` is the column and whole l of a promise of l-diversity by frequency; under any other promise each stretch
    is a group.
    """
    starts = _stretch_starts(problem.criteria, _CELL * problem.promise.min_size())
    if diverse is None:
        return Cut.consecutive(starts)
    labels, n_labels = problem.labels(diverse[0])
    stretch = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    shuffled = np.lexsort((random.spawn("dealing").words(problem.n), stretch))
    order, edges = [np.empty(0, dtype=np.int64)], [np.zeros(1, dtype=np.int64)]
    for start, stop in itertools.pairwise(starts.tolist()):
        places = shuffled[start:stop]
        members, inside = diverse_groups(
            problem.columns, problem.words, problem.data[places], labels[places], n_labels, diverse[1], False
        )
        order.append(places[members])
        edges.append(inside[1:] + start)
    return Cut(np.concatenate(order), np.concatenate(edges))


@kernel
def _stretch_starts(criteria: Criteria, cell: int) -> NDArray[np.int64]:
    """Where each stretch starts, and the end of the line.

    A stretch has a whole number of cells (the last one may have more records), keeps the promise, and leaves a rest
    that keeps it too.
    """
    n = criteria.codes.shape[0]
    starts = np.empty(n // cell + 2, dtype=np.int64)
    counts, rest = np.zeros(criteria.total.shape[0], dtype=np.int64), criteria.total.copy()
    scratch = np.zeros(criteria.n_nodes)
    starts[0] = 0
    found = 0
    for i in range(n):
        for s in range(criteria.codes.shape[1]):
            value = criteria.offset[s] + criteria.codes[i, s]
            counts[value] += 1
            rest[value] -= 1
        size, left = i + 1 - starts[found], n - i - 1
        at_edge = left == 0 or (size % cell == 0 and left >= cell)
        if at_edge and holds(criteria, size, counts, scratch) and (left == 0 or holds(criteria, left, rest, scratch)):
            found += 1
            starts[found] = i + 1
            counts[:] = 0
    return starts[: found + 1].copy()
