"""The joint distribution of two columns with independent noise: EM with a kernel for each, never their product.

The kernel of both columns together is the Kronecker product of K1 and K2. It is never formed: expected counts are
K1 Pi K2^T. Per-column reconstructions lose every dependence between the columns; this keeps it. Cost and condition
multiply, so that far fewer cells are told apart than in one column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sfumato.collection.reconstruction.em import chosen_smoothing, em_limit
from sfumato.collection.reconstruction.fisher import fisher_covariance, is_resolved, share_intervals
from sfumato.collection.reconstruction.mixtures import Floats, PairedLaws
from sfumato.contracts.answer import Answer
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError

__all__ = ["JointDensity", "reconstructed_joint"]


@dataclass(frozen=True, repr=False, eq=False)
class JointDensity(SaysWhatMethodsTake):
    """A distribution on pairs of cells: `shares[i, j]` of cell i of the first column and j of the second.

    `edges` are those of each column, and the shares come from `n` reports by EM with a `smoothing`. 95% intervals go
    from `low` to `high`, and are None where the reports cannot tell so many cells apart; `errors` are standard errors.
    `notes` say what to know.

    >>> from sfumato import collection
    >>> noise = collection.LaplaceNoise(low=0, high=1, epsilon=4.0)
    >>> answers = [i / 8000 for i in range(8000)]
    >>> reports = noise.randomize(answers, seed=1), noise.randomize(answers, seed=2)
    >>> joint = collection.reconstruct_pair((noise, noise), reports, cells=(2, 2), smoothing=0)
    >>> bool(joint.low[0, 0] < 0.5 < joint.high[0, 0])
    True
    """

    edges: tuple[Floats, Floats]
    shares: Floats
    low: Floats | None
    high: Floats | None
    errors: Floats | None
    n: int
    smoothing: float
    notes: tuple[str, ...] = ()

    def __getitem__(self, cell: tuple[int, int]) -> Answer:
        """The share of a pair of cells, counted from 0."""
        if not isinstance(cell, tuple) or len(cell) != 2 or not all(
            0 <= i < size for i, size in zip(cell, self.shares.shape, strict=True)
        ):  # fmt: skip
            raise ParameterError(f"a pair of cells is (0, 0) to {tuple(s - 1 for s in self.shares.shape)}, got {cell}")
        ranges = [f"{e[i]:.6g} to {e[i + 1]:.6g}" for e, i in zip(self.edges, cell, strict=True)]
        label, value = f"share from {ranges[0]} and {ranges[1]}", float(self.shares[cell])
        if self.low is None or self.high is None or self.errors is None:
            return Answer(label, value, 0.0, 1.0, False, None, self.n, self.n, notes=self.notes)
        ends = float(self.low[cell]), float(self.high[cell])
        return Answer(label, value, *ends, False, float(self.errors[cell]), self.n, self.n, notes=self.notes)

    def to_polars(self) -> pl.DataFrame:
        """A row for each pair of cells."""
        first, second = np.indices(self.shares.shape)
        ends, nothing = (("low", self.low), ("high", self.high)), [None] * first.size
        return pl.DataFrame(
            {
                "from_1": self.edges[0][first.ravel()], "to_1": self.edges[0][first.ravel() + 1],
                "from_2": self.edges[1][second.ravel()], "to_2": self.edges[1][second.ravel() + 1],
                "share": self.shares.ravel(),
                **{name: pl.Series(nothing if each is None else each.ravel(), dtype=pl.Float64) for name, each in ends},
            }
        )  # fmt: skip

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.shares.shape))
        head = f"joint density from {self.n:,} reports: {size} cells, smoothing {self.smoothing:g}"
        return fit_screen("\n".join([head, *(f"  note: {each}" for each in self.notes), str(self.shares.round(4))]))


def reconstructed_joint(
    mixture: PairedLaws, counts: Floats, edges: tuple[Floats, Floats], smoothing: float | None, population: str
) -> JointDensity:
    """The joint density behind a table of counts, with intervals where the cells are told apart."""
    n = int(counts.sum())
    resolved = is_resolved(mixture, n)
    used = (0.0 if resolved else chosen_smoothing(mixture, counts)) if smoothing is None else smoothing
    shares = em_limit(mixture, counts, used).reshape(mixture.shape)
    if not resolved:
        note = "the reports cannot tell so many pairs of cells apart: no intervals; give fewer cells for them"
        return JointDensity(edges, shares, None, None, None, n, used, (note,))
    covariance = fisher_covariance(mixture, shares, n, population)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0)).reshape(shares.shape)
    low, high = share_intervals(shares, errors)
    notes = ("intervals are of the smoothed density",) if used else ()
    return JointDensity(edges, shares, low, high, errors, n, used, notes)
