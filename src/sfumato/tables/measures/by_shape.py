"""All figures of a published table, by its shape: what it lost, and who is at risk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.measurer import MeasureOptions, measure_of
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.ground.figures import Measures, declare
from sfumato.published.tables.changed import ChangedShape
from sfumato.published.tables.class_coverage import place_classes
from sfumato.published.tables.classes import ClassesShape
from sfumato.published.tables.condensed import CondensedShape
from sfumato.published.tables.numbered_classes import NumberedClasses
from sfumato.published.tables.redrawn import RedrawnShape
from sfumato.published.tables.sequence import SequenceShape
from sfumato.published.tables.subdomains import SubdomainsShape
from sfumato.published.tables.two_tables import TwoTablesShape
from sfumato.tables.measures.changed import measure_changed
from sfumato.tables.measures.condensed import measure_condensed
from sfumato.tables.measures.cubes import measure_cube
from sfumato.tables.measures.loss import class_sizes, published_part, utility
from sfumato.tables.measures.queries import Workload, query_error
from sfumato.tables.measures.redrawn import measure_redrawn
from sfumato.tables.measures.risk import risk
from sfumato.tables.measures.subdomains import measure_subdomains
from sfumato.tables.measures.two_tables import measure_two_tables

__all__ = ["measure_classes", "measure_sequence"]

_COUNTERFEITS = declare(
    name="counterfeits", label="Counterfeit rows", group="utility", unit="count", audience="public",
    meaning="published rows that stand for nobody, so that classes show all of their values",
)  # fmt: skip


def measure_classes(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table | None,
    rows: NDArray[np.int64] | None,
    asked: MeasureOptions,
    *,
    people: pl.DataFrame | None = None,
    n_withheld: int = 0,
) -> Measures:
    """Utility and risk of rows that form classes, from their cells and the original.

    Without the original only what the release alone says: class sizes, discernibility, risk; it tells how many records
    were withheld, `n_withheld`. What is `asked`, and what each figure means, is said in `utility`, `query_error`,
    `risk` and `measure_cube`. Where some rows are counterfeits, `people` are the rows that risks are counted on.
    """
    asked.refuse_levels_without(original)
    behind = published if people is None else people
    if original is None:
        alone = class_sizes(published, list(forms), k=asked.k, n_withheld=n_withheld)
        return alone | risk(behind, forms, population=asked.population)
    original, rows, n_withheld = published_part(original, rows, published.height)
    placed = place_classes(published, forms, original, n_withheld)
    workload = Workload(n_queries=asked.n_queries, random=asked.random)
    return (
        utility(published, forms, original, rows, label=asked.label, k=asked.k, relative=asked.relative, classes=placed)
        | query_error(published, forms, original, workload, classes=placed)
        | risk(behind, forms, original, population=asked.population)
        | measure_cube(published, forms, original, asked, classes=placed)
    )


def measure_sequence(
    published: pl.DataFrame,
    numbered: NumberedClasses,
    forms: Mapping[str, Form],
    original: Table | None,
    rows: NDArray[np.int64] | None,
    asked: MeasureOptions,
    *,
    n_withheld: int = 0,
) -> Measures:
    """Utility and risk of one release of a sequence, some rows of which are counterfeits and stand for nobody."""
    people = numbered.people(published)
    found = measure_classes(published, forms, original, rows, asked, people=people, n_withheld=n_withheld)
    return found | Measures([_COUNTERFEITS.of(numbered.n_fakes)])


@measure_of.register
def _(shape: ClassesShape, original: Any, asked: MeasureOptions) -> Measures:
    return measure_classes(shape.frame, shape.forms, original, shape.rows, asked, n_withheld=shape.n_withheld)


@measure_of.register
def _(shape: SequenceShape, original: Any, asked: MeasureOptions) -> Measures:
    return measure_sequence(
        shape.frame, shape.numbered_classes, shape.forms, original, shape.rows, asked, n_withheld=shape.n_withheld
    )


@measure_of.register
def _(shape: TwoTablesShape, original: Any, asked: MeasureOptions) -> Measures:
    return measure_two_tables(
        shape.frame, shape.two_tables, shape.forms, original, shape.rows, asked, n_withheld=shape.n_withheld
    )


@measure_of.register
def _(shape: SubdomainsShape, original: Any, asked: MeasureOptions) -> Measures:
    return measure_subdomains(
        shape.frame, shape.subdomains, shape.forms, original, shape.rows, asked, n_withheld=shape.n_withheld
    )


@measure_of.register
def _(shape: CondensedShape, original: Any, asked: MeasureOptions) -> Measures:
    return measure_condensed(shape.frame, shape.owner_files, original, asked)


@measure_of.register
def _(shape: RedrawnShape, original: Any, asked: MeasureOptions) -> Measures:
    blocks = shape.files.get("blocks")
    return measure_redrawn(shape.frame, shape.drawn_columns, original, shape.rows, asked, blocks=blocks)


@measure_of.register
def _(shape: ChangedShape, original: Any, asked: MeasureOptions) -> Measures:
    rotated = shape.change == "rotation"
    return measure_changed(shape.frame, shape.drawn_columns, original, shape.rows, asked, rotated=rotated)
