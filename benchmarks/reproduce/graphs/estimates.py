"""Figures 4.6 and 4.7: density and transitivity as they stand after perturbation, and as they are estimated."""

from __future__ import annotations

import functools
import math
import statistics
from fractions import Fraction

from benchmarks.reproduce.distribution.results import Figure, Panel, line
from benchmarks.reproduce.figures import Claim, Row
from benchmarks.reproduce.graphs.settings import Scale, graph_of
from benchmarks.reproduce.graphs.trials import every_trial
from sfumato.graphs.counts.triangles import triads
from sfumato.graphs.estimates.densities import density
from sfumato.graphs.estimates.estimate import Estimate
from sfumato.graphs.estimates.transitivity import estimate_triads, transitivity
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness

__all__ = ["figure_46", "figure_47"]

ORIGINAL, SEEN, ESTIMATED = "original", "as it stands", "estimated"
PRINTED, PRINTED_TRUE = "3T/X, estimated", "3T/X, original"
DENSITY, TRANSITIVITY = "density", "transitivity"


def _row(which: str, estimate: Estimate) -> Row:
    return {"which": which, "value": estimate.value, "low": estimate.low, "high": estimate.high}


def _one(name: str, mu: float, seed: int) -> list[Row]:
    graph = graph_of(name)
    true, h, pairs = triads(graph), graph.n_edges, graph.n_pairs
    changed = flip_pairs(graph, mu, Randomness(f"estimates {mu} {seed}"))
    seen = triads(changed)
    found = estimate_triads(changed, mu, seen=seen)
    of = {
        DENSITY: [
            {"which": ORIGINAL, "value": h / pairs}, {"which": SEEN, "value": changed.n_edges / pairs},
            _row(ESTIMATED, density(changed, mu)),
        ],
        TRANSITIVITY: [
            {"which": ORIGINAL, "value": true.transitivity}, {"which": SEEN, "value": seen.transitivity},
            _row(ESTIMATED, transitivity(found)),
            {"which": PRINTED, "value": float(3 * found.triangles / (found.wedges or Fraction(1)))},
            {"which": PRINTED_TRUE, "value": 3 * true.triangles / true.wedges},
        ],
    }  # fmt: skip
    at = {"data": name, "mu": mu, "seed": seed}
    return [at | {"what": what} | each | _held(each, rows[0]["value"]) for what, rows in of.items() for each in rows]


def _held(row: Row, truth: float) -> Row:
    """How far a value is from the truth, as a share of it, and whether its interval holds it."""
    if row["value"] is None:
        return {}
    off = {"off": row["value"] / truth - 1}
    return off | {"covers": row["low"] <= truth <= row["high"]} if "low" in row else off


@functools.lru_cache(maxsize=4)
def _rows(names: tuple[str, ...], mus: tuple[float, ...], seeds: int) -> list[Row]:
    wanted = [(name, mu, seed) for name in names for mu in mus for seed in range(seeds)]
    return [row for found in every_trial(len(wanted), lambda i: _one(*wanted[i])) for row in found]


def _found(scale: Scale, rows: list[Row] | None, what: str) -> list[Row]:
    if rows is not None:
        return rows
    every = _rows((scale.enron, scale.coauthors), scale.estimated, scale.seeds)
    return [row for row in every if row["what"] == what]


def _covered(rows: list[Row], name: str) -> tuple[int, int]:
    told = [row for row in rows if row["data"] == name and row["which"] == ESTIMATED]
    return sum(row.get("covers", False) for row in told), len(told)


def _off(rows: list[Row], name: str, which: str) -> dict[float, float]:
    """The root mean square of relative errors, by mu."""
    by: dict[float, list[float]] = {}
    for row in rows:
        if row["data"] == name and row["which"] == which and "off" in row:
            by.setdefault(row["mu"], []).append(row["off"] ** 2)
    return {mu: math.sqrt(statistics.fmean(each)) for mu, each in sorted(by.items())}


def _told(values: dict[float, float]) -> str:
    return ", ".join(f"{value:.2g} at {mu:g}" for mu, value in values.items())


def _claims(rows: list[Row], names: tuple[str, ...], what: str) -> list[Claim]:
    claims = []
    for name in names:
        seen, told = _off(rows, name, SEEN), _off(rows, name, ESTIMATED)
        hits, asked = _covered(rows, name)
        claims += [
            Claim(paper=f"{name}: {what} as it stands deviates much as mu grows, the estimate does not",
                  holds=all(told[mu] < seen[mu] for mu in told),
                  seen=f"relative errors {_told(seen)} as it stands, {_told(told)} estimated"),
            Claim(paper=f"{name}: {what} is estimated accurately even at mu = 1e-3", holds=told[1e-3] < 0.05,
                  seen=f"to within {told[1e-3]:.1%}"),
            Claim(paper=f"{name}: 95% intervals hold the truth", holds=hits >= 0.85 * asked, ours=True,
                  seen=f"{hits} of {asked}"),
        ]  # fmt: skip
    return claims


def _panels(names: tuple[str, ...], what: str, lines: tuple[str, ...]) -> list[Panel]:
    return [
        Panel(title=f"{what}, {name}", x="mu", y="value", lines={
            which.replace(",", " as printed,").partition(",")[0]: {"data": name, "which": which, "seed": 0}
            for which in lines})
        for name in names
    ]  # fmt: skip


def figure_46(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Density."""
    rows, names = _found(scale, rows, DENSITY), (scale.enron, scale.coauthors)
    claims = _claims(rows, names, DENSITY)
    for name in names:
        told = _off(rows, name, ESTIMATED)
        low, high = min(told), max(told)
        claims.append(Claim(
            paper=f"{name}: the accuracy of the density is insensitive to mu",
            holds=told[high] < 3 * told[low],
            seen=f"errors are {told[high]:.1e} of the density at {high:g} and {told[low]:.1e} at {low:g}: small, and "
            f"they grow like the square root of mu, {math.sqrt(high / low):.0f} times",
            why="only too small to be seen in a diagram",
        ))  # fmt: skip
    return Figure(number=46, title="density (Figure 4.6)",
                  setting=f"{scale.seeds} publications for each mu; the first is drawn, with 95% intervals",
                  rows=rows, panels=_panels(names, DENSITY, (ORIGINAL, SEEN, ESTIMATED)), claims=claims)  # fmt: skip


def figure_47(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Transitivity."""
    rows, names = _found(scale, rows, TRANSITIVITY), (scale.enron, scale.coauthors)
    claims = _claims(rows, names, TRANSITIVITY)
    for name in names:
        first = line(rows, "mu", "value", data=name, which=PRINTED_TRUE, seed=0)
        truth = line(rows, "mu", "value", data=name, which=ORIGINAL, seed=0)
        claims.append(Claim(
            paper=f"{name}: transitivity is 3T/X (Eq. 4.10)", holds=False,
            seen=f"3T/X of the original is {next(iter(first.values())):.3g}, its transitivity "
            f"{next(iter(truth.values())):.3g}",
            why="a triangle holds three connected triples, which X leaves out: it is 3T/(X + 3T)",
        ))  # fmt: skip
    lines = (ORIGINAL, SEEN, ESTIMATED, PRINTED)
    return Figure(number=47, title="transitivity (Figure 4.7)",
                  setting=f"{scale.seeds} publications for each mu; the first is drawn, with 95% intervals",
                  rows=rows, panels=_panels(names, TRANSITIVITY, lines), claims=claims)  # fmt: skip
