"""What sensitive values shown as subdomains lost, and who is at risk.

The quasi-identifiers are published as recorded. A reader takes every row of a group to have each value with the
probability that the group's subdomains give it. So the release is measured as two tables with these shares
(`two_tables.py`), and beside that how wide the subdomains are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.measurer import MeasureOptions
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.data.values import as_number
from sfumato.ground.figures import Figure, Measures, Note, declare
from sfumato.privacy.p_private import distance_from_target
from sfumato.published.tables.subdomain_lists import Subdomains, probabilities
from sfumato.published.tables.two_tables import TwoTables
from sfumato.tables.measures.cubes import measure_cube
from sfumato.tables.measures.loss import published_part
from sfumato.tables.measures.risk import risk
from sfumato.tables.measures.two_tables import measure_two_tables

__all__ = ["expected_counts", "measure_subdomains"]

_MOST_ENTRIES = 20_000_000

_SUBDOMAIN_WIDTH = declare(
    name="subdomain_width", label="Width of subdomains", group="utility", unit="share", audience="public",
    meaning="range of a listed subdomain over that of the domain, on average: 0 is a single value",
)  # fmt: skip
_EXACT_VALUES = declare(
    name="exact_values", label="Exact values", group="utility", unit="share", audience="public",
    meaning="share of the listed subdomains that are a single value", smaller_is_better=False,
)  # fmt: skip
_N_FAKES = declare(
    name="n_fakes", label="Fake values", group="utility", unit="count", audience="public",
    meaning="subdomains that are listed beyond the rows of their group", smaller_is_better=None,
)  # fmt: skip
_TARGET_DISTANCE = declare(
    name="target_distance", label="Distance from the target", group="utility", unit="share", audience="public",
    meaning="total variation between the target and what the farthest group's subdomains say",
)  # fmt: skip


def measure_subdomains(
    published: pl.DataFrame,
    seen: Subdomains,
    forms: Mapping[str, Form],
    original: Table | None,
    rows: NDArray[np.int64] | None,
    asked: MeasureOptions,
    *,
    n_withheld: int = 0,
) -> Measures:
    """Utility and risk of subdomains by group; see `measure_two_tables` for the parameters."""
    asked.refuse_levels_without(original)
    if seen.n_groups * len(seen.values) <= _MOST_ENTRIES:
        found = measure_two_tables(
            published, expected_counts(seen), forms, original, rows, asked, n_withheld=n_withheld
        )
    else:
        note = "query errors and attribute risk are left out: there are too many groups of too many values"
        found = risk(published, forms, original, population=asked.population, exact=True)
        found |= Measures(notes=[Note(note, "owner")])
        if original is not None and asked.olap_levels:
            part, _, _ = published_part(original, rows, published.height)
            found |= measure_cube(published, forms, part, asked, permuted=expected_counts(seen))
    notes = []
    if len(seen.values) > 1 and bool(((seen.first == 0) & (seen.last == len(seen.values) - 1)).all()):
        note = (
            "every subdomain is the whole domain: groups of this size cannot carry the target's ratios; allow a "
            "distance (within), larger groups, or fakes"
        )
        notes.append(Note(note, "public"))
    return Measures(_figures(published, seen), notes=notes) | found


def _figures(published: pl.DataFrame, seen: Subdomains) -> list[Figure]:
    """The figures of the subdomains themselves."""
    width = subdomain_widths(seen)
    listed = int(seen.count.sum())
    starts = seen.starts
    known: dict[bytes, float] = {}
    for g in range(seen.n_groups):
        part, t = slice(starts[g], starts[g + 1]), int(seen.target_of_group[g])
        entries = (seen.first[part], seen.last[part], seen.count[part])
        key = np.concatenate([[t], *entries]).tobytes()
        if key not in known:
            known[key] = float(distance_from_target(*entries, seen.weights[t]))
    return [
        _SUBDOMAIN_WIDTH.of(float(width @ seen.count / max(listed, 1))),
        _EXACT_VALUES.of(float(seen.count[seen.first == seen.last].sum() / max(listed, 1))),
        _N_FAKES.of(float(listed - published.height)),
        _TARGET_DISTANCE.of(max(known.values(), default=0.0)),
    ]


def subdomain_widths(seen: Subdomains) -> NDArray[np.float64]:
    """The width of every listed subdomain over that of the domain; categories are one place apart from each other."""
    values = seen.values
    if values.dtype.is_numeric():
        places = values.cast(pl.Float64).to_numpy()
    elif values.dtype.is_temporal():
        places = np.array([as_number(value) for value in values.to_list()])
    else:
        places = np.arange(len(values), dtype=np.float64)
    whole = float(places[-1] - places[0]) if len(places) else 0.0
    return np.asarray((places[seen.last] - places[seen.first]) / (whole if whole > 0 else 1.0), dtype=np.float64)


def expected_counts(seen: Subdomains) -> TwoTables:
    """The release as two tables: for every group, how many of its rows are expected to have each value."""
    shares = probabilities(seen, np.arange(seen.n_groups))
    group, place = np.nonzero(shares > 1e-12)
    counts: Any = shares[group, place] * seen.sizes[group]
    return TwoTables(
        group_of_row=seen.group_of_row, sizes=seen.sizes, numbers=seen.numbers, group=group.astype(np.int64),
        count=counts, sensitive=pl.DataFrame({seen.column: seen.values.gather(place)}), group_name=seen.group_name,
    )  # fmt: skip
