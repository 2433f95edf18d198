"""The shape of a condensed release: rows drawn from the statistics of groups that the owner keeps.

Whether groups keep the promise and rows are what their group allows is decided on these groups and the original;
without them nothing is. Knows nothing of how rows were drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from sfumato.data.column_names import unused_name
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.validate import is_number
from sfumato.privacy.verdict import Verdict
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.judge import judge
from sfumato.published.shape import Check
from sfumato.published.tables.condensed_draws import Draws, outside_bounds, read_draws
from sfumato.published.tables.table import TableShape

__all__ = ["CondensedShape"]


_NOT_TOLD = "the release does not say how its rows were drawn"
_NEEDS_OWNER = "rows were drawn from groups that the owner keeps: whether these are large enough needs the original"


class CondensedShape(TableShape):
    """Rows that stand for nobody, drawn from what is known of groups of records."""

    name = "condensed"
    rows_are_records = False
    drawn_from = "drawn from"
    noun = "group"

    @property
    def needs_original(self) -> bool:
        """True: the groups are the owner's."""
        return True

    @property
    def parameters(self) -> Mapping[str, Any]:
        """How rows were drawn, as the release tells."""
        parameters: Mapping[str, Any] = self.public["condensed"]
        return parameters

    @property
    def alpha(self) -> float:
        """How many rows were drawn for every record."""
        return float(self.parameters["alpha"])

    def unreadable_statements(self) -> list[str]:
        """Statements that cannot be read, those on the draw among them, a clause each."""
        told = self.public["condensed"]
        sizes = [told.get(key) for key in ("alpha", "noise")] if isinstance(told, Mapping) else [None]
        fine = all(is_number(size) and size >= 0 for size in sizes)
        keeps = isinstance(told, Mapping) and isinstance(told.get("keep_means"), bool)
        return [*super().unreadable_statements(), *([] if fine and keeps else [_NOT_TOLD])]

    def verify(self, check: Check) -> Verdict:
        """Decide a promise on the owner's groups, and whether every published row can come from its own."""
        broken = [*self.damage, *self.unreadable_statements(), *self.unnamed_parts()]
        broken += self.other_columns(check) if check.original is not None else []
        wrong = [*broken, *outside_bounds(self.frame, self.schema)]
        if check.original is None or "groups" not in self.owner_files or "synthetic" not in self.owner_files:
            asked = tuple(map(repr, check.parts)) or ("that rows come from groups",)
            return Verdict(
                found=(_NEEDS_OWNER,), checked_on=self.checked_on(None), broken=tuple(wrong),
                undecided=asked if not wrong else (),
            )  # fmt: skip
        behind = _complete(check.original)
        draws = read_draws(self.frame, behind, self.owner_files, self.parameters)
        if isinstance(draws, str):
            found = "the owner's groups do not fit the release, so that the promise cannot be decided"
            return Verdict(found=(found,), checked_on=self.checked_on(behind), broken=(*wrong, draws))
        wrong += _other_columns(self.frame, self.schema, behind)
        if len(wrong) == len(broken):
            wrong += draws.carried_column_flaws(self.frame, self.schema, behind)
            wrong += draws.quasi_identifier_flaws(self.frame, self.schema, behind, self.parameters)
        groups = self._groups(check, draws, behind)
        verdict = judge(check.promise, groups, checked_on=self.checked_on(behind), broken=tuple(wrong))
        if check.promise is None:
            verdict = replace(verdict, found=(f"{groups.n_classes:,} groups, no promise asked for",))
        return replace(verdict, decisions=self._missing_values())

    def _groups(self, check: Check, draws: Draws, behind: Table) -> PublishedClasses:
        """The records, as classes by the owner's groups."""
        name = unused_name("group", behind.columns)
        whole = behind.frame.with_columns(pl.Series(name, draws.of_record))
        return PublishedClasses(whole, [name], self.asked_sensitive(check), self.schema.columns, noun="group")

    def _missing_values(self) -> tuple[str, ...]:
        """A sentence on how missing values were treated, where there are some."""
        lacks = any(self.frame[name].null_count() for name in self.schema.quasi if name in self.frame.columns)
        return ("a missing value was dealt out within its group as any other is",) if lacks else ()

    def untruths(self, check: Check) -> list[str]:
        """Nothing: no row is a record's own, and `verify` compares the rows with the owner's groups."""
        return []

    def classes(self, check: Check, *, sound: bool) -> PublishedClasses:
        """Return the classes of equal rows; they do not tell who hides with whom."""
        return PublishedClasses(self.frame, self.asked_quasi(check), self.asked_sensitive(check), self.schema.columns)

    def checked_on(self, original: Table | None) -> str:
        """Say whether the rows were read alone, or with the owner's groups."""
        n = f"{self.frame.height:,} drawn rows"
        return f"{n} alone" if original is None else f"{n}, against the original and the groups that the owner keeps"


def _complete(original: Table) -> Table:
    """The records that lack no value which the schema insists on."""
    complete = original.complete
    return original if len(complete) == len(original) else original.rows(complete)


def _other_columns(frame: pl.DataFrame, schema: Schema, behind: Table) -> list[str]:
    stranger = next((name for name in frame.columns if name not in behind.columns), None)
    if stranger is not None:
        return [f"column {stranger!r} is published, but the original lacks it"]
    leaked = next((name for name in frame.columns if behind.schema.role(name) == "identifier"), None)
    if leaked is not None:
        return [f"column {leaked!r} is an identifier, and is published"]
    lost = next((name for name in schema.quasi if name not in frame.columns), None)
    return [f"column {lost!r} is missing from the published table"] if lost is not None else []
