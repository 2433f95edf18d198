"""Columns as learners see them: cells of true values and of reports, and the kernel that leads from one to the other.

A column that was not randomized has the same cells on both sides, and a kernel of ones and zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.collection.learners.learner import checked_numbers
from sfumato.collection.randomizers.additive import NoiseRandomizer
from sfumato.collection.reconstruction.em import converged_em
from sfumato.ground.errors import ParameterError, suggest
from sfumato.ground.validate import told

__all__ = ["NoisyColumn", "grid_steps", "noisy_columns", "noisy_moments"]


@dataclass(frozen=True, eq=False)
class NoisyColumn:
    """A column of reports in cells, and the cells of true values that they come from."""

    edges: NDArray[np.float64]
    """The edges of the cells of true values."""
    kernel: NDArray[np.float64] | None
    """A column for each cell of true values, a row for each cell of reports; None where they are the same."""
    reports: NDArray[np.int64]
    """The cell of each report."""
    values: NDArray[np.float64]
    """The number that each report stands for."""

    @property
    def n_cells(self) -> int:
        """How many cells of true values there are."""
        return len(self.edges) - 1

    @property
    def middles(self) -> NDArray[np.float64]:
        """The middle of each cell of true values."""
        return np.asarray((self.edges[1:] + self.edges[:-1]) / 2.0)

    @property
    def widths(self) -> NDArray[np.float64]:
        """The width of each cell of true values."""
        return np.diff(self.edges)

    def counts(self, rows: Any) -> NDArray[np.float64]:
        """How many reports, of these rows, fall into each of their cells."""
        size = self.n_cells if self.kernel is None else len(self.kernel)
        return np.bincount(self.reports[rows], minlength=size).astype(np.float64)

    def shares(
        self, counts: NDArray[np.float64], smoothing: float, within: tuple[int, int] | None = None
    ) -> NDArray[np.float64]:  # fmt: skip
        """The shares of true values in their cells behind counts of reports; `within` a range of cells, if known."""
        first, last = within or (0, self.n_cells)
        shares = np.zeros(self.n_cells)
        if not counts.sum() > 0:
            shares[first:last] = 1.0 / (last - first)
        elif self.kernel is None:
            shares[first:last] = counts[first:last]
            shares = shares / shares.sum() if shares.sum() else np.full(self.n_cells, 1.0 / self.n_cells)
        elif last - first == 1:
            shares[first] = 1.0
        else:
            reached = self.kernel[:, first:last].sum(axis=1) > 0
            seen = np.where(reached, counts, 0.0)
            if seen.sum() > 0:
                shares[first:last] = converged_em(self.kernel[:, first:last], seen, smoothing)
            else:
                shares[first:last] = 1.0 / (last - first)
        return shares

    def cells_of(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """The cell of each true value; those beyond the ends are in the first and the last."""
        return np.clip(np.searchsorted(self.edges, values, side="right") - 1, 0, self.n_cells - 1)


def noisy_columns(frame: pl.DataFrame, randomizers: Any, cells: int, plain_cells: int) -> list[NoisyColumn]:
    """Every column of a table of reports, by the randomizer that is named for it, or as it is.

    Columns of reports have `cells`, those that are as they are up to `plain_cells`.
    """
    known = _by_column(frame.columns, randomizers)
    plain = frame.select(name for name in frame.columns if name not in known)
    numbers = dict(zip(plain.columns, checked_numbers(plain).T, strict=True)) if plain.width else {}
    return [
        _of_reports(frame[name], known[name], cells) if name in known else _as_it_is(numbers[name], plain_cells)
        for name in frame.columns
    ]


def _by_column(names: list[str], randomizers: Any) -> dict[str, NoiseRandomizer]:
    """The randomizer of each column that has one: by name, or in the order of the columns with None for the others."""
    if randomizers is None:
        return {}
    if isinstance(randomizers, Mapping):
        for name in randomizers:
            if name not in names:
                near = suggest(str(name), names)
                raise ParameterError(f"randomizers has {told(name)}, which is no column of X{near}")
        given = dict(randomizers)
    elif isinstance(randomizers, (list, tuple)) and len(randomizers) == len(names):
        given = dict(zip(names, randomizers, strict=True))
    else:
        raise ParameterError(
            f"randomizers must map columns to randomizers, or list one or None for each of {len(names)} columns, got "
            f"{told(randomizers)}"
        )
    for name, each in given.items():
        if each is not None and not isinstance(each, NoiseRandomizer):
            raise ParameterError(
                f"column {name!r} needs a randomizer that adds noise, such as LaplaceNoise, got {told(each)}"
            )
    return {name: each for name, each in given.items() if each is not None}


def _of_reports(column: pl.Series, randomizer: NoiseRandomizer, cells: int) -> NoisyColumn:
    kernel, lasts = randomizer.kernel(min(cells, randomizer.steps))
    reports = randomizer.checked_reports(column)
    edges = np.linspace(randomizer.low, randomizer.high, kernel.shape[1] + 1)
    return NoisyColumn(edges, kernel, np.searchsorted(lasts, reports), randomizer.values_of(column))


def _as_it_is(column: NDArray[np.float64], cells: int) -> NoisyColumn:
    distinct = np.unique(column)
    if len(distinct) <= cells:
        middles = (distinct[1:] + distinct[:-1]) / 2.0
        edges = np.concatenate([distinct[:1], middles, distinct[-1:]])
        if len(distinct) == 1:
            edges = np.array([distinct[0], distinct[0]])
    else:
        edges = np.unique(np.quantile(column, np.linspace(0.0, 1.0, cells + 1)))
    made = NoisyColumn(edges, None, np.empty(0, dtype=np.int64), column)
    return NoisyColumn(edges, None, made.cells_of(column), column)


def noisy_moments(frame: pl.DataFrame, randomizers: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The numbers that reports stand for, a column each, and the variance of the noise in each column."""
    known = _by_column(frame.columns, randomizers)
    columns = [
        known[name].values_of(frame[name]) if name in known else checked_numbers(frame.select(name))[:, 0]
        for name in frame.columns
    ]  # fmt: skip
    noise = [known[name].moments.second if name in known else 0.0 for name in frame.columns]
    return np.stack(columns, axis=1), np.array(noise)


def grid_steps(frame: pl.DataFrame, randomizers: Any) -> dict[str, int]:
    """How many steps the grid of each column of reports has."""
    return {name: each.steps for name, each in _by_column(frame.columns, randomizers).items()}
