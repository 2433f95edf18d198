"""The one-dimensional framework: what the orders lose, what the dual reaches, and how long it takes.

    SFUMATO_DATA=FOLDER python -m benchmarks.framework [--json FILE] [--quick]

Losses (GCP) of all orders beside Mondrian on Adult, the census and the ACS, for k and for l, with times. Speed of
l-diversity and of the dual problem on 500,000 made-up people as ratios to polars sorting the same frame by the same
columns in the same run, memory as in `benchmarks.tables`, and growth up to 2,000,000 rows. Everything runs once
before it is timed.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.census import QUASI, census
from benchmarks.loss import ACS, CENSUS, PLAIN
from benchmarks.tables import _kilobytes, seconds, show
from sfumato.data.encoding import encode
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.boxes import group_losses, records, word_offsets
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job

PROTOTYPE = {5: 0.0158, 10: 0.0299, 50: 0.0854}
"""GCP of a prototype with 150 reflected orders on the complete training rows of Adult: to be reached."""
L, E = 10, 0.4


def real_tables(folder: Path) -> dict[str, sf.Table]:
    """The data sets, with a sensitive column each."""
    adult = pl.read_csv(folder / "adult.csv.gz", null_values="?").head(32_561).drop_nulls()
    full = pl.read_csv(folder / "census_income.csv.gz", null_values="?")
    worked = full.filter(pl.col("occupation_code") != 0)  # 0 stands for no occupation
    acs = pl.read_csv(folder / "acs_national2019.csv.gz", null_values="N")
    return {
        "Adult": sf.Table(adult, sf.Schema(quasi=PLAIN, sensitive=["occupation"])),
        "Census, workers": sf.Table(worked, sf.Schema(quasi=CENSUS, sensitive=["occupation_code"])),
        "ACS, workers": sf.Table(acs.drop_nulls("INDP_CAT"), sf.Schema(quasi=ACS, sensitive=["INDP_CAT"])),
    }


def gcp_of(table: sf.Table, groups: Groups) -> float:
    """The global certainty penalty of a partition."""
    columns = flatten(encode(table, table.schema.quasi))
    losses = group_losses(columns, word_offsets(columns), records(columns), groups.order, groups.starts)
    return float(losses @ groups.sizes / len(table))


def form(table: sf.Table, method: GroupingMethod, promise: Any) -> Groups:
    """The groups that a method forms."""
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    return method.groups(Job(quasi, sensitive, promise, Randomness(1)))


def losses(folder: Path) -> list[dict[str, Any]]:
    """The loss and time of every order, and Mondrian's."""
    methods = {"Mondrian()": sf.Mondrian(), "Hilbert()": sf.Hilbert(), "Hilbert(polish=True)": sf.Hilbert(polish=True),
               "IDistance()": sf.IDistance(), "Ordered()": sf.Ordered()}  # fmt: skip
    found = []
    for name, table in real_tables(folder).items():
        promises: list[Any] = [sf.KAnonymity(5), sf.KAnonymity(10), sf.KAnonymity(50)]
        promises += [promise for l in (2, 4, 6, 8, 10) if _possible(table, promise := sf.LDiversity(l))]  # noqa: E741
        for promise in promises:
            row: dict[str, Any] = {"data": name, "rows": len(table), "promise": repr(promise)}
            for label, method in methods.items():
                taken = seconds(lambda t=table, m=method, p=promise: form(t, m, p), 1)
                groups = form(table, method, promise)
                row[label] = {"gcp": gcp_of(table, groups), "seconds": taken}
                if "order" in groups.disclosed:
                    row["order"] = groups.disclosed["order"]
            if name == "Adult" and isinstance(promise, sf.KAnonymity):
                row["to reach"] = PROTOTYPE[promise.k]
            found.append(row)
            figures = " ".join(f"{m} {row[m]['gcp']:.4f} ({row[m]['seconds']:.2f} s)" for m in methods)
            print(name, row["promise"], figures, row.get("to reach", ""), row.get("order", ""), flush=True)
    return found


def _possible(table: sf.Table, promise: Any) -> bool:
    return promise.limit(len(table), encode(table, table.schema.sensitive)) is None


