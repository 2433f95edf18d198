"""The cheapest graph in which each record has l candidates with distinct labels, and its split into assignments.

One minimum-cost flow: from each record l units, at most one through each label, to slots that take l each; an arc costs
the Hamming distance. Solved as a linear program, whose corners are whole, so it is for a few thousand records. The
labels that differ are the *original* ones: a graph alone cannot make the published ones differ, because they depend on
the assignment drawn. So this says how much the rings pay for that; for k-anonymity, where no labels are given, it is
as sound as a ring.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole

__all__ = ["MAX_ARCS", "all_arcs", "cheapest_graph", "graph_cost", "neighbour_arcs", "split"]

MAX_ARCS = 150_000
"""The most arcs that are given to the solver."""


def all_arcs(n: int) -> NDArray[np.int64]:
    """Every record to every slot, as rows of two numbers."""
    return np.stack([np.repeat(np.arange(n), n), np.tile(np.arange(n), n)], axis=1)


def neighbour_arcs(
    order: NDArray[np.int64],
    labels: NDArray[np.int64] | None,
    width: int,
    *,
    ring: NDArray[np.int64] | None = None,
    l: int = 1,  # noqa: E741
) -> NDArray[np.int64]:
    """Each record to those up to `width` positions from it in the order and, of each label, the `width` next to it.

    With a `ring`, also the arcs of its first l lags: an l-diverse ring makes sure that there is a graph at all.
    """
    n = len(order)
    whole("width", width, least=0)
    at = np.arange(n)
    found = [_pairs(order, order, at[:, None] + np.arange(-width, width + 1), wrap=True)]
    if labels is not None and width:
        for label in np.unique(labels):
            places = np.flatnonzero(labels[order] == label)
            begin = np.searchsorted(places, at) - width // 2
            found.append(_pairs(order, order[places], begin[:, None] + np.arange(width), wrap=False))
    if ring is not None:
        found.append(_pairs(ring, ring, at[:, None] + np.arange(l), wrap=True))
    return np.unique(np.concatenate(found), axis=0)


def cheapest_graph(
    baskets: Baskets, labels: NDArray[np.int64] | None, l: int, arcs: NDArray[np.int64]  # noqa: E741
) -> NDArray[np.int64]:  # fmt: skip
    """The slots of each record, l of them in every row, that cost least in all; each slot is taken l times.

    With labels, those of the records in a row differ. Only the given arcs are used.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    n, n_arcs = len(baskets), len(arcs)
    whole("l", l, least=1)
    if n_arcs > MAX_ARCS:
        raise ParameterError(f"{n_arcs:,} arcs are more than the {MAX_ARCS:,} that a flow can take; use a ring")
    source, target = arcs[:, 0], arcs[:, 1]
    at, ones = np.arange(n_arcs), np.ones(n_arcs)
    each = vstack([csr_array((ones, (side, at)), shape=(n, n_arcs)) for side in (source, target)])
    once, bound = None, None
    if labels is not None:
        _, pair = np.unique(np.stack([source, labels[target]]), axis=1, return_inverse=True)
        pair = pair.ravel()
        once = csr_array((ones, (pair, at)), shape=(int(pair.max(initial=-1)) + 1, n_arcs))
        bound = np.ones(once.shape[0])
    solved = linprog(
        _costs(baskets, source, target), A_ub=once, b_ub=bound, A_eq=each, b_eq=np.full(2 * n, float(l)),
        bounds=(0, 1), method="highs-ds",
    )  # fmt: skip
    if solved.x is None:
        raise InfeasibleError(f"no graph on these {n_arcs:,} arcs gives each record {l} candidates; give more arcs")
    taken = solved.x > 0.5
    if int(np.bincount(source[taken], minlength=n).min()) < l or bool((np.abs(solved.x - taken) > 1e-6).any()):
        raise InfeasibleError("the solver of the flow stopped short of a corner; use a ring")
    by_record = np.argsort(source[taken], kind="stable")
    return np.asarray(target[taken][by_record].reshape(n, l), dtype=np.int64)


def graph_cost(baskets: Baskets, graph: NDArray[np.int64]) -> int:
    """The Hamming distances from all records to their slots; row i of `graph` lists those of record i."""
    source = np.repeat(np.arange(len(graph)), graph.shape[1])
    return int(_costs(baskets, source, graph.ravel()).sum())


def split(graph: NDArray[np.int64], random: Randomness) -> NDArray[np.int64]:
    """Random disjoint assignments, one in a row, that make up a graph in which each slot is taken equally often."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    n, l = graph.shape  # noqa: E741
    left = {(i, int(j)) for i, row in enumerate(graph.tolist()) for j in row}
    rows = np.empty((l, n), dtype=np.int64)
    for r in range(l):
        pairs = np.array(sorted(left), dtype=np.int64)
        record, slot = random.permutation(n), random.permutation(n)
        mixed = csr_array((np.ones(len(pairs)), (record[pairs[:, 0]], slot[pairs[:, 1]])), shape=(n, n))
        match = maximum_bipartite_matching(mixed, perm_type="column")
        if len(left) != n * (l - r) or int(match.min()) < 0:
            raise ParameterError("the graph must list distinct slots in each row, and each slot equally often")
        rows[r] = np.argsort(slot)[match[record]]
        left -= set(enumerate(rows[r].tolist()))
    return rows


def _pairs(
    order: NDArray[np.int64], slots: NDArray[np.int64], places: NDArray[np.int64], *, wrap: bool
) -> NDArray[np.int64]:
    """Arcs from each record of the order to the slots at its row of `places`, round the end or cut off there."""
    source = np.repeat(order, places.shape[1])
    flat = places.ravel()
    if wrap:
        return np.stack([source, slots[flat % len(slots)]], axis=1)
    inside = (flat >= 0) & (flat < len(slots))
    return np.stack([source[inside], slots[flat[inside]]], axis=1)


def _costs(baskets: Baskets, source: NDArray[np.int64], target: NDArray[np.int64]) -> NDArray[np.float64]:
    """The Hamming distance of each record of `source` from the one of `target`."""
    matrix = baskets.to_scipy().astype(np.int64)
    sizes = baskets.sizes
    common = [
        np.asarray(matrix[source[a : a + 4096]].multiply(matrix[target[a : a + 4096]]).sum(axis=1)).ravel()
        for a in range(0, len(source), 4096)
    ]
    return np.asarray(sizes[source] + sizes[target] - 2 * np.concatenate([[], *common]), dtype=np.float64)
