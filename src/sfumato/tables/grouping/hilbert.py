"""Hilbert: order the records along the Hilbert curve, then cut the order optimally.

Ghinita, Karras, Kalnis & Mamoulis, "A framework for efficient data anonymization under privacy and accuracy
constraints", TODS 34(2), 2009: close in the order is close in space, so that groups of consecutive records are
small in every column, and the best such groups are found by dynamic programming.
"""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.curve import hilbert_keys, radix_order
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.columns import Columns
from sfumato.tables.grouping.axes import axis_cells, order_by_codes
from sfumato.tables.grouping.cutting.solve_direct import Solve
from sfumato.tables.grouping.line_methods import Line, OrderingMethod

__all__ = ["Hilbert", "hilbert_line"]

_SHARED = 20_000
"""Records per thread from which several threads are worth their start."""


@dataclass(frozen=True)
class Hilbert(OrderingMethod):
    """Any promise, by the Hilbert order and a cut of it.

    k-anonymity: the cut into groups of k to 2k - 1 that minimises the global certainty penalty among all groups of
    consecutive records. l-diversity: the linear heuristic over one domain per sensitive value. Other promises: the
    frontier walk. `AccuracyBound`: the most privacy within a loss.

    `fast` measures a group of the k-anonymous cut by its extent along the curve instead of its loss in every column:
    less work, more loss. `polish` exchanges records between the groups afterwards where that lowers the loss: more
    work, less loss. `solve` is for l-diversity and `AccuracyBound` on small tables: `optimal` takes the exact cut
    where its state space is small enough, `dual` the least largest loss by way of the dual problem. `dealt` groups are
    formed without looking at who has which sensitive value (see `cutting/l_dealt.py`), and not polished: more loss, and
    nothing for an adversary who knows the method; by default under `show="permutation"`, where everybody sees the line.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.Hilbert(), sf.KAnonymity(5), seed=1)
    Release(100 rows, Hilbert, KAnonymity(k=5) holds)
    """

    recommended = "where time is short, or the loss is given and privacy asked for (--max-ncp)"

    fast: bool = False
    show: str = "ranges"
    polish: bool | int = False
    solve: Solve = "heuristic"
    dealt: bool | None = None

    def line(self, columns: Columns, random: Randomness, share: Share = tell_nobody) -> Line:
        """Key and sort. O(N d bits)."""
        return hilbert_line(columns)


def hilbert_line(columns: Columns) -> Line:
    """The records along the Hilbert curve.

    Records with the same key go by their codes, never by the order of the file, where cells hold several values.
    """
    axes, bits, apart = axis_cells(columns)
    keys = _keys(axes, bits)
    if apart:
        order = radix_order(keys)
    else:
        by_codes = order_by_codes(columns)
        order = by_codes[radix_order(keys[:, by_codes])]
    along = keys[0][order].astype(np.float64)
    for word in keys[1:]:
        along = along * 2.0**64 + word[order].astype(np.float64)
    return Line(order, along - along[0] if len(along) else along)


def _keys(axes: NDArray[np.uint32], bits: int) -> NDArray[np.uint64]:
    """The Hilbert keys of all records, computed by several threads where there are many."""
    n, n_threads = axes.shape[1], os.cpu_count() or 1
    if n < _SHARED * n_threads:
        return hilbert_keys(axes, bits)
    edges = np.linspace(0, n, n_threads + 1).astype(int)
    with ThreadPoolExecutor(n_threads) as pool:
        shares = [axes[:, a:b] for a, b in itertools.pairwise(edges)]
        return np.concatenate(list(pool.map(hilbert_keys, shares, itertools.repeat(bits))), axis=1)