def speed(rows: int, repeat: int) -> list[dict[str, Any]]:
    """Forming groups under l-diversity and for the dual problem, against the sort."""
    table = census(rows)
    quasi, sensitive = encode(table, QUASI), encode(table, table.schema.sensitive)
    yardstick = seconds(lambda: table.frame.sort(QUASI), repeat)
    result = [{"what": "polars sort by the 7 columns", "seconds": yardstick, "ratio": 1.0, "target": None}]
    for promise, target in ((sf.LDiversity(L), 2.0), (sf.AccuracyBound(E), 5.0)):
        taken = seconds(lambda p=promise: sf.Hilbert().groups(Job(quasi, sensitive, p, Randomness(1))), repeat)
        groups = sf.Hilbert().groups(Job(quasi, sensitive, promise, Randomness(1)))
        reached = _least_diverse(groups, sensitive[0].codes)
        result.append({
            "what": f"Hilbert() groups, {promise!r}", "seconds": taken, "ratio": taken / yardstick, "target": target,
            "l_reached": reached, "gcp": gcp_of(table, groups), "n_groups": groups.n_groups,
        })  # fmt: skip
    return result


def _least_diverse(groups: Groups, codes: Any) -> float:
    counts = np.zeros((groups.n_groups, int(codes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (groups.of_row, codes), 1)
    return float((groups.sizes / counts.max(axis=1)).min())


def growth(sizes: list[int]) -> list[dict[str, Any]]:
    """The exponent of N in the time of forming groups."""
    result = []
    for promise in (sf.LDiversity(L), sf.AccuracyBound(E)):
        times = []
        for rows in sizes:
            table = census(rows)
            quasi, sensitive = encode(table, QUASI), encode(table, table.schema.sensitive)
            times.append(seconds(lambda q=quasi, s=sensitive, p=promise:
                                 sf.Hilbert().groups(Job(q, s, p, Randomness(1))), 3))  # fmt: skip
        exponent = float(np.polyfit([math.log(n) for n in sizes], [math.log(t) for t in times], 1)[0])
        result.append({
            "what": f"growth of Hilbert() groups, {promise!r}, {sizes[0]:,} to {sizes[-1]:,} rows", "ratio": exponent,
            "target": 1.15, "seconds_by_rows": dict(zip(sizes, times, strict=True)),
        })  # fmt: skip
    return result


def _peak(rows: int, promise: Any, out: Any) -> None:
    sf.publish(census(20_000), sf.Hilbert(), promise)  # compiled and warm
    table = census(rows)
    in_memory = table.frame.to_arrow(compat_level=pl.CompatLevel.newest()).nbytes
    Path("/proc/self/clear_refs").write_text("5")
    before = _kilobytes("VmRSS")
    release = sf.publish(table, sf.Hilbert(), promise)
    extra = (_kilobytes("VmHWM") - before) * 1024
    assert release.verdict.holds
    out.send((in_memory, extra))


def memory(rows: int) -> list[dict[str, Any]]:
    """The peak of a fresh process while it publishes, with the frame, over the frame."""
    result = []
    for promise in (sf.LDiversity(L), sf.AccuracyBound(E)):
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(target=_peak, args=(rows, promise, theirs))
        process.start()
        in_memory, extra = ours.recv()
        process.join()
        result.append({
            "what": f"peak memory, publish with Hilbert(), {promise!r}", "ratio": (in_memory + extra) / in_memory,
            "target": 5.0, "frame_mb": in_memory / 1e6, "extra_mb": extra / 1e6,
        })  # fmt: skip
    return result


def main() -> None:
    """Run everything, print tables, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--quick", action="store_true", help="speed only")
    options = parser.parse_args()
    rows = speed(options.rows, options.repeat)
    lost: list[dict[str, Any]] = []
    if not options.quick:
        rows += memory(options.rows)
        rows += growth([200_000, 500_000, 2_000_000])
        if "SFUMATO_DATA" in os.environ:
            lost = losses(Path(os.environ["SFUMATO_DATA"]) / "relational")
    show(rows)
    if options.json is not None:
        machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
        options.json.write_text(json.dumps({"machine": machine, "results": rows, "losses": lost}, indent=2) + "\n")


if __name__ == "__main__":
    main()
