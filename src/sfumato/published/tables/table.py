"""What releases of tables share: how their files are read, and the skeleton that every check of one goes through."""

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
from sfumato.data.schema import Column, Schema
from sfumato.data.schema_file import schema_from_dict, schema_to_dict
from sfumato.data.table import Table
from sfumato.data.values import MISSING
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import is_whole
from sfumato.privacy.verdict import Verdict
from sfumato.published.equivalence import AS_RECORDED, Cells, PublishedClasses
from sfumato.published.evidence import Evidence
from sfumato.published.files import read_columns, refuse_blank_texts, type_of, typed
from sfumato.published.judge import judge
from sfumato.published.shape import Check, Shape, shape_of
from sfumato.published.tables.population_fit import fitting_of_recorded

if TYPE_CHECKING:
    from sfumato.published.shape import Bare
    from sfumato.published.tables.numbered_classes import Republished
    from sfumato.published.tables.two_tables import Permuted
    from sfumato.release.release import Release

__all__ = ["TableShape", "bounds_loss", "table_shape"]


_SCHEMAS: WeakKeyDictionary[Release | Bare, Schema] = WeakKeyDictionary()
"""Schemas are read once for each release."""


def table_shape(release: Release | Bare) -> TableShape:
    """The shape of a release of a table; any other is refused."""
    shape = shape_of(release)
    if not isinstance(shape, TableShape):
        raise ParameterError(f"the release is of {shape.called}, and not of a table; give a release of a table")
    return shape


