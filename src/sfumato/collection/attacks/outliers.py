"""Tails: who lies far out is recognized under any noise, and reports beyond the bounds narrow the answer down.

Noise that is large beside the bulk of the answers is small beside one that lies far out. And where answers have bounds
and noise has too, a report beyond the bounds leaves few answers: uniform noise from -1 to 1 on answers from 0 to 1
turns a report of 1.9 into an answer from 0.9 to 1. So answers are clipped to public bounds before anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.attacks.report_attack import STUDY, ReportAttack, beside, check_noise
from sfumato.contracts.attack import Attacked, Success, share_success
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import finite, one_of, whole

__all__ = ["Outliers", "likely_width", "possible_width"]

Distribution: TypeAlias = Literal["uniform", "normal", "laplace"]
_LIKELY = 0.95
_STEPS = 100
_FARTHEST = 30.0


@dataclass(frozen=True)
class Outliers(ReportAttack):
    """Knows the bounds `low` and `high` of the answers, and the standard deviation and `distribution` of the `noise`.

    `people` is how many of those who lie farthest out are looked for among the reports that do.

    >>> from sfumato import collection
    >>> from sfumato.ground.randomness import Randomness
    >>> random = Randomness(1)
    >>> true = random.normal(10_000)
    >>> true[0] = 20.0
    >>> attack = collection.Outliers(low=-4, high=4, noise=2.0, distribution="normal")
    >>> attack.run(true + 2 * random.normal(10_000), true)["recognized"].value
    1.0
    """

    low: float
    high: float
    noise: float
    distribution: Distribution = "uniform"
    people: int = 1

    def __post_init__(self) -> None:
        """Check the bounds and the noise."""
        finite("low", self.low, asked="a number")
        finite("high", self.high, asked="a number")
        if not self.low < self.high:
            raise ParameterError(f"low must be below high, got {self.low} and {self.high}")
        finite("noise", self.noise, asked="a standard deviation above 0", above=0.0)
        one_of("distribution", self.distribution, get_args(Distribution))
        whole("people", self.people, least=1)

    def run(self, reports: Any, original: Any) -> Attacked:
        """Look at the `reports` that lie farthest out, and compare with the `original` answers."""
        shown, true = beside(reports, original, least=1)
        if shown.shape[1] != 1:
            raise DataError(f"Outliers looks at one column, got {shown.shape[1]}; give them one after another")
        z, x, span = shown[:, 0], true[:, 0], self.high - self.low
        check_noise(shown, true, np.array([self.noise]))
        if self.people > len(z):
            raise ParameterError(f"people must be at most {len(z):,}, the number of reports, got {self.people:,}")
        far = z[np.argmax(np.abs(z - (self.low + self.high) / 2))]
        out, seen = _farthest(x, self.people), _farthest(z, self.people)
        found = {
            "beyond": share_success(
                (z < self.low) | (z > self.high), 0.0, "reports that lie beyond the bounds of the answers"
            ),
            "likely_width": _width(
                likely_width(float(far), self), _LIKELY * span, "the narrowest range that has an answer with 95%"
            ),
            "possible_width": _width(
                possible_width(float(far), self), span, "the narrowest range outside of which an answer is impossible"
            ),
            "recognized": share_success(
                np.isin(out, seen), self.people / len(z), "people far out who are so by their reports, too"
            ),
        }
        outside = int(((x < self.low) | (x > self.high)).sum())
        said = f"{outside:,} answers lie beyond the bounds; clip them before anything is added to them"
        return Attacked(self, found, (STUDY, said) if outside else (STUDY,))


def _farthest(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The places of the values farthest from the median."""
    return np.argsort(-np.abs(values - np.median(values)), kind="stable")[:count].astype(np.int64)


def _width(value: float, baseline: float, meaning: str) -> Success:
    return Success(value, None, None, baseline, meaning, "number")


def possible_width(report: float, known: Outliers) -> float:
    """The width of the answers within the bounds that can have such a report."""
    reach = known.noise * np.sqrt(3.0) if known.distribution == "uniform" else np.inf
    return float(max(min(known.high, report + reach) - max(known.low, report - reach), 0.0))


def likely_width(report: float, known: Outliers) -> float:
    """The width of the narrowest range that has the answer with 95%, all answers within the bounds alike before.

    Answers are the likelier the nearer they are to the report, so that it is those nearer than some distance. The width
    falls as a report lies farther out; beyond 30 standard deviations that of 30 is told.
    """
    reach = _FARTHEST * known.noise
    report = min(max(report, known.low - reach), known.high + reach)
    mass = _MASSES[known.distribution]
    farthest, nearest = report - known.low, report - known.high

    def within(distance: float) -> tuple[float, float]:
        return max(nearest, -distance), min(farthest, distance)

    least, most = 0.0, max(abs(nearest), abs(farthest))
    whole_mass = mass(nearest / known.noise, farthest / known.noise)
    for _ in range(_STEPS):
        middle = (least + most) / 2
        a, b = within(middle)
        enough = mass(a / known.noise, b / known.noise) >= _LIKELY * whole_mass
        least, most = (least, middle) if enough else (middle, most)
    a, b = within(most)
    return max(b - a, 0.0)


def _uniform_mass(a: float, b: float) -> float:
    reach = float(np.sqrt(3.0))
    return (max(min(b, reach), -reach) - max(min(a, reach), -reach)) / (2 * reach)


def _normal_mass(a: float, b: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(-a) - ndtr(-b)) if a > 0 else float(ndtr(b) - ndtr(a))


def _laplace_mass(a: float, b: float) -> float:
    low, high = a * np.sqrt(2.0), b * np.sqrt(2.0)
    if low > 0 or high < 0:
        near, far = sorted((abs(low), abs(high)))
        return float(np.exp(-near) - np.exp(-far)) / 2
    return float(2 - np.exp(low) - np.exp(-high)) / 2


_MASSES: dict[str, Callable[[float, float], float]] = {
    "uniform": _uniform_mass, "normal": _normal_mass, "laplace": _laplace_mass,
}  # fmt: skip
"""The probability of noise of standard deviation 1 between two numbers."""
