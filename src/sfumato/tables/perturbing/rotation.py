"""RotationPerturbation: records turned as a whole, so that only their distances stay.

Chen & Liu, "Privacy preserving data classification with rotation perturbation", ICDM 2005. The columns are brought to
mean 0 and deviation 1 and multiplied by a random orthogonal matrix, uniform among all (the QR decomposition of normal
numbers, Mezzadri 2007). Whatever learns from distances alone, such as nearest neighbours or clustering, learns the
same; what a single column said is gone. It promises nothing.

Whole numbers, days and round amounts lie on a grid, and a rotated grid shows how it was rotated. So every such value is
moved at random within its step of the grid before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.numbers import as_numbers, quasi_numbers
from sfumato.data.table import Table
from sfumato.ground.errors import SchemaError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite
from sfumato.privacy.promise import Promise
from sfumato.published.tables.exact_numbers import unit_of
from sfumato.tables.condensing.extremes import refuse_extremes
from sfumato.tables.perturbing.shared import complete_numbers, complete_part, outcome_of, random_order

__all__ = ["RotationPerturbation", "orthogonal"]


@dataclass(frozen=True)
class RotationPerturbation(Method):
    """Rotate the quasi-identifiers, which must be numbers or dates, after each is brought to deviation 1.

    A column whose values lie on a grid, as whole numbers and dates do, gets uniform jitter within a step of it.
    `noise` is the deviation of normal noise that is added, in units of the columns' own; without any, distances between
    records are kept but for the jitter. The matrix, the means and the deviations are not published. No protection by
    itself: who knows some records, or how a column is distributed, can turn everybody back.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.RotationPerturbation(), seed=1)
    Release(40 rows, RotationPerturbation, None holds)
    """

    noise: float = 0.0

    def __post_init__(self) -> None:
        """Check the noise."""
        finite("noise", self.noise, asked="a number >= 0", low=0.0)

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Standardise, rotate, add noise; the published rows come in random order."""
        names = quasi_numbers(table, "RotationPerturbation")
        if len(names) < 2:
            raise SchemaError(f"column {names[0]!r} alone cannot be rotated; declare two quasi-identifiers or more")
        part, kept = complete_part(table)
        complete_numbers(part, names, "RotationPerturbation")
        progress.step("rotating")
        numbers = np.array([as_numbers(part.frame[name]) for name in names])
        for name, line in zip(names, numbers, strict=True):
            refuse_extremes(name, line, "RotationPerturbation")
        units = [
            unit_of(line, temporal=part.frame[name].dtype.is_temporal())
            for name, line in zip(names, numbers, strict=True)
        ]
        progress.share(0.3)
        spread = numbers.std(axis=1, keepdims=True)
        centred = numbers - numbers.mean(axis=1, keepdims=True)
        jitter = random.spawn("jitter").uniform(numbers.size).reshape(numbers.shape) - 0.5
        centred += np.array(units)[:, None] * jitter
        points = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
        progress.share(0.6)
        turned = _turned(orthogonal(len(names), random.spawn("rotation")), points)
        if self.noise:
            turned += self.noise * random.spawn("noise").normal(turned.size).reshape(turned.shape)
        changed = {name: pl.Series(name, line) for name, line in zip(names, turned, strict=True)}
        progress.step("arranging rows")
        jittered = [name for name, unit in zip(names, units, strict=True) if unit]
        public = {"rotation": {"columns": names, "noise": float(self.noise), "jitter": jittered}, "moved": names}
        return outcome_of(table, kept, changed, public, random_order(len(part), random))


def orthogonal(n: int, random: Randomness) -> NDArray[np.float64]:
    """An orthogonal matrix, uniform among all of its size.

    By Gram and Schmidt, twice, with exact sums: a library of linear algebra adds up in an order that depends on the
    processor, and a seed would repeat a release on one machine and not on another.
    """
    normal = random.normal(n * n).reshape(n, n)
    found: list[NDArray[np.float64]] = []
    for c in range(n):
        column = normal[:, c].copy()
        for other in (*found, *found):
            column = column - math.fsum(column * other) * other
        found.append(column / math.sqrt(math.fsum(column * column)))
    return np.stack(found, axis=1)


def _turned(matrix: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The product of both, added up in one order on every machine."""
    turned = np.zeros_like(points)
    for c in range(len(points)):
        turned += matrix[:, c : c + 1] * points[c]
    return turned
