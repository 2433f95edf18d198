"""NoisyCounts: how many records have which values, each count with so much noise that one record hardly shows in it.

Dwork, McSherry, Nissim & Smith, "Calibrating noise to sensitivity in private data analysis", TCC 2006. Noise is
OpenDP's, drawn from the system's generator: a discrete Laplace draw for every cell, on whole numbers, so that no
rounding tells anything. One record is in one cell of a marginal: noise of scale s spends 1 / s, and a budget epsilon
is split evenly among marginals.

Which cells there are must be known without the data, as a list of values that were found would tell that somebody has
them. Where keys are not public, those found in the data are counted, and shown where the noisy count reaches a
threshold so high that a key which one record alone has is shown with probability delta at most. OpenDP's own delta for
whole numbers leaves out a draw that reaches the threshold exactly (opendp/opendp issue 2922): the threshold here is
chosen by the exact probability.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.hierarchy_rules import Paths
from sfumato.data.persons import codes_of, is_remark, repeats_of
from sfumato.data.table import Table
from sfumato.data.values import SUPPRESSED, text
from sfumato.ground.discrete_laplace import upper_tail
from sfumato.ground.errors import DataError, ParameterError, SchemaError, suggest
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import told
from sfumato.privacy.differential_privacy import DifferentialPrivacy, Neighbours, records_apart
from sfumato.privacy.promise import Promise
from sfumato.published.tables.counted_cells import (
    ELSE,
    MOST_CELLS,
    NUMBERS,
    CountedCells,
    Marginal,
    are_edges,
    is_writable,
)
from sfumato.tables.counting.opendp_counts import OpenDPCounts

__all__ = ["NoisyCounts"]

_SURE = 1.0 - 1e-9
"""Delta is reached from below by so much, so that rounding never takes it above."""

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class NoisyCounts(Method):
    """Publish how many records have each combination of values, with noise; no record is published.

    `by` names the columns to count by; a list of lists counts by each of them, and splits `epsilon` evenly. Their keys
    must be public: `values` lists them by column, `bins` gives the edges of bins of numbers, and where neither does,
    the schema's hierarchy (its leaves) or order is taken. Records with other values, or none, are counted in one cell
    called *everything else*; every record is counted, also one that other methods withhold. With `delta`, columns may
    lack public keys: those found in the data are shown where enough records have them.

    `neighbours` says what is hidden: whether a record was `added or removed`, or whether the values of one were
    `changed`, which takes twice the noise. Needs OpenDP (`pip install 'sfumato[dp]'`). No seed repeats its noise.

    >>> import sfumato as sf
    >>> sf.NoisyCounts(by=["sex"], values={"sex": ["f", "m"]}, epsilon=0.5)
    NoisyCounts(by=('sex',), epsilon=0.5, values={'sex': ('f', 'm')}, bins={}, delta=0.0, neighbours='added or removed')
    """

    recommended = "where counts are asked for, and records are not"
    example = 'by = ["sex"]\nepsilon = 1\n[values]\nsex = ["f", "m"]\n'
    compared = ()
    repeatable = False
    needs_library = "opendp"

    by: tuple[Any, ...]
    epsilon: float = 1.0
    values: Mapping[str, tuple[str, ...]] | None = None
    bins: Mapping[str, tuple[float, ...]] | None = None
    delta: float = 0.0
    neighbours: Neighbours = "added or removed"

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "by", _columns_by(self.by))
        _ = self._own_promise
        object.__setattr__(self, "values", _listed("values", self.values, "['f', 'm']", _key_list))
        object.__setattr__(self, "bins", _listed("bins", self.bins, "[0, 18, 65, 120]", _edge_list))
        named = [name for each in self.marginals for name in each]
        for what, given in (("values", self.values), ("bins", self.bins)):
            stray = next((name for name in given or () if name not in named), None)
            if stray is not None:
                raise ParameterError(f"{what} are given of {stray!r}, which is not counted by{suggest(stray, named)}")
        both = next((name for name in self.values or () if name in (self.bins or ())), None)
        if both is not None:
            raise ParameterError(f"column {both!r} has values and bins; give one of them")

    @property
    def marginals(self) -> tuple[tuple[str, ...], ...]:
        """The columns that each marginal is by."""
        return self.by if self.by and not isinstance(self.by[0], str) else (self.by,)

    @property
    def _own_promise(self) -> DifferentialPrivacy:
        return DifferentialPrivacy(self.epsilon, self.delta, self.neighbours)

    def promise_for(self, promise: Promise | None) -> Promise:
        """The promise of the release: that of its parameters unless one is given; other promises are refused."""
        for part in promise.parts if promise is not None else ():
            if not isinstance(part, DifferentialPrivacy):
                raise ParameterError(
                    f"NoisyCounts keeps DifferentialPrivacy alone, not {part!r}; leave the promise out"
                )
        return promise if promise is not None else self._own_promise

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Count the records of every cell and add a draw to each count."""
        self.promise_for(promise)
        _refuse_repeated_withheld(table)
        values = self._public_values(table)
        cells = CountedCells(self.neighbours, self._chosen_marginals(values), values, dict(self.bins or {}))
        for each in cells.marginals:
            _refuse_many(cells, each)
        progress.step("counting records")
        mechanism = OpenDPCounts(records_apart(self.neighbours))
        frames = []
        for i, each in enumerate(cells.marginals):
            progress.share(i / len(cells.marginals))
            made = _known_keys(cells, each, table, mechanism) if each.threshold is None else (
                _found_keys(cells, each, table, mechanism)
            )  # fmt: skip
            margin = each.margin
            frames.append(made.with_columns(low=pl.col("count") - margin, high=pl.col("count") + margin))
        progress.step("arranging cells")
        public = {
            "neighbours": self.neighbours,
            "marginals": [
                {"by": list(each.by), "scale": each.scale}
                | ({} if each.threshold is None else {"threshold": each.threshold})
                for each in cells.marginals
            ],
            "values": {name: list(each) for name, each in values.items()},
            "bins": {name: list(each) for name, each in cells.bins.items()},
        }
        return Outcome(frame=pl.concat(frames), rows=np.zeros(0, dtype=np.int64), public={"noisy_counts": public})

    def _chosen_marginals(self, values: Mapping[str, tuple[str, ...]]) -> tuple[Marginal, ...]:
        """The marginals with the scale of their noise, and a threshold where keys are not public."""
        known = {*values, *(self.bins or ())}
        scale = _least_scale(Fraction(str(self.epsilon)), len(self.marginals) * records_apart(self.neighbours))
        found = [by for by in self.marginals if not set(by) <= known]
        threshold = _least_threshold(scale, self.delta / len(found)) if found else None
        return tuple(Marginal(by, scale, threshold if by in found else None) for by in self.marginals)

    def _public_values(self, table: Table) -> dict[str, tuple[str, ...]]:
        """The keys of every column that has some which are public, but for those in bins."""
        known = dict(self.values or {})
        for name in dict.fromkeys(name for by in self.marginals for name in by):
            if name not in table.columns:
                raise SchemaError(f"the table has no column {name!r}{suggest(name, table.columns)}")
            if name in table.schema.identifier:
                raise SchemaError(f"column {name!r} is an identifier, and is not published; leave it out")
            if name in NUMBERS:
                raise SchemaError(f"column {name!r} is called as a number of the result is; rename it")
            if table.frame[name].dtype.is_nested() or table.frame[name].dtype == pl.Object:
                raise SchemaError(f"column {name!r} holds lists or objects, which are not counted by; leave it out")
            if name in (self.bins or {}):
                if not table.frame[name].dtype.is_numeric():
                    raise SchemaError(f"column {name!r} holds no numbers, and bins are of numbers; list its values")
            elif name not in known and (keys := _keys_of_schema(table, name)) is not None:
                known[name] = keys
            elif name not in known and not self.delta:
                raise ParameterError(_not_public(table, name))
        return {name: known[name] for name in known}


