"""Whether the values of the original lie in published subdomains, no two in the same one."""

from __future__ import annotations

import heapq

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.privacy.target import Target
from sfumato.published.tables.subdomain_lists import Subdomains
from sfumato.published.tables.truth import untruths

__all__ = ["have_places", "subdomain_untruths"]


def subdomain_untruths(
    frame: pl.DataFrame, seen: Subdomains, target: Target | None, original: Table, rows: NDArray[np.int64] | None
) -> list[str]:
    """What the original contradicts, a clause each; nothing if the subdomains are true.

    With the owner's row map every row must be its own record, and the values of every group must lie in its
    subdomains, no two in the same one. Without it this is asked of the whole table. A target that follows the table or
    its groups must be their distribution.
    """
    if original.schema.role(seen.column) == "identifier" or seen.column not in original.columns:
        return [f"column {seen.column!r} is published, but the original lacks it or calls it an identifier"]
    exposed = [name for name in frame.columns if original.schema.role(name) == "sensitive"]
    if exposed:
        return [f"column {exposed[0]!r} is sensitive, and is published beside the quasi-identifiers"]
    wrong = untruths(frame.drop(seen.group_name), {}, original, rows)
    if wrong:
        return wrong
    behind = original.frame[seen.column].gather(rows if rows is not None else original.complete)
    places = _places(behind, seen.values)
    if places is None:
        return [f"some value of {seen.column!r} in the original is not in the published domain"]
    entries = seen.starts
    if rows is None:
        one = have_places(places, np.array([0, len(places)]), seen.first, seen.last, seen.count)
        wrong = [] if one.all() else ["the values of the original do not fit into the published subdomains"]
    else:
        order = np.lexsort((places, seen.group_of_row))
        starts = np.searchsorted(seen.group_of_row[order], np.arange(seen.n_groups + 1))
        fits = have_places(places[order], starts, seen.first, seen.last, seen.count, entries)
        n = int((~fits).sum())
        wrong = [f"the values of {n:,} of {seen.n_groups:,} groups do not fit into their subdomains"] if n else []
    return wrong or _own_target_flaws(seen, target, places, known=rows is not None)


def _places(values: pl.Series, domain: pl.Series) -> NDArray[np.int64] | None:
    given = values.alias("value").to_frame()
    if domain.dtype == pl.String:
        given = given.cast(pl.String)
    else:  # compared as the original has them: nothing is cut to fit the domain
        domain = domain.cast(values.dtype, strict=False)
    lookup = pl.DataFrame({"value": domain, "place": np.arange(len(domain))}).drop_nulls()
    found = given.join(lookup, on="value", how="left", maintain_order="left")["place"]
    return None if found.null_count() else found.cast(pl.Int64).to_numpy()


def _own_target_flaws(seen: Subdomains, target: Target | None, places: NDArray[np.int64], *, known: bool) -> list[str]:
    """Targets that are said to follow the records and do not, a clause each."""
    if target is None or not target.by_data:
        return []
    m = len(seen.values)
    followers: dict[tuple[int, str], list[int]] = {}
    for g in range(seen.n_groups):
        own = target.for_label(seen.labels[g]) if seen.labels else target
        if own.by_data and (own.kind == "table" or known):
            followers.setdefault((int(seen.target_of_group[g]), own.kind), []).append(g)
    for (t, kind), groups in followers.items():
        part = places if kind == "table" else places[np.isin(seen.group_of_row, groups)]
        counts = np.bincount(part, minlength=m).astype(object)
        weights = seen.weights[t].astype(object)
        if (weights * counts.sum() != counts * weights.sum()).any():
            return [f"the published target of some group is not the distribution of its {kind}"]
    return []


def have_places(
    places: NDArray[np.int64],
    starts: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    count: NDArray[np.int64],
    entries: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """For each group, whether every value has a subdomain of its own that it lies in.

    The values of group g, as sorted places, are `places[starts[g]:starts[g + 1]]`; its subdomains lie at `entries[g]`.
    From left to right every value takes, of the subdomains that hold it, one that ends first: that finds a matching
    wherever there is one. O((values + subdomains) log).
    """
    ends = entries if entries is not None else np.array([0, len(first)])
    fits = np.ones(len(starts) - 1, dtype=bool)
    for g in range(len(fits)):
        own, n_own = np.unique(places[starts[g] : starts[g + 1]], return_counts=True)
        part = slice(ends[g], ends[g + 1])
        order = np.argsort(first[part], kind="stable")
        listed = list(zip(first[part][order].tolist(), last[part][order].tolist(), count[part][order].tolist(),
                          strict=True))  # fmt: skip
        fits[g] = _fits(own.tolist(), n_own.tolist(), listed)
    return fits


def _fits(places: list[int], counts: list[int], listed: list[tuple[int, int, int]]) -> bool:
    open_now: list[tuple[int, int]] = []
    at = 0
    for place, wanted in zip(places, counts, strict=True):
        while at < len(listed) and listed[at][0] <= place:
            heapq.heappush(open_now, (listed[at][1], listed[at][2]))
            at += 1
        while wanted:
            if not open_now:
                return False
            end, copies = heapq.heappop(open_now)
            if end < place:
                continue
            taken = min(copies, wanted)
            wanted -= taken
            if copies > taken:
                heapq.heappush(open_now, (end, copies - taken))
    return True
