"""Densities from noisy values: how far off they are, and how long they take.

    python -m benchmarks.density [--runs 5] [--first 100] [--json FILE] [--quick]

Four truths, 100,000 answers each, three levels of Laplace noise and of normal noise, on 50 cells: the total variation
between the shares found and those of the answers, mean and standard error over `--runs`. Beside ours stand

- the histogram of the noisy values, clipped to the bounds;
- plain EM with the printed stop: when n sum (new - old)^2/old is below 1% of the 95% point of chi-square;
- deconvolution by kernel density (Stefanski & Carroll, Statistics 21(2), 1990) with the kernel whose transform is
  (1 - t^2)^3, negative parts cut off: its bandwidth by least squares cross-validation, and once more the best of all
  bandwidths in hindsight, which nobody could choose.

Then the time of 10,000,000 reports on 200 cells beside numpy's: `histogram` of the noisy values on 200 bins, and
`bincount` of the reports, which are whole numbers. Everything runs once before it is timed; figures are medians.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import chdtri

from benchmarks.tables import seconds
from sfumato import collection
from sfumato.collection.randomizers.additive import NoiseRandomizer
from sfumato.collection.reconstruction.em import em_step

CELLS = 50
EDGES = np.linspace(0.0, 100.0, CELLS + 1)
NOISES: dict[str, NoiseRandomizer] = {
    **{f"Laplace, epsilon {e:g}": collection.LaplaceNoise(low=0, high=100, epsilon=e) for e in (8.0, 4.0, 2.0)},
    **{f"normal, sd {sd:g}%": collection.NormalNoise(low=0, high=100, sd=sd) for sd in (5.0, 10.0, 25.0)},
}
BANDWIDTHS = np.geomspace(0.5, 60.0, 40)


def answers(truth: str, n: int, random: np.random.Generator) -> np.ndarray[Any, Any]:
    """Answers from 0 to 100."""
    if truth == "uniform":
        return random.uniform(0.0, 100.0, n)
    if truth == "normal":
        return np.clip(random.normal(50.0, 15.0, n), 0.0, 100.0)
    if truth == "bimodal":
        left = random.random(n) < 0.6
        return np.clip(np.where(left, random.normal(30.0, 8.0, n), random.normal(70.0, 6.0, n)), 0.0, 100.0)
    steps = np.array([0.1, 0.4, 0.05, 0.3, 0.15])
    return 20.0 * (random.choice(5, p=steps, size=n) + random.random(n))


def naive(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The histogram of the noisy values."""
    return np.histogram(np.clip(values, 0.0, 100.0), EDGES)[0] / len(values)


