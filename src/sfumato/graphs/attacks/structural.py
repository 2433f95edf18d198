"""Formulas of the structural attack: how likely planted accounts are found by an adversary whose power has no limit.

Nothing is attacked here: `StructuralAttack`, which searches a published graph, is in `planted.py`.
Xue's thesis (National University of Singapore, 2012), section 4.5. The adversary planted a graph of k vertices and
weighs every ordered choice Y of k published vertices by its likelihood ratio

    LR(Y) = mu^m (1 - mu)^(M - m) / (rho^e (1 - rho)^(M - e)),    M = k (k - 1) / 2 pairs,

where m pairs differ from the planted graph, e are edges, and rho is the published density. Theorem 4.5.1 leaves out the
denominator, so that its probabilities are not those of success. A choice among other vertices has LR = 1 on average,
which stands in for the sum over all of them: the right choice is believed with probability

    lambda = LR / (|Aut| LR + N! / (N - k)!).

The other vertices are taken as joined at random. Choices that share vertices with the right one are left out, which
makes lambda too large in small graphs; the others mostly weigh less than their average, which makes it somewhat too
small where it is neither near 0 nor near 1 / |Aut|.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.estimates.degree_law import binomial_shares
from sfumato.graphs.flip_rate import FlipRates, checked_mu
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import any_whole, finite

__all__ = [
    "StructuralRisk", "automorphisms", "log_choices", "log_posterior", "log_ratio", "posterior", "structural_risk",
]  # fmt: skip

_Numbers = TypeVar("_Numbers", float, NDArray[Any])
_SHARE = "a number from 0 to 1"


# -- one choice of vertices ------------------------------------------------------------------------------------------
def log_ratio(mu: float, density: float, pairs: int, mismatches: _Numbers, edges_seen: _Numbers) -> _Numbers:
    """The logarithm of LR for a choice of vertices with these numbers of mismatches and of edges among its pairs.

    `density` is the published one. A mismatch at mu = 0 rules the choice out; an edge where the density is 0, or a gap
    where it is 1, can only have been planted.
    """
    any_whole("pairs", pairs, least=0)
    finite("density", density, asked=_SHARE, low=0, high=1)
    m, e = _among(pairs, mismatches=mismatches), _among(pairs, edges_seen=edges_seen)
    planted = _log_chance(checked_mu(mu), m, pairs)
    by_chance = _log_chance(density, e, pairs)
    with np.errstate(invalid="ignore"):
        return _like(mismatches, np.where(np.isneginf(planted), planted, planted - by_chance))


def log_choices(n: int, k: int) -> float:
    """The logarithm of the number of ordered choices of k among n vertices, n! / (n - k)!."""
    _check_sizes(n, k)
    return float(np.log(np.arange(n - k + 1, n + 1, dtype=np.float64)).sum())


def log_posterior(log_ratio: _Numbers, n: int, k: int, automorphisms: int = 1) -> _Numbers:
    """The logarithm of the probability that a choice of k among n vertices with this ratio is the planted one."""
    many = isinstance(automorphisms, int) and automorphisms >= 2**62  # symmetries may be more than a word can count
    symmetries = math.log(automorphisms if many else any_whole("automorphisms", automorphisms, least=1))
    return _like(log_ratio, -np.logaddexp(symmetries, log_choices(n, k) - np.asarray(log_ratio, dtype=np.float64)))


def posterior(log_ratio: _Numbers, n: int, k: int, automorphisms: int = 1) -> _Numbers:
    """The probability that a choice of k among n vertices with this ratio is the planted one.

    A planted graph that looks the same from several sides can be found, and its vertices still not be told apart: the
    probability is at most 1 / `automorphisms`.

    >>> round(posterior(math.log(720.0), n=10, k=3), 9)
    0.5
    """
    return _like(log_ratio, np.exp(log_posterior(log_ratio, n, k, automorphisms)))


def _log_chance(p: float, happened: NDArray[np.float64], of: int) -> NDArray[np.float64]:
    """The logarithm of p^happened (1 - p)^(of - happened), where 0^0 is 1."""
    if 0 < p < 1:
        return happened * math.log(p) + (of - happened) * math.log1p(-p)
    return np.where(happened == of * p, 0.0, -np.inf)


def _like(given: _Numbers, values: Any) -> _Numbers:
    """The values as a number if `given` is a number, as an array if it is an array."""
    return cast(_Numbers, float(values) if np.ndim(values) == 0 else values)


# -- over all perturbations ------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class StructuralRisk:
    """How probable the right choice of vertices is to the adversary, over all ways the flips may fall."""

    mean: float
    low: float
    """It is lower in 5% of perturbations."""
    median: float
    high: float
    """It is higher in 5% of perturbations."""
    certain: float
    """The probability that the right choice is believed more than all others together."""


def structural_risk(
    n: int,
    k: int,
    mu: float,
    density: float,
    *,
    edges: int | None = None,
    automorphisms: int = 1,
    known: float = 0.0,
) -> StructuralRisk:
    """How probable the right choice is to an adversary who planted k of the n vertices of a graph with this density.

    `edges` are those of the planted graph, by default a path and half of the other pairs. The sum over edges lost and
    edges added is exact but for less than 1e-15. `known` is the logarithm of how much likelier than others the planted
    vertices are by anything else that is seen of them, such as their degrees.
    """
    chances, logs = _beliefs(n, k, mu, density, edges, automorphisms, known)
    order = np.argsort(logs)
    reached = np.cumsum(chances[order])
    places = np.searchsorted(reached, np.array([0.05, 0.5, 0.95]) * reached[-1])
    low, median, high = (float(math.exp(logs[order[at]])) for at in places)
    certain = min(1.0, float(chances[logs > -math.log(2)].sum()))
    return StructuralRisk(mean=_mean(chances, logs), low=low, median=median, high=high, certain=certain)


def _beliefs(
    n: int, k: int, mu: float, density: float, edges: int | None, automorphisms: int, known: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For every number of edges lost and added among the planted vertices: its probability, and ln lambda for it."""
    _check_sizes(n, k)
    pairs = k * (k - 1) // 2
    planted = k - 1 + round((pairs - k + 1) / 2) if edges is None else any_whole("edges", edges, least=0)
    if planted > pairs:
        raise ParameterError(f"{k} vertices have at most {pairs} edges among them, got edges={edges}")
    rates = FlipRates(float(checked_mu(mu)), float(mu))
    published = rates.density(finite("density", density, asked=_SHARE, low=0, high=1))
    lost_first, lost_shares = binomial_shares(planted, float(mu))
    added_first, added_shares = binomial_shares(pairs - planted, float(mu))
    lost = lost_first + np.arange(len(lost_shares))[:, None]
    added = added_first + np.arange(len(added_shares))
    ratios = log_ratio(mu, published, pairs, lost + added, planted - lost + added) + known
    logs = log_posterior(ratios, n, k, automorphisms)
    return np.outer(lost_shares, added_shares).ravel(), logs.ravel()


