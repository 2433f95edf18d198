"""The dual problem on a line: the most privacy with no group's loss above a bound (`AccuracyBound`).

For k the optimum among consecutive groups. For l several attempts compete and the most private wins, of equals the
one that loses less: the groups grown along the line and adjusted between neighbours (the paper's heuristic), groups
that start well inside the bound and are raised from there, and the direct heuristic for every whole l above what was
found so far, which may meet the bound too.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.progress import Share, unseen
from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.criteria import all_hold
from sfumato.privacy.promise import Promise
from sfumato.privacy.requirements import criteria_for
from sfumato.tables.grouping.cutting.dual_exact import optimal_within
from sfumato.tables.grouping.cutting.dual_k_optimal import earliest_starts, largest_k
from sfumato.tables.grouping.cutting.dual_l_adjust import groups_within, longest_starts
from sfumato.tables.grouping.cutting.dual_l_raise import raise_privacy
from sfumato.tables.grouping.cutting.k_optimal import optimal_starts
from sfumato.tables.grouping.cutting.l_heuristic import diverse_groups
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.cutting.solve_direct import Solve, cut_line

__all__ = ["adjusted", "broken_by", "cut_within", "raised", "reached"]

_SLACK = 1e-9
_MOST_ASKED = 64
"""Values of l that the direct heuristic is asked for, at most."""
_LARGE_K = 200
"""From this k on the cheapest cut takes too long: groups are cut as short as can be instead."""
_MANY = 100_000
"""Tables of more records make one attempt instead of several."""
_ROOMS = (0.7, 0.5, 0.25, 0.12)
"""Shares of the bound that starting groups keep to."""
_MOST_ATTEMPTS = len(_ROOMS) + 3
"""One for each room, the paper's, one class for all, and what the other promises ask for."""
_LEAST_EFFORT, _WORK = 300, 100_000_000
"""Records compared in a step: at least, and for all records of the table together."""
_MOST_COUNTS = 1 << 25
"""Groups times sensitive values that are counted side by side, at most."""


def cut_within(
    problem: Problem, bound: AccuracyBound, solve: Solve = "heuristic", share: Share = unseen
) -> Cut:  # fmt: skip
    """The most private cut found within the bound."""
    name = bound.target([column.name for column in problem.sensitive])
    if name is None:
        cut = _largest_k(problem, bound.max_ncp)
        if broken_by(problem, cut) is None:
            return cut
        return next((c for c in _alternatives(problem, bound.max_ncp) if broken_by(problem, c) is None), cut)
    labels, n_labels = problem.labels(name)
    if solve == "optimal":
        return Cut.of_lists(optimal_within(labels, bound.max_ncp, problem.loss)[0])
    best: Cut | None = None
    rank = (False, 0.0, 0.0)
    attempts = _attempts(problem, bound.max_ncp, labels, n_labels)
    for turn, cut in enumerate(itertools.chain(attempts, _alternatives(problem, bound.max_ncp)), start=1):
        share(0.5 * turn / _MOST_ATTEMPTS)
        here = (not broken_by(problem, cut), reached(cut, labels), -problem.total(cut))
        if best is None or here > rank:
            best, rank = cut, here
    assert best is not None
    asked = _worth_asking(labels, int(rank[1])) if problem.n <= _MANY else []
    for turn, l in enumerate(asked):  # noqa: E741
        share(0.5 + 0.5 * turn / len(asked))
        cut = Cut(*diverse_groups(problem.columns, problem.words, problem.data, labels, n_labels, l, True))
        if problem.losses(cut).max() <= bound.max_ncp + _SLACK:
            cut = raised(problem, bound.max_ncp, labels, n_labels, cut)
            here = (not broken_by(problem, cut), reached(cut, labels), -problem.total(cut))
            return cut if here > rank else best
    return best


def broken_by(problem: Problem, cut: Cut) -> Promise | None:
    """The first promise beside a bound on the loss that some group breaks."""
    for part in problem.promise.parts:
        if isinstance(part, AccuracyBound):
            continue
        criteria = criteria_for(part, problem.n, problem.sensitive)
        criteria = criteria._replace(codes=np.ascontiguousarray(criteria.codes[problem.rows]))
        if not all_hold(criteria, cut.order, cut.starts):
            return part
    return None


def _alternatives(problem: Problem, max_loss: float) -> Iterator[Cut]:
    """One class for all, and what the other promises alone would ask for, where these are within the bound."""
    others = [part for part in problem.promise.parts if not isinstance(part, AccuracyBound)]
    cuts = [Cut.consecutive(np.array([0, problem.n]))]
    if others:
        asked = functools.reduce(operator.and_, others)
        cuts.append(cut_line(replace(problem, promise=asked)))
    for cut in cuts:
        if problem.losses(cut).max() <= max_loss + _SLACK:
            yield cut


def _worth_asking(labels: NDArray[np.int64], found: int) -> list[int]:
    """Whole l above what was found, the largest first; where there are many, some of them."""
    highest = int(len(labels) // np.bincount(labels).max())
    if highest <= found:
        return []
    spread = np.linspace(found + 1, highest, min(highest - found, _MOST_ASKED))
    return sorted({int(asked) for asked in spread}, reverse=True)


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
    """The cut after its least private groups took in what they lack; as it is where that would take too much memory."""
    if len(cut.starts) * n_labels > _MOST_COUNTS:
        return cut
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
        found |= len(starts) * n_labels <= _MOST_COUNTS
        yield raised(problem, max_loss, labels, n_labels, Cut.consecutive(starts))
    if not few or not found:
        yield adjusted(problem, max_loss, labels)


def _largest_k(problem: Problem, max_loss: float) -> Cut:
    earliest = earliest_starts(problem.columns, problem.words, problem.data, max_loss)
    k, starts = largest_k(earliest)
    if k < _LARGE_K:
        ordered = problem.columns._replace(codes=np.ascontiguousarray(problem.columns.codes[:, problem.rows]))
        cheapest = optimal_starts(ordered, k, max_loss + _SLACK)
        starts = cheapest if len(cheapest) else starts
    return Cut.consecutive(starts)
