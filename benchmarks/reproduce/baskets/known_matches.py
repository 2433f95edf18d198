"""Figure 1, ours: what is left of a promise of k to who knows the graph of edges, and the true matches of some people.

What others match rules out edges. An edge is still possible if it lies in an assignment of all who are left; these are
the edges inside strongly connected parts of the graph from each record to the owners of its candidates. A record with
one possible edge is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from benchmarks.reproduce.baskets.settings import Scale
from benchmarks.reproduce.distribution.results import Figure, Panel, line, steps
from benchmarks.reproduce.figures import Claim, Row
from sfumato.baskets.rings.ring import cyclic_shifts, random_assignments
from sfumato.ground.randomness import Randomness

__all__ = ["figure_1", "possible"]

RING, GROUPS, SHIFTS = "ring, random assignments", "groups", "ring, cyclic shifts"
N, KS = 3_196, (4, 10)


def possible(slots: NDArray[np.int64], own: NDArray[np.int64], known: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many candidates of every record are still possible; row i of `slots` lists those of record i."""
    n, k = slots.shape
    owner = np.empty(n, dtype=np.int64)
    owner[own] = np.arange(n)
    source, target = np.repeat(np.arange(n), k), owner[slots].ravel()
    free = ~known[source] & ~known[target]
    graph = csr_array((np.ones(int(free.sum())), (source[free], target[free])), shape=(n, n))
    _, part = connected_components(graph, connection="strong")
    stays = free & (part[source] == part[target])
    return np.asarray(np.bincount(source[stays], minlength=n), dtype=np.int64)


def _drawn(method: str, n: int, k: int, random: Randomness) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The candidates of all records, and the true ones."""
    if method == GROUPS:
        begin = np.arange(n) // k * k
        keys = begin + np.argsort(np.argsort(random.uniform(n).reshape(-1, k), axis=1), axis=1).ravel()
        return begin[:, None] + np.arange(k), keys
    rows = random_assignments(n, k, random) if method == RING else cyclic_shifts(n, k)
    return rows.T, rows[int(random.integers(k, size=1)[0])]


def _usual(rows: NDArray[np.int64]) -> float:
    """How often somebody is right who guesses that all lie as far along the ring as most people do, over the draws."""
    n = rows.shape[1]
    return float(np.mean([np.bincount((row - np.arange(n)) % n).max() / n for row in rows]))


def _rows(scale: Scale) -> list[Row]:
    rows: list[Row] = []
    for k in KS:
        n = N // k * k
        rows += [{"method": RING, "k": k, "usual": _usual(random_assignments(n, k, Randomness(seed)))}
                 for seed in range(scale.seeds)]  # fmt: skip
        for method in (RING, GROUPS, SHIFTS):
            for share in scale.known:
                certain, left = [], []
                for seed in range(scale.seeds):
                    random = Randomness(f"known {seed}")
                    slots, own = _drawn(method, n, k, random)
                    known = np.zeros(n, dtype=np.bool_)
                    known[random.permutation(n)[: round(share * n)]] = True
                    if method == SHIFTS:  # those that agree with all that is known
                        agreeing = (slots[known] == own[known, None]).all(axis=0).sum()
                        found = np.full(n, int(agreeing), dtype=np.int64)
                    else:
                        found = possible(slots, own, known)
                    certain.append(float((found[~known] == 1).mean()))
                    left.append(float(found[~known].mean()))
                rows.append({"method": method, "k": k, "known": share, "certain": float(np.mean(certain)),
                             "left": float(np.mean(left))})  # fmt: skip
    return rows


def figure_1(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Rings and groups, by how many matches are known."""
    rows = _rows(scale) if rows is None else rows
    claims = []
    for k in KS:
        ring, groups = (line(rows, "known", "certain", k=k, method=method) for method in (RING, GROUPS))
        left, in_group = (line(rows, "known", "left", k=k, method=method) for method in (RING, GROUPS))
        at = ", ".join(f"{share:g}" for share in sorted(ring))
        usual = float(np.mean([row["usual"] for row in rows if "usual" in row and row["k"] == k]))
        claims += [
            Claim(paper=f"k = {k}: a ring leaves as many candidates as groups do, whatever share of matches is known",
                  holds=all(left[x] >= in_group[x] for x in left), ours=True,
                  seen=f"{steps(left)} candidates against {steps(in_group)} at {at}",
                  why="what is ruled out for one record of a ring rules out something for the next"),
            Claim(paper=f"k = {k}: of a ring no more of the other records are certain than of groups",
                  holds=all(ring[x] <= groups[x] for x in ring), ours=True,
                  seen=f"{steps(ring, '.2%')} against {steps(groups, '.2%')} at {at}",
                  why="the same"),
            Claim(paper=f"k = {k}: matches of a few people far away do not help to guess that of another on a ring",
                  holds=usual < 1.05 / k, ours=True,
                  seen=f"who guesses that people lie as far along as most others do is right for {usual:.1%}, and "
                  f"should be for {1 / k:.0%}",
                  why="how far along records lie is a whole number on average in every assignment of a ring, and it "
                  "is seen from a few"),
        ]  # fmt: skip
    shifts = [row["certain"] for row in rows if row["method"] == SHIFTS]
    claims.append(Claim(
        paper="with cyclic shifts, matches that are known tell little of anybody else", holds=max(shifts) < 0.5,
        seen=f"{min(shifts):.0%} of the others are certain as soon as one is known: it tells which shift was drawn",
        ours=True,
        why="there are only k assignments to draw from, whatever the number of records",
    ))  # fmt: skip
    panels = [
        Panel(title=f"certain, k = {k}", x="known", y="certain", lines={
            method: {"k": k, "method": method} for method in (GROUPS, RING)}) for k in KS
    ] + [
        Panel(title=f"candidates left, k = {k}", x="known", y="left", lines={
            method: {"k": k, "method": method} for method in (GROUPS, RING)}) for k in KS
    ]  # fmt: skip
    return Figure(
        number=1, title="what others' matches tell (ours)",
        setting=f"about {N:,} records, matches known of records drawn at random, means over {scale.seeds} seeds",
        rows=rows, panels=panels, claims=claims,
    )  # fmt: skip
