"""Properties of interest: what must survive. Each becomes linear rows; the walk keeps them, and `verify` checks them.

Xue, Karras, Raissi & Pung, "Utility-driven anonymization in data publishing", CIKM 2011: a property of interest is any
linear relation among the values that holds in the original.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.ground import validate
from sfumato.ground.errors import ParameterError, suggest
from sfumato.ground.randomness import Randomness
from sfumato.ground.surface import load_modules
from sfumato.tables.pattern.localities import staircase
from sfumato.tables.pattern.rows import Rows, stack
from sfumato.tables.pattern.table_view import TableView

__all__ = [
    "Between", "ExtractedProperties", "Localities", "Means", "Order", "Property", "Ratios", "Sums",
    "property_from_dict", "rows_within",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class ExtractedProperties:
    """What properties demand of a table: rows over cells, cells that must stay equal, and cells that must not move."""

    rows: Rows
    names: tuple[str, ...]
    """The names of the properties that rows came from (`rows.source`); for the owner, as they may name records."""
    ties: tuple[NDArray[np.int64], ...] = ()
    """Sets of cells that must keep equal values."""
    fixed: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Cells that keep their value, because their whole block has it."""
    disclosed: tuple[str, ...] | None = None
    """The names that may be published, where they differ."""
    blocks: NDArray[np.int64] | None = None
    """For exchangeable properties, the block of every row of the table."""


class Property(ABC):
    """A property of interest, or a family of them. Subclasses are frozen dataclasses."""

    _registry: ClassVar[dict[str, type[Property]]] = {}

    def __init_subclass__(cls) -> None:
        Property._registry[cls.__name__] = cls

    @abstractmethod
    def extract(self, setting: TableView) -> ExtractedProperties:
        """The rows of this property, as they hold in the table that `setting` shows."""

    def __repr__(self) -> str:
        given = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self)  # type: ignore[arg-type]
                 if getattr(self, f.name) != f.default]  # fmt: skip
        return f"{type(self).__name__}({', '.join(given)})"

    def public_parameters(self) -> dict[str, Any]:
        """Plain data for a certificate: as `to_dict`, but without the numbers of records."""
        return self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for recipes."""
        own = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"name": type(self).__name__, **{key: _plain(value) for key, value in own.items() if value is not None}}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return [_plain(each) for each in value] if isinstance(value, (tuple, list)) else value


def property_from_dict(given: Mapping[str, Any]) -> Property:
    """Read what `to_dict` wrote, or what a recipe says."""
    rest = dict(given)
    name = str(rest.pop("name", ""))
    load_modules("tables.pattern")
    cls = Property._registry.get(name)
    if cls is None:
        raise ParameterError(f"no property is called {name!r}{suggest(name, Property._registry)}")
    accepted = [f.name for f in fields(cls)]  # type: ignore[arg-type]
    for key in rest:
        if key not in accepted:
            raise ParameterError(f"{name} has no parameter {key!r}{suggest(key, accepted)}")
    try:
        return cls(**{key: tuple(value) if isinstance(value, list) else value for key, value in rest.items()})
    except TypeError as error:
        lacking = str(error).rsplit(": ", 1)[-1]
        raise ParameterError(f"{name} needs {lacking}" if "missing" in str(error) else f"{name}: {error}") from None


def _check_within(within: float) -> None:
    validate.finite("within", within, asked="0 or more, as in 0.01 for one hundredth", low=0.0)


def rows_within(
    cells: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    value: float,
    margin: float,
    random: Randomness,
    source: int = 0,
) -> Rows:
    """The rows that keep a weighted sum within a margin of `value`: two, or with a margin of 0 an equality."""
    if margin == 0.0:
        return Rows.of(cells[None], coefficient[None], value, equal=True, source=source)
    low, high = blurred_interval(value, margin, random)
    above = Rows.of(cells[None], coefficient[None], high, source=source)
    return stack([above, Rows.of(cells[None], -coefficient[None], -low, source=source)])


def blurred_interval(value: float, margin: float, random: Randomness) -> tuple[float, float]:
    """A random interval that holds `value`, has no point farther from it than the margin, and does not give it away.

    Bounds are published, so that their middle must not be the value, nor their distance a share of it: the length is
    uniform between half the margin and the margin, and where the interval begins below the value is uniform too.
    """
    u, v = random.uniform(2)
    length = margin * (0.5 + 0.5 * float(v))
    low = value - float(u) * length
    return low, low + length


def _distinct_values(
    view: TableView, line: int, rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], list[NDArray[np.int64]]]:
    """The distinct values of a column among these rows, rising; a cell of each; and the sets of equal cells."""
    known = rows[~np.isnan(view.numbers[line, rows])]
    values, first, inverse, counts = np.unique(
        view.numbers[line, known], return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(inverse, kind="stable")
    groups = np.split(view.cells(line, known[order]), np.cumsum(counts)[:-1]) if len(values) else []
    return values, view.cells(line, known[first]), [group for group in groups if len(group) > 1]


def _columns(given: Any) -> tuple[str, ...] | None:
    if given is None or isinstance(given, str):
        return None if given is None else (given,)
    if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given):
        raise ParameterError(f"columns must be names of columns, got {given!r}")
    return tuple(given)


@dataclass(frozen=True, repr=False)
class Order(Property):
    """The order of all values of a column, within each partition. Equal values stay equal.

    Keep it knowingly: whoever knows the values of a column then finds every record by its rank.

    `columns` are those that it is kept of, by default all.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.PatternPreserving(sf.Order(), steps=50), seed=1)
    Release(40 rows, PatternPreserving, None holds)
    """

    columns: tuple[str, ...] | None = None

    def extract(self, setting: TableView) -> ExtractedProperties:
        """A row x <= y for every two neighbours in the order."""
        parts, ties = [], []
        for line in setting.lines_of(_columns(self.columns)):
            for rows in setting.partitions():
                _, cells, equal = _distinct_values(setting, line, rows)
                parts.append(Rows.of(np.stack([cells[:-1], cells[1:]], axis=1), [1.0, -1.0]))
                ties += equal
        return ExtractedProperties(stack(parts), (repr(self),), tuple(ties))


@dataclass(frozen=True, repr=False)
class Localities(Property):
    """Which of two values lies nearer to a third, for a random `share` of all such statements, within each partition.

    With each statement goes the order of its three values, without which its linear form means something else. Equal
    values stay equal. With `share=1` every rank is kept: see `Order`.

    `columns` are those that they are kept of, by default all.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.PatternPreserving(sf.Localities(0.1), steps=50), seed=1)
    Release(40 rows, PatternPreserving, None holds)
    """

    share: float = 1.0
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check the share."""
        validate.share("share", self.share)

    def extract(self, setting: TableView) -> ExtractedProperties:
        """The corners of the staircases, or a sample of them, and the order of their values."""
        parts, ties = [], []
        for line in setting.lines_of(_columns(self.columns)):
            for number, rows in enumerate(setting.partitions()):
                values, cells, equal = _distinct_values(setting, line, rows)
                corners = staircase(values)
                ties += equal
                if self.share < 1.0:
                    stream = setting.random.spawn(f"localities {line} {number}")
                    kept = stream.permutation(len(corners))[: round(self.share * len(corners))]
                    corners = corners[np.sort(kept)]
                    pairs = np.unique(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]]]), axis=0)
                else:
                    pairs = np.stack([np.arange(len(cells) - 1), np.arange(1, len(cells))], axis=1)
                near = Rows.of(cells[corners[:, [1, 0, 2]]], [2.0, -1.0, -1.0])
                parts.append(near._replace(coefficient=near.coefficient * np.repeat(corners[:, 3], 3)))
                parts.append(Rows.of(cells[pairs], [1.0, -1.0]))
        return ExtractedProperties(stack(parts), (repr(self),), tuple(ties))


