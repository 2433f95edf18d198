"""How well a published table answers a data cube: the divergence of its group-by counts from the true ones.

Section 7.4 of Ghinita, Karras, Kalnis & Mamoulis, "A framework for efficient data anonymization under privacy and
accuracy constraints", TODS 34(2), 2009. For one value of a sensitive column, the records that have it are counted by
every subset of the quasi-identifiers, as in `SELECT q1, q2, COUNT(*) WHERE s = value GROUP BY q1, q2`. Level i of the
lattice holds the group-bys over exactly i columns. P is the distribution of the records over the cells of a group-by,
Q what a reader estimates of it; their distance is the Kullback-Leibler divergence, sum P log(P / Q), in nats.

A reader takes the records of a class to be spread evenly over the values that its cells cover, independently in each
column. Values are those that the cube has cells for: the distinct values of the column in the original, all ranks of an
ordinal, all leaves of a hierarchy. (Counting queries go by length instead where a column is of numbers.) A missing
value is a value of its own: half the records of a range or node `or missing` have none, in a set it is one member more,
and under `*` one value more if the column lacks any. A mean or mode is one value: that of the column nearest to it.

Where Q is 0 and P is not, the divergence would be infinite. Q is therefore mixed with a share of 1e-6 that is spread
evenly over all cells of the group-by, whatever the size of the table. It costs an estimate at most 1e-6, so that it
does not count where cells cover their records. Means need not: each record whose true cell no class shows adds up to
log(P cells / 1e-6), so that a release of means can be compared with another one of means alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.measurer import MeasureOptions
from sfumato.data.encoding import Coded, encode_series
from sfumato.data.schema import Column
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.data.values import text
from sfumato.ground.errors import DataError, ParameterError, SchemaError, suggest
from sfumato.ground.figures import Family, Measures, Note, declare
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.cells import ShownColumn
from sfumato.published.tables.class_coverage import ClassCoverage, place_classes
from sfumato.published.tables.two_tables import TwoTables
from sfumato.tables.measures.cube_kernels import Plan, Spreads, divergences
from sfumato.tables.measures.distortion import cell_numbers, code_numbers

__all__ = ["cube_divergence", "cube_value", "group_by_divergences", "measure_cube", "shown_weights"]

_AVERAGE = Family(declare(
    name="olap_kld_level_{level}", label="OLAP divergence, level {level}", group="utility", audience="owner",
    meaning="average Kullback-Leibler divergence of counts {by} from the true ones; 0 is exact",
))  # fmt: skip
_LARGEST = Family(declare(
    name="olap_kld_level_{level}_max", label="OLAP divergence, level {level}, largest", group="utility",
    meaning="largest Kullback-Leibler divergence of counts {by} from the true ones; 0 is exact", audience="owner",
))  # fmt: skip

_SMOOTH = 1e-6
_ALL_LEVELS = 7
"""The most quasi-identifiers for which all levels are measured by default; of more, the first three levels."""
_MOST_GROUP_BYS = 200
"""The most group-bys that are measured at a level; of more, this many are drawn."""
_MOST_STEPS = 1_000_000_000
"""The most classes looked at in all; where that is not enough, only a sample of the records is looked up."""


def measure_cube(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    asked: MeasureOptions,
    *,
    permuted: TwoTables | None = None,
    classes: ClassCoverage | None = None,
) -> Measures:
    """The divergence at the levels of the data cube that are asked for; no figures where none is.

    What is counted is the most frequent value of the label. Of two tables (`permuted`), a row has the value with the
    probability that its group gives it.
    """
    if not asked.olap_levels:
        return Measures()
    column, weights = _counted_column(published, forms, original, asked.label, permuted)
    return cube_divergence(original, published, forms, weights, column, levels=asked.olap_levels, classes=classes)


def cube_divergence(
    original: Table,
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    weights: NDArray[np.float64],
    column: str,
    value: Any = None,
    levels: Sequence[int] | None = None,
    *,
    classes: ClassCoverage | None = None,
) -> Measures:
    """The divergence of the data cube by level: `olap_kld_level_1` on average over its group-bys, and their maximum.

    `weights[i]` is the probability that the record of published row i has the `value` of the sensitive `column`: see
    `shown_weights` where that column is published. Without a value, the most frequent one is counted. `levels` are all
    of them up to 7 quasi-identifiers, and 1 to 3 for more. `classes` saves placing the cells again.

    No cube is ever built: a group-by is estimated at the cells that hold records, from the classes that cover them. Of
    levels with more than 200 group-bys 200 are drawn, and where the work gets out of hand a share of the records is
    looked up; both are the same every time, and a note says so. O(cells x classes) for each group-by at worst, and far
    less where classes are small.
    """
    placed = classes if classes is not None else place_classes(published, forms, original)
    wanted = _check_levels(levels, len(placed.columns))
    found, notes = _measure_group_bys(original, placed, weights, column, value, wanted)
    if not found:
        return Measures()
    which = "the most frequent value" if value is None else "one value"
    notes = [
        f"olap_kld: counts of {which} of {column!r} by all sets of so many quasi-identifiers; the estimate is mixed "
        f"with a share {_SMOOTH:g} spread over all cells",
        *notes,
    ]
    figures = []
    for level in wanted:
        here = [divergence for columns, divergence in found.items() if len(columns) == level]
        by = f"by {level} quasi-identifier{'s' if level > 1 else ''}"
        figures += [
            _AVERAGE.member(level=level, by=by).of(math.fsum(here) / len(here)),
            _LARGEST.member(level=level, by=by).of(max(here)),
        ]
    single = {columns[0]: divergence for columns, divergence in found.items() if len(columns) == 1}
    by_column = {"olap_kld_level_1": single} if 1 in wanted else {}
    return Measures(figures, by_column=by_column, notes=[Note(note, "owner") for note in notes])


def group_by_divergences(
    original: Table,
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    weights: NDArray[np.float64],
    column: str,
    value: Any = None,
    levels: Sequence[int] | None = None,
    *,
    classes: ClassCoverage | None = None,
) -> dict[tuple[str, ...], float]:
    """The divergence of every group-by on its own; parameters as for `cube_divergence`."""
    placed = classes if classes is not None else place_classes(published, forms, original)
    return _measure_group_bys(original, placed, weights, column, value, _check_levels(levels, len(placed.columns)))[0]


def _measure_group_bys(
    original: Table,
    placed: ClassCoverage,
    weights: NDArray[np.float64],
    column: str,
    value: Any,
    levels: Sequence[int],
) -> tuple[dict[tuple[str, ...], float], list[str]]:
    """The divergence of every group-by, in the order of the levels, and notes on how it was found."""
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != placed.of_row.shape:
        raise ParameterError(
            f"weights must have one entry for each of {len(placed.of_row):,} rows, got {weights.shape}"
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ParameterError("weights must be probabilities, and some are negative or not finite")
    coded = _encode_column(original, column)
    holders = np.flatnonzero(coded.codes == _code_of(coded, value))
    d = len(placed.columns)
    notes: list[str] = []
    if not levels or not len(holders):
        return {}, notes
    chosen = {level: _group_bys(d, level) for level in levels}
    for level, group_bys in chosen.items():
        if len(group_bys) < math.comb(d, level):
            notes.append(
                f"olap_kld_level_{level}: {len(group_bys)} of {math.comb(d, level):,} group-bys, drawn at random"
            )
    by_class = np.bincount(placed.of_row, weights=weights, minlength=placed.n_classes)
    held = np.flatnonzero(by_class)
    spreads, n_snapped = _spreads(placed, held)
    if n_snapped:
        notes.append("olap_kld: a mean counts as the value of its column that is nearest to it")
    masses = by_class[held].astype(np.float64) / (by_class.sum() or 1.0)
    n_values = np.array([c.coded.n_codes + c.coded.has_missing for c in placed.columns], dtype=np.float64)
    rank = _column_ranks(spreads, n_values)
    plan, node_of = _plan(itertools.chain(*chosen.values()), rank, n_values)
    codes = np.stack([c.coded.codes[holders] for c in placed.columns])
    found, n_looked_up = _walk(spreads, masses, codes, plan)
    if n_looked_up < len(holders):
        notes.append(f"olap_kld: {n_looked_up:,} of {len(holders):,} records looked up, drawn at random, to save time")
    names = [c.name for c in placed.columns]
    return {
        tuple(names[c] for c in group_by): max(0.0, float(found[node_of[group_by]]))
        for group_by in itertools.chain(*chosen.values())
    }, notes


def _walk(
    spreads: Spreads, masses: NDArray[np.float64], codes: NDArray[np.int32], plan: Plan
) -> tuple[NDArray[np.float64], int]:
    """The divergence at every node of the plan, and how many records were looked up for it.

    All of them are tried first; where that takes too many steps, a quarter, and so on.
    """
    n = codes.shape[1]
    smooth = _SMOOTH if len(masses) else 1.0  # whoever is shown no such record can take any cell to be as likely
    order = Randomness(0).spawn("records").permutation(n)
    n_looked_up = n
    while True:
        is_looked_up = np.zeros(n, dtype=np.bool_)
        is_looked_up[order[:n_looked_up]] = True
        most = _MOST_STEPS if n_looked_up > 1 else np.iinfo(np.int64).max
        found, n_steps = divergences(spreads, masses, codes, is_looked_up, plan, smooth, most)
        if n_steps <= most:
            return found, n_looked_up
        n_looked_up = max(1, n_looked_up // 4)


# -- what is counted -------------------------------------------------------------------------------------


def _counted_column(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    label: str | None,
    permuted: TwoTables | None = None,
) -> tuple[str, NDArray[np.float64]]:
    """The column whose most frequent value the data cube counts, and how likely each published row has that value."""
    column = label if label is not None else next(iter(original.schema.sensitive), None)
    if column is None:
        raise ParameterError("olap_levels counts a sensitive value, and no column is sensitive; name one with label")
    if permuted is not None and column in permuted.sensitive.columns:
        value = cube_value(original, column, dtype=permuted.sensitive[column].dtype)
        return column, permuted.row_weights(column, value)
    if column in forms or column not in published.columns:
        raise ParameterError(
            f"olap_levels counts the values of {column!r}, which is not published as it is; name another with label"
        )
    return column, shown_weights(original, published, column)


def cube_value(original: Table, column: str, value: Any = None, dtype: pl.DataType | None = None) -> Any:
    """A value of a column (by default the most frequent one) as its records have it, or as one of type `dtype`.

    Of equally frequent values it is the first in the order of the column.
    """
    return _cell_with_value(original, column, value, dtype).item()


def shown_weights(original: Table, published: pl.DataFrame, column: str, value: Any = None) -> NDArray[np.float64]:
    """By published row: 1 where it shows the value (by default the most frequent one) in the column, else 0."""
    if column not in published.columns:
        raise SchemaError(f"column {column!r} is not published{suggest(column, published.columns)}")
    shown = published[column]
    same = shown == _cell_with_value(original, column, value, shown.dtype)
    return same.fill_null(value=False).to_numpy().astype(np.float64)


def _cell_with_value(original: Table, column: str, value: Any, dtype: pl.DataType | None) -> pl.Series:
    """A value of a column as a series of one cell: that of the first record that has it, or of type `dtype`."""
    coded = _encode_column(original, column)
    holder = int(np.argmax(coded.codes == _code_of(coded, value)))
    held = original.frame[column][holder : holder + 1]
    if dtype is not None:
        held = held.cast(dtype, strict=False)
    if held.null_count():
        raise DataError(f"column {column!r} is published as {dtype}, which cannot hold the values of the original")
    return held


def _encode_column(original: Table, column: str) -> Coded:
    if column not in original.columns:
        raise SchemaError(f"no column is called {column!r}{suggest(column, original.columns)}")
    return encode_series(original.frame[column], original.schema.column(column))


def _code_of(coded: Coded, value: Any) -> int:
    """The code of a value; by default of the most frequent one."""
    if value is None:
        present = coded.codes[coded.codes >= 0]
        if not len(present):
            raise ParameterError(f"column {coded.name!r} holds no value to count")
        return int(np.bincount(present).argmax())
    wanted = text(value)
    code = next((code for code, known in enumerate(coded.values.to_list()) if text(known) == wanted), -1)
    if not (coded.codes == code).any() or code < 0:
        raise ParameterError(f"column {coded.name!r} does not hold the value that is to be counted")
    return code


def _check_levels(levels: Sequence[int] | None, d: int) -> list[int]:
    if levels is None:
        return list(range(1, (d if d <= _ALL_LEVELS else 3) + 1))
    for level in levels:
        if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 1 <= level <= d:
            raise ParameterError(f"levels of the cube go from 1 to {d}, the quasi-identifiers there are; got {level!r}")
    return sorted({int(level) for level in levels})


def _group_bys(d: int, level: int) -> list[tuple[int, ...]]:
    """All sets of `level` of the `d` columns; where these are too many, a random sample, the same every time."""
    if math.comb(d, level) <= _MOST_GROUP_BYS:
        return list(itertools.combinations(range(d), level))
    stream = Randomness(0).spawn(f"level {level} of {d}")
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < _MOST_GROUP_BYS:
        drawn[tuple(sorted(stream.permutation(d)[:level].tolist()))] = None
    return sorted(drawn)


def _plan(
    group_bys: Any, rank: NDArray[np.int64], n_values: NDArray[np.float64]
) -> tuple[Plan, dict[tuple[int, ...], int]]:
    """The group-bys as a tree (columns of low rank first), and the node of each group-by."""
    column, child, sibling, n_cells = [-1], [-1], [-1], [1.0]
    nodes: dict[tuple[int, ...], int] = {(): 0}
    node_of = {}
    for group_by in group_bys:
        path = tuple(sorted(group_by, key=lambda c: rank[c]))
        for depth in range(1, len(path) + 1):
            if path[:depth] not in nodes:
                parent = nodes[path[: depth - 1]]
                nodes[path[:depth]] = len(column)
                sibling.append(child[parent])
                child[parent] = len(column)
                column.append(path[depth - 1])
                child.append(-1)
                n_cells.append(n_cells[parent] * n_values[path[depth - 1]])
        node_of[group_by] = nodes[path]
    tree = [np.array(each, dtype=np.int64) for each in (column, child, sibling)]
    return Plan(tree[0], tree[1], tree[2], np.array(n_cells, dtype=np.float64)), node_of


# -- what is estimated -----------------------------------------------------------------------------------


def _column_ranks(spreads: Spreads, n_values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The rank of each column: first those of which classes cover the smallest share, so that few classes are left."""
    if not spreads.low.shape[1]:
        return np.arange(len(n_values))
    covered = (1.0 / np.maximum(spreads.share, spreads.missing).clip(1e-300)).mean(axis=1) / n_values
    return np.argsort(np.argsort(covered, kind="stable"), kind="stable").astype(np.int64)


