"""`estimate`: a perturbed graph, or a table of randomised categories, read rightly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.graphs.estimating import GraphEstimates, estimate_graph
from sfumato.randomness import Randomness, Seed
from sfumato.release import Release
from sfumato.tables.perturbing.frequencies import FrequencyEstimates

__all__ = ["FrequencyEstimates", "GraphEstimates", "estimate"]


def estimate(
    release: Release,
    *,
    partition: Sequence[Any] | None = None,
    metrics: Sequence[str | Callable[[Graph], float]] = ("average_path_length", "effective_diameter"),
    repeats: int = 10,
    seed: Seed | None = None,
) -> GraphEstimates | FrequencyEstimates:
    """What the original was like, by name: each number with its standard error and 95% interval.

    Of a perturbed graph, its measures; of a table that `PRAM` changed, how often each value occurred, for which no
    parameter is needed. The parameters are about graphs.

    `partition` gives the community of every published vertex, for `modularity`; it must not be found by looking at the
    release. `metrics` are names or functions of a graph. `repeats` is how often errors without a formula are
    bootstrapped; 0 leaves them out. Numbers are worked out when they are first asked for.
    """
    if not isinstance(release, Release):
        raise ParameterError(f"estimate takes a Release, got {type(release).__name__}; load one with load_release")
    if "pram" in release.public and isinstance(release.data, Table):
        return FrequencyEstimates(release.data.frame, release.public["pram"])
    if not isinstance(release.data, Graph):
        raise ParameterError(
            "estimate reads perturbed graphs and randomised categories, and this release is neither; ask it with ask"
        )
    told = release.public["graph"]
    if "mu" not in told:
        raise ParameterError(
            f"a graph published by {release.method.get('name')} was not perturbed at random, so that nothing can be "
            f"estimated; read it as it stands"
        )
    return estimate_graph(
        release.data, float(told["mu"]), partition=partition, metrics=metrics, repeats=repeats,
        random=Randomness(seed if seed is not None else 0),
    )  # fmt: skip
