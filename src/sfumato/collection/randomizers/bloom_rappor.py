"""RAPPOR with Bloom filters: values share bits, so that reports are short where values are many.

Erlingsson, Pihur & Korolova, CCS 2014. A respondent is in one of several cohorts, drawn once; each has hash functions
of its own, and a value sets the bits that they give. Counts of bits, unbiased, are sums of shares: they are solved for
the shares of a list of candidate values by least squares. The solution is linear, so that it is unbiased and its
covariance is known; the regression with selection of the paper has no valid intervals. Values that set the same bits
in every cohort cannot be told apart, and are refused.

Draws for one answer: the cohort, then those of RAPPOR for each bit of the filter.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.categories import CategoryRandomizer, checked_values
from sfumato.collection.randomizers.draws import Draws
from sfumato.collection.randomizers.hashing import PRIME, hashed
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.randomizers.randomizer import Kept
from sfumato.collection.randomizers.rappor import TwoStages, checked_stages, two_stages
from sfumato.collection.reconstruction.shares import Population, ShareEstimates, ShareNoise, known_population
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import whole

__all__ = ["BloomRappor"]

_MOST_CONDITION = 1e6
_MOST_CELLS = 50_000_000


@dataclass(frozen=True)
class BloomRappor(CategoryRandomizer):
    """A filter of `bits` that each of the `values` sets by `hashes` functions, which differ between `cohorts`.

    `f`, `p` and `q` are those of `Rappor`. What it promises for ever holds where the first stage and the cohort are
    kept, as the form and `Memo` keep them; `randomize` draws all afresh, and the epsilon of its reports adds up.

    >>> from sfumato import collection
    >>> asked = collection.BloomRappor(values=list(range(50)), bits=32, hashes=2, cohorts=8)
    >>> asked.privacy
    Privacy(epsilon 1.07429, for ever 4.39445, gamma 2.9279)
    """

    says: ClassVar[str] = "You report a row of bits, randomized once for ever and again each time."

    values: tuple[Any, ...]
    bits: int = 32
    hashes: int = 2
    cohorts: int = 8
    f: float = 0.5
    p: float = 0.5
    q: float = 0.75

    def __post_init__(self) -> None:
        """Check the parameters, and that shares can be told from the bits."""
        object.__setattr__(self, "values", checked_values(self.values))
        checked_stages(self.f, self.p, self.q)
        whole("bits", self.bits, least=2)
        whole("cohorts", self.cohorts, least=1)
        if whole("hashes", self.hashes, least=1) > self.bits:
            raise ParameterError(f"hashes must be at most the number of bits, {self.bits}, got {self.hashes}")
        if self.bits * self.cohorts * self.k > _MOST_CELLS:
            raise ParameterError(f"{self.k:,} values are too many for {self.cohorts} cohorts of {self.bits} bits")
        design = self.filters.reshape(-1, self.k).astype(np.float64)
        if self.bits * self.cohorts < self.k or not np.linalg.cond(design) < _MOST_CONDITION:
            raise ParameterError(
                f"{self.k:,} values cannot be told apart by {self.bits} bits in {self.cohorts} cohorts; take more"
            )

    @property
    def filters(self) -> NDArray[np.bool_]:
        """Which bits each value sets: cohort, bit, value."""
        return _filters(self.k, self.bits, self.hashes, self.cohorts)

    @property
    def stages(self) -> TwoStages:
        """The thresholds of both stages."""
        return two_stages(self.f, self.p, self.q)

    @property
    def privacy(self) -> Privacy:
        """What a report promises, and what all do where the first stage is kept; less where functions meet in a bit."""
        return self.stages.privacy(self.hashes)

    @property
    def mean_variance(self) -> float:
        """The variance of an estimated share, times the number of reports, over values that are all alike (f = 1/k)."""
        return float(self._noise().variances(np.full(self.k, 1 / self.k)).mean())

    @property
    def shipped(self) -> dict[str, Any]:
        """The thresholds, the bits that each value sets in each cohort, and the values."""
        stages, filters = self.stages, self.filters
        sets = [[np.flatnonzero(filters[c, :, v]).tolist() for v in range(self.k)] for c in range(self.cohorts)]
        return {
            "kind": "bloom", "half": stages.half, "zero": stages.zero, "one": stages.one, "bits": self.bits,
            "sets": sets, "values": list(self.values),
        }  # fmt: skip

    @property
    def width(self) -> int:
        """Two draws for each bit."""
        return 2 * self.bits + 1

    @property
    def report_limits(self) -> dict[str, tuple[int, int]]:
        """The cohort, and the bits of the filter."""
        return {"cohort": (0, self.cohorts - 1), **{f"bit_{i + 1}": (0, 1) for i in range(self.bits)}}

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw the cohort, then both stages of every bit."""
        return self._draw_in_cohorts(codes, draws.integers(self.cohorts, len(codes)), draws, draws)

    def draw_memoized(self, codes: NDArray[np.int64], kept: Kept, fresh: Draws) -> NDArray[np.int64]:
        """Take the cohort that is kept for the respondent, the permanent response for the answer; report afresh."""
        return self._draw_in_cohorts(codes, kept.respondent.integers(self.cohorts, len(codes)), kept.answer, fresh)

    def _draw_in_cohorts(
        self, codes: NDArray[np.int64], cohorts: NDArray[np.int64], kept: Draws, fresh: Draws
    ) -> NDArray[np.int64]:  # fmt: skip
        """Draw both stages of every bit for respondents of these cohorts."""
        bits = self.stages.draw(self.filters[cohorts, :, codes], kept, fresh)
        return np.concatenate([cohorts[:, None], bits], axis=1)

    def estimate(self, reports: Any, *, population: Population = "fixed") -> ShareEstimates:
        """The share of each value among those who answered, from their reports: unbiased, with intervals.

        `population="fixed"` speaks of those who answered; `"sampled"` of all whom they were drawn from at random.
        """
        known_population(population)
        read = self.reports_of(reports)
        if not len(read):
            raise DataError("there are no reports, so that nothing can be estimated")
        q, p = map(float, self.stages.shown)
        sums = np.zeros((self.cohorts, self.bits))
        for cohort in range(self.cohorts):
            mine = read[read[:, 0] == cohort, 1:]
            sums[cohort] = (mine.sum(axis=0) - p * len(mine)) / (q - p)
        shares = self._weights() @ sums.ravel() * self.cohorts / len(read)
        return ShareEstimates(self.values, shares, len(read), self._noise(), population, of=type(self).__name__)

    def _weights(self) -> NDArray[np.float64]:
        """What each bit of each cohort counts for each value: least squares."""
        return np.linalg.pinv(self.filters.reshape(-1, self.k).astype(np.float64))

    def _noise(self) -> ShareNoise:
        q, p = map(float, self.stages.shown)
        return _FilterNoise(self.filters, self._weights(), q, p)


