"""Any number of the original graph, by adding more noise and looking back.

SIMEX (Cook & Stefanski, JASA 89, 1994): flip pairs of the perturbed graph further, see how the number changes with the
noise, and follow the curve back to no noise. Beside it, the mean of the number over graphs that may have been the
original one. The two err in different ways; where they differ by more than 5%, neither should be trusted far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from sfumato.data.graph import Graph
from sfumato.graphs.estimates.estimate import LEVEL, Estimate
from sfumato.graphs.estimates.posterior import PosteriorGraphs
from sfumato.graphs.flip_rate import Number, checked_mu
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole

__all__ = ["APART", "MetricEstimate", "estimate_metrics", "posterior_mean", "simex"]

APART = 0.05
FACTORS = (0.0, 0.5, 1.0, 1.5, 2.0)
Measure = Callable[[Graph], NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class MetricEstimate:
    """A number of the original graph, estimated in two ways."""

    name: str
    seen: float
    """The number of the perturbed graph as it stands."""
    simex: Estimate
    posterior: Estimate

    @property
    def apart(self) -> float:
        """The difference of the two, as a share of the larger."""
        a, b = self.simex.value or 0.0, self.posterior.value or 0.0
        return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0

    @property
    def agrees(self) -> bool:
        """Whether the two lie within 5% of one another."""
        return self.apart <= APART


def simex(
    graph: Graph, mu: Number, measure: Measure, random: Randomness, *, draws: int = 5, log: bool = False
) -> NDArray[np.float64]:
    """What each number measured becomes at no noise, by a parabola in the noise; of the logarithm if `log`.

    The logarithm is used only where every value is above 0.
    """
    rate = float(checked_mu(mu))
    whole("draws", draws, least=1)
    if rate == 0:
        return measure(graph)
    noise, means = [], []
    for factor in FACTORS:
        more = factor * rate
        noise.append(rate + more - 2 * rate * more)
        times = draws if more else 1
        values = [measure(flip_pairs(graph, more, random) if more else graph) for _ in range(times)]
        means.append(np.mean(values, axis=0))
    curve = np.asarray(means)
    positive = (curve > 0).all(axis=0) & log
    curve[:, positive] = np.log(curve[:, positive])
    at_zero = np.linalg.lstsq(np.vander(np.asarray(noise) / rate, 3), curve, rcond=None)[0][-1]
    return np.where(positive, np.exp(np.where(positive, at_zero, 0.0)), at_zero)


def posterior_mean(
    graphs: PosteriorGraphs, measure: Measure, random: Randomness, *, draws: int = 5
) -> NDArray[np.float64]:
    """The mean of each number over graphs that may have been the original one."""
    whole("draws", draws, least=1)
    return np.asarray(np.mean([measure(graphs.draw(random)) for _ in range(draws)], axis=0), dtype=np.float64)


def estimate_metrics(
    graph: Graph,
    mu: Number,
    measure: Measure,
    names: Sequence[str],
    random: Randomness,
    *,
    draws: int = 3,
    repeats: int = 10,
    log: bool = True,
    afresh: Callable[[Randomness], Measure] | None = None,
) -> dict[str, MetricEstimate]:
    """Every number measured, by SIMEX and by graphs that may have been the original one.

    Errors by the bootstrap: `repeats` times a graph is drawn, perturbed and estimated; 0 leaves errors out. Where the
    measure itself samples, `afresh` makes one with another sample, so that this error counts too.
    """
    if repeats < 0 or repeats == 1:
        raise ParameterError(f"repeats must be 0 or at least 2, got {repeats}")
    rate = float(checked_mu(mu))
    seen = measure(graph)
    graphs = PosteriorGraphs(graph, rate)
    back = simex(graph, rate, measure, random.spawn("simex"), draws=draws, log=log)
    mean = posterior_mean(graphs, measure, random.spawn("posterior"), draws=draws)
    spreads: list[NDArray[np.float64] | None] = [None, None]
    if repeats and rate:
        errors = np.empty((2, repeats, len(names)))
        for repeat in range(repeats):
            stream = random.spawn(f"repeat {repeat}")
            truth = graphs.draw(stream)
            again = flip_pairs(truth, rate, stream)
            value, other = measure(truth), measure if afresh is None else afresh(stream)
            errors[0, repeat] = simex(again, rate, other, stream, draws=draws, log=log) - value
            errors[1, repeat] = posterior_mean(PosteriorGraphs(again, rate), other, stream, draws=draws) - value
        spreads = list(np.sqrt((errors**2).mean(axis=1)))  # bias as well as spread
    elif rate == 0:
        spreads = [np.zeros(len(names)), np.zeros(len(names))]
    found = {}
    for i, name in enumerate(names):
        errors_of = [None if spread is None else float(spread[i]) for spread in spreads]
        found[name] = _metric_estimate(name, float(seen[i]), float(back[i]), float(mean[i]), errors_of, repeats)
    return found


def _metric_estimate(
    name: str, seen: float, back: float, mean: float, spreads: Sequence[float | None], repeats: int
) -> MetricEstimate:
    """The two estimates of one metric, with a note where they differ by more than 5%."""
    apart = abs(back - mean) > APART * max(abs(back), abs(mean))
    note = "the two estimates differ by more than 5%: trust neither far" if apart else ""
    ways = ("more noise, followed back to none (SIMEX)", "mean over graphs that may have been the original one")
    first, second = (
        _estimate(name, value, spread, way, note, repeats)
        for value, spread, way in zip((back, mean), spreads, ways, strict=True)
    )
    return MetricEstimate(name=name, seen=seen, simex=first, posterior=second)


def _estimate(name: str, value: float, spread: float | None, method: str, note: str, repeats: int) -> Estimate:
    """One estimate with an interval by Student's t, or without where there is no spread."""
    if not math.isfinite(value):
        said = "the number is not finite on some graph that was tried"
        return Estimate(name=name, value=None, stderr=None, low=None, high=None, method=method, note=said)
    if spread is None:
        return Estimate(name=name, value=value, stderr=None, low=None, high=None, method=method, note=note)
    reach = float(stdtrit(repeats, (1 + LEVEL) / 2)) * float(spread) if spread else 0.0
    return Estimate(
        name=name, value=value, stderr=float(spread), low=value - reach, high=value + reach,
        method=f"{method}; error by the bootstrap", note=note,
    )  # fmt: skip
