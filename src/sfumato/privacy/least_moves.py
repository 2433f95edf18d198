"""The earth mover's distance for checks, by solvers that are not ours: POT where it is installed, else HiGHS."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_linear_programming", "by_pot", "least_moves"]


def least_moves(
    parts: NDArray[np.float64], whole: NDArray[np.float64], ground: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The distance of every row of `parts` from `whole`, a share of each value, under any `ground` distances."""
    solve = _solver()
    return np.array([solve(part, whole, ground) for part in parts])


@functools.cache
def _solver() -> Callable[[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], float]:
    try:
        import_module("ot")
    except ImportError:
        return by_linear_programming
    return by_pot


def by_pot(part: NDArray[np.float64], whole: NDArray[np.float64], ground: NDArray[np.float64]) -> float:
    """By the network simplex of POT (`pip install 'sfumato[emd]'`)."""
    ot = import_module("ot")
    here, there = part > 0, whole > 0
    cost = np.ascontiguousarray(ground[np.ix_(here, there)])
    return float(ot.emd2(part[here] / part[here].sum(), whole[there] / whole[there].sum(), cost, numItermax=10_000_000))


def by_linear_programming(part: NDArray[np.float64], whole: NDArray[np.float64], ground: NDArray[np.float64]) -> float:
    """By the linear program itself: shares leave every value of the class, and arrive at every value of the table."""
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    here, there = part > 0, whole > 0
    cost = ground[np.ix_(here, there)]
    n, m = cost.shape
    leaves, arrives = kron(eye_array(n), np.ones((1, m))), kron(np.ones((1, n)), eye_array(m))
    balance = np.concatenate([part[here], whole[there]])
    fine = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(cost.ravel(), A_eq=vstack([leaves, arrives]).tocsr(), b_eq=balance, method="highs", options=fine)
    if found.fun is None:
        raise ArithmeticError(f"the linear program of a distance was not solved: {found.message}")
    return float(found.fun)
