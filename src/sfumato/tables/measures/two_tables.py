"""What two tables joined by the number of a group lost, and who is at risk.

The quasi-identifiers are published as recorded: they lose nothing, and whoever knows them finds the row. What is lost,
and what protects, is which record of a group has which of its sensitive values.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.measurer import MeasureOptions
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.ground.errors import SchemaError, suggest
from sfumato.ground.figures import About, Measures, Note, declare, figures_of
from sfumato.published.equivalence import AS_RECORDED, PublishedClasses
from sfumato.published.tables.two_tables import TwoTables
from sfumato.tables.measures.cubes import measure_cube
from sfumato.tables.measures.loss import CLASSIFICATION, GCP, NCP, WITHHELD_ROWS, published_part
from sfumato.tables.measures.queries import Workload, query_error
from sfumato.tables.measures.risk import risk

__all__ = ["attribute_risk", "measure_two_tables"]


_N_GROUPS = declare(
    name="n_groups", label="Groups", group="utility", unit="count", audience="public",
    meaning="sets of rows whose sensitive values are told together", smaller_is_better=None,
)  # fmt: skip
_AVERAGE_GROUP_SIZE = declare(
    name="average_group_size", label="Average group size", group="utility", audience="public",
    meaning="rows in a group, on average",
)  # fmt: skip
_ATTRIBUTE_MAX = declare(
    name="attribute_max", label="Surest sensitive value", group="risk", unit="share", audience="public",
    meaning="largest share that one sensitive value has in a group",
)  # fmt: skip
_ATTRIBUTE_AVERAGE = declare(
    name="attribute_average", label="Sensitive values guessed", group="risk", unit="share", audience="public",
    meaning="share of records whose value the most frequent one of their group is",
)  # fmt: skip


def measure_two_tables(
    published: pl.DataFrame,
    permuted: TwoTables,
    forms: Mapping[str, Form],
    original: Table | None,
    rows: NDArray[np.int64] | None,
    asked: MeasureOptions,
    *,
    n_withheld: int = 0,
) -> Measures:
    """Utility and risk of two tables; without the `original` only what they and the number withheld say.

    Records of the original that are behind no published row, as the owner's map `rows` tells, count as wholly lost. See
    `query_error`, `risk` and `measure_cube` for what is `asked`.
    """
    asked.refuse_levels_without(original)
    if original is not None:
        original, _, n_withheld = published_part(original, rows, published.height)
    quasi = [*forms]
    values: dict[About, float | None] = {}
    by_column: dict[str, dict[str, float]] = {}
    notes = [
        f"{', '.join(quasi)}: published as recorded, so that gcp and ncp are 0 but for rows withheld; "
        f"what is lost is which record of a group has which sensitive value"
    ]
    n = published.height + n_withheld
    if original is not None and n:
        values[GCP] = values[NCP] = n_withheld / n
        by_column[NCP.name] = dict.fromkeys(quasi, n_withheld / n)
        if n_withheld:
            notes.append(f"{n_withheld:,} rows of the original are not published: they count as wholly lost")
    label = asked.label
    if label is None:
        declared = original.schema.sensitive if original is not None else []
        label = next((name for name in declared if name in permuted.sensitive.columns), permuted.sensitive.columns[0])
    values[_N_GROUPS] = permuted.n_groups
    values[_AVERAGE_GROUP_SIZE] = published.height / permuted.n_groups if permuted.n_groups else None
    values[CLASSIFICATION] = _classification_metric(published, permuted, quasi, label, n_withheld)
    if original is not None:
        values[WITHHELD_ROWS] = n_withheld
    found = Measures(figures_of(values), by_column=by_column, notes=[Note(note, "public") for note in notes])
    if original is not None:
        workload = Workload(n_queries=asked.n_queries, random=asked.random)
        found |= query_error(published, forms, original, workload, permuted=permuted)
    found |= risk(published, forms, original, population=asked.population, exact=True) | attribute_risk(permuted)
    return found if original is None else found | measure_cube(published, forms, original, asked, permuted=permuted)


def attribute_risk(permuted: TwoTables) -> Measures:
    """How surely a sensitive value is known by the group alone: the share of the group's most frequent value."""
    largest, average = {}, {}
    for name in permuted.sensitive.columns:
        top = _top_shares(permuted, name)
        largest[name] = float(top.max(initial=0.0))
        average[name] = float(top @ permuted.sizes / permuted.sizes.sum()) if permuted.n_groups else 0.0
    splits = {_ATTRIBUTE_MAX: largest, _ATTRIBUTE_AVERAGE: average}
    note = "risk: the rows show the quasi-identifiers as recorded; what a group hides is who has which of its values"
    return Measures(
        [about.of(max(split.values())) for about, split in splits.items() if split],
        by_column={about.name: split for about, split in splits.items()},
        notes=[Note(note, "public")],
    )


def _top_shares(permuted: TwoTables, column: str) -> NDArray[np.float64]:
    """The share of the most frequent value in each group."""
    shares = permuted.shares(column)
    top = np.zeros(permuted.n_groups)
    np.maximum.at(top, shares.group, shares.share)
    return top


def _classification_metric(
    published: pl.DataFrame, permuted: TwoTables, quasi: list[str], label: str, n_withheld: int
) -> float | None:
    """The classification metric: the share of records whose label a majority vote gets wrong.

    The vote is that of their group for a sensitive label, and else of the rows with the same quasi-identifiers.
    """
    n = published.height + n_withheld
    known = [*permuted.sensitive.columns, *published.columns]
    if label not in known:
        raise SchemaError(f"label names the column {label!r}, which is not published{suggest(label, known)}")
    if not n:
        return None
    if label in permuted.sensitive.columns:
        right = float(_top_shares(permuted, label) @ permuted.sizes)
    else:
        alike = PublishedClasses(published, quasi, cells=AS_RECORDED).of_row
        counts = pl.DataFrame({"class": alike, "label": published[label]}).group_by("class", "label").len()
        right = float(counts.group_by("class").agg(pl.col("len").max())["len"].sum())
    return (n - right) / n
