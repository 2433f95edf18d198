"""The content of the public report on a graph, gathered from the release alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato import __version__
from sfumato.data.graph import Graph
from sfumato.graphs.counts.triangles import Triads, squares_work, triads
from sfumato.graphs.estimates.densities import sum_of_squares
from sfumato.graphs.estimates.estimate import Estimate
from sfumato.graphs.estimates.menu import estimate_graph
from sfumato.graphs.flip_rate import pair_variance
from sfumato.graphs.risk.choosing_mu import edge_epsilon
from sfumato.ground.figures import Figure, declare
from sfumato.ground.randomness import Randomness
from sfumato.published.graphs.graph import graph_shape
from sfumato.report.content import PromiseInWords, headline, parameter_texts, state_of, words_where_it_stands
from sfumato.report.graphs_wording import action_in_words, limits_in_words, method_words, odds_factor

if TYPE_CHECKING:
    from sfumato.privacy.verdict import Verdict
    from sfumato.release.release import Release

__all__ = [
    "Belief",
    "Curves",
    "GraphContent",
    "Line",
    "Reading",
    "at_least",
    "gather_graph",
    "graph_numbers",
    "share_of",
]

Line = Sequence[tuple[int, float]]
"""Numbers of neighbours, and the share of vertices that have as many or more."""

_MOST_WORK = 2_000_000_000
"""Steps to count triangles and squares, or to fit degrees, for one page."""
_POINTS = 240
_PRIORS = (0.001, 0.01, 0.1, 0.5)
# Counted in the published graph; what they say of the original is estimated from it alone.
_NUMBERS = (
    declare(name="edges", label="Edges", group="utility", unit="count", audience="public",
            meaning="pairs of vertices that are joined"),
    declare(name="density", label="Density", group="utility", audience="public",
            meaning="the share of all pairs that are joined"),
    declare(name="triangles", label="Triangles", group="utility", unit="count", audience="public",
            meaning="three vertices that are all joined"),
    declare(name="triples", label="Triples", group="utility", unit="count", audience="public",
            meaning="paths of two edges, closed to a triangle or not"),
    declare(name="transitivity", label="Transitivity", group="utility", audience="public",
            meaning="how often two neighbours of a vertex are joined themselves"),
    declare(name="squared_degrees", label="Squared degrees", group="utility", unit="count", audience="public",
            meaning="the sum over vertices; large where there are hubs"),
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """One number of a graph: as it is published, and what that says of the original."""

    figure: Figure
    """The number as it is published."""
    estimated: str | None = None
    between: str | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Belief:
    """How likely somebody holds one pair to be an edge: before, and after it is published as an edge or as none."""

    before: float
    edge: float
    none: float
    average: bool = False
    """Whether it is the share of all pairs that are edges, by the estimate."""


@dataclass(frozen=True)
class Curves:
    """How likely one pair is held to be an edge, after publication over before."""

    before: Sequence[float]
    edge: Sequence[float]
    none: Sequence[float]
    average: float | None


@dataclass(frozen=True)
class GraphContent:
    """Everything the public page says."""

    version: str
    n_vertices: int
    n_edges: int
    mu: float | None
    """The probability of a flip, where pairs were flipped."""
    unprotected: bool
    """Whether the edges are published as they are."""
    tiles: Sequence[tuple[str, str]]
    state: str
    headline: str
    promises: Sequence[PromiseInWords]
    verdict: Verdict
    limits: Sequence[str]
    method: str
    method_words: str
    parameters: Sequence[tuple[str, str]]
    readings: Sequence[Reading]
    uncounted: bool
    """Whether triangles are left out, as counting them would take too long."""
    seen: Line
    estimated: Line | None
    beliefs: Sequence[Belief]
    curves: Curves | None
    true_share: float | None
    """The share of published edges that the original has, where that can be computed."""
    true_between: tuple[float, float] | None
    odds: str
    """By how much the odds of one pair can change, at most."""


def gather_graph(release: Release, verdict: Verdict) -> GraphContent:
    """Read the published graph and its public parameters; the owner's part and the original are not touched."""
    shape, promise = graph_shape(release), release.promise
    graph, parameters = shape.graph, shape.parameters
    mu = float(parameters["mu"]) if "mu" in parameters else None
    name = str(release.method.get("name", ""))
    unprotected = not any(
        parameters.get(key, least) > least for key, least in (("mu", 0), ("edges_replaced", 0), ("k", 1))
    )
    readings, found = _readings(graph, mu)
    true_share, between = _true_share(graph, parameters, found, unprotected=unprotected)
    density = found["density"].possible_value if found else None
    density = density if density is not None and 0 < density < 1 else None
    parts = promise.parts if promise is not None else ()
    state, line = _state(release, verdict, parameters, unprotected=unprotected)
    as_told = verdict.word != "broken"
    return GraphContent(
        version=__version__,
        n_vertices=graph.n_vertices,
        n_edges=graph.n_edges,
        mu=mu,
        unprotected=unprotected,
        tiles=_tiles(graph, parameters, true_share),
        state=state,
        headline=line,
        promises=[
            PromiseInWords(repr(part), words_where_it_stands(verdict, part.in_words((), ())), "") for part in parts
        ]
        or (_mechanism(mu) if as_told else []),
        verdict=verdict,
        limits=limits_in_words(parameters, unprotected=unprotected),
        method=name,
        method_words=method_words(parameters, unprotected=unprotected),
        parameters=[
            *parameter_texts(release.method),
            *([("epsilon", f"{edge_epsilon(mu):.4g}")] if mu else []),
            *([("edges replaced", f"{int(parameters['edges_replaced']):,}")] if "edges_replaced" in parameters else []),
        ],
        readings=readings,
        uncounted=len(readings) < len(_NUMBERS),
        seen=at_least(np.bincount(graph.degrees, minlength=1) / max(len(graph), 1), len(graph)),
        estimated=_estimated_degrees(graph, mu, found),
        beliefs=_beliefs(mu, density) if as_told else (),
        curves=_curves(mu, density) if mu and as_told else None,
        true_share=true_share,
        true_between=between,
        odds=odds_factor(mu) if mu else "",
    )


