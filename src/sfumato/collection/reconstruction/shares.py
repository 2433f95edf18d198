"""Shares of values, estimated from randomized answers: unbiased, with exact covariances and intervals.

Each share is a linear function of counts, so that it is unbiased and its variance is known but for the shares
themselves, which are estimated too. It may lie below 0 or above 1; sums of shares, differences and intervals are right
only with these values. A distribution to be shown comes from `distribution`.

Among a *fixed* set of people only the randomizer is random, and n times the variance is linear in the share. For a
*sampled* one, f (1 - f) is added for the draw of the people. Intervals are those of the score test: all shares that the
estimate does not contradict at 95%, with the variance that each of them would have, and half a report more on either
side. Where noise is so small that a handful of reports is all that differs, they may still hold less often.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.collection.reconstruction.norm_sub import norm_sub
from sfumato.contracts.answer import Answer
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.cards import card, grid, small
from sfumato.ground.errors import UnknownNameError, suggest
from sfumato.ground.validate import any_whole, one_of, told

__all__ = [
    "Z95",
    "LinearNoise",
    "MixedNoise",
    "Population",
    "PureNoise",
    "ShareEstimates",
    "ShareNoise",
    "known_population",
]

Population: TypeAlias = Literal["fixed", "sampled"]

Z95 = 1.959963984540054
_SHOWN = 20


def known_population(population: Any) -> str:
    """Check the word for whom the estimates speak of."""
    return one_of("population", population, ("fixed", "sampled"))


class ShareNoise(ABC):
    """What the errors of estimated shares are like among a fixed set of people."""

    half_report: float = 0.0
    """By how much half a report more or less moves a share, times the number of reports; 0 where steps are small."""

    @abstractmethod
    def covariance(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The covariance of the estimates, times the number of reports, where these are the true shares."""

    @abstractmethod
    def variances(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Its diagonal."""

    @abstractmethod
    def lines(self, shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each variance as a line in its own share: where it is 0, and the slope, the other shares in proportion."""


class PureNoise(ShareNoise):
    """The errors under a pure protocol: reports support the true value with p, another with q, and pairs of them."""

    def __init__(self, p: float, q: float, mine_and_other: float, others: float) -> None:
        self.p, self.q = p, q
        self.half_report = 0.5 / abs(p - q)
        self._mine = (mine_and_other - p * q) / (p - q) ** 2
        self._others = (others - q * q) / (p - q) ** 2

    def covariance(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The covariance of the estimates, times the number of reports, where these are the true shares."""
        pairs = shares[:, None] + shares[None, :]
        covariance = pairs * self._mine + (1.0 - pairs) * self._others
        np.fill_diagonal(covariance, self.variances(shares))
        return covariance

    def variances(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Its diagonal."""
        start, slope = self.lines(shares)
        return start + slope * shares

    def lines(self, shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each variance as a line in its own share: where it is 0, and the slope."""
        p, q = self.p, self.q
        ones = np.ones_like(shares)
        return ones * (q * (1 - q) / (p - q) ** 2), ones * ((1 - p - q) / (p - q))


class MixedNoise(ShareNoise):
    """Errors whose covariance is that of every value, mixed by the shares; `of_value` has their variances.

    It has a row for each value and a column for each share: n times the variance, if everybody had that value.
    """

    def __init__(self, of_value: NDArray[np.float64]) -> None:
        self._of_value = of_value

    def variances(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Its diagonal."""
        return np.asarray(shares @ self._of_value)

    def lines(self, shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each variance as a line in its own share: where it is 0, and the slope, the other shares in proportion."""
        others = self.variances(shares) - shares * np.diag(self._of_value)
        rest = np.maximum(1.0 - shares, 1e-12)
        even = (self._of_value.sum(axis=0) - np.diag(self._of_value)) / max(len(shares) - 1, 1)
        start = np.where(1.0 - shares > 1e-9, others / rest, even)
        return start, np.diag(self._of_value) - start


class LinearNoise(MixedNoise):
    """The errors of weights times counts of reports, where a report has a law of its own for every value.

    `laws` has a row of probabilities of reports for each value, `weights` a row of weights of reports for each share.
    """

    def __init__(self, laws: NDArray[np.float64], weights: NDArray[np.float64]) -> None:
        self._weights = weights
        self._laws = laws
        means = laws @ weights.T
        self.half_report = 0.5 * float(np.ptp(weights, axis=1).min())
        super().__init__(laws @ (weights**2).T - means**2)

    def covariance(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The covariance of the estimates, times the number of reports, where these are the true shares."""
        mixed = np.diag(shares @ self._laws) - (self._laws * shares[:, None]).T @ self._laws
        return np.asarray(self._weights @ mixed @ self._weights.T)


class ShareEstimates(SaysWhatMethodsTake, Mapping[Any, Answer]):
    """The share of each value, by value: an answer with an unbiased `value`, its `stderr`, and a 95% interval.

    `shares` are the unbiased values as an array. `covariance()` is exact but for the shares that are put into it.
    `distribution()` is what to show: shares from 0 to 1 that sum to 1. They are made from `values`, the unbiased
    `shares` of `n` reports, their `noise`, the `population` they speak of, and the randomizer that they are `of`.

    >>> from sfumato import collection
    >>> asked = collection.KaryResponse(values=["a", "b", "c"], epsilon=1.0)
    >>> found = asked.estimate(asked.randomize(["a"] * 900 + ["b"] * 100, seed=7))
    >>> found["a"].low < 0.9 < found["a"].high
    True
    """

    def __init__(
        self, values: Sequence[Any], shares: NDArray[np.float64], n: int, noise: ShareNoise,
        population: str = "fixed", *, of: str = "",
    ) -> None:  # fmt: skip
        self.values_asked = tuple(values)
        self.shares = shares
        self.n = n
        self.population = population
        self._noise = noise
        self._of = of
        self._place = {value: i for i, value in enumerate(self.values_asked)}
        self._drawn = 1.0 if population == "sampled" else 0.0
        self._likely = norm_sub(shares)
        self._set_errors()

    def among(self, people: int) -> ShareEstimates:
        """The same shares of a fixed set of `people`, of whom those who answered were drawn at random."""
        wider = copy(self)
        wider._drawn = 1.0 - self.n / any_whole("people", people, least=self.n)
        wider._set_errors()
        return wider

    def _set_errors(self) -> None:
        """Work out errors and intervals; `_drawn` is the share of f (1 - f) that is added for drawing people."""
        likely = self._likely
        variances = self._noise.variances(likely) + self._drawn * likely * (1 - likely)
        self._stderr = np.sqrt(np.maximum(variances, 0.0) / self.n)
        self._low, self._high = self._interval()

    def __getitem__(self, value: Any) -> Answer:
        """The estimated share of a value."""
        if not isinstance(value, Hashable) or value not in self._place:
            known = ", ".join(map(str, self.values_asked[:_SHOWN]))
            raise UnknownNameError(f"no value is called {told(value)}{suggest(str(value), [known])}")
        i = self._place[value]
        return Answer(
            f"share of {value}", float(self.shares[i]), float(self._low[i]), float(self._high[i]), False,
            float(self._stderr[i]), self.n, self.n,
        )  # fmt: skip

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values_asked)

    def __len__(self) -> int:
        return len(self.values_asked)

    def covariance(self) -> NDArray[np.float64]:
        """The covariance matrix of the shares, with the shares of `distribution()` put into its formula."""
        fixed = self._noise.covariance(self._likely)
        people = np.diag(self._likely) - np.outer(self._likely, self._likely)
        return np.asarray((fixed + self._drawn * people) / self.n)

    def distribution(self) -> dict[Any, float]:
        """Shares from 0 to 1 that sum to 1, nearest to the unbiased ones (norm-sub): to be shown, not to be added up.

        They are biased, towards all values alike where reports are few; intervals are those of the unbiased shares.
        """
        return dict(zip(self.values_asked, self._likely.tolist(), strict=True))

    def to_polars(self) -> pl.DataFrame:
        """A row for each value: the unbiased share, its standard error and interval, and the share to be shown."""
        return pl.DataFrame(
            {
                "value": pl.Series(list(self.values_asked), strict=False), "share": self.shares, "stderr": self._stderr,
                "low": self._low, "high": self._high, "shown": self._likely,
            }
        )  # fmt: skip

    def to_dict(self) -> list[dict[str, Any]]:
        """A row for each value, as plain data."""
        return self.to_polars().to_dicts()

    def _interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All shares f from 0 to 1 with (estimate - f)^2 <= z^2 variance(f); the variance is quadratic in f.

        For an estimate below 0 the upper end is that of 0, and for one above 1 the lower end that of 1: an interval
        of no width would claim more than is known. An estimate within half a report of 0 or 1 holds that end.
        """
        start, slope = self._noise.lines(self._likely)
        z2 = Z95**2 / self.n
        square = 1.0 + z2 * self._drawn

        def end(shares: NDArray[np.float64], side: float) -> NDArray[np.float64]:
            linear = -(2.0 * shares + z2 * (slope + self._drawn))
            reach = np.sqrt(np.maximum(linear**2 - 4.0 * square * (shares**2 - z2 * start), 0.0))
            return np.asarray(np.clip((-linear + side * reach) / (2.0 * square), 0.0, 1.0))

        half = self._noise.half_report / self.n  # reports are whole, and so are the steps between estimates
        below, above = self.shares - half, self.shares + half
        low, high = end(np.minimum(below, 1.0), -1.0), end(np.maximum(above, 0.0), 1.0)
        return np.where(below <= 0.0, 0.0, low), np.where(above >= 1.0, 1.0, high)

    def __repr__(self) -> str:
        order = np.argsort(-self.shares, kind="stable")[:_SHOWN]
        shown = [str(self[self.values_asked[i]]) for i in order]
        more = [f"... and {len(self) - _SHOWN:,} more"] if len(self) > _SHOWN else []
        whom = "of those who answered" if self.population == "fixed" else "of all whom they were drawn from"
        return fit_screen("\n".join([f"shares {whom}, from {self.n:,} reports of {self._of}", *shown, *more]))

    def _repr_html_(self) -> str:
        order = np.argsort(-self.shares, kind="stable")[:_SHOWN]
        rows = [
            (str(self.values_asked[i]), f"{self.shares[i]:.4f}", f"{self._low[i]:.4f} to {self._high[i]:.4f}")
            for i in order
        ]  # fmt: skip
        more = small(f"and {len(self) - _SHOWN:,} more") if len(self) > _SHOWN else ""
        return card(f"{self.n:,} reports", grid(("value", "share", "95% interval"), rows, numbers=(1,)), more)
