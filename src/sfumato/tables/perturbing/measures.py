"""Measures of changed values: where some are categories, some columns are as recorded, or all were rotated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import as_numbers
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.figures import Figure, Measures
from sfumato.published.tables.linkage import ATTACKS
from sfumato.published.tables.mixed_linkage import holds_numbers, linked_by_nearest
from sfumato.randomness import Randomness
from sfumato.tables.substitutes import measure_substitutes

__all__ = ["measure_perturbed"]

_ATTACKED = 2_000
"""So many records are looked for at most; the rest is taken to fare as they do."""
_NEIGHBOURS = 10


def measure_perturbed(
    published: pl.DataFrame,
    public: Mapping[str, Any],
    original: Table | None,
    rows: NDArray[np.int64] | None,
    *,
    label: str | None = None,
    n_queries: int = 200,
    random: Randomness | None = None,
    relative: bool = False,
    olap_levels: Sequence[int] = (),
) -> Measures:
    """Utility and risk of changed values, from the published ones, the original and the owner's row map."""
    if olap_levels:
        raise ParameterError("olap_levels compares classes, and this release has changed values; leave olap_levels out")
    drawn = [name for name in published.columns if name in public["forms"]]
    stream = random or Randomness("measures")
    given = {"label": label, "n_queries": n_queries, "random": random, "relative": relative}
    if original is None or rows is None:
        return measure_substitutes(published, drawn, None, None)
    if "rotation" in public:
        return _rotated(published, drawn, original, rows)
    numbers = [name for name in drawn if holds_numbers(published[name]) and holds_numbers(original.frame[name])]
    recorded = [name for name in original.schema.quasi if name in published.columns and name not in drawn]
    if len(numbers) == len(drawn) and not recorded:
        return measure_substitutes(published, drawn, original, rows, **given)  # type: ignore[arg-type]
    own = original.frame[rows]
    figures, by_column, notes = [], {}, []
    if numbers:
        of_numbers = measure_substitutes(published, numbers, original, rows, **given)  # type: ignore[arg-type]
        figures = [each for each in of_numbers.figures if each.group == "utility" and each.name != "withheld_rows"]
        by_column, notes = dict(of_numbers.by_column), list(of_numbers.notes)
    categories = [name for name in drawn if name not in numbers]
    if categories:
        changed = {name: _changed(own[name], published[name]) for name in categories}
        off = {name: _off(own[name], published[name]) for name in categories}
        by_column |= {"cells_changed": changed, "frequency_error": off}
        figures += [
            _figure("cells_changed", float(np.mean(list(changed.values()))), "Cells changed",
                    "share of categories that are not the record's own"),
            _figure("frequency_error", float(np.mean(list(off.values()))), "Error of frequencies",
                    "total variation between published and true frequencies of a column, on average"),
        ]  # fmt: skip
    figures.append(_withheld(original, published))
    known = [name for name in original.schema.quasi if name in published.columns]
    n = published.height
    targets = np.sort(stream.spawn("targets").permutation(n)[:_ATTACKED])
    if len(targets) < n:
        notes.append(f"linkage was tried for {len(targets):,} records, picked at random")
    rate = linked_by_nearest(own, published, known, targets, recorded).rate["nearest"] if known and n else 0.0
    figures += [
        _linked("linkage_nearest", rate, "Linked by distance", "share of records whose nearest published row is their "
                "own, by changed and by recorded quasi-identifiers"),
        _linked("linkage_strongest", rate, "Linked by the strongest attack", "the largest of these"),
        _linked("linkage_chance", 1.0 / max(n, 1), "Linked by chance", "share of records that guessing would find"),
    ]  # fmt: skip
    return Measures(figures, by_column=by_column, notes=notes)


def _rotated(published: pl.DataFrame, names: Sequence[str], original: Table, rows: NDArray[np.int64]) -> Measures:
    from scipy.spatial import cKDTree

    shown = np.array([as_numbers(published[name]) for name in names])
    own = np.array([as_numbers(original.frame[name].gather(rows)) for name in names])
    spread = own.std(axis=1, keepdims=True)
    true = (own - own.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
    n = published.height
    figures = []
    if n > 1:
        k = min(_NEIGHBOURS, n - 1)
        near = [np.asarray(cKDTree(part.T).query(part.T, k + 1)[1]) for part in (true, shown)]
        shares = [len(set(a[1:]) & set(b[1:])) / k for a, b in zip(*near, strict=True)]
        figures.append(Figure(
            name="neighbours_kept", value=float(np.mean(shares)), label="Neighbours kept", group="utility",
            meaning=f"share of a record's {_NEIGHBOURS} nearest that stay among them", unit="share",
            smaller_is_better=False,
        ))  # fmt: skip
    figures.append(_withheld(original, published))
    rates = {name: float(ATTACKS[name](true, shown, np.arange(n)).mean()) for name in ("nearest", "by_rank")}
    figures += [
        _linked("linkage_nearest", rates["nearest"], "Linked by distance",
                "share of records whose nearest published row is their own, without turning back"),
        _linked("linkage_rank", rates["by_rank"], "Linked by rank",
                "share of records whose own row is the nearest in rank, without turning back"),
        _linked("linkage_strongest", max(rates.values()), "Linked by the strongest attack", "the largest of these"),
        _linked("linkage_chance", 1.0 / max(n, 1), "Linked by chance", "share of records that guessing would find"),
    ]  # fmt: skip
    notes = ["whoever knows some records can turn all of them back; no figure here is about that attack"]
    return Measures(figures, notes=notes)


def _changed(own: pl.Series, now: pl.Series) -> float:
    known = int(own.is_not_null().sum())
    return float(own.cast(pl.String).ne_missing(now.cast(pl.String)).sum()) / max(known, 1)


def _off(own: pl.Series, now: pl.Series) -> float:
    counts = [
        series.cast(pl.String).alias("value").value_counts(name=side) for series, side in ((own, "a"), (now, "b"))
    ]
    both = counts[0].join(counts[1], on="value", how="full", nulls_equal=True).fill_null(0)
    return float((both["a"].cast(pl.Int64) - both["b"].cast(pl.Int64)).abs().sum()) / (2.0 * max(len(own), 1))


def _withheld(original: Table, published: pl.DataFrame) -> Figure:
    return Figure(
        name="withheld_rows", value=float(len(original) - published.height), label="Withheld rows", group="utility",
        meaning="rows of the original that were not published", unit="count", smaller_is_better=True,
    )  # fmt: skip


def _figure(name: str, value: float, label: str, meaning: str) -> Figure:
    return Figure(
        name=name, value=value, label=label, group="utility", meaning=meaning, unit="share", smaller_is_better=True
    )


def _linked(name: str, value: float, label: str, meaning: str) -> Figure:
    return Figure(
        name=name, value=value, label=label, group="risk", meaning=meaning, unit="share",
        smaller_is_better=None if name == "linkage_chance" else True,
    )  # fmt: skip
