"""Looking for planted accounts by likelihood, with or without their path.

An honest adversary does not give up when one edge of a path is gone. Accounts are placed one after another, those first
that are joined to most of the ones placed; the likeliest partial placements are kept (beam search), many at first and
fewer as they grow. Then the placement is polished: every account is placed anew beside the others until none moves.

What is seen of a placement is weighed against what other vertices would show: degrees come as often as they are
published, and pairs are joined with probability d_u d_v / 2h, or, where that is more, as often as two neighbours of a
vertex are, since a social graph is full of dense parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.counts.triangles import count_triangles
from sfumato.graphs.estimates.degree_law import law_of_degree
from sfumato.graphs.flip_rate import FlipRates
from sfumato.ground.kernels import kernel

__all__ = ["Evidence", "likeliest_placement", "place_beside_victims", "weigh_accounts"]

_NEVER = 1e-9  # a flip that cannot be has this probability, so that placements with one stay comparable
_IMPOSSIBLE = math.log(1e-300)
_IMPLAUSIBLE = -25.0  # the logarithm of how unlikely a degree may be
_STARTS = 3  # accounts that the search begins with, one after another
_EARLY = 50  # placements of t accounts that are kept: 50 / t times the beam, at least the beam
_ROUNDS = 4


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the adversary knows of the planted accounts, as logarithms of likelihood ratios on a published graph."""

    inside: NDArray[np.bool_]
    """Which accounts are joined."""
    pairs: NDArray[np.float64]
    """The log likelihoods of an edge that is kept, one that is lost, one that came, and a pair that stayed apart."""
    degrees: NDArray[np.float64]
    """Accounts by published degrees, the last for all above: how much likelier it is theirs than a vertex's."""
    popularity: NDArray[np.float64]
    """By published vertex: the sum of two is the logarithm of how likely their degrees alone join them."""
    closure: float
    """The logarithm of how likely two neighbours of a vertex are joined."""

    def of(self, path: NDArray[np.int32], graph: Graph) -> float:
        """The log likelihood ratio of these vertices being the accounts, in their order, rather than any others."""
        a, b = np.triu_indices(len(path), 1)
        seen, true = graph.has_edges(path[a], path[b]), self.inside[a, b]
        kept, lost, came, stayed = self.pairs
        of_accounts = np.where(true, np.where(seen, kept, lost), np.where(seen, came, stayed))
        joined = np.clip(self.popularity[path[a]] + self.popularity[path[b]], self.closure, 0.0)
        usual = np.where(seen, joined, math.log1p(-math.exp(self.closure)))
        shown = np.minimum(graph.degrees[path], self.degrees.shape[1] - 1)
        return float((of_accounts - usual).sum() + self.degrees[np.arange(len(path)), shown].sum())


