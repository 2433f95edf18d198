"""Run the experiments, print what was seen, write JSON and charts.

SFUMATO_DATA=FOLDER python -m benchmarks.reproduce.pattern [--quick] [--only NAME ...] [--json FILE] [--images FOLDER]

With `--only`, results already in the JSON file stay, and charts are drawn from all of them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.reproduce.pattern.charts import draw
from benchmarks.reproduce.pattern.distorted import clusters, distortions
from benchmarks.reproduce.pattern.linking import equal_linkage, exchangeable, rank_attack
from benchmarks.reproduce.pattern.neighbours import neighbours
from benchmarks.reproduce.pattern.queries import queries
from benchmarks.reproduce.pattern.results import Result
from benchmarks.reproduce.pattern.running_time import extraction, substitution
from benchmarks.reproduce.pattern.walk import arcsine, mixing, stuck

EXPERIMENTS: dict[str, Callable[..., Result]] = {
    each.__name__: each
    for each in (stuck, arcsine, mixing, extraction, substitution, distortions, clusters, queries, neighbours,
                 rank_attack, exchangeable, equal_linkage)
}  # fmt: skip


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows and runs: does it work?")
    parser.add_argument("--only", nargs="*", choices=list(EXPERIMENTS), default=None)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--images", type=Path, default=None)
    options = parser.parse_args()
    found: dict[str, Any] = {}
    if options.only is not None and options.json is not None and options.json.exists():
        found = json.loads(options.json.read_text())
    for name, experiment in EXPERIMENTS.items():
        if options.only is not None and name not in options.only:
            continue
        started = time.perf_counter()
        result = experiment(quick=options.quick).to_dict()
        result["seconds"] = round(time.perf_counter() - started, 1)
        found[name] = result
        print(f"{name} ({result['seconds']} s), figure {result['figure']}", flush=True)
        for part in ("claim", "printed", "ours", "seen"):
            print(f"    {part}: {result[part]}", flush=True)
        if options.json is not None:  # at once: what was found stays
            ordered = {name: found[name] for name in EXPERIMENTS if name in found}
            options.json.write_text(json.dumps(ordered, indent=1) + "\n")
    print(f"{sum(result['seconds'] for result in found.values()):.0f} s in all")
    if options.images is not None:
        draw(found, options.images)


if __name__ == "__main__":
    main()
