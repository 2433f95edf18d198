"""How near the methods come to what no release of classes can be below: `sf.floor` beside what they lose.

    SFUMATO_DATA=FOLDER python -m benchmarks.floor [--json FILE] [--whole] [--only TEXT]

GCP on the tables of `benchmarks.loss` at k = 5, 10 and 50. `--whole` looks at every record, so that the floor is
proven; else at a sample, with 95% confidence.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import sfumato as sf
from benchmarks.loss import tables

METHODS = {"Ordered": sf.Ordered(), "LocalRecoding": sf.LocalRecoding(), "Hilbert": sf.Hilbert()}


def measured(table: sf.Table, k: int, *, whole: bool) -> dict[str, Any]:
    """The floor, and what each method loses."""
    promise = sf.KAnonymity(k)
    start = time.perf_counter()
    floor = sf.floor(table, promise, sample=len(table) if whole else None, seed=1)
    found: dict[str, Any] = {
        "floor": floor.loss, "confidence": floor.confidence, "records": floor.n_looked_at,
        "floor_s": round(time.perf_counter() - start, 1),
    }  # fmt: skip
    for name, method in METHODS.items():
        start = time.perf_counter()
        release = sf.publish(table, method, promise, seed=1)
        found[f"{name}_s"] = round(time.perf_counter() - start, 1)
        found[name] = sf.measure(release, table, n_queries=0)["gcp"]
        assert found[name] >= floor.loss, f"{name} lost less than the floor"
    return found


def main() -> None:
    """Print and write a line for each table and k."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    given = os.environ.get("SFUMATO_DATA")
    if not given:
        sys.exit("the evaluation data are not here: set SFUMATO_DATA to their folder")
    rows = []
    for name, table in tables(Path(given) / "relational").items():
        if asked.only not in name:
            continue
        for k in (5, 10, 50):
            row = {"data": name, "rows": len(table), "k": k, **measured(table, k, whole=asked.whole)}
            rows.append(row)
            best = min(row[method] for method in METHODS)
            told = " ".join(f"{method} {row[method]:.4f}" for method in METHODS)
            print(
                f"{name:36} k={k:<3} floor {row['floor']:.4f} ({row['floor_s']} s, {row['records']:,} records) {told}  "
                f"best at most {best / row['floor']:.1f} times the floor", flush=True,
            )  # fmt: skip
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
