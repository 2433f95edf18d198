"""Somebody who holds another copy of the network, with names, and knows a few people's published vertices.

Narayanan & Shmatikov, "De-anonymizing social networks", IEEE S&P 2009: whoever is named helps to name their neighbours.
A person is weighed against each published vertex by likelihood. Of everybody named so far, either is a neighbour or is
not; what is seen is held against what any other vertex of that degree would show, which is joined to w with probability
d_v d_w / 2h. A hub has many neighbours in common with everyone, and many more that the person does not know: these
count against it. Degrees count as far as those named do not explain them. The adversary knows that a few of the
names given are wrong, so that no single edge decides. Whoever is likelier one vertex than all others together, by a
margin, is named; everybody but those known from the start is named anew in every round, while more names are found, and
at last only those of whom the adversary is sure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.attack import Attack, Attacked, Success, cut_short, share_success
from sfumato.data.graph import Graph
from sfumato.graphs.flip_rate import FlipRates, flip_rates
from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, whole
from sfumato.published.graphs.graph import graph_shape

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["KnownGraphAttack", "PairWeights", "name_people", "weigh_pairs"]

_WRONG = 0.01  # the share of names given that the adversary takes for wrong
_MARGIN = 3.0  # in logarithms: one vertex is twenty times as likely as all others together
_HINT = 1.0  # the margin at which a name helps to find others before it counts
_ROUNDS = 30
_STILL = 2  # rounds in which no more people are named, before it ends
_NARROW = 1 / (2 * math.pi)  # the variance at which a normal density is 1, that of a number known for sure
_BUSY = 5
_OWNER = "computed from the original: for its owner alone"


@dataclass(frozen=True)
class KnownGraphAttack(Attack):
    """Holds each edge of the original with probability `overlap`, with names, and `seeds` people's published vertices.

    The people known from the start are those of most neighbours.

    >>> import sfumato as sf
    >>> sf.KnownGraphAttack()
    KnownGraphAttack(overlap=1.0, seeds=20)
    """

    overlap: float = 1.0
    seeds: int = 20
    takes: ClassVar[type] = Graph

    def __post_init__(self) -> None:
        """Check the numbers."""
        finite("overlap", self.overlap, asked="a number above 0 and at most 1", above=0, high=1)
        whole("seeds", self.seeds, least=1)

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Draw the copy, name people in it from the seeds on, and count who is named rightly."""
        published, owner = graph_shape(release).graph, release.owner
        assert owner is not None
        n = len(published)
        if self.seeds >= n:
            raise ParameterError(f"seeds must leave somebody to be found: at most {n - 1:,} here, got {self.seeds:,}")
        progress.step("drawing what is known")
        known = _draw_copy(original, float(self.overlap), random.spawn("known edges"))
        true = np.empty(n, dtype=np.int64)
        true[owner.rows] = np.arange(n)
        seeds = np.argsort(-original.degrees, kind="stable")[: self.seeds]
        progress.step("naming people")
        rates = flip_rates(graph_shape(release).parameters, published)
        rounds = _Rounds(progress)
        names = name_people(known, published, seeds, true[seeds], float(self.overlap), rates, rounds)
        progress.step("counting who was found")
        others = np.setdiff1d(np.arange(n), seeds)
        notes = [_OWNER, _knowledge_in_words(float(self.overlap), self.seeds, rates)]
        if rounds.cut:
            notes.append(cut_short(rounds.done, _ROUNDS, "rounds of naming people at most"))
        return Attacked(self, _figures(names[others], true[others], original.degrees[others]), tuple(notes))


class _Rounds:
    """Counts rounds of naming, and says when the time for them is over."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.done = 0
        self.cut = False

    def is_last(self) -> bool:
        """Count a round that was made; whether there is no time for another."""
        self.done += 1
        self.progress.share(self.done / _ROUNDS)
        self.cut = self.progress.is_over and self.done < _ROUNDS
        return self.cut


def _draw_copy(original: Graph, overlap: float, random: Randomness) -> Graph:
    """The adversary's copy: each edge of the original with probability `overlap`."""
    u, v = original.edges
    kept = random.uniform(len(u)) < overlap
    return Graph.from_edges(u[kept], v[kept], len(original))