def stopped_em(noise: NoiseRandomizer, reports: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Plain EM with the printed stop."""
    counts, kernel, _ = noise.counted(reports, CELLS)
    weights, limit = np.full(CELLS, 1.0 / CELLS), 0.01 * chdtri(CELLS - 1, 0.05)
    while True:
        stepped = em_step(kernel, counts, weights)
        if counts.sum() * ((stepped - weights) ** 2 / weights).sum() < limit:
            return stepped
        weights = stepped


class Deconvolution:
    """The deconvolving kernel density estimate of noisy values, for any bandwidth."""

    def __init__(self, noise: NoiseRandomizer, reports: np.ndarray[Any, Any]) -> None:
        law = noise.noise
        self.t = np.linspace(0.0, 1.0 / BANDWIDTHS[0], 1_500)
        steps = (law.least + law.offset + np.arange(len(law.chances))) * noise.unit
        seen = np.bincount(reports - noise.ends[0]) / len(reports)
        at = noise.values_of(np.arange(len(seen)) + noise.ends[0])
        keep = seen > 0
        self.noisy = np.exp(1j * np.outer(self.t, at[keep])) @ seen[keep]
        self.noise = np.cos(np.outer(self.t, steps)) @ law.chances
        self.n = len(reports)

    def shares(self, bandwidth: float) -> np.ndarray[Any, Any]:
        """The shares of the cells."""
        x = (np.arange(CELLS * 8) + 0.5) * (100.0 / (CELLS * 8))
        smooth = self._kernel(bandwidth)
        weights = np.divide(smooth, self.noise, out=np.zeros_like(smooth), where=smooth > 0) * self.noisy
        height = np.maximum((np.exp(-1j * np.outer(x, self.t)) @ weights).real, 0.0)
        return height.reshape(CELLS, 8).sum(axis=1) / height.sum()

    def cross_validated(self) -> float:
        """The bandwidth with the least cross-validated squared error."""
        square = np.abs(self.noisy) ** 2
        apart = (self.n * square - 1.0) / (self.n - 1)
        scores = []
        for bandwidth in BANDWIDTHS:
            smooth = self._kernel(bandwidth)
            inside = smooth > 0
            by_noise = self.noise[inside] ** 2
            scores.append(
                float(((smooth[inside] ** 2 * square[inside] - 2 * smooth[inside] * apart[inside]) / by_noise).sum())
            )
        return float(BANDWIDTHS[int(np.argmin(scores))])

    def _kernel(self, bandwidth: float) -> np.ndarray[Any, Any]:
        return np.clip(1.0 - (self.t * bandwidth) ** 2, 0.0, None) ** 3


def errors(noise: NoiseRandomizer, truth: str, n: int, run: int) -> dict[str, float]:
    """The total variation of each way."""
    x = answers(truth, n, np.random.default_rng([run, len(truth)]))
    exact = np.histogram(x, EDGES)[0] / n
    frame = noise.randomize(x, seed=f"{truth} {run}")
    reports = noise.reports_of(frame)[:, 0]
    ours, kde = noise.reconstruct(frame, cells=CELLS), Deconvolution(noise, reports)
    found = {
        "ours": ours.shares, "histogram": naive(noise.values_of(frame)), "stopped EM": stopped_em(noise, reports),
        "deconvolution": kde.shares(kde.cross_validated()),
    }  # fmt: skip
    told = {name: float(np.abs(shares - exact).sum() / 2) for name, shares in found.items()}
    told["deconvolution in hindsight"] = min(float(np.abs(kde.shares(h) - exact).sum() / 2) for h in BANDWIDTHS)
    return {**told, "smoothing": ours.smoothing}


def compared(n: int, runs: int, first: int) -> list[dict[str, Any]]:
    """Every truth under every noise."""
    rows = []
    for truth in ("uniform", "normal", "bimodal", "stepped"):
        for name, noise in NOISES.items():
            found = [errors(noise, truth, n, run) for run in range(first, first + runs)]
            row: dict[str, Any] = {"truth": truth, "noise": name}
            for way in found[0]:
                each = np.array([one[way] for one in found])
                row[way] = [float(each.mean()), float(each.std(ddof=1) / np.sqrt(runs)) if runs > 1 else 0.0]
            rows.append(row)
            told = "  ".join(f"{way} {row[way][0]:.4f}" for way in found[0])
            print(f"{truth:8} {name:20} {told}", flush=True)
    return rows


def timed(n: int) -> dict[str, Any]:
    """Ours on 200 cells beside numpy's binning."""
    noise = NOISES["Laplace, epsilon 4"]
    frame = noise.randomize(answers("bimodal", n, np.random.default_rng(1)), seed=1)
    values = noise.values_of(frame)
    whole = frame["report"].to_numpy().astype(np.int64) - noise.ends[0]
    row = {
        "reports": n, "cells": 200,
        "histogram_seconds": seconds(lambda: np.histogram(values, 200, (0.0, 100.0)), 5),
        "bincount_seconds": seconds(lambda: np.bincount(whole), 5),
        "seconds": seconds(lambda: noise.reconstruct(frame, cells=200), 5),
        "seconds, smoothing given": seconds(lambda: noise.reconstruct(frame, cells=200, smoothing=0.1), 5),
        "asked": 3.0,
    }  # fmt: skip
    row["ratio to histogram"] = row["seconds"] / row["histogram_seconds"]
    row["ratio to bincount"] = row["seconds"] / row["bincount_seconds"]
    return row


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--first", type=int, default=100, help="the number of the first run; 0 to 9 were tuned on")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--quick", action="store_true", help="one run, a million reports to time")
    given = parser.parse_args()
    found = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "answers": 100_000, "cells": CELLS, "errors": compared(100_000, 1 if given.quick else given.runs, given.first),
        "time": timed(1_000_000 if given.quick else 10_000_000),
    }  # fmt: skip
    print(json.dumps(found["time"], indent=2))
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
