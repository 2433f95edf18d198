"""A first look at a table: who stands out, and what each column might be.

Figures are shares and counts, never a value. Roles are suggested by name, by how values look and by how many there
are; where nothing is known, the careful role is suggested. A suggestion is no decision.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sfumato.data.going_with import GoesWith, goes_with
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.hierarchy_rules import Intervals
from sfumato.data.persons import Codes, Repeats, codes_of, is_nested, repeats_of
from sfumato.data.recognising import recognise_name
from sfumato.data.schema import Column, Kind, Role, Schema
from sfumato.data.schema_file import toml_value, write_schema
from sfumato.data.suggesting import suggest_hierarchy, suggest_role
from sfumato.data.table import Table, kind_of
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import is_whole

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["ColumnLook", "Inspection", "PairLook", "TogetherLook", "inspect_table"]

NOTICE = "These roles are suggestions, not decisions: only you know what an outsider can know."

_HIPAA = "HIPAA and a letter: on Safe Harbor's list of identifiers, 45 CFR 164.514(b)(2)(i)."

_MAX_PAIRED = 20
_MAX_SAID = 8


@dataclass(frozen=True, kw_only=True)
class ColumnLook:
    """One column: figures, and the role suggested for it."""

    name: str
    kind: Kind
    distinct: int
    """Different values; a missing one is not counted."""
    missing: int
    unique_share: float
    """Share of rows that nobody else shares this column's value with."""
    role: Role
    reason: str
    hipaa: str | None = None
    """The letter in Safe Harbor's list of eighteen identifiers, where the column seems to be on it."""
    hierarchy: Hierarchy | None = None
    declared: bool = False
    """Whether the role was declared by the owner rather than suggested."""


@dataclass(frozen=True, kw_only=True)
class PairLook:
    """Two columns that an outsider may know, taken together."""

    columns: tuple[str, str]
    unique_share: float


