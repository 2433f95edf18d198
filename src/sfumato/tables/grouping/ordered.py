"""Ordered: let several orders compete, and keep the one whose groups lose least.

An order and its cut cost milliseconds, and which order is best depends on the table: where many columns hold
categories, reflected lexicographic orders (see `snake.py`) beat space-filling curves by far. The sequence of columns
is found by search: from the columns whose neighbouring values are farthest apart (they should change seldom), by
exchanging neighbours in the sequence and then by moving single columns, as long as the loss falls.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.validate import whole
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.tables.coding.columns import Columns, flatten
from sfumato.tables.grouping.axes import average_steps, order_by_codes
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.cutting.solve_direct import cut_line
from sfumato.tables.grouping.cutting.solve_dual import cut_privacy
from sfumato.tables.grouping.groups import Groups
from sfumato.tables.grouping.hilbert import hilbert_line
from sfumato.tables.grouping.idistance import idistance_line
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.line_methods import Line, LineMethod, accuracy_bound
from sfumato.tables.grouping.snake import snake_order

__all__ = ["Ordered"]

OrderName: TypeAlias = Literal["snake", "lexicographic", "hilbert", "idistance"]

_SEARCHED, _LEAST_SEARCHED = 50_000, 5_000
"""The sequence of columns is searched on a random sample: of at most, and at least, so many records."""
_DENSE_K = 10
"""Groups of more records than this are searched on a sample in which groups in the same places have this size."""
_CENTRES, _SAMPLE = 512, 0.1

Sequences: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Ordered(LineMethod):
    """Any promise, by the best of several orders.

    `best_of` names the orders that compete: `snake` (reflected lexicographic), `lexicographic`, `hilbert`,
    `idistance`. At most `trials` sequences of columns are tried for each of the first two. `polish` exchanges records
    between the groups of the winner where that lowers the loss; a number, as in `polish=100_000`, is for how many steps
    neighbouring groups are then taken apart and formed anew (10 to 16% less loss in half a minute where measured).
    `dealt` is that of `Hilbert`. The release says which order won.

    `show` says what readers see of a group: `ranges`, `means`, `permutation` (two tables) or `condensed` (drawn anew).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.Ordered(trials=4), sf.KAnonymity(5), seed=1)
    Release(100 rows, Ordered, KAnonymity(k=5) holds)
    """

    recommended = "where quasi-identifiers have no hierarchies"
    example = "trials = 4"

    best_of: tuple[OrderName, ...] = ("snake", "hilbert")
    trials: int = 40
    show: str = "ranges"
    polish: bool | int = True
    dealt: bool | None = None

    def __post_init__(self) -> None:
        """Check the orders and the number of trials."""
        super().__post_init__()
        listed = isinstance(self.best_of, (list, tuple))
        named = tuple(self.best_of) if listed else (self.best_of,)
        object.__setattr__(self, "best_of", named)
        if not named or any(not isinstance(name, str) or name not in get_args(OrderName) for name in named):
            raise ParameterError(f"best_of must name some of {', '.join(get_args(OrderName))}, got {self.best_of!r}")
        whole("trials", self.trials, least=1)

    def to_dict(self) -> dict[str, Any]:
        """The parameters as plain data, the orders as a list."""
        return {**super().to_dict(), "best_of": list(self.best_of)}

    def groups(self, job: Job) -> Groups:
        """Cut along each of the orders, keep the best cut, polish it."""
        columns = flatten(job.quasi)
        bound = accuracy_bound(job.promise)
        target = bound.target([column.name for column in job.sensitive]) if bound is not None else None
        best: tuple[tuple[float, float], str, Problem, Cut] | None = None
        for number, name in enumerate(self.best_of):
            own = job.part(0.9 * number / len(self.best_of), 0.9 * (number + 1) / len(self.best_of))
            label, line = self._line(name, columns, own.part(0.0, 0.8))
            problem = Problem(columns, line.rows, line.along, job.sensitive, job.promise)
            cut = self._solve_line(problem, own.part(0.8, 1.0))
            labels = problem.labels(target)[0] if target is not None else None
            rank = (-cut_privacy(cut, labels) if bound is not None else 0.0, problem.total(cut))
            if best is None or rank < best[0]:
                best = rank, label, problem, cut
        assert best is not None
        _, label, problem, cut = best
        return self._polished_groups(problem, cut, job.part(0.9, 1.0), {"order": label})

    def _line(self, name: OrderName, columns: Columns, job: Job) -> tuple[str, Line]:
        """What to call one of the orders that compete, and the records in it."""
        job.share(0.0)
        if name == "hilbert":
            return "hilbert", hilbert_line(columns)
        if name == "idistance":
            return "idistance", idistance_line(columns, _CENTRES, _SAMPLE, job.random.spawn("idistance"), job.share)
        reflect = name == "snake"
        sequence = _farthest_first(columns)
        if accuracy_bound(job.promise) is None:
            cost = _search_cost(columns, job, reflect=reflect)
            sequence = search_sequence(sequence, cost, self.trials, job.share)
        names = ", ".join(job.quasi[c].name for c in sequence)
        return f"{name}: {names}", _snake_line(columns, sequence, reflect=reflect)


def _snake_line(columns: Columns, sequence: Sequences, *, reflect: bool) -> Line:
    """The records in the (reflected) lexicographic order under a sequence of columns."""
    order = snake_order(columns.codes, columns.n_codes, np.array(sequence, dtype=np.int64), reflect)
    return Line(order, np.arange(len(order), dtype=np.float64))


def _farthest_first(columns: Columns) -> Sequences:
    """The columns in falling order of what mixing neighbouring values loses."""
    return tuple(int(c) for c in np.argsort(-average_steps(columns), kind="stable"))


def _search_cost(columns: Columns, job: Job, *, reflect: bool) -> Callable[[Sequences], float]:
    """The function to minimise: the loss of the cut under a sequence of columns, on a sample of a large table.

    The sample is drawn from the records in the order of their codes, so that the order of the file makes no difference.
    """
    n, sensitive, promise = columns.codes.shape[1], job.sensitive, job.promise
    only_k = all(isinstance(part, KAnonymity) for part in promise.parts)
    wanted = n * min(1.0, _DENSE_K / promise.min_size()) if only_k else n
    size = min(n, max(_LEAST_SEARCHED, round(min(wanted, _SEARCHED))))
    if size < n:
        rows = order_by_codes(columns)[np.sort(job.random.spawn("search").permutation(n)[:size])]
        columns = columns._replace(codes=np.ascontiguousarray(columns.codes[:, rows]))
        sensitive = [replace(column, codes=column.codes[rows]) for column in sensitive]
        if only_k or promise.limit(size, sensitive) is not None:
            promise = KAnonymity(max(2, round(promise.min_size() * size / n)))

    def cost(sequence: Sequences) -> float:
        line = _snake_line(columns, sequence, reflect=reflect)
        problem = Problem(columns, line.rows, line.along, sensitive, promise)
        return problem.total(cut_line(problem))

    return cost


def search_sequence(
    start: Sequences, cost: Callable[[Sequences], float], trials: int, share: Share = tell_nobody
) -> Sequences:  # fmt: skip
    """The cheapest sequence found in at most `trials` evaluations of `cost`, two or more at a time.

    `share` is told after each of them. Where it raises, evaluations that have not begun are not made.
    """
    known: dict[Sequences, float] = {start: cost(start)}
    best = start
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        while True:
            before = best
            for moves in (_neighbour_swaps, _single_moves):
                tried = [s for s in dict.fromkeys(moves(best)) if s not in known][: trials - len(known)]
                for sequence, found in zip(tried, pool.map(cost, tried), strict=True):
                    known[sequence] = found
                    share(len(known) / trials)
                best = min(known, key=lambda sequence: known[sequence])
                if best != before:
                    break
            if best == before or len(known) >= trials:
                return best


def _neighbour_swaps(sequence: Sequences) -> Iterable[Sequences]:
    """The sequences that differ by an exchange of two neighbours."""
    for i in range(len(sequence) - 1):
        yield (*sequence[:i], sequence[i + 1], sequence[i], *sequence[i + 2 :])


def _single_moves(sequence: Sequences) -> Iterable[Sequences]:
    """The sequences that differ by one column moved two places or more."""
    for i, column in enumerate(sequence):
        rest = (*sequence[:i], *sequence[i + 1 :])
        for j in range(len(sequence)):
            if abs(i - j) > 1:
                yield (*rest[:j], column, *rest[j:])
