"""The contract of attacks on reports: true answers, which a study knows, beside what was reported of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.given import given_frame
from sfumato.contracts.attack import Adversary, Attacked
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import told

__all__ = [
    "STUDY",
    "ReportAttack",
    "beside",
    "check_noise",
    "checked_covariance",
    "covariance_of_noise",
    "given_numbers",
]

STUDY = "computed from the true answers: for a study, or a trial before anybody is asked"


_MOST_OFF = 4.0
MOST_SPREAD = 1e60
"""The largest standard deviation that is reckoned with; the inverse is the least."""


class ReportAttack(Adversary):
    """Somebody who sees all reports and knows how they were randomized."""

    sees: ClassVar[str] = "reports"

    @abstractmethod
    def run(self, reports: Any, original: Any) -> Attacked:
        """Attack `reports`, and hold what was found against the `original` answers, row by row."""


def given_numbers(value: Any, what: str) -> NDArray[np.float64]:
    """Numbers by rows and columns, from a frame of any library, an array or a list; `what` names them in messages."""
    listed = isinstance(value, (np.ndarray, list, tuple))
    try:
        numbers = np.asarray(value if listed else given_frame(value).to_numpy(), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{what} are numbers, by rows and columns, got {told(value)}") from None
    numbers = numbers[:, None] if numbers.ndim == 1 else numbers
    if numbers.ndim != 2 or not numbers.size:
        raise DataError(f"{what} are numbers, by rows and columns, got {told(value)}")
    if not np.isfinite(numbers).all():
        row = int((~np.isfinite(numbers)).any(axis=1).argmax())
        raise DataError(f"{what} have a missing or infinite number in row {row + 1}; leave the row out")
    return numbers


def beside(reports: Any, original: Any, *, least: int = 3) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Reports and true answers, by the same rows and columns."""
    shown, true = given_numbers(reports, "reports"), given_numbers(original, "original answers")
    if shown.shape != true.shape:
        raise DataError(
            f"there are {_by(shown)} reports and {_by(true)} answers (rows by columns); give as many of both"
        )
    if len(shown) < least:
        raise DataError(f"{least} reports at least are needed to learn what columns have in common, got {len(shown)}")
    return shown, true


def check_noise(shown: NDArray[np.float64], true: NDArray[np.float64], noise: NDArray[np.float64]) -> None:
    """Refuse reports that are much farther from the answers than noise of these standard deviations would take them."""
    off = np.sqrt(((shown - true) ** 2).mean(axis=0)) / noise
    if off.max() > _MOST_OFF:
        raise DataError(
            f"the reports of column {int(off.argmax()) + 1} are {off.max():.3g} times as far from the answers as the "
            f"noise that is told; give them in the unit of the answers (values_of of a randomizer of numbers), and the "
            f"noise that was added"
        )


def _by(numbers: NDArray[np.float64]) -> str:
    return f"{numbers.shape[0]:,} x {numbers.shape[1]:,}"


def covariance_of_noise(noise: Any, d: int) -> NDArray[np.float64]:
    """The covariance of noise in `d` columns, from a standard deviation, one for each column, or the matrix itself."""
    given = np.asarray(noise, dtype=np.float64)
    if given.ndim == 0:
        return np.asarray(np.eye(d) * given**2)
    if given.ndim == 1:
        given = np.diag(given**2)
    if len(given) != d:
        raise ParameterError(f"noise is told for {len(given)} columns, and there are {d}")
    return given


def checked_covariance(name: str, value: Any, *, positive: bool) -> NDArray[np.float64]:
    """A covariance matrix; where it must be `positive`, no direction has variance 0."""
    try:
        matrix = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{name} must be a covariance matrix, got {told(value)}") from None
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and matrix.size > 0
    if not square or not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12):
        raise ParameterError(f"{name} must be a symmetric matrix, a row for each column, got {told(value)}")
    if np.abs(matrix).max() > MOST_SPREAD**2:
        raise ParameterError(f"{name} must have variances of {MOST_SPREAD**2:g} at the most; take another unit")
    least, most = np.linalg.eigvalsh(matrix)[[0, -1]]
    if least < -1e-9 * max(most, 0.0) or most < 0 or (positive and least <= 1e-12 * most):
        what = "positive in every direction" if positive else "negative in no direction"
        raise ParameterError(f"{name} must be a covariance matrix, with variances that are {what}, got {least:.3g}")
    return matrix
