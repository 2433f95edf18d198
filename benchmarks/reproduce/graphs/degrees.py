"""Figure 4.8: the degree distribution, as it stands, by estimated degrees, and fitted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.reproduce.distribution.results import Figure, Panel
from benchmarks.reproduce.figures import Claim, Row
from benchmarks.reproduce.graphs.settings import Scale, graph_of
from sfumato.data.graph import Graph
from sfumato.graphs.estimates.degree_distribution import degree_distribution
from sfumato.graphs.estimates.densities import degree_estimates
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness

__all__ = ["distance", "figure_48", "histogram"]

ORIGINAL, SEEN, PLUGGED, FITTED = "original", "as it stands", "estimated degrees", "fitted"
MU = 1e-3
_LOW, _HIGH = -15, 60  # drawn


def histogram(degrees: NDArray[np.float64]) -> dict[int, float]:
    """The share of vertices of each degree, rounded; degrees may be below 0."""
    found, times = np.unique(np.floor(degrees + 0.5).astype(np.int64), return_counts=True)
    return dict(zip(found.tolist(), (times / len(degrees)).tolist(), strict=True))


def distance(one: dict[int, float], other: dict[int, float]) -> float:
    """Total variation."""
    return 0.5 * sum(abs(one.get(d, 0.0) - other.get(d, 0.0)) for d in one.keys() | other.keys())


def _shares(graph: Graph, seed: int) -> dict[str, dict[int, float]]:
    changed = flip_pairs(graph, MU, Randomness(f"degrees {seed}"))
    fit = degree_distribution(changed, MU).shares
    return {
        ORIGINAL: histogram(graph.degrees.astype(np.float64)), SEEN: histogram(changed.degrees.astype(np.float64)),
        PLUGGED: histogram(degree_estimates(changed, MU).values), FITTED: dict(enumerate(fit.tolist())),
    }  # fmt: skip


def _rows(scale: Scale) -> list[Row]:
    rows: list[Row] = []
    for name in (scale.enron, scale.coauthors):
        graph, found = graph_of(name), []
        for seed in range(scale.seeds):
            shares = _shares(graph, seed)
            found.append({which: distance(shares[ORIGINAL], each) for which, each in shares.items()})
            if seed == 0:
                rows += [{"data": name, "which": which, "degree": d, "share": p} for which, each in shares.items()
                         for d, p in sorted(each.items()) if _LOW <= d <= _HIGH]  # fmt: skip
                negative = sum(p for d, p in shares[PLUGGED].items() if d < 0)
                rows.append({"data": name, "negative": negative, "noise": degree_estimates(graph, MU).stderr})
        rows += [{"data": name, "which": which, "tv": float(np.mean([each[which] for each in found]))}
                 for which in (SEEN, PLUGGED, FITTED)]  # fmt: skip
    return rows


def figure_48(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """How far each is from the truth."""
    rows = _rows(scale) if rows is None else rows
    names, claims = (scale.enron, scale.coauthors), []
    for name in names:
        tv = {row["which"]: row["tv"] for row in rows if row["data"] == name and "tv" in row}
        noise = next(row for row in rows if row["data"] == name and "noise" in row)
        told = (
            f"total variation {tv[SEEN]:.3f} as it stands, {tv[PLUGGED]:.3f} by estimated degrees, {tv[FITTED]:.3f} "
            f"fitted; the degree of a vertex is seen with a noise of {noise['noise']:.2g}, and {noise['negative']:.1%} "
            "of the estimated degrees are below 0"
        )
        claims += [
            Claim(paper=f"{name}: the degree distribution is estimated accurately by estimated degrees",
                  holds=tv[PLUGGED] < 0.1, seen=told,
                  why="a histogram of estimated degrees is the true one smeared by the noise of each"),
            Claim(paper=f"{name}: a fit is nearer to the truth", holds=tv[FITTED] < min(tv[PLUGGED], tv[SEEN]),
                  ours=True, seen=f"{tv[FITTED] / tv[PLUGGED]:.2f} times the distance of estimated degrees",
                  why="where the true distribution is ragged from one degree to the next, no smooth fit follows it"),
        ]  # fmt: skip
    panels = [
        Panel(title=f"share of vertices, {name}", x="degree", y="share", lines={
            which: {"data": name, "which": which} for which in (ORIGINAL, SEEN, PLUGGED, FITTED)})
        for name in names
    ]  # fmt: skip
    return Figure(number=48, title="degree distribution (Figure 4.8)",
                  setting=f"mu = {MU:g}; distances are means over {scale.seeds} publications, the first is drawn, "
                  f"degrees {_LOW} to {_HIGH}",
                  rows=rows, panels=panels, claims=claims)  # fmt: skip
