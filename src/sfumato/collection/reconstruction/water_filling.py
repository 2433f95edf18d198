"""The likeliest shares of k-ary response, in closed form.

A report is v with probability q + (p - q) f_v. The likelihood of the observed shares phi is largest where
f_v = phi_v (1 + s r) / (sum of phi over the s values that stay above 0) - r, with r = q/(p - q): values are taken in
the order of phi for as long as the share stays above 0, as water fills a vessel. It is the limit of EM.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["likeliest_shares"]


def likeliest_shares(observed: NDArray[np.float64], p: float, q: float) -> NDArray[np.float64]:
    """The maximum likelihood estimate of shares from the observed shares of reports.

    >>> likeliest_shares(np.array([0.5, 0.3, 0.1, 0.1]), 1 / 2, 1 / 6).round(6).tolist()
    [0.75, 0.25, 0.0, 0.0]
    """
    ratio = q / (p - q)
    order = np.argsort(-observed, kind="stable")
    falling = observed[order]
    sums, sizes = np.cumsum(falling), np.arange(1, len(falling) + 1)
    lowest = falling * (1.0 + sizes * ratio) / np.maximum(sums, np.finfo(np.float64).tiny) - ratio
    n_above = int(np.flatnonzero(lowest > 0.0)[-1]) + 1
    shares = np.zeros(len(observed))
    shares[order[:n_above]] = falling[:n_above] * (1.0 + n_above * ratio) / sums[n_above - 1] - ratio
    return shares
