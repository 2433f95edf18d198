"""Speed and memory of perturbing, attacking and reading social graphs.

    SFUMATO_DATA=FOLDER python -m benchmarks.graphs [--only NAME] [--repeat 7] [--json FILE]

`perturbing`: 100,000 vertices, 1,000,000 edges, mu = 1e-5, against numpy making as many random numbers in the same run.
The work goes with edges and flips, so that a number is made for each; the flips alone are told too. The target is 5
times. `attacking`: one publication of an Enron-size graph (the 4,644 people of most neighbours) with 30 accounts, at
each mu and width; the thesis takes up to three minutes. `large`: a million vertices and ten million edges, each in a
process of its own; the target is 4 GiB.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.graph_counting import made_up
from benchmarks.tables import seconds
from sfumato.data.graph import Graph
from sfumato.data.reading_graphs import read_graph
from sfumato.graphs.attacks.planted import IntervalWalkAttack, PlantedAttack, StructuralAttack, WalkBasedAttack
from sfumato.graphs.counts.triangles import triads
from sfumato.graphs.edge_perturbation import EdgePerturbation
from sfumato.graphs.estimates.transitivity import estimate_triads
from sfumato.graphs.flips import draw_flips, flip_pairs
from sfumato.ground.randomness import Randomness
from sfumato.verbs.publish import publish

MU = 1e-5
ENRON = 4644
LARGE = ("perturbing", "publishing, verified", "triangles and triples", "estimates with errors")


def perturbing(repeat: int) -> dict[str, Any]:
    """Milliseconds, and ratios to numpy."""
    graph, rng = made_up(100_000, 1_000_000, "even"), np.random.default_rng(1)
    n_flips = round(MU * graph.n_pairs)
    ours = seconds(lambda: flip_pairs(graph, MU, Randomness(1)), repeat)
    flips = seconds(lambda: draw_flips(graph.n_pairs, MU, Randomness(1)), repeat)
    both = seconds(lambda: rng.random(graph.n_edges + n_flips), repeat)
    alone = seconds(lambda: rng.random(n_flips), repeat)
    skips = seconds(lambda: rng.geometric(MU, n_flips), repeat)
    return {
        "vertices": len(graph), "edges": graph.n_edges, "flips": n_flips, "ms": 1e3 * ours,
        "flips alone, ms": 1e3 * flips,
        "ratio to numpy, a number for each edge and flip": ours / both,
        "flips alone, ratio to numpy's geometric numbers": flips / skips,
        "flips alone, ratio to numpy's uniform numbers": flips / alone,
        "all, ratio to numpy's uniform numbers for flips": ours / alone,
    }  # fmt: skip


def enron() -> Graph:
    """The people of most neighbours, as many as the thesis had accounts."""
    graph = read_graph(Path(os.environ["SFUMATO_DATA"]) / "graphs" / "email-Enron.txt.gz")
    return graph.subgraph(np.sort(np.argsort(-graph.degrees, kind="stable")[:ENRON]))


def attacking() -> list[dict[str, Any]]:
    """Seconds for looking for the accounts in one publication, the mean and the longest of ten."""
    graph, rows = enron(), []
    attacks: list[PlantedAttack] = [
        WalkBasedAttack(accounts=30),
        *(IntervalWalkAttack(accounts=30, width=w, errors=m) for w, m in ((3, 0), (5, 0), (5, 2), (8, 3))),
        StructuralAttack(accounts=30),
    ]
    for mu in (1e-4, 1e-3):
        for attack in attacks:
            took, found = [], []
            for trial in range(10):
                made = attack.attempt(graph, EdgePerturbation(mu), None, Randomness(trial))
                start = time.perf_counter()
                attack.recover(made.published, made.planted, made.rates)
                took.append(time.perf_counter() - start)
                found.append(made.accounts_found == 1)
            row = {
                "attack": repr(attack),
                "mu": mu,
                "s": float(np.mean(took)),
                "longest": max(took),
                "found": sum(found),
            }
            rows.append(row)
            told = f"{row['s']:8.3f} s, at most {row['longest']:.3f}, {row['found']} of 10 found"
            print(f"  {told}: mu={mu:g} {attack!r}", flush=True)
    return rows


def large(work: str) -> dict[str, Any]:
    """Seconds and peak memory of one piece of work on a million vertices, in this process."""
    graph = made_up(1_000_000, 10_000_000, "power law")
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    doing: dict[str, Callable[[], Any]] = {
        "perturbing": lambda: flip_pairs(graph, 1e-6, Randomness(1)),
        "publishing, verified": lambda: publish(graph, EdgePerturbation(1e-6), seed=1),
        "triangles and triples": lambda: triads(graph),
        "estimates with errors": lambda: estimate_triads(graph, 1e-6),
    }
    start = time.perf_counter()
    doing[work]()
    took, peak = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"work": work, "s": took, "peak GiB": peak / 2**20, "graph made, GiB": held / 2**20, "edges": graph.n_edges}


def apart(work: str) -> dict[str, Any]:
    """The same in a process of its own."""
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.graphs", "--large", work], capture_output=True, text=True, check=True
    )
    row: dict[str, Any] = json.loads(found.stdout)
    print(f"  {row['s']:8.2f} s, {row['peak GiB']:.2f} GiB at most: {work}", flush=True)
    return row


def main() -> None:
    """Run and print, or write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=("perturbing", "attacking", "large"))
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--large", choices=LARGE, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.large:
        print(json.dumps(large(given.large)))
        return
    works: dict[str, Callable[[], Any]] = {
        "perturbing": lambda: perturbing(given.repeat),
        "attacking": attacking,
        "large": lambda: [apart(work) for work in LARGE],
    }
    result: dict[str, Any] = {"machine": platform.machine()}
    for name, work in works.items():
        if given.only in (None, name):
            print(name, flush=True)
            result[name] = work()
            if name == "perturbing":
                for key, value in result[name].items():
                    print(f"  {value:12.4g}  {key}", flush=True)
    if given.json is not None:
        given.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
