"""All measures of a published table together: what it lost, and who is at risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.figures import Measures
from sfumato.published.tables.placed import place_classes
from sfumato.published.tables.subdomain_lists import Subdomains
from sfumato.published.tables.two_tables import Permuted
from sfumato.randomness import Randomness
from sfumato.tables.measures import class_sizes, utility
from sfumato.tables.olap import cube_divergence, cube_value, shown_weights
from sfumato.tables.permuted_measures import measure_permuted
from sfumato.tables.queries import query_error
from sfumato.tables.risk import risk
from sfumato.tables.subdomain_measures import expected_counts, measure_subdomains
from sfumato.tables.substitutes import measure_substitutes

__all__ = ["measure_table"]


def measure_table(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table | None,
    rows: NDArray[np.int64] | None = None,
    *,
    label: str | None = None,
    k: int | None = None,
    population: Table | None = None,
    n_queries: int = 200,
    random: Randomness | None = None,
    relative: bool = False,
    files: Mapping[str, pl.DataFrame] | None = None,
    permuted: Permuted | None = None,
    subdomains: Subdomains | None = None,
    people: pl.DataFrame | None = None,
    olap_levels: Sequence[int] = (),
) -> Measures:
    """Utility and risk of a published table, from its cells and the original.

    Without the original only what the table says of itself: class sizes, discernibility, risk. See `utility`,
    `query_error` and `risk` for the parameters and for what each figure means; `measure_substitutes` where values were
    drawn anew, `measure_permuted` where sensitive values are in a table of their own, `measure_subdomains` where they
    are shown as subdomains. `files` are the tables published
    beside the data. Where some rows stand for nobody, `people` are the rows that risks are counted on. Levels of the
    data cube are measured by `cube_divergence`, for the most frequent value of `label`.
    """
    drawn = [name for name, form in forms.items() if form == "substitute"]
    if olap_levels and drawn:
        raise ParameterError(
            "olap_levels compares classes, and this release has values drawn anew; leave olap_levels out"
        )
    if olap_levels and original is None:
        raise ParameterError("olap_levels compares with the original; give it, or leave olap_levels out")
    if drawn:
        return measure_substitutes(
            published, drawn, original, rows, label=label, n_queries=n_queries, random=random, relative=relative,
            files=files,
        )  # fmt: skip
    behind = published if people is None else people
    if original is None and permuted is None and subdomains is None:
        return class_sizes(published, list(forms), k=k) | risk(behind, forms, population=population)
    n_withheld = None
    if original is not None and rows is not None and _is_part(rows[rows >= 0], len(original)):
        # the domain is that of the published records: what only a withheld one has must not show in a figure
        kept = np.unique(rows[rows >= 0])
        n_withheld = len(original) - len(kept)
        original, rows = original.rows(kept), np.where(rows >= 0, np.searchsorted(kept, rows), -1)
    if permuted is not None or subdomains is not None:
        more = max(0, len(original) - published.height) if original is not None else 0
        options: dict[str, Any] = {
            "n_withheld": more if n_withheld is None else n_withheld, "label": label, "population": population,
            "n_queries": n_queries, "random": random,
        }  # fmt: skip
        if subdomains is not None:
            found = measure_subdomains(published, subdomains, forms, original, **options)
            permuted = expected_counts(subdomains) if olap_levels else None
        else:
            assert permuted is not None
            found = measure_permuted(published, permuted, forms, original, **options)
        if original is None or not olap_levels:
            return found
        column, weights = _counted(published, forms, original, label, permuted)
        return found | cube_divergence(original, published, forms, weights, column, levels=olap_levels)
    assert original is not None
    placed = place_classes(published, forms, original, n_withheld)
    lost = utility(published, forms, original, rows, label=label, k=k, relative=relative, classes=placed)
    asked = query_error(published, forms, original, n_queries=n_queries, random=random, classes=placed)
    found = lost | asked | risk(behind, forms, original, population=population)
    if not olap_levels:
        return found
    column, weights = _counted(published, forms, original, label)
    return found | cube_divergence(original, published, forms, weights, column, levels=olap_levels, classes=placed)


def _counted(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    label: str | None,
    permuted: Permuted | None = None,
) -> tuple[str, NDArray[np.float64]]:
    """The column of which the data cube counts the most frequent value, and how likely each published row has it."""
    column = label if label is not None else next(iter(original.schema.sensitive), None)
    if column is None:
        raise ParameterError("olap_levels counts a sensitive value, and no column is sensitive; name one with label")
    if permuted is not None and column in permuted.sensitive.columns:
        value = cube_value(original, column, dtype=permuted.sensitive[column].dtype)
        return column, permuted.row_weights(column, value)
    if column in forms or column not in published.columns:
        raise ParameterError(
            f"olap_levels counts the values of {column!r}, which is not published as it is; name another with label"
        )
    return column, shown_weights(original, published, column)


def _is_part(rows: NDArray[np.int64], n: int) -> bool:
    """Whether these are some of `n` records, but not all."""
    return bool(0 < len(rows) < n and rows.min() >= 0 and rows.max() < n)
