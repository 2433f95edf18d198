"""Shares from randomized answers: beside multi-freq-ldpy and pure-LDP on the same reports.

    python -m benchmarks.shares --peers PYTHON [--json FILE]

PYTHON is that of an environment with both of them (`benchmarks/ldp_peers.py`). A million reports of a
hundred values, epsilon 1: whether the unbiased estimates are equal, and seconds of randomizing and of estimating; what
peers take minutes for is timed on fewer reports and told for a million. Then distributions to be shown: the mean total
variation from the truth over a stated set of truths, and the bias of the largest share.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from sfumato import collection

N, K, EPSILON, SOME = 1_000_000, 100, 1.0, 20_000
PAIRS = {
    "kary": ("GRR", collection.KaryResponse), "unary": ("OUE", collection.OptimalUnaryEncoding),
    "subset": ("SS", collection.SubsetSelection), "hashing": ("LH", collection.LocalHashing),
}  # fmt: skip


def truths(k: int) -> dict[str, np.ndarray[Any, Any]]:
    """Distributions of several kinds."""
    ranks = np.arange(1, k + 1)
    made = {
        "even": np.ones(k), "three values": np.array([0.5, 0.3, 0.2] + [0.0] * (k - 3)), "Zipf": 1.0 / ranks,
        "geometric": 0.8**ranks, "two levels": np.where(ranks <= k // 4, 3.0, 0.2), "one value": (ranks == 1) * 1.0,
        "ramp": ranks.astype(float), "normal": np.exp(-((ranks - k / 2) ** 2) / (2 * (k / 8) ** 2)),
    }  # fmt: skip
    return {name: each / each.sum() for name, each in made.items()}


def asked_peers(python: str, reports: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """What the peers make of the same reports."""
    with tempfile.TemporaryDirectory() as folder:
        for name, array in reports.items():
            np.save(Path(folder) / f"{name}.npy", array)
        (Path(folder) / "asked.json").write_text(json.dumps(asked))
        script = Path(__file__).parent / "ldp_peers.py"
        made = subprocess.run([python, str(script), folder], stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(made.stdout.splitlines()[-1]))


def compare_time(python: str) -> dict[str, Any]:
    """Seconds and equality at a million reports."""
    rng = np.random.default_rng(1)
    answers = rng.choice(K, p=truths(K)["Zipf"], size=N)
    reports, rows = {"answers": answers}, {}
    for name, (_, kind) in PAIRS.items():
        asked = kind(values=tuple(range(K)), epsilon=EPSILON)
        asked.estimate(asked.randomize(answers[:100], seed=1))  # compiled
        start = time.perf_counter()
        frame = asked.randomize(answers, seed=1)
        randomized = time.perf_counter() - start
        start = time.perf_counter()
        found = asked.estimate(frame)
        rows[name] = {"randomize": randomized, "estimate": time.perf_counter() - start, "shares": found.shares}
        reports[name] = asked.reports_of(frame).astype(np.int32)
    told = asked_peers(python, reports, {"k": K, "epsilon": EPSILON, "timed": True, "some": SOME})
    for name, (short, _) in PAIRS.items():
        row = rows[name]
        shares = row.pop("shares")
        for peer in ("multi-freq-ldpy", "pure-LDP"):
            key = f"{peer} {'DE' if peer == 'pure-LDP' and short == 'GRR' else short}"
            scale = N / SOME if short == "LH" else 1.0
            if key in told:
                row[peer] = {
                    "estimate": told[key]["seconds"] * scale,
                    "times": told[key]["seconds"] * scale / row["estimate"],
                }
            if key in told and "shares" in told[key]:
                theirs = np.array(told[key]["shares"])
                ours = np.maximum(shares, 0) / np.maximum(shares, 0).sum() if peer == "multi-freq-ldpy" else shares
                row[peer]["apart"] = float(np.abs(theirs - ours).max())
            if f"client {key}" in told:
                seconds = told[f"client {key}"]["seconds"] * N / SOME
                row[peer] = {**row.get(peer, {}), "randomize": seconds, "times_randomize": seconds / row["randomize"]}
    return rows


def compare_shown(python: str, runs: int) -> list[dict[str, Any]]:
    """Errors of the distributions that are shown."""
    rows = []
    for k, n in ((20, 2_000), (100, 2_000), (100, 50_000)):
        for name, truth in truths(k).items():
            errors: dict[str, list[float]] = {}
            bias: dict[str, list[float]] = {}
            for run in range(runs):
                rng = np.random.default_rng(run)
                answers = rng.choice(k, p=truth, size=n)
                true = np.bincount(answers, minlength=k) / n
                reports, shown = {"answers": answers}, {}
                for short, (label, kind) in PAIRS.items():
                    if short == "hashing":
                        continue
                    asked = kind(values=tuple(range(k)), epsilon=EPSILON)
                    frame = asked.randomize(answers, seed=run)
                    reports[short] = asked.reports_of(frame).astype(np.int32)
                    shown[f"ours {label}"] = np.array(list(asked.estimate(frame).distribution().values()))
                    if short == "kary":
                        shown[f"ours {label} likeliest"] = np.array(list(asked.likeliest(frame).values()))
                told = asked_peers(
                    python, reports, {"k": k, "epsilon": EPSILON, "timed": False, "iterated": n < 10_000}
                )
                shown |= {key: np.array(value["shares"]) for key, value in told.items() if "multi" in key}
                top = int(true.argmax())
                for key, each in shown.items():
                    errors.setdefault(key, []).append(float(np.abs(each - true).sum() / 2))
                    bias.setdefault(key, []).append(float(each[top] - true[top]))
            row = {"k": k, "n": n, "truth": name, "error": _means(errors), "bias": _means(bias)}
            rows.append(row)
            print(f"k={k} n={n} {name:14}", {key: f"{v:.3f}" for key, v in row["error"].items()}, flush=True)
    return rows


def _means(lists: dict[str, list[float]]) -> dict[str, float]:
    return {key: round(float(np.mean(each)), 4) for key, each in lists.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    times = compare_time(asked.peers)
    for name, row in times.items():
        print(name, json.dumps(row))
    shown = compare_shown(asked.peers, asked.runs)
    means: dict[str, float] = {}
    for key in shown[0]["error"]:
        means[key] = float(np.mean([row["error"][key] for row in shown if key in row["error"]]))
    print("mean error over all truths:", {key: round(value, 4) for key, value in means.items()})
    if asked.json:
        told = {"times": times, "shown": shown, "mean_error": means}
        asked.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
