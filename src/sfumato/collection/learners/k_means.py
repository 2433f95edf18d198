"""k-means on noisy columns: centres of a mixture, reached through the known law of the noise.

k-means on reports finds clusters that noise has widened and torn apart. Here records are drawn around centres with one
variance for all columns and clusters, on a common scale (k-means is the case where it vanishes), and reach the reports
by the kernels of the columns: EM for that mixture. A step shares each report out among the clusters, reconstructs for
each cluster and column where its true values are, and moves the centre to their mean. Columns are taken for independent
within a cluster, as k-means takes them too. It may end in a mixture that is best nearby alone: several starts are made.

Cost of a step: reports times centres times columns, and small matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.learners.columns import NoisyColumn, noisy_columns
from sfumato.collection.learners.learner import Learner, checked_table
from sfumato.ground.errors import DataError
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import whole

__all__ = ["KMeans"]

_MOST_STEPS = 200
_CHANGE = 1e-6
_PLAIN_CELLS = 500


class KMeans(Learner):
    """k-means, taught with reports and asked about true values.

    `n_clusters` centres are sought from `starts` places, which a `seed` sets. `randomizers` has for each column of
    reports what they were randomized by (a mapping by name, or a list with None for columns as they are), and `cells`
    is how finely these are looked at. `cluster_centers_` are learnt, in the unit of the columns.

    >>> import numpy as np
    >>> from sfumato import collection
    >>> noise = collection.LaplaceNoise(low=0, high=100, epsilon=6.0)
    >>> x = np.concatenate([np.full(1000, 20.0), np.full(1000, 80.0)])
    >>> learner = collection.KMeans(2, randomizers=[noise]).fit(noise.randomize(x, seed=1))
    >>> sorted(learner.cluster_centers_.ravel().round(-1).tolist())
    [20.0, 80.0]
    """

    _estimator_type = "clusterer"

    def __init__(
        self, n_clusters: int = 8, *, randomizers: Any = None, cells: int = 50, starts: int = 4, seed: Seed = 0
    ) -> None:  # fmt: skip
        self.n_clusters = n_clusters
        self.randomizers = randomizers
        self.cells = cells
        self.starts = starts
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn centres from reports `X`; `y` is not looked at."""
        whole("n_clusters", self.n_clusters, least=1)
        whole("starts", self.starts, least=1)
        whole("cells", self.cells, least=2)
        frame = checked_table(X)
        columns = noisy_columns(frame, self.randomizers, self.cells, _PLAIN_CELLS)
        if frame.height < self.n_clusters:
            raise DataError(f"n_samples={frame.height} should be >= n_clusters={self.n_clusters}: give more records")
        self._note_columns(frame, X)
        random = Randomness(self.seed)
        scale = np.array([_spread(column) for column in columns])
        runs = [_mixture(columns, scale, self.n_clusters, random.spawn(f"start {i}")) for i in range(self.starts)]
        self.log_likelihood_, self.cluster_centers_ = max(runs, key=lambda run: run[0])
        self._scale = scale
        self.labels_ = self._nearest(np.stack([column.values for column in columns], axis=1))
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The cluster whose centre is nearest to each row of `X`, in units of each column's spread."""
        return self._nearest(self._asked(X))

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:
        """Learn, and the cluster whose centre is nearest to each report."""
        return self.fit(X).labels_

    def _nearest(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.asarray(_squares(values / self._scale, self.cluster_centers_ / self._scale).argmin(axis=1))


def _spread(column: NoisyColumn) -> float:
    """The standard deviation of the true values of a column, as reconstructed; 1 where there is none."""
    shares = column.shares(column.counts(slice(None)), 0.05)
    mean = shares @ column.middles
    spread = float(np.sqrt(shares @ (column.middles - mean) ** 2))
    return spread if spread > 0 else 1.0


def _squares(values: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """The squared distance of each record from each centre."""
    cross = (values**2).sum(axis=1)[:, None] - 2.0 * values @ centres.T + (centres**2).sum(axis=1)[None, :]
    return np.asarray(np.maximum(cross, 0.0))


def _mixture(
    columns: Sequence[NoisyColumn], scale: NDArray[np.float64], k: int, random: Randomness
) -> tuple[float, NDArray[np.float64]]:  # fmt: skip
    """The likelihood and the centres of a mixture of k round clusters, from a start that is drawn."""
    centres = _spread_out(np.stack([c.values for c in columns], axis=1) / scale, k, random) * scale
    variance, weights, likelihood, n = 1.0 / k, np.full(k, 1.0 / k), -np.inf, len(columns[0].reports)
    for _ in range(_MOST_STEPS):
        laws = [_laws(column, centres[:, j], variance, scale[j]) for j, column in enumerate(columns)]
        logs = np.tile(np.log(np.maximum(weights, 1e-300)), (n, 1))
        for column, (_, shown) in zip(columns, laws, strict=True):
            logs += np.log(np.maximum(shown, 1e-300))[:, column.reports].T
        top = logs.max(axis=1, keepdims=True)
        sums = top[:, 0] + np.log(np.exp(logs - top).sum(axis=1))
        shares, reached = np.exp(logs - sums[:, None]), float(sums.mean())
        left = 0.0
        for j, (column, (law, shown)) in enumerate(zip(columns, laws, strict=True)):
            there = _behind(column, law, shown, shares)
            sizes = np.maximum(there.sum(axis=1), 1e-12)
            centres[:, j] = there @ column.middles / sizes
            left += float((there * (column.middles[None, :] - centres[:, j, None]) ** 2).sum()) / scale[j] ** 2
        variance, weights = max(left / (n * len(columns)), 1e-9), shares.mean(axis=0)
        if reached - likelihood < _CHANGE * max(abs(reached), 1.0):
            break
        likelihood = reached
    return reached, centres


def _laws(
    column: NoisyColumn, centres: NDArray[np.float64], variance: float, scale: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
    """For each cluster the law of true values in their cells, and of reports in theirs."""
    sd = np.maximum(np.sqrt(variance) * scale, column.widths / 2.0)
    logs = -0.5 * ((column.middles[None, :] - centres[:, None]) / sd) ** 2
    law = np.exp(logs - logs.max(axis=1, keepdims=True))
    law /= law.sum(axis=1, keepdims=True)
    return law, law if column.kernel is None else law @ column.kernel.T


def _behind(
    column: NoisyColumn, law: NDArray[np.float64], shown: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:  # fmt: skip
    """How many true values of each cluster are expected in each cell, behind the reports that it has a share in."""
    size = shown.shape[1]
    seen = np.stack([np.bincount(column.reports, weights=share, minlength=size) for share in shares.T])
    if column.kernel is None:
        return np.asarray(seen, dtype=np.float64)
    return np.asarray(law * ((seen / np.maximum(shown, 1e-300)) @ column.kernel))


def _spread_out(values: NDArray[np.float64], k: int, random: Randomness) -> NDArray[np.float64]:
    """Records to start from, each likely in proportion to its squared distance from those before (k-means++)."""
    chosen = [values[int(random.integers(len(values), size=1)[0])]]
    for chance in random.uniform(k - 1):
        far = _squares(values, np.array(chosen)).min(axis=1)
        sums = np.cumsum(far)
        chosen.append(values[min(int(np.searchsorted(sums, chance * sums[-1], side="right")), len(values) - 1)])
    return np.array(chosen)
