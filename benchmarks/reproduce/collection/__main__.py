"""How well classifiers do that are taught with randomized records, as in the figures of the paper.

    python -m benchmarks.reproduce.collection [--seeds 10] [--records 100000] [--json FILE] [--svg FILE] [--local]

Five functions, uniform and normal noise at privacy levels of 25% and 100% (a 95% interval as wide as that share of the
range), 100,000 records to learn from and 5,000 true ones to be asked about, 50 cells, leaves of at least 100. Told are
the mean accuracy over the seeds and its standard deviation, beside the share of the larger class.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.reproduce.collection.people import BOUNDS, FUNCTIONS, people
from sfumato import collection

LEVELS = (0.25, 1.0)
STEPS = 1_000


def randomizers(family: str, level: float) -> dict[str, Any]:
    """The noise of each column at a privacy level."""
    kind = {"uniform": collection.UniformNoise, "normal": collection.NormalNoise}[family]
    return {name: kind.of_level(low=low, high=high, level=level, steps=STEPS) for name, (low, high) in BOUNDS.items()}


def run(function: str, family: str, level: float, seed: int, n: int, *, local: bool) -> dict[str, float]:
    """The accuracies of one run."""
    taught, asked = people(n, 2 * seed), people(5_000, 2 * seed + 1)
    y, truth = FUNCTIONS[function](taught), FUNCTIONS[function](asked)
    noise = randomizers(family, level)
    drawn = {name: noise[name].randomize(taught[name], seed=f"{seed} {name}")["report"] for name in taught}
    reports = pl.DataFrame(drawn)
    plain, questions = pl.DataFrame(taught), pl.DataFrame(asked)

    def score(learner: Any, table: pl.DataFrame) -> float:
        return float(learner.fit(table, y).score(questions, truth))

    ways = {"randomized": "none", "global": "global", "by class": "by class", **({"local": "local"} if local else {})}
    found = {name: score(collection.DecisionTree(noise, reconstruct=way), reports) for name, way in ways.items()}
    return {
        "larger class": float(max(truth.mean(), 1 - truth.mean())), "original": score(collection.DecisionTree(), plain),
        **found, "naive Bayes": score(collection.NaiveBayes(noise), reports),
        "naive Bayes, original": score(collection.NaiveBayes(), plain),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--local", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    asked = parser.parse_args()
    rows = []
    for family in ("uniform", "normal"):
        for level in LEVELS:
            for function in FUNCTIONS:
                start = time.perf_counter()
                runs = [run(function, family, level, s, asked.records, local=asked.local) for s in range(asked.seeds)]
                row = {"noise": family, "level": level, "function": function, "seeds": asked.seeds}
                row["accuracy"] = {name: round(float(np.mean([each[name] for each in runs])), 4) for name in runs[0]}
                row["spread"] = {name: round(float(np.std([each[name] for each in runs])), 4) for name in runs[0]}
                better = [each["by class"] - each["global"] for each in runs]
                row["by_class_beats_global"] = bool(np.mean(better) > 2 * np.std(better) / np.sqrt(len(better)))
                rows.append(row)
                said = "  ".join(f"{name} {100 * value:.1f}" for name, value in row["accuracy"].items())
                print(f"{family:8}{level:5.0%} {function}  {said}  ({time.perf_counter() - start:.0f} s)", flush=True)
                if asked.json:
                    asked.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if asked.svg:
        from benchmarks.reproduce.collection.charts import chart
        from benchmarks.reproduce.drawing import svg

        asked.svg.write_text(svg(chart(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