@dataclass(frozen=True, kw_only=True)
class TogetherLook:
    """All columns that an outsider may know, taken together."""

    columns: tuple[str, ...]
    n_classes: int
    smallest_class: int
    unique_share: float
    small: int
    small_share: float
    """Share of rows in classes of fewer than `small` rows."""


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a first look at a table found."""

    n_rows: int
    columns: tuple[ColumnLook, ...]
    pairs: tuple[PairLook, ...]
    """The pairs that single out most rows, the worst first."""
    together: TogetherLook | None
    """None where no column seems to be a quasi-identifier."""
    base: Schema
    repeats: tuple[Repeats, ...] = ()
    """Identifiers that repeat: all taken together first, where these do, then one by one."""
    goes_with: tuple[GoesWith, ...] = ()
    """Columns that tell a sensitive value, the surest first."""

    @cached_property
    def schema(self) -> Schema:
        """The suggested schema, with hierarchies where these are rules that hold for any data."""
        return Schema.of(
            [self._column(look) for look in self.columns], rest=self.base.rest,
            rows_are_persons=self.base.rows_are_persons,
        )  # fmt: skip

    @property
    def questions(self) -> list[str]:
        """What only the owner can answer: whether rows are persons, and what columns that go with a secret tell."""
        return [*map(self._of_repeats, self.repeats), *map(self._of_going_with, self.goes_with[:_MAX_SAID])]

    def _of_repeats(self, each: Repeats) -> str:
        named = ", ".join(each.columns)
        rows = f"{each.n_rows:,} rows share {each.n_values:,} value{'s' if each.n_values != 1 else ''}"
        if each.columns != self._identifiers:
            return f"{named} repeats: {rows}. Are these rows one person's? Promises count every row as a person."
        if self.schema.rows_are_persons:
            return f"the identifiers repeat ({named}): {rows}; the schema says that all rows are persons"
        together = f"the identifiers together repeat ({named})" if len(each.columns) > 1 else f"{named} repeats"
        return (
            f"{together}: {rows}. Are these rows one person's? Then give each person one row. `publish` refuses until "
            f"you do, or say rows_are_persons = true."
        )

    @property
    def _identifiers(self) -> tuple[str, ...]:
        return tuple(look.name for look in self.columns if look.role == "identifier")

    def _of_going_with(self, each: GoesWith) -> str:
        role = next(look.role for look in self.columns if look.name == each.column)
        tells = f"{each.column} goes with {each.sensitive}: the best guess from it is right for {_percent(each.right)} "
        blind = f"of rows, a blind one for {_percent(each.base)}"
        if role == "plain":
            return f"{tells}{blind}. It would be published as it is: should it be quasi?"
        if role == "sensitive":
            return f"{tells}{blind}. Whoever knows the one guesses the other."
        return f"{tells}{blind}. Ask for l-diversity or t-closeness, not for k alone."

    def _column(self, look: ColumnLook) -> Column:
        if look.declared:
            return self.base.columns[look.name]
        active = look.hierarchy if not isinstance(look.hierarchy, Intervals) else None
        return Column(name=look.name, role=look.role, kind=look.kind, hierarchy=active)

    def to_toml(self) -> str:
        """The suggested schema as a file to edit, with the reason above each column."""
        head = (
            f"Schema suggested by `sfumato inspect` from {self.n_rows:,} rows.\n{NOTICE}\n"
            "Read every reason, change what is wrong, and delete this line when you have.\n\n"
            "role: identifier (never published), quasi (an outsider may know it: made coarser),\n"
            "      sensitive (an outsider wants to know it), plain (published as it is)\n"
            "kind: integer, number, date, category, ordinal (give its order = [...])\n"
            f"{_HIPAA}"
        )
        comments = {look.name: self._comments(look) for look in self.columns}
        blocks = write_schema(self.schema, comments, head, self._below()).rstrip("\n").split("\n\n")
        for i, look in enumerate(self.columns, start=1):
            if look.hierarchy is not None and isinstance(look.hierarchy, Intervals) and not look.declared:
                blocks[i] += f"\n# hierarchy = {toml_value(look.hierarchy.to_dict())}"
        return "\n\n".join(blocks) + "\n"

    def _below(self) -> list[str]:
        """The question whether rows are persons, for the head of the file, and the line that answers it."""
        if not self.repeats or self.repeats[0].columns != self._identifiers or self.schema.rows_are_persons:
            return []
        return [" ".join(self._of_repeats(self.repeats[0]).split()), "rows_are_persons = true"]

    def _comments(self, look: ColumnLook) -> list[str]:
        figures = f"{look.distinct:,} distinct, {look.missing:,} missing, {_percent(look.unique_share)} of rows unique"
        lines = [f"{look.role}: {look.reason}", figures]
        if isinstance(look.hierarchy, Intervals) and not look.declared:
            lines.append("numbers are shown as ranges; uncomment the hierarchy for fixed intervals")
        lines += [self._of_repeats(each) for each in self.repeats if each.columns == (look.name,)]
        lines += [self._of_going_with(each) for each in self.goes_with if each.column == look.name]
        return [" ".join(line.split()) for line in lines]

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for `--json`: counts and shares, never a value of a cell."""
        return {
            "rows": self.n_rows,
            "notice": NOTICE,
            "columns": [
                {
                    "name": look.name, "kind": look.kind, "distinct": look.distinct, "missing": look.missing,
                    "unique_share": look.unique_share, "role": look.role, "declared": look.declared,
                    "reason": look.reason, "hipaa": look.hipaa,
                    "hierarchy": look.hierarchy.kind if look.hierarchy is not None else None,
                }
                for look in self.columns
            ],
            "pairs": [{"columns": list(pair.columns), "unique_share": pair.unique_share} for pair in self.pairs],
            "together": None if self.together is None else {
                "columns": list(self.together.columns), "classes": self.together.n_classes,
                "smallest_class": self.together.smallest_class, "unique_share": self.together.unique_share,
                "small": self.together.small, "small_share": self.together.small_share,
            },
            "repeats": [
                {"columns": list(each.columns), "rows": each.n_rows, "values": each.n_values} for each in self.repeats
            ],
            "goes_with": [
                {"column": each.column, "sensitive": each.sensitive, "base": each.base, "right": each.right}
                for each in self.goes_with
            ],
        }  # fmt: skip

    def render(self) -> Group:
        """The figures as tables for a terminal: print them with rich."""
        from rich.console import Group
        from rich.table import Table as Grid
        from rich.text import Text

        title = f"{self.n_rows:,} rows, {len(self.columns)} columns"
        grid = Grid(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
        for heading in ("column", "kind"):
            grid.add_column(heading)
        for heading in ("distinct", "missing", "unique"):
            grid.add_column(heading, justify="right")
        grid.add_column("role", style="bold")
        grid.add_column("why", overflow="fold")
        colours = {"identifier": "red", "quasi": "yellow", "sensitive": "magenta", "plain": "green"}
        for look in self.columns:
            grid.add_row(
                Text(look.name), look.kind, f"{look.distinct:,}", f"{look.missing:,}", _percent(look.unique_share),
                Text(look.role, style=colours[look.role]), Text(look.reason),
            )  # fmt: skip
        parts: list[Any] = [grid]
        if self.pairs:
            pairs = Grid(
                title="\nPairs that single out most rows", title_justify="left", box=None, padding=(0, 2, 0, 0)
            )
            pairs.add_column("columns")
            pairs.add_column("rows unique", justify="right")
            for pair in self.pairs:
                pairs.add_row(Text(" + ".join(pair.columns)), _percent(pair.unique_share))
            parts.append(pairs)
        if any(look.hipaa for look in self.columns):
            parts.append(Text("\n" + _HIPAA, style="dim"))
        if self.questions:
            parts.append(Text("\nAsk yourself", style="bold"))
            parts += [Text(f"- {question}") for question in self.questions]
        parts += [Text("\n" + self._summary()), Text(NOTICE, style="bold")]
        return Group(*parts)

    def _summary(self) -> str:
        if self.together is None:
            return "No column looks like a quasi-identifier."
        t = self.together
        return (
            f"All {len(t.columns)} quasi-identifiers together: {_percent(t.unique_share)} of rows are unique, "
            f"{_percent(t.small_share)} are in classes of fewer than {t.small}; "
            f"{t.n_classes:,} classes, the smallest of {t.smallest_class:,}."
        )


def _percent(share: float) -> str:
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 < share < 1:
        return ">99.9%"
    return f"{share:.1%}"


def inspect_table(table: Table, *, small: int = 5, max_pairs: int = 10) -> Inspection:
    """Look at a table: figures for each column, for pairs and for all quasi-identifiers, and a role for each.

    A class is a set of rows with the same values, and `small` is the size below which a class counts as small; a
    missing value is a value of its own here. Roles that the table's schema declares are kept. About a second for
    500,000 rows of 15 columns.
    """
    for name, given in (("small", small), ("max_pairs", max_pairs)):
        if not is_whole(given) or given < 1:
            raise ParameterError(f"{name} must be at least 1, got {given}")
    codes = {name: codes_of(table.frame[name]) for name in table.columns}
    looks = tuple(_look(table, name, codes[name]) for name in table.columns)
    quasi = [look.name for look in looks if look.role == "quasi"]
    secret = [look.name for look in looks if look.role == "sensitive"]
    others = [look.name for look in looks if look.role != "identifier" and not is_nested(table.frame[look.name])]
    return Inspection(
        n_rows=len(table), columns=looks, pairs=_pairs(codes, looks, max_pairs),
        together=_together(codes, quasi, small), base=table.schema, repeats=_repeats(codes, looks),
        goes_with=tuple(goes_with(table.frame, codes, others, secret)),
    )  # fmt: skip


# -- figures -----------------------------------------------------------------------------------------------------
def _n_unique_rows(keys: Codes, size: int) -> int:
    """How many keys below `size` occur once."""
    if size <= max(4 * len(keys), 1 << 20):
        return int((np.bincount(keys) == 1).sum())
    ordered = np.sort(keys)
    fresh = np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
    return int((fresh[1:] & fresh[:-1]).sum())


def _pairs(codes: dict[str, Codes], looks: tuple[ColumnLook, ...], limit: int) -> tuple[PairLook, ...]:
    """The pairs of quasi-identifiers that single out most rows (among the 20 columns with most values)."""
    quasi = sorted((look for look in looks if look.role == "quasi"), key=lambda look: -look.distinct)[:_MAX_PAIRED]
    names = [look.name for look in looks if look in quasi]
    found = []
    for a, b in itertools.combinations(names, 2):
        n_rows = len(codes[a])
        width = int(codes[b].max(initial=0)) + 1
        n_unique = _n_unique_rows(codes[a] * width + codes[b], (int(codes[a].max(initial=0)) + 1) * width)
        found.append(PairLook(columns=(a, b), unique_share=n_unique / max(n_rows, 1)))
    return tuple(sorted(found, key=lambda pair: -pair.unique_share)[:limit])


def _together(codes: dict[str, Codes], quasi: list[str], small: int) -> TogetherLook | None:
    n_rows = len(next(iter(codes.values()), np.empty(0)))
    if not quasi or not n_rows:
        return None
    frame = pl.DataFrame({str(i): codes[name] for i, name in enumerate(quasi)})
    sizes = frame.group_by(pl.all()).len(name="size")["size"].to_numpy()
    return TogetherLook(
        columns=tuple(quasi), n_classes=len(sizes), smallest_class=int(sizes.min()),
        unique_share=float((sizes == 1).sum()) / n_rows, small=small,
        small_share=float(sizes[sizes < small].sum()) / n_rows,
    )  # fmt: skip


def _repeats(codes: dict[str, Codes], looks: tuple[ColumnLook, ...]) -> tuple[Repeats, ...]:
    """The identifiers that repeat: all together, then one by one."""
    names = [look.name for look in looks if look.role == "identifier"]
    alone = [repeats_of([name], [codes[name]]) for name in names]
    together = [repeats_of(names, [codes[name] for name in names])] if len(names) > 1 else []
    return tuple(each for each in [*together, *alone] if each)


# -- suggestions -------------------------------------------------------------------------------------------------
def _look(table: Table, name: str, codes: Codes) -> ColumnLook:
    series = table.frame[name]
    n_rows = len(series)
    n_unique = _n_unique_rows(codes, int(codes.max(initial=0)) + 1)
    distinct, missing = int(codes.max(initial=0)), series.null_count()
    declared = table.schema.columns.get(name)
    kind: Kind = declared.kind if declared is not None and declared.kind is not None else kind_of(series)
    known = recognise_name(name)
    if declared is not None:
        role, reason, letter = declared.role, "declared in the schema", known.hipaa if known is not None else None
        hierarchy = declared.hierarchy
    else:
        role, reason, letter = suggest_role(series, known, distinct=distinct, named=name)
        hierarchy = suggest_hierarchy(series, known, distinct) if role == "quasi" else None
    return ColumnLook(
        name=name, kind=kind, distinct=distinct, missing=missing, unique_share=n_unique / max(n_rows, 1), role=role,
        reason=reason, hipaa=letter, hierarchy=hierarchy, declared=declared is not None,
    )  # fmt: skip
