"""The set of all values that keep the properties: merged, scaled, cut into independent bodies, and made full.

Values that must be equal are one variable. The rest of the equalities, asked for or implied, are eliminated, so that
every body has an interior. Columns are scaled to their bounds. Bodies that share no row are drawn independently, which
loses nothing: the uniform law of a product is the product of the uniform laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import InfeasibleError
from sfumato.tables.pattern.centre import slacks
from sfumato.tables.pattern.rows import Rows, stack, values_of

__all__ = ["Body", "bodies"]

_FLAT = 1e-9
"""Slack, relative to the bounds of a column, below which a row leaves no room."""


@dataclass(frozen=True, eq=False)
class Body:
    """A full-dimensional polytope in unit coordinates, and how its points become values.

    The free variables y satisfy `rows`; the variables x = offset + combine @ y satisfy `kept`, and variable v is that
    of `cells[members == v]`. A value is `low + width * x`.
    """

    rows: Rows
    kept: Rows
    """The properties, equalities among them, over all variables."""
    start: NDArray[np.float64]
    """A point strictly inside, in free variables."""
    data: NDArray[np.float64]
    """Where the original lies, in free variables."""
    offset: NDArray[np.float64]
    combine: NDArray[np.float64] | None
    """None where every variable is free."""
    cells: NDArray[np.int64]
    members: NDArray[np.int64]

    @property
    def n_free(self) -> int:
        """How many variables can move."""
        return len(self.start)

    def variables(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """All variables at a point."""
        return y if self.combine is None else self.offset + self.combine @ y


def bodies(
    values: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    rows: Rows,
    ties: NDArray[np.int64],
    names: Sequence[str],
) -> list[Body]:
    """Cut the cells into independent bodies.

    `values`, `low` and `high` are per cell; `ties` gives each cell the number of the cell it must equal (itself, where
    free). `names` are those of the properties, for messages.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    variable_of, first = _number_variables(ties)
    n = len(first)
    unit_rows = _in_units(rows, variable_of, low, high)
    at = np.repeat(np.arange(unit_rows.n), np.diff(unit_rows.indptr))
    heads = unit_rows.variable[unit_rows.indptr[:-1]] if unit_rows.n else np.empty(0, np.int64)
    links = coo_array((np.ones(len(at), np.int8), (unit_rows.variable, heads[at])), shape=(n, n))
    n_bodies, body_of = connected_components(links, directed=False)
    width = high[first] - low[first]
    data = (values[first] - low[first]) / width
    result = []
    row_body = body_of[heads] if unit_rows.n else np.empty(0, np.int64)
    by_body = np.argsort(row_body, kind="stable")
    row_edges = np.searchsorted(row_body[by_body], np.arange(n_bodies + 1))
    variables = np.argsort(body_of, kind="stable")
    edges = np.searchsorted(body_of[variables], np.arange(n_bodies + 1))
    cell_order = np.argsort(body_of[variable_of], kind="stable")
    cell_edges = np.searchsorted(body_of[variable_of][cell_order], np.arange(n_bodies + 1))
    local = np.empty(n, dtype=np.int64)
    for b in range(n_bodies):
        mine = variables[edges[b] : edges[b + 1]]
        local[mine] = np.arange(len(mine))
        part = unit_rows.take(by_body[row_edges[b] : row_edges[b + 1]])
        part = part._replace(variable=local[part.variable])
        cells = cell_order[cell_edges[b] : cell_edges[b + 1]]
        result.append(_body(part, data[mine], cells, local[variable_of[cells]], names))
    return result


