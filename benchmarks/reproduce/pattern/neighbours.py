"""Figures 5.8 and 5.9: sensitive values of the published records around a record's own place."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.reproduce.pattern.queries import ITERATIONS, PARTITION, size
from benchmarks.reproduce.pattern.results import Result
from benchmarks.reproduce.pattern.tables import ours, printed, table
from sfumato.published.tables.linkage import ATTACKS
from sfumato.tables.measures.sensitive_neighbours import nearest_sensitive

__all__ = ["neighbours"]

N_NEIGHBOURS = 30


def neighbours(*, quick: bool = False) -> Result:
    """k_t, the first neighbour with the own occupation, and the share of k-th neighbours that have it."""
    n = size(quick=quick)
    secret = table("adult", n).frame["occupation"].to_numpy()
    points: list[dict[str, Any]] = []
    for sigma in (0.05, 0.08, 0.12, 0.14):
        for method, one in (
            ("printed", printed("adult", n, sigma, PARTITION, 4_000 if quick else ITERATIONS)[0]),
            ("ours", ours("adult", n, sigma, PARTITION)),
        ):
            near = nearest_sensitive(one.original, one.aligned, secret, secret, n_neighbours=N_NEIGHBOURS)
            first = np.bincount(near.first, minlength=N_NEIGHBOURS + 2)[1 : N_NEIGHBOURS + 1] / n
            linked = float(ATTACKS["by_rank"](one.original, one.aligned, np.arange(n)).mean())
            nearest = float(ATTACKS["nearest"](one.original, one.aligned, np.arange(n)).mean())
            points.append({"sigma": sigma, "method": method, "k_t": first.tolist(), "k": near.shares.tolist(),
                           "base": near.base, "linked_by_rank": linked, "linked_by_distance": nearest})  # fmt: skip
    at = {(p["method"], p["sigma"]): p for p in points}

    def told(method: str) -> str:
        return ", ".join(f"{at[method, s]['k_t'][0]:.1%} at {s:g}" for s in (0.05, 0.14))

    base, odds = points[0]["base"], at["printed", 0.14]
    return Result(
        figure="5.8, 5.9",
        claim="the nearest record has the same occupation with at most 15%, so privacy is safe; no base rate is given",
        printed=f"k_t = 1 for {told('printed')}; base rate {base:.1%}",
        ours=f"k_t = 1 for {told('ours')}; base rate {base:.1%}",
        seen=f"a record picked at random has the same occupation with {base:.1%}, a near one with "
        f"{np.mean(odds['k'][1:]):.1%} (printed, sigma 0.14, mean of k = 2 to 30), as like people have like jobs; "
        f"and {odds['linked_by_distance']:.1%} of the records are their own nearest neighbour",
        setup={"rows": n, "partition": PARTITION, "iterations": ITERATIONS, "neighbours": N_NEIGHBOURS},
        points=points,
    )
