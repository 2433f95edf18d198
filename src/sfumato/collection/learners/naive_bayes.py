"""Naive Bayes on reconstructed distributions: no record has to be corrected.

Agrawal & Aggarwal and later work on learning from randomized data; Agrawal & Srikant, SIGMOD 2000, reconstruct by
class. For each class and column the distribution of the true values is reconstructed from the reports of the class;
its probabilities are all that naive Bayes asks for. Cost: an EM for each class and column.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.learners.columns import NoisyColumn, noisy_columns
from sfumato.collection.learners.learner import Classifier, checked_table
from sfumato.ground.validate import finite, whole

__all__ = ["NaiveBayes"]


class NaiveBayes(Classifier):
    """Naive Bayes, taught with reports and asked about true values.

    `randomizers` has for each column of reports what they were randomized by (a mapping by name, or a list with None
    for columns as they are). `cells` is how finely each column is looked at, `smoothing` that of EMS. Classes are not
    randomized.

    >>> import numpy as np
    >>> from sfumato import collection
    >>> noise = collection.LaplaceNoise(low=0, high=100, epsilon=2.0)
    >>> ages = np.tile([20.0, 30.0, 70.0, 80.0], 500)
    >>> reports = noise.randomize(ages, seed=1)
    >>> learner = collection.NaiveBayes(randomizers=[noise], cells=10).fit(reports, ages > 50)
    >>> learner.predict([[25.0], [75.0]]).tolist()
    [False, True]
    """

    def __init__(self, randomizers: Any = None, *, cells: int = 50, smoothing: float = 0.05) -> None:
        self.randomizers = randomizers
        self.cells = cells
        self.smoothing = smoothing

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from reports `X` and classes `y`."""
        whole("cells", self.cells, least=1)
        finite("smoothing", self.smoothing, asked="a number from 0 to 1", low=0.0, high=1.0)
        frame = checked_table(X)
        columns = noisy_columns(frame, self.randomizers, self.cells, self.cells)
        codes = self._class_codes(y, frame.height)
        self._note_columns(frame, X)
        sizes = np.bincount(codes)
        self.class_prior_ = sizes / sizes.sum()
        self._columns = columns
        self._logs = [self._log_shares(column, codes, sizes) for column in columns]
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, a row for each row of `X`."""
        values = self._asked(X)
        scores = np.tile(np.log(self.class_prior_), (len(values), 1))
        for column, logs, numbers in zip(self._columns, self._logs, values.T, strict=True):
            scores += logs[:, column.cells_of(numbers)].T
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def _log_shares(
        self, column: NoisyColumn, codes: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> NDArray[np.float64]:  # fmt: skip
        """The logarithms of the shares of cells in each class, none of them nothing."""
        rows = []
        for code, size in enumerate(sizes):
            shares = column.shares(column.counts(codes == code), self.smoothing)
            floored = (shares * size + 1.0) / (size + column.n_cells)
            rows.append(np.log(floored))
        return np.array(rows)
