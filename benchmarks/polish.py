"""What `Ordered(polish=STEPS)` gains over `Ordered()`, for about as many steps as `--seconds` allow.

    SFUMATO_DATA=FOLDER python -m benchmarks.polish [--seconds 30] [--json FILE] [--only TEXT]

GCP on the tables of `benchmarks.loss` at k = 5, 10 and 50. How
many steps a second takes is found by a trial of two steps for each group.
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


def timed(table: sf.Table, method: sf.Ordered, k: int) -> tuple[float, float]:
    """Loss and seconds of a release."""
    start = time.perf_counter()
    release = sf.publish(table, method, sf.KAnonymity(k), seed=1)
    seconds = time.perf_counter() - start
    return float(sf.measure(release, table, n_queries=0)["gcp"]), seconds


def measured(table: sf.Table, k: int, seconds: float) -> dict[str, Any]:
    """`Ordered()` beside `Ordered(polish=...)`."""
    timed(table, sf.Ordered(polish=10), k)  # compiles
    before, base = timed(table, sf.Ordered(), k)
    trial = max(500, 2 * len(table) // k)
    _, first = timed(table, sf.Ordered(polish=trial), k)
    steps = round(trial * seconds / max(first - base, 0.05), -3) or 1000
    after, spent = timed(table, sf.Ordered(polish=int(steps)), k)
    return {"Ordered": before, "Ordered_s": round(base, 1), "steps": int(steps), "polished": after,
            "polished_s": round(spent, 1), "gain": 1 - after / before}  # fmt: skip


def main() -> None:
    """Print and write a line for each table and k."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--json", type=Path)
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
            row = {"data": name, "rows": len(table), "k": k, **measured(table, k, asked.seconds)}
            rows.append(row)
            print(
                f"{name:36} k={k:<3} Ordered {row['Ordered']:.4f} ({row['Ordered_s']} s), {row['polished']:.4f} "
                f"({row['steps']:,} steps, {row['polished_s']} s): {row['gain']:.1%} less", flush=True,
            )  # fmt: skip
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
