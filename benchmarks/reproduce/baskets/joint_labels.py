"""Figure 4, ours: how many labels are guessed right by who knows everybody's basket, and the groups or the ring.

Of a ring with cyclic shifts there are only l ways to give labels to records, and the one under which labels go with
items best is the true one: by chance alone they go together a little, and more so than among neighbours. Inside groups,
and on a ring with random assignments, each record is guessed nearly by itself: what goes with each label is estimated
from how likely everybody is to carry it, and that from what goes with labels, in turns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp

from benchmarks.reproduce.baskets.releases import ALPHA
from benchmarks.reproduce.baskets.rows import CAHD, GROUPED
from benchmarks.reproduce.baskets.settings import Scale
from benchmarks.reproduce.distribution.results import Figure, Panel, line, steps
from benchmarks.reproduce.figures import Claim, Row
from sfumato.baskets.cahd import cahd_groups
from sfumato.baskets.grouped import diverse_groups
from sfumato.baskets.orders.gray import frequency_ranks, gray_order
from sfumato.baskets.orders.order import Windowed
from sfumato.baskets.rings.dealt_groups import dealt_groups
from sfumato.baskets.rings.diverse_ring import diverse_assignments, diverse_ring, polish_ring
from sfumato.baskets.rings.ring import cyclic_shifts
from sfumato.data.baskets import Baskets
from sfumato.ground.randomness import Randomness

__all__ = ["best_shift", "figure_4", "guessed_in_groups", "guessed_on_ring"]

SHIFTS, WALKS, DEALT, CHANCE = "ring, cyclic shifts", "ring, random assignments", "dealt groups", "1 in l"
METHODS = (SHIFTS, WALKS, CAHD, GROUPED, DEALT)
N, LABELS, L, ITEMS, MORE, USUAL = 1_000, 8, 4, 30, 6, 0.2
EFFECTS = (0.0, 0.06, 0.12, 0.24)
_ROUNDS, _STARTS, _WEIGHT, _LARGEST = 60, 4, 10.0, 6
_MANY = 4  # times as many seeds where all are guessed right, or none


@dataclass(frozen=True, eq=False)
class Known:
    """Who has which items, and how often each item occurs in all."""

    cells: NDArray[np.float64]

    @functools.cached_property
    def usual(self) -> NDArray[np.float64]:
        """The share of records that have each item."""
        return np.asarray(np.clip(self.cells.mean(axis=0), 0.01, 0.99))

    def fit(self, carried: NDArray[np.float64]) -> NDArray[np.float64]:
        """How likely each record's items are under each label, as logarithms, if records carry labels so likely."""
        shares = (carried.T @ self.cells + _WEIGHT * self.usual) / (carried.sum(axis=0)[:, None] + _WEIGHT)
        return np.asarray(self.cells @ np.log(shares).T + (1 - self.cells) @ np.log(1 - shares).T)


def best_shift(known: Known, ring: NDArray[np.int64], shown: NDArray[np.int64]) -> int:
    """The shift under which labels go with items best; `shown` are the labels that are published, by place."""
    usual, found = known.usual, []
    for to in cyclic_shifts(len(ring), L):
        labels = np.empty(len(ring), dtype=np.int64)
        labels[ring] = shown[to]
        of_label = np.eye(LABELS)[labels]
        having, n = of_label.T @ known.cells, of_label.sum(axis=0)[:, None]
        alpha, beta = _WEIGHT * usual, _WEIGHT * (1 - usual)
        found.append(float((betaln(having + alpha, n - having + beta) - betaln(alpha, beta)).sum()))
    return int(np.argmax(found))


def guessed_on_ring(
    known: Known, ring: NDArray[np.int64], shown: NDArray[np.int64], random: Randomness
) -> NDArray[np.int64]:
    """The likeliest label of every record, of those at the l places where it may stand."""
    n = len(ring)
    candidates = np.empty((n, L), dtype=np.int64)
    candidates[ring] = shown[cyclic_shifts(n, L)].T

    def carried(fit: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        mine = np.take_along_axis(fit, candidates, axis=1)
        total = logsumexp(mine, axis=1, keepdims=True)
        found = np.zeros(fit.shape)
        np.add.at(found, (np.arange(n)[:, None], candidates), np.exp(mine - total))
        return found, float(total.sum())

    return _in_turns(known, carried, random)


def guessed_in_groups(
    known: Known, group: NDArray[np.int64], shown: NDArray[np.int64], random: Randomness
) -> NDArray[np.int64]:
    """The likeliest label of every record over all ways to deal out the labels of its group.

    `shown` are the labels that are published, in the order of `group`. In groups of more than six, ways are not told
    apart.
    """
    by_group, sizes = np.argsort(group, kind="stable"), np.bincount(group)
    starts = np.cumsum(sizes) - sizes
    members = [by_group[starts[sizes == size][:, None] + np.arange(size)] for size in np.unique(sizes).tolist()]

    def carried(fit: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        found, total = np.zeros(fit.shape), 0.0
        for records in members:
            labels, size = shown[records], records.shape[1]
            if size > _LARGEST:
                for own, theirs in zip(records, labels, strict=True):
                    found[own] = np.bincount(theirs, minlength=fit.shape[1]) / size
                continue
            ways = np.array(list(permutations(range(size))))
            pairs = fit[records[:, :, None], labels[:, None, :]]
            likely = pairs[:, np.arange(size), ways].sum(axis=2)
            whole = logsumexp(likely, axis=1, keepdims=True)
            weights = np.exp(likely - whole)
            for way, weight in zip(ways, weights.T, strict=True):
                np.add.at(found, (records, labels[:, way]), weight[:, None])
            total += float(whole.sum())
        return found, total

    return _in_turns(known, carried, random)


def _in_turns(
    known: Known, carried: Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], float]], random: Randomness
) -> NDArray[np.int64]:
    """Who carries which label, and what goes with it, in turns from several starts; the likeliest of all."""
    best, result = -np.inf, np.empty(0, dtype=np.int64)
    for start in range(_STARTS):
        noise = random.uniform(N * LABELS).reshape(N, LABELS)
        found, _ = carried(noise if start else np.zeros((N, LABELS)))
        for _ in range(_ROUNDS):
            found, total = carried(known.fit(found))
        if total > best:
            best, result = total, np.argmax(found, axis=1)
    return result


