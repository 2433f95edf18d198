"""Figure 13: the time by the number of people.

Processor time, of all threads: it says something on a machine with other work, too.
"""

from __future__ import annotations

import math
import time

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.reproduce.distribution.releases import QI_SA, SA_ONLY
from benchmarks.reproduce.distribution.results import Figure, Panel, line, steps
from benchmarks.reproduce.distribution.settings import HIGH, LOSSES, MAIN, Scale, uniform
from benchmarks.reproduce.figures import Claim, Row
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness

__all__ = ["figure_13"]

_RUNS = 5


def _people(n: int) -> sf.Table:
    """Uniform losses of 2,048 values: exact ratios are 1 : 1, and there is something to do in groups of any size."""
    table = uniform(n)
    return sf.Table(table.frame.with_columns(pl.col("loss").clip(upper_bound=HIGH - 1)), table.schema)


def _rows(scale: Scale) -> list[Row]:
    rows = []
    for split in (False, True):
        for within in (0.0, MAIN):
            method = sf.TargetDistribution("uniform", split=split, group_size=1, within=within, domain=LOSSES[:-1])
            for n in (scale.sizes[0], *scale.sizes):  # the first once more: it compiles
                table, taken = _people(n), []
                for _ in range(_RUNS):
                    started = time.process_time()
                    method.run(table, None, Randomness(1), Progress(3, shown=False))
                    taken.append(time.process_time() - started)
                rows.append({"method": QI_SA if split else SA_ONLY, "within": within, "n": n,
                             "seconds": min(taken)})  # fmt: skip
            del rows[-len(scale.sizes) - 1]
    return rows


def figure_13(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """The least of several runs, without the verification."""
    rows = _rows(scale) if rows is None else rows
    claims = []
    for method in (SA_ONLY, QI_SA):
        for within in (0.0, MAIN):
            took = line(rows, "n", "seconds", method=method, within=within)
            power = float(np.polyfit([math.log(n) for n in took], [math.log(s) for s in took.values()], 1)[0])
            claims.append(Claim(
                paper=f"time is linear in the number of people, or less ({method}, within {within:g})",
                holds=power < 1.15,
                seen=f"as N to the power of {power:.2f}: {steps(took)} s",
                why="times differ from run to run"))  # fmt: skip
    panels = [Panel(title=f"seconds, {said}", x="n", y="seconds", lines={
        method: {"method": method, "within": within} for method in (SA_ONLY, QI_SA)})
        for said, within in ((f"within {MAIN:g}", MAIN), ("as printed", 0))]  # fmt: skip
    return Figure(
        number=13, title="time by the number of people",
        setting=f"uniform losses from 1,024 to 3,071, uniform target, processor time, least of {_RUNS} runs", rows=rows,
        panels=panels, claims=claims,
    )  # fmt: skip
