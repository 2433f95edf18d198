"""Response by any matrix of probabilities: a row for each answer, a column for each report.

The same idea as PRAM, at the respondent. With P[i][j] the probability of report j under answer i, the shares t of
answers and lambda of reports satisfy lambda = P^T t, so that t is estimated by the inverse of P^T, with the covariance
Q (sum of t_i (diag P_i - P_i P_i^T)) Q^T / n. A zero in the matrix rules an answer out for certain: then no epsilon is
promised, unless its column is zero everywhere.

Draws for one answer: a number below 2**53.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.categories import CategoryRandomizer, OneValueReports, checked_values
from sfumato.collection.randomizers.draws import WHOLE, Draws, decimals_of, weights_of
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.reconstruction.em import converged_em
from sfumato.collection.reconstruction.shares import LinearNoise, Population, ShareEstimates, known_population
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import is_number, told

__all__ = ["MatrixReports", "MatrixResponse", "gamma_of"]

_MOST_CONDITION = 1e8
_MOST_VALUES = 2_000


def gamma_of(weights: NDArray[Any]) -> Fraction | None:
    """The amplification of a matrix of whole numbers, a row for each answer; None where it is infinite."""
    worst = Fraction(1)
    for column in weights.T.tolist():
        most, least = max(column), min(column)
        if most and not least:
            return None
        if most:
            worst = max(worst, Fraction(most, least))
    return worst


class MatrixReports(CategoryRandomizer, register=False):
    """A randomizer whose reports are drawn from a row of weights for each answer."""

    weights: tuple[tuple[int, ...], ...]

    @property
    def law(self) -> NDArray[np.float64]:
        """The probability of each report, a row for each answer."""
        return np.array(self.weights, dtype=np.float64) / WHOLE

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        gamma = gamma_of(np.array(self.weights, dtype=object))
        why = "" if gamma is not None else "a report that some answers allow is impossible under others"
        return Privacy(gamma=gamma, why_none=why)

    @property
    def condition(self) -> float:
        """The condition of the matrix: by how much errors may grow when it is undone."""
        return float(np.linalg.cond(self.law))

    @property
    def mean_variance(self) -> float:
        """The variance of an estimated share, times the number of reports, over values that are all alike (f = 1/k)."""
        return float(self._noise().variances(np.full(self.k, 1 / self.k)).mean())

    @property
    def width(self) -> int:
        """One draw for an answer, memory for each report."""
        return 1 + len(self.weights[0])

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw a report from the row of each answer."""
        sums = np.cumsum(np.array(self.weights, dtype=np.int64), axis=1)
        return draws.places(sums[codes])[:, None]

    def estimate(self, reports: Any, *, population: Population = "fixed") -> ShareEstimates:
        """The share of each value among those who answered, from their reports: unbiased, with intervals.

        `population="fixed"` speaks of those who answered; `"sampled"` of all whom they were drawn from at random.
        """
        known_population(population)
        counts = self._counts(reports)
        shares = np.linalg.inv(self.law.T) @ (counts / counts.sum())
        return ShareEstimates(self.values, shares, int(counts.sum()), self._noise(), population, of=type(self).__name__)

    def likeliest(self, reports: Any) -> dict[Any, float]:
        """The distribution of the answers that makes the reports likeliest: to be shown, as `distribution` is."""
        shares = converged_em(self.law.T, self._counts(reports).astype(np.float64))
        return dict(zip(self.values, shares.tolist(), strict=True))

    def _counts(self, reports: Any) -> NDArray[np.int64]:
        read = self.reports_of(reports)
        if not len(read):
            raise DataError("there are no reports, so that nothing can be estimated")
        return np.bincount(read[:, 0], minlength=len(self.weights[0]))

    def _noise(self) -> LinearNoise:
        return LinearNoise(self.law, np.asarray(np.linalg.inv(self.law.T), dtype=np.float64))


@dataclass(frozen=True)
class MatrixResponse(OneValueReports, MatrixReports):
    """Report one of the `values` by the probabilities in the answer's row of a `matrix`.

    >>> from sfumato import collection
    >>> asked = collection.MatrixResponse(values=["a", "b"], matrix=[[0.8, 0.2], [0.4, 0.6]])
    >>> asked.privacy
    Privacy(epsilon 1.09861, gamma 3)
    """

    says: ClassVar[str] = "You report your answer or another one, by chances that are published."

    values: tuple[Any, ...]
    matrix: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        """Check the values and the matrix."""
        object.__setattr__(self, "values", checked_values(self.values))
        if self.k > _MOST_VALUES:
            raise ParameterError(f"a matrix takes {_MOST_VALUES:,} values at the most, got {self.k:,}")
        object.__setattr__(self, "matrix", _checked_matrix(self.matrix, self.k))
        if not self.condition < _MOST_CONDITION:
            raise ParameterError(
                "the matrix makes some answers look the same in all reports (it is singular, or nearly), so that their "
                "shares could not be told apart; give the rows other probabilities"
            )

    @property
    def weights(self) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        """Each row as whole numbers over 2**53."""
        return tuple(tuple(weights_of(decimals_of(row))) for row in self.matrix)

    @property
    def shipped(self) -> dict[str, Any]:
        """The sums of the weights of each row, and the values."""
        sums = [np.cumsum(np.array(row, dtype=np.int64)).tolist() for row in self.weights]
        return {"kind": "matrix", "sums": sums, "values": list(self.values)}


def _checked_matrix(matrix: Any, k: int) -> tuple[tuple[float, ...], ...]:
    """A matrix of k rows of k probabilities that sum to 1."""
    rows = matrix.tolist() if isinstance(matrix, np.ndarray) else matrix
    if not isinstance(rows, (list, tuple)) or len(rows) != k:
        raise ParameterError(f"matrix must have a row for each of the {k} values, got {told(matrix)}")
    checked = []
    for i, row in enumerate(rows):
        if (
            not isinstance(row, (list, tuple))
            or len(row) != k
            or not all(is_number(each) and each >= 0 for each in row)
        ):
            raise ParameterError(f"row {i + 1} of the matrix must be {k} probabilities, got {told(row)}")
        if abs(sum(row) - 1.0) > 1e-9:
            raise ParameterError(f"row {i + 1} of the matrix must sum to 1, got {sum(row):.12g}")
        checked.append(tuple(map(float, row)))
    return tuple(checked)
