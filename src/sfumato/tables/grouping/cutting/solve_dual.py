"""Most privacy within a bound on the loss (`AccuracyBound`): the solver of the dual problem tries several algorithms.

For k there is the optimum among consecutive groups (`dual_k_optimal.py`). For l several attempts compete and the most
private wins, of equals the one that loses less: groups grown along the line and adjusted between neighbours, as in the
paper (`dual_l_adjust.py`); groups that start well inside the bound and are raised from there (`dual_l_raise.py`); and
the direct heuristic (`l_heuristic.py`) for every whole l above what was found so far, which may meet the bound too.
Small tables can be solved exactly (`dual_exact.py`).
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.progress import Share, tell_nobody
from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.criteria import all_hold
from sfumato.privacy.promise import Promise
from sfumato.privacy.requirements import criteria_for
from sfumato.tables.grouping.cutting.dual_exact import optimal_dual
from sfumato.tables.grouping.cutting.dual_k_optimal import earliest_starts, largest_k
from sfumato.tables.grouping.cutting.dual_l_adjust import adjust_groups, longest_starts
from sfumato.tables.grouping.cutting.dual_l_raise import raise_privacy
from sfumato.tables.grouping.cutting.k_optimal import optimal_starts
from sfumato.tables.grouping.cutting.l_heuristic import diverse_groups
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.cutting.solve_direct import Solve, cut_line

__all__ = ["broken_promise", "cut_privacy", "cut_within_bound", "grow_and_adjust", "raise_cut"]

_SLACK = 1e-9
_MOST_ASKED = 64
"""How many values of l the direct heuristic tries, at most."""
_LARGE_K = 200
"""From this k on the cheapest cut takes too long: groups are cut as short as can be instead."""
_MANY = 100_000
"""With more records than this, one attempt is made instead of several."""
_ROOMS = (0.7, 0.5, 0.25, 0.12)
"""Shares of the bound that starting groups keep to."""
_MOST_ATTEMPTS = len(_ROOMS) + 3
"""One for each share of the bound, the paper's heuristic, one class for all, and what the other promises ask for."""
_LEAST_EFFORT, _WORK = 300, 100_000_000
"""Records compared in a step: `_LEAST_EFFORT` at least, and else about `_WORK` over the records of the table."""
_MOST_COUNTS = 1 << 25
"""Groups times sensitive values that are counted side by side, at most."""


def cut_within_bound(
    problem: Problem, bound: AccuracyBound, solve: Solve = "heuristic", share: Share = tell_nobody
) -> Cut:  # fmt: skip
    """The most private cut that was found within the bound; `share` is told how far the search is."""
    name = bound.target([column.name for column in problem.sensitive])
    if name is None:
        cut = _cut_for_largest_k(problem, bound.max_ncp)
        if broken_promise(problem, cut) is None:
            return cut
        return next((c for c in _other_cuts(problem, bound.max_ncp) if broken_promise(problem, c) is None), cut)
    labels, n_labels = problem.labels(name)
    if solve == "optimal":
        return Cut.of_lists(optimal_dual(labels, bound.max_ncp, problem.loss)[0])
    best: Cut | None = None
    rank = (False, 0.0, 0.0)
    attempts = _heuristic_cuts(problem, bound.max_ncp, labels, n_labels)
    for turn, cut in enumerate(itertools.chain(attempts, _other_cuts(problem, bound.max_ncp)), start=1):
        share(0.5 * turn / _MOST_ATTEMPTS)
        here = (broken_promise(problem, cut) is None, cut_privacy(cut, labels), -problem.total(cut))
        if best is None or here > rank:
            best, rank = cut, here
    assert best is not None
    asked = _l_values_to_try(labels, int(rank[1])) if problem.n <= _MANY else []
    for turn, l in enumerate(asked):  # noqa: E741
        share(0.5 + 0.5 * turn / len(asked))
        cut = Cut(*diverse_groups(problem.columns, problem.words, problem.data, labels, n_labels, l, True))
        if problem.losses(cut).max() <= bound.max_ncp + _SLACK:
            cut = raise_cut(problem, bound.max_ncp, labels, n_labels, cut)
            here = (broken_promise(problem, cut) is None, cut_privacy(cut, labels), -problem.total(cut))
            return cut if here > rank else best
    return best


