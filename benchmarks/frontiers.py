"""Frontiers of real tables, baskets and a graph: methods at several strengths, verified and measured, by `sf.compare`.

    SFUMATO_DATA=FOLDER python -m benchmarks.frontiers [--json FILE] [--pages FOLDER] [--only TEXT] [--each 60]

Tables by twelve methods at four strengths, baskets and the graph by all that fit. Tells how long all took together, how
many points came to an end, and the front. What is too slow for `--each` seconds is told as that. Every point is
published again, and told where that gives other bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sfumato as sf
from benchmarks.loss import tables
from sfumato.release.purpose import content_digest

METHODS = [
    "LocalRecoding", "Ordered", "Hilbert", "Mondrian", "IDistance", "BestFirst", "Samarati", "Incognito",
    "CellSuppression", "Condensation", "TopDown", "MDAV",
]  # fmt: skip
KS = (5, 10, 20, 50)


def cases(data: Path) -> Iterator[tuple[str, Any, list[str] | None, list[sf.Promise] | None]]:
    """Data by name, with the methods and the promises to compare; None for those that fit."""
    strengths: list[sf.Promise] = [sf.KAnonymity(k) for k in KS]
    for name, table in tables(data / "relational").items():
        yield name, table, METHODS, strengths
    visits = sf.read_baskets(data / "transactions" / "bms_webview1.dat.gz")
    yield "BMS WebView 1", visits, None, strengths
    yield "wiki-Vote", sf.read_graph(data / "graphs" / "wiki-Vote.txt.gz"), None, None


def differing(found: sf.Frontier) -> list[str]:
    """The points whose method can be repeated and that are published otherwise the second time."""
    again = (point for point in found.done if point.method.repeatable)
    return [point.key for point in again if content_digest(found.release(point).data.frame) != point.digest]


def main() -> None:
    """Compare on each, and print what was found."""
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
    for name, data, methods, promises in cases(Path(given)):
        if asked.only not in name:
            continue
        start = time.perf_counter()
        found = sf.compare(data, methods, promises, each=asked.each, seed=1)
        seconds = round(time.perf_counter() - start, 1)
        words = ("done", "refused", "failed", "too slow")
        came = {word: sum(point.came == word for point in found.points) for word in words}
        print(f"{name}: {seconds} s on {os.cpu_count()} cores, {came}", *found.said(), sep="\n  ", flush=True)
        points = [{key: value for key, value in each.items() if key != "found"} for each in found.to_dict()["points"]]
        others = differing(found)
        print(f"  published again: {len(found.done)} points, of other bytes {others or 'none'}", flush=True)
        results.append(
            {"data": name, "rows": len(data), "cores": os.cpu_count(), "seconds": seconds, **came,
             "replayed_otherwise": others, "said": found.said(), "points": points}
        )  # fmt: skip
        if asked.pages:
            asked.pages.mkdir(parents=True, exist_ok=True)
            found.save(asked.pages / f"{name.replace(', ', '-').replace(' ', '-').lower()}.html")
            found.plot().save(asked.pages / f"{name.replace(', ', '-').replace(' ', '-').lower()}.svg")
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
