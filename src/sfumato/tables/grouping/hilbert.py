"""Hilbert: order the records along the Hilbert curve, then cut the order optimally.

Ghinita, Karras, Kalnis & Mamoulis, "A framework for efficient data anonymization under privacy and accuracy
constraints", TODS 34(2), 2009: close in the order is close in space, so that groups of consecutive records are
small in every column, and the best such groups are found by dynamic programming.
"""

from __future__ import annotations

import itertools
import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.curve import hilbert_keys, radix_order
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.columns import RANGE, SET, TREE, Columns, neighbour_losses
from sfumato.tables.grouping.cutting.solve_direct import Solve
from sfumato.tables.grouping.line_methods import Line, OrderingMethod

__all__ = ["Hilbert", "axis_places", "hilbert_line"]

_MAX_BITS = 31
_SHARED = 20_000
"""Records per thread from which several threads are worth their start."""
_MANY = 256
"""Ranges and sets of more values than this count as continuous: their axis grows no shorter."""


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
    """

    fast: bool = False
    show: str = "ranges"
    polish: bool = False
    solve: Solve = "heuristic"
    dealt: bool | None = None

    def line(self, columns: Columns, random: Randomness, share: Share = tell_nobody) -> Line:
        """Key and sort. O(N d bits)."""
        return hilbert_line(columns)


def hilbert_line(columns: Columns) -> Line:
    """The records along the Hilbert curve."""
    keys = _keys(*_axes(columns))
    order = radix_order(keys)
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


def _axes(columns: Columns) -> tuple[NDArray[np.uint32], int]:
    """Each column as whole numbers below 2**bits, and how many bits an axis has.

    Values lie as far apart on their axis as mixing neighbours loses, and an axis is as long as the square root of
    its average such step: where few values are far apart (sex), the curve changes sides seldom. Bits are chosen so
    that no two values fall together while the key fits 64 bits, or else 128; with more columns than that, each
    keeps one bit and the key grows.
    """
    d = len(columns.shape)
    places, lengths = axis_places(columns)
    finest = max(
        ((len(place) - 1) / length for place, length in zip(places, lengths, strict=True) if length), default=1
    )
    wanted = min(max(1, math.ceil(math.log2(finest + 1))), _MAX_BITS)
    bits = wanted if d * wanted <= 64 else max(1, min(wanted, 128 // d))
    axes = np.empty(columns.codes.shape, dtype=np.uint32)
    for c, (place, length) in enumerate(zip(places, lengths, strict=True)):
        cell = np.rint(place / (place[-1] or 1.0) * length * (2**bits - 1)).astype(np.uint32)
        axes[c] = cell[columns.codes[c] + int(columns.has_missing[c])]
    return axes, bits


def axis_places(columns: Columns) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
    """Where the values of each column lie on its axis, and how long each axis is, the longest 1."""
    places = [np.concatenate([[0.0], np.cumsum(_steps(columns, c))]) for c in range(len(columns.shape))]
    most = np.where(columns.shape == TREE, np.inf, _MANY)
    average = [place[-1] / min(max(len(place) - 1, 1), most[c]) for c, place in enumerate(places)]
    lengths = np.sqrt(columns.weight * np.array(average))
    return places, lengths / (lengths.max() or 1.0)


def _steps(columns: Columns, c: int) -> NDArray[np.float64]:
    """What mixing each value with the next loses; a missing value comes first, half of everything away."""
    start, n = columns.offset[c], columns.n_codes[c]
    if columns.shape[c] == SET:
        steps = np.full(max(n - 1, 0), 1.0 / max(n - 1, 1))
    elif columns.shape[c] == RANGE:
        steps = np.diff(columns.position[start : start + n])
    else:
        steps = neighbour_losses(columns, c)
    return np.concatenate([[0.5], steps]) if columns.has_missing[c] else steps