def broken_promise(problem: Problem, cut: Cut) -> Promise | None:
    """The first promise that some group breaks, bounds on the loss apart; None where all are kept."""
    for part in problem.promise.parts:
        if isinstance(part, AccuracyBound):
            continue
        criteria = criteria_for(part, problem.n, problem.sensitive)
        criteria = criteria._replace(codes=np.ascontiguousarray(criteria.codes[problem.rows]))
        if not all_hold(criteria, cut.order, cut.starts):
            return part
    return None


def _other_cuts(problem: Problem, max_loss: float) -> Iterator[Cut]:
    """One class for all, and the direct cut for the promises beside the bound: those of the two that meet the bound."""
    others = [part for part in problem.promise.parts if not isinstance(part, AccuracyBound)]
    cuts = [Cut.consecutive(np.array([0, problem.n]))]
    if others:
        asked = functools.reduce(operator.and_, others)
        cuts.append(cut_line(replace(problem, promise=asked)))
    for cut in cuts:
        if problem.losses(cut).max() <= max_loss + _SLACK:
            yield cut


def _l_values_to_try(labels: NDArray[np.int64], found: int) -> list[int]:
    """The whole numbers l above what was found, the largest first; where there are many, some evenly spread ones."""
    highest = int(len(labels) // np.bincount(labels).max())
    if highest <= found:
        return []
    spread = np.linspace(found + 1, highest, min(highest - found, _MOST_ASKED))
    return sorted({int(asked) for asked in spread}, reverse=True)


def cut_privacy(cut: Cut, labels: NDArray[np.int64] | None) -> float:
    """The privacy of a cut: l, the least over groups of size over most frequent label; k without labels."""
    if labels is None:
        return float(np.diff(cut.starts).min())
    n_groups, m = len(cut.starts) - 1, int(labels.max(initial=0)) + 1
    keys, counts = np.unique(cut.group * m + labels, return_counts=True)
    tops = np.zeros(n_groups, dtype=np.int64)
    np.maximum.at(tops, keys // m, counts)
    return float((np.diff(cut.starts) / tops).min())


def grow_and_adjust(problem: Problem, max_loss: float, labels: NDArray[np.int64]) -> Cut:
    """The cut of the paper's heuristic: groups as long as the bound allows, adjusted between neighbours."""
    starts = longest_starts(problem.columns, problem.words, problem.data, max_loss)
    return Cut.of_groups(adjust_groups(problem.columns, problem.words, problem.data, labels, starts, max_loss))


def raise_cut(problem: Problem, max_loss: float, labels: NDArray[np.int64], n_labels: int, cut: Cut) -> Cut:
    """Let the least private groups take in what they lack; returns the new cut.

    The cut stays as it is where counting all values of all groups would take too much memory.
    """
    if len(cut.starts) * n_labels > _MOST_COUNTS:
        return cut
    effort = max(_LEAST_EFFORT, min(_WORK // max(problem.n, 1), 2 * problem.n))
    return Cut.of_groups(
        raise_privacy(
            problem.columns, problem.words, problem.data, labels, n_labels, cut.group, len(cut.starts) - 1, max_loss,
            effort,
        )
    )  # fmt: skip


def _heuristic_cuts(problem: Problem, max_loss: float, labels: NDArray[np.int64], n_labels: int) -> Iterator[Cut]:
    """A raised cut for each share of the bound to start from, and the cut of the paper's heuristic.

    Of a large table only one of these.
    """
    few = problem.n > _MANY
    found = False
    for room in _ROOMS[1:2] if few else _ROOMS:
        starts = longest_starts(problem.columns, problem.words, problem.data, room * max_loss)
        found |= len(starts) * n_labels <= _MOST_COUNTS
        yield raise_cut(problem, max_loss, labels, n_labels, Cut.consecutive(starts))
    if not few or not found:
        yield grow_and_adjust(problem, max_loss, labels)


def _cut_for_largest_k(problem: Problem, max_loss: float) -> Cut:
    """The cut with the largest k within the bound and, unless k is large, the least loss of all such cuts."""
    earliest = earliest_starts(problem.columns, problem.words, problem.data, max_loss)
    k, starts = largest_k(earliest)
    if k < _LARGE_K:
        ordered = problem.columns._replace(codes=np.ascontiguousarray(problem.columns.codes[:, problem.rows]))
        cheapest = optimal_starts(ordered, k, max_loss + _SLACK)
        starts = cheapest if len(cheapest) else starts
    return Cut.consecutive(starts)