@dataclass(frozen=True, repr=False)
class Sums(Property):
    """The sum of every column, in all rows or for each value of the column `by`, within a share of what it is.

    `within` is that share; `columns` are those whose sums are kept, by default all.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.PatternPreserving(sf.Sums(), steps=50), seed=1)
    Release(40 rows, PatternPreserving, None holds)
    """

    by: str | None = None
    within: float = 0.01
    columns: tuple[str, ...] | None = None

    _word: ClassVar[str] = "sum"

    def __post_init__(self) -> None:
        """Check the margin."""
        _check_within(self.within)

    def extract(self, setting: TableView) -> ExtractedProperties:
        """Two rows per group and column; one equality with `within=0`."""
        stream = setting.random.spawn(repr(self))
        parts: list[Rows] = []
        names: list[str] = []
        for line in setting.lines_of(_columns(self.columns)):
            numbers = setting.numbers[line]
            for condition, rows in setting.rows_by(self.by):
                known = rows[~np.isnan(numbers[rows])]
                if not len(known):
                    continue
                total = float(numbers[known].sum())
                scale = abs(total) or float(np.abs(numbers[known]).sum())
                weight = np.full(len(known), 1.0 / len(known) if self._word == "mean" else 1.0)
                factor = float(weight[0])
                margin = factor * self.within * scale
                cells = setting.cells(line, known)
                parts.append(rows_within(cells, weight, factor * total, margin, stream, len(names)))
                names.append(f"{self._word}({setting.columns[line]}{condition}) within {100 * self.within:g}%")
        return ExtractedProperties(stack(parts), tuple(names))


