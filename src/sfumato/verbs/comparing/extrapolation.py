"""From samples to the whole table: figures that follow a power law of the rows, each with an interval.

Among more rows a record finds nearer neighbours, and losses fall: a sample is biased, and not only noisy. Through the
figures of three sizes goes a power law, once it is allowed for that records repeat each other. How wide an interval
must be was measured on tables whose whole is held (`benchmarks/extrapolation.py`): it grows with each
doubling, and with the bend of the three figures. What does not follow such a law is not extrapolated, nor are tables
that are not like those (`likeness.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sfumato.verbs.comparing.repeats import Copies

__all__ = [
    "CONFIDENCE", "RATIO_WIDTH", "WIDTHS", "Estimate", "Law", "Width", "estimates_of", "laws_of", "power_law",
    "ratio_of",
]  # fmt: skip

CONFIDENCE = 0.9
"""How often the interval is to hold the figure of the whole table."""
_MOST_DOUBLINGS = 4.0
"""Farther than that nothing was measured."""
_MOST_BEND = 0.3
_ROUNDING = 1e-9
_FEWEST_CLASSES = 0.25
"""Below this share of the classes that there could be, a partition is coarse, and its figures move in steps."""


@dataclass(frozen=True)
class Estimate:
    """A figure of the whole table as samples tell it: a value, and between what it lies in nine cases of ten."""

    value: float
    low: float
    high: float

    def at_least(self, bound: float) -> Estimate | None:
        """What is left of it at a bound or above, where the figure is known to be; None where nothing is."""
        return Estimate(max(self.value, bound), max(self.low, bound), self.high) if self.high >= bound else None


@dataclass(frozen=True)
class Width:
    """Half an interval as a logarithm: `steady` and `bent` times the bend for each doubling, `filled` for copies."""

    steady: float
    bent: float
    filled: float = 0.0


@dataclass(frozen=True)
class Law:
    """A figure of the whole table by a power law, how that bends, and how often the rows were doubled to reach it.

    `filling` is how much of the way, as a logarithm, goes without the law, by copies that were counted.
    """

    value: float
    bend: float
    doublings: float
    filling: float = 0.0

    def within(self, width: Width, most: float = math.inf) -> Estimate:
        """The value with an interval of this width, none of it above `most`."""
        half = self.doublings * (width.steady + width.bent * self.bend) + width.filled * self.filling
        factor = math.exp(half)
        return Estimate(*(min(each, most) for each in (self.value, self.value / factor, self.value * factor)))


WIDTHS = {"gcp": Width(0.07, 0.7, 0.3), "prosecutor_average": Width(0.03, 1.0)}
"""The figures that are extrapolated, the loss and the chance to be found, and how wide their intervals must be."""
RATIO_WIDTH = Width(0.075, 0.5)
"""How wide that of the ratio of two losses is."""


def power_law(sizes: Sequence[float], values: Sequence[float], n_rows: float) -> Law:
    """The power law through three values, at `n_rows`; its bend is the change of the exponent between halvings.

    The exponent is that between the two larger sizes and, by half as much, that between the two smaller ones.
    """
    (x0, x1, x2), (y0, y1, y2) = map(math.log, sizes), map(math.log, values)
    late, early = (y0 - y1) / (x0 - x1), (y1 - y2) / (x1 - x2)
    farther = math.log(n_rows) - x0
    value = math.exp(y0 + (2 * late + early) / 3 * farther)
    return Law(value, abs(late - early) * math.log(2), farther / math.log(2))


def laws_of(samples: Sequence[Mapping[str, float]], copies: Sequence[Copies], whole: Copies, k: int) -> dict[str, Law]:
    """The figures that can be told for the whole table, from those of three samples, the largest first.

    `copies` are those of the samples and `whole` those of the table; `k` is the size of the smallest class. Losses fall
    like a power of the rows times the root of what the copies of a row leave wanting in its class. Classes are those
    that k copies form and, of the other rows, a share that follows a power law.
    """
    sizes, alone = [each.n_rows for each in copies], [each.share_alone(k) for each in copies]
    wanting = [each.wanting(k) for each in copies]
    risks = [sample.get("prosecutor_average", 0.0) for sample in samples]
    if min(*alone, whole.share_alone(k)) <= 0 or max(risks) * k > 1 + _ROUNDING:  # these are no classes of k
        return {}
    apart = [(risk - each.classes(k)) / share for risk, each, share in zip(risks, copies, alone, strict=True)]
    if min(apart) * k < _FEWEST_CLASSES or math.log2(whole.n_rows / sizes[0]) > _MOST_DOUBLINGS:
        return {}
    found = {}
    losses = [sample.get("gcp", 0.0) for sample in samples]
    if min(losses) > 0:
        law = power_law(
            sizes, [loss / math.sqrt(want) for loss, want in zip(losses, wanting, strict=True)], whole.n_rows
        )
        filling = math.log(wanting[0] / whole.wanting(k)) / 2
        found["gcp"] = replace(law, value=law.value * math.sqrt(whole.wanting(k)), filling=abs(filling))
    law = power_law(sizes, apart, whole.n_rows)
    found["prosecutor_average"] = replace(law, value=law.value * whole.share_alone(k) + whole.classes(k))
    return {name: law for name, law in found.items() if law.bend <= _MOST_BEND}


def estimates_of(
    samples: Sequence[Mapping[str, float]], copies: Sequence[Copies], whole: Copies, k: int
) -> dict[str, Estimate]:
    """The figures of `laws_of`, each with its interval; no loss is above 1, no chance above 1 in k."""
    most = {"gcp": 1.0, "prosecutor_average": 1 / k}
    laws = laws_of(samples, copies, whole, k)
    return {name: law.within(WIDTHS[name], most[name]) for name, law in laws.items()}


def ratio_of(sizes: Sequence[int], ones: Sequence[float], others: Sequence[float], n_rows: int) -> Law | None:
    """How many times as large a figure of one method is as that of another, which saw the same samples."""
    if min(*ones, *others) <= 0:
        return None
    return power_law(sizes, [one / other for one, other in zip(ones, others, strict=True)], n_rows)
