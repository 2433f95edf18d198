"""The direct problem on a line: the least loss that keeps a promise.

k-anonymity by the optimal consecutive cut, l-diversity (no value above 1/l, l whole, one column) by the linear
heuristic, every other promise by the frontier walk; or, on small tables, l-diversity by exhaustive means.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import Share, unseen
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.sensitive import chosen
from sfumato.tables.grouping.cutting.any_promise_walk import walk_groups
from sfumato.tables.grouping.cutting.dual_exact import diverse_through_dual
from sfumato.tables.grouping.cutting.k_optimal import optimal_starts, optimal_starts_1d
from sfumato.tables.grouping.cutting.l_dealt import deal_line
from sfumato.tables.grouping.cutting.l_exact import optimal_diverse
from sfumato.tables.grouping.cutting.l_heuristic import diverse_groups
from sfumato.tables.grouping.cutting.polish import exchange
from sfumato.tables.grouping.cutting.problem import Cut, Problem

__all__ = ["Solve", "cut_line", "polished"]

Solve: TypeAlias = Literal["heuristic", "optimal", "dual"]

_WINDOW, _PASSES = 20, 4


def cut_line(
    problem: Problem, *, fast: bool = False, solve: Solve = "heuristic", dealing: Randomness | None = None
) -> Cut:
    """Groups that keep the promise and lose little; with `dealing`, groups that tell nothing of who has which value."""
    diverse, k = _diverse(problem), problem.promise.min_size()
    if dealing is not None and len(problem.criteria.kind):
        return _of_size(deal_line(problem, diverse, dealing), k)
    if solve != "heuristic":
        if diverse is None:
            raise ParameterError(
                f"solve={solve!r} is for LDiversity with a whole l on one column, not {problem.promise!r}; leave it out"
            )
        return _of_size(_exhaustive(problem, *diverse, solve), k)
    if diverse is not None:
        labels, n_labels = problem.labels(diverse[0])
        groups = diverse_groups(problem.columns, problem.words, problem.data, labels, n_labels, diverse[1], True)
        if k <= diverse[1]:
            return Cut(*groups)
        return min(_of_size(Cut(*groups), k), _walked(problem), key=problem.total)
    if all(isinstance(part, KAnonymity) for part in problem.promise.parts):
        if fast:
            return Cut.consecutive(optimal_starts_1d(problem.along, k))
        ordered = problem.columns._replace(codes=np.ascontiguousarray(problem.columns.codes[:, problem.rows]))
        return Cut.consecutive(optimal_starts(ordered, k, np.inf))
    return _walked(problem)


def _walked(problem: Problem) -> Cut:
    kinds, n_kinds = problem.kinds
    return Cut(*walk_groups(problem.criteria, kinds, n_kinds))


def polished(problem: Problem, cut: Cut, max_loss: float = np.inf, share: Share = unseen) -> Cut:
    """The cut after records of equal kind changed places where that lowers the loss."""
    order = cut.order.copy()
    kinds, n_kinds = problem.kinds
    for turn in range(_PASSES):  # one pass a call, so that it can be called off in between
        share(turn / _PASSES)
        columns, words, data = problem.columns, problem.words, problem.data
        if not exchange(columns, words, data, kinds, n_kinds, order, cut.starts, _WINDOW, 1, max_loss):
            break
    return Cut(order, cut.starts)


def _diverse(problem: Problem) -> tuple[str, int] | None:
    """The column and l of a promise that the linear heuristic keeps."""
    diverse: tuple[str, int] | None = None
    for part in problem.promise.parts:
        if isinstance(part, LDiversity) and part.kind == "frequency" and part.l == int(part.l):
            columns = chosen(part, part.columns, [column.name for column in problem.sensitive])
            if len(columns) == 1 and (diverse is None or diverse[0] == columns[0]):
                diverse = columns[0], max(int(part.l), diverse[1] if diverse is not None else 1)
                continue
        elif isinstance(part, KAnonymity):
            continue
        return None
    return diverse


def _of_size(cut: Cut, k: int) -> Cut:
    """Neighbouring groups joined until each has k records: together they are as diverse as the less diverse of them."""
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


def _exhaustive(problem: Problem, name: str, l: int, solve: Solve) -> Cut:  # noqa: E741
    labels, _ = problem.labels(name)
    if solve == "optimal":
        return Cut.of_lists(optimal_diverse(labels, l, problem.loss, objective="weighted"))
    return Cut.of_lists(diverse_through_dual(labels, l, problem.loss))
