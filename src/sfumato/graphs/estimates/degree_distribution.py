"""The degree distribution of the original graph, with the noise taken out.

A histogram of estimated degrees (thesis, s. 4.3.2) is the true one smeared by the noise of each vertex, whose spread is
`sqrt((N - 1) v)`. Here the distribution is fitted instead: degrees seen are a mixture of `Pr(d_p | d_o)`, whose weights
are found by expectation and maximisation, stopped early since many steps fit the noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from sfumato.data.graph import Graph
from sfumato.graphs.estimates.degree_law import DegreeLaw, degree_law
from sfumato.graphs.estimates.estimate import LEVEL
from sfumato.graphs.flip_rate import FlipRates, Number, checked_mu, pair_variance
from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness

__all__ = ["DegreeDistribution", "default_iterations", "degree_distribution", "fit_shares", "seen_shares"]

_STEEP = 0.5  # where a larger share of vertices lies within one spread of the noise, no interval holds


@dataclass(frozen=True, kw_only=True)
class DegreeDistribution:
    """The share of vertices of each degree in the original graph."""

    shares: NDArray[np.float64]
    """For degrees 0, 1, 2 ..."""
    noise: float
    """The spread of the noise in the degree of one vertex."""
    low: NDArray[np.float64] | None
    """The 95% interval of `cumulative`; NaN where it would not hold, None where it was not asked for."""
    high: NDArray[np.float64] | None
    method: str
    note: str = ""

    @property
    def cumulative(self) -> NDArray[np.float64]:
        """The share of vertices of each degree or less."""
        return np.minimum(np.cumsum(self.shares), 1.0)

    def __len__(self) -> int:
        return len(self.shares)


def default_iterations(noise: float) -> int:
    """How many steps of the fit to take: 15 times the square of the noise, from 50 to 300.

    On made-up graphs of four kinds (500 to 10,000 vertices, noise .2 to 10) the best number was about 50 at a noise of
    1.4, 150 at 3 and 300 or more from 4.5 on; the error is flat around it, and 3,000 steps fit the noise.
    """
    return round(min(max(15 * noise**2, 50), 300))


def degree_distribution(
    graph: Graph,
    mu: Number,
    *,
    iterations: int | None = None,
    draws: int = 0,
    random: Randomness | None = None,
) -> DegreeDistribution:
    """Fit the degree distribution of the original graph; with `draws`, intervals by the parametric bootstrap.

    Each draw makes degrees from the fit, draws the published degrees that flips make of them, and fits these again.
    """
    rate, n = float(checked_mu(mu)), graph.n_vertices
    if (iterations is not None and iterations < 1) or draws < 0 or draws == 1:
        raise ParameterError(f"iterations must be at least 1 and draws 0 or at least 2, got {iterations} and {draws}")
    if n == 0 or rate == 0:
        shares = np.bincount(graph.degrees, minlength=1) / max(n, 1)
        edge = np.cumsum(shares)
        return DegreeDistribution(shares=shares, noise=0.0, low=edge, high=edge, method="counted")
    noise = math.sqrt((n - 1) * float(pair_variance(rate)))
    highest = (int(graph.degrees.max()) - (n - 1) * rate) / (1 - 2 * rate)
    most = min(n - 1, max(0, math.ceil(highest + 3 * noise)))
    law, iterations = degree_law(n, rate, most), iterations or default_iterations(noise)
    shares = fit_shares(law, np.bincount(graph.degrees), iterations)
    method = f"fitted by expectation and maximisation, {iterations} steps"
    note = f"the degree of a vertex is seen with a noise of spread {noise:.3g}"
    if not draws:
        return DegreeDistribution(shares=shares, noise=noise, low=None, high=None, method=method, note=note)
    if random is None:
        raise ParameterError("intervals draw at random; give random=Randomness()")
    low, high = _bootstrap(law, shares, n, iterations, draws, random.spawn("degrees"))
    steep = _rise(np.cumsum(shares), noise) > _STEEP
    low[steep], high[steep] = np.nan, np.nan
    if steep.any():
        note += f"; no interval at {int(steep.sum()):,} degrees where half of all vertices or more lie within it"
    return DegreeDistribution(
        shares=shares, noise=noise, low=low, high=high, method=f"{method}; intervals by the bootstrap", note=note
    )


def fit_shares(law: DegreeLaw, seen: NDArray[np.int64], iterations: int) -> NDArray[np.float64]:
    """Fit the shares of original degrees, `iterations` steps from equal shares; `seen` counts vertices by degree."""
    width = max(int((law.first + np.diff(law.starts)).max()), len(seen))
    wanted = np.zeros(width, dtype=np.float64)
    wanted[: len(seen)] = seen / seen.sum()
    return _fit(law.first, law.starts, law.values, wanted, iterations)


def seen_shares(graph: Graph, rates: FlipRates) -> NDArray[np.float64]:
    """The smooth shares of published degrees, 0 to the highest, that follow from the fitted original ones.

    Without flips, or where they leave nothing to fit by, the published degrees are counted as they are.
    """
    n, lost, came = graph.n_vertices, rates.lost, rates.came
    counted: NDArray[np.float64] = np.bincount(graph.degrees, minlength=1) / max(n, 1)
    left = 1 - lost - came
    if n < 2 or left <= 0 or (lost == 0 and came == 0):
        return counted
    mean, highest = (
        min(max((d - (n - 1) * came) / left, 0.0), n - 1.0) for d in (graph.degrees.mean(), len(counted) - 1)
    )
    noise = math.sqrt(mean * lost * (1 - lost) + (n - 1 - mean) * came * (1 - came)) / left
    law = degree_law(n, rates, min(n - 1, math.ceil(highest + 3 * noise)))
    shares = fit_shares(law, np.bincount(graph.degrees), default_iterations(noise))
    smooth = _mixture(law.first, law.starts, law.values, shares, n)[: len(counted)]
    return np.where(smooth > 1e-12, smooth, counted)


def _rise(cumulative: NDArray[np.float64], noise: float) -> NDArray[np.float64]:
    """By how much the distribution rises within one spread of the noise of each degree."""
    at, padded = np.arange(len(cumulative)), np.concatenate(([0.0], cumulative))
    reach = round(noise)
    upper = np.minimum(at + reach, len(cumulative) - 1) + 1
    rise: NDArray[np.float64] = padded[upper] - padded[np.maximum(at - reach, 0)]
    return rise


def _bootstrap(
    law: DegreeLaw, shares: NDArray[np.float64], n: int, iterations: int, draws: int, random: Randomness
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The 95% interval of the cumulative distribution, by the parametric bootstrap."""
    fit, errors = np.cumsum(shares), np.empty((draws, len(shares)))
    for draw in range(draws):
        degrees = np.searchsorted(fit / fit[-1], random.uniform(n), side="right")
        seen = np.bincount(_published_degrees(law.first, law.starts, law.values, degrees, random.uniform(n)))
        truth = np.cumsum(np.bincount(degrees, minlength=len(shares))) / n
        errors[draw] = np.cumsum(fit_shares(law, seen, iterations)) - truth
    # The bias of the fit is known too poorly to be taken out: it is added on both sides.
    reach = stdtrit(draws - 1, (1 + LEVEL) / 2) * errors.std(axis=0, ddof=1) + np.abs(errors.mean(axis=0))
    return np.clip(fit - reach, 0, 1), np.clip(fit + reach, 0, 1)


