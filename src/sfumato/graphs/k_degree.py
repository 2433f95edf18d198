"""k-degree anonymity by adding edges: Liu & Terzi, "Towards identity anonymization on graphs", SIGMOD 2008.

Degrees are raised at the least cost until every degree is shared by k vertices (dynamic program, section 5), then edges
are added until every vertex has its degree (`Supergraph`, section 6.2). Where that gets stuck, some low degrees are
raised at random and all is done again (`Probing`). The paper tries again from one step of noise at a time; here as much
is added as edge ends were left over, which takes a few rounds on graphs with hubs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.graph import Graph
from sfumato.graphs.shared import graph_to_publish, outcome_of
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Progress, Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole
from sfumato.privacy.degree_anonymity import DegreeAnonymity
from sfumato.privacy.promise import Promise

__all__ = ["KDegree", "anonymous_degrees", "k_degree_supergraph"]

_ATTEMPTS = 5
_PATIENCE = 8
_MOST_ROUNDS = 200


@dataclass(frozen=True)
class KDegree(Method):
    """Add edges until every degree is that of k vertices or more; no edge is deleted.

    It keeps `DegreeAnonymity(k)` and nothing beyond: all edges of the original are there, so that whoever knows more
    than the number of somebody's neighbours is not hindered.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> sf.publish(graph, sf.KDegree(2), seed=1)
    Release(6 rows, KDegree, DegreeAnonymity(k=2) holds)
    """

    example = "k = 3"
    compared = ("k = 5", "k = 10", "k = 20", "k = 50")

    k: int
    takes: ClassVar[type] = Graph

    def __post_init__(self) -> None:
        """Check k."""
        whole("k", self.k, least=1)

    def promise_for(self, promise: Promise | None) -> Promise:
        """`DegreeAnonymity(k)` unless a weaker one is asked for; other promises and a larger k are refused."""
        if promise is None:
            return DegreeAnonymity(self.k)
        for part in promise.parts:
            if not isinstance(part, DegreeAnonymity):
                raise ParameterError(f"KDegree keeps DegreeAnonymity alone, not {part!r}; leave the promise out")
            if part.k > self.k:
                raise ParameterError(f"{part!r} asks for more than KDegree(k={self.k}) keeps; take KDegree({part.k})")
        return promise

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Raise degrees and add edges, then draw the numbers of vertices."""
        self.promise_for(promise)
        graph = graph_to_publish(table)
        progress.step("adding edges")
        larger = k_degree_supergraph(graph, self.k, random.spawn("edges"), progress.share)
        progress.step("numbering vertices")
        return outcome_of(larger, random, {"k": self.k})


def k_degree_supergraph(graph: Graph, k: int, random: Randomness, share: Share = tell_nobody) -> Graph:
    """The graph with edges added so that every degree is that of k vertices or more; without names.

    Where noise is needed, the fewest edges of several attempts are taken.
    """
    n = len(graph)
    if n < k:
        raise InfeasibleError(f"k={k} needs at least {k} vertices and the graph has {n}; the best is k={n}")
    best: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    for attempt in range(_ATTEMPTS):
        here = portion(share, attempt / _ATTEMPTS, (attempt + 1) / _ATTEMPTS)
        added, n_rounds = _attempt(graph, k, random, here)
        if added is not None and (best is None or len(added[0]) < len(best[0])):
            best = added
        if best is not None and n_rounds == 1:  # no noise, and so the least
            break
    if best is None:
        raise InfeasibleError(f"no graph with k={k} was found that holds all edges of this one; take a smaller k")
    u, v = graph.edges
    return Graph.from_edges(np.concatenate([u, best[0]]), np.concatenate([v, best[1]]), n)


