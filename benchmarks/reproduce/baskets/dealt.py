"""Figure 2, ours: what it costs that who is in a group with whom tells nothing of labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.reproduce.baskets.claims import pairs
from benchmarks.reproduce.baskets.releases import cahd, error_of, nonreciprocal, of_groups
from benchmarks.reproduce.baskets.rows import CAHD, GROUPED, NR
from benchmarks.reproduce.baskets.settings import CHESS, PUMSB, WINDOWED, Scale, labels, order_of, set_of
from benchmarks.reproduce.distribution.results import Figure, Panel, line
from benchmarks.reproduce.figures import Claim, Row
from sfumato.baskets.grouped import diverse_groups
from sfumato.baskets.rings.dealt_groups import dealt_groups, stretch_length
from sfumato.ground.randomness import Randomness

__all__ = ["figure_2"]

DEALT = "dealt groups"


def _rows(scale: Scale) -> list[Row]:
    rows = []
    for name in (CHESS, PUMSB):
        baskets = set_of(name)
        for which in scale.labels:
            for size in scale.printed_ls:
                found: dict[str, list[float]] = {CAHD: [], NR: [], GROUPED: [], DEALT: []}
                for seed in range(scale.seeds):
                    own, order = labels(which, len(baskets), seed), order_of(name, WINDOWED, size, seed)
                    grouped = diverse_groups(baskets, own, order, size)
                    dealt = dealt_groups(own, order, 1, size, Randomness(f"deal {seed}"))
                    found[CAHD].append(error_of(baskets, cahd(baskets, own, size)))
                    found[NR].append(error_of(baskets, nonreciprocal(baskets, own, order, size, seed)))
                    found[GROUPED].append(error_of(baskets, of_groups(baskets, grouped)))
                    found[DEALT].append(error_of(baskets, of_groups(baskets, dealt)))
                said = {"data": name, "labels": which, "l": size}
                rows += [said | {"method": method, "err": float(np.mean(each))} for method, each in found.items()]
                rows[-1]["stretch"] = stretch_length(np.bincount(own), 1, size)  # of the last seed
    return rows


def figure_2(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Dealt groups beside the others."""
    rows = _rows(scale) if rows is None else rows
    claims, panels = [], []
    for name in (CHESS, PUMSB):
        for which in scale.labels:

            def of(method: str, y: str = "err", name: str = name, which: str = which) -> dict[Any, float]:
                return line(rows, "l", y, data=name, labels=which, method=method)

            for method, called in ((GROUPED, "groups that are formed by labels"), (NR, "a ring")):
                ratio = float(np.mean([of(DEALT)[x] / of(method)[x] for x in of(method)]))
                lengths = ", ".join(f"{of(DEALT, 'stretch')[x]:.0f}" for x in sorted(of(DEALT)))
                claims.append(Claim(
                    paper=f"{name}, {which}: that groups tell nothing of labels costs less than half again, beside "
                    f"{called}",
                    holds=ratio < 1.5, seen=f"{ratio:.2f} times on average; {pairs(of(DEALT), of(method))}; stretches "
                    f"of {lengths} records", ours=True,
                    why="a stretch of the order must be diverse by itself before its records are dealt to groups",
                ))  # fmt: skip
        panels.append(Panel(title=f"error rate, {name}", x="l", lines={
            method: {"data": name, "labels": scale.labels[0], "method": method} for method in (CAHD, DEALT, NR, GROUPED)
        }))  # fmt: skip
    return Figure(
        number=2, title="what dealt groups cost (ours)", setting=f"means over {scale.seeds} seeds", rows=rows,
        panels=panels, claims=claims,
    )  # fmt: skip
