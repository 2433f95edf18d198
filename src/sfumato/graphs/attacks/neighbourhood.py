"""Somebody who knows how many neighbours a person has, or how many those have, and looks for the person's vertex.

Hay, Miklau, Jensen, Towsley & Weis, "Resisting structural re-identification in anonymized social networks", PVLDB 1(1),
2008. Where nothing was flipped, all vertices that fit are as likely as one another. Where pairs were flipped at known
rates, a degree is not hidden but blurred. The model: the person is any vertex with equal probability, the degrees of
all are drawn from one distribution, and each is seen through the flips for itself. If the person is u, the published
degree of u came of the known degree d, and those of the others are what they are for anybody. Hence the weight of u is
Pr(d_u | d) / f(d_u), where f is the distribution of published degrees. It is fitted to them: counted as they are, they
make the adversary too sure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.attack import Attack, Attacked, Success, mean_success, share_success
from sfumato.data.graph import Graph
from sfumato.graphs.attacks.refinement import vertex_colours
from sfumato.graphs.estimates.degree_distribution import seen_shares
from sfumato.graphs.estimates.degree_law import law_of_degree
from sfumato.graphs.flip_rate import FlipRates, flip_rates
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole
from sfumato.published.graphs.graph import GraphShape, graph_shape

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["DegreeAttack", "RefinementAttack", "chance_by_degree", "degree_weights"]

_OWNER = "computed from the original: for its owner alone"
_RAW = " in the original without names"
_BLIND = (
    "one edge that came or went keeps a vertex from being matched, so that a low figure here is no protection: "
    "IntervalWalkAttack and StructuralAttack allow for flips"
)
_ADDED = (
    "edges were only added, nobody knows how many: the guess is the least published degree that is not below the known "
    "one, and people whose degree was raised past it are missed; among vertices of one degree, other edges may tell"
)


@dataclass(frozen=True)
class DegreeAttack(Attack):
    """Knows how many neighbours each of `people`, drawn at random, has in the original, and how pairs were flipped.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> release = sf.publish(graph, sf.EdgePerturbation(0.01), seed=1)
    >>> found = sf.attack(release, sf.DegreeAttack(people=5))
    >>> list(found)[:2]
    ['candidates_before', 'fewest_before']
    """

    people: int = 1000
    takes: ClassVar[type] = Graph

    def __post_init__(self) -> None:
        """Check the number."""
        whole("people", self.people, least=1)

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Look for everyone in the original without names, then in the published graph."""
        published, own, people = _draw_people(self, release, original, random, progress)
        degrees, n = original.degrees, len(original)
        rates, adds = _known_flips(graph_shape(release))
        exact = not adds and rates == FlipRates(0.0, 0.0)
        seen, true = published.degrees[own], degrees[people]
        progress.step("looking in the original")
        before = _search_by_degree(original, true, true, FlipRates(0.0, 0.0), adds=False)
        progress.step("looking in the release")
        after = _search_by_degree(published, true, seen, rates, adds=adds)
        found = {**_figures(before, n, "_before", _RAW, exact=True), **_figures(after, n, "", "", exact=exact or adds)}
        flips = f"an edge was lost with probability {rates.lost:.3g}, and came with {rates.came:.3g}"
        return Attacked(self, found, (_OWNER, *([_ADDED] if adds else [] if exact else [flips])))


@dataclass(frozen=True)
class RefinementAttack(Attack):
    """Knows H_depth of each of `people`: at 2 the degrees of their neighbours, at 3 those of their neighbours' too.

    `depth` is how far away is known.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> release = sf.publish(graph, sf.EdgePerturbation(0.01), seed=1)
    >>> found = sf.attack(release, sf.RefinementAttack(people=5))
    >>> list(found)[:2]
    ['candidates_before', 'matched_before']
    """

    depth: int = 2
    people: int = 1000
    takes: ClassVar[type] = Graph

    def __post_init__(self) -> None:
        """Check the numbers."""
        whole("depth", self.depth, least=1)
        whole("people", self.people, least=1)

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Match everyone in the original without names, then in the published graph."""
        published, own, people = _draw_people(self, release, original, random, progress)
        parameters = graph_shape(release).parameters
        exact = "k" not in parameters and flip_rates(parameters, published) == FlipRates(0.0, 0.0)
        progress.step("looking in the original")
        colours, shown = vertex_colours([original, published], self.depth)
        n_colours, known = 1 + int(max(colours.max(), shown.max())), colours[people]
        matched = shown[own] == known
        progress.step("looking in the release")
        found: dict[str, Success] = {}
        for where, right, suffix, said in (
            (colours, np.ones(len(people), dtype=bool), "_before", _RAW), (shown, matched, "", "")
        ):  # fmt: skip
            found |= _exact_figures(np.bincount(where, minlength=n_colours)[known], right, len(original), suffix, said)
        return Attacked(self, found, (_OWNER,) if exact else (_OWNER, _BLIND))


def degree_weights(
    degree: int, counts: NDArray[np.int64], shares: NDArray[np.float64], rates: FlipRates
) -> NDArray[np.float64]:
    """The weight that a vertex of each published degree has as the one whose degree was `degree`.

    `counts` are the numbers of vertices by published degree, and `shares` how likely each degree is for anybody. Over
    all vertices the weights add up to 1; where no vertex fits, they are equal.
    """
    n, width = int(counts.sum()), len(counts)
    first, row = law_of_degree(n, rates, degree)
    likely = np.zeros(width)
    likely[first : first + len(row)] = row[: max(width - first, 0)]
    there = counts > 0
    weights = np.divide(likely, shares, out=np.zeros(width), where=there)
    total = float((weights * counts).sum())
    return weights / total if total > 0 else there / n


def chance_by_degree(shape: GraphShape, true: NDArray[np.int64], own: NDArray[np.int64]) -> float:
    """The probability that the likeliest vertex is the person's, on average, for who knows the degrees `true`.

    `own` are the published vertices of these people.
    """
    rates, adds = _known_flips(shape)
    return float(_search_by_degree(shape.graph, true, shape.graph.degrees[own], rates, adds=adds).right.mean())


# -- shared by both ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class _Found:
    """What the search found, by person."""

    candidates: NDArray[np.float64]
    """How many vertices the person may be, in effect: the exponential of the entropy of their weights."""
    own: NDArray[np.float64]
    """The weight of the person's own vertex."""
    right: NDArray[np.float64]
    """How likely the vertex of most weight is the person's."""


