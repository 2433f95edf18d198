"""UncertainPublication: every record is published as a density around a point that is not its own.

Aggarwal, "On unifying privacy and uncertain data models", ICDE 2008. A point is drawn around the record and published
with the density it was drawn from, now centred at that point. A record fits the density as well as its density at the
record says. The spread is the least, record by record, at which the number of records that fit at least as well as the
true one is k in expectation (over the draw; the true one counts). Whatever can use uncertain data can use the release.

Whoever knows all records could work out the spread of each and look for it in the release. So spreads are rounded up
to powers of the square root of 2, which leaves neighbours with the same. They are in units of a column's deviation,
which is rounded up to two digits so that spreads do not tell it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.numbers import as_numbers, from_numbers, quasi_numbers
from sfumato.data.table import Table
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.progress import Progress, Share
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import one_of, whole
from sfumato.privacy.expected_anonymity import ExpectedAnonymity
from sfumato.privacy.promise import Promise
from sfumato.published.tables.exact_numbers import two_digits_up
from sfumato.tables.condensing.extremes import refuse_extremes
from sfumato.tables.perturbing.shared import complete_numbers, complete_part, outcome_of, random_order
from sfumato.tables.perturbing.uncertain_kernels import least_levels

__all__ = ["UncertainPublication"]

Density = Literal["normal", "uniform"]
_DENSITIES: tuple[str, ...] = get_args(Density)
_FIRST_DAY, _LAST_DAY = -718_796.0, 2_932_530.0  # a year within those that dates have
_FIRST_NANOSECONDS, _LAST_NANOSECONDS = -106_000.0, 106_000.0
_AT_ONCE = 256
"""Records whose spreads are found between two signs of progress."""
_SPREADS = 2.0 ** (np.arange(-40, 41) / 2.0)


@dataclass(frozen=True)
class UncertainPublication(Method):
    """Publish every record as a `normal` density or as a `uniform` one over a box, k-anonymous in expectation.

    The quasi-identifiers must be numbers or dates; columns are brought to a deviation of about 1, and spreads are the
    same in all of them then. `files["densities"]` has the spread of every published row in the units of its column: the
    standard deviation of a normal density, half the width of a uniform one. O(n^2): 30,000 records take about half a
    minute.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.UncertainPublication(3), seed=1)
    Release(40 rows, UncertainPublication, ExpectedAnonymity(k=3) holds)
    """

    example = "k = 3"
    compared = ("k = 5", "k = 10", "k = 20", "k = 50")

    k: int
    density: Density = "normal"

    def __post_init__(self) -> None:
        """Check the parameters."""
        whole("k", self.k, least=2)
        one_of("density", self.density, _DENSITIES)

    def promise_for(self, promise: Promise | None) -> Promise | None:
        """The promise of the release: `ExpectedAnonymity`, and whatever else was asked for."""
        own = ExpectedAnonymity(self.k)
        if promise is None:
            return own
        return promise if own in promise.parts else promise & own

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Find the spreads, draw the centres; the published rows come in random order."""
        names = quasi_numbers(table, "UncertainPublication")
        part, kept = complete_part(table)
        complete_numbers(part, names, "UncertainPublication")
        n, normal = len(part), self.density == "normal"
        if n < self.k:
            raise InfeasibleError(f"k={self.k} needs at least {self.k} records and the table has {n:,}")
        progress.step("finding spreads")
        numbers = np.array([as_numbers(part.frame[name]) for name in names])
        for name, line in zip(names, numbers, strict=True):
            refuse_extremes(name, line, "UncertainPublication")
        scale = np.array([[two_digits_up(float(line.std()))] for line in numbers])
        points = (numbers - numbers.mean(axis=1, keepdims=True)) / np.where(scale > 0, scale, 1.0)
        points[scale[:, 0] == 0] = 0.0
        levels = _levels(np.ascontiguousarray(points.T), self.k, progress.share, normal=normal)
        if (levels < 0).any():
            raise InfeasibleError(
                f"among {n:,} records no {self.density} density is expected to fit {self.k} as well as its own"
                + (", as half of the others fit worse at any spread; lower k, or use density='uniform'" * normal)
                + ("; lower k" * (not normal))
            )
        spreads = _SPREADS[levels] * scale
        stream = random.spawn("centres")
        noise = stream.normal(spreads.size) if normal else 2.0 * stream.uniform(spreads.size) - 1.0
        centres = numbers + spreads * noise.reshape(spreads.shape)
        changed = {
            name: _dates(line, part.frame[name], self.k)
            if part.frame[name].dtype.is_temporal()
            else pl.Series(name, line)
            for name, line in zip(names, centres, strict=True)
        }
        progress.step("arranging rows")
        arrangement = random_order(n, random)
        densities = pl.DataFrame({
            name: line[arrangement] for name, line in zip(names, spreads, strict=True)
        })  # fmt: skip
        public = {"uncertain": {"density": self.density, "columns": names, "table": "densities"}}
        return outcome_of(table, kept, changed, public, arrangement, {"densities": densities})


def _levels(points: NDArray[np.float64], k: int, share: Share, *, normal: bool) -> NDArray[np.int64]:
    """For each record, which of `_SPREADS` it gets; -1 where none is large enough."""
    n, top = len(points), len(_SPREADS)
    levels, level = np.empty(n, dtype=np.int64), top // 2
    for first in range(0, n, _AT_ONCE):
        share(first / n)
        some = slice(first, min(first + _AT_ONCE, n))
        levels[some] = least_levels(points, _SPREADS, k, normal, some.start, some.stop, level)
        last = int(levels[some.stop - 1])  # the search goes on from there
        level = last if last >= 0 else top - 1
    return levels


def _dates(centres: NDArray[np.float64], own: pl.Series, k: int) -> pl.Series:
    """Centres as dates or times; refused where one lies outside the years that dates can have."""
    first, last = _FIRST_DAY, _LAST_DAY
    if isinstance(own.dtype, pl.Datetime) and own.dtype.time_unit == "ns":
        first, last = _FIRST_NANOSECONDS, _LAST_NANOSECONDS
    if centres.min() < first or centres.max() > last:
        raise ParameterError(
            f"densities that {k} records fit take column {own.name!r} out of the years that dates can have; lower k, "
            f"or withhold the farthest dates"
        )
    return from_numbers(centres, own)
