"""PatternPreserving: the owner says which patterns must survive; everything else is drawn at random.

Xue, Karras, Raissi & Pung, "Utility-driven anonymization in data publishing", CIKM 2011; Xue, PhD thesis, National
University of Singapore, 2012, chapter 5. Properties of interest are linear, so the values that keep them all form a
polytope, and what is published is a uniform point of it. Where the printed method fails (ties, the half chord, too few
steps) this one differs: see the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.numbers import as_numbers, from_numbers, quasi_numbers
from sfumato.data.table import Table
from sfumato.data.values import as_number, date_from_text, in_zone
from sfumato.ground.errors import DataError, ParameterError, suggest
from sfumato.ground.progress import Progress, Share, portion
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import is_number, is_whole, one_of
from sfumato.privacy.exchangeable import Exchangeable, distinguishing_property
from sfumato.privacy.match_rank import MatchRank
from sfumato.privacy.promise import Promise
from sfumato.privacy.requirements import refuse_infeasible
from sfumato.tables.pattern.match_rank import fewer_properties
from sfumato.tables.pattern.properties import ExtractedProperties, Property, property_from_dict
from sfumato.tables.pattern.published_properties import properties_frame
from sfumato.tables.pattern.resolution import resolution_of
from sfumato.tables.pattern.rows import Rows, stack, values_of
from sfumato.tables.pattern.sampling import Sample, Sampler
from sfumato.tables.pattern.substitution import WALKS, Walk
from sfumato.tables.pattern.table_view import TableView

__all__ = ["PatternPreserving"]

_BOUNDS = ("schema", "partition")
_FARTHEST = 1e15


def _are_numbers(given: Any, low: float, *, above: bool = False) -> bool:
    """Whether these are numbers by column, from `low` (or above it) on."""
    if not isinstance(given, Mapping):
        return False
    numbers = [x for x in given.values() if is_number(x)]
    return len(numbers) == len(given) and all((x > low if above else x >= low) and x <= _FARTHEST for x in numbers)


def _are_pairs(given: Any) -> bool:
    """Whether these are pairs by column."""
    return isinstance(given, Mapping) and all(isinstance(x, (list, tuple)) and len(x) == 2 for x in given.values())


@dataclass(frozen=True)
class PatternPreserving(Method):
    """Substitute every number and date among the quasi-identifiers, keeping the properties of interest.

    `keep` is one property or several. `partition` is how the rows are divided for properties that hold within
    partitions: by a number of consecutive rows, by a column, or not at all (None). `bounds` is where values may lie:
    the schema's `low` and `high` (the column's own range where it has none), each partition's own range, or `(low,
    high)` by column. `walk` is `billiard`, `hit-and-run`, `coordinate`, or `one-sided` (as printed, for comparison: its
    law is not uniform). The walk ends when it has mixed, or after `steps`. `resolution` is that of each column
    (`"column"`), `"real"`, or a number by column. `shift` and `scale`, by column, are applied last.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.PatternPreserving(sf.Order(), steps=50), seed=1)
    Release(40 rows, PatternPreserving, None holds)
    """

    example = 'keep = { name = "Order" }\nsteps = 50'
    compared = ()

    keep: Property | Sequence[Property]
    partition: int | str | None = None
    bounds: str | Mapping[str, tuple[Any, Any]] = "schema"
    walk: Walk = "billiard"
    steps: int | None = None
    resolution: str | Mapping[str, float] = "column"
    shift: Mapping[str, float] | None = None
    scale: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        """Check the parameters; properties may come as plain data."""
        listed = isinstance(self.keep, (list, tuple))
        given = list(self.keep) if listed else [self.keep]  # type: ignore[arg-type]
        kept = tuple(property_from_dict(each) if isinstance(each, Mapping) else each for each in given)
        if not kept or any(not isinstance(each, Property) for each in kept):
            raise ParameterError(f"keep takes properties such as Localities(share=0.05), got {self.keep!r}")
        object.__setattr__(self, "keep", kept)
        rows = is_whole(self.partition) and self.partition >= 1
        if self.partition is not None and not rows and not isinstance(self.partition, str):
            raise ParameterError(f"partition must be a number of rows, a column or None, got {self.partition!r}")
        if self.bounds not in _BOUNDS if isinstance(self.bounds, str) else not _are_pairs(self.bounds):
            raise ParameterError(f"bounds must be one of {', '.join(_BOUNDS)} or given by column, got {self.bounds!r}")
        one_of("walk", self.walk, WALKS)
        if self.steps is not None and (not is_whole(self.steps) or self.steps < 1):
            raise ParameterError(f"steps must be 1 or more, got {self.steps!r}")
        named = isinstance(self.resolution, str)
        if self.resolution not in ("column", "real") if named else not _are_numbers(self.resolution, 0.0):
            raise ParameterError(f"resolution must be column, real or given by column, got {self.resolution!r}")
        for name in ("shift", "scale"):
            numbers = getattr(self, name)
            if numbers is not None and not _are_numbers(numbers, 0.0 if name == "scale" else -_FARTHEST, above=True):
                words = "numbers above 0" if name == "scale" else "numbers"
                raise ParameterError(f"{name} must be given by column, as {words}, got {numbers!r}")

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties to keep."""
        return self.keep  # type: ignore[return-value]

    def to_dict(self) -> dict[str, Any]:
        """The name and the parameters, for recipes; shift and scale are the owner's."""
        given = super().to_dict()
        given["keep"] = [each.to_dict() for each in self.properties]
        for secret in ("shift", "scale"):
            given.pop(secret)
        return given

    def public_parameters(self) -> dict[str, Any]:
        """As `to_dict`, but without the numbers of records."""
        return {**self.to_dict(), "keep": [each.public_parameters() for each in self.properties]}

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Extract the properties, draw the values, round them; the published rows come in random order."""
        progress.step("extracting properties")
        _refuse_other(promise)
        kept = table.complete
        if not len(kept):
            raise DataError("there is no complete record to publish; declare missing = 'value', or give records")
        part = table if len(kept) == len(table) else table.rows(kept)
        view = self._view(part, random, progress)
        found = self._extract(view, promise)
        low, high = self._bounds(view)
        sampler = Sampler(
            view=view, low=low, high=high, walk=self.walk, steps=self.steps, resolution=self._resolutions(view)
        )
        progress.step("drawing values")
        found, disclosed = _keep_match_rank(promise, found, sampler, random, portion(progress.share, 0.0, 0.8))
        sample = sampler.draw(found, random, portion(progress.share, 0.8 if disclosed else 0.0, 1.0))
        blocks = found.blocks if _promises_exchangeable(promise) else None
        values = sample.values if blocks is None else _shuffle_blocks(sample.values, blocks, random.spawn("blocks"))
        rows = self._shift_and_scale(found.rows, values, view)
        progress.step("arranging rows")
        arrangement = random.spawn("arrangement").permutation(view.n_rows)
        place = np.empty(view.n_rows, dtype=np.int64)
        place[arrangement] = np.arange(view.n_rows)
        files = {"properties": properties_frame(found, rows, view, place, random.spawn("listing"))}
        if blocks is not None:
            files["blocks"] = _blocks_frame(blocks[arrangement], files["properties"], promise)
        public = self._public(view, sample, disclosed)
        if len(kept) < len(table):
            public["withheld_rows"] = len(table) - len(kept)
        frame = _frame(view, values, arrangement)
        return Outcome(frame=frame, rows=kept[arrangement], public=public, files=files)

    def _extract(self, view: TableView, promise: Promise | None) -> ExtractedProperties:
        """All properties of the table together; refused where one does not hold, or where the promise needs others."""
        parts = []
        for i, each in enumerate(self.properties):
            view.progress.share(i / len(self.properties))
            parts.append(each.extract(view))
        found = _join_extracted(parts, view)
        _refuse_untrue(found, view)
        if promise is not None:
            refuse_infeasible(promise, view.n_rows, [])
        if _promises_exchangeable(promise) and found.blocks is None:
            raise ParameterError(f"{promise!r} needs blocks of records that are alike; keep Blocks(k)")
        return found

    def _public(self, view: TableView, sample: Sample, disclosed: Mapping[str, Any]) -> dict[str, Any]:
        """What is published about the drawing: the walk, the resolution of every column, and `disclosed`."""
        scale = self.scale or {}
        public: dict[str, Any] = {
            "forms": dict.fromkeys(view.columns, "substitute"),
            "walk": sample.diagnosis(self.walk),
            "resolution": {
                name: step * scale.get(name, 1.0) for name, step in zip(view.columns, sample.resolution, strict=True)
            },
            **disclosed,
        }
        if self.shift or self.scale:
            public["moved"] = sorted({*(self.shift or {}), *scale})
        return public

    def _view(self, table: Table, random: Randomness, progress: Progress) -> TableView:
        schema = table.schema
        quasi_numbers(table, type(self).__name__)
        for given in (self.bounds, self.resolution, self.shift, self.scale):
            for name in given if isinstance(given, Mapping) else ():
                if name not in schema.quasi:
                    raise ParameterError(f"column {name!r} is not substituted{suggest(name, schema.quasi)}")
        numbers = np.array([as_numbers(table.frame[name]) for name in schema.quasi])
        partition = np.zeros(len(table), dtype=np.int64)
        if isinstance(self.partition, int):
            n_parts = max(1, len(table) // self.partition)  # what is left over joins the last
            partition = np.minimum(np.arange(len(table)) // self.partition, n_parts - 1)
        elif self.partition is not None:
            if self.partition not in table.columns:
                raise ParameterError(f"no column is called {self.partition!r}{suggest(self.partition, table.columns)}")
            _, partition = np.unique(
                table.frame[self.partition].cast(pl.String).fill_null("\0").to_numpy(), return_inverse=True
            )
        return TableView(table, tuple(schema.quasi), numbers, partition, random.spawn("properties"), progress)

    def _bounds(self, view: TableView) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The lower and the upper bound of every cell."""
        low, high = np.empty_like(view.numbers), np.empty_like(view.numbers)
        for line, name in enumerate(view.columns):
            numbers, column = view.numbers[line], view.table.schema.column(name)
            known = numbers[~np.isnan(numbers)]
            ends: tuple[Any, Any] = (column.low, column.high)
            if isinstance(self.bounds, Mapping) and name in self.bounds:
                ends = self.bounds[name]
            zone = getattr(view.table.frame[name].dtype, "time_zone", None)
            first, last = (_bound_as_number(end, zone, name) if end is not None else None for end in ends)
            low[line] = known.min() if first is None else first
            high[line] = known.max() if last is None else last
            if low[line, 0] > known.min() or high[line, 0] < known.max():
                raise ParameterError(f"the bounds of column {name!r} leave out values of the data; widen them")
            if self.bounds == "partition":
                for rows in view.partitions():
                    here = numbers[rows][~np.isnan(numbers[rows])]
                    if len(here) and here.min() < here.max():
                        low[line, rows], high[line, rows] = here.min(), here.max()
        return low.ravel(), high.ravel()

    def _resolutions(self, view: TableView) -> list[float]:
        """The resolution asked for in each column; 0 for real numbers."""
        if self.resolution == "real":
            return [0.0] * len(view.columns)
        own = [resolution_of(view.table.frame[name]) for name in view.columns]
        if isinstance(self.resolution, Mapping):
            own = [float(self.resolution.get(name, step)) for name, step in zip(view.columns, own, strict=True)]
        return own

    def _shift_and_scale(self, rows: Rows, values: NDArray[np.float64], view: TableView) -> Rows:
        """Shift and scale the values in place, and return the rows as they hold for the new values."""
        if not self.shift and not self.scale:
            return rows
        shift = np.zeros(len(view.columns))
        scale = np.ones(len(view.columns))
        for line, name in enumerate(view.columns):
            shift[line], scale[line] = (self.shift or {}).get(name, 0.0), (self.scale or {}).get(name, 1.0)
            values[line] = values[line] * scale[line] + shift[line]
        line_of = rows.variable // view.n_rows
        at = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
        coefficient = rows.coefficient / scale[line_of]
        bound = rows.bound + np.bincount(at, coefficient * shift[line_of], rows.n)
        largest = np.maximum.reduceat(np.abs(coefficient), rows.indptr[:-1])  # which would tell the scale
        return rows._replace(coefficient=coefficient / largest[at], bound=bound / largest)


def _bound_as_number(given: Any, zone: str | None, name: str) -> float:
    try:
        return as_number(in_zone(date_from_text(given), zone))
    except (TypeError, ValueError):
        raise ParameterError(f"the bound {given!r} of column {name!r} is no number and no date") from None


def _refuse_other(promise: Promise | None) -> None:
    """Refuse promises about classes, which substituted values do not form."""
    odd = (
        next((part for part in promise.parts if not isinstance(part, (Exchangeable, MatchRank))), None)
        if promise is not None
        else None
    )
    if odd is not None:
        raise ParameterError(
            f"PatternPreserving cannot keep {odd!r}, which is about classes of equal records; ask for Exchangeable(k) "
            f"with keep=Blocks(k), for MatchRank(k), or for no promise"
        )


def _promises_exchangeable(promise: Promise | None) -> bool:
    """Whether `Exchangeable` is promised."""
    return promise is not None and any(isinstance(part, Exchangeable) for part in promise.parts)


def _keep_match_rank(
    promise: Promise | None, found: ExtractedProperties, sampler: Sampler, random: Randomness, share: Share
) -> tuple[ExtractedProperties, dict[str, Any]]:
    """Give up properties until a promised `MatchRank` holds: the properties left, and what is published about that."""
    disclosed: dict[str, Any] = {}
    for part in promise.parts if promise is not None else ():
        if isinstance(part, MatchRank):
            fewer = fewer_properties(
                part, found, sampler.view.numbers, lambda some, stream: sampler.draw(some, stream).values,
                random.spawn("match"), share,
            )  # fmt: skip
            found, disclosed["match_rank"] = fewer.found, fewer.public_figures(part)
    return found, disclosed


def _frame(view: TableView, values: NDArray[np.float64], arrangement: NDArray[np.int64]) -> pl.DataFrame:
    """The published rows: substituted values, and sensitive and plain columns as recorded."""
    table = view.table
    published = {
        name: from_numbers(values[line], table.frame[name]).gather(arrangement)
        for line, name in enumerate(view.columns)
    }
    role = table.schema.role
    columns = [name for name in table.columns if name in published or role(name) in ("sensitive", "plain")]
    return pl.DataFrame([
        published[name] if name in published else table.frame[name].gather(arrangement) for name in columns
    ])  # fmt: skip


def _blocks_frame(blocks: NDArray[np.int64], properties: pl.DataFrame, promise: Promise | None) -> pl.DataFrame:
    """The block of every published row; refused where some property tells the records of a block apart."""
    number = _number_as_they_occur(blocks)
    apart = distinguishing_property(properties, number)
    if apart is not None:
        raise ParameterError(f"{promise!r} cannot be kept: {apart}; keep Blocks alone")
    return pl.DataFrame({"block": number.astype(np.uint32)})


def _join_extracted(parts: Sequence[ExtractedProperties], view: TableView) -> ExtractedProperties:
    """The demands of all properties as one, rows numbered by the names; refused where two of them form blocks."""
    rows: list[Rows] = []
    names: list[str] = []
    disclosed: list[str] = []
    ties: list[NDArray[np.int64]] = []
    fixed: list[NDArray[np.int64]] = []
    for part in parts:
        rows.append(part.rows._replace(source=part.rows.source + len(names)))
        names += part.names
        disclosed += part.disclosed if part.disclosed is not None else part.names
        ties += part.ties
        fixed.append(part.fixed)
    blocks = [part.blocks for part in parts if part.blocks is not None]
    if len(blocks) > 1:
        raise ParameterError("keep holds Blocks twice; one grouping of the records is all that can be kept")
    return ExtractedProperties(
        stack(rows), tuple(names), tuple(ties), np.concatenate(fixed), tuple(disclosed), blocks[0] if blocks else None
    )


def _refuse_untrue(found: ExtractedProperties, view: TableView) -> None:
    """Refuse a property that does not hold in the original."""
    rows = found.rows
    flat = np.nan_to_num(view.numbers.ravel())
    left = values_of(rows.indptr, rows.variable, rows.coefficient, flat)
    at = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
    size = np.bincount(at, np.abs(rows.coefficient * flat[rows.variable]), rows.n) + np.abs(rows.bound)
    over = np.where(rows.equal, np.abs(left - rows.bound), left - rows.bound)
    wrong = np.flatnonzero(over > 1e-9 * size)
    if len(wrong):
        first = int(wrong[0])
        raise ParameterError(
            f"the property {found.names[rows.source[first]]} does not hold in the original; drop it or mend it"
        )


def _number_as_they_occur(blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Blocks numbered as they occur among the published rows, whose order is random."""
    _, first, inverse = np.unique(blocks, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]


def _shuffle_blocks(values: NDArray[np.float64], blocks: NDArray[np.int64], random: Randomness) -> NDArray[np.float64]:
    """Let the records of each block change places, all columns at once: exchangeable whatever the walk did.

    A record without a value in some column stays: only records that lack the same values change places.
    """
    lacks = np.isnan(values).astype(np.int64)
    kind = np.zeros(values.shape[1], dtype=np.int64)
    for line in lacks:
        kind = kind * 2 + line
    _, kind = np.unique(kind, return_inverse=True)
    key = random.permutation(values.shape[1])
    home = np.lexsort((kind, blocks))
    mixed = np.lexsort((key, kind, blocks))
    result = np.empty_like(values)
    result[:, home] = values[:, mixed]
    return result