def _figures(
    names: NDArray[np.int64], true: NDArray[np.int64], degrees: NDArray[np.int64]
) -> dict[str, Success]:  # fmt: skip
    """Shares of people who are rightly named, wrongly named, and right among those named."""
    guess, named, right = 1 / len(true), names >= 0, names == true
    found = {"found": share_success(right, guess, "people other than those known from the start who are rightly named")}
    busy = degrees >= _BUSY
    if busy.any():
        found["found_busy"] = share_success(
            right[busy], guess, f"the same among people with {_BUSY} or more neighbours in the original"
        )
    found["mistaken"] = share_success(named & ~right, 1 - guess, "people who are given a vertex that is not theirs")
    if named.any():
        found["named_right"] = share_success(
            right[named], guess, "of the people who are named, those who are so rightly"
        )
    return found


def _knowledge_in_words(overlap: float, seeds: int, rates: FlipRates) -> str:
    """A sentence on what the adversary held."""
    copy = "all edges of the original" if overlap == 1 else f"each edge of the original with probability {overlap:.3g}"
    people = "1 person" if seeds == 1 else f"the {seeds:,} people"
    flips = f"an edge was lost with probability {rates.lost:.3g}, and came with {rates.came:.3g}"
    if rates.only_adds:
        flips = "edges were only added"
    return (
        f"the adversary held {copy}, with names, the published vertices of {people} of most neighbours, "
        f"and that {flips}"
    )  # fmt: skip


# -- what pairs tell -------------------------------------------------------------------------------------------------
class PairWeights(NamedTuple):
    """Logarithms of how much likelier a pair is as published if a vertex is the person; `hit` and `extra` are arrays
    along the rows of the published graph.
    """

    hit: NDArray[np.float64]
    """For a published edge that is known, over the same edge if it is not known."""
    extra: NDArray[np.float64]
    """For a published edge that is not known, over the same edge of any vertex, less the weight of its absence."""
    miss: float
    """For a known edge that is not published."""
    pull: NDArray[np.float64]
    """By published vertex: the product of two is the weight of a pair that is neither published nor known."""
    share: NDArray[np.float64]
    """By published vertex: the logarithm of how common its degree is."""


class _DegreeFit(NamedTuple):
    """How well the degree of a published vertex fits a person, beyond the neighbours that are named already."""

    n_beside: NDArray[np.int64]
    """By published vertex: how many of its neighbours are named, and do not count."""
    own: int
    """1: a named neighbour that is the person's own present vertex counts again; 0 where `n_beside` is all 0."""
    mean: NDArray[np.float64]
    """By person: the expected number of the other neighbours."""
    spread: NDArray[np.float64]
    """By person: its variance."""


