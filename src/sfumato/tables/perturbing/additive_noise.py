"""AdditiveNoise: every value plus a random number.

Agrawal & Srikant, "Privacy-preserving data mining", SIGMOD 2000: the method that pattern preservation is compared with
in Xue's thesis (National University of Singapore, 2012, section 5.7.2), at equal distortion. It is here for that
comparison. It promises nothing: noise that hides a record among many leaves one that stands apart where it was.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.numbers import quasi_numbers
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.progress import Progress, Share, portion
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, one_of
from sfumato.privacy.promise import Promise

__all__ = ["AdditiveNoise"]

Distribution = Literal["uniform", "normal"]

_DISTRIBUTIONS: tuple[str, ...] = get_args(Distribution)
_HALVINGS = 60


@dataclass(frozen=True)
class AdditiveNoise(Method):
    """Add independent noise to every number and date among the quasi-identifiers.

    `scale` is a share of the column's range in the data: the half-width of `uniform` noise, the standard deviation of
    `normal`. In its place `distortion` may say how far values should move on average, as a share of their range; the
    scale is then the greatest that moves them no further. Integers are rounded to integers and dates to days. A
    missing value stays missing, a column with one value stays as it is, and values may leave the bounds of the schema.

    `distribution` is `uniform` or `normal`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.AdditiveNoise(0.1), seed=1)
    Release(40 rows, AdditiveNoise, None is declared)
    """

    example = "distortion = 0.1"
    compared = ("distortion = 0.05", "distortion = 0.1", "distortion = 0.2", "distortion = 0.5")

    scale: float | None = None
    distribution: Distribution = "uniform"
    distortion: float | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        if (self.scale is None) == (self.distortion is None):
            raise ParameterError(
                f"give one of scale and distortion, got scale={self.scale!r} and distortion={self.distortion!r}"
            )
        for name in ("scale", "distortion"):
            given = getattr(self, name)
            if given is not None:
                finite(name, given, asked="a number above 0", above=0.0)
        one_of("distribution", self.distribution, _DISTRIBUTIONS)

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Draw the noise, find its scale, add it; the published rows come in random order."""
        schema = table.schema
        quasi_numbers(table, type(self).__name__)
        kept = table.complete
        if not len(kept):
            raise DataError("there is no complete record to publish; declare missing = 'value', or give records")
        part = table if len(kept) == len(table) else table.rows(kept)
        progress.step("adding noise")
        columns = []
        for i, name in enumerate(schema.quasi):
            progress.share(0.5 * i / len(schema.quasi))
            columns.append(_NoisyColumn(part.frame[name], self._unit_noise(len(part), random.spawn(name))))
        scale = self.scale
        if scale is None:
            scale = _scale_for(float(self.distortion or 0.0), columns, portion(progress.share, 0.5, 1.0))
        progress.step("arranging rows")
        arrangement = random.spawn("arrangement").permutation(len(part))
        published = {column.name: column.series(scale).gather(arrangement) for column in columns}
        others = [name for name in table.columns if schema.role(name) in ("sensitive", "plain")]
        published |= {name: part.frame[name].gather(arrangement) for name in others}
        frame = pl.DataFrame([published[name] for name in table.columns if name in published])
        public: dict[str, Any] = {
            "forms": dict.fromkeys(schema.quasi, "substitute"),
            "noise": {"distribution": self.distribution, "scale": scale},
        }
        if len(kept) < len(table):
            public["withheld_rows"] = len(table) - len(kept)
        return Outcome(frame=frame, rows=kept[arrangement], public=public)

    def _unit_noise(self, n: int, random: Randomness) -> NDArray[np.float64]:
        """Draw noise of scale 1."""
        return random.normal(n) if self.distribution == "normal" else 2.0 * random.uniform(n) - 1.0


class _NoisyColumn:
    """A column and the noise drawn for it, not yet scaled."""

    def __init__(self, original: pl.Series, noise: NDArray[np.float64]) -> None:
        self.name = original.name
        self._original = original
        self._numbers = original.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
        self.known = ~np.isnan(self._numbers)
        known = self._numbers[self.known]
        self.span = float(np.ptp(known)) if known.size else 0.0
        self._noise = self.span * noise
        self._whole = not original.dtype.is_float()

    def values(self, scale: float) -> NDArray[np.float64]:
        """The published values at this scale, as numbers; NaN where missing."""
        values = self._numbers + scale * self._noise
        return np.rint(values) if self._whole else values

    def distance(self, scale: float) -> float:
        """How far the values move in all: the sum of |t - t'| as a share of the range."""
        if self.span == 0.0:
            return 0.0
        return float(np.abs(self.values(scale) - self._numbers)[self.known].sum()) / self.span

    def series(self, scale: float) -> pl.Series:
        """The published values at this scale, in the column's own type; integers that do not fit it become Int64."""
        if self.span == 0.0:
            return self._original
        numbers = pl.Series(self.name, self.values(scale)).fill_nan(None)
        if not self._whole:
            return numbers
        dtype = self._original.dtype
        try:
            whole = numbers.cast(pl.Int64)
            if not dtype.is_temporal():
                fitting = whole.cast(dtype, strict=False)
                return fitting if fitting.null_count() == whole.null_count() else whole
            dates = whole.cast(dtype)
            years = dates.dt.year()
            if years.is_between(dt.MINYEAR + 1, dt.MAXYEAR - 1).all():  # a time zone may add a day
                return dates
        except pl.exceptions.PolarsError:
            pass
        raise ParameterError(f"noise of scale {scale:g} takes column {self.name!r} out of what its type can hold")


def _scale_for(wanted: float, columns: list[_NoisyColumn], share: Share) -> float:
    """The largest scale, for the noise that was drawn, at which values move by no more than `wanted` on average.

    The noise is the same for every scale, so that the distortion never falls when the scale grows.
    """
    n_entries = sum(int(column.known.sum()) for column in columns)

    def distortion(scale: float) -> float:
        return sum(column.distance(scale) for column in columns) / n_entries

    if all(column.span == 0.0 for column in columns):
        raise ParameterError("every column has one value only, and noise is a share of their range; give a scale")
    low, high = 0.0, wanted
    while distortion(high) <= wanted:
        share(0.0)
        low, high = high, 2.0 * high
    for turn in range(_HALVINGS):
        share(turn / _HALVINGS)
        middle = (low + high) / 2.0
        low, high = (middle, high) if distortion(middle) <= wanted else (low, middle)
    return low
