"""Figures 1 and 2, ours: how much must be flipped, and what that costs."""

from __future__ import annotations

import functools
import math
from typing import Any

from benchmarks.reproduce.distribution.results import Figure, Panel, line
from benchmarks.reproduce.figures import Claim, Row
from benchmarks.reproduce.graphs.formulas import structural_mu
from benchmarks.reproduce.graphs.settings import Scale, graph_of
from benchmarks.reproduce.graphs.success import INTERVAL, STRUCTURAL, WALK, success_of
from sfumato.graphs.counts.triangles import count_squares, count_triangles, n_wedges
from sfumato.graphs.estimates.densities import sum_of_squares
from sfumato.graphs.flip_rate import pair_variance
from sfumato.graphs.risk.choosing_mu import path_mu, trade_off

__all__ = ["figure_1", "figure_2", "transitivity_spread"]

KS = (6, 8, 10, 12, 16, 20, 25, 30, 40)
EPSILON = 0.1
PATH, STRUCTURE = "path", "structure"
_ATTACKS: tuple[tuple[str, Row], ...] = (
    (WALK, {"attack": WALK}),
    (f"{INTERVAL}, w = 5", {"attack": INTERVAL, "w": 5, "m": 0}),
    (f"{INTERVAL}, w = 5, 2 errors", {"attack": INTERVAL, "w": 5, "m": 2}),
    (f"{STRUCTURAL}, ours", {"attack": STRUCTURAL}),
)


