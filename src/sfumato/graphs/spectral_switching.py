"""Switching the ends of pairs of edges, so that degrees stay and the spectrum of the graph nearly does.

Ying & Wu, "Randomizing social networks: a spectrum preserving approach", SDM 2008. Edges t-w and u-v become t-v and
u-w. To first order that moves an eigenvalue with eigenvector x by 2 (x_t x_v + x_u x_w - x_t x_w - x_u x_v), so that
switches can be chosen whose effects cancel. They are made in rounds, on pairs of edges drawn at random; eigenvalues are
computed anew after each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.graph import Graph
from sfumato.graphs.flips import toggle_pairs
from sfumato.graphs.shared import check_edges, count_edges, graph_to_publish, outcome_of, refuse_promise
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Progress, Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, whole
from sfumato.privacy.promise import Promise

__all__ = ["SpectralSwitching", "leading_eigenpairs", "switch_edges"]

_ROUND = 0.02  # the share of edges that is switched in a round, small enough for the first order to hold
_PATIENCE = 50  # rounds without a switch before it gives up


@dataclass(frozen=True)
class SpectralSwitching(Method):
    """Switch pairs of edges until `edges` of them are replaced: a number, or a share of all if it is below 1.

    Every degree stays as it is, and is known to everybody. Of the adjacency matrix the largest `eigenvalues` stay
    within `tolerance`, a share of each; with 0 of them switches are made as they are drawn.

    >>> import sfumato as sf
    >>> import networkx
    >>> graph = sf.Graph.from_networkx(networkx.karate_club_graph())
    >>> sf.publish(graph, sf.SpectralSwitching(3), seed=1)
    Release(34 rows, SpectralSwitching, None holds)
    """

    example = "edges = 3"
    compared = ("edges = 0.05", "edges = 0.1")

    edges: int | float
    eigenvalues: int = 2
    tolerance: float = 0.01
    takes: ClassVar[type] = Graph

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_edges(self.edges)
        whole("eigenvalues", self.eigenvalues, least=0)
        finite("tolerance", self.tolerance, asked="a share > 0, such as 0.01", above=0)

    def promise_for(self, promise: Promise | None) -> None:
        """Raise for any promise, as none is known to hold; without one, return None."""
        refuse_promise("SpectralSwitching", promise)

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Switch edges, then draw the numbers of vertices."""
        self.promise_for(promise)
        graph = graph_to_publish(table)
        count = count_edges(self.edges, graph)
        progress.step("switching edges")
        changed = switch_edges(graph, count, random.spawn("switches"), self.eigenvalues, self.tolerance, progress.share)
        u, v = changed.edges
        lost = graph.n_edges - int(graph.has_edges(u, v).sum())
        progress.step("numbering vertices")
        return outcome_of(changed, random, {"edges_replaced": lost, "degrees_kept": True})


