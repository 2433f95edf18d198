"""Figure 4.9: classes of vertices by their links to hubs."""

from __future__ import annotations

import numpy as np

from benchmarks.reproduce.distribution.results import Figure, Panel
from benchmarks.reproduce.figures import Claim, Row
from benchmarks.reproduce.graphs.settings import Scale, graph_of
from sfumato.graphs.attacks.hubs import hub_confusion, top_hubs
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness

__all__ = ["figure_49"]

MUS = (1e-4, 1e-3, 1e-2, 1e-1)
CLASSES = ("none", "even", "all", "odd")


def _rows(scale: Scale) -> list[Row]:
    graph = graph_of(scale.wiki)
    degrees = graph.degrees[top_hubs(graph)]
    rows: list[Row] = [{"hubs": [int(degrees.min()), int(degrees.max())], "vertices": len(graph)}]
    for mu in MUS:
        counts = sum(
            hub_confusion(graph, flip_pairs(graph, mu, Randomness(f"hubs {mu} {seed}")), np.arange(len(graph)))
            for seed in range(scale.seeds)
        )
        table = np.asarray(counts, dtype=np.float64) / scale.seeds
        rows += [{"mu": mu, "true": CLASSES[i], "read": read, "count": float(table[i, j])}
                 for i in range(len(CLASSES)) for j, read in enumerate((*CLASSES, "between"))]  # fmt: skip
    return rows


def figure_49(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """How many are read as what they are."""
    rows = _rows(scale) if rows is None else rows
    right, of = {}, {}
    for mu in MUS:
        here = [row for row in rows if row.get("mu") == mu]
        of[mu] = sum(row["count"] for row in here)
        right[mu] = sum(row["count"] for row in here if row["true"] == row["read"]) / of[mu]
    low, high = rows[0]["hubs"]
    told = ", ".join(f"{share:.2%} at {mu:g}" for mu, share in right.items())
    claims = [
        Claim(paper="the ten hubs have 482 to 1,053 neighbours", holds=(low, high) == (482, 1053),
              seen=f"{low:,} to {high:,}", why="the thesis does not say which of a pair's votes it counts"),
        Claim(paper="most vertices are still classified right as mu grows", holds=right[1e-2] > 0.5,
              seen=f"{told}, of {of[1e-4]:,.0f} vertices with four links to hubs or more"),
        Claim(paper="errors become apparent with larger mu", holds=right[1e-4] > right[1e-3] > right[1e-2],
              seen=told),
    ]  # fmt: skip
    panels = [Panel(title=f"vertices at mu = {mu:g}, by what they are read as", x="read", y="count", lines={
        name: {"mu": mu, "true": name} for name in CLASSES}) for mu in MUS]  # fmt: skip
    return Figure(number=49, title="classes by links to hubs (Figure 4.9)",
                  setting=f"{scale.wiki}: ten hubs, vertices with at least four links to them; targets are none of the "
                  f"hubs, every second, all, and every second from the first; means over {scale.seeds} publications",
                  rows=rows, panels=panels, claims=claims)  # fmt: skip
