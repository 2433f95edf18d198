"""minSORFake: at most t fake values, chosen so that the group with them follows the target at the least cost.

Koudas, Srivastava, Yu & Zhang, PVLDB 2(1), 2009, section 5, with the recursion set right and for any arity. The paper's
recursion says how many copies are taken out of a node; here it says how many are left in it, N. Let f(v, k, N) be the
least cost of N copies below node v when k fakes are put there. If q times the ratio of the children goes on to them,
they cost F(v, k, q), the best way to deal k fakes over them, and the rest stays at v:

    f(v, k, N) = min over q of F(v, k, q) + (N - q A) range(v),    A the sum of the ratio.

For a given dealing the largest q is best, which leaves a window of q no wider than about t at each node: tables are
filled for these alone, from the leaves up, after one pass down has found them. One run gives the least cost for every
number of fakes from 0 to t. O(nodes x t^3) at worst, and memory of O(nodes x t^2).

Called by `list_groups.py`, which then lists the group with its fakes; the same rule without fakes, as much as the ratio
allows goes on to the children, also stands in `min_sum_of_range.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.tables.distribution.annotated import AnnotatedTree, TreeArrays

__all__ = ["choose_fakes", "least_costs"]

_MOST_CELLS = 100_000_000
_MOST_WORK = 100_000_000_000


def least_costs(counts: NDArray[np.int64], tree: AnnotatedTree, most: int) -> NDArray[np.float64]:
    """The least sum of ranges with exactly 0, 1, ... `most` fakes added to the values; `counts` is by place."""
    return _run(counts, tree, most, np.empty(0, dtype=np.int64))[0]


def choose_fakes(counts: NDArray[np.int64], tree: AnnotatedTree, limits: Sequence[int]) -> NDArray[np.int64]:
    """For each limit a row: the fewest fakes of every place that make the sum of ranges least."""
    return _run(counts, tree, max(limits), np.array(limits, dtype=np.int64))[1]


def _run(
    counts: NDArray[np.int64], tree: AnnotatedTree, most: int, limits: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The least cost for 0 to `most` fakes, and the fakes of every limit; refused where that takes too long."""
    shape = tree.shape
    total = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    own = total[shape.last + 1] - total[shape.first]
    windows = _windows(own, tree.arrays, most)
    cells = int((windows.high - windows.low + 1)[windows.high >= 0].sum()) * (most + 1)
    if cells > _MOST_CELLS or cells * most > _MOST_WORK:
        raise ParameterError(
            f"{most:,} fakes among {int(total[-1]):,} values of {len(counts):,} are too many to choose; allow fewer"
        )
    return _solve(own, tree.arrays, most, len(counts), windows, limits)


