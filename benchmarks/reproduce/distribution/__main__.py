"""Run the experiments, print what was seen, write JSON, charts and a page.

    SFUMATO_DATA=FOLDER python -m benchmarks.reproduce.distribution [--full] [--only 5,7] [--out FOLDER] [--busy]
                                                                    [--redraw]

At the small size everything takes seconds; `--full` has the paper's sizes and takes minutes. With `--only`, figures of
the same size that are already in the folder stay. `--busy` says in the results that the machine had other work; errors
are the same on any machine. `--redraw` runs nothing, and describes and draws anew the numbers in the folder.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.reproduce.distribution.accuracy import figure_5, figure_6
from benchmarks.reproduce.distribution.charts import chart
from benchmarks.reproduce.distribution.parts import figure_11, figure_12
from benchmarks.reproduce.distribution.report import page
from benchmarks.reproduce.distribution.results import Figure
from benchmarks.reproduce.distribution.running_time import figure_13
from benchmarks.reproduce.distribution.settings import FULL, SMALL
from benchmarks.reproduce.distribution.targets import figure_7, figure_8, figure_9, figure_10
from benchmarks.reproduce.tods.report import claim_lines

FIGURES: dict[str, Callable[..., Figure]] = {
    each.__name__.removeprefix("figure_"): each
    for each in (figure_5, figure_6, figure_7, figure_8, figure_9, figure_10, figure_11, figure_12, figure_13)
}  # fmt: skip


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the sizes of the paper")
    parser.add_argument("--only", type=_numbers, default=list(FIGURES), help="figures, as in 5,7")
    parser.add_argument("--out", type=Path, default=None, help="a folder; by default a temporary one")
    parser.add_argument("--redraw", action="store_true", help="run nothing: describe and draw what the folder holds")
    parser.add_argument("--busy", action="store_true", help="note that the machine had other work")
    options = parser.parse_args()
    if "SFUMATO_DATA" not in os.environ:
        sys.exit("set SFUMATO_DATA to the folder of the evaluation data")
    folder = options.out if options.out is not None else Path(tempfile.mkdtemp(prefix="distribution-"))
    folder.mkdir(parents=True, exist_ok=True)
    scale, store = FULL if options.full else SMALL, folder / "distribution.json"
    figures: dict[str, Any] = {}
    if store.exists():
        before = json.loads(store.read_text())
        figures = before["figures"] if before["scale"] == scale.name else {}
    for number in options.only:
        if options.redraw and number not in figures:
            continue
        started = time.perf_counter()
        rows = figures[number]["rows"] if options.redraw else None
        figure = FIGURES[number](scale, rows).to_dict()
        figures[number] = figure
        print(f"figure {number}, {figure['title']} ({time.perf_counter() - started:.0f} s)", flush=True)
        print("\n".join(claim_lines(figure)), flush=True)
        (folder / f"figure-{number}.svg").write_text(chart(figure))
        found = {
            "scale": scale.name,
            "times": "Figure 13 has processor time, taken "
            + ("on a machine with other work." if options.busy else "on a quiet machine."),
            "machine": {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()},
            "figures": {n: figures[n] for n in FIGURES if n in figures},
        }
        store.write_text(json.dumps(found, indent=1) + "\n")  # at once: what was found stays
        (folder / "distribution.md").write_text(page(found))
    print(f"written to {folder}")


def _numbers(said: str) -> list[str]:
    wanted = [number.strip() for number in said.split(",")]
    unknown = [number for number in wanted if number not in FIGURES]
    if unknown:
        raise argparse.ArgumentTypeError(f"figures are {', '.join(FIGURES)}, got {', '.join(unknown)}")
    return wanted


if __name__ == "__main__":
    main()