def weigh_accounts(
    published: Graph, inside: NDArray[np.bool_], degrees: NDArray[np.int64], rates: FlipRates
) -> Evidence:
    """The evidence of accounts that are joined as `inside` says and have these degrees."""
    seen = published.degrees
    table = _degree_evidence(published, degrees, rates)
    chances = np.array([1 - rates.lost, rates.lost, rates.came, 1 - rates.came])
    popularity = np.log(np.maximum(seen, 1)) - math.log(max(2 * published.n_edges, 1)) / 2
    closed = 3 * count_triangles(published) / max(int((seen * (seen - 1) // 2).sum()), 1)
    return Evidence(
        inside, np.log(np.maximum(chances, _NEVER)), table, popularity, math.log(min(max(closed, 1e-6), 0.9))
    )  # fmt: skip


def _degree_evidence(published: Graph, degrees: NDArray[np.int64], rates: FlipRates) -> NDArray[np.float64]:
    """How much likelier each published degree is an account's than a vertex's: accounts by degrees.

    The last column is the first degree that no account can have, and stands for all above.
    """
    n, counts = len(published), np.bincount(published.degrees, minlength=1)
    shares = (counts + 0.5) / (n + 0.5 * len(counts))
    if rates.only_adds:
        wide = min(int(degrees.max()) + 2, len(counts))
        table = np.full((len(degrees), wide), _IMPOSSIBLE)
        for i, degree in enumerate(degrees):  # any degree above is as likely an account's as it is published
            table[i, degree:] = -math.log(shares[degree:].sum() + 1e-300)
        return table
    kept = FlipRates(0.0, 0.0) if rates.keeps_degrees else rates
    laws = [law_of_degree(n, kept, int(degree)) for degree in degrees]
    wide = min(max(first + len(law) for first, law in laws) + 1, len(counts))
    table = np.full((len(degrees), wide), _IMPOSSIBLE)
    for i, (first, law) in enumerate(laws):
        shown = law[: max(wide - first, 0)]
        table[i, first : first + len(shown)] = np.log(np.maximum(shown, 1e-300))
    return np.asarray(table - np.log(shares[:wide]))


def likeliest_placement(published: Graph, evidence: Evidence, beam: int = 1000) -> NDArray[np.int32] | None:
    """The likeliest published vertices found for the accounts; None where no vertex has a degree that fits."""
    telling = np.argsort(-evidence.degrees.max(axis=1), kind="stable")[:_STARTS]
    placements = [_place_accounts(published, evidence, int(first), beam) for first in telling]
    polished = [_polish_placement(published, evidence, placement) for placement in placements if placement is not None]
    return max(polished, key=lambda placement: evidence.of(placement, published), default=None)


def _place_accounts(published: Graph, evidence: Evidence, first: int, beam: int) -> NDArray[np.int32] | None:
    """The likeliest placement found by a beam search that begins with account `first`; None where there is none."""
    order = _placing_order(evidence.inside, first)
    score = evidence.degrees[first][np.minimum(published.degrees, evidence.degrees.shape[1] - 1)]
    starts = np.flatnonzero(score > _IMPLAUSIBLE)
    paths, scores = starts.astype(np.int32).reshape(-1, 1), score[starts]
    for t in range(1, len(order)):
        width = beam * max(1, _EARLY // t)
        paths, scores = _extend_placements(published, evidence, order[: t + 1], paths, scores, width)
    if not len(scores):
        return None
    best = np.empty(len(order), dtype=np.int32)
    best[order] = paths[np.argmax(scores)]
    return best


def _polish_placement(published: Graph, evidence: Evidence, placement: NDArray[np.int32]) -> NDArray[np.int32]:
    """The placement polished: every account placed anew beside the others, and exchanged, while that helps."""
    best, every = placement.copy(), np.arange(len(placement))
    for _ in range(_ROUNDS):
        before = best.copy()
        for i in every:
            order = np.append(np.delete(every, i), i)
            grown, _ = _extend_placements(published, evidence, order, best[order[:-1]].reshape(1, -1), np.zeros(1), 1)
            if len(grown):
                best[i] = grown[0, -1]
        best = _polish_by_exchanges(published, evidence, best)
        if np.array_equal(best, before):
            break
    return best if evidence.of(best, published) > evidence.of(placement, published) else placement


def _polish_by_exchanges(published: Graph, evidence: Evidence, placement: NDArray[np.int32]) -> NDArray[np.int32]:
    """The placement with two vertices exchanged wherever that is likelier."""
    best, score = placement, evidence.of(placement, published)
    for i, j in zip(*np.triu_indices(len(placement), 1), strict=True):
        tried = best.copy()
        tried[[i, j]] = tried[[j, i]]
        if (now := evidence.of(tried, published)) > score + 1e-9:
            best, score = tried, now
    return best


def place_beside_victims(
    published: Graph,
    evidence: Evidence,
    placement: NDArray[np.int32],
    others: NDArray[np.int64],
    links: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """The placement with every account placed anew beside the other accounts and the victims found so far.

    `others` are the vertices taken for victims, joined to accounts as `links` says. A vertex that is taken for an
    account as well is left out.
    """
    best, every = placement.copy(), np.arange(len(placement))
    for i in every:
        rest = np.delete(every, i)
        beside = ~np.isin(others, best)
        path = np.concatenate([best[rest], others[beside]]).astype(np.int32).reshape(1, -1)
        wanted = np.concatenate([evidence.inside[i][rest], links[beside, i]])
        grown, _ = _grow_placements(
            published.indptr, published.indices, path, np.zeros(1), wanted, evidence.degrees[i], evidence.pairs,
            evidence.popularity, evidence.closure, 1, _IMPLAUSIBLE,
        )  # fmt: skip
        if len(grown):
            best[i] = grown[0, -1]
    return best


def _placing_order(inside: NDArray[np.bool_], first: int) -> NDArray[np.int64]:
    """The order in which accounts are placed: `first`, then always the one joined to most of those before it."""
    order = [first]
    for _ in range(1, len(inside)):
        joined = inside[:, order].sum(axis=1)
        joined[order] = -1
        order.append(int(np.argmax(joined)))
    return np.array(order, dtype=np.int64)


def _extend_placements(
    published: Graph,
    evidence: Evidence,
    order: NDArray[np.int64],
    paths: NDArray[np.int32],
    scores: NDArray[np.float64],
    beam: int,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The likeliest `beam` placements of the accounts in this order, from those of all but the last, with scores."""
    grown: tuple[NDArray[np.int32], NDArray[np.float64]] = _grow_placements(
        published.indptr, published.indices, np.ascontiguousarray(paths), scores,
        evidence.inside[order[-1]][order[:-1]], evidence.degrees[order[-1]], evidence.pairs, evidence.popularity,
        evidence.closure, beam, _IMPLAUSIBLE,
    )  # fmt: skip
    return grown


@kernel
def _grow_placements(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    paths: NDArray[np.int32],
    scores: NDArray[np.float64],
    wanted: NDArray[np.bool_],
    degree_score: NDArray[np.float64],
    pairs: NDArray[np.float64],
    popularity: NDArray[np.float64],
    closure: float,
    beam: int,
    implausible: float,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The likeliest `beam` placements with one more vertex, joined to at least one that it should be joined to.

    `wanted` says which accounts of a placement the next one is joined to; `degree_score` is its row of the evidence.
    """
    n, (n_paths, t) = indptr.shape[0] - 1, paths.shape
    n_wanted, apart = wanted.sum(), np.log1p(-np.exp(closure))
    n_joined, n_right = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    chance, touched = np.zeros(n), np.empty(n, dtype=np.int32)
    top, top_path = np.empty(beam), np.empty(beam, dtype=np.int64)
    top_vertex = np.empty(beam, dtype=np.int32)
    size = 0
    for p in range(n_paths):
        n_touched = 0
        for j in range(t):
            u = paths[p, j]
            for e in range(indptr[u], indptr[u + 1]):
                v = indices[e]
                if n_joined[v] == 0:
                    touched[n_touched] = v
                    n_touched += 1
                n_joined[v] += 1
                n_right[v] += wanted[j]
                chance[v] += max(min(popularity[u] + popularity[v], 0.0), closure)
        for j in range(t):
            n_right[paths[p, j]] = 0
        for c in range(n_touched):
            v = touched[c]
            right, wrong = n_right[v], n_joined[v] - n_right[v]
            by_degree = degree_score[min(indptr[v + 1] - indptr[v], degree_score.shape[0] - 1)]
            if right > 0 and by_degree > implausible:
                score = scores[p] + by_degree - chance[v] + right * pairs[0] + (n_wanted - right) * pairs[1]
                score += wrong * pairs[2] + (t - n_wanted - wrong) * pairs[3] - (t - n_joined[v]) * apart
                if size < beam:
                    top[size], top_path[size], top_vertex[size] = score, p, v
                    size += 1
                    _rise(top, top_path, top_vertex, size - 1)
                elif score > top[0]:
                    top[0], top_path[0], top_vertex[0] = score, p, v
                    _sink(top, top_path, top_vertex, size)
            n_joined[v], n_right[v], chance[v] = 0, 0, 0.0
    grown = np.empty((size, t + 1), dtype=np.int32)
    for i in range(size):
        grown[i, :t] = paths[top_path[i]]
        grown[i, t] = top_vertex[i]
    return grown, top[:size].copy()


@kernel
def _rise(top: NDArray[np.float64], path: NDArray[np.int64], vertex: NDArray[np.int32], at: int) -> None:
    """Restore a heap, least first, after its last entry was added."""
    while at > 0 and top[at] < top[(at - 1) // 2]:
        up = (at - 1) // 2
        _swap(top, path, vertex, at, up)
        at = up


@kernel
def _sink(top: NDArray[np.float64], path: NDArray[np.int64], vertex: NDArray[np.int32], size: int) -> None:
    """Restore a heap, least first, after its first entry was replaced."""
    at = 0
    while 2 * at + 1 < size:
        down = 2 * at + 1
        if down + 1 < size and top[down + 1] < top[down]:
            down += 1
        if top[at] <= top[down]:
            return
        _swap(top, path, vertex, at, down)
        at = down


@kernel
def _swap(top: NDArray[np.float64], path: NDArray[np.int64], vertex: NDArray[np.int32], i: int, j: int) -> None:
    top[i], top[j] = top[j], top[i]
    path[i], path[j] = path[j], path[i]
    vertex[i], vertex[j] = vertex[j], vertex[i]
