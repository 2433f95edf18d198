"""The law of published degrees: `Pr(d_p | d_o)`, what flips make of a vertex of degree d_o (thesis, s. 4.4.2).

Of the edges of a vertex a binomial number is lost, and of the pairs without one a binomial number comes. The law is
their convolution, by ratios of neighbouring terms from the mode, so that nothing overflows among millions of vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.graphs.flip_rate import FlipRates, Number, checked_mu
from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel

__all__ = ["DegreeLaw", "binomial_shares", "degree_intervals", "degree_law", "law_of_degree"]

_LEAST = 1e-30  # terms of one law that are smaller, over its largest term, are left out


@dataclass(frozen=True)
class DegreeLaw:
    """Pr(d_p | d_o) for d_o from 0: row d_o starts at `first[d_o]` and is `values[starts[d_o]:starts[d_o + 1]]`."""

    first: NDArray[np.int64]
    starts: NDArray[np.int64]
    values: NDArray[np.float64]

    def row(self, degree: int) -> tuple[int, NDArray[np.float64]]:
        """The law of one original degree: the first published degree in the row, and probabilities from there."""
        return int(self.first[degree]), self.values[self.starts[degree] : self.starts[degree + 1]]


def law_of_degree(n_vertices: int, rates: FlipRates | Number, degree: int) -> tuple[int, NDArray[np.float64]]:
    """The law of one original degree: the least published degree that is not negligible, and probabilities from there.

    `rates` may be the one probability of a flip. What is left out adds up to less than 1e-25.
    """
    lost, came = _rates(rates)
    _check(n_vertices, degree)
    first, row = _published_law(n_vertices, degree, lost, came, _LEAST)
    return int(first), row


def degree_law(n_vertices: int, rates: FlipRates | Number, most: int) -> DegreeLaw:
    """The laws of every original degree from 0 to `most`; what is left out of a row adds up to less than 1e-12.

    `rates` may be the one probability of a flip.
    """
    lost, came = _rates(rates)
    _check(n_vertices, most)
    return DegreeLaw(*_published_laws(n_vertices, lost, came, most))


def degree_intervals(
    n_vertices: int, degrees: NDArray[np.int64], rates: FlipRates | Number, w: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lowest and the highest published degree at which vertices of these degrees are looked for.

    That is within `w` of the degree expected after the flips.

    Where degrees only rise, it is from the degree itself to 2 `w` above; where they are kept, there alone.
    """
    if isinstance(rates, FlipRates) and rates.keeps_degrees:
        return degrees, degrees
    if isinstance(rates, FlipRates) and rates.only_adds:
        return degrees, np.minimum(degrees + 2 * w, n_vertices - 1)
    lost, came = _rates(rates)
    centre = degrees - np.rint(degrees * lost) + np.rint((n_vertices - 1 - degrees) * came)
    low, high = np.maximum(centre - w, 0), np.minimum(centre + w, n_vertices - 1)
    return low.astype(np.int64), high.astype(np.int64)


def binomial_shares(n: int, rate: float) -> tuple[int, NDArray[np.float64]]:
    """The probabilities of a binomial: the first number that is not negligible, and the probabilities from there."""
    first, shares = _binomial(n, rate, _LEAST)
    return int(first), shares


def _rates(given: FlipRates | Number) -> tuple[float, float]:
    """The rates at which edges are lost and come, checked."""
    if not isinstance(given, FlipRates):
        mu = float(checked_mu(given))
        return mu, mu
    if not (0 <= given.lost <= 1 and 0 <= given.came <= 1):
        raise ParameterError(f"rates must be numbers from 0 to 1, got {given!r}")
    return float(given.lost), float(given.came)


def _check(n_vertices: int, degree: int) -> None:
    if not 0 <= degree < max(n_vertices, 1):
        raise ParameterError(f"degrees of {n_vertices:,} vertices are 0 to {n_vertices - 1}, got {degree}")


@kernel
def _binomial(n: int, rate: float, least: float) -> tuple[int, NDArray[np.float64]]:
    """The first number whose probability is above `least` times that of the mode, and the probabilities from there."""
    if n == 0 or rate == 0.0:
        return 0, np.ones(1)
    if rate == 1.0:
        return n, np.ones(1)
    mode = min(n, int((n + 1) * rate))
    odds = rate / (1 - rate)
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
def _published_law(n: int, degree: int, lost: float, came: float, least: float) -> tuple[int, NDArray[np.float64]]:
    """The law of one degree: the convolution of edges that stay and edges that come."""
    lost_from, less = _binomial(degree, lost, least)
    came_from, more = _binomial(n - 1 - degree, came, least)
    row = np.zeros(less.shape[0] + more.shape[0] - 1)
    for a in range(less.shape[0]):
        for b in range(more.shape[0]):
            row[less.shape[0] - 1 - a + b] += less[a] * more[b]
    return degree - (lost_from + less.shape[0] - 1) + came_from, row


@kernel
def _published_laws(
    n: int, lost: float, came: float, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    first, starts = np.empty(most + 1, dtype=np.int64), np.zeros(most + 2, dtype=np.int64)
    values = np.empty(1024 + 64 * most)
    for degree in range(most + 1):
        begins, row = _published_law(n, degree, lost, came, 1e-15)
        low, high, left, right = 0, row.shape[0] - 1, row[0], row[row.shape[0] - 1]
        while left < 4e-13 and low < high:
            low += 1
            left += row[low]
        while right < 4e-13 and low < high:
            high -= 1
            right += row[high]
        first[degree] = begins + low
        begin, end = starts[degree], starts[degree] + high - low + 1
        if end > values.shape[0]:
            grown = np.empty(2 * end)
            for i in range(begin):  # in loops: to assign a part takes a second and a half to compile
                grown[i] = values[i]
            values = grown
        total = 0.0
        for i in range(low, high + 1):
            total += row[i]
        for i in range(low, high + 1):
            values[begin + i - low] = row[i] / total
        starts[degree + 1] = end
    return first, starts, values[: starts[most + 1]].copy()
