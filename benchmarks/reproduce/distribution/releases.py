"""Tables published by the method under test, and how far apart the bounds are that readers get from them.

Every release is verified. The error of a query is that of the paper: (upper bound - lower bound) / true average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.reproduce.distribution.bounds import Sums, average_bounds, sums
from benchmarks.reproduce.distribution.settings import Queries
from benchmarks.reproduce.figures import Row
from sfumato.published.tables.subdomains import read_subdomains

__all__ = ["QI_SA", "SA_ONLY", "Published", "error_rows", "errors", "published"]

SA_ONLY, QI_SA = "SA-only", "QI-SA"
SEED = 1


@dataclass(frozen=True, eq=False)
class Published:
    """What readers have of one or several tables, groups of all of them in one list."""

    oldest: int
    below: NDArray[np.int64]
    """How many rows of each group are younger than 0, 1, ... `oldest` + 1."""
    sums: Sums
    totals: NDArray[np.float64]
    """The sum of the true values of all who are younger; for the comparison, no reader has it."""
    added: float
    """Subdomains listed beyond the number of rows, as a share of these."""
    at_root: float
    """The share of subdomains that are all of the domain of their table."""


def published(parts: Sequence[sf.Table], method: sf.TargetDistribution) -> Published:
    """Publish each part on its own."""
    oldest = max(int(part.frame["age"].to_numpy().max()) for part in parts)
    belows, found, listed, at_root = [], [], 0, 0
    totals = np.zeros(oldest + 2)
    for part in parts:
        release = sf.publish(part, method, seed=SEED)
        seen = read_subdomains(release.data.frame, release.files, release.public)
        assert seen is not None
        age = release.data.frame["age"].to_numpy()
        counts = np.zeros((oldest + 2, seen.n_groups), dtype=np.int64)
        np.add.at(counts, (age + 1, seen.group_of_row), 1)
        belows.append(counts.cumsum(axis=0))
        found.append(sums(seen))
        listed += int(seen.list_lengths.sum())
        at_root += int(seen.count[(seen.first == 0) & (seen.last == len(seen.values) - 1)].sum())
        np.add.at(totals, part.frame["age"].to_numpy() + 1, part.frame["loss"].to_numpy())
    n = sum(len(part) for part in parts)
    return Published(oldest, np.hstack(belows), _joined(found), totals.cumsum(), listed / n - 1, at_root / listed)


def _joined(found: Sequence[Sums]) -> Sums:
    offsets = np.cumsum([0, *(len(each.least) for each in found)])
    starts = [each.starts[:-1] + offset for each, offset in zip(found, offsets, strict=False)]
    least, most, ranges = (
        np.concatenate([getattr(each, name) for each in found]) for name in ("least", "most", "ranges")
    )
    return Sums(np.concatenate([*starts, offsets[-1:]]), least, most, ranges)


def errors(of: Published, asked: Queries) -> tuple[NDArray[np.float64], int]:
    """The error of every query, and how many true averages lie outside their bounds: none may."""
    found, missed = np.empty(len(asked.low)), 0
    for i, low in enumerate(asked.low.tolist()):
        high = min(low + asked.span, of.oldest)
        selected = of.below[high + 1] - of.below[low]
        lower, upper = average_bounds(of.sums, selected)
        truth = float(of.totals[high + 1] - of.totals[low]) / int(selected.sum())
        found[i] = (upper - lower) / truth
        missed += not lower - 1e-6 <= truth <= upper + 1e-6
    return found, missed


def error_rows(
    tables: Sequence[sf.Table], asked: Sequence[Queries], method: sf.TargetDistribution, **said: Any
) -> list[Row]:
    """One row for every span: the mean error, and what of the release it comes from."""
    of = published(tables, method)
    n = sum(map(len, tables))
    rows = []
    for each in asked:
        found, missed = errors(of, each)
        rows.append({**said, "method": QI_SA if method.split else SA_ONLY, "within": method.within,
                     "fakes": method.fakes, "span": each.span, "err": float(found.mean()), "missed": missed,
                     "range": float(of.sums.ranges.sum()) / n, "added": of.added, "at_root": of.at_root})  # fmt: skip
    return rows
