"""Covering the records by classes of the lattice, the cheapest classes first.

A class that has enough open records becomes a group. If asked to, one that has too few borrows records of groups that
have more than enough, once that is the cheapest way to cover its records: greedy by what an open record costs, as in
covering sets.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.progress import Share, tell_nobody
from sfumato.privacy.criteria import Criteria
from sfumato.privacy.least_size import least_size
from sfumato.tables.coding.levels import Levels
from sfumato.tables.coding.paths import Paths, paths_of
from sfumato.tables.coding.sensitive_profiles import profile_ids
from sfumato.tables.lattice.borrowing import Lending, lending_for, take_or_borrow
from sfumato.tables.lattice.frequency_sets import classify, scratch_for
from sfumato.tables.lattice.hopeless_nodes import HopelessNodes
from sfumato.tables.lattice.lattice import Lattice, Node, nodes_by_cost
from sfumato.tables.lattice.node_costs import column_costs
from sfumato.tables.lattice.taking import At, Open, Taken, may_be_large, take_classes, workshop_for

__all__ = ["cover"]

_STEP = 1.03
"""A node whose classes were left for later is visited again when their cost is reached, or grown by this factor."""
_LOOKS = 10_000_000_000
"""How many entries are looked at in all visits; records still open then are placed by `leftovers.py`."""


def cover(
    levels: Levels, codes: NDArray[np.int32], criteria: Criteria, share: Share = tell_nobody, *, borrow: bool = False
) -> NDArray[np.int64]:  # fmt: skip
    """The group of every record, -1 for those that no class took.

    Nodes are visited in rising order of their average loss. A class that costs more than that is left open, in the
    hope of a cheaper one at another node, until its own cost is reached. `borrow` is for criteria on sizes alone.
    """
    n, paths = len(codes), paths_of(levels, codes)
    scratch = scratch_for(n)
    profile, n_profiles = profile_ids(criteria.codes[:, np.unique(criteria.column)])
    bottom = paths.mask([0] * len(levels.tops))
    classify(paths.words, bottom, np.arange(n), np.ones(n, dtype=np.int64), scratch)
    alike = scratch.ids[:n].astype(np.int64) * n_profiles + profile  # records alike in everything go together
    _, entries, of_row, weight = np.unique(alike, return_index=True, return_inverse=True, return_counts=True)
    open_ = Open(entries.copy(), weight.astype(np.int64), paths.words[entries])
    taken = Taken(np.full(n, -1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64), np.array([len(entries), 0]))
    lending = lending_for(len(entries), n, paths.words.shape[1]) if borrow else None
    criteria = criteria._replace(min_size=least_size(criteria))
    _visit_nodes(levels, codes, criteria, paths, (open_, taken, lending), share)
    group = taken.group[entries][of_row.reshape(-1)]
    if lending is not None:
        _lend(group, lending, entries, of_row.reshape(-1))
    return np.asarray(group, dtype=np.int64)


def _visit_nodes(
    levels: Levels, codes: NDArray[np.int32], criteria: Criteria, paths: Paths,
    books: tuple[Open, Taken, Lending | None], share: Share,
) -> None:  # fmt: skip
    """Take classes at the nodes of the lattice, the cheapest first, until every entry is in a group."""
    open_, taken, lending = books
    n_entries = len(open_.entry)
    scratch, workshop = scratch_for(n_entries), workshop_for(n_entries)
    lattice, costs = Lattice(tuple(levels.tops.tolist())), column_costs("gcp", levels, codes)
    looks = 0

    def is_hopeless(node: Node) -> bool:
        nonlocal looks
        looks += int(taken.n[0])
        return not may_be_large(open_, paths.mask(node), taken.n[0], criteria.min_size, workshop.tally)

    def take(limit: float, node: Node) -> float:
        nonlocal looks
        looks += int(taken.n[0])
        at = At(np.array(node, dtype=np.int64), paths.mask(node))
        given = (levels, at, paths.words, codes, criteria, limit + 1e-12, open_, taken, scratch, workshop)
        if lending is None:
            return float(take_classes(*given))
        looks += int(lending.n[0])
        return float(take_or_borrow(*given, lending))

    visits = _Visits(nodes_by_cost(lattice, costs))
    hopeless = HopelessNodes(lattice, costs, is_hopeless)
    for limit, node in visits:
        if looks >= _LOOKS:
            break
        if lending is None and hopeless.has(node):
            continue
        share(1.0 - taken.n[0] / max(n_entries, 1))
        later = take(limit, node)
        if not taken.n[0]:
            break
        if np.isfinite(later):
            visits.again(max(later, limit * _STEP), node)


def _lend(
    group: NDArray[np.int64], lending: Lending, entries: NDArray[np.int64], of_row: NDArray[np.int64]
) -> None:  # fmt: skip
    """Give the records that were lent the group to which they were: of each entry the first that are not lent yet."""
    n_loans = int(lending.n[1])
    place = {int(entry): number for number, entry in enumerate(entries.tolist())}
    rows = np.argsort(of_row, kind="stable")
    starts = np.searchsorted(of_row[rows], np.arange(len(entries)))
    loans = (lending.loan_entry, lending.loan_group, lending.loan_size)
    for entry, to, size in zip(*(each[:n_loans].tolist() for each in loans), strict=True):
        first = starts[place[entry]]
        group[rows[first : first + size]] = to
        starts[place[entry]] += size


class _Visits:
    """Nodes in rising order of their cost; a node can be put back to be visited again later."""

    def __init__(self, nodes: Iterator[tuple[float, Node]]) -> None:
        self._nodes = nodes
        self._later: list[tuple[float, Node]] = []

    def again(self, limit: float, node: Node) -> None:
        """Visit a node again once the loss has risen to `limit`."""
        heapq.heappush(self._later, (limit, node))

    def __iter__(self) -> Iterator[tuple[float, Node]]:
        coming = next(self._nodes, None)
        while True:
            if self._later and (coming is None or self._later[0][0] <= coming[0]):
                yield heapq.heappop(self._later)
            elif coming is not None:
                yield coming
                coming = next(self._nodes, None)
            else:
                return
