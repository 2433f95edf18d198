"""The joint distribution of two columns with independent noise: EM with a kernel for each, never their product.

The kernel of both columns together is the Kronecker product of K1 and K2. It is never formed: expected counts are
K1 Pi K2^T. Per-column reconstructions lose every dependence between the columns; this keeps it. Cost and condition
multiply, so that far fewer cells are told apart than in one column. As with one column, how values lie within cells is
taken from finer ones, by EMS, and intervals are of the likeliest shares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from sfumato.collection.reconstruction.density import CUTS, SMOOTHED, spread_within
from sfumato.collection.reconstruction.em import chosen_smoothing, em_limit
from sfumato.collection.reconstruction.fisher import fisher_covariance, is_resolved, share_intervals
from sfumato.collection.reconstruction.mixtures import Floats, Laws, PairedLaws
from sfumato.contracts.answer import Answer
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import is_whole, told

__all__ = ["JointDensity", "reconstructed_joint"]

_NOTHING = 1e-9


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
            is_whole(i) and 0 <= i < size for i, size in zip(cell, self.shares.shape, strict=True)
        ):  # fmt: skip
            most = tuple(size - 1 for size in self.shares.shape)
            raise ParameterError(f"a pair of cells is (0, 0) to {most}, got {told(cell)}")
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
    fine: PairedLaws, counts: Floats, edges: tuple[Floats, Floats], parts: int, smoothing: float | None, population: str
) -> JointDensity:  # fmt: skip
    """The joint density behind a table of counts, on cells of so many finer ones each along both columns.

    There are intervals where the cells are told apart.
    """
    n, shape = int(counts.sum()), (fine.shape[0] // parts, fine.shape[1] // parts)
    cut = _told_apart(fine, parts, n)
    edges = edges[0][::parts], edges[1][::parts]
    chosen = chosen_smoothing(fine, counts) if smoothing is None or (parts > 1 and cut) else 0.0
    used = (0.0 if cut else chosen / parts**2) if smoothing is None else smoothing
    shares = _added(em_limit(fine, counts, used * parts**2), shape) if used or not cut else np.zeros(shape)
    if not cut:
        note = "the reports cannot tell so many pairs of cells apart: no intervals; give fewer cells for them"
        return JointDensity(edges, shares, None, None, None, n, used, (note,))
    within = em_limit(fine, counts, chosen) if parts > 1 else np.full(fine.n, 1.0 / fine.n)
    mixture = Laws(_spread_pairs(fine, within, parts // cut))
    finer = em_limit(mixture, counts.ravel())
    likeliest = _added(finer, shape)
    sums = _sums((shape[0] * cut, shape[1] * cut), cut)
    covariance = sums @ fisher_covariance(mixture, finer, n, population) @ sums.T
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0)).reshape(shape)
    low, high = share_intervals(likeliest, errors)
    return JointDensity(edges, shares if used else likeliest, low, high, errors, n, used, (SMOOTHED,) if used else ())


def _told_apart(fine: PairedLaws, parts: int, n: int) -> int:
    """Into how many each cell can be cut along both columns, for n counts to tell them apart; 0 if not even one."""

    def even(kernel: Floats, together: int) -> Floats:
        return spread_within(kernel, np.full(kernel.shape[1], 1.0 / kernel.shape[1]), together)

    cuts = [each for each in CUTS if parts % each == 0]
    pairs = {each: PairedLaws(even(fine.first, parts // each), even(fine.second, parts // each)) for each in cuts}
    return next((each for each in cuts if is_resolved(pairs[each], n)), 0)


def _spread_pairs(fine: PairedLaws, within: Floats, parts: int) -> Floats:
    """The kernel of pairs of cells of so many finer ones along both columns, in which values lie as `within` says."""
    k1, k2 = fine.shape[0] // parts, fine.shape[1] // parts
    blocks = within.reshape(k1, parts, k2, parts)
    sums = blocks.sum(axis=(1, 3), keepdims=True)
    shapes = np.where(sums > _NOTHING, blocks / np.maximum(sums, _NOTHING), 1.0 / parts**2)
    first, second = (each.reshape(len(each), -1, parts) for each in (fine.first, fine.second))
    spread = np.einsum("xap,apbq,ybq->xyab", first, shapes, second, optimize=True)
    return np.asarray(spread.reshape(len(first) * len(second), -1))


def _added(finer: Floats, shape: tuple[int, int]) -> Floats:
    """Shares of finer pairs of cells, added up to a table of this shape."""
    cut = math.isqrt(finer.size // (shape[0] * shape[1]))
    return np.asarray(finer.reshape(shape[0], cut, shape[1], cut).sum(axis=(1, 3)))


def _sums(shape: tuple[int, int], cut: int) -> Floats:
    """The matrix that adds finer pairs of cells up."""
    ones = [np.kron(np.eye(size // cut), np.ones(cut)) for size in shape]
    return np.asarray(np.kron(ones[0], ones[1]), dtype=np.float64)
