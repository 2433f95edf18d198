"""Solver of the direct problem: the least loss that keeps a promise. Chooses the algorithm; start reading here.

k-anonymity goes to the dynamic programme (`k_optimal.py`), l-diversity (no value above 1/l, l whole, one column) to the
linear heuristic (`l_heuristic.py`) or, on small tables and if asked for, to an exact search (`l_exact.py`,
`dual_exact.py`), every other promise to the frontier walk (`any_promise_walk.py`), and dealt groups to `l_dealt.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.requirements import refuse_infeasible
from sfumato.privacy.sensitive import chosen_columns
from sfumato.tables.grouping.cutting.any_promise_walk import walk_groups
from sfumato.tables.grouping.cutting.dual_exact import optimal_diverse_by_dual
from sfumato.tables.grouping.cutting.k_optimal import optimal_starts, optimal_starts_1d
from sfumato.tables.grouping.cutting.l_dealt import deal_groups
from sfumato.tables.grouping.cutting.l_exact import optimal_diverse
from sfumato.tables.grouping.cutting.l_heuristic import diverse_groups
from sfumato.tables.grouping.cutting.polish import polish_by_exchange
from sfumato.tables.grouping.cutting.problem import Cut, Problem

__all__ = ["Solve", "cut_line", "polish_cut"]

Solve: TypeAlias = Literal["heuristic", "optimal", "dual"]

_WINDOW, _PASSES = 20, 4


def cut_line(
    problem: Problem, *, fast: bool = False, solve: Solve = "heuristic", deal_random: Randomness | None = None
) -> Cut:
    """Groups that keep the promise and lose little.

    `fast` measures k-anonymous groups by their extent along the line. `solve` asks for an exact search. With
    `deal_random` groups are dealt by these random numbers (see `l_dealt.py`), unless the promise speaks of sizes alone.
    Refuses a promise that even one group of all records breaks: the cuts count on it.
    """
    refuse_infeasible(problem.promise, problem.n, problem.sensitive)
    diverse, k = _column_and_l(problem), problem.promise.min_size()
    if deal_random is not None and len(problem.criteria.kind):
        return _join_small_groups(deal_groups(problem, diverse, deal_random), k)
    if solve != "heuristic":
        if diverse is None:
            raise ParameterError(
                f"solve={solve!r} is for LDiversity with a whole l on one column, not {problem.promise!r}; leave it out"
            )
        return _join_small_groups(_exact_cut(problem, *diverse, solve), k)
    if diverse is not None:
        labels, n_labels = problem.labels(diverse[0])
        groups = diverse_groups(problem.columns, problem.words, problem.data, labels, n_labels, diverse[1], True)
        if k <= diverse[1]:
            return Cut(*groups)
        return min(_join_small_groups(Cut(*groups), k), _walk(problem), key=problem.total)
    if all(isinstance(part, KAnonymity) for part in problem.promise.parts):
        if fast:
            return Cut.consecutive(optimal_starts_1d(problem.along, k))
        ordered = problem.columns._replace(codes=np.ascontiguousarray(problem.columns.codes[:, problem.rows]))
        return Cut.consecutive(optimal_starts(ordered, k, np.inf))
    return _walk(problem)


def _walk(problem: Problem) -> Cut:
    """The cut of the frontier walk."""
    profiles, n_profiles = problem.profiles
    return Cut(*walk_groups(problem.criteria, profiles, n_profiles))


def polish_cut(problem: Problem, cut: Cut, max_loss: float = np.inf, share: Share = tell_nobody) -> Cut:
    """Exchange records with equal sensitive values between groups where that lowers the loss; returns the new cut."""
    order = cut.order.copy()
    profiles, n_profiles = problem.profiles
    for turn in range(_PASSES):  # one pass a call, so that it can be called off in between
        share(turn / _PASSES)
        columns, words, data = problem.columns, problem.words, problem.data
        if not polish_by_exchange(columns, words, data, profiles, n_profiles, order, cut.starts, _WINDOW, 1, max_loss):
            break
    return Cut(order, cut.starts)


def _column_and_l(problem: Problem) -> tuple[str, int] | None:
    """The sensitive column and the l of a promise that the linear heuristic can keep; None for any other promise."""
    diverse: tuple[str, int] | None = None
    for part in problem.promise.parts:
        if isinstance(part, LDiversity) and part.kind == "frequency" and part.l == int(part.l):
            columns = chosen_columns(part, part.columns, [column.name for column in problem.sensitive])
            if len(columns) == 1 and (diverse is None or diverse[0] == columns[0]):
                diverse = columns[0], max(int(part.l), diverse[1] if diverse is not None else 1)
                continue
        elif isinstance(part, KAnonymity):
            continue
        return None
    return diverse


def _join_small_groups(cut: Cut, k: int) -> Cut:
    """Join neighbouring groups until each has k records: together they are as diverse as the less diverse of them."""
    sizes = np.diff(cut.starts)
    if not len(sizes) or sizes.min() >= k:
        return cut
    starts = [0]
    for stop in cut.starts[1:].tolist():
        if stop - starts[-1] >= k:
            starts.append(stop)
    if starts[-1] < cut.starts[-1]:  # what is left joins the last group
        starts = [*(starts[:-1] or [0]), int(cut.starts[-1])]
    return Cut(cut.order, np.array(starts, dtype=np.int64))


def _exact_cut(problem: Problem, name: str, l: int, solve: Solve) -> Cut:  # noqa: E741
    """The l-diverse cut of least average loss (`optimal`), or of least largest loss (`dual`)."""
    labels, _ = problem.labels(name)
    if solve == "optimal":
        return Cut.of_lists(optimal_diverse(labels, l, problem.loss, objective="weighted"))
    return Cut.of_lists(optimal_diverse_by_dual(labels, l, problem.loss))
