"""Promises that speak of a population: of everybody who might be in the table, and not only of those who are."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.given import given_table
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, SchemaError, suggest
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.promise import All, Finding, Promise

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.conditions import Condition
    from sfumato.published.equivalence import PublishedClasses
    from sfumato.published.evidence import Fitting

__all__ = ["OfPopulation", "Register", "population_schema", "promise_about", "register_of", "without_population"]

P = TypeVar("P", bound="OfPopulation")


@dataclass(frozen=True)
class Register:
    """All that a certificate says of a population: its fingerprint, its size, and the columns they were taken of."""

    sha256: str
    rows: int
    columns: tuple[str, ...]

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Register:
        """Read what `to_dict` wrote."""
        complete = isinstance(given.get("columns"), (list, tuple)) and isinstance(given.get("rows"), int)
        if not complete or not isinstance(given.get("sha256"), str) or set(given) != {"sha256", "rows", "columns"}:
            raise ParameterError("a population is told by sha256, rows and columns; give the table itself")
        names = tuple(map(str, given["columns"]))
        if not names or len(set(names)) < len(names):
            raise ParameterError("a population is told by its columns, each named once; give the table itself")
        return cls(given["sha256"], given["rows"], names)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without a record in it."""
        return {"sha256": self.sha256, "rows": self.rows, "columns": list(self.columns)}


def population_schema(schema: Schema) -> Schema:
    """Return the schema that a population is read by: the quasi-identifiers alone, and without bounds."""
    columns = (schema.column(name) for name in schema.quasi)
    return Schema.of(replace(column, low=None, high=None, missing="value") for column in columns)


def register_of(population: Table, columns: Sequence[str] | None = None) -> Register:
    """Return the fingerprint of a population, by its quasi-identifiers unless columns are named, in any row order."""
    names = list(columns) if columns is not None else sorted(population.schema.quasi or population.columns)
    if not names:
        raise SchemaError("a population is known by its columns, and has none; give the quasi-identifiers of everybody")
    for name in names:
        if name not in population.columns:
            raise SchemaError(f"the population lacks the column {name!r}{suggest(name, population.columns)}")
    shown = pl.DataFrame([_texts(population.frame[name]) for name in names])
    # each value after its length, and a missing one without: no two rows are written alike
    cells = (pl.concat_str(pl.col(name).str.len_bytes(), pl.lit(":"), name).fill_null("-") for name in names)
    rows: list[str] = shown.select(pl.concat_str(cells)).to_series().sort().to_list()
    digest = hashlib.sha256(json.dumps(names).encode())
    for row in rows:
        digest.update(row.encode())
    return Register(digest.hexdigest(), len(population), tuple(names))