def _state(release: Release, verdict: Verdict, parameters: Mapping[str, Any], *, unprotected: bool) -> tuple[str, str]:
    """The state of the verdict, which gives its colour, and the sentence that is shown in it."""
    if release.promise is not None:
        return state_of(release.promise, verdict), headline(release.promise, verdict)
    if verdict.broken:
        return "broken", "This release was not made as it says."
    if verdict.undecided:
        return "unasked", "How this release was made cannot be seen without the original."
    words = action_in_words(parameters, unprotected=unprotected)
    return "unasked", f"Declared: {words[0].lower()}{words[1:]}" if verdict.declared else words


def _mechanism(mu: float | None) -> list[PromiseInWords]:
    if not mu:
        return []
    words = (
        f"Of any two people: whatever somebody held the odds to be that they are joined, seeing how this pair is "
        f"published makes them at most {odds_factor(mu)} times larger or smaller. That follows from how the "
        f"graph was made, and cannot be seen from it."
    )
    return [PromiseInWords(f"edge differential privacy, epsilon = {edge_epsilon(mu):.4g}", words, "")]


def _tiles(graph: Graph, parameters: Mapping[str, Any], true_share: float | None) -> list[tuple[str, str]]:
    mean = 2 * graph.n_edges / max(graph.n_vertices, 1)
    tiles = [
        (f"{graph.n_vertices:,}", "vertex" if graph.n_vertices == 1 else "vertices"),
        (f"{graph.n_edges:,}", f"edge{'' if graph.n_edges == 1 else 's'}, as published"),
    ]
    if "k" in parameters:
        tiles.append((f"{int(parameters['k']):,}", "vertices share each number of neighbours, at least"))
    elif true_share is not None:
        about = "about " if parameters.get("mu") else ""
        tiles.append((f"{about}{share_of(true_share)}", "of the published edges are true"))
    tiles.append((f"{mean:,.1f}", "neighbours of a vertex, as published"))
    return tiles


# -- numbers ---------------------------------------------------------------------------------------------------------
def graph_numbers(graph: Graph, *, triangles: bool = True) -> dict[str, float]:
    """The numbers of a graph that the report lists; those about triples only with `triangles`."""
    found = {
        "edges": float(graph.n_edges),
        "density": graph.n_edges / max(graph.n_pairs, 1),
        "squared_degrees": float(sum_of_squares(graph.degrees)),
    }
    if triangles:
        seen: Triads = triads(graph)
        found |= {
            "triangles": float(seen.triangles),
            "triples": float(seen.connected_triples),
            "transitivity": float(seen.transitivity),
        }
    return found