def _data(effect: float, seed: int) -> tuple[Baskets, NDArray[np.int64], Known]:
    """Records with labels, all as frequent, each of which makes six items likelier."""
    random = Randomness(f"labels and items {seed}")
    labels = random.permutation(N) % LABELS
    likely = np.full((LABELS, ITEMS), USUAL)
    for label in range(LABELS):
        likely[label, random.permutation(ITEMS)[:MORE]] += effect
    cells = random.uniform(N * ITEMS).reshape(N, ITEMS) < likely[labels]
    record, item = np.nonzero(cells)
    baskets = Baskets(np.searchsorted(record, np.arange(N + 1)), item, [f"item {x:02d}" for x in range(ITEMS)])
    return baskets, labels, Known(cells.astype(np.float64))


def _by_shift(effect: float, seed: int) -> float:
    """The share of labels guessed right on a ring with cyclic shifts, on average over the one that is drawn."""
    baskets, labels, known = _data(effect, seed)
    order = Windowed().order(baskets, L, Randomness(f"order {seed}"))
    ring = polish_ring(baskets, labels, diverse_ring(labels, order, L, window=L)).order
    rows, shares = cyclic_shifts(N, L), []
    for drawn in rows:
        shown = np.empty(N, dtype=np.int64)
        shown[drawn] = labels[ring]
        shares.append(float((shown[rows[best_shift(known, ring, shown)]] == labels[ring]).mean()))
    return float(np.mean(shares))


def _one_by_one(effect: float, seed: int) -> dict[str, float]:
    """The share of labels guessed right, by method."""
    baskets, labels, known = _data(effect, seed)
    order, gray = (
        Windowed().order(baskets, L, Randomness(f"order {seed}")),
        gray_order(baskets, frequency_ranks(baskets)),
    )
    random, shown, found = Randomness(f"guess {seed}"), np.empty(N, dtype=np.int64), {}
    ring = polish_ring(baskets, labels, diverse_ring(labels, order, L, window=2 * L - 1))
    shown[diverse_assignments(ring, Randomness(f"ring {seed}"))[0]] = labels[ring.order]
    found[WALKS] = float((guessed_on_ring(known, ring.order, shown, random) == labels).mean())
    groups = {
        CAHD: cahd_groups(baskets, labels, gray, L, ALPHA),
        GROUPED: diverse_groups(baskets, labels, order, L),
        DEALT: dealt_groups(labels, order, 1, L, Randomness(f"deal {seed}")),
    }
    for method, group in groups.items():
        mixed = np.lexsort((random.permutation(N), group))  # inside groups at random
        shown[np.argsort(group, kind="stable")] = labels[mixed]
        found[method] = float((guessed_in_groups(known, group, shown, random) == labels).mean())
    return found


def _rows(scale: Scale) -> list[Row]:
    rows: list[Row] = []
    for effect in EFFECTS:
        each = [_one_by_one(effect, seed) for seed in range(scale.labellings)]
        right = {method: [one[method] for one in each] for method in each[0]}
        right |= {SHIFTS: [_by_shift(effect, seed) for seed in range(_MANY * scale.labellings)], CHANCE: [1 / L]}
        rows += [{"method": method, "effect": effect, "right": float(np.mean(values)), "spread": float(np.std(values))}
                 for method, values in right.items()]  # fmt: skip
    return rows


def figure_4(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Labels guessed, by how much they go with items."""
    rows = _rows(scale) if rows is None else rows

    def of(method: str, y: str = "right") -> dict[Any, float]:
        return line(rows, "effect", y, method=method)

    at = ", ".join(f"{effect:g}" for effect in EFFECTS)
    claims = [
        Claim(
            paper=f"{method}: where labels make items likelier by 0.12 or less, fewer than 2 labels in l are guessed "
            "right", holds=all(right < 2 / L for effect, right in of(method).items() if effect <= 0.12), ours=True,
            seen=f"{steps(of(method), '.1%')} at {at}, give or take {steps(of(method, 'spread'), '.1%')} from data to "
            "data",
            why="there are only l ways to give labels to all records, and many records tell which is the true one"
            if method == SHIFTS else "all records together tell what goes with labels",
        ) for method in METHODS
    ]  # fmt: skip
    return Figure(
        number=4, title="labels guessed by who knows every basket (ours)",
        setting=f"{N:,} records of {ITEMS} items, each there with {USUAL:g}; {LABELS} labels, all as frequent, each "
        f"with {MORE} items that are likelier by the effect; l = {L}; means over {scale.labellings} seeds, with "
        f"cyclic shifts over {_MANY * scale.labellings} and all shifts that may be drawn",
        rows=rows, claims=claims,
        panels=[Panel(title="labels guessed right", x="effect", y="right", lines={
            method: {"method": method} for method in (*METHODS, CHANCE)})],
    )  # fmt: skip
