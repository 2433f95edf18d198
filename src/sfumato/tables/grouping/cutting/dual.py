"""The dual problem on a line: the most privacy with no group's loss above a bound (`AccuracyBound`).

For k the optimum among consecutive groups. For l several attempts compete and the most private wins, of equals the
one that loses less: the groups grown along the line and adjusted between neighbours (the paper's heuristic), groups
that start well inside the bound and are raised from there, and the direct heuristic for every whole l above what was
found so far, which may meet the bound too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.tables.grouping.cutting.accuracy import groups_within, longest_starts
from sfumato.tables.grouping.cutting.consecutive import optimal_starts
from sfumato.tables.grouping.cutting.direct import Solve
from sfumato.tables.grouping.cutting.diverse import diverse_groups
from sfumato.tables.grouping.cutting.optimal_dual import optimal_within
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.cutting.raising import raise_privacy
from sfumato.tables.grouping.cutting.within_k import earliest_starts, largest_k

__all__ = ["adjusted", "cut_within", "raised", "reached"]

_SLACK = 1e-9
_LARGE_K = 200
"""From this k on the cheapest cut takes too long: groups are cut as short as can be instead."""
_MANY = 100_000
"""Tables of more records make one attempt instead of several."""
_ROOMS = (0.7, 0.5, 0.25, 0.12)
"""Shares of the bound that starting groups keep to."""
_LEAST_EFFORT, _WORK = 300, 100_000_000
"""Records compared in a step: at least, and for all records of the table together."""
_MOST_COUNTS = 1 << 25
"""Groups times sensitive values that are counted side by side, at most."""


def cut_within(problem: Problem, bound: AccuracyBound, solve: Solve = "heuristic") -> Cut:
    """The most private cut found within the bound."""
    name = bound.target([column.name for column in problem.sensitive])
    if name is None:
        return _largest_k(problem, bound.max_ncp)
    labels, n_labels = problem.labels(name)
    if solve == "optimal":
        return Cut.of_lists(optimal_within(labels, bound.max_ncp, problem.loss)[0])
    best: Cut | None = None
    rank = (0.0, 0.0)
    for cut in _attempts(problem, bound.max_ncp, labels, n_labels):
        here = (reached(cut, labels), -problem.total(cut))
        if best is None or here > rank:
            best, rank = cut, here
    assert best is not None
    for l in range(_highest(labels), int(rank[0]) if problem.n <= _MANY else _highest(labels), -1):  # noqa: E741
        cut = Cut(*diverse_groups(problem.columns, problem.words, problem.data, labels, n_labels, l, True))
        if problem.losses(cut).max() <= bound.max_ncp + _SLACK:
            return raised(problem, bound.max_ncp, labels, n_labels, cut)
    return best


def reached(cut: Cut, labels: NDArray[np.int64] | None) -> float:
    """The privacy of a cut: l, the least over groups of size over most frequent label; k without labels."""
    if labels is None:
        return float(np.diff(cut.starts).min())
    n_groups, m = len(cut.starts) - 1, int(labels.max(initial=0)) + 1
    keys, counts = np.unique(cut.group * m + labels, return_counts=True)
    tops = np.zeros(n_groups, dtype=np.int64)
    np.maximum.at(tops, keys // m, counts)
    return float((np.diff(cut.starts) / tops).min())


def adjusted(problem: Problem, max_loss: float, labels: NDArray[np.int64]) -> Cut:
    """The paper's heuristic: groups as long as the bound allows, adjusted between neighbours."""
    starts = longest_starts(problem.columns, problem.words, problem.data, max_loss)
    return Cut.of_groups(groups_within(problem.columns, problem.words, problem.data, labels, starts, max_loss))


def raised(problem: Problem, max_loss: float, labels: NDArray[np.int64], n_labels: int, cut: Cut) -> Cut:
    """The cut after its least private groups took in what they lack."""
    effort = max(_LEAST_EFFORT, min(_WORK // max(problem.n, 1), 2 * problem.n))
    return Cut.of_groups(
        raise_privacy(
            problem.columns, problem.words, problem.data, labels, n_labels, cut.group, len(cut.starts) - 1, max_loss,
            effort,
        )
    )  # fmt: skip


def _attempts(problem: Problem, max_loss: float, labels: NDArray[np.int64], n_labels: int) -> Iterator[Cut]:
    few = problem.n > _MANY
    found = False
    for room in _ROOMS[1:2] if few else _ROOMS:
        starts = longest_starts(problem.columns, problem.words, problem.data, room * max_loss)
        if len(starts) * n_labels <= _MOST_COUNTS:
            found = True
            yield raised(problem, max_loss, labels, n_labels, Cut.consecutive(starts))
    if not few or not found:
        yield adjusted(problem, max_loss, labels)


def _highest(labels: NDArray[np.int64]) -> int:
    """The largest whole l that any partition can reach."""
    return int(len(labels) // np.bincount(labels).max())


def _largest_k(problem: Problem, max_loss: float) -> Cut:
    earliest = earliest_starts(problem.columns, problem.words, problem.data, max_loss)
    k, starts = largest_k(earliest)
    if k < _LARGE_K:
        ordered = problem.columns._replace(codes=np.ascontiguousarray(problem.columns.codes[:, problem.rows]))
        cheapest = optimal_starts(ordered, k, max_loss + _SLACK)
        starts = cheapest if len(cheapest) else starts
    return Cut.consecutive(starts)