@kernel
def _fit(
    first: NDArray[np.int64], starts: NDArray[np.int64], values: NDArray[np.float64], wanted: NDArray[np.float64],
    iterations: int,
) -> NDArray[np.float64]:  # fmt: skip
    """Expectation and maximisation: original shares whose mixture of laws comes near the `wanted` published shares."""
    n, width = first.shape[0], wanted.shape[0]
    shares, model = np.full(n, 1.0 / n), np.empty(width)
    for _ in range(iterations):
        model[:] = 0.0
        for d in range(n):
            if shares[d] > 1e-30:
                for e in range(starts[d], starts[d + 1]):
                    model[first[d] + e - starts[d]] += shares[d] * values[e]
        for seen in range(width):
            model[seen] = wanted[seen] / max(model[seen], 1e-300)
        for d in range(n):
            if shares[d] > 1e-30:
                pull = 0.0
                for e in range(starts[d], starts[d + 1]):
                    pull += values[e] * model[first[d] + e - starts[d]]
                shares[d] *= pull
    shares /= shares.sum()
    return shares


@kernel
def _mixture(
    first: NDArray[np.int64], starts: NDArray[np.int64], values: NDArray[np.float64], shares: NDArray[np.float64],
    n: int,
) -> NDArray[np.float64]:  # fmt: skip
    """The shares of published degrees, 0 to n - 1, if `shares` are those of original degrees."""
    model = np.zeros(n)
    for d in range(first.shape[0]):
        for e in range(starts[d], starts[d + 1]):
            model[first[d] + e - starts[d]] += shares[d] * values[e]
    return model


@kernel
def _published_degrees(
    first: NDArray[np.int64], starts: NDArray[np.int64], values: NDArray[np.float64], degrees: NDArray[np.int64],
    uniform: NDArray[np.float64],
) -> NDArray[np.int64]:  # fmt: skip
    """A published degree for each original one, drawn by the inverse of its law at the given uniform numbers."""
    seen = np.empty(degrees.shape[0], dtype=np.int64)
    for t in range(degrees.shape[0]):
        at, end, left = starts[degrees[t]], starts[degrees[t] + 1] - 1, uniform[t]
        while at < end and left >= values[at]:
            left -= values[at]
            at += 1
        seen[t] = first[degrees[t]] + at - starts[degrees[t]]
    return seen
