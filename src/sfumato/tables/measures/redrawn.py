"""Measures of a table whose values were drawn anew or had noise added: what they still say, and who is found.

There are no classes to measure. Utility is what survives of distances, ranks, clusters and aggregates; risk is what an
adversary who holds the original values links, in this one release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.measurer import MeasureOptions
from sfumato.data.table import Table
from sfumato.ground.figures import About, Measures, Note, declare
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.linkage import ATTACKS
from sfumato.published.tables.linkage_rates import MOST_MATCHED, numbers_of
from sfumato.tables.measures.distortion import DISTORTION, DISTORTION_RELATIVE
from sfumato.tables.measures.loss import WITHHELD_ROWS
from sfumato.tables.measures.sensitive_neighbours import nearest_sensitive
from sfumato.tables.measures.usefulness import (
    aggregate_errors,
    clustering_error,
    distortion_by_column,
    localities_kept,
    neighbours_kept,
    rank_correlation,
    relative_distortion_by_column,
)

__all__ = [
    "COUNT_ERROR",
    "LINKAGE_BOUND",
    "LINKAGE_CHANCE",
    "LINKAGE_NEAREST",
    "LINKAGE_RANK",
    "LINKAGE_STRONGEST",
    "NEIGHBOURS",
    "NEIGHBOURS_KEPT",
    "SENSITIVE_BASE",
    "SENSITIVE_NEAREST",
    "measure_redrawn",
]

NEIGHBOURS = 10
_CLUSTERS = 5

_DISTORTION = DISTORTION.with_wording(meaning="average distance of a value from the true one, over the column's range")
_DISTORTION_RELATIVE = DISTORTION_RELATIVE.with_wording(
    meaning="average distance of a value from the true one, relative to it"
)
_RANK_CORRELATION = declare(
    name="rank_correlation", label="Rank correlation", group="utility", audience="owner", smaller_is_better=False,
    meaning="Spearman's, of drawn and true values, averaged over columns",
)  # fmt: skip
_LOCALITIES_KEPT = declare(
    name="localities_kept", label="Localities kept", group="utility", unit="share", audience="owner",
    meaning="share of random triples of which the same two values lie nearer", smaller_is_better=False,
)  # fmt: skip
NEIGHBOURS_KEPT = declare(
    name="neighbours_kept", label="Neighbours kept", group="utility", unit="share", audience="owner",
    meaning=f"share of a record's {NEIGHBOURS} nearest that stay among them", smaller_is_better=False,
)  # fmt: skip
_CLUSTERING_ERROR = declare(
    name="clustering_error", label="Clustering error", group="utility", unit="share", audience="owner",
    meaning=f"share of records that change their cluster, of {_CLUSTERS} by k-means",
)  # fmt: skip
COUNT_ERROR = declare(
    name="count_error", label="Error of counts", group="utility", unit="share", audience="owner",
    meaning="median relative error of random counts over thresholds in every column", stands_for="counts",
)  # fmt: skip
_AVERAGE_ERROR = declare(
    name="average_error", label="Error of averages", group="utility", unit="share", audience="owner",
    meaning="median relative error of random averages, over thresholds in the other columns",
)  # fmt: skip
LINKAGE_NEAREST = declare(
    name="linkage_nearest", label="Linked by distance", group="risk", unit="share", audience="owner",
    meaning="share of records whose nearest published row is their own", stands_for="identification",
)  # fmt: skip
LINKAGE_RANK = declare(
    name="linkage_rank", label="Linked by rank", group="risk", unit="share", audience="owner",
    meaning="share of records whose own row is the nearest in rank",
)  # fmt: skip
_LINKAGE_ASSIGNMENT = declare(
    name="linkage_assignment", label="Linked by matching", group="risk", unit="share", audience="owner",
    meaning="share of records that the best matching of all gives their own row",
)  # fmt: skip
_LINKAGE_RANK_ASSIGNMENT = declare(
    name="linkage_rank_assignment", label="Linked by matching ranks", group="risk", unit="share", audience="owner",
    meaning="the same, with ranks in place of values",
)  # fmt: skip
LINKAGE_STRONGEST = declare(
    name="linkage_strongest", label="Linked by the strongest attack", group="risk", unit="share", audience="owner",
    meaning="the largest of these", stands_for="identification",
)  # fmt: skip
LINKAGE_CHANCE = declare(
    name="linkage_chance", label="Linked by chance", group="risk", unit="share", audience="public",
    meaning="share of records that guessing finds; what an adversary finds is for the owner to measure",
    smaller_is_better=None,
)  # fmt: skip
LINKAGE_BOUND = declare(
    name="linkage_bound", label="Bound of any linkage", group="risk", unit="share", audience="public",
    meaning="1 over the smallest block: no linkage succeeds more often",
)  # fmt: skip
SENSITIVE_NEAREST = declare(
    name="sensitive_nearest", label="Sensitive value of the nearest", group="risk", unit="share", audience="owner",
    meaning="share of records whose nearest published row has their sensitive value",
)  # fmt: skip
SENSITIVE_BASE = declare(
    name="sensitive_base", label="Sensitive value by chance", group="risk", unit="share", audience="owner",
    meaning="the same for a row picked at random", smaller_is_better=None,
)  # fmt: skip
_LINKED = {
    "nearest": LINKAGE_NEAREST, "by_rank": LINKAGE_RANK, "by_assignment": _LINKAGE_ASSIGNMENT,
    "by_rank_assignment": _LINKAGE_RANK_ASSIGNMENT,
}  # fmt: skip
_ORDER = (
    _DISTORTION, _DISTORTION_RELATIVE, _RANK_CORRELATION, _LOCALITIES_KEPT, NEIGHBOURS_KEPT, _CLUSTERING_ERROR,
    COUNT_ERROR, _AVERAGE_ERROR, WITHHELD_ROWS, *_LINKED.values(), LINKAGE_STRONGEST, LINKAGE_CHANCE, LINKAGE_BOUND,
    SENSITIVE_NEAREST, SENSITIVE_BASE,
)  # fmt: skip


def measure_redrawn(
    published: pl.DataFrame,
    columns: Sequence[str],
    original: Table | None,
    rows: NDArray[np.int64] | None,
    asked: MeasureOptions,
    *,
    blocks: pl.DataFrame | None = None,
) -> Measures:
    """Utility and risk, from the published values of `columns`, the original and the owner's row map.

    Without original or map only the bound that published `blocks` give is known, and what guessing finds: this is
    public, and all that is found with the row map is for the owner. `asked.label` is the sensitive column of figures
    about one. Records that lack a value in some column are left out.
    """
    asked.refuse_levels("values drawn anew")
    bound: dict[About, float] = {}
    if blocks is not None and blocks.height:
        bound[LINKAGE_BOUND] = 1.0 / float(np.bincount(blocks["block"].to_numpy()).min())
    if original is None or rows is None:
        note = "how far values moved, and who could be linked, is for the owner: such figures help to undo the release"
        chance = LINKAGE_CHANCE.of(1.0 / max(published.height, 1))
        return Measures([chance, *(about.of(value) for about, value in bound.items())], notes=[Note(note, "public")])
    shown, true = numbers_of(published, columns), numbers_of(original.frame, columns)[:, rows]
    complete = ~np.isnan(shown + true).any(axis=0)
    values: dict[About, float] = {**bound, WITHHELD_ROWS: float(len(original) - published.height)}
    by_column: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    if not complete.all():
        n = int((~complete).sum())
        notes.append(f"{n:,} records that lack a value have no part in the figures about distances and linkage")
    shown, true = shown[:, complete], true[:, complete]
    if shown.shape[1] > 1:
        secret = asked.label or next((name for name in original.schema.sensitive if name in published.columns), None)
        labels = published[secret].cast(pl.String).fill_null("").to_numpy()[complete] if secret is not None else None
        stream = asked.random or Randomness("measures")
        values |= _utility(true, shown, columns, by_column, stream, relative=asked.relative)
        values |= _aggregates(true, shown, labels, stream, asked.n_queries)
        values |= _risk(true, shown, notes)
        if labels is not None:
            near = nearest_sensitive(true, shown, labels, labels, n_neighbours=1)
            values |= {SENSITIVE_NEAREST: float(near.shares[0]), SENSITIVE_BASE: near.base}
    figures = [
        about.of(values[about], audience=None if about is LINKAGE_BOUND else "owner")
        for about in _ORDER
        if about in values and np.isfinite(values[about])
    ]
    return Measures(figures, by_column=by_column, notes=[Note(note, "owner") for note in notes])


def _utility(
    true: NDArray[np.float64], shown: NDArray[np.float64], columns: Sequence[str],
    by_column: dict[str, dict[str, float]], random: Randomness, *, relative: bool,
) -> dict[About, float]:  # fmt: skip
    values: dict[About, float] = {}
    figures = {_DISTORTION: distortion_by_column(true, shown), _RANK_CORRELATION: rank_correlation(true, shown)}
    if relative:
        figures[_DISTORTION_RELATIVE] = relative_distortion_by_column(true, shown)
    figures[_LOCALITIES_KEPT] = localities_kept(true, shown, random)
    for about, per_column in figures.items():
        known = ~np.isnan(per_column)
        if known.any():
            by_column[about.name] = {c: float(x) for c, x, k in zip(columns, per_column, known, strict=True) if k}
            values[about] = float(per_column[known].mean())
    n = true.shape[1]
    values[NEIGHBOURS_KEPT] = neighbours_kept(true, shown, min(NEIGHBOURS, n - 1))
    n_distinct = len(np.unique(true, axis=1).T)
    values[_CLUSTERING_ERROR] = clustering_error(true, shown, min(_CLUSTERS, n_distinct), random)
    return values


def _aggregates(
    true: NDArray[np.float64], shown: NDArray[np.float64], labels: NDArray[Any] | None, random: Randomness,
    n_queries: int,
) -> dict[About, float]:  # fmt: skip
    asked = labels if labels is not None else np.zeros(shown.shape[1])
    errors = aggregate_errors(true, shown, asked, random, n_queries)
    averages = [error.median for error in errors[1:] if error.n_answered]
    return {COUNT_ERROR: errors[0].median, **({_AVERAGE_ERROR: float(np.mean(averages))} if averages else {})}


def _risk(true: NDArray[np.float64], shown: NDArray[np.float64], notes: list[str]) -> dict[About, float]:
    n = true.shape[1]
    same = np.arange(n)  # both lie in the published order
    attacks = list(ATTACKS)
    if n > MOST_MATCHED:
        attacks = [attack for attack in attacks if "assignment" not in attack]
        notes.append(f"matching all {n:,} records at once takes too long here: the attacks by matching were left out")
    values = {_LINKED[attack]: float(ATTACKS[attack](true, shown, same).mean()) for attack in attacks}
    return {**values, LINKAGE_STRONGEST: max(values.values()), LINKAGE_CHANCE: 1.0 / n}
