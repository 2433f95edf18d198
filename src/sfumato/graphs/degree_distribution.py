"""The degree distribution of the original graph, with the noise taken out.

A histogram of estimated degrees (thesis, s. 4.3.2) is the true one smeared by the noise of each vertex, whose spread is
`sqrt((N - 1) v)`. Here the distribution is fitted instead: degrees seen are a mixture of `Pr(d_p | d_o)`, whose weights
are found by expectation and maximisation, stopped early since many steps fit the noise. The law of d_p given d_o is the
convolution of Bin(d_o, 1 - mu) and Bin(N - 1 - d_o, mu), kept where it is not negligible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from sfumato.data.graph import Graph
from sfumato.errors import ParameterError
from sfumato.graphs.estimates import LEVEL
from sfumato.graphs.flip_rate import Number, checked_mu, pair_variance
from sfumato.kernels import kernel
from sfumato.randomness import Randomness

__all__ = ["DegreeDistribution", "DegreeLaw", "default_iterations", "degree_distribution", "degree_law"]

_STEEP = 0.5  # where more vertices lie within one spread of the noise, the error of the fit is mostly its own shape


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


@dataclass(frozen=True)
class DegreeLaw:
    """Pr(d_p | d_o) for d_o from 0: row d_o starts at `first[d_o]` and is `values[starts[d_o]:starts[d_o + 1]]`."""

    first: NDArray[np.int64]
    starts: NDArray[np.int64]
    values: NDArray[np.float64]

    def row(self, degree: int) -> tuple[int, NDArray[np.float64]]:
        """The least degree seen that is not negligible, and the probabilities from there."""
        return int(self.first[degree]), self.values[self.starts[degree] : self.starts[degree + 1]]


def degree_law(n_vertices: int, mu: Number, most: int) -> DegreeLaw:
    """How a degree from 0 to `most` is seen after the flips; what is left out adds up to less than 1e-12."""
    rate = float(checked_mu(mu))
    if not 0 <= most < max(n_vertices, 1):
        raise ParameterError(f"degrees of {n_vertices:,} vertices are 0 to {n_vertices - 1}, got {most}")
    return DegreeLaw(*_law(n_vertices, rate, most))


def default_iterations(noise: float) -> int:
    """How many steps to fit: it goes with the square of the noise, from 50 to 300.

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

    Each draw makes degrees from the fit, lets them be seen through the flips, fits again as often, and compares.
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
    shares = fitted(law, np.bincount(graph.degrees), iterations)
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


def fitted(law: DegreeLaw, seen: NDArray[np.int64], iterations: int) -> NDArray[np.float64]:
    """The shares of original degrees after so many steps from even shares; `seen` counts vertices by degree."""
    width = max(int((law.first + np.diff(law.starts)).max()), len(seen))
    wanted = np.zeros(width, dtype=np.float64)
    wanted[: len(seen)] = seen / seen.sum()
    return _fit(law.first, law.starts, law.values, wanted, iterations)


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
    fit, errors = np.cumsum(shares), np.empty((draws, len(shares)))
    for draw in range(draws):
        degrees = np.searchsorted(fit / fit[-1], random.uniform(n), side="right")
        seen = np.bincount(_seen(law.first, law.starts, law.values, degrees, random.uniform(n)))
        truth = np.cumsum(np.bincount(degrees, minlength=len(shares))) / n
        errors[draw] = np.cumsum(fitted(law, seen, iterations)) - truth
    # The lean of the fit is known too poorly to be taken out: it is added on both sides.
    reach = student.ppf((1 + LEVEL) / 2, draws - 1) * errors.std(axis=0, ddof=1) + np.abs(errors.mean(axis=0))
    return np.clip(fit - reach, 0, 1), np.clip(fit + reach, 0, 1)


@kernel
def _binomial(n: int, rate: float) -> tuple[int, NDArray[np.float64]]:
    """The probabilities of a binomial around its mode, from ratios of neighbours; the first number, and from there."""
    if n == 0 or rate == 0.0:
        return 0, np.ones(1)
    mode = min(n, int((n + 1) * rate))
    odds, least = rate / (1 - rate), 1e-15
    down, value = mode, 1.0
    while down > 0 and value > least:
        value *= down / ((n - down + 1) * odds)
        down -= 1
    up, value = mode, 1.0
    while up < n and value > least:
        value *= (n - up) / (up + 1) * odds
        up += 1
    chances = np.empty(up - down + 1)
    chances[mode - down] = 1.0
    for k in range(mode, down, -1):
        chances[k - 1 - down] = chances[k - down] * k / ((n - k + 1) * odds)
    for k in range(mode, up):
        chances[k + 1 - down] = chances[k - down] * (n - k) / (k + 1) * odds
    return down, chances / chances.sum()


@kernel
def _law(n: int, rate: float, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    first, starts = np.empty(most + 1, dtype=np.int64), np.zeros(most + 2, dtype=np.int64)
    values = np.empty(1024 + 64 * most)
    for degree in range(most + 1):
        lost_from, lost = _binomial(degree, rate)
        won_from, won = _binomial(n - 1 - degree, rate)
        size = lost.shape[0] + won.shape[0] - 1
        row = np.zeros(size)
        for a in range(lost.shape[0]):
            for b in range(won.shape[0]):
                row[lost.shape[0] - 1 - a + b] += lost[a] * won[b]
        low, high, left, right = 0, size - 1, row[0], row[size - 1]
        while left < 4e-13 and low < high:
            low += 1
            left += row[low]
        while right < 4e-13 and low < high:
            high -= 1
            right += row[high]
        first[degree] = degree - (lost_from + lost.shape[0] - 1) + won_from + low
        begin, end = starts[degree], starts[degree] + high - low + 1
        if end > values.shape[0]:
            grown = np.empty(2 * end)
            grown[:begin] = values[:begin]
            values = grown
        values[begin:end] = row[low : high + 1] / row[low : high + 1].sum()
        starts[degree + 1] = end
    return first, starts, values[: starts[most + 1]].copy()


@kernel
def _fit(
    first: NDArray[np.int64], starts: NDArray[np.int64], values: NDArray[np.float64], wanted: NDArray[np.float64],
    iterations: int,
) -> NDArray[np.float64]:  # fmt: skip
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
def _seen(
    first: NDArray[np.int64], starts: NDArray[np.int64], values: NDArray[np.float64], degrees: NDArray[np.int64],
    uniform: NDArray[np.float64],
) -> NDArray[np.int64]:  # fmt: skip
    """What each degree is seen as, by the inverse of its law."""
    seen = np.empty(degrees.shape[0], dtype=np.int64)
    for t in range(degrees.shape[0]):
        at, end, left = starts[degrees[t]], starts[degrees[t] + 1] - 1, uniform[t]
        while at < end and left >= values[at]:
            left -= values[at]
            at += 1
        seen[t] = first[degrees[t]] + at - starts[degrees[t]]
    return seen
