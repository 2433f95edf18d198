"""How long the first `sfumato publish` takes on a machine where nothing is compiled yet, for each default.

    python -m benchmarks.first_run [--repeat 3] [--json FILE]

Each run is a process of its own, from reading the file to the printed summary, with an empty folder for compiled code;
Python's own bytecode is there already, as pip leaves it. `beside`: other cores compile too, as they do for users.
`alone`: one process does it all. `again`: everything is compiled.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sfumato as sf

_K = ["--k", "10", "--l", "3"]


def made_cases(folder: Path) -> dict[str, list[str]]:
    """Files of each kind in `folder`, and what `publish` is asked of them."""
    table = sf.datasets.hospital(3000)
    table.to_polars().write_csv(folder / "patients.csv")
    schema = table.schema
    (folder / "trees.toml").write_text(schema.to_toml())
    flat = sf.Schema(identifier=schema.identifier, quasi=schema.quasi, sensitive=schema.sensitive)
    (folder / "flat.toml").write_text(flat.to_toml())
    (folder / "baskets.dat").write_text("".join(f"{i % 7} {i % 5 + 10} {i % 3 + 20}\n" for i in range(600)))
    (folder / "friends.txt").write_text("".join(f"{i} {(i * i + 3) % 997}\n" for i in range(2000)))
    return {
        "table with hierarchies": ["patients.csv", "--schema", "trees.toml", *_K],
        "table without": ["patients.csv", "--schema", "flat.toml", *_K],
        "baskets": ["baskets.dat", "--k", "5"],
        "graph": ["friends.txt", "--mu", "0.01"],
    }


def seconds(arguments: list[str], folder: Path, cache: Path, *, alone: bool) -> float:
    """Run `sfumato publish` once in a process of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)} | ({"SFUMATO_COMPILE": "alone"} if alone else {})
    shutil.rmtree(folder / "out", ignore_errors=True)
    shutil.rmtree(folder / "owner", ignore_errors=True)
    command = [sys.executable, "-m", "sfumato", "publish", *arguments, "-o", "out"]
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def measured(arguments: list[str], folder: Path, repeat: int) -> dict[str, float]:
    """Medians of the seconds of a first run, with and without others beside it, and of the next run."""
    found: dict[str, list[float]] = {"beside": [], "alone": [], "again": []}
    for _ in range(repeat):
        for way in ("beside", "alone"):
            with tempfile.TemporaryDirectory() as cache:
                found[way].append(seconds(arguments, folder, Path(cache), alone=way == "alone"))
                if way == "alone":
                    found["again"].append(seconds(arguments, folder, Path(cache), alone=True))
    return {way: round(statistics.median(times), 1) for way, times in found.items()}


def main() -> None:
    """Measure every default, and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case, arguments in made_cases(folder).items():
            if asked.only in case:
                results[case] = measured(arguments, folder, asked.repeat)
                print(
                    f"{case:24}" + "".join(f"  {way} {found:5.1f} s" for way, found in results[case].items()),
                    flush=True,
                )
    if asked.json:
        machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
        asked.json.write_text(json.dumps({"machine": machine, "seconds": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
