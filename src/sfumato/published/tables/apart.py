"""What shapes share whose sensitive values are published for groups, in tables apart from the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.shape import Check
from sfumato.published.tables.table import TableShape, bounds_loss

__all__ = ["ApartShape"]


class ApartShape(TableShape):
    """Rows as recorded, each with the number of its group; the sensitive values of the groups are in other tables."""

    sensitive_apart = True
    key: ClassVar[str]
    """The key of `public` that says how the tables are joined."""
    of_groups: ClassVar[str]
    """What is published of each group, in words."""
    in_file: ClassVar[str]
    """What the other table holds, in words."""
    shown_as: ClassVar[str]
    """What such a release shows in place of classes, in words."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """How the tables are joined, as the release tells: `group`, `count`, `table` and others."""
        parameters: Mapping[str, Any] = self.public[self.key]
        return parameters

    @property
    def group(self) -> str:
        """The column that joins the tables."""
        return str(self.parameters["group"])

    @property
    def table(self) -> str:
        """The name of the table of sensitive values."""
        return str(self.parameters["table"])

    @property
    def beside(self) -> str:
        """A sentence on where the sensitive values are."""
        return f"quasi-identifiers are as recorded; {self.table}.parquet has the {self.in_file} by {self.group!r}"

    @property
    def seen_forms(self) -> dict[str, Any]:
        """Empty: the quasi-identifiers are the records' own."""
        return {}

    def plain_classes(self) -> PublishedClasses | None:
        """None: sensitive values are published for groups, not for rows."""
        return None

    def classes(self, check: Check, *, sound: bool) -> PublishedClasses:
        """Return the classes of records that are equal in all quasi-identifiers."""
        return self.recorded_classes(check)

    def refusals(self, check: Check) -> list[str]:
        """Refuse a bound on the loss of classes: rows as recorded lose nothing, and have no classes to bound."""
        refusal = f"a bound on the loss speaks of classes, and {self.shown_as} show none"
        return [refusal] if bounds_loss(check) else []

    def checked_on(self, original: Table | None) -> str:
        """Say whether the rows and the tables of groups were read alone, or against the original."""
        n = f"{self.frame.height:,} published rows and the {self.of_groups} of their groups"
        if original is None:
            return f"{n} alone"
        how = "each row with its own record" if self.rows is not None else "without the owner's row map"
        return f"{n}, against the original, {how}"

    @classmethod
    def declared_columns(cls, schema: Schema, public: Mapping[str, Any]) -> list[Column]:
        """Return the columns of the rows: the number of a group in place of the sensitive columns."""
        group = str(public[cls.key]["group"])
        rows = [column for column in schema.columns.values() if column.role != "sensitive"]
        return [*rows, Column(name=group, role="plain", kind="integer")]
