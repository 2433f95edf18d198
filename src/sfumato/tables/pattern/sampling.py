"""New values for a whole table: its bodies are drawn in parallel, and rounded to the resolution of their columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.polytope import Body, bodies
from sfumato.tables.pattern.properties import ExtractedProperties
from sfumato.tables.pattern.resolution import FINER, round_and_mend
from sfumato.tables.pattern.rows import Rows
from sfumato.tables.pattern.substitution import DrawnPoint, Walk, draw
from sfumato.tables.pattern.table_view import TableView

__all__ = ["Sample", "Sampler"]

_MOST_BACK = 0.5
"""The largest share of a body's values that rounding may bring back to the original ones."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Values drawn for every cell, how they were drawn, and the resolution that each column has."""

    values: NDArray[np.float64]
    """One line per column, NaN where missing."""
    drawn: Sequence[DrawnPoint]
    resolution: Sequence[float]

    def diagnosis(self, walk: str) -> dict[str, Any]:
        """What the certificate says of the walk: sums over all bodies, and the worst of them."""
        if not self.drawn:
            return {"name": walk, "bodies": 0}
        slowest = max(one.autocorrelation_time for one in self.drawn)
        return {
            "name": walk,
            "bodies": len(self.drawn),
            "steps": sum(one.n_steps for one in self.drawn),
            "moving_steps": sum(one.moved for one in self.drawn),
            "autocorrelation_time": slowest if np.isfinite(slowest) else None,
            "effective_size": min(one.effective_size for one in self.drawn),
            "mixed": all(one.has_mixed for one in self.drawn),
            "smallest_slack": min(one.smallest_slack for one in self.drawn),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Sampler:
    """Draws values for a table: where they may lie, by which walk, and at which resolution."""

    view: TableView
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    """By cell."""
    walk: Walk
    steps: int | None
    resolution: Sequence[float]
    """By column; 0 for real numbers."""

    def draw(self, found: ExtractedProperties, random: Randomness, share: Share = tell_nobody) -> Sample:
        """Draw values that keep the properties; cells that `found` fixes, and columns of one value, keep theirs."""
        flat = self.view.numbers.ravel()
        moves = ~np.isnan(flat) & (self.high > self.low)
        moves[found.fixed] = False
        cells = np.flatnonzero(moves)
        number_of = np.full(len(flat), -1, dtype=np.int64)
        number_of[cells] = np.arange(len(cells))
        found_bodies = bodies(
            flat[cells], self.low[cells], self.high[cells], _over_moving_cells(found.rows, number_of, flat),
            _ties(found, number_of, len(cells)), found.names,
        )  # fmt: skip
        drawn = []
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for one in pool.map(
                lambda i: draw(found_bodies[i], self.walk, random.spawn(f"body {i}"), self.steps),
                range(len(found_bodies)),
            ):
                drawn.append(one)
                share(0.8 * len(drawn) / len(found_bodies))
        shuffled = found.blocks is not None
        return self._round_all(found_bodies, drawn, cells, portion(share, 0.8, 1.0), shuffled=shuffled)

    def _round_all(
        self, found_bodies: Sequence[Body], drawn: Sequence[DrawnPoint], cells: NDArray[np.int64], share: Share, *,
        shuffled: bool,
    ) -> Sample:  # fmt: skip
        """Round to ever finer grids until every body keeps its properties; columns that share a body go together.

        Tight properties can leave no point of a coarse grid but the original. Rounding back to that counts as a
        failure, unless records are `shuffled` afterwards.
        """
        values, kept = self.view.numbers.ravel().copy(), np.array(self.resolution, dtype=np.float64)
        lines = [np.unique(cells[body.cells] // self.view.n_rows) for body in found_bodies]
        groups = _columns_sharing_bodies(lines, len(kept))
        for number, group in enumerate(groups):
            mine = [i for i, own in enumerate(lines) if own[0] in group]
            for factor in FINER:
                share(number / len(groups))
                grid = kept.copy()
                grid[group] *= factor
                placed = [self._round_body(found_bodies[i], drawn[i], cells, grid, shuffled=shuffled) for i in mine]
                if all(each is not None for each in placed):
                    break
            kept = grid
            for i, each in zip(mine, placed, strict=True):
                body = found_bodies[i]
                values[cells[body.cells]] = each[body.members]  # type: ignore[index]
        return Sample(values.reshape(self.view.numbers.shape), drawn, kept.tolist())

    def _round_body(
        self, body: Body, one: DrawnPoint, cells: NDArray[np.int64], steps: NDArray[np.float64], *, shuffled: bool
    ) -> NDArray[np.float64] | None:
        """The variables of a body, rounded to the grids of their columns; None where no such point was found."""
        cell = np.empty(int(body.members.max()) + 1, dtype=np.int64)
        cell[body.members] = cells[body.cells]
        low, width = self.low[cell], self.high[cell] - self.low[cell]
        x = body.variables(one.point)
        grid = steps[cell // self.view.n_rows]
        if not grid.any():
            return np.clip(low + width * x, low, low + width)
        placed = round_and_mend(body.kept, x, low, width, grid)
        if placed is None or shuffled or body.n_free < 2:
            return placed
        back = float((np.abs(placed - self.view.numbers.ravel()[cell]) <= 1e-9 * width).mean())
        return None if back > _MOST_BACK else placed


def _columns_sharing_bodies(lines: Sequence[NDArray[np.int64]], n: int) -> list[list[int]]:
    """The columns in groups: two columns are together where some body has variables of both."""
    group = np.arange(n)
    for own in lines:
        group[np.isin(group, group[own])] = group[own].min()
    return [np.flatnonzero(group == first).tolist() for first in np.unique(group)]


def _over_moving_cells(rows: Rows, number_of: NDArray[np.int64], flat: NDArray[np.float64]) -> Rows:
    """The rows over the cells that move, by their numbers; what cannot move is subtracted from the bound."""
    number = number_of[rows.variable]
    fixed = number < 0
    if not fixed.any():
        return rows._replace(variable=number)
    at = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
    moved = np.bincount(at[fixed], rows.coefficient[fixed] * flat[rows.variable[fixed]], minlength=rows.n)
    counts = np.bincount(at[~fixed], minlength=rows.n)
    kept = Rows(
        np.concatenate([[0], np.cumsum(counts)]), number[~fixed], rows.coefficient[~fixed], rows.bound - moved,
        rows.equal, rows.source,
    )  # fmt: skip
    return kept.take(np.flatnonzero(counts > 0))


def _ties(found: ExtractedProperties, number_of: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """For every cell that moves, the first one that it must equal."""
    ties = np.arange(n)
    for equal in found.ties:
        inside = number_of[equal]
        inside = inside[inside >= 0]
        if len(inside):
            ties[inside] = ties[inside].min()
    while not np.array_equal(ties, ties[ties]):  # ties of ties
        ties = ties[ties]
    return ties
