"""Measures of a table whose values were drawn anew or had noise added: what is still true of them, and who is found.

There are no classes to measure. Utility is what survives of distances, ranks, clusters and aggregates; risk is what an
adversary who holds the original values links, in this one release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.figures import Figure, Measures, Unit
from sfumato.published.tables.linkage import ATTACKS
from sfumato.published.tables.linkage_rates import MOST_MATCHED, numbers_of
from sfumato.randomness import Randomness
from sfumato.tables.sensitive_neighbours import nearest_sensitive
from sfumato.tables.usefulness import (
    aggregate_errors,
    clustering_error,
    distortion,
    localities_kept,
    neighbours_kept,
    rank_correlation,
    relative_distortion,
)

__all__ = ["measure_substitutes"]

_NEIGHBOURS = 10
_CLUSTERS = 5

_ABOUT: dict[str, tuple[str, str, Unit, bool | None]] = {
    "distortion": ("Distortion", "average distance of a value from the true one, over the column's range",
                   "share", True),
    "distortion_relative": ("Relative distortion", "average distance of a value from the true one, relative to it",
                            "share", True),
    "rank_correlation": ("Rank correlation", "Spearman's, of drawn and true values, averaged over columns",
                         "number", False),
    "localities_kept": ("Localities kept", "share of random triples of which the same two values lie nearer",
                        "share", False),
    "neighbours_kept": ("Neighbours kept", f"share of a record's {_NEIGHBOURS} nearest that stay among them",
                        "share", False),
    "clustering_error": ("Clustering error", f"share of records that change their cluster, of {_CLUSTERS} by k-means",
                         "share", True),
    "count_error": ("Error of counts", "median relative error of random counts over thresholds in every column",
                    "share", True),
    "average_error": ("Error of averages", "median relative error of random averages, over thresholds in the other "
                      "columns", "share", True),
    "withheld_rows": ("Withheld rows", "rows of the original that were not published", "count", True),
    "linkage_nearest": ("Linked by distance", "share of records whose nearest published row is their own",
                        "share", True),
    "linkage_rank": ("Linked by rank", "share of records whose own row is the nearest in rank", "share", True),
    "linkage_assignment": ("Linked by matching", "share of records that the best matching of all gives their own row",
                           "share", True),
    "linkage_rank_assignment": ("Linked by matching ranks", "the same, with ranks in place of values", "share", True),
    "linkage_strongest": ("Linked by the strongest attack", "the largest of these", "share", True),
    "linkage_chance": ("Linked by chance", "share of records that guessing finds; what an adversary finds is for the "
                       "owner to measure", "share", None),
    "linkage_bound": ("Bound of any linkage", "1 over the smallest block: no linkage succeeds more often",
                      "share", True),
    "sensitive_nearest": ("Sensitive value of the nearest", "share of records whose nearest published row has their "
                          "sensitive value", "share", True),
    "sensitive_base": ("Sensitive value by chance", "the same for a row picked at random", "share", None),
}  # fmt: skip
_RISKS = ("linkage", "sensitive")
_NAMES = {"nearest": "linkage_nearest", "by_rank": "linkage_rank", "by_assignment": "linkage_assignment",
          "by_rank_assignment": "linkage_rank_assignment"}  # fmt: skip


def measure_substitutes(
    published: pl.DataFrame,
    columns: Sequence[str],
    original: Table | None,
    rows: NDArray[np.int64] | None,
    *,
    label: str | None = None,
    n_queries: int = 200,
    random: Randomness | None = None,
    relative: bool = False,
    files: Mapping[str, pl.DataFrame] | None = None,
) -> Measures:
    """Utility and risk, from the published values, the original and the owner's row map.

    Without original or map only the bound that blocks give is known. `label` is the sensitive column for the
    attribute figures, the first one by default. Records that lack a value in some column have no part in it.
    """
    values: dict[str, float] = {}
    by_column: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    blocks = (files or {}).get("blocks")
    if blocks is not None and blocks.height:
        values["linkage_bound"] = 1.0 / float(np.bincount(blocks["block"].to_numpy()).min())
    if original is None or rows is None:
        values["linkage_chance"] = 1.0 / max(published.height, 1)
        notes.append(
            "how far values moved, and who could be linked, is for the owner: such figures help to undo the release"
        )
        return _measures(values, by_column, notes)
    shown, true = numbers_of(published, columns), numbers_of(original.frame, columns)[:, rows]
    complete = ~np.isnan(shown + true).any(axis=0)
    if not complete.all():
        n = int((~complete).sum())
        notes.append(f"{n:,} records that lack a value have no part in the figures about distances and linkage")
    shown, true = shown[:, complete], true[:, complete]
    values["withheld_rows"] = float(len(original) - published.height)
    if shown.shape[1] < 2:
        return _measures(values, by_column, notes)
    stream = random or Randomness("measures")
    values |= _utility(true, shown, columns, by_column, stream, relative=relative)
    secret = label or next((name for name in original.schema.sensitive if name in published.columns), None)
    labels = published[secret].cast(pl.String).fill_null("").to_numpy()[complete] if secret is not None else None
    asked = labels if labels is not None else np.zeros(shown.shape[1])
    errors = aggregate_errors(true, shown, asked, stream, n_queries)
    values["count_error"] = errors[0].median
    averages = [error.median for error in errors[1:] if error.n_answered]
    if averages:
        values["average_error"] = float(np.mean(averages))
    values |= _risk(true, shown, notes)
    if labels is not None:
        near = nearest_sensitive(true, shown, labels, labels, n_neighbours=1)
        values |= {"sensitive_nearest": float(near.shares[0]), "sensitive_base": near.base}
    return _measures(values, by_column, notes)


def _utility(
    true: NDArray[np.float64], shown: NDArray[np.float64], columns: Sequence[str],
    by_column: dict[str, dict[str, float]], random: Randomness, *, relative: bool,
) -> dict[str, float]:  # fmt: skip
    values: dict[str, float] = {}
    figures = {"distortion": distortion(true, shown), "rank_correlation": rank_correlation(true, shown)}
    if relative:
        figures["distortion_relative"] = relative_distortion(true, shown)
    figures["localities_kept"] = localities_kept(true, shown, random)
    for name, per_column in figures.items():
        known = ~np.isnan(per_column)
        if known.any():
            by_column[name] = {c: float(x) for c, x, k in zip(columns, per_column, known, strict=True) if k}
            values[name] = float(per_column[known].mean())
    n = true.shape[1]
    values["neighbours_kept"] = neighbours_kept(true, shown, min(_NEIGHBOURS, n - 1))
    n_distinct = len(np.unique(true, axis=1).T)
    values["clustering_error"] = clustering_error(true, shown, min(_CLUSTERS, n_distinct), random)
    return values


def _risk(true: NDArray[np.float64], shown: NDArray[np.float64], notes: list[str]) -> dict[str, float]:
    n = true.shape[1]
    same = np.arange(n)  # both lie in the published order
    attacks = list(ATTACKS)
    if n > MOST_MATCHED:
        attacks = [attack for attack in attacks if "assignment" not in attack]
        notes.append(f"matching all {n:,} records at once takes too long here: the attacks by matching were left out")
    values = {_NAMES[attack]: float(ATTACKS[attack](true, shown, same).mean()) for attack in attacks}
    return {**values, "linkage_strongest": max(values.values()), "linkage_chance": 1.0 / n}


def _measures(values: dict[str, float], by_column: dict[str, dict[str, float]], notes: list[str]) -> Measures:
    figures = [
        Figure(
            name=name, value=values[name], label=label, group="risk" if name.startswith(_RISKS) else "utility",
            meaning=meaning, unit=unit, smaller_is_better=smaller,
        )
        for name, (label, meaning, unit, smaller) in _ABOUT.items()
        if name in values and np.isfinite(values[name])
    ]  # fmt: skip
    return Measures(figures, by_column=by_column, notes=notes)