# -- parameters ------------------------------------------------------------------------------------------------------
def _columns_by(given: Any) -> tuple[Any, ...]:
    """The columns of one marginal, or those of several."""
    if isinstance(given, str) or not isinstance(given, list | tuple):
        raise ParameterError(f"by must be a list of columns, as in ['sex', 'region'], got {told(given)}")
    if all(isinstance(each, str) for each in given):
        return _distinct(given)
    if not all(isinstance(each, list | tuple) and all(isinstance(name, str) for name in each) for each in given):
        raise ParameterError(f"by must be a list of columns, or a list of such lists, got {told(given)}")
    marginals = tuple(map(_distinct, given))
    if len(set(map(frozenset, marginals))) < len(marginals):
        raise ParameterError("by names the same columns twice; name each marginal once, or its budget is spent twice")
    return marginals


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ParameterError(f"by names column {twice!r} twice; name it once")
    return tuple(names)


def _listed(what: str, given: Any, example: str, read: Any) -> dict[str, Any]:
    """The parameter as a mapping from columns to lists that were read; empty where it was left out."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ParameterError(f"{what} must be given by column, as in {{'name': {example}}}, got {told(given)}")
    return {name: read(name, each) for name, each in given.items()}


def _key_list(name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise ParameterError(f"the values of {name!r} must be a list, got {told(given)}")
    keys = tuple(text(each) for each in given)
    if not keys:
        raise ParameterError(f"the values of {name!r} are an empty list; list those that may occur")
    twice = (
        next((key for i, key in enumerate(keys) if key in set(keys[:i])), None) if len(set(keys)) < len(keys) else None
    )
    if twice is not None:
        raise ParameterError(f"the values of {name!r} list {twice!r} twice; list each once")
    odd = next((key for key in keys if key in (SUPPRESSED, ELSE, "")), None)
    if odd is not None:
        raise ParameterError(f"the values of {name!r} list {odd!r}, which has a meaning of its own here; rename it")
    broken = next((key for key in keys if not is_writable(key)), None)
    if broken is not None:
        raise ParameterError(
            f"the values of {name!r} list {broken!r}, which no file can hold; list texts of whole signs"
        )
    return keys


def _edge_list(name: str, given: Any) -> tuple[float, ...]:
    if not are_edges(given):
        raise ParameterError(
            f"the bins of {name!r} must be two or more rising numbers, as in [0, 18, 65, 120], whole ones up to 2**53; "
            f"got {told(given)}"
        )
    return tuple(given)


def _refuse_repeated_withheld(table: Table) -> None:
    """Refuse persons with several rows among those that lack a value: here they are counted, and elsewhere withheld."""
    names = [name for name in table.schema.identifier if name in table.columns and not is_remark(table.frame[name])]
    if table.schema.rows_are_persons or len(table.complete) == len(table):
        return
    if repeats_of(names, [codes_of(table.frame[name]) for name in names]):
        raise DataError(
            f"{', '.join(map(repr, names))} repeats in rows that lack a value, which are counted too; give each person "
            f"one row, or, if every row is another person all the same, say rows_are_persons = true in the schema"
        )


# -- keys ------------------------------------------------------------------------------------------------------------
def _keys_of_schema(table: Table, name: str) -> tuple[str, ...] | None:
    """The keys that the schema declares: the order of a column, or the leaves of a hierarchy that is written out.

    A hierarchy that was fitted to a column has that column's own values for leaves, which are not public. It says so
    itself: the data are not asked, or whether one record is there would decide.
    """
    column = table.schema.columns.get(name)
    if column is None:
        return None
    if column.order is not None:
        return column.order
    if not isinstance(column.hierarchy, Paths) or column.hierarchy.fitted:
        return None
    leaves = tuple(dict.fromkeys(path[0] for path in column.hierarchy.paths))
    return None if {SUPPRESSED, ELSE, ""} & set(leaves) else leaves


def _not_public(table: Table, name: str) -> str:
    """Say that a column has no public keys, with the ways out."""
    if table.frame[name].dtype.is_numeric():
        way = f"give bins={{{name!r}: [...]}} or values={{{name!r}: [...]}}"
    else:
        way = f"give values={{{name!r}: [...]}}, or a hierarchy that is written out in the schema"
    return (
        f"which values column {name!r} may have is not public, and a list of those found would tell who is there; "
        f"{way}, or a delta"
    )


def _refuse_many(cells: CountedCells, marginal: Marginal) -> None:
    n = cells.n_cells(marginal)
    if marginal.threshold is None and n > MOST_CELLS:
        raise ParameterError(
            f"the counts by {', '.join(map(repr, marginal.by))} have {n:,} cells, and {MOST_CELLS:,} are the most; "
            f"count by fewer columns, or by coarser values"
        )


# -- the budget ------------------------------------------------------------------------------------------------------
def _least_scale(epsilon: Fraction, n_changes: int) -> float:
    """The least scale of which so many changed counts spend no more than epsilon, exactly."""
    scale = float(n_changes / epsilon)
    while Fraction(n_changes) / Fraction(scale) > epsilon:
        scale = math.nextafter(scale, math.inf)
    return scale


def _least_threshold(scale: float, delta: float) -> int:
    """The least threshold that the count of a single record, which is 1, reaches with probability delta at most."""
    wanted = delta * _SURE
    threshold = max(1, math.floor(1.0 - scale * math.log(wanted * (1.0 + math.exp(-1.0 / scale)))) - 1)
    while upper_tail(scale, threshold - 1) > wanted:
        threshold += 1
    return threshold


# -- counting --------------------------------------------------------------------------------------------------------
def _known_keys(cells: CountedCells, marginal: Marginal, table: Table, mechanism: OpenDPCounts) -> pl.DataFrame:
    """The counts of all combinations of public keys, and of everything else."""
    code = np.zeros(len(table), dtype=np.int64)
    n_keys = 1
    for name in marginal.by:
        own, n = _key_codes(cells, name, table.frame[name])
        code = np.where((code < 0) | (own < 0), -1, code * n + own)
        n_keys *= n
    counts = mechanism.counts(code, n_keys, marginal.scale)
    shown = counts if marginal.by else counts[:1]  # without columns every record is in the one cell
    return pl.DataFrame([*cells.labels(marginal).get_columns(), pl.Series("count", shown, dtype=pl.Int64)])


def _key_codes(cells: CountedCells, name: str, series: pl.Series) -> tuple[Rows, int]:
    """The number of each record's key, -1 where it has none; and how many keys there are."""
    if name in cells.bins:
        edges = np.asarray(cells.bins[name], dtype=np.float64)
        numbers = series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        own = np.searchsorted(edges, numbers, side="right") - 1
        own[numbers == edges[-1]] = len(edges) - 2
        return np.where((own > len(edges) - 2) | np.isnan(numbers), -1, own), len(edges) - 1
    place = {key: i for i, key in enumerate(cells.values[name])}
    return _of_distinct(series, lambda value: place.get(text(value), -1), pl.Int64).fill_null(-1).to_numpy(), len(place)


