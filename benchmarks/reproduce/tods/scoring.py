"""Groups, how long they took, and what they lose under the metrics of the paper."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.reproduce.tods.settings import Input, correlated
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.promise import Promise
from sfumato.tables.coding.boxes import group_losses, records, word_offsets
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job

__all__ = ["LINES", "clock", "formed", "losses", "losses_of_groups", "privacies", "row_of", "timed"]

SEED = 1
LINES: dict[str, GroupingMethod] = {
    "Hilb": sf.Hilbert(),
    "iDist": sf.IDistance(),
    "Mondrian": sf.Mondrian(),
    "Ordered": sf.Ordered(),
}
"""The methods of most figures. Ordered is not in the paper."""


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What some work returns, and its seconds."""
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


@functools.cache
def _compiled(method: GroupingMethod, kind: str) -> None:
    """Run once on a small table, so that no figure times the compiler."""
    small = correlated(400, 0.0)
    promise: Promise = {"KAnonymity": sf.KAnonymity(2), "LDiversity": sf.LDiversity(2)}.get(kind, sf.AccuracyBound(0.5))
    method.groups(Job(small.quasi, small.sensitive, promise, Randomness(SEED)))


def formed(source: Input, method: GroupingMethod, promise: Promise) -> tuple[Groups | None, float]:
    """The groups of a method and its seconds; None where the promise cannot be kept."""
    _compiled(method, type(promise).__name__)
    try:
        return timed(lambda: method.groups(Job(source.quasi, source.sensitive, promise, Randomness(SEED))))
    except InfeasibleError:
        return None, float("nan")


def losses(source: Input, groups: Groups) -> dict[str, float]:
    """GCP (the mean NCP of a record), the mean NCP of a group, the largest size times NCP, and the mean volume.

    A volume is the product of the extents in all columns; where a group has one value only, its extent is one over the
    number of values.
    """
    columns = flatten(source.quasi)
    words, data, sizes = word_offsets(columns), records(columns), groups.sizes
    volume, ncp = np.ones(groups.n_groups), np.zeros(groups.n_groups)
    for c in range(source.d):
        only = columns._replace(weight=np.eye(source.d)[c])
        extent = group_losses(only, words, data, groups.order, groups.starts)
        ncp += columns.weight[c] * extent
        volume *= np.where(extent > 0, extent, 1 / columns.n_codes[c])
    return {
        "gcp": float(ncp @ sizes / len(source)),
        "average_ncp": float(ncp.mean()),
        "weighted_maximum_ncp": float((ncp * sizes).max()),
        "volume": float(volume @ sizes / len(source)),
    }


def losses_of_groups(source: Input, groups: Groups) -> NDArray[np.float64]:
    """The NCP of every group."""
    columns = flatten(source.quasi)
    return np.asarray(group_losses(columns, word_offsets(columns), records(columns), groups.order, groups.starts))


def privacies(codes: NDArray[np.int32], groups: Groups) -> NDArray[np.float64]:
    """Of every group its size over the records with its most frequent sensitive value."""
    m = int(codes.max()) + 1
    keys, counts = np.unique(groups.of_row * m + codes, return_counts=True)
    tops = np.zeros(groups.n_groups, dtype=np.int64)
    np.maximum.at(tops, keys // m, counts)
    return np.asarray(groups.sizes / tops)


def row_of(source: Input, name: str, method: GroupingMethod, promise: Promise, **varied: Any) -> dict[str, Any]:
    """One point of a figure."""
    groups, taken = formed(source, method, promise)
    row: dict[str, Any] = {"data": source.data, "n": len(source), **varied, "method": name}
    if groups is None:
        return {**row, "gap": f"{promise!r} cannot be kept"}
    return {**row, **losses(source, groups), "n_groups": groups.n_groups, **clock(source, taken)}


def clock(source: Input, taken: float) -> dict[str, float]:
    """Seconds, and how many sorts of the same frame they are."""
    return {"seconds": taken, "sort_seconds": source.sort_seconds, "sorts": taken / source.sort_seconds}