def _readings(graph: Graph, mu: float | None) -> tuple[list[Reading], Mapping[str, Any]]:
    """The numbers of the report, and all estimates; none where pairs were not flipped."""
    triangles = squares_work(graph) <= _MOST_WORK
    values = graph_numbers(graph, triangles=triangles)
    found: Mapping[str, Any] = {}
    if mu is not None:
        found = estimate_graph(graph, mu, metrics=(), repeats=0, draws=0, random=Randomness(0))
    readings = []
    for about in _NUMBERS:
        if about.name not in values:
            continue
        figure = about.of(values[about.name])
        readings.append(_estimate_reading(figure, found[about.name]) if mu else Reading(figure))
    return readings, found


def _estimate_reading(figure: Figure, each: Estimate) -> Reading:
    """A published number beside its estimate for the original."""
    if each.possible_value is None or each.low is None or each.high is None:
        return Reading(figure, "–", "–", note=each.note)
    low, high = (min(max(end, each.least), each.most) for end in (each.low, each.high))
    between = f"{figure.with_value(low).shown} to {figure.with_value(high).shown}"
    return Reading(figure, figure.with_value(each.possible_value).shown, between, low, high, each.note)


def _true_share(
    graph: Graph, parameters: Mapping[str, Any], found: Mapping[str, Any], *, unprotected: bool
) -> tuple[float | None, tuple[float, float] | None]:
    """The share of published edges that the original has, and its interval where it follows from an estimate."""
    if "k" in parameters or not graph.n_edges:
        return None, None
    if unprotected:
        return 1.0, None
    if "edges_replaced" in parameters:
        return 1 - int(parameters["edges_replaced"]) / graph.n_edges, None
    edges, kept = found["edges"], 1 - float(parameters["mu"])
    share, low, high = (min(max(e * kept / graph.n_edges, 0.0), 1.0) for e in (edges.value, edges.low, edges.high))
    return share, (low, high)


def _beliefs(mu: float | None, density: float | None) -> list[Belief]:
    if not mu:
        return []
    some = [(before, False) for before in _PRIORS]
    if density:
        some = sorted([*some, (density, True)])
    return [Belief(before, *edge_beliefs(mu, before), average) for before, average in some]


def _curves(mu: float, density: float | None) -> Curves:
    low = 10.0 ** min(-5, math.floor(math.log10(density)) if density else 0)
    before = np.geomspace(low, 0.5, 121)
    after = [edge_beliefs(mu, float(each)) for each in before]
    return Curves(
        before.tolist(),
        [edge for edge, _ in after],
        [none for _, none in after],
        density if density and density <= 0.5 else None,
    )


def edge_beliefs(mu: float, before: float) -> tuple[float, float]:
    """The probability that a pair is an edge, by Bayes: if it is published as one, and if it is not."""
    edge, none = before * (1 - mu), before * mu
    return edge / (edge + (1 - before) * mu), none / (none + (1 - before) * (1 - mu))


# -- degrees ---------------------------------------------------------------------------------------------------------
def at_least(shares: NDArray[np.float64], n_vertices: int) -> list[tuple[int, float]]:
    """For some degrees from 1 on, the share of vertices of this degree or more, down to the share of one vertex."""
    upper = np.cumsum(shares[::-1])[::-1][1:]
    last = int((upper >= 0.999 / max(n_vertices, 1)).sum())
    if not last:
        return []
    places = np.unique(np.rint(np.geomspace(1, last, _POINTS)).astype(np.int64))
    return [(int(d), min(float(upper[d - 1]), 1.0)) for d in places]


def _estimated_degrees(graph: Graph, mu: float | None, found: Mapping[str, Any]) -> list[tuple[int, float]] | None:
    """The estimated degree distribution of the original, as points; None without flips or where it takes too long."""
    if not mu or not graph.n_edges:
        return None
    noise = math.sqrt(graph.n_vertices * pair_variance(mu))
    work = (int(graph.degrees.max()) + 3 * noise) * (24 * noise + 80) * min(max(15 * noise**2, 50), 300)
    return at_least(found["degree_distribution"].shares, len(graph)) if work <= _MOST_WORK else None


def share_of(value: float) -> str:
    """A share, with more digits where it is close to none or to all.

    >>> share_of(0.25), share_of(0.99996), share_of(0.00002), share_of(1.0)
    ('25.0%', '99.996%', '0.002%', '100%')
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    away = min(value, 1 - value)
    digits = 1 if away >= 0.001 else min(-math.floor(math.log10(100 * away)), 9)
    return f"{100 * value:.{digits}f}%"
