"""Labels of the thesis' example, and baskets with labels that a diverse ring can be laid of."""

import numpy as np
from benchmarks.baselines.label_check import distinct_labels

from sfumato.data.baskets import Baskets
from sfumato.ground.errors import ParameterError, PromiseBrokenError

C, M, B = 0, 1, 2
LABELS = np.array([C, C, M, B, B, M])


def windows_distinct(labels, window):
    n = len(labels)
    return all(len({labels[(i + s) % n] for s in range(window)}) == window for i in range(n))


def baskets_of(rng, n, m=12, density=0.3):
    return Baskets.from_scipy((rng.random((n, m)) < density).astype(int))


def eligible(rng, n, l, m):
    while True:
        labels = rng.integers(0, m, n)
        if np.bincount(labels).max() <= n // l:
            return labels


def hamming(baskets):
    dense = baskets.to_scipy().toarray().astype(int)
    return np.abs(dense[:, None] - dense[None]).sum(axis=2)


def check_labels(labels, rows, drawn, l):
    """Raise if some record has fewer than l labels among its candidates when row `drawn` of the assignments is true."""
    if not 0 <= drawn < len(rows):
        raise ParameterError(f"there are {len(rows)} assignments, numbered from 0; {drawn} is none of them")
    found = distinct_labels(labels, rows, rows[drawn])
    short = int((found < l).sum())
    if short:
        raise PromiseBrokenError(
            f"{short:,} of {len(labels):,} records have candidates with fewer than l={l} labels; "
            f"the worst has {int(found.min())}"
        )