def _spreads(placed: ClassCoverage, held: NDArray[np.int64]) -> tuple[Spreads, int]:
    """How the records of the classes `held` are spread over values, and how many cells count as the nearest value."""
    n_snapped, parts, at = 0, [], 0
    members: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    for c, (column, spec) in enumerate(zip(placed.columns, placed.specs, strict=True)):
        low, high, lists = column.low.copy(), column.high.copy(), column.members
        if lists is None and column.form == "value":
            n_snapped += _snap(column, spec, low, high)
        everything = np.array([cell.everything for cell in column.cells], dtype=bool)
        n_covered = np.maximum(high - low + 1, 0)
        start, stop = np.zeros(len(low), dtype=np.int64), np.zeros(len(low), dtype=np.int64)
        for i, codes in enumerate(lists or ()):
            n_covered[i] = len(codes)
            low[i], high[i] = (codes[0], codes[-1]) if len(codes) else (1, 0)
            if len(codes) and len(codes) <= high[i] - low[i]:
                start[i], stop[i] = at, at + len(codes)
                members.append(codes)
                at += len(codes)
        or_missing = column.missing & ~everything
        one_more, halved = everything & column.coded.has_missing, or_missing & (lists is None)
        if lists is not None:
            one_more = one_more | or_missing
        share = np.divide(1.0, n_covered + one_more, out=np.zeros(len(low)), where=n_covered + one_more > 0)
        missing = np.where(one_more, share, 0.0)
        missing = np.where(halved, np.where(n_covered > 0, 0.5, 1.0), missing)
        share = np.where(halved, 0.5 * share, share)
        parts.append([each[placed.cell[c][held]] for each in (low, high, share, missing, start, stop)])
    low, high, share, missing, start, stop = (np.stack(each) for each in zip(*parts, strict=True))
    return Spreads(low, high, share, missing, start, stop, np.concatenate(members)), n_snapped


def _snap(column: ShownColumn, spec: Column, low: NDArray[np.int64], high: NDArray[np.int64]) -> int:
    """Make cells that show a number which the column lacks cover the nearest one that it has; how many such there are.

    Changes `low` and `high`.
    """
    numbers = code_numbers(column.coded, spec)
    if numbers is None or np.isnan(numbers).all():
        return 0
    shown, _ = cell_numbers(column, spec, numbers)
    off = np.flatnonzero((low > high) & ~np.isnan(shown))
    codes = np.flatnonzero(~np.isnan(numbers))
    codes = codes[np.argsort(numbers[codes], kind="stable")]
    known = numbers[codes]
    after = np.searchsorted(known, shown[off]).clip(0, len(known) - 1)
    before = (after - 1).clip(0)
    nearest = np.where(shown[off] - known[before] <= known[after] - shown[off], before, after)
    low[off] = high[off] = codes[nearest]
    return len(off)
