"""Bodies of localities whose laws are known, and tests of these laws."""

from __future__ import annotations

import numpy as np
from scipy.stats import beta, kstest

from sfumato.tables.pattern.localities import staircase
from sfumato.tables.pattern.rows import stack
from support.pattern_tables import body_of, ordered, row

UNIFORM = ("billiard", "hit-and-run", "coordinate")
ALPHA = 1e-4


def localities(values):
    """The rows of all localities and of the order."""
    near = []
    for i, j, k, sign in staircase(np.asarray(values, dtype=np.float64)).tolist():
        near.append(row({j: 2.0 * sign, i: -1.0 * sign, k: -1.0 * sign}))
    return stack([*near, ordered(len(values))])


def units(values):
    x = np.asarray(values, dtype=np.float64)
    return (x - x.min()) / (x.max() - x.min())


def locality_body(values):
    return body_of(units(values), localities(values))


def assert_law_of_the_range(points, thin):
    """R = x_n - x_1 ~ Beta(n - 1, 2), and x_1 / (1 - R) uniform: vector A-14."""
    n = points.shape[1]
    low, high = points[::thin].min(axis=1), points[::thin].max(axis=1)
    assert kstest(high - low, beta(n - 1, 2).cdf).pvalue > ALPHA
    assert kstest(low / (1 - (high - low)), "uniform").pvalue > ALPHA