def switch_edges(
    graph: Graph,
    count: int,
    random: Randomness,
    eigenvalues: int = 2,
    tolerance: float = 0.01,
    share: Share = tell_nobody,
) -> Graph:
    """The graph with pairs of edges switched until about `count` of its edges are replaced; without names."""
    if count > graph.n_edges:
        raise InfeasibleError(f"{count:,} edges cannot be replaced: the graph has {graph.n_edges:,}; ask for fewer")
    now, idle, replaced = Graph.from_rows(graph.indptr, graph.indices), 0, 0
    aim, _ = leading_eigenpairs(graph, eigenvalues)
    while count - replaced > 1:
        values, vectors = leading_eigenpairs(now, eigenvalues)
        most = max(1, min(int(_ROUND * graph.n_edges), (count - replaced) // 2))
        pairs, made = _switching_round(now, random, values - aim, vectors, tolerance * np.abs(aim), most)
        idle = 0 if made else idle + 1
        if idle > _PATIENCE:
            raise InfeasibleError(
                f"only {replaced:,} of {count:,} edges are replaced by switches that keep the eigenvalues within "
                f"{tolerance:g}; ask for fewer edges, or a larger tolerance"
            )
        now = toggle_pairs(now, pairs)
        replaced = graph.n_edges - int(graph.has_edges(*now.edges).sum())
        share(min(replaced / count, 1.0))
    return now


def leading_eigenpairs(graph: Graph, number: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The largest eigenvalues of the adjacency matrix, falling, and their eigenvectors as rows."""
    n = len(graph)
    number = min(number, n)
    if not number:
        return np.empty(0), np.empty((0, n))
    matrix = graph.to_scipy().astype(np.float64)
    if n <= max(50, 2 * number + 2):
        values, vectors = np.linalg.eigh(matrix.toarray())
    else:
        from scipy.sparse.linalg import eigsh

        values, vectors = eigsh(matrix, k=number, which="LA", v0=np.ones(n))
    falling = np.argsort(-values, kind="stable")[:number]
    return values[falling], np.ascontiguousarray(vectors[:, falling].T)


def _switching_round(
    graph: Graph,
    random: Randomness,
    drift: NDArray[np.float64],
    vectors: NDArray[np.float64],
    limits: NDArray[np.float64],
    most: int,
) -> tuple[NDArray[np.int64], int]:
    """Pairs of vertices to toggle between edge and none, four for each switch, and the number of switches."""
    n_edges = graph.n_edges
    half = n_edges // 2
    order, coins = random.permutation(n_edges), random.uniform(half) < 0.5
    source, target = graph.edges
    first, second = order[:half], order[half : 2 * half]
    t, w = source[first], target[first]
    u, v = np.where(coins, source[second], target[second]), np.where(coins, target[second], source[second])
    apart = (t != u) & (t != v) & (w != u) & (w != v)
    fits = np.flatnonzero(apart & ~graph.has_edges(t, v) & ~graph.has_edges(u, w))
    fits = fits[_new_once(_pair(t[fits], v[fits]), _pair(u[fits], w[fits]))]
    t, w, u, v = (end[fits] for end in (t, w, u, v))
    chosen = _choose(t, w, u, v, vectors, drift.copy(), limits, most)
    t, w, u, v = (end[chosen] for end in (t, w, u, v))
    turned = np.concatenate([_pair(t, w), _pair(u, v), _pair(t, v), _pair(u, w)])
    return np.sort(turned), int(chosen.sum())


def _pair(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of pairs, as `pair_ends` reads them."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    return np.asarray(high * (high - 1) // 2 + low)


def _new_once(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """The switches both of whose new edges, `one` and `other`, no switch before them makes."""
    both = np.stack([one, other], axis=1).ravel()
    _, first = np.unique(both, return_index=True)
    new = np.zeros(len(both), dtype=bool)
    new[first] = True
    return np.flatnonzero(new[::2] & new[1::2])


@kernel
def _choose(
    t: NDArray[np.int64],
    w: NDArray[np.int64],
    u: NDArray[np.int64],
    v: NDArray[np.int64],
    vectors: NDArray[np.float64],
    drift: NDArray[np.float64],
    limits: NDArray[np.float64],
    most: int,
) -> NDArray[np.bool_]:
    """Mark switches to make, one after another, as long as no eigenvalue moves out of its limits or further out."""
    n_values, chosen, made = vectors.shape[0], np.zeros(t.shape[0], dtype=np.bool_), 0
    moved = np.empty(n_values)
    for s in range(t.shape[0]):
        if made == most:
            break
        fits = True
        for i in range(n_values):
            x = vectors[i]
            moved[i] = drift[i] + 2 * (x[t[s]] * x[v[s]] + x[u[s]] * x[w[s]] - x[t[s]] * x[w[s]] - x[u[s]] * x[v[s]])
            if abs(moved[i]) > limits[i] and abs(moved[i]) > abs(drift[i]):
                fits = False
        if fits:
            chosen[s] = True
            drift[:] = moved
            made += 1
    return chosen
