"""Hierarchies: how the values of a column may be made coarser, step by step.

A `Hierarchy` is a rule (a list of paths, a set of widths, a number of prefix characters, parts of a calendar).
Bound to the values that a column holds it becomes a `Tree`. The rule is what is published with a release:
it never lists a value that only the original data hold, unless the owner's own file does.
"""

from __future__ import annotations

import csv
import datetime as dt
import inspect
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sfumato.data.tree import Tree
from sfumato.data.values import SUPPRESSED, text
from sfumato.ground.brief import brief_repr
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import SchemaError, suggest
from sfumato.ground.validate import told

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Hierarchy"]


class Hierarchy(SaysWhatMethodsTake, ABC):
    """A tree over a column's values. Make one with the constructors below.

    >>> import sfumato as sf
    >>> print(sf.Hierarchy.intervals([10, 20], low=0, high=40).describe())
    *  (4 values)
    ├─ [0, 20)  (2 values)
    │  ├─ [0, 10)  (1 value)
    │  │  └─ 0
    │  └─ [10, 20)  (1 value)
    │     └─ 10
    └─ [20, 40)  (2 values)
       ├─ [20, 30)  (1 value)
       │  └─ 20
       └─ [30, 40)  (1 value)
          └─ 30
    """

    kind: ClassVar[str]
    fitted: ClassVar[bool] = False
    """Whether it was fitted to a column, so that what it lists was found in data."""

    # -- constructors ------------------------------------------------------------------------------------
    @staticmethod
    def from_csv(path: str | Path, sep: str = ";") -> Hierarchy:
        """Read ARX's format: one line per value, from the value itself to the root, `sep` between levels.

        `path` is the file. Level j of a full-domain generalisation is column j, as in ARX. Lines may differ in length:
        a short one shows its value until the others have caught up, and empty cells at the end of one are padding.

        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> file = Path(mkdtemp(), "zip.csv")
        >>> _ = file.write_text("53715;537**;*\\n53703;537**;*\\n02139;021**;*\\n")
        >>> Hierarchy.from_csv(file).tree(["53715", "02139"]).n_leaves
        3
        """
        file = Path(path)
        try:
            content = file.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise SchemaError(f"hierarchy file '{file}' does not exist; check its path") from None
        except UnicodeDecodeError:
            raise SchemaError(f"hierarchy file '{file}' is not UTF-8; save it as UTF-8") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a path"
            raise SchemaError(f"hierarchy file '{file}' cannot be read: {reason}") from None
        try:
            lines = list(csv.reader(io.StringIO(content, newline=""), delimiter=sep))
        except (csv.Error, TypeError, ValueError) as error:
            raise SchemaError(f"hierarchy file '{file}' cannot be split at {sep!r}: {error}") from None
        rows = tuple(row for row in map(_without_padding, lines) if row)
        if not rows:
            raise SchemaError(f"hierarchy file '{file}' is empty; give one line per value, e.g. 53715{sep}537**{sep}*")
        if all(len(row) == 1 for row in rows):
            raise SchemaError(f"hierarchy file '{file}' has one level only; is {sep!r} its separator?")
        from sfumato.data.hierarchy_rules import Paths

        try:
            return Paths(rows)
        except SchemaError as error:
            raise SchemaError(f"hierarchy file '{file}': {error}") from None

    @staticmethod
    def from_paths(paths: Iterable[Sequence[str]]) -> Hierarchy:
        """From `paths`, one per value, each from the value itself to the root.

        >>> rule = Hierarchy.from_paths([("flu", "lungs", "*"), ("asthma", "lungs", "*"), ("gout", "joints", "*")])
        >>> rule.tree(["flu", "gout"]).height
        2
        """
        from sfumato.data import hierarchy_rules as rules

        return rules.Paths(tuple(tuple(text(label) for label in _require_list(path)) for path in _require_list(paths)))

    @staticmethod
    def flat(values: Iterable[Any]) -> Hierarchy:
        """Every one of `values` directly below the root.

        >>> Hierarchy.flat(["single", "married"]).tree(["single", "married"]).height
        1
        """
        from sfumato.data import hierarchy_rules as rules

        return rules.Paths(tuple((text(value), SUPPRESSED) for value in _require_list(values)))

    @staticmethod
    def intervals(
        widths: Sequence[float] | None = None,
        *,
        low: float | dt.date | None = None,
        high: float | dt.date | None = None,
        breaks: Sequence[Any] | Sequence[Sequence[Any]] | None = None,
    ) -> Hierarchy:
        """Half-open intervals for numbers or dates, nested from fine to coarse.

        Either `widths` from `low` to `high`, each a multiple of the one before, as in
        `intervals([5, 10, 20], low=0, high=100)`; or `breaks`, one list of edges per level, as in
        `intervals(breaks=[[0, 18, 30, 45, 65, 120], [0, 18, 65, 120]])`.

        >>> Hierarchy.intervals([10, 20], low=0, high=40).tree([5, 25]).height
        3
        """
        from sfumato.data import hierarchy_rules as rules

        return rules.Intervals.from_widths_or_breaks(widths, low=low, high=high, breaks=breaks)

    @staticmethod
    def prefixes(length: int, keep: Sequence[int] | None = None) -> Hierarchy:
        """Codes of `length` characters (ZIP, ICD) cut from the right: `53715`, `5371*`, ... `*`.

        `keep` lists how many characters stay at each level, by default every number below `length`.

        >>> Hierarchy.prefixes(5, keep=[3, 1]).tree(["53715", "53703"]).height
        3
        """
        from sfumato.data import hierarchy_rules as rules

        return rules.Prefixes.of_length(length, keep)

    @staticmethod
    def calendar(parts: Sequence[str] = ("month", "quarter", "year", "decade")) -> Hierarchy:
        """Dates to the `parts` of a calendar: week or month, quarter, year, decade.

        >>> Hierarchy.calendar(["month", "year"]).kind
        'calendar'
        """
        from sfumato.data import hierarchy_rules as rules

        return rules.Calendar(tuple(parts))

    @staticmethod
    def automatic(column: pl.Series | Sequence[Any]) -> Hierarchy:
        """A hierarchy fitted to a `column`: see `sfumato.data.automatic`.

        >>> Hierarchy.automatic(["53715", "53703", "02139"]).kind
        'prefixes'
        """
        from sfumato.data.automatic import fit_hierarchy

        made = fit_hierarchy(column)
        object.__setattr__(made, "fitted", True)
        return made

    @staticmethod
    def from_dict(given: Mapping[str, Any]) -> Hierarchy:
        """Read what `to_dict` wrote, or what a schema file says."""
        from sfumato.data import hierarchy_rules as rules

        makers: dict[str, Callable[..., Hierarchy]] = {
            "csv": Hierarchy.from_csv, "paths": Hierarchy.from_paths, "intervals": Hierarchy.intervals,
            "prefixes": Hierarchy.prefixes, "calendar": Hierarchy.calendar, "flat": Hierarchy.flat,
            "automatic": rules.Automatic,
        }  # fmt: skip
        kind, fitted = given.get("type"), given.get("fitted") is True and given.get("type") == "paths"
        rest = {key: value for key, value in given.items() if key != "type" and not (fitted and key == "fitted")}
        maker = makers.get(kind) if isinstance(kind, str) else None
        if maker is None:
            raise SchemaError(f"hierarchy type must be one of {', '.join(makers)}, got {told(kind)}")
        keys = inspect.signature(maker).parameters
        unknown = next((key for key in rest if key not in keys), None)
        if unknown is not None:
            raise SchemaError(f"hierarchy of type {kind!r}: {unknown!r} is no key of it{suggest(unknown, keys)}")
        lacking = next((key for key, each in keys.items() if each.default is each.empty and key not in rest), None)
        if lacking is not None:
            raise SchemaError(f"hierarchy of type {kind!r}: {lacking!r} is missing; give it")
        try:
            made = maker(**rest)
        except TypeError:
            said = ", ".join(f"{key} = {told(value)}" for key, value in rest.items())
            raise SchemaError(
                f"hierarchy of type {kind!r}: it cannot be made from {said}; give lists of values"
            ) from None
        if fitted:
            object.__setattr__(made, "fitted", True)
        return made

    # -- what a hierarchy does ---------------------------------------------------------------------------
    @abstractmethod
    def tree(self, values: Iterable[Any]) -> Tree:
        """Bind the rule to the values of a column. A value that has no place raises `SchemaError` and is named."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The rule as plain data, for a schema file and for the readers of a release."""

    def published(self, shown: Collection[str]) -> Hierarchy | None:
        """The rule as readers may see it, beside cells that show these labels."""
        return self

    def describe(self, values: Iterable[Any] | None = None) -> str:
        """Draw the tree as text, over `values` or, without them, over what the rule itself names."""
        return self.tree(values if values is not None else self._examples()).describe()

    def _examples(self) -> Iterable[Any]:
        return ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__repr__ = Hierarchy.__repr__  # type: ignore[method-assign]  # or a rule of a file would show every line

    def __repr__(self) -> str:
        return brief_repr(self)

    def _repr_html_(self) -> str:
        from sfumato.data.cards import hierarchy_card

        return hierarchy_card(self)


def _without_padding(cells: Sequence[str]) -> tuple[str, ...]:
    stripped = [cell.strip() for cell in cells]
    while stripped and not stripped[-1]:
        stripped.pop()
    return tuple(stripped)


def _require_list(given: Iterable[Any]) -> Iterable[Any]:
    """Return what was given; refuse a text, whose characters would be taken for a list."""
    if isinstance(given, str):
        raise SchemaError(f"a hierarchy takes lists, got the text {given!r}; write [{given!r}]")
    return given
