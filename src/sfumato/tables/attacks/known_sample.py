"""Somebody who knows some records and their published rows, and works out how all the others were turned.

A rotation, a scaling or any other linear map of numbers is the same for every record, so that a few known ones give it
away (Liu, Giannella & Kargupta, PKDD 2006; Guo & Wu, PAKDD 2007). `"affine"` fits any linear map and a shift by least
squares, and needs one record more than there are columns. `"rotation"` takes the map for a rotation of standardised
values (orthogonal Procrustes: Schönemann, Psychometrika 31, 1966), needs as many records as columns, and is told the
mean and the standard deviation of every column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.attack import Attack, Attacked, Success, mean_success, share_success
from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, one_of, whole
from sfumato.tables.attacks.changed_numbers import changed_numbers
from sfumato.tables.attacks.targets import OWNER

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["KnownSampleAttack"]

Map: TypeAlias = Literal["affine", "rotation"]


@dataclass(frozen=True)
class KnownSampleAttack(Attack):
    """Knows some records, drawn at random, with their published rows: `known` of them, by default two for each column.

    A value is recovered if it is estimated `within` this share of its column's range. `by` is the map that is fitted.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> release = sf.publish(numbers, sf.RotationPerturbation(), seed=1)
    >>> "recovered" in sf.attack(release, sf.KnownSampleAttack())
    True
    """

    known: int | None = None
    within: float = 0.01
    by: Map = "affine"

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.known is not None:
            whole("known", self.known, least=1)
        finite("within", self.within, asked="a number above 0 and at most 1", above=0, high=1)
        one_of("by", self.by, get_args(Map))

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Fit the map to the known records, and undo it for the others."""
        progress.step("asking around")
        numbers = changed_numbers(release, original, None, type(self).__name__)
        n, d = numbers.true.shape
        known = self.known if self.known is not None else 2 * d
        if known >= n:
            raise ParameterError(f"known must leave somebody to be found: at most {n - 1:,} here, got {known:,}")
        order = random.spawn("known").permutation(n)
        mine, others = order[:known], order[known:]
        progress.step("fitting the map")
        if self.by == "affine":
            estimate = _fit_affine(numbers.shown, numbers.true[mine], mine)
        else:
            estimate = _fit_rotation(numbers.shown, numbers.true, mine)
        progress.step("recovering values")
        spans = np.maximum(numbers.spans, 1e-300)
        true, middle = numbers.true[others], np.median(numbers.true[mine], axis=0)
        off, guess = np.abs(estimate[others] - true) / spans, np.abs(middle - true) / spans
        as_is = np.abs(numbers.shown[others] - true) / spans
        share = f"{self.within:.2g} of the range"
        found = {
            "recovered": share_success(
                np.asarray((off <= self.within).all(axis=1)), float((guess <= self.within).all(axis=1).mean()),
                f"people all of whose numbers are known to within {share}",
            ),
            "values": mean_success(
                (off <= self.within).mean(axis=1), float((guess <= self.within).mean()),
                f"numbers that are known to within {share}",
            ),
            "values_published": mean_success(
                (as_is <= self.within).mean(axis=1), float((guess <= self.within).mean()),
                f"numbers that are published within {share} of the truth",
            ),
            "error": _error(off, guess),
        }  # fmt: skip
        notes = (OWNER, f"the adversary knew {known:,} of {n:,} records and their rows, in {d} columns")
        return Attacked(self, found, notes)


def _fit_affine(shown: NDArray[np.float64], true: NDArray[np.float64], mine: NDArray[np.int64]) -> NDArray[np.float64]:
    """Estimates of all records by the linear map and shift that fit the known ones (`mine`) best in least squares."""
    scaled = (shown - shown.mean(axis=0)) / np.maximum(shown.std(axis=0), 1e-300)
    design = np.column_stack([np.ones(len(scaled)), scaled])
    fitted, *_ = np.linalg.lstsq(design[mine], true, rcond=None)
    return np.asarray(design @ fitted)


def _fit_rotation(
    shown: NDArray[np.float64], true: NDArray[np.float64], mine: NDArray[np.int64]
) -> NDArray[np.float64]:  # fmt: skip
    """Estimates of all records by the rotation, scale and shift that fit the known ones (`mine`) best."""
    mean, spread = true.mean(axis=0), np.maximum(true.std(axis=0), 1e-300)
    target = (true[mine] - mean) / spread
    centre = shown.mean(axis=0)
    seen = shown - centre
    scale = np.sqrt((seen**2).sum() / max(len(seen) * shown.shape[1], 1))
    seen = seen / max(float(scale), 1e-300)
    left, _, right = np.linalg.svd(seen[mine].T @ target)
    return np.asarray(mean + spread * (seen @ (left @ right)))


def _error(off: NDArray[np.float64], guess: NDArray[np.float64]) -> Success:
    squares = mean_success((off**2).mean(axis=1), float((guess**2).mean()), "", "number")
    assert squares.low is not None
    assert squares.high is not None
    return Success(
        float(np.sqrt(squares.value)), float(np.sqrt(squares.low)), float(np.sqrt(squares.high)),
        float(np.sqrt(squares.baseline)), "error of the numbers worked out, as a share of their range", "share",
    )  # fmt: skip
