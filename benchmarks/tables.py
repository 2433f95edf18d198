"""Speed, memory and scaling of the table methods, as ratios within one run.

    python -m benchmarks.tables [--rows 500000] [--json FILE]

The yardstick is polars sorting the same frame by the same seven columns in the same run, so that a slow or busy
machine cancels out. Every method is run once to compile and warm up, untimed; figures are medians of `--repeat`.
Memory is the peak of a fresh process over what it used before `publish`, against the size of the frame.
Start-up times are of fresh processes with warm caches.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.census import QUASI, census
from sfumato.data.encoding import encode
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.job import Job

TARGETS = {
    "Hilbert() groups": 1.5,
    "Hilbert(fast=True) groups": 1.0,
    "Mondrian() groups": 2.0,
    "publish with Hilbert()": 4.0,
    "publish with Mondrian()": 4.0,
}


def seconds(work: Any, repeat: int) -> float:
    """The median time of `repeat` runs, after one that is not timed."""
    work()
    taken = []
    for _ in range(repeat):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def speed(rows: int, repeat: int, k: int) -> list[dict[str, Any]]:
    """Times against the sort, with the k reached and the loss."""
    table = census(rows)
    quasi, sensitive = encode(table, QUASI), encode(table, table.schema.sensitive)
    yardstick = seconds(lambda: table.frame.sort(QUASI), repeat)
    result = [{"what": "polars sort by the 7 columns", "seconds": yardstick, "ratio": 1.0, "target": None}]
    methods = {"Hilbert()": sf.Hilbert(), "Hilbert(fast=True)": sf.Hilbert(fast=True), "Mondrian()": sf.Mondrian()}
    for name, method in methods.items():
        taken = seconds(lambda m=method: m.groups(Job(quasi, sensitive, sf.KAnonymity(k), Randomness(1))), repeat)
        groups = method.groups(Job(quasi, sensitive, sf.KAnonymity(k), Randomness(1)))
        result.append({
            "what": f"{name} groups", "seconds": taken, "ratio": taken / yardstick,
            "target": TARGETS[f"{name} groups"], "k_reached": int(groups.sizes.min()), "n_groups": groups.n_groups,
        })  # fmt: skip
    for method in (sf.Hilbert(), sf.Mondrian()):
        name = f"publish with {type(method).__name__}()"
        taken = seconds(lambda m=method: sf.publish(table, m, sf.KAnonymity(k), seed=1), repeat)
        release = sf.publish(table, method, sf.KAnonymity(k), seed=1)
        gcp = sf.measure(release, table, n_queries=1)["gcp"]
        result.append({
            "what": name, "seconds": taken, "ratio": taken / yardstick, "target": TARGETS[name],
            "k_reached": int(release.verdict.reached[f"KAnonymity(k={k})"]), "gcp": gcp,
        })  # fmt: skip
    return result


def parts(rows: int, k: int) -> dict[str, float]:
    """Where the time of a publish goes (Hilbert)."""
    table = census(rows)
    method = sf.Hilbert()
    found: dict[str, float] = {}

    def clock(name: str, work: Any) -> Any:
        started = time.perf_counter()
        value = work()
        found[name] = time.perf_counter() - started
        return value

    for _ in range(2):
        quasi = clock("encode", lambda: encode(table, QUASI))
        clock("group", lambda q=quasi: method.groups(Job(q, [], sf.KAnonymity(k), Randomness(1))))
        with steps(3) as progress:
            clock("encode + group + show", lambda p=progress: method.run(table, sf.KAnonymity(k), Randomness(1), p))
        release = clock("publish", lambda: sf.publish(table, method, sf.KAnonymity(k), seed=1))
        clock("verify against the original", lambda r=release: sf.verify(r, table))
    return found


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def _peak(rows: int, name: str, out: Any) -> None:
    sf.publish(census(50_000), getattr(sf, name)(), sf.KAnonymity(10))  # compiled and warm
    table = census(rows)
    in_memory = table.frame.to_arrow(compat_level=pl.CompatLevel.newest()).nbytes
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = _kilobytes("VmRSS")
    release = sf.publish(table, getattr(sf, name)(), sf.KAnonymity(10))
    extra = (_kilobytes("VmHWM") - before) * 1024
    assert release.verdict.holds
    out.send((in_memory, table.frame.estimated_size(), extra))


def memory(rows: int) -> list[dict[str, Any]]:
    """The peak of a fresh process while it publishes, with the frame, over the frame.

    `frame_mb` is what the frame takes in memory, `values_mb` what its values would take packed end to end.
    """
    result = []
    for name in ("Hilbert", "Mondrian"):
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(target=_peak, args=(rows, name, theirs))
        process.start()
        in_memory, text_alone, extra = ours.recv()
        process.join()
        result.append({
            "what": f"peak memory, publish with {name}()", "ratio": (in_memory + extra) / in_memory, "target": 4.0,
            "frame_mb": in_memory / 1e6, "values_mb": text_alone / 1e6, "extra_mb": extra / 1e6,
        })  # fmt: skip
    return result


def scaling(sizes: list[int], k: int) -> list[dict[str, Any]]:
    """The exponent of N in the time of `publish`, fitted over the sizes."""
    result = []
    for method in (sf.Hilbert(), sf.Mondrian()):
        times = []
        for rows in sizes:
            table = census(rows)
            times.append(seconds(lambda t=table, m=method: sf.publish(t, m, sf.KAnonymity(k), seed=1), 1))
        exponent = float(np.polyfit([math.log(n) for n in sizes], [math.log(t) for t in times], 1)[0])
        result.append({
            "what": f"growth of publish with {type(method).__name__}(), {sizes[0]:,} to {sizes[-1]:,} rows",
            "ratio": exponent, "target": 1.1, "seconds_by_rows": dict(zip(sizes, times, strict=True)),
        })  # fmt: skip
    return result


def start_up() -> list[dict[str, Any]]:
    """`import sfumato` and `sfumato --help` in fresh processes."""
    result = []
    for what, arguments, target in (
        ("import sfumato", ["-c", "import sfumato"], 0.4),
        ("sfumato --help", ["-m", "sfumato", "--help"], 0.5),
    ):
        taken = []
        for _ in range(7):
            started = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            taken.append(time.perf_counter() - started)
        result.append(
            {"what": what, "seconds": statistics.median(taken), "ratio": statistics.median(taken), "target": target}
        )
    return result


def first_demo() -> list[dict[str, Any]]:
    """`sfumato demo` by somebody who never ran it: everything is compiled on the way."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/cache"}
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "sfumato", "demo", f"{folder}/demo"], check=True, env=environment,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        taken = time.perf_counter() - started
    return [{"what": "sfumato demo, first run, compiling", "seconds": taken, "ratio": taken, "target": 15.0}]


