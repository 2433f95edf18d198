"""Frontiers of real tables: twelve methods at four strengths each, verified and measured, by `sf.compare`.

    SFUMATO_DATA=FOLDER python -m benchmarks.frontiers [--json FILE] [--pages FOLDER] [--only TEXT] [--each 60]

Tells how long all took together, how many points came to an end, and the front. What is too slow for `--each` seconds
is told as that.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import sfumato as sf
from benchmarks.loss import tables

METHODS = [
    "LocalRecoding", "Ordered", "Hilbert", "Mondrian", "IDistance", "BestFirst", "Samarati", "Incognito",
    "CellSuppression", "Condensation", "TopDown", "MDAV",
]  # fmt: skip
KS = (5, 10, 20, 50)


def main() -> None:
    """Compare on each table, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--each", type=float, default=60.0)
    asked = parser.parse_args()
    given = os.environ.get("SFUMATO_DATA")
    if not given:
        sys.exit("the evaluation data are not here: set SFUMATO_DATA to their folder")
    results = []
    for name, table in tables(Path(given) / "relational").items():
        if asked.only not in name:
            continue
        start = time.perf_counter()
        found = sf.compare(table, METHODS, [sf.KAnonymity(k) for k in KS], each=asked.each, seed=1)
        seconds = round(time.perf_counter() - start, 1)
        came = {word: sum(point.came == word for point in found.points) for word in ("done", "refused", "too slow")}
        print(f"{name}: {seconds} s on {os.cpu_count()} cores, {came}", *found.said(), sep="\n  ", flush=True)
        points = [{key: value for key, value in each.items() if key != "found"} for each in found.to_dict()["points"]]
        results.append({"data": name, "rows": len(table), "cores": os.cpu_count(), "seconds": seconds, **came,
                        "said": found.said(), "points": points})  # fmt: skip
        if asked.pages:
            asked.pages.mkdir(parents=True, exist_ok=True)
            found.save(asked.pages / f"{name.replace(', ', '-').replace(' ', '-').lower()}.html")
            found.plot().save(asked.pages / f"{name.replace(', ', '-').replace(' ', '-').lower()}.svg")
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
