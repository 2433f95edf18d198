"""`estimate`: what the original was like, from a perturbed graph, randomised categories or reports of a survey."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from sfumato.collection.collector.released import estimate_reports
from sfumato.data.graph import Graph
from sfumato.graphs.estimates.menu import GraphEstimates, estimate_graph
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness, Seed
from sfumato.published.collection.reports import ReportsShape
from sfumato.published.graphs.graph import GraphShape
from sfumato.published.shape import Shape, shape_of
from sfumato.published.tables.changed import ChangedShape
from sfumato.release.release import Release
from sfumato.tables.estimates.frequencies import FrequencyEstimates

__all__ = ["FrequencyEstimates", "GraphEstimates", "estimate"]


@says_what_it_takes
def estimate(
    release: Release,
    *,
    partition: Sequence[Any] | None = None,
    metrics: Sequence[str | Callable[[Graph], float]] = ("average_path_length", "effective_diameter"),
    repeats: int = 10,
    seed: Seed | None = None,
) -> GraphEstimates | FrequencyEstimates | dict[str, Any]:
    """What the original was like, by name: each number with its standard error and 95% interval.

    Of a perturbed graph, its measures; of a table that `PRAM` changed, how often each value occurred; of reports of a
    survey, the share of each answer to each question. The parameters are about graphs.

    `partition` gives the community of every published vertex, for `modularity`; it must not be found by looking at the
    release. `metrics` are names or functions of a graph. `repeats` is how often errors without a formula are
    bootstrapped; 0 leaves them out. Numbers are worked out when they are first asked for.

    What is drawn for that is the same each time, unless a `seed` is given.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> release = sf.publish(graph, sf.EdgePerturbation(0.01), seed=1)
    >>> sf.estimate(release)["edges"].low <= graph.n_edges
    True
    """
    if not isinstance(release, Release):
        raise ParameterError(f"estimate takes a Release, got {type(release).__name__}; load one with load_release")
    asked = _Asked(partition=partition, metrics=metrics, repeats=repeats, seed=seed)
    return _estimates(shape_of(release), asked)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The arguments of `estimate` about graphs."""

    partition: Sequence[Any] | None
    metrics: Sequence[str | Callable[[Graph], float]]
    repeats: int
    seed: Seed | None


@singledispatch
def _estimates(shape: Shape, asked: _Asked) -> GraphEstimates | FrequencyEstimates | dict[str, Any]:
    raise ParameterError(
        "estimate reads perturbed graphs and randomised categories, and this release is neither; ask it with ask"
    )


@_estimates.register
def _(shape: ReportsShape, asked: _Asked) -> dict[str, Any]:
    return estimate_reports(shape)


@_estimates.register
def _(shape: ChangedShape, asked: _Asked) -> FrequencyEstimates:
    if shape.change != "pram":
        raise ParameterError(
            "estimate reads perturbed graphs and randomised categories, and this release is neither; ask it with ask"
        )
    return FrequencyEstimates(shape.frame, shape.parameters)


@_estimates.register
def _(shape: GraphShape, asked: _Asked) -> GraphEstimates:
    if "mu" not in shape.parameters:
        raise ParameterError(
            f"a graph published by {shape.release.method.get('name')} was not perturbed at random, so that nothing can "
            f"be estimated; read it as it stands"
        )
    return estimate_graph(
        shape.graph, float(shape.parameters["mu"]), partition=asked.partition, metrics=asked.metrics,
        repeats=asked.repeats, random=Randomness(asked.seed if asked.seed is not None else 0),
    )  # fmt: skip