def _number_variables(ties: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the variables: the variable of every cell, and the first cell of every variable."""
    first, variable_of = np.unique(ties, return_inverse=True)
    return variable_of.astype(np.int64), first.astype(np.int64)


def _in_units(rows: Rows, variable_of: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64]) -> Rows:
    """The rows over variables in [0, 1], each divided by its largest coefficient; entries of one variable are added."""
    if not rows.n:
        return rows
    at = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
    shift = np.bincount(at, rows.coefficient * low[rows.variable], minlength=rows.n)
    coefficient = rows.coefficient * (high - low)[rows.variable]
    n = int(variable_of.max()) + 1
    keys, inverse = np.unique(at * n + variable_of[rows.variable], return_inverse=True)
    summed = np.bincount(inverse, coefficient)
    largest = np.zeros(rows.n)
    np.maximum.at(largest, at, np.abs(coefficient))
    kept = np.abs(summed) > 1e-12 * largest[keys // n]  # what cancels is gone
    keys, summed = keys[kept], summed[kept]
    owner = keys // n
    scale = np.zeros(rows.n)
    np.maximum.at(scale, owner, np.abs(summed))
    full = scale > 0.0
    renumber = np.cumsum(full) - 1
    indptr = np.concatenate([[0], np.cumsum(np.bincount(renumber[owner], minlength=int(full.sum())))])
    return Rows(
        indptr=indptr.astype(np.int64), variable=keys % n, coefficient=summed / scale[owner],
        bound=((rows.bound - shift)[full] / scale[full]), equal=rows.equal[full], source=rows.source[full],
    )  # fmt: skip


def _body(
    rows: Rows, data: NDArray[np.float64], cells: NDArray[np.int64], members: NDArray[np.int64], names: Sequence[str]
) -> Body:
    """One body with an interior: equalities are eliminated, and a point strictly inside is found."""
    n = len(data)
    walls = rows.take(np.flatnonzero(~rows.equal))
    walls = stack([walls, *_box(walls, data)])
    offset, combine, free = np.zeros(n), None, np.arange(n)
    if rows.equal.any():
        offset, combine, free = _eliminate(rows.take(np.flatnonzero(rows.equal)), n)
        walls = _substitute(walls, offset, combine)
    start = _bend_inside(walls, data[free]) if len(free) else data[free]
    if start is None:
        start, flat = _inside(walls, len(free))
        if flat.size:  # some rows leave no room: they are equalities
            also = walls.take(flat)._replace(equal=np.ones(len(flat), dtype=bool))
            inner_offset, inner, still = _eliminate(also, len(free))
            rest = np.setdiff1d(np.arange(walls.n), flat)
            walls = _substitute(walls.take(rest), inner_offset, inner)
            full = np.eye(len(free)) if combine is None else combine
            offset = (np.zeros(n) if combine is None else offset) + full @ inner_offset
            combine, free, start = full @ inner, free[still], start[still]
    if not len(free):
        pinned = sorted({names[source] for source in rows.source})
        raise InfeasibleError(
            f"the properties {_some(pinned)} leave no room: only the original values keep them all; keep fewer"
        )
    return Body(
        rows=walls, kept=rows, start=start, data=data[free], offset=offset, combine=combine, cells=cells,
        members=members,
    )  # fmt: skip


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _box(rows: Rows, data: NDArray[np.float64]) -> list[Rows]:
    """The rows 0 <= x and x <= 1 of variables that no row of order bounds already by a lower or a higher variable."""
    n = len(data)
    pairs = np.flatnonzero((np.diff(rows.indptr) == 2) & (rows.bound <= 0.0))
    a, b = rows.indptr[pairs], rows.indptr[pairs] + 1
    ordered = rows.coefficient[a] * rows.coefficient[b] == -1.0
    pairs, a, b = pairs[ordered], a[ordered], b[ordered]
    up = rows.coefficient[a] > 0  # x_a - x_b <= 0
    lower = np.where(up, rows.variable[a], rows.variable[b])
    upper = np.where(up, rows.variable[b], rows.variable[a])
    rising = data[lower] < data[upper]  # no circles
    needs_floor, needs_ceiling = np.ones(n, dtype=bool), np.ones(n, dtype=bool)
    needs_floor[upper[rising]] = False
    needs_ceiling[lower[rising]] = False
    floors, ceilings = np.flatnonzero(needs_floor), np.flatnonzero(needs_ceiling)
    return [
        Rows.of(floors[:, None], [-1.0], 0.0, source=-1) if len(floors) else _nothing(),
        Rows.of(ceilings[:, None], [1.0], 1.0, source=-1) if len(ceilings) else _nothing(),
    ]


def _nothing() -> Rows:
    return stack([])


def _bend_inside(rows: Rows, data: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """A point strictly inside: the data, slightly bent and shrunk, so that equal distances differ; None if none is."""
    best, found = _FLAT, None
    norms = np.sqrt(np.maximum.reduceat(np.append(rows.coefficient**2, 0.0), rows.indptr[:-1])) if rows.n else 1.0
    for bow in (0.3, 0.03, 3e-3, 3e-4, 3e-5, 3e-6):
        bowed = (data + bow * data**2) / (1.0 + bow)
        for middle in (0.5, float(bowed.mean())):
            for shrink in (0.5, 0.9, 0.99):
                x = middle + shrink * (bowed - middle)
                room = slacks(rows.indptr, rows.variable, rows.coefficient, rows.bound, x) / norms
                if float(room.min(initial=np.inf)) > best:
                    best, found = float(room.min(initial=np.inf)), x
    return found


def _matrix(rows: Rows, n: int) -> Any:
    from scipy.sparse import csr_array

    return csr_array((rows.coefficient, rows.variable, rows.indptr), shape=(rows.n, n))


def _inside(rows: Rows, n: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A point with room at every row that can have any, and the rows that cannot, by one linear program.

    Freund, Roundy & Todd, "Identifying the set of always-active constraints", MIT Sloan WP 1674-85, 1985: maximise
    sum t over A x + t <= s b, 0 <= t <= 1, s >= 1.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, eye_array, hstack

    m = rows.n
    system = hstack([_matrix(rows, n), coo_array(-rows.bound[:, None]), eye_array(m)]).tocsr()
    solved = linprog(
        np.concatenate([np.zeros(n + 1), -np.ones(m)]), A_ub=system, b_ub=np.zeros(m),
        bounds=[(None, None)] * n + [(1.0, None)] + [(0.0, 1.0)] * m, method="highs",
    )  # fmt: skip
    if solved.x is None:
        raise InfeasibleError(f"no interior point was found: {solved.message}")
    x = solved.x[:n] / solved.x[n]
    room = slacks(rows.indptr, rows.variable, rows.coefficient, rows.bound, x)
    return x, np.flatnonzero((solved.x[n + 1 :] < 0.5) & (room < _FLAT))


def _eliminate(equal: Rows, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Solve the equalities for as few variables as possible: x = offset + combine @ x[free]."""
    system = np.hstack([_matrix(equal, n).toarray(), equal.bound[:, None]])
    pivots: list[int] = []
    for row in range(min(equal.n, n)):
        rest = np.abs(system[row:, :n])
        if not rest.size or rest.max() < 1e-9:
            break
        i, j = divmod(int(np.argmax(rest)), n)
        system[[row, row + i]] = system[[row + i, row]]
        system[row] /= system[row, j]
        others = np.arange(len(system)) != row
        system[others] -= np.outer(system[others, j], system[row])
        pivots.append(j)
    free = np.setdiff1d(np.arange(n), pivots)
    offset, combine = np.zeros(n), np.zeros((n, len(free)))
    combine[free, np.arange(len(free))] = 1.0
    for at, pivot in enumerate(pivots):
        offset[pivot] = system[at, n]
        combine[pivot] = -system[at, free]
    return offset, combine, free


def _substitute(rows: Rows, offset: NDArray[np.float64], combine: NDArray[np.float64]) -> Rows:
    """The rows in the free variables, x = offset + combine @ y put in; rows without any variable left are dropped."""
    from scipy.sparse import csr_array

    matrix = _matrix(rows, len(offset))
    reduced = csr_array(matrix @ csr_array(combine))
    reduced.data[np.abs(reduced.data) < 1e-12] = 0.0
    reduced.eliminate_zeros()
    reduced.sort_indices()
    full = np.flatnonzero(np.diff(reduced.indptr) > 0)
    bound = rows.bound - values_of(rows.indptr, rows.variable, rows.coefficient, offset)
    result = Rows(
        reduced.indptr.astype(np.int64), reduced.indices.astype(np.int64), reduced.data.astype(np.float64), bound,
        rows.equal, rows.source,
    )  # fmt: skip
    return result.take(full)
