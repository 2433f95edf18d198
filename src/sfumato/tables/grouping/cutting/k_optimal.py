"""The dynamic programme for k-anonymity: the cheapest cut of a line into consecutive groups of k to 2k - 1 records.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, section 3 and 6.1. With Opt(0) = 0 and Opt(i) infinite for
0 < i < k,

    Opt(i) = min over i - 2k < j <= i - k of Opt(j) + (i - j) NCP(records j+1 .. i).

The result is optimal among consecutive partitions for GCP = Opt(N) / N; partitions that are not consecutive can
be better (k = 2, values 0, 49, 50, 51, 100). No group needs more than 2k - 1 records, since splitting one in two
never raises the loss. Costs O(k N d): the bounding box of a group that ends at i grows one record at a time, for
a block of i at once, so that the inner loops run over neighbouring array entries.

Called by `solve_direct.py` for k-anonymity, and by `solve_dual.py` to lower the loss once the largest k is known; the
same rule, the NCP of a group, also stands in `tables/coding/boxes.py`: the `_add` kernels restate it, block by block.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.columns import RANGE, SET, Columns

__all__ = ["optimal_starts", "optimal_starts_1d", "trace_starts"]


@kernel
def _next_of_same_code(codes: NDArray[np.int32], seen: NDArray[np.int32], following: NDArray[np.int32]) -> None:
    """Write to `following`, for each record, the next one with the same code, or a number past the end.

    `seen`, one entry for each code, is scratch.
    """
    n = codes.shape[0]
    for code in range(seen.shape[0]):
        seen[code] = n + 1
    for i in range(n - 1, -1, -1):
        following[i] = seen[codes[i]]
        seen[codes[i]] = i


@kernel
def _add_ranges(
    total: NDArray[np.float64], x: NDArray[np.float64], first: int, longest: int, k: int, weight: float
) -> None:
    """Add to `total[s - k, t]` what a column of ranges loses in the group of s records that ends at `first + t`.

    `x` holds the positions from record `first - longest + 1` on. The other `_add` kernels write to `total` alike.
    """
    width = total.shape[1]
    low = x[longest - 1 : longest - 1 + width].copy()
    high = low.copy()
    for s in range(longest):
        begin = max(0, s - first)
        for t in range(begin, width):
            v = x[longest - 1 - s + t]
            low[t] = v if v < low[t] else low[t]
            high[t] = v if v > high[t] else high[t]
        if s >= k - 1:
            row = total[s - k + 1]
            for t in range(begin, width):
                row[t] += weight * (high[t] - low[t])


@kernel
def _add_ranges_with_missing(
    total: NDArray[np.float64], x: NDArray[np.float64], first: int, longest: int, k: int, weight: float
) -> None:
    """As `_add_ranges`, with NaN in `x` for a missing value: missing and present values together cost half and half the
    extent.
    """
    width = total.shape[1]
    low = np.full(width, np.inf)
    high = np.full(width, -np.inf)
    missing = np.zeros(width, dtype=np.bool_)
    for s in range(longest):
        begin = max(0, s - first)
        for t in range(begin, width):
            v = x[longest - 1 - s + t]
            missing[t] |= v != v
            low[t] = v if v < low[t] else low[t]
            high[t] = v if v > high[t] else high[t]
        if s >= k - 1:
            row = total[s - k + 1]
            for t in range(begin, width):
                if high[t] >= low[t]:
                    extent = high[t] - low[t]
                    row[t] += weight * (0.5 + 0.5 * extent if missing[t] else extent)


@kernel
def _add_sets(
    total: NDArray[np.float64], following: NDArray[np.int32], first: int, longest: int, k: int, weight: float, n: int
) -> None:
    """Add the loss of a set column: distinct values over all values, nothing for one.

    Extending a group backwards by record j adds a value exactly when its next occurrence lies past the group.
    """
    width = total.shape[1]
    distinct = np.zeros(width, dtype=np.int32)
    for s in range(longest):
        begin = max(0, s - first)
        for t in range(begin, width):
            distinct[t] += following[first + t - s] > first + t
        if s >= k - 1:
            row = total[s - k + 1]
            for t in range(begin, width):
                row[t] += weight * distinct[t] / n if distinct[t] > 1 else 0.0


@kernel
def _add_trees(
    total: NDArray[np.float64], codes: NDArray[np.int32], first: int, longest: int, k: int, columns: Columns, c: int
) -> None:
    """Add the loss of a column with a hierarchy: that of the lowest node that covers the group."""
    width = total.shape[1]
    base, leaves = columns.node_offset[c], columns.offset[c]
    weight = columns.weight[c]
    node = np.full(width, -1, dtype=np.int64)
    missing = np.zeros(width, dtype=np.bool_)
    for s in range(longest):
        for t in range(max(0, s - first), width):
            code = codes[first + t - s]
            if code < 0:
                missing[t] = True
            elif node[t] < 0:
                node[t] = base + columns.leaf_node[leaves + code]
            else:
                here = node[t]
                while code < columns.first[here] or code > columns.last[here]:
                    here = base + columns.parent[here]
                node[t] = here
            if s >= k - 1 and node[t] >= 0:
                loss = columns.node_loss[node[t]]
                total[s - k + 1, t] += weight * (0.5 + 0.5 * loss if missing[t] else loss)


@kernel
def optimal_starts(columns: Columns, k: int, max_loss: float) -> NDArray[np.int64]:
    """Where each group of the cheapest cut starts, and the number of records at the end.

    `columns` are in the order of the line. No group loses more than `max_loss`; where that cannot be, the result is
    empty.
    """
    d, n = columns.codes.shape
    longest = 2 * k - 1
    following = np.empty((d, n), dtype=np.int32)
    for c in range(d):
        if columns.shape[c] == SET:
            _next_of_same_code(columns.codes[c], np.empty(columns.n_codes[c], dtype=np.int32), following[c])
    opt = np.full(n + 1, np.inf)
    opt[0] = 0.0
    best = np.zeros(n + 1, dtype=np.int64)
    block = max(64, 8192 // longest)
    x = np.empty(block + longest)
    for first in range(0, n, block):
        width = min(block, n - first)
        total = np.zeros((k, width))
        for c in range(d):
            if columns.shape[c] == SET:
                _add_sets(total, following[c], first, longest, k, columns.weight[c], columns.n_codes[c])
            elif columns.shape[c] == RANGE:
                for t in range(-min(longest - 1, first), width):
                    code = columns.codes[c, first + t]
                    x[longest - 1 + t] = columns.position[columns.offset[c] + code] if code >= 0 else np.nan
                if columns.has_missing[c]:
                    _add_ranges_with_missing(total, x, first, longest, k, columns.weight[c])
                else:
                    _add_ranges(total, x, first, longest, k, columns.weight[c])
            else:
                _add_trees(total, columns.codes[c], first, longest, k, columns, c)
        for t in range(width):
            i = first + t
            for size in range(k, min(longest, i + 1) + 1):
                cost = opt[i + 1 - size] + size * total[size - k, t]
                if cost < opt[i + 1] and total[size - k, t] <= max_loss:
                    opt[i + 1] = cost
                    best[i + 1] = i + 1 - size
    if opt[n] == np.inf:
        return np.empty(0, dtype=np.int64)
    return trace_starts(best)


@kernel
def optimal_starts_1d(x: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """As `optimal_starts` for one rising value per record: a group costs its size times its extent. O(k N)."""
    n = x.shape[0]
    opt = np.full(n + 1, np.inf)
    opt[0] = 0.0
    best = np.zeros(n + 1, dtype=np.int64)
    for i in range(k, n + 1):
        for size in range(k, min(2 * k - 1, i) + 1):
            cost = opt[i - size] + size * (x[i - 1] - x[i - size])
            if cost < opt[i]:
                opt[i] = cost
                best[i] = i - size
    return trace_starts(best)


@kernel
def trace_starts(best: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the groups start, read back from `best`: the start of the last group of the best cut of each prefix."""
    n = best.shape[0] - 1
    n_groups = 0
    i = n
    while i > 0:
        i = best[i]
        n_groups += 1
    starts = np.empty(n_groups + 1, dtype=np.int64)
    i = n
    for g in range(n_groups, -1, -1):
        starts[g] = i
        i = best[i]
    return starts
