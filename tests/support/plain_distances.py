"""How far the distribution of a class is from that of the table: by hand, and by linear programs."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from typing import Any

from support.plain_cells import Column


def distance(column: Column, promise: dict[str, Any], p: dict[Any, Fraction], q: dict[Any, Fraction]) -> float:
    kind = promise.get("distance", "emd")
    if kind == "kl":
        return sum(float(p[v]) * math.log(p[v] / q[v]) for v in q if p[v])
    if promise.get("ground"):
        place = {column.value(v) if v != "" else None: i for i, v in enumerate(promise["ground"]["values"])}
        square = promise["ground"]["distances"]
        return _least_moves(p, q, lambda a, b: square[place[a]][place[b]])
    if kind == "emd" and column.hierarchy is not None:
        return _least_moves(p, q, _tree_distance(column, list(q)))
    if kind == "variational" or (column.kind == "category" and not column.order):
        return float(sum(abs(p[v] - q[v]) for v in q) / 2)
    values = [None] if None in q else []
    values += list(column.order) if column.order else sorted(v for v in q if v is not None)
    surplus = off = Fraction(0)
    for value, _ in pairwise(values):
        surplus += p.get(value, 0) - q.get(value, 0)
        off += abs(surplus)
    return float(off / max(len(values) - 1, 1))


def _tree_distance(column: Column, values: list[Any]) -> Any:
    """The height of the lowest node above both, over that of the root; a missing value hangs below the root."""
    said = column.hierarchy
    if said["type"] == "paths":
        paths = {path[0]: list(path) for path in said["paths"]}
    else:
        assert said["type"] == "prefixes"
        keep = sorted(said["keep"], reverse=True)
        paths = {v: [v, *(v[:n] + "*" * (said["length"] - n) for n in keep if n), "*"] for v in values if v is not None}
    height: dict[str, int] = defaultdict(int)
    for path in paths.values():
        for i, node in enumerate(path):
            height[node] = max(height[node], i)
    changed = True
    while changed:  # where paths differ in length, the longest way down counts
        changed = False
        for path in paths.values():
            for below, above in pairwise(path):
                if height[above] < height[below] + 1:
                    height[above], changed = height[below] + 1, True
    top = max(max(height.values(), default=1), 1)

    def between(a: Any, b: Any) -> float:
        if a == b:
            return 0.0
        if a is None or b is None:
            return 1.0
        above = set(paths[str(b)])
        return height[next(node for node in paths[str(a)] if node in above)] / top

    return between


def _least_moves(p: dict[Any, Fraction], q: dict[Any, Fraction], distance: Any) -> float:
    """The earth mover's distance by a linear program."""
    from scipy.optimize import linprog

    values = list(q)
    m = len(values)
    if m == 1:
        return 0.0
    cost = [distance(a, b) for a in values for b in values]
    rows = [[float(i == r) for i in range(m) for _ in range(m)] for r in range(m)]
    rows += [[float(j == c) for _ in range(m) for j in range(m)] for c in range(m)]
    found = linprog(cost, A_eq=rows, b_eq=[float(p[v]) for v in values] + [float(q[v]) for v in values])
    return float(found.fun)


__all__ = ["distance"]
