"""What two tables joined by the number of a group lost, and who is at risk.

The quasi-identifiers are there as they are recorded: they lose nothing, and whoever knows them finds the row. What is
lost, and what protects, is that nobody is told which record of a group has which of its sensitive values.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.errors import SchemaError, suggest
from sfumato.figures import Figure, Measures
from sfumato.published.equivalence import AS_RECORDED, PublishedClasses
from sfumato.published.tables.two_tables import Permuted
from sfumato.randomness import Randomness
from sfumato.tables.measures import figures_of
from sfumato.tables.queries import query_error
from sfumato.tables.risk import risk

__all__ = ["attribute_risk", "measure_permuted"]


def measure_permuted(
    published: pl.DataFrame,
    permuted: Permuted,
    forms: Mapping[str, Form],
    original: Table | None,
    *,
    n_withheld: int = 0,
    label: str | None = None,
    population: Table | None = None,
    n_queries: int = 200,
    random: Randomness | None = None,
) -> Measures:
    """Utility and risk of two tables; without the `original` only what they say of themselves.

    `n_withheld` records of the original are behind no published row: they count as wholly lost. See `query_error` and
    `risk` for the other parameters.
    """
    quasi = [*forms]
    values: dict[str, float | None] = {}
    by_column: dict[str, dict[str, float]] = {}
    notes = [
        f"{', '.join(quasi)}: published as recorded, so that gcp and ncp are 0 but for rows withheld; "
        f"what is lost is which record of a group has which sensitive value"
    ]
    n = published.height + n_withheld
    if original is not None and n:
        values["gcp"] = values["ncp"] = n_withheld / n
        by_column["ncp"] = dict.fromkeys(quasi, n_withheld / n)
        if n_withheld:
            notes.append(f"{n_withheld:,} rows of the original are not published: they count as wholly lost")
    if label is None:
        declared = original.schema.sensitive if original is not None else []
        label = next((name for name in declared if name in permuted.sensitive.columns), permuted.sensitive.columns[0])
    values["n_groups"] = permuted.n_groups
    values["average_group_size"] = published.height / permuted.n_groups if permuted.n_groups else None
    values["classification"] = _misclassified(published, permuted, quasi, label, n_withheld)
    if original is not None:
        values["withheld_rows"] = n_withheld
    found = Measures(figures_of(values), by_column=by_column, notes=notes)
    if original is not None:
        found |= query_error(published, forms, original, n_queries=n_queries, random=random, permuted=permuted)
    return found | risk(published, forms, original, population=population, exact=True) | attribute_risk(permuted)


def attribute_risk(permuted: Permuted) -> Measures:
    """How surely somebody's sensitive value is known by the group alone: the share of its most frequent value."""
    largest, average = {}, {}
    for name in permuted.sensitive.columns:
        top = _top_shares(permuted, name)
        largest[name] = float(top.max(initial=0.0))
        average[name] = float(top @ permuted.sizes / permuted.sizes.sum()) if permuted.n_groups else 0.0
    about = {
        "attribute_max": ("Surest sensitive value", "largest share that one sensitive value has in a group", largest),
        "attribute_average": ("Sensitive values guessed",
                              "share of records whose value the most frequent one of their group is", average),
    }  # fmt: skip
    figures = [
        Figure(name=name, value=max(split.values()), label=label, group="risk", meaning=meaning, unit="share")
        for name, (label, meaning, split) in about.items()
        if split
    ]
    note = "risk: the rows show the quasi-identifiers as recorded; what a group hides is who has which of its values"
    return Measures(figures, by_column={name: split for name, (_, _, split) in about.items()}, notes=[note])


def _top_shares(permuted: Permuted, column: str) -> NDArray[np.float64]:
    """The share of the most frequent value in each group."""
    shares = permuted.shares(column)
    top = np.zeros(permuted.n_groups)
    np.maximum.at(top, shares.group, shares.share)
    return top


def _misclassified(
    published: pl.DataFrame, permuted: Permuted, quasi: list[str], label: str, n_withheld: int
) -> float | None:
    """Records that a majority vote is wrong about: of their group for a sensitive label, else of rows like theirs."""
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