def _known_flips(shape: GraphShape) -> tuple[FlipRates, bool]:
    """How degrees were blurred, as the release says; and whether edges were only added, nobody knows how many."""
    rates = flip_rates(shape.parameters, shape.graph)
    return FlipRates(0.0, 0.0) if rates.keeps_degrees else rates, "k" in shape.parameters


def _draw_people(
    attack: DegreeAttack | RefinementAttack, release: Release, original: Graph, random: Randomness, progress: Progress
) -> tuple[Graph, NDArray[np.int64], NDArray[np.int64]]:
    """Draw the people to attack; returns the published graph, their published vertices, and themselves."""
    published, owner = graph_shape(release).graph, release.owner
    assert owner is not None
    n = len(published)
    progress.step("asking around")
    people = np.sort(random.spawn("people").permutation(n)[: attack.people])
    where = np.empty(n, dtype=np.int64)
    where[owner.rows] = np.arange(n)
    return published, where[people], people


def _search_by_degree(
    graph: Graph, known: NDArray[np.int64], own: NDArray[np.int64], rates: FlipRates, *, adds: bool
) -> _Found:
    """Look for each person by the `known` degree; `own` is the degree of the person's own vertex in this graph."""
    counts, shares = np.bincount(graph.degrees), seen_shares(graph, rates)
    candidates, mass, right = (np.empty(len(known)) for _ in range(3))
    for degree in np.unique(known):
        if adds:
            at = degree + int(np.argmax(counts[degree:] > 0))
            weights = np.zeros(len(counts))
            weights[at] = 1 / counts[at]
        else:
            weights = degree_weights(int(degree), counts, shares, rates)
        some, used = known == degree, weights > 0
        candidates[some] = np.exp(-(counts[used] * weights[used] * np.log(weights[used])).sum())
        likeliest = weights >= weights[counts > 0].max() * (1 - 1e-9)
        mass[some] = weights[own[some]]
        right[some] = likeliest[own[some]] / counts[likeliest & (counts > 0)].sum()
    return _Found(candidates, mass, right)


def _figures(found: _Found, n: int, suffix: str, said: str, *, exact: bool) -> dict[str, Success]:
    fit = "vertices that fit" if exact else "vertices that a person may be (the exponential of their weights' entropy)"
    return {
        f"candidates{suffix}": mean_success(found.candidates, float(n), f"{fit}{said}, on average", "number"),
        f"fewest{suffix}": Success(
            float(found.candidates.min()), None, None, float(n), f"the same for the person with the fewest{said}",
            "number",
        ),
        f"exposed{suffix}": share_success(
            found.own > 0.5, float(n == 1), f"people whose vertex is likelier than all others together{said}"
        ),
        f"found{suffix}": mean_success(
            found.right, 1 / n, f"probability that the likeliest vertex is the person's{said}"
        ),
    }  # fmt: skip


def _exact_figures(
    sizes: NDArray[np.int64], right: NDArray[np.bool_], n: int, suffix: str, said: str
) -> dict[str, Success]:
    """Figures of exact matching: `sizes` vertices match each person, `right` is whether the own one is among them."""
    return {
        f"candidates{suffix}": mean_success(
            sizes.astype(np.float64), float(n), f"vertices that match what is known{said}, on average", "number"
        ),
        f"matched{suffix}": share_success(right, 1.0, f"people whose vertex matches what is known{said}"),
        f"unique{suffix}": share_success(
            right & (sizes == 1), float(n == 1), f"people whose vertex is the only one that matches{said}"
        ),
        f"found{suffix}": mean_success(
            right / np.maximum(sizes, 1), 1 / n, f"probability that a guess among those is the person's vertex{said}"
        ),
    }  # fmt: skip