@dataclass(frozen=True, repr=False)
class Means(Sums):
    """The mean of every column, in all rows or for each value of the column `by`, within a share of what it is.

    `within` is that share; `columns` are those whose means are kept, by default all.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.PatternPreserving(sf.Means(), steps=50), seed=1)
    Release(40 rows, PatternPreserving, None holds)
    """

    _word: ClassVar[str] = "mean"


@dataclass(frozen=True, repr=False)
class Ratios(Property):
    """The sum of one column over that of another, in all rows or for each value of `by`, within a share of what it is.

    Both sums are taken over the rows that have both values.

    It is the sum of the column `of` over that of the column `to`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.PatternPreserving(sf.Ratios("cost", "age"), steps=50), seed=1)
    Release(40 rows, PatternPreserving, None holds)
    """

    of: str
    to: str
    by: str | None = None
    within: float = 0.01

    def __post_init__(self) -> None:
        """Check the margin."""
        _check_within(self.within)

    def extract(self, setting: TableView) -> ExtractedProperties:
        """The rows r (1 - w) sum b <= sum a <= r (1 + w) sum b, with both ends blurred."""
        top, bottom = setting.place(self.of), setting.place(self.to)
        stream = setting.random.spawn(repr(self))
        parts: list[Rows] = []
        names: list[str] = []
        for condition, rows in setting.rows_by(self.by):
            known = rows[~np.isnan(setting.numbers[top, rows] + setting.numbers[bottom, rows])]
            if not len(known):
                continue
            above, below = float(setting.numbers[top, known].sum()), float(setting.numbers[bottom, known].sum())
            name = f"ratio of {self.of}{condition} to {self.to}{condition} within {100 * self.within:g}%"
            if below == 0.0:
                raise ParameterError(f"{name}: the sum of {self.to!r} is 0")
            ratio, sign = above / below, 1.0 if below > 0 else -1.0
            cells = np.concatenate([setting.cells(top, known), setting.cells(bottom, known)])
            ends = blurred_interval(ratio, self.within * abs(ratio), stream)
            one = np.ones(len(known))
            if self.within == 0.0:
                parts.append(Rows.of(cells[None], np.append(one, -ratio * one)[None], equal=True, source=len(names)))
            else:
                for end, side in ((max(ends), sign), (min(ends), -sign)):
                    parts.append(Rows.of(cells[None], side * np.append(one, -end * one)[None], source=len(names)))
                positive = np.concatenate([np.zeros(len(known)), -sign * one])  # without it the ratio means nothing
                parts.append(Rows.of(cells[None], positive[None], 0.0, source=len(names)))
            names.append(name)
        return ExtractedProperties(stack(parts), tuple(names))


@dataclass(frozen=True, repr=False)
class Between(Property):
    """How the groups of a column stand to each other: the order of their means, and which two lie nearer.

    These are properties across partitions, when the table is partitioned by the same column.

    `by` is that column; `columns` are those whose means are compared, by default all.

    >>> import sfumato as sf
    >>> sf.Between("department")
    Between(by='department')
    """

    by: str
    columns: tuple[str, ...] | None = None

    def extract(self, setting: TableView) -> ExtractedProperties:
        """Order and localities of the groups' means; groups of equal means keep equal means."""
        parts: list[Rows] = []
        names: list[str] = []
        for line in setting.lines_of(_columns(self.columns)):
            numbers = setting.numbers[line]
            groups = [(name, rows[~np.isnan(numbers[rows])]) for name, rows in setting.rows_by(self.by)]
            groups = sorted(((name, rows) for name, rows in groups if len(rows)), key=lambda g: numbers[g[1]].mean())
            means = np.array([numbers[rows].mean() for _, rows in groups])
            starts = np.append(True, np.diff(means) > 1e-12 * np.abs(means).max(initial=0.0))
            distinct, name = np.flatnonzero(starts), f"means of {setting.columns[line]} between groups of {self.by}"

            def row(
                weights: Sequence[tuple[Any, float]], *, equal: bool = False, line: int = line, groups: Any = groups
            ) -> Rows:
                chosen = [(groups[g][1], weight) for g, weight in weights]
                cells = np.concatenate([setting.cells(line, rows) for rows, _ in chosen])
                weight = np.concatenate([np.full(len(rows), weight / len(rows)) for rows, weight in chosen])
                return Rows.of(cells[None], weight[None], equal=equal, source=len(names))

            for i, j, k, sign in staircase(means[distinct]).tolist():
                parts.append(row([(distinct[j], 2.0 * sign), (distinct[i], -1.0 * sign), (distinct[k], -1.0 * sign)]))
            parts += [row([(i, 1.0), (j, -1.0)]) for i, j in itertools.pairwise(distinct.tolist())]
            parts += [row([(i, 1.0), (i - 1, -1.0)], equal=True) for i in np.flatnonzero(~starts).tolist()]
            names.append(name)
        return ExtractedProperties(stack(parts), tuple(names))