def show(rows: list[dict[str, Any]]) -> None:
    """The table of results."""
    from rich.console import Console
    from rich.table import Table

    shown = Table("what", "seconds", "figure", "target", "met", "besides")
    known = ("what", "seconds", "ratio", "target")
    for row in rows:
        met = "" if row["target"] is None else "yes" if row["ratio"] <= row["target"] else "NO"
        besides = ", ".join(f"{key} {_short(value)}" for key, value in row.items() if key not in known)
        taken = f"{row['seconds']:.3f}" if "seconds" in row else ""
        shown.add_row(row["what"], taken, f"{row['ratio']:.2f}", str(row["target"] or ""), met, besides)
    Console(width=150).print(shown)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key:,}:{item:.2f}" for key, item in value.items())
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"


def main() -> None:
    """Run everything, print a table, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--quick", action="store_true", help="leave out memory, scaling and start-up")
    options = parser.parse_args()
    rows = speed(options.rows, options.repeat, options.k)
    if not options.quick:
        rows += memory(options.rows)
        rows += scaling([50_000, 200_000, 500_000, 2_000_000], options.k)
        rows += start_up()
        rows += first_demo()
    show(rows)
    where = parts(options.rows, options.k)
    print("where the time goes:", ", ".join(f"{name} {taken:.3f} s" for name, taken in where.items()))
    if options.json is not None:
        machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
        options.json.write_text(
            json.dumps({"machine": machine, "rows": options.rows, "results": rows, "parts": where}, indent=2)
        )


if __name__ == "__main__":
    main()
