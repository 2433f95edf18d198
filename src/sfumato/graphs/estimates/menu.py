"""The menu of estimates: every number of the original graph that can be asked for, each computed when it is first read.

`estimate.py` has what one estimate says; the other files of this room have the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.counts.metrics import METRICS, Metric, measure_of, metric_names, path_sources
from sfumato.graphs.estimates.degree_distribution import degree_distribution
from sfumato.graphs.estimates.densities import degree_estimates, density, edge_count, squared_degrees
from sfumato.graphs.estimates.estimate import Estimate
from sfumato.graphs.estimates.graphlets import estimate_graphlets, triple_patterns
from sfumato.graphs.estimates.modularity import modularity
from sfumato.graphs.estimates.simex import estimate_metrics
from sfumato.graphs.estimates.transitivity import TriadEstimates, estimate_triads, transitivity
from sfumato.graphs.flip_rate import Number, checked_mu
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError, suggest
from sfumato.ground.randomness import Randomness

__all__ = ["Estimate", "GraphEstimates", "estimate_graph"]


class GraphEstimates(SaysWhatMethodsTake, Mapping[str, Any]):
    """Estimates of the original graph, by name. Each is computed when it is first asked for, and then kept.

    `ways` has by name how each is worked out.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> release = sf.publish(graph, sf.EdgePerturbation(0.01), seed=1)
    >>> "triangles" in sf.estimate(release)
    True
    """

    def __init__(self, ways: Mapping[str, Callable[[], Any]]) -> None:
        self._ways = dict(ways)
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """One estimate; an unknown name is an error that suggests known ones."""
        if name not in self._ways:
            raise ParameterError(f"there is no estimate {name!r}{suggest(name, self._ways)}")
        if name not in self._found:
            self._found[name] = self._ways[name]()
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._ways

    def __iter__(self) -> Iterator[str]:
        """Names, in the order of the menu."""
        return iter(self._ways)

    def __len__(self) -> int:
        return len(self._ways)

    def __repr__(self) -> str:
        return f"GraphEstimates({', '.join(self._ways)})"


def estimate_graph(
    graph: Graph,
    mu: Number,
    *,
    partition: Sequence[Any] | NDArray[Any] | None = None,
    metrics: Sequence[str | Metric] = tuple(METRICS),
    random: Randomness | None = None,
    draws: int = 40,
    repeats: int = 10,
) -> GraphEstimates:
    """All estimates for a graph whose pairs were flipped with probability `mu`.

    `edges`, `density`, `degrees` (of each vertex), `degree_distribution`, `squared_degrees`, `triangles`, `triples`,
    `transitivity`, `modularity` (with a `partition`), `triads` and `graphlets` (patterns on three and four vertices, by
    name), and every one of `metrics`: names, or functions of a graph. `draws` bootstraps the intervals of the
    distribution, `repeats` the errors of patterns on four vertices and of metrics; 0 leaves them out.
    """
    checked_mu(mu)
    stream, names = random or Randomness(), metric_names(metrics)
    kept: dict[str, Any] = {}

    def of_triples() -> TriadEstimates:
        if "triples" not in kept:
            kept["triples"] = estimate_triads(graph, mu)
        return kept["triples"]  # type: ignore[no-any-return]

    def of_metrics() -> dict[str, Any]:
        if "metrics" not in kept:

            def afresh(draw: Randomness) -> Callable[[Graph], NDArray[np.float64]]:
                return measure_of(metrics, path_sources(graph, draw))

            kept["metrics"] = estimate_metrics(
                graph,
                mu,
                afresh(stream.spawn("sources")),
                names,
                stream.spawn("metrics"),
                repeats=repeats,
                afresh=afresh,
            )
        return kept["metrics"]  # type: ignore[no-any-return]

    ways: dict[str, Callable[[], Any]] = {
        "edges": lambda: edge_count(graph, mu),
        "density": lambda: density(graph, mu),
        "degrees": lambda: degree_estimates(graph, mu),
        "degree_distribution": lambda: degree_distribution(
            graph, mu, draws=draws, random=stream.spawn("degree distribution")
        ),
        "squared_degrees": lambda: squared_degrees(graph, mu),
        "triangles": lambda: of_triples().triangle_estimate,
        "triples": lambda: of_triples().triple_estimate,
        "transitivity": lambda: transitivity(of_triples()),
        "triads": lambda: triple_patterns(graph, mu, of_triples()),
        "graphlets": lambda: estimate_graphlets(graph, mu, 4, random=stream.spawn("graphlets"), repeats=repeats),
    }
    if partition is not None:
        ways["modularity"] = lambda: modularity(graph, partition, mu)
    for name in names:
        if name in ways:
            raise ParameterError(f"a metric is called {name!r} like another estimate; give its function another name")
        ways[name] = lambda name=name: of_metrics()[name]  # type: ignore[misc]
    return GraphEstimates(ways)
