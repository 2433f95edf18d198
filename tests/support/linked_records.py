"""Records beside their published values, brought to one range."""

from __future__ import annotations

import numpy as np
from hypothesis import settings

FEW = settings(max_examples=40, deadline=None)


def scale_lines(original, published):
    low, span = original.min(axis=1), np.ptp(original, axis=1)
    return [[[(v - low[c]) / span[c] if span[c] else 0.0 for v in line] for c, line in enumerate(values)]
            for values in (original, published)]  # fmt: skip


def squared_distance(known, seen, t, i):
    return sum((line[t] - other[i]) ** 2 for line, other in zip(known, seen, strict=True))
