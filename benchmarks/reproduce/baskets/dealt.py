"""Figure 2, ours: what it costs that where records lie tells nothing of their labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.reproduce.baskets.claims import pairs
from benchmarks.reproduce.baskets.releases import Published, cahd, error_of, nonreciprocal
from benchmarks.reproduce.baskets.rows import CAHD, NR
from benchmarks.reproduce.baskets.settings import CHESS, PUMSB, WINDOWED, Scale, labels, order_of, set_of
from benchmarks.reproduce.distribution.results import Figure, Panel, line
from benchmarks.reproduce.figures import Claim, Row
from sfumato.baskets.edges import Edges
from sfumato.baskets.voting import vote_edges
from sfumato.progress import Progress
from sfumato.randomness import Randomness

__all__ = ["figure_2"]

DEALT = "dealt rings"


def _dealt(name: str, which: str, size: int, seed: int) -> Published:
    given = set_of(name)
    own = pl.Series(labels(which, len(given), seed)).cast(pl.String)
    made = sf.Nonreciprocal(dealt=True).run(
        sf.Baskets(given.starts, given.ids, given.items, own), sf.LDiversity(size), Randomness(f"deal {seed}"),
        Progress(3, shown=False),
    )  # fmt: skip
    edges = Edges.from_frame(made.kept["edges"])
    return Published(vote_edges(given, edges), edges)


def _rows(scale: Scale) -> list[Row]:
    rows = []
    for name in (CHESS, PUMSB):
        baskets = set_of(name)
        for which in scale.labels:
            for size in scale.printed_ls:
                found: dict[str, list[float]] = {CAHD: [], NR: [], DEALT: []}
                for seed in range(scale.seeds):
                    own, order = labels(which, len(baskets), seed), order_of(name, WINDOWED, size, seed)
                    found[CAHD].append(error_of(baskets, cahd(baskets, own, size)))
                    found[NR].append(error_of(baskets, nonreciprocal(baskets, own, order, size, seed)))
                    found[DEALT].append(error_of(baskets, _dealt(name, which, size, seed)))
                rows += [{"data": name, "labels": which, "l": size, "method": method, "err": float(np.mean(each))}
                         for method, each in found.items()]  # fmt: skip
    return rows


def figure_2(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Dealt rings beside the others."""
    rows = _rows(scale) if rows is None else rows
    claims, panels = [], []
    for name in (CHESS, PUMSB):
        for which in scale.labels:

            def of(method: str, name: str = name, which: str = which) -> dict[Any, float]:
                return line(rows, "l", data=name, labels=which, method=method)

            ratio = float(np.mean([of(DEALT)[x] / of(NR)[x] for x in of(NR)]))
            claims.append(Claim(
                paper=f"{name}, {which}: that places tell nothing of labels costs less than half again",
                holds=ratio < 1.5, seen=f"{ratio:.2f} times a ring on average; {pairs(of(DEALT), of(NR))}", ours=True,
                why="a stretch of the order must be diverse by itself before records are dealt to its places",
            ))  # fmt: skip
        panels.append(Panel(title=f"error rate, {name}", x="l", lines={
            method: {"data": name, "labels": scale.labels[0], "method": method} for method in (CAHD, DEALT, NR)
        }))  # fmt: skip
    return Figure(
        number=2, title="what dealt rings cost (ours)", setting=f"means over {scale.seeds} seeds", rows=rows,
        panels=panels, claims=claims,
    )  # fmt: skip