def _texts(column: pl.Series) -> pl.Series:
    """The values as text; whole numbers are written the same however they are stored."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if bool((whole == whole.round()).all()) and bool((whole.abs() < 2**53).all()):
            column = column.cast(pl.Int64)
    return column.cast(pl.String)


class OfPopulation(Promise, register=False):
    """What promises share that count the people of a population who fit a class.

    Subclasses are frozen dataclasses with the field `population`: a `Table` with the quasi-identifiers of everybody; or
    None, until somebody gives it; or, in what was loaded, its `Register`. No record of it is written anywhere.
    """

    speaks_of = "population"
    kept_by = "BestFirst"

    population: Table | Register | None
    monotone: ClassVar[bool] = True
    """Whether classes that are allowed stay so when they are joined, with all people who fit."""

    def _check_population(self) -> None:
        given: Any = self.population
        if isinstance(given, Mapping):
            object.__setattr__(self, "population", Register.from_dict(given))
        elif given is not None and not isinstance(given, Register):
            given_table(
                given,
                f"population must be a Table of everybody's quasi-identifiers, as read_table reads one, "
                f"got {type(given).__name__}",
            )

    @abstractmethod
    def allowed(
        self, sizes: NDArray[np.int64], counts: NDArray[np.int64], *, hidden: int = 0
    ) -> NDArray[np.bool_]:  # fmt: skip
        """For each class, whether this many published records (`sizes`) and people who fit (`counts`) keep the promise.

        People whose combination no published record shows are a class of size 0. `hidden` records of the table are
        withheld, or show nothing in any quasi-identifier, and are in none of these classes.
        """

    @abstractmethod
    def _finding(self, classes: PublishedClasses, fitting: Fitting) -> Finding:
        """Decide the promise from the counts of people who fit each class."""

    def follows_from(self, k: int) -> bool:
        """Whether it holds of every k-anonymous table with this k that is part of the population."""
        return False

    @cached_property
    def register(self) -> Register | None:
        """The fingerprint of the population, where one was given."""
        given = self.population
        return given if given is None or isinstance(given, Register) else register_of(given)

    @property
    def lacking(self) -> str | None:
        """The words "the population" where only its fingerprint is known, or nothing."""
        return "the population" if self.population is None or isinstance(self.population, Register) else None

    @property
    def register_text(self) -> str:
        """The population in a few words."""
        return f"{self.register.rows:,} people of the population" if self.register is not None else "population"

    @property
    def people(self) -> Table:
        """The population itself; an error where it was not given."""
        if self.population is None or isinstance(self.population, Register):
            raise ParameterError(f"{self!r} needs the population; give it as in {self._example}")
        return self.population

    @property
    def _example(self) -> str:
        return f"{repr(self)[:-1]}, population=table)"

    def with_population(self: P, population: Table) -> P:
        """Return the same promise about this table; refuse one with another fingerprint than the promise has."""
        given_table(population, f"population must be a Table, got {type(population).__name__}; wrap it as Table(frame)")
        known = self.register
        if known is not None and register_of(population, known.columns) != known:
            raise ParameterError(
                f"the population of {len(population):,} records is another than that of {self!r}, which has "
                f"{known.rows:,} and the fingerprint {known.sha256[:12]}; give the one it was made with"
            )
        return replace(self, population=population)  # type: ignore[type-var]  # subclasses are dataclasses

    def min_size(self) -> int:
        """Return 1: what counts is the people who fit a class, not its own size."""
        return 1

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """No conditions: the sensitive values of a class do not matter."""
        return []

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Decide from the people who fit each class; not decided where they were not counted."""
        known = self.register
        fitting = classes.evidence.fitting.get(known.sha256) if known is not None else None
        if fitting is None:
            why = classes.evidence.unfit or "give the population to verify"
            found = f"{self!r} cannot be decided: it is not known who fits which class; {why}"
            return [Finding(promise=repr(self), holds=False, decided=False, found=found, value=0.0)]
        return [self._finding(classes, fitting)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with the fingerprint of the population and none of its records."""
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "population"}  # type: ignore[arg-type]
        about = {"population": self.register.to_dict()} if self.register is not None else {}
        return {"name": type(self).__name__, **own, **about}


def promise_about(promise: Promise | None, population: Table) -> Promise:
    """Return the promise with this population in every part that speaks of one; refuse where none does."""
    parts = promise.parts if promise is not None else ()
    if promise is None or not any(isinstance(part, OfPopulation) for part in parts):
        raise ParameterError("no promise speaks of a population; leave it out, or promise KMap or DeltaPresence")
    given = tuple(part.with_population(population) if isinstance(part, OfPopulation) else part for part in parts)
    return given[0] if len(given) == 1 else All(given)


def without_population(promise: Promise, method: str) -> Promise:
    """Return the promise without its parts on a population, for a method that does not count one.

    Refused unless each of these parts follows from k-anonymity that is promised beside it.
    """
    counted = [part for part in promise.parts if isinstance(part, OfPopulation)]
    if not counted:
        return promise
    rest = [part for part in promise.parts if not isinstance(part, OfPopulation)]
    k = max((part.k for part in rest if isinstance(part, KAnonymity)), default=0)
    for part in counted:
        if not part.follows_from(k):
            raise ParameterError(
                f"{method} does not count who of a population fits a class, so it cannot keep {part!r}; use BestFirst, "
                f"Samarati or Incognito"
            )
    return rest[0] if len(rest) == 1 else All(tuple(rest))
