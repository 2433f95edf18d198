"""What sensitive values shown as subdomains lost, and who is at risk.

The quasi-identifiers are there as they are recorded. A reader takes every row of a group to have each value with the
probability that the group's subdomains give it: what two tables with such shares would lose and risk is measured as it
is there, and beside it how wide the subdomains are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.data.values import as_number
from sfumato.figures import Figure, Measures
from sfumato.privacy.p_private import distance
from sfumato.published.tables.subdomain_lists import Subdomains
from sfumato.published.tables.two_tables import Permuted
from sfumato.randomness import Randomness
from sfumato.tables.permuted_measures import measure_permuted
from sfumato.tables.risk import risk

__all__ = ["achieved_distribution", "expected_counts", "measure_subdomains", "pooled", "probabilities"]

_MOST_ENTRIES = 20_000_000
_MOST_LISTED = 10_000


def measure_subdomains(
    published: pl.DataFrame,
    seen: Subdomains,
    forms: Mapping[str, Form],
    original: Table | None,
    *,
    n_withheld: int = 0,
    label: str | None = None,
    population: Table | None = None,
    n_queries: int = 200,
    random: Randomness | None = None,
) -> Measures:
    """Utility and risk of subdomains by group; see `measure_permuted` for the parameters."""
    if seen.n_groups * len(seen.values) <= _MOST_ENTRIES:
        found = measure_permuted(
            published, expected_counts(seen), forms, original, n_withheld=n_withheld, label=label,
            population=population, n_queries=n_queries, random=random,
        )  # fmt: skip
    else:
        note = "query errors and attribute risk are left out: there are too many groups of too many values"
        found = risk(published, forms, original, population=population, exact=True) | Measures(notes=[note])
    notes = []
    if len(seen.values) > 1 and bool(((seen.first == 0) & (seen.last == len(seen.values) - 1)).all()):
        notes.append(
            "every subdomain is the whole domain: groups of this size cannot carry the target's ratios; allow a "
            "distance (within), larger groups, or fakes"
        )
    return Measures(_figures(published, seen), notes=notes) | found


def _figures(published: pl.DataFrame, seen: Subdomains) -> list[Figure]:
    width = subdomain_widths(seen)
    listed = int(seen.count.sum())
    starts = seen.starts
    known: dict[bytes, float] = {}
    for g in range(seen.n_groups):
        part, t = slice(starts[g], starts[g + 1]), int(seen.target_of_group[g])
        entries = (seen.first[part], seen.last[part], seen.count[part])
        key = np.concatenate([[t], *entries]).tobytes()
        if key not in known:
            known[key] = float(distance(*entries, seen.weights[t]))
    about: list[tuple[str, float, str, str, Any, bool | None]] = [
        ("subdomain_width", float(width @ seen.count / max(listed, 1)), "Width of subdomains",
         "range of a listed subdomain over that of the domain, on average: 0 is a single value", "share", True),
        ("exact_values", float(seen.count[seen.first == seen.last].sum() / max(listed, 1)), "Exact values",
         "share of the listed subdomains that are a single value", "share", False),
        ("n_fakes", float(listed - published.height), "Fake values",
         "subdomains that are listed beyond the rows of their group", "count", None),
        ("target_distance", max(known.values(), default=0.0), "Distance from the target",
         "total variation between the target and what the farthest group's subdomains say", "share", True),
    ]  # fmt: skip
    return [
        Figure(
            name=name, value=value, label=label, group="utility", meaning=meaning, unit=unit, smaller_is_better=smaller
        )
        for name, value, label, meaning, unit, smaller in about
    ]


def subdomain_widths(seen: Subdomains) -> NDArray[np.float64]:
    """The range of every entry's subdomain over that of the domain; of categories, of their number less one."""
    values = seen.values
    if values.dtype.is_numeric():
        places = values.cast(pl.Float64).to_numpy()
    elif values.dtype.is_temporal():
        places = np.array([as_number(value) for value in values.to_list()])
    else:
        places = np.arange(len(values), dtype=np.float64)
    whole = float(places[-1] - places[0]) if len(places) else 0.0
    return np.asarray((places[seen.last] - places[seen.first]) / (whole if whole > 0 else 1.0), dtype=np.float64)


def probabilities(seen: Subdomains, groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of some groups, the probability that their subdomains give every value of the domain: one row each."""
    m = len(seen.values)
    totals = np.array([np.concatenate([[0], np.cumsum(w)]) for w in seen.weights], dtype=np.float64)
    starts = seen.starts
    sizes = starts[groups + 1] - starts[groups]
    entry = np.repeat(starts[groups] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(sizes.sum())
    row, target = np.repeat(np.arange(len(groups)), sizes), seen.target_of_group[seen.group[entry]]
    first, last = seen.first[entry], seen.last[entry]
    inside = totals[target, last + 1] - totals[target, first]
    density = np.zeros((len(groups), m + 1))
    each = seen.count[entry] / inside
    np.add.at(density, (row, first), each)
    np.add.at(density, (row, last + 1), -each)
    found = np.cumsum(density, axis=1)[:, :m] * np.stack([seen.weights[t] for t in seen.target_of_group[groups]])
    return np.asarray(np.maximum(found, 0.0) / seen.listed[groups][:, None], dtype=np.float64)


def expected_counts(seen: Subdomains) -> Permuted:
    """The same as two tables: of every group how many of its rows have each value, as far as can be expected."""
    shares = probabilities(seen, np.arange(seen.n_groups))
    group, place = np.nonzero(shares > 1e-12)
    counts: Any = shares[group, place] * seen.sizes[group]
    return Permuted(
        group_of_row=seen.group_of_row, sizes=seen.sizes, numbers=seen.numbers, group=group.astype(np.int64),
        count=counts, sensitive=pl.DataFrame({seen.column: seen.values.gather(place)}), group_name=seen.group_name,
    )  # fmt: skip


def pooled(seen: Subdomains) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Over all published rows, how many are expected to have each value, and how many the targets ask for."""
    m = len(seen.values)
    expected, target = np.zeros(m), np.zeros(m)
    step = max(1, 4_000_000 // max(m, 1))
    for start in range(0, seen.n_groups, step):
        groups = np.arange(start, min(start + step, seen.n_groups))
        expected += seen.sizes[groups] @ probabilities(seen, groups)
    rows = np.bincount(seen.target_of_group, weights=seen.sizes, minlength=len(seen.weights))
    for n, weights in zip(rows, seen.weights, strict=True):
        target += n * weights / max(int(weights.sum()), 1)
    return expected, target


def achieved_distribution(seen: Subdomains | None) -> dict[str, Any] | None:
    """For a certificate: of every value the probability that the targets give it over all rows, and that achieved."""
    if seen is None or len(seen.values) > _MOST_LISTED:
        return None
    expected, target = pooled(seen)
    n = max(len(seen.group_of_row), 1)
    return {
        "column": seen.column, "values": seen.values.to_list(), "target": (target / n).tolist(),
        "achieved": (expected / n).tolist(),
    }  # fmt: skip
