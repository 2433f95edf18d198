"""What all shapes of tables share: how their files are read, and the steps that every check goes through."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl

from sfumato.data.bounds import add_bounds, drop_bounds
from sfumato.data.labels import labels_of_shown
from sfumato.data.persons import repeated_identifiers
from sfumato.data.schema import Column, Schema
from sfumato.data.schema_file import schema_from_dict, schema_to_dict
from sfumato.data.table import Table
from sfumato.data.values import MISSING
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import is_whole
from sfumato.privacy.verdict import Verdict
from sfumato.published.equivalence import AS_RECORDED, Cells, PublishedClasses
from sfumato.published.evidence import Evidence
from sfumato.published.files import (
    read_columns,
    read_texts,
    refuse_blank_texts,
    refuse_unused_values,
    restore_types,
    type_of,
)
from sfumato.published.judge import judge
from sfumato.published.shape import Check, Shape, shape_of
from sfumato.published.tables.one_writing import refuse_marked_numbers, refuse_other_types, refuse_two_ways
from sfumato.published.tables.other_schema import other_distances, other_roles
from sfumato.published.tables.population_fit import fitting_of_recorded

if TYPE_CHECKING:
    from sfumato.published.shape import Bare
    from sfumato.published.tables.numbered_classes import NumberedClasses
    from sfumato.published.tables.two_tables import TwoTables
    from sfumato.release.release import Release

__all__ = ["TableShape", "bounds_loss", "table_shape"]


_SCHEMAS: WeakKeyDictionary[Release | Bare, Schema] = WeakKeyDictionary()
"""Schemas are read once for each release."""


def table_shape(release: Release | Bare) -> TableShape:
    """Return the shape of a release of a table; refuse a release of anything else."""
    shape = shape_of(release)
    if not isinstance(shape, TableShape):
        raise ParameterError(f"the release is of {shape.called}, and not of a table; give a release of a table")
    return shape


class TableShape(Shape):
    """The shape of a release of a table; its kinds fill in the steps of `verify`."""

    original_type = Table
    data_type = Table
    called = "a table"
    unit = "rows"
    unread: ClassVar[str] = "the published tables do not fit each other, so that the promise cannot be decided"
    """What the verdict says it found where the files cannot be read as one."""
    sensitive_apart: ClassVar[bool] = False
    """Whether sensitive values are in a table of their own, and the rows are as recorded."""
    rows_are_records: ClassVar[bool] = True
    """Whether every row stands for one record."""
    noun: ClassVar[str] = "class"
    """What people call the rows that hide together."""

    @property
    def frame(self) -> pl.DataFrame:
        """The published rows."""
        frame: pl.DataFrame = self.release.data.frame
        return frame

    @property
    def files(self) -> Mapping[str, pl.DataFrame]:
        """The tables published beside them."""
        return self.release.files

    @cached_property
    def schema(self) -> Schema:
        """The published columns as the original had them: roles, kinds, hierarchies."""
        known = _SCHEMAS.get(self.release)
        if known is None:
            given = self.public.get("schema")
            if not isinstance(given, Mapping):
                raise DataError("the release does not say what its columns are; ask its owner for a new copy")
            known = _SCHEMAS[self.release] = schema_from_dict(dict(given))
        return known

    @property
    def forms(self) -> Mapping[str, Any]:
        """How each quasi-identifier is shown."""
        forms = self.public.get("forms", {})
        return forms if isinstance(forms, Mapping) else {}

    @property
    def seen_forms(self) -> dict[str, Any]:
        """The forms of columns whose cells are not the records' own values."""
        return dict(self.forms)

    @property
    def drawn_columns(self) -> list[str]:
        """The columns whose values were drawn anew or changed."""
        return [name for name, form in self.forms.items() if form == "substitute"]

    @property
    def measured_for_readers(self) -> bool:
        """Whether values were drawn or changed: then figures for readers are measured without the owner's part."""
        return bool(self.drawn_columns)

    @property
    def n_withheld(self) -> int:
        """How many records the release says that it withholds."""
        return self._count_of("withheld_rows")

    @property
    def n_suppressed(self) -> int:
        """How many of these the method suppressed."""
        return self._count_of("suppressed_rows")

    @property
    def identifiers_repeat(self) -> bool:
        """Whether the release says that some identifier of the original repeats, so that rows may be of one person."""
        return self.public.get("identifiers_repeat") is True

    def _count_of(self, key: str) -> int:
        """The number of rows that the release tells under a key; 0 where it tells none, or no such number."""
        count = self.public.get(key, 0)
        return count if is_whole(count) and count >= 0 else 0

    @property
    def two_tables(self) -> TwoTables | None:
        """The rows and the table of sensitive values by group; None where the release has no such table."""
        return None

    @property
    def numbered_classes(self) -> NumberedClasses | None:
        """The classes by their published numbers; None where classes have no numbers."""
        return None

    @property
    def as_subdomains(self) -> str | None:
        """The sensitive column that is shown as subdomains; None where none is."""
        return None

    @property
    def needs_original(self) -> bool:
        """Whether readers need more than what is published to decide the promise."""
        return False

    @property
    def walk(self) -> Mapping[str, Any]:
        """How values were drawn, as the release tells."""
        parameters: Mapping[str, Any] = self.public.get("walk", {})
        return parameters

    @property
    def resolution(self) -> Mapping[str, Any]:
        """In which steps values were drawn, by column."""
        parameters: Mapping[str, Any] = self.public.get("resolution", {})
        return parameters

    @property
    def change(self) -> str | None:
        """How values were changed row by row: one of `CHANGES`, or None."""
        return None

    @property
    def noise(self) -> Mapping[str, Any]:
        """What the release tells of noise that was added."""
        return {}

    def plain_classes(self) -> PublishedClasses | None:
        """Return the classes; None where the release shows something else than classes."""
        every = Cells(suppressed_rows="class")
        return PublishedClasses(self.frame, self.schema.quasi, self.schema.sensitive, self.schema.columns, every)

    def people(self) -> pl.DataFrame:
        """Return the rows that stand for somebody."""
        return self.frame

    # -- the check -----------------------------------------------------------------------------------------------------

    def verify(self, check: Check) -> Verdict:
        """Check the release, step by step: shape, evidence, check, judge, verdict.

        First whether its files can be read (`flaws`), then whether it keeps what it says of itself (`own_check`) and
        names all that it holds (`unnamed_parts`), then whether the original contradicts it (`untruths`), and last
        whether the promise holds on the classes that it shows (`judge`).
        """
        flaws = self.flaws()
        if flaws:
            return Verdict(found=(self.unread,), checked_on=self.checked_on(None), broken=(*self.damage, *flaws))
        found, wrong = self.own_check(check)
        broken = [*self.damage, *self.unreadable_statements(), *self.unnamed_parts(), *wrong]
        if check.original is not None:
            broken += [*self.other_columns(check), *self.untruths(check)]
        broken += self.refusals(check)
        verdict = judge(
            check.promise, self.classes(check, sound=not broken), checked_on=self.checked_on(check.original),
            broken=tuple(broken), found=tuple(found), groups=self.groups(check),
        )  # fmt: skip
        undecided, declared = self.undecided_and_declared(check)
        return replace(
            verdict, decisions=(*self.decisions(), *verdict.decisions), undecided=(*verdict.undecided, *undecided),
            declared=(*verdict.declared, *declared),
        )  # fmt: skip

    def flaws(self) -> list[str]:
        """What keeps the files from being read as one, a clause each; nothing after that is checked."""
        return []

    def unreadable_statements(self) -> list[str]:
        """Statements that every release of a table makes and that cannot be read in this one, a clause each."""
        wrong = []
        if not isinstance(self.public.get("forms", {}), Mapping):
            wrong.append("what the release says of the forms of its columns cannot be read")
        for key in ("withheld_rows", "suppressed_rows"):
            count = self.public.get(key, 0)
            if not is_whole(count) or count < 0:
                wrong.append(f"the release does not say in a number how many rows are {key.removesuffix('_rows')}")
        if not wrong and self.n_suppressed > self.n_withheld:
            wrong.append("the release says that more rows are suppressed than withheld")
        flags = ("escaped", "identifiers_repeat")
        odd = [key for key in flags if not isinstance(self.public.get(key, False), bool)]
        return [*wrong, *(f"the release does not say {key!r} with true or false" for key in odd)]

    def unnamed_parts(self) -> list[str]:
        """Columns and tables that the release publishes and does not name, a clause each: no promise speaks of them."""
        columns = [name for name in self.frame.columns if name not in self.schema.columns]
        named = [name for name in self.frame.columns if name not in columns]
        return [
            *(f"column {name!r} is published, and the release does not say what it is" for name in columns),
            *(f"column {name!r} is an identifier, and identifiers are never published"
              for name in named if self.schema.role(name) == "identifier"),
            *self.unnamed_tables(),
        ]  # fmt: skip

    def own_check(self, check: Check) -> tuple[list[str], list[str]]:
        """Check what such a release must keep by what it says of itself; return what was found, and what is broken."""
        return [], []

    def other_columns(self, check: Check) -> list[str]:
        """Columns that the release describes in another way than the original does, a clause each."""
        roles = other_roles(self.schema, check.original.schema)
        return [*roles, *other_distances(self.schema, check.original, check.parts)]

    @abstractmethod
    def untruths(self, check: Check) -> list[str]:
        """What the original contradicts, a clause each."""

    def refusals(self, check: Check) -> list[str]:
        """Promises that such a release cannot keep, a clause each."""
        return []

    @abstractmethod
    def classes(self, check: Check, *, sound: bool) -> PublishedClasses:
        """Return the classes that promises are decided on, with the evidence; `sound`: nothing is broken so far."""

    def groups(self, check: Check) -> PublishedClasses | None:
        """Return the groups that sensitive values are published for; None where that is the classes."""
        return None

    def undecided_and_declared(self, check: Check) -> tuple[Sequence[str], Sequence[str]]:
        """What the check could not decide beside the promise, and what a random method declares of its draws."""
        return (() if check.promise is not None else ("anything: the release makes no promise",)), ()

    def decisions(self) -> Sequence[str]:
        """Return sentences on how the tables were read."""
        return ()

    @abstractmethod
    def checked_on(self, original: Table | None) -> str:
        """Say what was read: the rows alone, or with the original, or with the owner's part."""

    def asked_quasi(self, check: Check) -> list[str]:
        """The quasi-identifiers that the promise is decided on."""
        return list(check.quasi or self.schema.quasi)

    def asked_sensitive(self, check: Check) -> list[str]:
        """The sensitive columns that the promise is decided on."""
        return list(check.sensitive or self.schema.sensitive)

    def recorded_classes(self, check: Check) -> PublishedClasses:
        """Return the classes of rows that are published as recorded, with the share of rows that can be linked."""
        shown = PublishedClasses(self.frame, self.asked_quasi(check), (), self.schema.columns, AS_RECORDED)
        linked = np.array([shown.n_classes / max(shown.n_rows, 1)])
        fitting = fitting_of_recorded(check.parts, self.frame, shown, self.n_withheld)
        shown.evidence = Evidence(fitting=fitting, linked=linked)
        return shown

    # -- files ---------------------------------------------------------------------------------------------------------

    @classmethod
    def described_columns(cls, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]) -> list[str] | None:
        """Return the original's columns that are in other tables; None where rows have all columns and no others."""
        return None

    @classmethod
    def public_of(cls, original: Table, frame: pl.DataFrame, files: Mapping[str, pl.DataFrame],
                  public: Mapping[str, Any]) -> dict[str, Any]:  # fmt: skip
        """Return what the method says and the schema, as readers may see it.

        Hierarchies and labels lose the values that no cell shows, and changed columns their bounds. Columns in a
        table of their own are described too; columns that the original lacks are not.
        """
        beside, moved = cls.described_columns(files, public), public.get("moved", ())
        names = frame.columns if beside is None else [
            name for name in original.columns if name in frame.columns or name in beside
        ]  # fmt: skip
        columns = []
        for name in names:
            shown = frame[name] if name in frame.columns else pl.Series(name, [])
            column = replace(original.schema.column(name), missing="value")
            if name in moved:
                column = replace(column, low=None, high=None)
            if column.hierarchy is not None and column.role == "quasi":
                labels = shown.drop_nulls().unique().cast(pl.String).str.strip_suffix(f" or {MISSING}")
                column = replace(column, hierarchy=column.hierarchy.published(set(labels)))
            cells = [each[name] for each in (frame, *files.values()) if name in each.columns]
            columns.append(labels_of_shown(column, cells, public.get("forms", {}).get(name)))
        schema = Schema.of(columns, rows_are_persons=original.schema.rows_are_persons)
        repeating = {"identifiers_repeat": True} if any(repeated_identifiers(original)[1]) else {}
        return {"schema": schema_to_dict(schema), **repeating, **public}

    @classmethod
    def declared_columns(cls, schema: Schema, public: Mapping[str, Any]) -> list[Column]:
        """Return the columns of the rows, as the release describes them."""
        return list(schema.columns.values())

    @classmethod
    def data_of(cls, frame: pl.DataFrame, public: Mapping[str, Any], source: str = "polars") -> Table:
        """Return the published rows as a Table of the library that the original came in; generalised cells are text."""
        schema, forms = schema_from_dict(dict(public["schema"])), public.get("forms", {})
        columns = []
        for column in cls.declared_columns(schema, public):
            if column.name not in forms:  # how the original was read is not how these rows are
                columns.append(replace(column, missing_values=(), date_format=None))
            elif frame[column.name].dtype == pl.String:
                columns.append(Column(name=column.name, role=column.role, kind="category"))
            else:
                columns.append(Column(name=column.name, role=column.role))
        return Table(frame, Schema.of(columns), source=source)  # type: ignore[arg-type]

    @classmethod
    def read(cls, path: Path, public: Mapping[str, Any]) -> Table:
        """Read the published rows from their file, without the bounds that are written beside ranges."""
        schema = schema_from_dict(dict(public["schema"]))
        bounds, forms = public.get("bounds", {}), public.get("forms", {})
        if path.suffix == ".csv":
            texts = drop_bounds(read_texts(path, public), bounds, forms, schema, texts=True)
            frame = restore_types(texts, public.get("types", {}))
            refuse_marked_numbers(frame, (*forms, *schema.quasi))
            table = cls.data_of(frame, public)
            refuse_two_ways(frame, table.frame)
            return table
        frame = drop_bounds(read_columns(path), bounds, forms, schema)
        refuse_unused_values(frame)
        refuse_marked_numbers(frame, (*forms, *schema.quasi))
        table = cls.data_of(frame, public)
        refuse_other_types(frame, table.frame)
        return table

    def frame_to_write(self, format: str) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the rows for a file, and what readers are told: names of bounds, and types of columns for CSV."""
        frame, public = self.frame, dict(self.public)
        if format == "csv":
            refuse_blank_texts(frame)
            public["types"] = {name: type_of(frame[name].dtype) for name in frame.columns
                               if name in self.forms or frame[name].dtype.is_temporal()}  # fmt: skip
        frame, public["bounds"] = add_bounds(frame, self.forms, self.schema)
        return frame, public


def bounds_loss(check: Check) -> bool:
    """Whether a bound on the loss is among the promises asked for."""
    return any(part.bounds_loss for part in check.parts)
