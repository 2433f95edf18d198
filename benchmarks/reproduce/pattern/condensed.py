"""Condensation, for comparison: Aggarwal & Yu, "A condensation approach to privacy preserving data mining", EDBT 2004.

Groups of at least k records along the Hilbert order; each group's records are replaced by as many drawn anew with its
mean and covariance, uniformly along each eigenvector. Nobody's record is drawn, so that within a group the link to an
original is by chance.
"""

from __future__ import annotations

import numpy as np

import sfumato as sf
from benchmarks.reproduce.pattern.tables import Released
from sfumato.data.encoding import encode
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.linkage_rates import numbers_of
from sfumato.tables.grouping.job import Job

__all__ = ["condensed"]


def condensed(given: sf.Table, k: int, seed: int = 1) -> Released:
    """One release; values are whole numbers where the column's are."""
    quasi = list(given.schema.quasi)
    original = numbers_of(given.frame, quasi)
    groups = sf.Hilbert().groups(Job(encode(given, quasi), [], sf.KAnonymity(k), Randomness(1)))
    random, drawn = Randomness(seed), np.empty_like(original)
    for g in range(groups.n_groups):
        rows = groups.order[groups.starts[g] : groups.starts[g + 1]]
        values = original[:, rows]
        variance, axes = np.linalg.eigh(np.cov(values, bias=True))
        u = 2.0 * random.uniform(values.size).reshape(values.shape) - 1.0
        drawn[:, rows] = values.mean(axis=1, keepdims=True) + axes @ (
            np.sqrt(3.0 * np.maximum(variance, 0.0))[:, None] * u
        )
    whole = np.array([given.frame[name].dtype.is_integer() for name in quasi])
    drawn[whole] = np.rint(drawn[whole])
    rows = random.spawn("arrangement").permutation(original.shape[1])
    return Released(original, drawn, drawn[:, rows], rows, True, groups.n_groups)
