"""Distribution-based anonymization: how long the algorithms take, and what the choices lose.

    python -m benchmarks.distribution [--json FILE] [--quick]

MinSumOfRange beside numpy counting the same values, minSORFake for growing numbers of fakes, publishing a million rows,
and ranges beside nodes on random groups. Everything runs once before it is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.tables import seconds
from sfumato.tables.distribution.annotated import AnnotatedTree, annotate, balanced_tree
from sfumato.tables.distribution.contiguous import cut_ranges
from sfumato.tables.distribution.min_sor_fake import least_costs
from sfumato.tables.distribution.min_sum_of_range import generalise, histograms

SIZE = 2_048


def tree(weights: np.ndarray[Any, Any], arity: int = 2) -> AnnotatedTree:
    """A balanced tree over whole numbers."""
    shape = balanced_tree(len(weights), arity)
    return annotate(shape, weights, (shape.last - shape.first).astype(np.float64))


def linear(n: int) -> dict[str, Any]:
    """MinSumOfRange on `n` values of 2,048, as one group, beside their `bincount`."""
    random = np.random.default_rng(1)
    values = random.integers(0, SIZE, n)
    own = tree(np.ones(SIZE, dtype=np.int64))
    count = seconds(lambda: np.bincount(values, minlength=SIZE), 5)
    ours = seconds(lambda: generalise(histograms(values, None, 1, SIZE), own), 5)
    return {"values": n, "bincount_seconds": count, "seconds": ours, "ratio": ours / count, "asked": 3.0}


def fakes(quick: bool) -> list[dict[str, Any]]:  # noqa: FBT001
    """The least costs for 0 to t fakes among 10,000 values of 2,048."""
    random = np.random.default_rng(1)
    drawn = {
        "uniform": random.integers(0, SIZE, 10_000),
        "normal": np.clip(random.normal(SIZE / 2, SIZE / 8, 10_000), 0, SIZE - 1).astype(np.int64),
        "few values": random.integers(0, SIZE // 16, 10_000) * 16,
    }
    found = []
    for name, values in drawn.items():
        counts = np.bincount(values, minlength=SIZE)
        for t in (10, 100) if quick else (10, 100, 300):
            taken = seconds(lambda c=counts, t=t: least_costs(c, tree(np.ones(SIZE, dtype=np.int64)), t), 3)
            costs = least_costs(counts, tree(np.ones(SIZE, dtype=np.int64)), t)
            found.append({"values": name, "fakes": t, "seconds": taken, "cost without": float(costs[0]),
                          "least cost": float(costs.min())})  # fmt: skip
    return found


def whole(n: int) -> list[dict[str, Any]]:
    """Publishing `n` rows, verified, with groups of different kinds."""
    random = np.random.default_rng(1)
    frame = pl.DataFrame(
        {"age": random.integers(18, 90, n), "region": random.integers(0, 50, n), "zip": random.integers(0, 5_000, n),
         "stay": np.clip(random.gamma(2, 4, n), 1, 60).astype(np.int64)}
    )  # fmt: skip
    table = sf.Table(frame, sf.Schema(quasi=["age", "region", "zip"], sensitive=["stay"]))
    methods = {
        "one group": sf.TargetDistribution("table"),
        "50 groups, within .01": sf.TargetDistribution("table", groups="region", within=0.01),
        "groups of 10, within .3": sf.TargetDistribution("table", groups=sf.Hilbert(), group_size=10, within=0.3),
    }
    return [
        {"groups": name, "rows": n, "seconds": seconds(lambda m=method: sf.publish(table, m, seed=1), 1)}
        for name, method in methods.items()
    ]


def ranges(n_groups: int) -> dict[str, Any]:
    """How often and by how much contiguous ranges cost less than nodes of a balanced tree."""
    random = np.random.default_rng(1)
    better, nodes_cost, ranges_cost = 0, 0.0, 0.0
    for _ in range(n_groups):
        m, n = int(random.integers(4, 33)), int(random.integers(2, 100))
        weights = random.integers(1, 4, m)
        one = histograms(random.integers(0, m, n), None, 1, m)
        nodes = float(generalise(one, tree(weights)).costs[0])
        free = float(cut_ranges(one, weights, np.arange(m, dtype=np.float64)).costs[0])
        better += free < nodes
        nodes_cost, ranges_cost = nodes_cost + nodes, ranges_cost + min(nodes, free)
    return {"groups": n_groups, "better in": better / n_groups, "cost with nodes": nodes_cost,
            "cost with ranges where better": ranges_cost}  # fmt: skip


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    given = parser.parse_args()
    n = 1_000_000 if given.quick else 10_000_000
    found = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "min_sum_of_range": linear(n),
        "min_sor_fake": fakes(given.quick),
        "publish": whole(100_000 if given.quick else 1_000_000),
        "ranges": ranges(500 if given.quick else 2_000),
    }
    print(json.dumps(found, indent=2))
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
