"""A first look at a table: who stands out, and what each column might be.

Figures are shares and counts, never a value but those that may stand for none, such as 998. Roles are suggested by
name, by how values look and by how many there are; where nothing is known, the careful role is suggested. A suggestion
is no decision.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sfumato.data.going_with import GoesWith, goes_with
from sfumato.data.inspecting_columns import ColumnLook, look_as_dict, look_at, n_unique_rows
from sfumato.data.inspecting_file import schema_text
from sfumato.data.inspecting_questions import Question, percent, questions_of
from sfumato.data.nothing_sensitive import nothing_sensitive
from sfumato.data.persons import Codes, Repeats, is_nested, is_remark, repeats_of
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import is_whole

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["ColumnLook", "Inspection", "PairLook", "TogetherLook", "inspect_table"]

NOTICE = "These roles are suggestions, not decisions: only you know what an outsider can know."

_MAX_PAIRED = 20


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
    copies: tuple[tuple[str, str], ...] = ()
    """Pairs of columns that say the same in every row, perhaps in other words."""

    @cached_property
    def schema(self) -> Schema:
        """The suggested schema, with hierarchies where these are rules that hold for any data."""
        return Schema.of(
            [self.base.columns[look.name] if look.declared else look.column for look in self.columns],
            rest=self.base.rest, rows_are_persons=self.base.rows_are_persons,
        )  # fmt: skip

    @cached_property
    def asked(self) -> list[Question]:
        """What only the owner can answer, the most pressing first."""
        return questions_of(self)

    @property
    def questions(self) -> list[str]:
        """What only the owner can answer: whether rows are persons, what codes mean, what columns tell of a secret."""
        return [question.long for question in self.asked]

    @property
    def refused(self) -> bool:
        """Whether `publish` refuses the suggested schema until the first question is answered."""
        whole = self.repeats and self.repeats[0].columns == self.identifiers
        return bool(whole) and not self.schema.rows_are_persons

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns that seem to name persons."""
        return tuple(look.name for look in self.columns if look.role == "identifier")

    @property
    def nothing_sensitive(self) -> str | None:
        """What to say where no column is sensitive; None where one is."""
        return nothing_sensitive(self.schema) if self.columns else None

    def to_toml(self) -> str:
        """The suggested schema as a file to edit, with the reason above each column."""
        return schema_text(self, NOTICE)

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for `--json`: counts and shares, no value but those that may stand for none."""
        return {
            "rows": self.n_rows,
            "notice": NOTICE,
            "nothing_sensitive": self.nothing_sensitive,
            "columns": [look_as_dict(look) for look in self.columns],
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
            "copies": [list(pair) for pair in self.copies],
            "questions": self.questions,
        }  # fmt: skip

    def render(self, *, wide: bool = False) -> RenderableType:
        """The figures for a terminal: print them with rich. They fit one screen unless they are to be `wide`."""
        from sfumato.data.inspecting_shown import Screen

        return Screen(self, NOTICE, wide=wide)

    def _repr_html_(self) -> str:
        from sfumato.data.cards import inspection_card

        return inspection_card(self)

    def __repr__(self) -> str:
        return f"Inspection({self.n_rows:,} rows, {len(self.columns)} columns. {self._summary()})"

    def _summary(self) -> str:
        if self.together is None:
            return "No column looks like a quasi-identifier."
        t = self.together
        return (
            f"All {len(t.columns)} quasi-identifiers together: {percent(t.unique_share)} of rows are unique, "
            f"{percent(t.small_share)} are in classes of fewer than {t.small}; "
            f"{t.n_classes:,} classes, the smallest of {t.smallest_class:,}."
        )


def inspect_table(
    table: Table, *, small: int = 5, max_pairs: int = 10, date_formats: Mapping[str, str] | None = None
) -> Inspection:
    """Look at a table: figures for each column, for pairs and for all quasi-identifiers, and a role for each.

    A class is a set of rows with the same values, and `small` is the size below which a class counts as small; a
    missing value is a value of its own here. Roles that the table's schema declares are kept. `date_formats` says how
    the dates of columns were written in the file that they came from. About a second for 500,000 rows of 15 columns.
    """
    for name, given in (("small", small), ("max_pairs", max_pairs)):
        if not is_whole(given) or given < 1:
            raise ParameterError(f"{name} must be at least 1, got {given}")
    seen = {name: look_at(table, name, (date_formats or {}).get(name)) for name in table.columns}
    looks = tuple(look for look, _, _ in seen.values())
    codes = {name: code for name, (_, _, code) in seen.items()}
    frame = pl.DataFrame([series.alias(name) for name, (_, series, _) in seen.items()])
    quasi = [look.name for look in looks if look.role == "quasi"]
    secret = [look.name for look in looks if look.role == "sensitive"]
    others = [look.name for look in looks if look.role != "identifier" and not is_nested(table.frame[look.name])]
    return Inspection(
        n_rows=len(table), columns=looks, pairs=_pairs(codes, looks, max_pairs),
        together=_together(codes, quasi, small), base=table.schema, repeats=_repeats(table, codes, looks),
        goes_with=tuple(goes_with(frame, codes, others, secret)), copies=_copies(codes, others),
    )  # fmt: skip


# -- figures -----------------------------------------------------------------------------------------------------
def _pairs(codes: dict[str, Codes], looks: tuple[ColumnLook, ...], limit: int) -> tuple[PairLook, ...]:
    """The pairs of quasi-identifiers that single out most rows (among the 20 columns with most values)."""
    quasi = sorted((look for look in looks if look.role == "quasi"), key=lambda look: -look.distinct)[:_MAX_PAIRED]
    names = [look.name for look in looks if look in quasi]
    found = []
    for a, b in itertools.combinations(names, 2):
        n_rows = len(codes[a])
        width = int(codes[b].max(initial=0)) + 1
        n_unique = n_unique_rows(codes[a] * width + codes[b], (int(codes[a].max(initial=0)) + 1) * width)
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


def _repeats(table: Table, codes: dict[str, Codes], looks: tuple[ColumnLook, ...]) -> tuple[Repeats, ...]:
    """The identifiers that repeat: all together, then one by one. Remarks alone tell nobody's rows."""
    names = [look.name for look in looks if look.role == "identifier"]
    telling = [name for name in names if not is_remark(table.frame[name])]
    alone = [repeats_of([name], [codes[name]]) for name in telling]
    together = [repeats_of(names, [codes[name] for name in names])] if telling and len(names) > 1 else []
    return tuple(each for each in [*together, *alone] if each)


def _copies(codes: dict[str, Codes], names: list[str]) -> tuple[tuple[str, str], ...]:
    """The pairs of columns whose values go with each other one to one in all rows; the first of several alike.

    Where nearly every row has its own value, columns do so by chance, and are left out.
    """
    alike: dict[int, list[str]] = {}
    for name in names:
        if 1 < (n_values := int(codes[name].max(initial=0))) <= len(codes[name]) / 2:
            alike.setdefault(n_values, []).append(name)
    found = []
    for n_values, group in alike.items():
        first: dict[str, str] = {}
        for a, b in itertools.combinations(group, 2):
            if b in first or a in first:
                continue
            both = codes[a] * (n_values + 1) + codes[b]
            if len(np.unique(both)) <= n_values + 1 and (codes[a] > 0).tolist() == (codes[b] > 0).tolist():
                first[b] = a
                found.append((a, b))
    return tuple(sorted(found, key=lambda pair: names.index(pair[0])))