class _FilterNoise(ShareNoise):
    """The errors of least squares on bits: from the bits of a report, and from the draw of its cohort."""

    def __init__(self, filters: NDArray[np.bool_], weights: NDArray[np.float64], q: float, p: float) -> None:
        self._filters = filters.astype(np.float64)
        cohorts, bits, k = filters.shape
        self._weights = weights.reshape(k, cohorts, bits).transpose(1, 0, 2) * cohorts  # cohort, share, bit
        self._set, self._unset = q * (1 - q) / (q - p) ** 2, p * (1 - p) / (q - p) ** 2
        self._of_value = np.stack([np.diag(self._of_one(v)) for v in range(k)])

    def _of_one(self, value: int) -> NDArray[np.float64]:
        """The covariance of what one report with this value counts for the shares."""
        bits = self._filters[:, :, value]
        noise = np.where(bits > 0, self._set, self._unset)
        within = np.einsum("cvb,cb,cwb->vw", self._weights, noise, self._weights, optimize=True) / len(bits)
        means = np.einsum("cvb,cb->cv", self._weights, bits)
        centred = means - means.mean(axis=0)
        return np.asarray(within + centred.T @ centred / len(bits))

    def covariance(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The covariance of the estimates, times the number of reports, where these are the true shares."""
        return np.asarray(sum(share * self._of_one(v) for v, share in enumerate(shares)))

    def variances(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Its diagonal."""
        return np.asarray(shares @ self._of_value)

    def lines(self, shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each variance as it is with these shares: bits are shared, so that no line in one share would do."""
        return self.variances(shares), np.zeros(len(shares))


@cache
def _filters(k: int, bits: int, hashes: int, cohorts: int) -> NDArray[np.bool_]:
    """Which bits each value sets, by functions that are the same everywhere: cohort, bit, value."""
    filters = np.zeros((cohorts, bits, k), dtype=np.bool_)
    values = np.arange(k)
    for cohort in range(cohorts):
        for i in range(hashes):
            digest = hashlib.sha256(f"sfumato bloom {cohort} {i}".encode()).digest()
            a, b, c = (int.from_bytes(digest[at : at + 8], "little") % PRIME for at in (0, 8, 16))
            filters[cohort, hashed(a, b, c, values, bits), values] = True
    filters.flags.writeable = False
    return filters