def figure_1(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Against a path, and against any structure."""
    names = (scale.enron, scale.coauthors)
    if rows is None:
        rows = []
        for name in names:
            graph = graph_of(name)
            density = graph.n_edges / graph.n_pairs
            for k in KS:
                mus = {PATH: path_mu(k, EPSILON), STRUCTURE: structural_mu(len(graph) + k, k, density, EPSILON)}
                for against, mu in mus.items():
                    true = trade_off(graph, [mu])["true_edges"][0]
                    rows.append({"data": name, "k": k, "against": against, "mu": mu, "true_edges": true})
    claims = []
    for name in names:
        path, structure = (line(rows, "k", "mu", data=name, against=against) for against in (PATH, STRUCTURE))
        kept = line(rows, "k", "true_edges", data=name, against=STRUCTURE)
        more = [k for k in KS if structure[k] > path[k]]
        claims += [
            Claim(paper=f"{name}: a mu that breaks the path thwarts any structural attack",
                  holds=not more, ours=True,
                  seen=f"against a path mu = {', '.join(f'{path[k]:.3g}' for k in KS)}, against any structure "
                  f"{', '.join(f'{structure[k]:.3g}' for k in KS)} at k = {', '.join(map(str, KS))}",
                  why="the longer a path, the sooner it breaks; the more accounts, the more pairs tell of them"),
            Claim(paper=f"{name}: any structural attack can be thwarted by flips, and the edges are still of use",
                  holds=kept[20] > 0.5, ours=True,
                  seen=f"with 20 accounts it takes mu = {structure[20]:.2g}, after which {kept[20]:.1%} of the edges "
                  f"published are true; with 10 {structure[10]:.2g} and {kept[10]:.1%}",
                  why="there are so many more pairs than edges"),
        ]  # fmt: skip
    panels = [
        Panel(title=f"least mu, {name}", x="k", y="mu", lines={
            f"against a {against}": {"data": name, "against": against} for against in (PATH, STRUCTURE)})
        for name in names
    ]  # fmt: skip
    return Figure(number=1, title="how much must be flipped, in closed form (ours)",
                  setting=f"least mu at which a path of k accounts survives, or k accounts are found by who can look "
                  f"everywhere, with probability {EPSILON:g}", rows=rows, panels=panels, claims=claims)  # fmt: skip


def _cost(name: str, mu: float) -> Row:
    graph = graph_of(name)
    told = trade_off(graph, [mu]).row(0, named=True)
    return {
        "true_edges": told["true_edges"], "sd_edges": told["sd_edges"] / graph.n_edges, "sd_degree": told["sd_degree"],
        "sd_transitivity": transitivity_spread(name, mu),
    }  # fmt: skip


@functools.cache
def _sums(name: str) -> tuple[int, int, int, int, int]:
    """Triangles and paths of two edges; over all pairs, with c the neighbours shared and w the edges at either end
    besides their own, the sums of c^2, w^2 and c w."""
    graph = graph_of(name)
    n, h, degrees = len(graph), graph.n_edges, graph.degrees
    u, v = graph.edges
    found, paths = count_triangles(graph), n_wedges(graph)
    beside = int(((degrees[u] - 1) * degrees[v] + (degrees[v] - 1) * degrees[u]).sum())
    squares = 4 * count_squares(graph) + paths
    around = (n - 6) * sum_of_squares(degrees) + 4 * h * h + 4 * h
    return found, paths, squares, around, beside - 6 * found


def transitivity_spread(name: str, mu: float) -> float:
    """The standard error of the estimated transitivity, from the original: closed form, delta method."""
    graph, v = graph_of(name), pair_variance(mu)
    t, paths, c_squares, w_squares, c_times_w = _sums(name)
    beyond, triples = v**2 * graph.n_edges * (len(graph) - 2), math.comb(len(graph), 3)
    of_t = v * c_squares + beyond + v**3 * triples
    of_w = v * w_squares + 3 * v**2 * triples
    ratio = t / paths
    return 3 / paths * math.sqrt(of_t - 2 * ratio * (v * c_times_w + beyond) + ratio**2 * of_w)


def _least(success: dict[Any, float]) -> float | None:
    """The least mu tried from which on success stays below 10%."""
    below = None
    for mu, p in sorted(success.items(), reverse=True):
        if p >= EPSILON:
            break
        below = mu
    return below


def _rows(scale: Scale) -> list[Row]:
    rows = []
    for name in (scale.enron, scale.coauthors):
        graph, found, k = graph_of(name), success_of(name, scale), scale.ks[0]
        least = [(title, _least(line(found, "mu", "success", data=name, k=k, **where))) for title, where in _ATTACKS]
        density = graph.n_edges / graph.n_pairs
        least += [
            ("any structure, in closed form", structural_mu(len(graph) + k, k, density, EPSILON)),
            ("a path, in closed form", path_mu(k, EPSILON)),
        ]
        for title, mu in least:
            rows.append({"data": name, "k": k, "attack": title, "mu": mu} | (_cost(name, mu) if mu else {}))
        rows += [{"data": name, "mu": mu, "part": "cost"} | _cost(name, mu) for mu in scale.estimated]
    return rows


def _told(row: Row) -> str:
    if row["mu"] is None:
        return "above all tried"
    return (
        f"{row['mu']:.3g}, where {row['true_edges']:.1%} of the edges published are true, the number of edges is known "
        f"to {row['sd_edges']:.2%}, a degree to {row['sd_degree']:.2g} and transitivity to {row['sd_transitivity']:.2g}"
    )


def figure_2(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """The least mu against each attack, and what is left of the graph."""
    rows = _rows(scale) if rows is None else rows
    claims = []
    for name in (scale.enron, scale.coauthors):
        here = [row for row in rows if row["data"] == name and "attack" in row]
        told = [f"{row['attack']}: {_told(row)}" for row in here]
        walks = [row for row in here if row["attack"].startswith(INTERVAL)]
        claims.append(Claim(
            paper=f"{name}: there is a mu that prevents walks along a path and leaves density and transitivity "
            "accurate",
            holds=all(row["mu"] and row["sd_edges"] < 0.05 and row["sd_transitivity"] < 0.05 for row in walks),
            seen="; ".join(told),
        ))  # fmt: skip
        walk = max(row["mu"] or 1 for row in walks)
        best = next(row["mu"] for row in here if row["attack"].startswith(STRUCTURAL))
        claims.append(Claim(
            paper=f"{name}: that mu prevents the structural attack as well", ours=True,
            holds=best is not None and best <= walk,
            seen=f"{walk:g} against walks, {f'{best:g}' if best else 'more than was tried'} against the structural "
            "attack",
            why="it needs no path, and takes flips for what they are",
        ))  # fmt: skip
    names = (scale.enron, scale.coauthors)
    panels = [
        Panel(title=title, x="mu", y=y, lines={name: {"data": name, "part": "cost"} for name in names})
        for title, y in (("published edges that are true", "true_edges"), ("spread of the number of edges", "sd_edges"),
                         ("spread of transitivity", "sd_transitivity"), ("spread of a degree", "sd_degree"))
    ]  # fmt: skip
    return Figure(number=2, title="which attack succeeds at which mu, and what that mu costs (ours)",
                  setting=f"k = {scale.ks[0]}; the least mu tried from which on fewer than 10% of attacks succeed; the "
                  "spread of the number of edges is relative", rows=rows, panels=panels, claims=claims)  # fmt: skip
