"""Slow, obvious versions of what the package computes, to compare with on tiny inputs."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from sfumato.data.encoding import Coded


def loss(column: Coded, rows: Sequence[int]) -> float:
    """The normalised certainty penalty of one column for a group of rows."""
    codes = [int(column.codes[row]) for row in rows]
    present = [code for code in codes if code >= 0]
    if column.shape == "set":
        n = len(set(codes))
        return n / (column.n_codes + column.has_missing) if n > 1 else 0.0
    if not present:
        return 0.0
    if column.shape == "range":
        extent = float(column.position[max(present)] - column.position[min(present)])
    else:
        tree = column.tree
        covers = [
            node
            for node in range(len(tree.labels))
            if all(tree.first[node] <= code <= tree.last[node] for code in present)
        ]
        extent = min(float(tree.loss[node]) for node in covers)
    return 0.5 + 0.5 * extent if len(present) < len(codes) else extent


def ncp(columns: Sequence[Coded], rows: Sequence[int]) -> float:
    """The weighted penalty of a group over all columns."""
    total = sum(column.weight for column in columns)
    return sum(column.weight / total * loss(column, rows) for column in columns)


def consecutive_partitions(n: int, k: int) -> Iterator[list[int]]:
    """Every way to cut 0..n-1 into consecutive groups of at least k, as group sizes."""
    if n == 0:
        yield []
    for size in range(k, n + 1):
        for rest in consecutive_partitions(n - size, k):
            yield [size, *rest]


def best_consecutive(columns: Sequence[Coded], order: Sequence[int], k: int) -> float:
    """The least total loss over all consecutive partitions of an order."""
    n = len(order)
    cost = {(a, b): (b - a) * ncp(columns, order[a:b]) for a in range(n) for b in range(a + k, n + 1)}
    best = math.inf
    for sizes in consecutive_partitions(n, k):
        edges = [0, *itertools.accumulate(sizes)]
        best = min(best, sum(cost[pair] for pair in itertools.pairwise(edges)))
    return best


def hilbert_curve(d: int, bits: int) -> list[tuple[int, ...]]:
    """The cells of a d-dimensional Hilbert curve in order, by the recursive definition on Gray codes (Hamilton)."""

    def rotate(value: int, by: int) -> int:
        by %= d
        return ((value >> by) | (value << (d - by))) & ((1 << d) - 1)

    def gray(i: int) -> int:
        return i ^ (i >> 1)

    def entry(i: int) -> int:
        return 0 if i == 0 else gray(2 * ((i - 1) // 2))

    def trailing(i: int) -> int:
        return (~i & (i + 1)).bit_length() - 1

    def direction(i: int) -> int:
        if i == 0:
            return 0
        return trailing(i - 1) % d if i % 2 == 0 else trailing(i) % d

    cells = []
    for h in range(1 << (d * bits)):
        e, turn, point = 0, 0, [0] * d
        for level in range(bits - 1, -1, -1):
            w = (h >> (level * d)) & ((1 << d) - 1)
            cell = gray(w)
            cell = rotate(cell, d - (turn + 1) % d) ^ e  # undo the orientation of this level
            for axis in range(d):
                point[axis] = (point[axis] << 1) | ((cell >> axis) & 1)
            e ^= rotate(entry(w), d - (turn + 1) % d)
            turn = (turn + direction(w) + 1) % d
        cells.append(tuple(point))
    return cells


def is_k_anonymous(rows: Sequence[tuple[object, ...]], k: int) -> bool:
    """Every combination occurs at least k times."""
    return all(count >= k for count in Counter(rows).values())


def reached_l(counts: Sequence[int], kind: str, c: Fraction | None = None) -> float:
    """The largest l that a class with these counts satisfies."""
    falling = sorted(counts, reverse=True)
    n = sum(falling)
    if kind == "frequency":
        return n / falling[0]
    if kind == "distinct":
        return float(len(falling))
    if kind == "entropy":
        return math.exp(-sum(x / n * math.log(x / n) for x in falling))
    return float(max((l for l in range(1, len(falling) + 1) if falling[0] < c * sum(falling[l - 1 :])), default=0))


def earth_movers(p: Sequence[float], q: Sequence[float], distance: Sequence[Sequence[float]]) -> float:
    """The earth mover's distance by linear programming over all flows."""
    import numpy as np
    from scipy.optimize import linprog

    m = len(p)
    cost = [distance[i][j] for i, j in itertools.product(range(m), repeat=2)]
    leave = np.zeros((m, m * m))
    arrive = np.zeros((m, m * m))
    for i, j in itertools.product(range(m), repeat=2):
        leave[i, i * m + j] = 1
        arrive[j, i * m + j] = 1
    solved = linprog(cost, A_eq=np.vstack([leave, arrive]), b_eq=[*p, *q], bounds=(0, None))
    return float(solved.fun)
