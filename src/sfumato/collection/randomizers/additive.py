"""Noise that is added: what all of it shares, and what is learnt from the sum.

An answer is put on the grid, a whole number of steps is added, and the sum is cut off far out, at `reach` steps beyond
the bounds. Means, variances and covariances need no reconstruction; a density needs the law of the noise alone.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.draws import Draws
from sfumato.collection.randomizers.numbers import NumberRandomizer
from sfumato.collection.reconstruction.cells import GridNoise, cell_kernel, grid_integral
from sfumato.collection.reconstruction.density import (
    USUAL,
    CountedReports,
    Density,
    reconstructed_density,
    resolved_cells,
)
from sfumato.collection.reconstruction.em import chosen_smoothing
from sfumato.collection.reconstruction.entropy import EntropyPrivacy, entropy_privacy
from sfumato.collection.reconstruction.joint import JointDensity, reconstructed_joint
from sfumato.collection.reconstruction.mixtures import Laws, PairedLaws
from sfumato.collection.reconstruction.moments import NoiseMoments, covariance_answer, variance_answer
from sfumato.collection.reconstruction.shares import Population, known_population
from sfumato.contracts.answer import Answer
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import any_whole, finite, told

__all__ = ["NoiseRandomizer", "estimate_covariance", "reconstruct_pair"]

_FINE = USUAL
"""Cells of reports within the bounds, at least, where the grid has so many steps."""
_FAR = 4.0
"""Standard deviations beyond the bounds up to which reports are told apart; the rest are two tails."""
_MOST_CELLS = 1_000
_MOST_PAIRS = 1_024
_FINE_PAIRS = 256
"""Finer pairs of cells, where each cell can be halved with fewer."""
_MOST_CHOSEN = 100


class NoiseRandomizer(NumberRandomizer, register=False):
    """A randomizer that adds noise to a number."""

    # -- the law of the noise ------------------------------------------------------------------------------------------
    @cached_property
    @abstractmethod
    def noise(self) -> GridNoise:
        """The law of the noise, in steps."""

    @property
    @abstractmethod
    def reach(self) -> int:
        """How many steps beyond the bounds reports go."""

    @abstractmethod
    def draw_noise(self, n: int, draws: Draws) -> NDArray[np.int64]:
        """Draw noise in steps."""

    @abstractmethod
    def interval_width(self, confidence: float = 0.95) -> float:
        """The width of the interval around a report that holds the answer with a `confidence`, were nothing else known.

        This is the papers' measure of privacy (Agrawal & Srikant, SIGMOD 2000). It is a setting and no promise: who
        knows how answers are distributed may find the answer much more closely.
        """

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest report."""
        return -self.reach, self.steps + self.reach

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Add noise to each grid point, and cut the sum off at the ends."""
        return np.asarray(np.clip(codes + self.draw_noise(len(codes), draws), *self.ends))[:, None]

    def centred(self, reports: NDArray[np.int64]) -> NDArray[np.float64]:
        """Reports on the scale from -1 to 1, on which their mean is that of the answers."""
        return np.asarray((reports + self.noise.offset) * (2.0 / self.steps) - 1.0)

    @property
    def variances(self) -> tuple[float, float]:
        """The variance of one report on the scale of u: the same whatever the answer is."""
        return self.noise.moment(2) * (2.0 / self.steps) ** 2, 0.0

    @property
    def moments(self) -> NoiseMoments:
        """The second and the fourth moment of the noise, in the unit of the answers."""
        return NoiseMoments(self.noise.moment(2) * self.unit**2, self.noise.moment(4) * self.unit**4)

    # -- what is learnt ------------------------------------------------------------------------------------------------
    def estimate_variance(self, reports: Any, *, population: Population = "fixed") -> Answer:
        """The variance of the answers, from their `reports`: unbiased, so that it may be below 0, which is then noted.

        `population="fixed"` speaks of those who answered; `"sampled"` of all whom they were drawn from at random.
        """
        return variance_answer(self._several(reports), self.moments, known_population(population))

    def reconstruct(
        self, reports: Any, *, cells: int | None = None, smoothing: float | None = None,
        population: Population = "fixed",
    ) -> Density:  # fmt: skip
        """The distribution of the answers on `cells` of equal width, from their `reports`.

        Without a number there are as many cells as the reports can tell apart; with more than that there are no
        intervals. `smoothing` is the share that EMS moves to neighbours in each step, were there 64 cells: with more it
        is as much more as it takes to reach as far. It is chosen by held-out likelihood unless it is given, and with 0
        shares are the likeliest. `population` is as in `estimate`.

        Answers are taken to lie evenly within fine cells, so that one on an edge is shared between its cells. For whole
        numbers choose bounds such that edges lie between them: `low=-0.5`, `high=10.5` and 11 cells for 0 to 10.
        """
        known_population(population)
        _checked_smoothing(smoothing)
        read = self.checked_reports(reports)
        most = min(self.steps, _MOST_CHOSEN)
        if cells is None:
            cells = resolved_cells(lambda k: self.kernel(k)[0], len(read), most) if most > 1 else 1
        counted = self.counted(read, cells * self._parts(cells))
        coarse = self.counted(read, min(_FINE, self.steps))
        chosen = chosen_smoothing(Laws(coarse.kernel), coarse.counts)
        note = f"{len(read):,} reports cannot tell {cells} cells apart: smoothed, without intervals; leave cells out"
        smoothings = chosen if smoothing is None else smoothing, chosen
        return reconstructed_density(counted, cells, smoothings, population, note=note)

    def entropy_privacy(self, density: Density) -> EntropyPrivacy:
        """What is left, after a report, of not knowing an answer that comes from a `density`."""
        if not isinstance(density, Density):
            raise ParameterError(f"density must be one that reconstruct has found, got {told(density)}")
        ends = density.edges[[0, -1]]
        if not np.allclose(ends, (self.low, self.high), rtol=1e-9, atol=1e-9 * (self.high - self.low)):
            raise ParameterError(
                f"density must be of answers from {self.low:g} to {self.high:g}, as the noise is, got one from "
                f"{ends[0]:g} to {ends[1]:g}"
            )
        finest = len(density) * max(min(self.steps, _MOST_CELLS) // len(density), 1)
        kernel, _ = self.kernel(finest)
        return entropy_privacy(kernel, density.shares, float(np.diff(density.edges)[0]))

    # -- cells ---------------------------------------------------------------------------------------------------------
    def kernel(self, cells: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The kernel from cells of answers to cells of reports, and the last report of each of these but the last."""
        if not 1 <= any_whole("cells", cells, least=1) <= min(self.steps, _MOST_CELLS):
            raise ParameterError(
                f"cells must be {min(self.steps, _MOST_CELLS):,} at the most, got {cells:,}; give more steps"
            )
        width = max(int(min(self.steps / cells, self.steps / _FINE)), 1)
        far = min(math.ceil(self._told_apart / width) * width, self.reach - 1) if self._told_apart else 0
        lasts = np.arange(-far - 1, self.steps + far + width, width)
        lasts = lasts[(lasts >= self.ends[0]) & (lasts < self.ends[1])]
        x_edges = np.linspace(0.0, self.steps, cells + 1)
        return cell_kernel(grid_integral(self.noise), x_edges, lasts.astype(np.float64) + 0.5), lasts

    def _parts(self, cells: int) -> int:
        """Into how many finer cells each is cut, to find how values lie within it: a power of 2."""
        most = min(self.steps // any_whole("cells", cells, least=1), 2 * _FINE // cells)
        return 1 << max(most.bit_length() - 1, 0)

    @property
    def _told_apart(self) -> int:
        """How many steps beyond the bounds reports are told apart."""
        return min(math.ceil(_FAR * math.sqrt(self.noise.moment(2))), self.reach)

    def counted(self, reports: NDArray[np.int64], cells: int) -> CountedReports:
        """Reports counted in their cells: one pass over them, and sums."""
        kernel, lasts = self.kernel(cells)
        by_report = np.bincount(reports - self.ends[0], minlength=self.ends[1] - self.ends[0] + 1)
        starts = np.concatenate([[0], lasts - self.ends[0] + 1])
        counts = np.add.reduceat(by_report, starts).astype(np.float64)
        return CountedReports(counts, kernel, np.linspace(self.low, self.high, cells + 1))

    def _several(self, reports: Any) -> NDArray[np.float64]:
        """The values of at least two reports."""
        read = self.checked_reports(reports)
        if len(read) < 2:
            raise DataError("one report tells nothing of a variance; at least two are needed")
        return self._values(read)


@says_what_it_takes
def estimate_covariance(
    noises: tuple[NoiseRandomizer, NoiseRandomizer], reports: tuple[Any, Any], *, population: Population = "fixed"
) -> Answer:
    """The covariance of two columns of answers, from their `reports` by two `noises` that are independent: unbiased.

    `population="fixed"` speaks of those who answered; `"sampled"` of all whom they were drawn from at random.

    >>> from sfumato import collection
    >>> noise = collection.LaplaceNoise(low=0, high=1, epsilon=4.0)
    >>> reports = noise.randomize([0.0, 1.0] * 2000, seed=1), noise.randomize([0.0, 1.0] * 2000, seed=2)
    >>> found = collection.estimate_covariance((noise, noise), reports)
    >>> found.low < 0.25 < found.high
    True
    """
    _checked_pair(noises, reports)
    first, second = (noise._several(each) for noise, each in zip(noises, reports, strict=True))
    _checked_lengths(len(first), len(second))
    return covariance_answer(first, second, (noises[0].moments, noises[1].moments), known_population(population))


@says_what_it_takes
def reconstruct_pair(
    noises: tuple[NoiseRandomizer, NoiseRandomizer], reports: tuple[Any, Any], *, cells: tuple[int, int],
    smoothing: float | None = None, population: Population = "fixed",
) -> JointDensity:  # fmt: skip
    """The joint distribution of two columns of answers on `cells` of each, from `reports` by two independent `noises`.

    `smoothing` is the share that EMS moves to neighbours in each step: chosen by held-out likelihood unless given.
    `population="fixed"` speaks of those who answered; `"sampled"` of all whom they were drawn from at random.

    >>> from sfumato import collection
    >>> noise = collection.LaplaceNoise(low=0, high=1, epsilon=4.0)
    >>> answers = [i / 8000 for i in range(8000)]
    >>> reports = noise.randomize(answers, seed=1), noise.randomize(answers, seed=2)
    >>> collection.reconstruct_pair((noise, noise), reports, cells=(2, 2)).shares.round(1).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    _checked_pair(noises, reports)
    known_population(population)
    _checked_smoothing(smoothing)
    if not isinstance(cells, tuple | list) or len(cells) != 2:
        raise ParameterError(f"cells must be two whole numbers, one for each column, got {told(cells)}")
    if math.prod(any_whole("cells", each, least=1) for each in cells) > _MOST_PAIRS:
        raise ParameterError(f"there are {_MOST_PAIRS:,} pairs of cells at the most, got {cells[0]:,} x {cells[1]:,}")
    columns = [noise.checked_reports(each) for noise, each in zip(noises, reports, strict=True)]
    _checked_lengths(*map(len, columns))
    parts = _parts_of_pairs(noises, cells)
    kernels, places = [], []
    for noise, column, k in zip(noises, columns, cells, strict=True):
        kernel, lasts = noise.kernel(k * parts)
        kernels.append(kernel)
        places.append(np.searchsorted(lasts, column))
    shape = len(kernels[0]), len(kernels[1])
    counts = np.bincount(places[0] * shape[1] + places[1], minlength=math.prod(shape)).reshape(shape)
    edges = [np.linspace(noise.low, noise.high, k * parts + 1) for noise, k in zip(noises, cells, strict=True)]
    fine = PairedLaws(kernels[0], kernels[1])
    return reconstructed_joint(fine, counts.astype(np.float64), (edges[0], edges[1]), parts, smoothing, population)


def _parts_of_pairs(noises: tuple[NoiseRandomizer, NoiseRandomizer], cells: tuple[int, int]) -> int:
    """Into how many finer cells each is cut along both columns: a power of 2."""
    most = min(noise.steps // k for noise, k in zip(noises, cells, strict=True))
    pairs, parts = math.prod(cells), 1
    while pairs > 1 and 2 * parts <= most and pairs * (2 * parts) ** 2 <= (_FINE_PAIRS if parts > 1 else _MOST_PAIRS):
        parts *= 2
    return parts


def _checked_smoothing(smoothing: float | None) -> None:
    if smoothing is not None:
        finite("smoothing", smoothing, asked="a number from 0 to 100", low=0.0, high=100.0)


def _checked_pair(noises: Any, reports: Any) -> None:
    if (
        not isinstance(noises, tuple | list)
        or len(noises) != 2
        or not all(isinstance(e, NoiseRandomizer) for e in noises)
    ):
        raise ParameterError(f"noises must be two randomizers that add noise, one for each column, got {told(noises)}")
    if not isinstance(reports, tuple | list) or len(reports) != 2:
        raise DataError(f"reports must be two columns of reports of the same people, got {told(reports)}")


def _checked_lengths(first: int, second: int) -> None:
    if first != second:
        raise DataError(f"both columns are reports of the same people, and have {first:,} and {second:,} rows")
