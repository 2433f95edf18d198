"""Linear regression from moments: noise of a known variance is taken out of the covariances.

Columns z = x + noise have the covariance of x but for the variances of the noise on its diagonal, and the covariance of
x with y. Least squares on z would shrink the slopes (attenuation); with the noise taken out they are consistent
(errors in variables: Fuller, "Measurement Error Models", 1987). Standard errors are those of the estimating equations
(sandwich), so that they know of the noise too. Cost: one pass over the records.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.learners.columns import grid_steps, noisy_moments
from sfumato.collection.learners.learner import MOST_NUMBER, Regressor, checked_table, column_of
from sfumato.ground.errors import DataError, InfeasibleError
from sfumato.ground.validate import told

__all__ = ["LinearRegression"]


LEAST_STEPS = 20
"""With so many steps even answers have slopes within a part in 400 of those on the grid."""


class LinearRegression(Regressor):
    """Linear regression, taught with reports and asked about true values.

    `randomizers` has for each column of reports what they were randomized by (a mapping by name, or a list with None
    for columns as they are). What is to be learnt may have noise of mean 0 of its own. `coef_` and `intercept_` are
    learnt, and `stderr_` is the standard error of each coefficient. A slope is that on the answer as it was reported
    from: clipped, and put on the grid. Where answers lie between the points of a coarse grid that slope is another one;
    `notes_` name the columns whose grid has fewer than 20 steps.

    >>> import numpy as np
    >>> from sfumato import collection
    >>> noise = collection.LaplaceNoise(low=0, high=10, epsilon=4.0)
    >>> x = np.tile(np.arange(11.0), 2000)
    >>> learner = collection.LinearRegression(randomizers=[noise]).fit(noise.randomize(x, seed=1), 3 * x + 1)
    >>> bool(abs(learner.coef_[0] - 3) < 3 * learner.stderr_[0])
    True
    """

    def __init__(self, randomizers: Any = None) -> None:
        self.randomizers = randomizers

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from reports `X` and numbers `y`."""
        frame = checked_table(X)
        values, noise = noisy_moments(frame, self.randomizers)
        target = column_of(y, frame.height)
        try:
            numbers = target.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise DataError(f"Unknown label type: y holds {told(target[0])}, and numbers are asked for") from None
        if np.abs(numbers).max() > MOST_NUMBER:
            raise DataError(f"y has numbers above {MOST_NUMBER:g}; take another unit")
        self._note_columns(frame, X)
        self.notes_ = tuple(
            f"column {name!r} has a grid of {steps} steps: its slope is that on the grid point nearest to an answer, "
            f"and not that on the answer where answers lie between; ask with {LEAST_STEPS} steps or more"
            for name, steps in grid_steps(frame, self.randomizers).items() if steps < LEAST_STEPS
        )  # fmt: skip
        means, n = values.mean(axis=0), len(values)
        centred, outcome = values - means, numbers - numbers.mean()
        squares = centred.T @ centred / n - np.diag(noise)
        products = centred.T @ outcome / n
        scale = np.sqrt(np.maximum(np.diag(squares), 1e-300))
        least = float(np.linalg.eigvalsh(squares / np.outer(scale, scale))[0]) if noise.any() else 1.0
        if noise.any() and (not (np.diag(squares) > 0).all() or least < 1e-9):
            raise InfeasibleError(
                f"{n:,} reports do not tell the columns from their noise, so that no slope can be learnt; collect "
                f"more, or with less noise"
            )
        self.coef_ = np.linalg.lstsq(squares, products, rcond=None)[0]
        self.intercept_ = float(numbers.mean() - means @ self.coef_)
        residual = outcome - centred @ self.coef_
        scores = centred * residual[:, None] + noise * self.coef_
        inverse = np.linalg.pinv(squares)
        spread = inverse @ (scores.T @ scores / n) @ inverse / n
        self.stderr_ = np.sqrt(np.maximum(np.diag(spread), 0.0))
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number that is expected for each row of `X`."""
        return np.asarray(self._asked(X) @ self.coef_ + self.intercept_)