class TableShape(Shape):
    """A release of a table."""

    original_type = Table
    data_type = Table
    called = "a table"
    unit = "rows"
    unread: ClassVar[str] = "the published tables do not fit each other, so that the promise cannot be decided"
    """What is found where the files cannot be read as one."""
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
            parameters = self.public.get("schema")
            if not isinstance(parameters, Mapping):
                raise DataError("the release does not say what its columns are; ask its owner for a new copy")
            known = _SCHEMAS[self.release] = schema_from_dict(dict(parameters))
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
    def drawn(self) -> list[str]:
        """The columns whose values were drawn anew or changed."""
        return [name for name, form in self.forms.items() if form == "substitute"]

    @property
    def measured_anew(self) -> bool:
        """Only where values were drawn or changed."""
        return bool(self.drawn)

    @property
    def n_withheld(self) -> int:
        """How many records the release says that it withholds."""
        return self._count_of("withheld_rows")

    @property
    def n_suppressed(self) -> int:
        """How many of these the method suppressed."""
        return self._count_of("suppressed_rows")

    def _count_of(self, key: str) -> int:
        """A number of rows that the release tells; 0 where it tells none, or something else."""
        parameters = self.public.get(key, 0)
        return parameters if is_whole(parameters) and parameters >= 0 else 0

    @property
    def listed(self) -> Permuted | None:
        """The two tables, where sensitive values are listed by group in a table of their own."""
        return None

    @property
    def numbered(self) -> Republished | None:
        """The classes by number, where they have numbers."""
        return None

    @property
    def as_subdomains(self) -> str | None:
        """The sensitive column that is shown as subdomains, where one is."""
        return None

    @property
    def needs_original(self) -> bool:
        """Whether readers cannot decide the promise by what is published alone."""
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
        """How values were changed one by one, where they were: one of `CHANGES`."""
        return None

    @property
    def noise(self) -> Mapping[str, Any]:
        """What the release tells of noise that was added."""
        return {}

    def plain_classes(self) -> PublishedClasses | None:
        """The classes, where the release shows nothing but classes."""
        every = Cells(suppressed_rows="class")
        return PublishedClasses(self.frame, self.schema.quasi, self.schema.sensitive, self.schema.columns, every)

    def people(self) -> pl.DataFrame:
        """The rows that stand for somebody."""
        return self.frame

    # -- the check -----------------------------------------------------------------------------------------------------

    def verify(self, check: Check) -> Verdict:
        """The skeleton: can it be read, does it keep what it tells, is it true, and does the promise hold on it."""
        flaws = self.flaws()
        if flaws:
            return Verdict(found=(self.unread,), checked_on=self.checked_on(None), broken=(*self.damage, *flaws))
        found, wrong = self.own_check(check)
        broken = [*self.damage, *self.mistold(), *self.unnamed(), *wrong]
        if check.original is not None:
            broken += [*self.other_roles(check.original), *self.untruths(check)]
        broken += self.refused(check)
        verdict = judge(
            check.promise, self.classes(check, sound=not broken), checked_on=self.checked_on(check.original),
            broken=tuple(broken), found=tuple(found), groups=self.groups(check),
        )  # fmt: skip
        undecided, declared = self.left_open(check)
        return replace(
            verdict, decisions=(*self.decisions(), *verdict.decisions), undecided=(*verdict.undecided, *undecided),
            declared=(*verdict.declared, *declared),
        )  # fmt: skip

    def flaws(self) -> list[str]:
        """What keeps the files from being read as one, a clause each."""
        return []

    def mistold(self) -> list[str]:
        """What every release of a table tells, and that cannot be read."""
        wrong = []
        if not isinstance(self.public.get("forms", {}), Mapping):
            wrong.append("what the release says of the forms of its columns cannot be read")
        for key in ("withheld_rows", "suppressed_rows"):
            parameters = self.public.get(key, 0)
            if not is_whole(parameters) or parameters < 0:
                wrong.append(f"the release does not say in a number how many rows are {key.removesuffix('_rows')}")
        return wrong

    def unnamed(self) -> list[str]:
        """Columns and tables that are published without the release saying what they are: no promise speaks of them."""
        known = self.tables_beside()
        columns = [name for name in self.frame.columns if name not in self.schema.columns]
        return [
            *(f"column {name!r} is published, and the release does not say what it is" for name in columns),
            *(f"the table {name!r} is published, and the release does not name it"
              for name in self.files if name not in known),
        ]  # fmt: skip

    def tables_beside(self) -> Sequence[str]:
        """The tables that such a release publishes beside the data."""
        return ()

    def own_check(self, check: Check) -> tuple[list[str], list[str]]:
        """What such a release must keep by what it tells of itself: what was found, and what is broken."""
        return [], []

    def other_roles(self, original: Table) -> list[str]:
        """Columns that the release takes for something else than the original does: its promise would speak of less."""
        wrong = []
        for name, column in self.schema.columns.items():
            role = original.schema.role(name)
            if role != column.role and (role in ("quasi", "sensitive") or column.role in ("quasi", "sensitive")):
                wrong.append(f"column {name!r} is {role} in the original, and {column.role} in the release")
        return wrong

    @abstractmethod
    def untruths(self, check: Check) -> list[str]:
        """What the original contradicts, a clause each."""

    def refused(self, check: Check) -> list[str]:
        """Promises that cannot be kept by such a release, a clause each."""
        return []

    @abstractmethod
    def classes(self, check: Check, *, sound: bool) -> PublishedClasses:
        """The classes that promises are decided on, with the evidence; `sound` where nothing is broken so far."""

    def groups(self, check: Check) -> PublishedClasses | None:
        """What sensitive values are told of, where that is not the classes."""
        return None

    def left_open(self, check: Check) -> tuple[Sequence[str], Sequence[str]]:
        """What was not decided beside the promise, and what is declared of a draw; nothing holds of no promise."""
        return (() if check.promise is not None else ("anything: the release makes no promise",)), ()

    def decisions(self) -> Sequence[str]:
        """How the tables were read, in words."""
        return ()

    @abstractmethod
    def checked_on(self, original: Table | None) -> str:
        """What was read."""

    def asked_quasi(self, check: Check) -> list[str]:
        """The quasi-identifiers that the promise is decided on."""
        return list(check.quasi or self.schema.quasi)

    def asked_sensitive(self, check: Check) -> list[str]:
        """The sensitive columns that the promise is decided on."""
        return list(check.sensitive or self.schema.sensitive)

    def recorded_classes(self, check: Check) -> PublishedClasses:
        """Classes by quasi-identifiers that are published as recorded: whoever knows the rows links a share of them."""
        shown = PublishedClasses(self.frame, self.asked_quasi(check), (), self.schema.columns, AS_RECORDED)
        linked = np.array([shown.n_classes / max(shown.n_rows, 1)])
        fitting = fitting_of_recorded(check.parts, self.frame, shown, self.n_withheld)
        shown.evidence = Evidence(fitting=fitting, linked=linked)
        return shown

    # -- files ---------------------------------------------------------------------------------------------------------

    @classmethod
    def described_columns(cls, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]) -> list[str] | None:
        """Columns that are told of beside those of the rows, in the original's order; None where the rows have all."""
        return None

    @classmethod
    def public_of(cls, original: Table, frame: pl.DataFrame, files: Mapping[str, pl.DataFrame],
                  public: Mapping[str, Any]) -> dict[str, Any]:  # fmt: skip
        """What a method tells, and the schema: no value of a hierarchy that no cell shows, no bounds of moved columns.

        Columns that are published in a table of their own are told as well, and those that the original lacks are not.
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
            columns.append(column)
        return {"schema": schema_to_dict(Schema.of(columns)), **public}

    @classmethod
    def declared_columns(cls, schema: Schema, public: Mapping[str, Any]) -> list[Column]:
        """The columns that the rows have, by what the release tells."""
        return list(schema.columns.values())

    @classmethod
    def data_of(cls, frame: pl.DataFrame, public: Mapping[str, Any], source: str = "polars") -> Table:
        """The published rows as a Table, in the type that the original came in: generalised columns are text."""
        schema, forms = schema_from_dict(dict(public["schema"])), public.get("forms", {})
        columns = []
        for column in cls.declared_columns(schema, public):
            if column.name not in forms:
                columns.append(column)
            elif frame[column.name].dtype == pl.String:
                columns.append(Column(name=column.name, role=column.role, kind="category"))
            else:
                columns.append(Column(name=column.name, role=column.role))
        return Table(frame, Schema.of(columns), source=source)  # type: ignore[arg-type]

    @classmethod
    def read(cls, path: Path, public: Mapping[str, Any]) -> Table:
        """The published rows, without the bounds that are written beside ranges."""
        if path.suffix == ".csv":
            frame = pl.read_csv(path, infer_schema=False)
            frame = frame.with_columns(typed(frame[name], kind) for name, kind in public.get("types", {}).items())
        else:
            schema = schema_from_dict(dict(public["schema"]))
            frame = drop_bounds(read_columns(path), public.get("bounds", {}), public.get("forms", {}), schema)
        return cls.data_of(frame, public)

    def written(self, format: str) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Text with the types of its columns told apart, or columns with bounds beside the ranges."""
        frame, public = self.frame, dict(self.public)
        if format == "csv":
            refuse_blank_texts(frame)
            public["types"] = {name: type_of(frame[name].dtype) for name in frame.columns
                               if name in self.forms or frame[name].dtype.is_temporal()}  # fmt: skip
        else:
            frame, public["bounds"] = add_bounds(frame, self.forms, self.schema)
        return frame, public


def bounds_loss(check: Check) -> bool:
    """Whether a bound on the loss is asked for."""
    return any(part.bounds_loss for part in check.parts)