class _Rows(NamedTuple):
    """The neighbours of every vertex of a graph, as `Graph` stores them."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]


def weigh_pairs(published: Graph, overlap: float, rates: FlipRates) -> PairWeights:
    """The weights of all published pairs, before anybody is named."""
    n, degrees, lost, came = len(published), published.degrees, rates.lost, rates.came
    left = max(1 - lost - came, 1e-6)
    were = np.clip((degrees - came * (n - 1)) / left, 0.5, max(n - 1, 1))
    popularity = were / math.sqrt(float(were.sum()))
    joined = np.minimum(np.repeat(popularity, degrees) * popularity[published.indices], 0.5)
    usual = np.clip(came + left * joined, 1e-12, 0.95)
    hidden = (1 - overlap) * joined / (1 - overlap * joined)  # an edge that the copy does not have
    unknown = (1 - _WRONG) * (came * (1 - hidden) + (1 - lost) * hidden) + _WRONG * usual
    known = (1 - _WRONG) * (1 - lost) + _WRONG * usual
    pull = popularity * math.sqrt(max(overlap * (1 - lost) - came, 0.0) * (1 - _WRONG))
    counts = np.bincount(degrees)
    smooth = (counts + 0.5) / (n + 0.5 * len(counts))
    return PairWeights(
        np.log(known / unknown),
        np.log(unknown / usual) - np.repeat(pull, degrees) * pull[published.indices],
        math.log((1 - _WRONG) * lost + _WRONG),
        pull,
        np.log(smooth)[degrees],
    )


# -- naming ----------------------------------------------------------------------------------------------------------
def name_people(
    known: Graph,
    published: Graph,
    seeds: NDArray[np.int64],
    vertices: NDArray[np.int64],
    overlap: float,
    rates: FlipRates,
    rounds: _Rounds | None = None,
) -> NDArray[np.int64]:
    """The published vertex that each vertex of the known graph is taken for, or -1.

    The adversary knows from the start that the published vertices of `seeds` are `vertices`.
    """
    n = len(known)
    if rates.only_adds:  # how many follows from the number of known edges
        added = max(published.n_edges - known.n_edges / overlap, 0.0)
        rates = FlipRates(0.0, min(added / max(published.n_pairs, 1), rates.came))
    weights = weigh_pairs(published, overlap, rates)
    names = np.full(n, -1, dtype=np.int64)
    names[seeds] = vertices
    taken = np.zeros(n, dtype=np.bool_)
    taken[vertices] = True
    size, still = 0, 0
    for _ in range(_ROUNDS):
        best, score, rest = _weigh_vertices(known, published, names, taken, weights, overlap, rates)
        sure = score - rest
        best[seeds], sure[seeds] = vertices, np.inf
        names = _one_each(best, sure, _HINT)
        named = int((names >= 0).sum())
        size, still = max(size, named), 0 if named > size else still + 1
        if still == _STILL or (rounds is not None and rounds.is_last()):
            break
    return _one_each(best, sure, _MARGIN)


def _weigh_vertices(
    known: Graph,
    published: Graph,
    names: NDArray[np.int64],
    taken: NDArray[np.bool_],
    weights: PairWeights,
    overlap: float,
    rates: FlipRates,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """For every known vertex the likeliest published one, its log score, and that of all others together."""
    n = len(known)
    is_name = np.zeros(n, dtype=np.bool_)
    is_name[names[names >= 0]] = True
    source = np.repeat(np.arange(n), published.degrees)
    beside = is_name[published.indices]
    against = np.bincount(source[beside], weights=weights.extra[beside], minlength=n)
    base = np.asarray(against + weights.pull * float(weights.pull[is_name].sum()), dtype=np.float64)
    n_beside = np.bincount(source[beside], minlength=n)
    helpers = np.bincount(np.repeat(np.arange(n), known.degrees)[names[known.indices] >= 0], minlength=n)
    unnamed = max(n - 1 - int(is_name.sum()), 0)
    rest, n_own = known.degrees - helpers, 1
    if rates.keeps_degrees:
        n_beside, rest, n_own, rates, unnamed = np.zeros(n, dtype=np.int64), known.degrees, 0, FlipRates(0.0, 0.0), 0
    mean = rest / overlap * (1 - rates.lost) + unnamed * rates.came
    spread = rest / overlap * rates.lost * (1 - rates.lost) + unnamed * rates.came * (1 - rates.came)
    spread = spread + (rest + 1) * (1 - overlap) / overlap**2 + 2 * _WRONG * helpers
    fit = _DegreeFit(n_beside, n_own, mean, np.maximum(spread, _NARROW))
    likeliest: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]] = _likeliest_vertices(
        _Rows(known.indptr, known.indices), _Rows(published.indptr, published.indices), names, taken, weights, base,
        fit, math.log(_WRONG), math.log(n),
    )  # fmt: skip
    return likeliest


def _one_each(best: NDArray[np.int64], sure: NDArray[np.float64], margin: float) -> NDArray[np.int64]:
    """The vertex of each person who is sure enough by `margin`, or -1; one that several want goes to the surest."""
    able = np.flatnonzero((best >= 0) & (sure >= margin))
    order = able[np.lexsort((-sure[able], best[able]))]
    chosen, first = np.unique(best[order], return_index=True)
    names = np.full(len(best), -1, dtype=np.int64)
    names[order[first]] = chosen
    return names


@kernel
def _likeliest_vertices(  # noqa: C901  a kernel
    known: _Rows,
    published: _Rows,
    names: NDArray[np.int64],
    taken: NDArray[np.bool_],
    weights: PairWeights,
    base: NDArray[np.float64],
    fit: _DegreeFit,
    least: float,
    log_n: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Score every known vertex against the published neighbours of its named neighbours; all others share one score.

    `base[v]` is what the named neighbours of v say against it if none is known; `least` is the least that a degree
    counts, `log_n` the logarithm of the number of vertices.
    """
    known_ptr, known_idx = known.indptr, known.indices
    indptr, indices = published.indptr, published.indices
    hit, extra, miss, share = weights.hit, weights.extra, weights.miss, weights.share
    n_beside, n_own, mean, spread = fit.n_beside, fit.own, fit.mean, fit.spread
    n = known_ptr.shape[0] - 1
    best, top, rest = np.full(n, -1, dtype=np.int64), np.full(n, -np.inf), np.full(n, np.inf)
    sums, hits, free = np.zeros(n), np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    loose, touched = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for u in range(n):
        n_touched, helpers = 0, 0
        for k in range(known_ptr[u], known_ptr[u + 1]):
            x = names[known_idx[k]]
            if x < 0:
                continue
            helpers += 1
            free[x] = 1  # a vertex is not joined to itself, whoever has it now
            for e in range(indptr[x], indptr[x + 1]):
                v = indices[e]
                if hits[v] == 0:
                    touched[n_touched] = v
                    n_touched += 1
                hits[v] += 1
                sums[v] += hit[e]
        if helpers == 0:
            continue
        own = names[u]
        if own >= 0:  # where u is now must not count
            for e in range(indptr[own], indptr[own + 1]):
                loose[indices[e]] = n_own
                sums[indices[e]] -= extra[e]
        first, others, at = helpers * miss + log_n, 1.0, -1  # exp(first) * others is the sum so far
        for c in range(n_touched):
            v = touched[c]
            if taken[v]:
                continue
            away = indptr[v + 1] - indptr[v] - n_beside[v] + loose[v] - mean[u]
            degree = -0.5 * (away * away / spread[u] + np.log(2 * np.pi * spread[u])) - share[v]
            score = sums[v] + base[v] + max(degree, least) + (helpers - hits[v] - free[v]) * miss
            if score > top[u]:
                if at >= 0:
                    first, others = _add_exp(first, others, top[u])
                top[u], at = score, v
            else:
                first, others = _add_exp(first, others, score)
        best[u], rest[u] = at, first + np.log(others)
        for c in range(n_touched):
            sums[touched[c]], hits[touched[c]] = 0.0, 0
        if own >= 0:
            for e in range(indptr[own], indptr[own + 1]):
                loose[indices[e]] = 0
                sums[indices[e]] = 0.0
        for k in range(known_ptr[u], known_ptr[u + 1]):
            if names[known_idx[k]] >= 0:
                free[names[known_idx[k]]] = 0
    return best, top, rest


@kernel
def _add_exp(first: float, others: float, score: float) -> tuple[float, float]:
    """exp(first) * others + exp(score), in the same form: the larger exponent, and a factor."""
    if score > first:
        return score, others * np.exp(first - score) + 1.0
    return first, others + np.exp(score - first)