def _attempt(
    graph: Graph, k: int, random: Randomness, share: Share
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]] | None, int]:
    """Edges to add (their two ends, or None if none were found), and the number of rounds of noise it took."""
    degrees = graph.degrees
    raised = degrees.copy()
    for done in range(_MOST_ROUNDS):
        wanted = anonymous_degrees(raised, k) - degrees
        low, high, n_short = _supergraph(graph.indptr, graph.indices, wanted, random.permutation(len(graph)))
        share((done + 1) / _MOST_ROUNDS)
        if n_short == 0:
            return (low, high), done + 1
        raised = _with_noise(raised, int(n_short) << (done // _PATIENCE), done >= _PATIENCE, random)
    return None, _MOST_ROUNDS


def anonymous_degrees(degrees: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """The degrees raised as little as possible in sum, so that each is shared by k vertices or more.

    O(n k): the dynamic program over falling degrees, groups of k to 2k - 1.

    >>> anonymous_degrees(np.array([5, 1, 4, 1]), 2).tolist()
    [5, 1, 5, 1]
    """
    if not 1 <= k <= len(degrees):
        raise InfeasibleError(f"k={k} needs at least {k} vertices and there are {len(degrees)}; take a smaller k")
    order = np.argsort(-degrees, kind="stable")
    raised = np.empty_like(degrees)
    raised[order] = _raise_by_groups(degrees[order], k)
    return raised


def _with_noise(degrees: NDArray[np.int64], count: int, everywhere: bool, random: Randomness) -> NDArray[np.int64]:  # noqa: FBT001
    """The degrees with 1 added at `count` random vertices, of the lower half of degrees or of all."""
    n = len(degrees)
    order = random.permutation(n)
    order = order[np.argsort(degrees[order], kind="stable")]
    among = order[degrees[order] < n - 1][: n if everywhere else (n + 1) // 2]
    noisy = degrees.copy()
    noisy[among[random.permutation(len(among))[:count]]] += 1
    return noisy


@kernel
def _raise_by_groups(degrees: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """The falling degrees raised to the largest of their group, groups of k or more at the least cost.

    Da(i) = min over t of Da(t) + I(t, i), i - 2k < t <= i - k.
    """
    n = degrees.shape[0]
    total, cost = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    cut = np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        total[i + 1] = total[i] + degrees[i]
    for i in range(k, n + 1):
        cost[i] = i * degrees[0] - total[i]  # one group
        for t in range(max(k, i - 2 * k + 1), i - k + 1):
            tried = cost[t] + (i - t) * degrees[t] - (total[i] - total[t])
            if tried < cost[i]:
                cost[i], cut[i] = tried, t
    raised, end = np.empty_like(degrees), n
    while end > 0:
        raised[cut[end] : end] = degrees[cut[end]]
        end = cut[end]
    return raised


@kernel
def _supergraph(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], wanted: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Edges to add so that each vertex gets as many as it wants, and the number of ends that found no partner.

    Whoever wants most is joined to those who want most among the rest, unless they are neighbours in the original, and
    is then done with, so that no edge comes twice. Vertices stand in falling order of what they want: `n_from[r]` of
    them want r or more, so that one who wants less by one changes places with the last of its equals.
    """
    n, most = indptr.shape[0] - 1, 1
    for v in range(n):
        most = max(most, wanted[v])
    left = wanted.copy()
    n_from = np.zeros(most + 2, dtype=np.int64)
    for v in range(n):
        n_from[left[v]] += 1
    for r in range(most - 1, -1, -1):
        n_from[r] += n_from[r + 1]
    place, where = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    free = n_from[1:].copy()  # where the next that wants r goes
    for v in order:
        place[free[left[v]]], where[v] = v, free[left[v]]
        free[left[v]] += 1
    n_ends = np.sum(wanted)
    low, high = np.empty(n_ends // 2 + 1, dtype=np.int64), np.empty(n_ends // 2 + 1, dtype=np.int64)
    met, chosen = np.full(n, -1, dtype=np.int64), np.empty(most, dtype=np.int64)
    n_added, n_short = 0, 0
    while n_from[1] > 0:
        v = place[0]
        met[v] = v
        for e in range(indptr[v], indptr[v + 1]):
            met[indices[e]] = v
        n_chosen, at = 0, 1
        while n_chosen < left[v] and at < n_from[1]:
            if met[place[at]] != v:
                chosen[n_chosen] = place[at]
                n_chosen += 1
            at += 1
        n_short += left[v] - n_chosen
        for t in range(n_chosen + left[v]):
            u = chosen[t] if t < n_chosen else v
            last = n_from[left[u]] - 1
            other = place[last]
            place[where[u]], place[last] = other, u
            where[other], where[u] = where[u], last
            n_from[left[u]] -= 1
            left[u] -= 1
            if u != v:
                low[n_added], high[n_added] = v, u
                n_added += 1
    return low[:n_added], high[:n_added], n_short
