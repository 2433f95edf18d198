"""A density on cells, reconstructed from noisy values, and how sure it is.

The cells are as many as the reports can tell apart (`resolved_cells`), unless they are given. Shares come from EM with
smoothing (EMS) on finer cells. Their intervals are those of the likeliest shares of the cells, by Fisher's information,
which nothing has smoothed; values do not lie evenly in a wide cell, and how they lie is taken from the finer ones. What
the reports cannot tell apart is not known better for being drawn finer: with more cells there are no intervals. The
obstacle is how smooth the noise is, and not its spread alone: normal noise hides more cells than Laplace noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from sfumato.collection.reconstruction.em import em_limit
from sfumato.collection.reconstruction.fisher import fisher_covariance, is_resolved, share_intervals
from sfumato.collection.reconstruction.mixtures import Floats, Laws
from sfumato.contracts.answer import Answer
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.cards import card, grid, lines, small
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import is_number, is_whole, told

__all__ = [
    "CUTS", "SMOOTHED", "USUAL", "CountedReports", "Density", "reconstructed_density", "resolved_cells",
    "spread_within",
]  # fmt: skip

_SHOWN = 20
USUAL = 64
"""The cells that a smoothing is told for; it reaches as far with any other number of them."""
CUTS = (2, 1)
"""Into how many cells each is cut, where the reports tell these apart."""
_MOST_FAILURES = 8
_NOTHING = 1e-9
SMOOTHED = "shares are smoothed; intervals and errors are of the likeliest shares, which are not"


class CountedReports(NamedTuple):
    """Counts of noisy values in cells, and the kernel that leads there from cells of true values."""

    counts: Floats
    kernel: Floats
    edges: Floats
    """The edges of the cells of true values."""


@dataclass(frozen=True, repr=False, eq=False)
class Density(SaysWhatMethodsTake):
    """A distribution on cells: `shares` between neighbouring `edges`, with 95% intervals from `low` to `high`.

    They come from `n` reports by EM with a `smoothing`, told for 64 cells. Intervals, and the `covariance`, are of the
    `likeliest` shares, which are not smoothed, and speak of a `population`. Where there are more cells than the reports
    can tell apart, these are None; `notes` say so. `density[0]` is the first share as an answer,
    `density.between(20, 30)` that of a range. An answer on an edge of cells is shared between both.

    >>> from sfumato import collection
    >>> noise = collection.LaplaceNoise(low=0, high=100, epsilon=4.0)
    >>> answers = [i / 80 for i in range(4000)] + [i / 40 for i in range(4000)]
    >>> density = noise.reconstruct(noise.randomize(answers, seed=7), cells=4)
    >>> bool(density.low[0] < 0.375 < density.high[0])
    True
    """

    edges: Floats
    shares: Floats
    low: Floats | None
    high: Floats | None
    n: int
    smoothing: float
    population: str
    covariance: Floats | None
    likeliest: Floats | None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.shares)

    def __iter__(self) -> Iterator[Answer]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, cell: int) -> Answer:
        """The share of a cell, counted from 0."""
        if not is_whole(cell) or not -len(self) <= cell < len(self):
            raise ParameterError(f"there are cells 0 to {len(self) - 1}, got {told(cell)}")
        i = cell % len(self)
        if self.low is None or self.high is None or self.covariance is None:
            return self._answer(i, i + 1, float(self.shares[i]), (0.0, 1.0), None)
        error = float(np.sqrt(max(self.covariance[i, i], 0.0)))
        return self._answer(i, i + 1, float(self.shares[i]), (float(self.low[i]), float(self.high[i])), error)

    def between(self, low: float, high: float) -> Answer:
        """The share of values from `low` to `high`, which are edges of cells."""
        known = is_number(low) and is_number(high)
        first, last = (int(np.abs(self.edges - each).argmin()) if known else 0 for each in (low, high))
        if first >= last or not np.allclose(self.edges[[first, last]], (low, high), rtol=1e-9, atol=1e-9):
            edges = ", ".join(f"{each:.6g}" for each in self.edges[:_SHOWN])
            raise ParameterError(
                f"a range goes from one edge of cells to another, got {told(low)} to {told(high)}; edges: {edges}"
            )
        taken = slice(first, last)
        value = float(self.shares[taken].sum())
        if self.covariance is None or self.likeliest is None:
            return self._answer(first, last, value, (0.0, 1.0), None)
        error = float(np.sqrt(max(self.covariance[taken, taken].sum(), 0.0)))
        least, most = share_intervals(self.likeliest[taken].sum(keepdims=True), np.array([error]))
        return self._answer(first, last, value, (float(least[0]), float(most[0])), error)

    def _answer(self, first: int, last: int, value: float, ends: tuple[float, float], error: float | None) -> Answer:
        label = f"share from {self.edges[first]:.6g} to {self.edges[last]:.6g}"
        return Answer(label, value, *ends, False, error, self.n, self.n, notes=self.notes)

    def to_polars(self) -> pl.DataFrame:
        """A row for each cell."""
        nothing = [None] * len(self)
        return pl.DataFrame(
            {
                "from": self.edges[:-1], "to": self.edges[1:], "share": self.shares,
                "low": pl.Series(nothing if self.low is None else self.low, dtype=pl.Float64),
                "high": pl.Series(nothing if self.high is None else self.high, dtype=pl.Float64),
            }
        )  # fmt: skip

    def to_dict(self) -> list[dict[str, Any]]:
        """A row for each cell, as plain data."""
        return self.to_polars().to_dicts()

    def __repr__(self) -> str:
        whom = "of those who answered" if self.population == "fixed" else "of all whom they were drawn from"
        head = f"density {whom}, from {self.n:,} reports: {len(self)} cells, smoothing {self.smoothing:g}"
        told_cells = [
            f"{low:.6g} to {high:.6g}: {share:.4f}"
            for low, high, share in zip(self.edges[:-1], self.edges[1:], self.shares, strict=True)
        ]
        more = [f"... and {len(self) - _SHOWN:,} more"] if len(self) > _SHOWN else []
        return fit_screen("\n".join([head, *(f"  note: {each}" for each in self.notes), *told_cells[:_SHOWN], *more]))

    def _repr_html_(self) -> str:
        rows = [
            (f"{answer.label.removeprefix('share from ')}", f"{answer.value:.4f}", _interval(answer))
            for answer in list(self)[:_SHOWN]
        ]
        more = small(f"and {len(self) - _SHOWN:,} more") if len(self) > _SHOWN else ""
        noted = small(lines(self.notes)) if self.notes else ""
        return card(f"{self.n:,} reports", grid(("from", "share", "95% interval"), rows, numbers=(1,)), more, noted)


def reconstructed_density(
    fine: CountedReports, cells: int, smoothings: tuple[float, float], population: str, *, note: str
) -> Density:  # fmt: skip
    """The density on some cells, from the kernel of finer ones; where they are not told apart, `note` says so.

    `smoothings` are that of the shares, and that which finds how values lie within cells.
    """
    counts, kernel, edges = fine
    parts, n, asked = kernel.shape[1] // cells, int(counts.sum()), smoothings[0]

    def on_finer(smoothing: float) -> Floats:
        return em_limit(Laws(kernel), counts, smoothing * (kernel.shape[1] / USUAL) ** 2)

    cut = told_apart(kernel, parts, n)
    within = on_finer(smoothings[1])
    mixture = Laws(spread_within(kernel, within, parts // max(cut, 1)))
    finer = em_limit(mixture, counts) if cut or not asked else within
    likeliest = finer.reshape(cells, -1).sum(axis=1)
    smooth = within if asked == smoothings[1] else on_finer(asked)
    shares = smooth.reshape(cells, -1).sum(axis=1) if asked else likeliest
    if not cut:
        return Density(edges[::parts], shares, None, None, n, asked, population, None, None, (note,))
    covariance = fisher_covariance(mixture, finer, n, population).reshape(cells, cut, cells, cut).sum(axis=(1, 3))
    low, high = share_intervals(likeliest, np.sqrt(np.maximum(np.diag(covariance), 0.0)))
    notes = (SMOOTHED,) if asked else ()
    return Density(edges[::parts], shares, low, high, n, asked, population, covariance, likeliest, notes)


def told_apart(kernel: Floats, parts: int, n: int) -> int:
    """Into how many each cell of so many finer ones can be cut, for n counts to tell them apart; 0 if not even one.

    How values lie within a cell is uncertain too: shares are those of halves of cells where these are told apart, added
    up, so that intervals know of it.
    """
    even = np.full(kernel.shape[1], 1.0 / kernel.shape[1])
    cuts = [each for each in CUTS if parts % each == 0]
    return next((each for each in cuts if is_resolved(Laws(spread_within(kernel, even, parts // each)), n)), 0)


def spread_within(kernel: Floats, within: Floats, parts: int) -> Floats:
    """The kernel of cells of so many finer ones each, in which values lie as `within` says, evenly where none are."""
    grouped = within.reshape(-1, parts)
    sums = grouped.sum(axis=1, keepdims=True)
    shape = np.where(sums > _NOTHING, grouped / np.maximum(sums, _NOTHING), 1.0 / parts)
    return np.asarray((kernel.reshape(len(kernel), -1, parts) * shape).sum(axis=2))


def resolved_cells(kernel_of: Callable[[int], Floats], n: float, most: int) -> int:
    """The largest number of cells, up to `most`, that n counts tell apart (`is_resolved`); 2 where there is none.

    Some noise has numbers of cells at which its kernel is singular, so that a few more are looked at after a failure.
    """
    best, failures = 2, 0
    for cells in range(2, most + 1):
        if is_resolved(Laws(kernel_of(cells)), n):
            best, failures = cells, 0
        else:
            failures += 1
            if failures == _MOST_FAILURES:
                break
    return best


def _interval(answer: Answer) -> str:
    return "none" if answer.spread is None else f"{answer.low:.4f} to {answer.high:.4f}"
