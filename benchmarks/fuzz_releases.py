"""Fuzzed releases, each checked by a reader that shares no code with sfumato: `python -m benchmarks.fuzz_releases`.

Prints how many were published, refused and false by method, promise and format. What is neither published nor refused
in a sentence is a fault of ours, and listed with its seed; a case is run again by `--seed` and `--n 1`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.fuzzing import Outcome, fuzz  # the generator and the checker are those of the tests


def run_case(seed: int) -> Outcome:
    """Run a case in a folder of its own; a fault comes back as an outcome."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return fuzz(seed, Path(folder))
        except Exception:
            return Outcome(seed, "?", "?", [], word="fault", false=[traceback.format_exc()])


def main() -> None:
    """Run the cases and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=5000, help="how many cases; refused ones count")
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60, help="begin no case after so many")
    given = parser.parse_args()
    counts: dict[str, Counter[Any]] = {key: Counter() for key in ("word", "method", "promise", "format", "open")}
    started, seeds = time.monotonic(), iter(range(given.seed, given.seed + given.n))
    with ProcessPoolExecutor(given.processes) as pool:
        while time.monotonic() - started < given.minutes * 60:
            batch = [seed for _, seed in zip(range(50 * given.processes), seeds, strict=False)]
            if not batch:
                break
            for outcome in pool.map(run_case, batch, chunksize=10):
                tally(outcome, counts)
    print(f"{sum(counts['word'].values()):,} cases in {time.monotonic() - started:.0f} s")
    for key, counted in counts.items():
        print(f"{key:8}", ", ".join(f"{name} {n}" for name, n in sorted(counted.items(), key=str)))


def tally(outcome: Outcome, counts: dict[str, Counter[Any]]) -> None:
    """Count an outcome, and print it where it should not be."""
    counts["word"][outcome.word] += 1
    if outcome.word in ("false", "fault", "stopped"):
        print(
            f"seed {outcome.seed} {outcome.method} {outcome.format} {outcome.promises}: {outcome.false[:3]}", flush=True
        )
    if outcome.word in ("held", "false"):
        counts["method"][outcome.method] += 1
        counts["format"][outcome.format] += 1
        counts["promise"].update(outcome.promises or ["none"])
        counts["open"].update(outcome.open)


if __name__ == "__main__":
    main()