def _mean(chances: NDArray[np.float64], logs: NDArray[np.float64]) -> float:
    return min(1.0, float((chances * np.exp(logs)).sum()))


# -- symmetries of the planted graph ---------------------------------------------------------------------------------
def automorphisms(pattern: Graph) -> int:
    """In how many ways the vertices can be renumbered so that the graph stays the same.

    It is the product, over vertices that are held fixed one after the other, of how many places each can still go to.

    >>> automorphisms(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]))
    8
    """
    rows = [pattern.neighbours(v).tolist() for v in range(len(pattern))]
    (colours,) = _refine_colours(rows, [0] * len(rows))
    chain = []
    while (colour := _mixed_colour(rows, colours)) is not None:
        cell = _cells(colours)[colour]
        chain.append((colours, cell))
        (colours,) = _refine_colours(rows, _hold_fixed(colours, cell[0]))
    cells = _cells(colours)
    orbit = [cells[colour][0] for colour in colours]  # a vertex is in that of its number
    count = math.prod(math.factorial(len(cell)) for cell in cells.values())
    for colours, (base, *others) in reversed(chain):
        refuted: set[int] = set()
        for other in others:
            if orbit[other] != orbit[base] and orbit[other] not in refuted:
                image = _symmetry(rows, _hold_fixed(colours, base), _hold_fixed(colours, other))
                if image is None:
                    refuted.add(orbit[other])
                else:
                    orbit = _merge_orbits(orbit, image)
                    refuted = {orbit[v] for v in refuted}
        count *= orbit.count(orbit[base])
    return count