def _found_keys(cells: CountedCells, marginal: Marginal, table: Table, mechanism: OpenDPCounts) -> pl.DataFrame:
    """The counts of the combinations that enough records have."""
    parts = []
    for name in marginal.by:
        if (known := cells.keys(name)) is not None:
            own, _ = _key_codes(cells, name, table.frame[name])
            parts.append([known[i] if i >= 0 else None for i in own.tolist()])
        else:
            parts.append(_of_distinct(table.frame[name], text, pl.String).to_list())
    rest = json.dumps([ELSE] * len(marginal.by))
    odd = {None, SUPPRESSED, ELSE, ""}
    keys = [rest if odd & set(row) else json.dumps(row) for row in zip(*parts, strict=True)]
    assert marginal.threshold is not None
    shown = mechanism.found(keys, marginal.scale, marginal.threshold)
    rows = [dict(zip(marginal.by, json.loads(key), strict=True)) | {"count": n} for key, n in shown.items()]
    schema = {**dict.fromkeys(cells.columns, pl.String), "count": pl.Int64}
    frame = pl.DataFrame([dict.fromkeys(cells.columns, SUPPRESSED) | row for row in rows], schema=schema)
    return frame.sort(cells.columns)


def _of_distinct(series: pl.Series, of: Any, dtype: Any) -> pl.Series:
    """A function of every value, computed once for each that is distinct; null where there is none."""
    distinct = series.unique().drop_nulls()
    made = pl.Series([of(value) for value in distinct.to_list()], dtype=dtype)
    return series.replace_strict(distinct, made, default=None, return_dtype=dtype)
