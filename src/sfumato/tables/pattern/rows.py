"""Sparse linear rows (inequalities and equalities) over many values: what every property of interest becomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["Rows", "stack", "values_of"]


class Rows(NamedTuple):
    """Rows `sum coefficient * x[variable] <= bound`, or `==` where `equal`; row r has entries indptr[r]:indptr[r + 1].

    `source` numbers the property that each row came from.
    """

    indptr: NDArray[np.int64]
    variable: NDArray[np.int64]
    coefficient: NDArray[np.float64]
    bound: NDArray[np.float64]
    equal: NDArray[np.bool_]
    source: NDArray[np.int64]

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.bound)

    @classmethod
    def of(
        cls,
        index: NDArray[np.int64],
        coefficient: NDArray[np.float64] | Sequence[float],
        bound: float = 0.0,
        *,
        equal: bool = False,
        source: int = 0,
    ) -> Rows:
        """Rows that all have the same number of entries (`index` has one line per row) and the same coefficients."""
        n, width = index.shape
        return cls(
            indptr=np.arange(n + 1) * width,
            variable=index.ravel().astype(np.int64),
            coefficient=np.broadcast_to(np.asarray(coefficient, dtype=np.float64), (n, width)).ravel().copy(),
            bound=np.full(n, float(bound)),
            equal=np.full(n, equal),
            source=np.full(n, source, dtype=np.int64),
        )

    def take(self, keep: NDArray[np.int64]) -> Rows:
        """These rows alone, in the order given."""
        lengths = np.diff(self.indptr)[keep]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        at = np.repeat(self.indptr[keep] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Rows(
            indptr, self.variable[at], self.coefficient[at], self.bound[keep], self.equal[keep], self.source[keep]
        )

    def from_source(self, source: int) -> Rows:
        """The same rows under another number."""
        return self._replace(source=np.full(self.n, source, dtype=np.int64))


def stack(parts: Iterable[Rows]) -> Rows:
    """All rows, one part after the other."""
    listed = list(parts)
    offsets = np.cumsum([0, *(len(part.variable) for part in listed)])
    return Rows(
        indptr=np.concatenate(
            [np.zeros(1, np.int64), *(part.indptr[1:] + at for part, at in zip(listed, offsets, strict=False))]
        ),
        variable=np.concatenate([np.empty(0, np.int64), *(part.variable for part in listed)]),
        coefficient=np.concatenate([np.empty(0), *(part.coefficient for part in listed)]),
        bound=np.concatenate([np.empty(0), *(part.bound for part in listed)]),
        equal=np.concatenate([np.empty(0, np.bool_), *(part.equal for part in listed)]),
        source=np.concatenate([np.empty(0, np.int64), *(part.source for part in listed)]),
    )


@kernel
def values_of(
    indptr: NDArray[np.int64], index: NDArray[np.int64], coefficient: NDArray[np.float64], x: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The left side of every row at `x`."""
    n = indptr.shape[0] - 1
    values = np.zeros(n)
    for r in range(n):
        for q in range(indptr[r], indptr[r + 1]):
            values[r] += coefficient[q] * x[index[q]]
    return values
