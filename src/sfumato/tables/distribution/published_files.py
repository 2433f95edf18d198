"""The tables published beside the rows: subdomains by group, the domain, the targets, and the target of each group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.column_names import unused_name
from sfumato.tables.distribution.domain import Domain
from sfumato.tables.distribution.min_sum_of_range import GroupSubdomains

__all__ = ["published_files"]

_ENDS = ("first", "last", "low", "high")


def published_files(
    columns: Iterable[str], column: str, domain: Domain, listing: GroupSubdomains, weights: Sequence[NDArray[np.int64]],
    target_of_group: NDArray[np.int64], number: NDArray[np.int64],
) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:  # fmt: skip
    """The tables by name, and how they are joined; group g is published as `number[g]`.

    All are sorted, so that their order says nothing about the groups.
    """
    group = unused_name("group", columns)
    count = unused_name("count", [*columns, group])
    shown = unused_name(column, [*_ENDS, group, count])
    entries = np.repeat(number, np.diff(listing.starts))
    subdomains = pl.DataFrame(
        [
            pl.Series(group, entries, dtype=pl.Int64),
            pl.Series(shown, domain.range_texts(listing.first, listing.last), dtype=pl.String),
            pl.Series("first", listing.first),
            pl.Series("last", listing.last),
            domain.values.gather(listing.first).alias("low"),
            domain.values.gather(listing.last).alias("high"),
            pl.Series(count, listing.copies),
        ]
    ).sort(group, "first", "last")
    which = [np.flatnonzero(w) for w in weights]
    targets = pl.DataFrame(
        {
            "target": np.repeat(np.arange(len(weights)), [len(w) for w in which]),
            "place": np.concatenate(which),
            "weight": np.concatenate([w[there] for w, there in zip(weights, which, strict=True)]),
        }
    )
    files = {
        "sensitive": subdomains,
        "domain": pl.DataFrame([pl.Series("place", np.arange(len(domain))), domain.values.alias("value")]),
        "targets": targets,
        "groups": pl.DataFrame({group: number, "target": target_of_group}).sort(group),
    }
    says = {"column": column, "group": group, "count": count, "shown": shown, "table": "sensitive", "domain": "domain",
            "targets": "targets", "groups": "groups",
            "tree": "hierarchy" if domain.tree is not None else "balanced"}  # fmt: skip
    return files, says
