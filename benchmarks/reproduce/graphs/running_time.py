"""Figure 4.3: how long a search takes."""

from __future__ import annotations

import itertools
import time

from benchmarks.reproduce.distribution.results import Figure, Panel, line
from benchmarks.reproduce.figures import Claim, Row
from benchmarks.reproduce.graphs.settings import Scale, graph_of, usual_accounts
from sfumato.graphs.attacks.planted import WalkBasedAttack
from sfumato.graphs.attacks.walk_search import find_walks
from sfumato.graphs.edge_perturbation import EdgePerturbation
from sfumato.graphs.estimates.degree_law import degree_intervals
from sfumato.ground.randomness import Randomness

__all__ = ["figure_43"]

MU = 1e-3
_LIMIT_S = 180


def _rows(scale: Scale) -> list[Row]:
    rows = []
    for name in (scale.enron, scale.coauthors):
        graph = graph_of(name)
        k, victims = usual_accounts(len(graph))
        attack = WalkBasedAttack(accounts=k, victims=victims)
        trial = attack.attempt(graph, EdgePerturbation(MU), None, Randomness("time"))
        for m in scale.errors:
            for w in scale.widths:
                low, high = degree_intervals(len(trial.published), trial.planted.degrees, trial.rates, w)
                started = time.perf_counter()
                walks = find_walks(trial.published, trial.planted.inside, low, high, m, steps=scale.steps)
                rows.append({
                    "data": name, "k": k, "m": m, "w": w, "seconds": time.perf_counter() - started,
                    "steps": walks.steps, "complete": walks.complete, "paths": len(walks.paths),
                })  # fmt: skip
    return rows


def _rises(values: list[float]) -> bool:
    return all(a <= b for a, b in itertools.pairwise(values))


def figure_43(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Steps and seconds by width and errors."""
    rows = _rows(scale) if rows is None else rows
    names = (scale.enron, scale.coauthors)
    longest = max(rows, key=lambda row: row["seconds"])
    cut = sum(not row["complete"] for row in rows)
    by_w = {(name, m): line(rows, "w", "steps", data=name, m=m) for name in names for m in scale.errors}
    by_m = {(name, w): line(rows, "m", "steps", data=name, w=w) for name in names for w in scale.widths}
    first, last = scale.widths[0], scale.widths[-1]
    none, most = scale.errors[0], scale.errors[-1]
    claims = [
        Claim(paper="a search takes less than three minutes", holds=longest["seconds"] < _LIMIT_S and not cut,
              seen=f"the longest, w = {longest['w']} and m = {longest['m']} on {longest['data']}, took "
              f"{longest['seconds']:.2g} s and {longest['steps']:,} steps; {cut} of {len(rows)} were given up after "
              f"{scale.steps:,} steps",
              why="the last ones were given up" if cut else ""),
        Claim(paper="time grows with w and with m",
              holds=all(_rises(list(each.values())) for each in (*by_w.values(), *by_m.values())),
              seen="; ".join(
                  f"{name}: {by_w[name, none][first]:,} steps at w = {first} and {by_w[name, none][last]:,} at {last} "
                  f"without errors, {by_w[name, most][last]:,} with m = {most}" for name in names)),
    ]  # fmt: skip
    panels = [
        Panel(title=f"{y}, {name}", x="w", y=y, lines={f"m = {m}": {"data": name, "m": m} for m in scale.errors})
        for y in ("seconds", "steps") for name in names
    ]  # fmt: skip
    sizes = ", ".join(f"{next(row['k'] for row in rows if row['data'] == name)} ({name})" for name in names)
    return Figure(number=43, title="time of the interval-walk attack (Figure 4.3)",
                  setting=f"one search at mu = {MU:g}; k = 4 log N accounts: {sizes}",
                  rows=rows, panels=panels, claims=claims)  # fmt: skip
