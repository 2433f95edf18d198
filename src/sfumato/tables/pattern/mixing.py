"""Whether a walk has mixed: the integrated autocorrelation time of the statistics that were recorded of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["autocorrelation_time"]

_WINDOW = 5.0


def autocorrelation_time(trace: NDArray[np.float64]) -> float:
    """The integrated autocorrelation time, in steps, of the slowest column of `trace`; at least 1.

    The sum of autocorrelations is cut off at 5 times itself (Sokal's window; Goodman & Weare, CAMCoS 5(1), 2010). A
    column that never changes has not mixed at all: infinite.
    """
    n = len(trace)
    if n < 4:
        return float("inf")
    apart = trace - trace.mean(axis=0)
    if (np.ptp(trace, axis=0) <= 1e-14 * np.abs(trace).max(axis=0)).any():
        return float("inf")
    spectrum = np.fft.rfft(apart, 2 * n, axis=0)
    covariance = np.fft.irfft(spectrum * np.conj(spectrum), axis=0)[:n]
    slowest = 1.0
    for column in covariance.T:
        sums = 2.0 * np.cumsum(column / column[0]) - 1.0
        enough = np.arange(n) >= _WINDOW * sums
        slowest = max(slowest, float(sums[int(np.argmax(enough))]) if enough.any() else float(n))
    return slowest