class _Windows(NamedTuple):
    """For each node, the lowest and the highest q that can be best, and the sum A of the ratio of its children.

    -1 where no q is asked for.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    whole: NDArray[np.int64]


class _Table(NamedTuple):
    """For each node v, each q of its window and each k from 0 to t, the least F(v, k, q) - q A range(v) up to that q.

    The values of node v stand in `pool` from `offset[v]` on, t + 1 of them for each q.
    """

    offset: NDArray[np.int64]
    pool: NDArray[np.float64]


@kernel
def _windows(own: NDArray[np.int64], tree: TreeArrays, t: int) -> _Windows:
    """Which q can be best at each node; `own` counts the values below it."""
    child_starts, children, ratio = tree.child_starts, tree.children, tree.ratio
    n_nodes = own.shape[0]
    low, high = np.full(n_nodes, -1, dtype=np.int64), np.full(n_nodes, -1, dtype=np.int64)
    whole = np.zeros(n_nodes, dtype=np.int64)
    least, most = np.zeros(n_nodes, dtype=np.int64), np.full(n_nodes, -1, dtype=np.int64)  # copies asked for
    least[0], most[0] = own[0], own[0] + t
    for v in range(n_nodes):
        a, b = child_starts[v], child_starts[v + 1]
        if b == a or most[v] <= 0:
            continue
        surely, perhaps = np.int64(2**62), np.int64(2**62)
        for i in range(a, b):
            c = children[i]
            whole[v] += ratio[c]
            if ratio[c] > 0:
                surely = min(surely, own[c] // ratio[c])
                perhaps = min(perhaps, (own[c] + t) // ratio[c])
        low[v] = min(surely, least[v] // whole[v])
        high[v] = min(perhaps, most[v] // whole[v])
        for i in range(a, b):
            c = children[i]
            least[c], most[c] = low[v] * ratio[c], high[v] * ratio[c]
    return _Windows(low, high, whole)


@kernel
def _cost(
    v: int, copies: int, t: int, own: NDArray[np.int64], tree: TreeArrays, windows: _Windows, table: _Table,
    out: NDArray[np.float64],
) -> None:  # fmt: skip
    """Write f(v, k, copies) for k from 0 to t to `out`."""
    child_starts, ranges = tree.child_starts, tree.ranges
    low, high, whole = windows.low, windows.high, windows.whole
    offset, pool = table.offset, table.pool
    for k in range(t + 1):
        out[k] = np.inf
    first = max(0, copies - own[v])
    if copies == 0:
        for k in range(t + 1):
            out[k] = 0.0
    elif child_starts[v] == child_starts[v + 1]:
        for k in range(first, t + 1):
            out[k] = copies * ranges[v]
    else:
        q = min(copies // whole[v], high[v])
        base = offset[v] + (q - low[v]) * (t + 1)
        for k in range(first, t + 1):
            out[k] = copies * ranges[v] + pool[base + k]


@kernel
def _deal(f: NDArray[np.float64], g: NDArray[np.float64], t: int, out: NDArray[np.float64]) -> None:
    """Write to `out` what the best way to deal k fakes over two parts costs, for k from 0 to t."""
    for k in range(t + 1):
        out[k] = np.inf
    a, b = 0, 0
    while a <= t and f[a] == np.inf:
        a += 1
    while b <= t and g[b] == np.inf:
        b += 1
    for x in range(a, t + 1 - b):
        fx = f[x]
        for y in range(b, t + 1 - x):
            if fx + g[y] < out[x + y]:
                out[x + y] = fx + g[y]


@kernel
def _solve(  # noqa: C901  a kernel
    own: NDArray[np.int64], tree: TreeArrays, t: int, m: int, windows: _Windows, limits: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:  # fmt: skip
    """Fill the table from the leaves up, then walk down along the choices, once for each limit."""
    first, child_starts, children, ratio, ranges = tree.first, tree.child_starts, tree.children, tree.ratio, tree.ranges
    low, high, whole = windows.low, windows.high, windows.whole
    n_nodes, width = own.shape[0], t + 1
    offset = np.zeros(n_nodes + 1, dtype=np.int64)
    widest = 1
    for v in range(n_nodes):
        offset[v + 1] = offset[v] + (high[v] - low[v] + 1) * width * (high[v] >= 0)
        widest = max(widest, child_starts[v + 1] - child_starts[v])
    pool = np.empty(offset[n_nodes])
    table = _Table(offset, pool)
    steps = np.empty((widest + 1, width))
    one = np.empty(width)
    for v in range(n_nodes - 1, -1, -1):
        if high[v] < 0:
            continue
        a, b = child_starts[v], child_starts[v + 1]
        for q in range(low[v], high[v] + 1):
            _cost(children[a], q * ratio[children[a]], t, own, tree, windows, table, steps[0])
            for i in range(a + 1, b):
                c = children[i]
                _cost(c, q * ratio[c], t, own, tree, windows, table, one)
                _deal(steps[i - a - 1], one, t, steps[i - a])
            base = offset[v] + (q - low[v]) * width
            saved = q * whole[v] * ranges[v]
            for k in range(width):
                best = steps[b - a - 1, k] - saved
                if q > low[v]:
                    best = min(best, pool[base - width + k])
                pool[base + k] = best
    costs = np.empty(width)
    for k in range(width):
        _cost(0, own[0] + k, t, own, tree, windows, table, one)
        costs[k] = one[k]
    fakes = np.zeros((limits.shape[0], m), dtype=np.int64)
    stack = np.empty((n_nodes + widest, 3), dtype=np.int64)
    for which in range(limits.shape[0]):
        chosen = 0
        for k in range(limits[which] + 1):
            if costs[k] < costs[chosen] - 1e-9 * max(1.0, costs[chosen]):
                chosen = k
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, chosen, own[0] + chosen
        top = 1
        while top > 0:
            top -= 1
            v, k, copies = stack[top, 0], stack[top, 1], stack[top, 2]
            if k == 0:
                continue
            a, b = child_starts[v], child_starts[v + 1]
            if a == b or copies == 0:
                fakes[which, first[v]] += k
                continue
            q = min(copies // whole[v], high[v])
            while (
                q > low[v]
                and pool[offset[v] + (q - 1 - low[v]) * width + k] == pool[offset[v] + (q - low[v]) * width + k]
            ):
                q -= 1
            for i in range(a, b):
                c = children[i]
                _cost(c, q * ratio[c], t, own, tree, windows, table, one)
                if i == a:
                    steps[0] = one
                else:
                    _deal(steps[i - a - 1], one, t, steps[i - a])
            for i in range(b - 1, a - 1, -1):
                c = children[i]
                x = k
                if i > a:
                    _cost(c, q * ratio[c], t, own, tree, windows, table, one)
                    x = 0
                    while steps[i - a - 1, k - x] + one[x] != steps[i - a, k]:
                        x += 1
                stack[top, 0], stack[top, 1], stack[top, 2] = c, x, q * ratio[c]
                top += 1
                k -= x
    return costs, fakes
