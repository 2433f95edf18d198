"""Who of a population fits the classes of a published table, for promises that speak of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.hierarchy_rules import Paths
from sfumato.data.schema import Schema
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.data.values import SUPPRESSED
from sfumato.privacy.of_population import OfPopulation
from sfumato.privacy.promise import Promise
from sfumato.published.equivalence import Cells, PublishedClasses
from sfumato.published.evidence import Fitting
from sfumato.published.tables.population_cover import covered_counts, equal_counts, population_points

__all__ = ["count_fitting", "count_fitting_as_recorded", "fitting_of_classes", "fitting_of_recorded"]


def fitting_of_classes(
    parts: Sequence[Promise],
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    classes: PublishedClasses,
    described: Table | Schema,
    n_withheld: int,
) -> tuple[dict[str, Fitting], str | None]:
    """Count who fits the classes, for every population that a promise has; or say why that cannot be told.

    `described` says what the columns are: the original, or else the published schema, beside what the population says.
    """
    found, unfit = {}, None
    for part, people in _populations(parts):
        own = described if isinstance(described, Table) else _describe_population(people, described, classes.quasi)
        unfit = _unfit(classes, forms, own.schema)
        if unfit is None:
            counted = count_fitting(published, forms, classes, own, people)
            found[part] = replace(counted, n_hidden=counted.n_hidden + n_withheld)
    return found, unfit


def fitting_of_recorded(
    parts: Sequence[Promise], published: pl.DataFrame, classes: PublishedClasses, n_withheld: int
) -> dict[str, Fitting]:  # fmt: skip
    """Count who fits the classes, for every population that a promise has, where rows are published as recorded."""
    found = {}
    for part, people in _populations(parts):
        counted = count_fitting_as_recorded(published, classes, people)
        found[part] = replace(counted, n_hidden=counted.n_hidden + n_withheld)
    return found


def _populations(parts: Sequence[Promise]) -> Iterator[tuple[str, Table]]:
    """The populations that promises speak of and have at hand, by fingerprint."""
    for part in parts:
        if isinstance(part, OfPopulation) and part.register is not None and isinstance(part.population, Table):
            yield part.register.sha256, part.population


def count_fitting(
    published: pl.DataFrame, forms: Mapping[str, Form], classes: PublishedClasses, original: Table, population: Table
) -> Fitting:
    """Count the people who fit each class, those who fit none, and those who fit several.

    `original` only says what the columns are.
    """
    shows = PublishedClasses(published, classes.quasi, cells=Cells())  # rows that show nothing set aside
    n = len(population)
    columns, cell, codes, persons = population_points(published, forms, shows, original, population)
    times = np.zeros(len(persons), dtype=np.int64)
    found = covered_counts(columns, cell, codes, persons, times)
    counts, blank = np.full(classes.n_classes, n, dtype=np.int64), np.ones(classes.n_classes, dtype=bool)
    of_row = classes.of_row
    if len(of_row) != len(shows.of_row):  # here they are a class
        of_row = of_row[~_shows_nothing(published, classes.quasi)]
    counts[of_row], blank[of_row] = found[shows.of_row], False
    return Fitting(
        counts=counts, blank=blank, n_people=n, n_hidden=shows.n_suppressed, n_outside=int(persons[times == 0].sum()),
        n_several=int(persons[times > 1].sum()),
    )  # fmt: skip


def count_fitting_as_recorded(published: pl.DataFrame, classes: PublishedClasses, population: Table) -> Fitting:
    """Count the same where rows are published as recorded: whoever has the same quasi-identifiers fits."""
    counts = equal_counts(published, classes, population)
    blank, n = np.zeros(classes.n_classes, dtype=bool), len(population)
    return Fitting(counts=counts, blank=blank, n_people=n, n_hidden=0, n_outside=n - int(counts.sum()), n_several=0)


def _describe_population(population: Table, schema: Schema, quasi: list[str]) -> Table:
    """Return the population under a schema: columns as it declares them itself, the others as the release does."""
    own = population.schema
    columns = []
    for name in quasi:
        column = own.column(name) if name in own.quasi else schema.column(name)
        if isinstance(column.hierarchy, Paths) and name not in own.quasi:  # cut for publication: it lacks other values
            column = replace(column, hierarchy=None)
        columns.append(replace(column, low=None, high=None, missing="value"))
    return Table(population.frame, Schema.of(columns))


def _unfit(classes: PublishedClasses, forms: Mapping[str, Form], schema: Schema) -> str | None:
    """Why the cells of these classes do not say who fits them; None where they do."""
    for name in classes.quasi:
        if name not in forms:
            return f"the release does not say how the cells of {name!r} are to be read"
        if forms[name] not in ("range", "set", "node"):
            return f"{name!r} shows single values, which cover nobody else; show ranges"
        if forms[name] == "node" and schema.column(name).hierarchy is None:
            return f"{name!r} shows nodes of a hierarchy; declare it in the schema of the population"
    if classes.n_suppressed and (classes.cells.suppressed != (SUPPRESSED,) or classes.cells.empty != "value"):
        return "rows are set aside by other marks than the release's own"
    return None


def _shows_nothing(published: pl.DataFrame, quasi: list[str]) -> NDArray[np.bool_]:
    """For each row, whether every quasi-identifier is suppressed."""
    shows_nothing = pl.all_horizontal(pl.col(quasi).cast(pl.String) == SUPPRESSED).fill_null(value=False)
    return np.asarray(published.select(shows_nothing).to_series().to_numpy(), dtype=bool)