def _symmetry(rows: list[list[int]], left: list[int], right: list[int]) -> list[int] | None:
    """Where each vertex goes in some automorphism that takes one colouring to the other, or None if there is none."""
    left, right = _refine_colours(rows, left, right)
    here, there = _cells(left), _cells(right)
    if {colour: len(cell) for colour, cell in here.items()} != {colour: len(cell) for colour, cell in there.items()}:
        return None
    colour = _mixed_colour(rows, left)
    if colour is None:
        to = {v: w for name, cell in here.items() for v, w in zip(cell, there[name], strict=True)}
        return [to[v] for v in range(len(rows))]
    held = _hold_fixed(left, here[colour][0])
    found = (_symmetry(rows, held, _hold_fixed(right, other)) for other in there[colour])
    return next((image for image in found if image is not None), None)


def _refine_colours(rows: list[list[int]], *colourings: list[int]) -> list[list[int]]:
    """The colourings refined together by the colours of neighbours until no colour splits any more."""
    n_colours, found = 0, list(colourings)
    while True:
        marks = [[(own[v], *sorted(own[u] for u in row)) for v, row in enumerate(rows)] for own in found]
        distinct = sorted({mark for each in marks for mark in each})
        if len(distinct) == n_colours:
            return found
        n_colours, number = len(distinct), {mark: i for i, mark in enumerate(distinct)}
        found = [[number[mark] for mark in each] for each in marks]


def _mixed_colour(rows: list[list[int]], colours: list[int]) -> int | None:
    """A colour whose vertices are joined to some but not all vertices of some colour.

    None where there is none: then vertices of one colour can be exchanged at will.
    """
    sizes = Counter(colours)
    for colour, cell in _cells(colours).items():
        for other, count in Counter(colours[u] for u in rows[cell[0]]).items():
            if count < sizes[other] - (other == colour):
                return colour
    return None


def _cells(colours: list[int]) -> dict[int, list[int]]:
    """The vertices of every colour."""
    cells: dict[int, list[int]] = {}
    for v, colour in enumerate(colours):
        cells.setdefault(colour, []).append(v)
    return cells


def _hold_fixed(colours: list[int], vertex: int) -> list[int]:
    """The colouring with a colour of its own for one vertex, which symmetries then leave in place."""
    return [len(colours) if v == vertex else colour for v, colour in enumerate(colours)]


def _merge_orbits(orbit: list[int], image: list[int]) -> list[int]:
    """The orbits with those of every vertex and its image joined."""
    for v, w in enumerate(image):
        if orbit[v] != orbit[w]:
            orbit = [orbit[v] if each == orbit[w] else each for each in orbit]
    return orbit


# -- parameters ------------------------------------------------------------------------------------------------------
def _among(pairs: int, **given: Any) -> NDArray[np.float64]:
    """The one keyword argument as an array; an error unless its values are counts among the pairs."""
    ((name, value),) = given.items()
    counts = np.asarray(value, dtype=np.float64)
    if counts.size and not 0 <= counts.min() <= counts.max() <= pairs:
        raise ParameterError(f"{name} must be from 0 to the {pairs:,} pairs, got {counts.min():g} to {counts.max():g}")
    return counts


def _check_sizes(n: int, k: int) -> None:
    if any_whole("k", k, least=2) > any_whole("n", n, least=1):
        raise ParameterError(f"k={k} vertices cannot be planted in a graph of {n:,}; lower k")
