"""A decision tree on reconstructed distributions: Agrawal & Srikant, "Privacy-preserving data mining", SIGMOD 2000.

- `global`: every column is reconstructed once, of all records; then records are put into cells by order.
- `by class`: the same in each class.
- `local`: the same in each class at every node, of the records that are there, within the range of cells of the node.
- `none`: reports are taken for values, to compare with.

The tree halves cells where the Gini impurity falls most. `by class` is not always better than `global`: under normal
noise it may be worse. Cost: an EM for each class and column, at the root or at every node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.learners.columns import NoisyColumn, noisy_columns
from sfumato.collection.learners.correcting import cells_by_order
from sfumato.collection.learners.learner import Classifier, checked_table
from sfumato.ground.validate import finite, one_of, whole

__all__ = ["DecisionTree"]

_WAYS = ("by class", "global", "local", "none")
_LEAST_GAIN = 1e-12
_PLAIN_CELLS = 1_000
"""Places at which a column that was not randomized may be halved."""
_LEAST_LOCAL = 200
"""Records below which a node is not reconstructed anew: so few tell nothing more."""

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class _Leaf:
    shares: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Split:
    column: int
    cell: int
    """Cells up to this one go left."""
    left: _Leaf | _Split
    right: _Leaf | _Split


class DecisionTree(Classifier):
    """A decision tree, taught with reports and asked about true values.

    `randomizers` has for each column of reports what they were randomized by (a mapping by name, or a list with None
    for columns as they are). `reconstruct` is `by class`, `global`, `local` or `none`. `cells` is how finely a column
    is looked at, `smoothing` that of EMS, `min_leaf` the least number of records in a leaf and `max_depth` the longest
    way to one. Classes are not randomized.

    >>> import numpy as np
    >>> from sfumato import collection
    >>> noise = collection.LaplaceNoise(low=0, high=100, epsilon=2.0)
    >>> ages = np.tile([20.0, 30.0, 70.0, 80.0], 500)
    >>> reports = noise.randomize(ages, seed=1)
    >>> learner = collection.DecisionTree(randomizers=[noise], cells=10).fit(reports, ages > 50)
    >>> learner.predict([[25.0], [75.0]]).tolist()
    [False, True]
    """

    def __init__(
        self, randomizers: Any = None, *, reconstruct: str = "by class", cells: int = 50, smoothing: float = 0.05,
        min_leaf: int = 100, max_depth: int | None = None,
    ) -> None:  # fmt: skip
        self.randomizers = randomizers
        self.reconstruct = reconstruct
        self.cells = cells
        self.smoothing = smoothing
        self.min_leaf = min_leaf
        self.max_depth = max_depth

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from reports `X` and classes `y`."""
        one_of("reconstruct", self.reconstruct, _WAYS)
        whole("cells", self.cells, least=1)
        whole("min_leaf", self.min_leaf, least=1)
        finite("smoothing", self.smoothing, asked="a number from 0 to 1", low=0.0, high=1.0)
        if self.max_depth is not None:
            whole("max_depth", self.max_depth, least=1)
        frame = checked_table(X)
        columns = noisy_columns(frame, self.randomizers, self.cells, max(self.cells, _PLAIN_CELLS))
        codes = self._class_codes(y, frame.height)
        self._note_columns(frame, X)
        self._columns = columns
        rows, ranges = np.arange(len(codes)), tuple((0, column.n_cells) for column in columns)
        corrected = self._corrected(rows, codes, ranges, is_root=True)
        self._root = self._grown(rows, corrected, codes, ranges, 0)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class in the leaf of each row of `X`."""
        values = self._asked(X)
        cells = np.stack([c.cells_of(v) for c, v in zip(self._columns, values.T, strict=True)], axis=1)
        chances = np.empty((len(values), len(self.classes_)))
        pending: list[tuple[_Leaf | _Split, NDArray[np.int64]]] = [(self._root, np.arange(len(values)))]
        while pending:
            node, rows = pending.pop()
            if isinstance(node, _Leaf):
                chances[rows] = node.shares
                continue
            goes_left = cells[rows, node.column] <= node.cell
            pending += [(node.left, rows[goes_left]), (node.right, rows[~goes_left])]
        return chances

    @property
    def n_leaves_(self) -> int:
        """How many leaves the tree has."""

        def count(node: _Leaf | _Split) -> int:
            return 1 if isinstance(node, _Leaf) else count(node.left) + count(node.right)

        return count(self._root)

    # -- cells of records ----------------------------------------------------------------------------------------------
    def _corrected(
        self, rows: NDArray[np.int64], codes: NDArray[np.int64], ranges: Ranges, *, is_root: bool
    ) -> NDArray[np.int64]:
        """The cell of each of these records in each column; `codes` are their classes."""
        way = self.reconstruct if is_root or self.reconstruct != "local" else "by class"
        made = []
        for column, within in zip(self._columns, ranges, strict=True):
            if column.kernel is None:
                made.append(column.reports[rows])
            elif way == "none":
                made.append(column.cells_of(column.values[rows]))
            elif way == "global":
                made.append(self._by_order(column, rows, within))
            else:
                cells = np.empty(len(rows), dtype=np.int64)
                for code in np.unique(codes):
                    mine = codes == code
                    cells[mine] = self._by_order(column, rows[mine], within)
                made.append(cells)
        return np.stack(made, axis=1)

    def _by_order(self, column: NoisyColumn, rows: NDArray[np.int64], within: tuple[int, int]) -> NDArray[np.int64]:
        shares = column.shares(column.counts(rows), self.smoothing, within)
        return cells_by_order(column.values[rows], shares)

    # -- the tree ------------------------------------------------------------------------------------------------------
    def _grown(
        self, rows: NDArray[np.int64], cells: NDArray[np.int64], codes: NDArray[np.int64], ranges: Ranges, depth: int
    ) -> _Leaf | _Split:
        """The tree of some records; `cells` and `codes` are theirs."""
        sizes = np.bincount(codes, minlength=len(self.classes_)).astype(np.float64)
        found = None
        if (self.max_depth is None or depth < self.max_depth) and len(rows) >= 2 * self.min_leaf:
            found = _best_split(cells, codes, sizes, [column.n_cells for column in self._columns], self.min_leaf)
        if found is None:
            return _Leaf(sizes / sizes.sum())
        column, cell = found
        goes_left = cells[:, column] <= cell
        sides = []
        for is_left in (True, False):
            mine = goes_left == is_left
            first, last = ranges[column]
            narrowed = (first, min(last, cell + 1)) if is_left else (max(first, cell + 1), last)
            within = (*ranges[:column], narrowed, *ranges[column + 1 :])
            own = cells[mine]
            if self.reconstruct == "local" and mine.sum() >= max(_LEAST_LOCAL, 2 * self.min_leaf):
                own = self._corrected(rows[mine], codes[mine], within, is_root=False)
            sides.append(self._grown(rows[mine], own, codes[mine], within, depth + 1))
        return _Split(column, cell, sides[0], sides[1])


def _best_split(
    cells: NDArray[np.int64], codes: NDArray[np.int64], sizes: NDArray[np.float64], n_cells: Sequence[int],
    min_leaf: int,
) -> tuple[int, int] | None:  # fmt: skip
    """The column and the last cell on the left where the Gini impurity falls most; None where it falls nowhere."""
    n, n_classes = len(codes), len(sizes)
    best, found = _LEAST_GAIN, None
    before = (sizes @ sizes) / n
    for column, size in enumerate(n_cells):
        counts = np.bincount(cells[:, column] * n_classes + codes, minlength=size * n_classes).reshape(size, n_classes)
        left = np.cumsum(counts, axis=0)[:-1].astype(np.float64)
        right = sizes - left
        n_left, n_right = left.sum(axis=1), right.sum(axis=1)
        fits = (n_left >= min_leaf) & (n_right >= min_leaf)
        if not fits.any():
            continue
        purity = (left**2).sum(axis=1) / np.maximum(n_left, 1.0) + (right**2).sum(axis=1) / np.maximum(n_right, 1.0)
        gains = np.where(fits, (purity - before) / n, -np.inf)
        at = int(gains.argmax())
        if gains[at] > best:
            best, found = float(gains[at]), (column, at)
    return found
