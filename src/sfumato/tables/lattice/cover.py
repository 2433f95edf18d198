"""Covering the records by classes of the lattice, the cheapest classes first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.progress import Share, tell_nobody
from sfumato.privacy.criteria import Criteria
from sfumato.tables.coding.levels import Levels
from sfumato.tables.coding.sensitive_profiles import profile_ids
from sfumato.tables.lattice.frequency_sets import classify, scratch_for, take_classes
from sfumato.tables.lattice.lattice import Lattice, Node, nodes_by_cost
from sfumato.tables.lattice.node_costs import column_costs

__all__ = ["cover"]

_STEP = 1.03
"""A node whose classes were left for later is visited again when their loss is reached, or grown by this factor."""
_VISITS = 100_000
"""How many visits are made at most; records still open then are placed by `polish.place_leftovers`."""


def cover(
    levels: Levels, codes: NDArray[np.int32], criteria: Criteria, share: Share = tell_nobody
) -> NDArray[np.int64]:  # fmt: skip
    """The group of every record, -1 for those that no class took.

    Nodes are visited in rising order of their average loss. A class that loses more than that is left open, in the
    hope of a cheaper one at another node, until its own loss is reached.
    """
    n = len(codes)
    scratch = scratch_for(n)
    profile, n_profiles = profile_ids(criteria.codes[:, np.unique(criteria.column)])
    bottom = np.zeros(len(levels.tops), dtype=np.int64)
    classify(levels, bottom, codes, np.arange(n), np.ones(n, dtype=np.int64), scratch)
    alike = scratch.ids[:n].astype(np.int64) * n_profiles + profile  # records alike in everything go together
    _, entries, of_row, weight = np.unique(alike, return_index=True, return_inverse=True, return_counts=True)
    standing = entries.copy()
    group = np.full(n, -1, dtype=np.int64)
    n_open, n_groups = len(entries), 0
    visits = _Visits(nodes_by_cost(Lattice(tuple(levels.tops.tolist())), column_costs("gcp", levels, codes)))
    for limit, node in visits:
        share(1.0 - n_open / max(len(entries), 1))
        n_open, n_groups, later = take_classes(
            levels, np.array(node, dtype=np.int64), codes, entries, weight, n_open, criteria, criteria.codes,
            limit + 1e-12, group, n_groups, scratch,
        )  # fmt: skip
        if not n_open:
            break
        if np.isfinite(later):
            visits.again(max(later, limit * _STEP), node)
    return np.asarray(group[standing][of_row.reshape(-1)], dtype=np.int64)


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
        for _ in range(_VISITS):
            if self._later and (coming is None or self._later[0][0] <= coming[0]):
                yield heapq.heappop(self._later)
            elif coming is not None:
                yield coming
                coming = next(self._nodes, None)
            else:
                return
