"""Figure 3, ours: how many baskets somebody reads back who has what a ring publishes, and nothing else.

Windows next to each other on a ring have all records in common but one on each side. If published records lie in the
order of the ring, each of them tells of an item whether none, few, most or all of k neighbours have it; which of these
do follows by going along the ring, for every item by itself. The order is found by laying published records that are
alike side by side. Groups do not overlap, so that there is nothing to go along.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.reproduce.baskets.releases import error_of, of_groups, of_ring
from benchmarks.reproduce.baskets.settings import BMS, CHESS, PUMSB, Scale, sample
from benchmarks.reproduce.distribution.results import Figure, Panel, line, steps
from benchmarks.reproduce.figures import Claim, Row
from sfumato.baskets.grouped import cheapest_groups
from sfumato.baskets.orders.order import Windowed
from sfumato.baskets.shared import present_items
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness

__all__ = ["figure_3", "in_a_row", "read_back"]

TRUE, FOUND = "ring, its order known", "ring, from the release alone"
BASES, GROUPS = "ring, bases as they are", "groups, bases as they are"
SETS, KS = (BMS, CHESS, PUMSB), (3, 5, 8)
_SLIP = 1e-3  # how often a window is taken to be out of place
_NONE, _FEW, _MOST, _ALL = range(4)


def read_back(shown: PublishedBaskets, order: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """The likeliest baskets, if published records lie in this order on a ring of k. O(records x items x 2^k)."""
    base, differs = (_cells(each)[order] for each in (shown.base, shown.differs))
    held = np.where(differs, np.where(base, _MOST, _FEW), np.where(base, _ALL, _NONE))
    share = np.clip(np.array([0, 0.25, 0.75, 1])[held].mean(axis=0), 0.01, 0.99)
    fits = _fits(k)
    found = np.empty(held.shape, dtype=np.bool_)
    for x in range(held.shape[1]):
        sure = np.flatnonzero((held[:, x] == _NONE) | (held[:, x] == _ALL))
        last = int(sure[0]) if len(sure) else 0
        start = np.ones(1 << (k - 1))
        if len(sure):
            start[:] = 0
            start[-1 if held[last, x] == _ALL else 0] = 1
        along = np.roll(held[:, x], -last - 1)
        found[:, x] = np.roll(_likely(along, fits, share[x], start), last + 1) > 0.5
    return found


def in_a_row(shown: PublishedBaskets, random: Randomness) -> NDArray[np.int64]:
    """Published records so that neighbours are as alike as can be, which is the order of a ring or nearly so."""
    mixed = random.permutation(len(shown))
    base, differs = (_cells(each)[mixed] for each in (shown.base, shown.differs))
    record, feature = np.nonzero(np.concatenate([base | differs, base, base & ~differs], axis=1))
    alike = Baskets(
        np.searchsorted(record, np.arange(len(mixed) + 1)), feature, tuple(map(str, range(3 * base.shape[1])))
    )
    return mixed[Windowed(neighbours=20, sweeps=60).order(alike, 2, random)]


def _fits(k: int) -> NDArray[np.float64]:
    """How likely a window is published so, by how many of its records have an item; ties go by a coin."""
    found = np.full((4, k + 1), _SLIP)
    found[_NONE, 0] = found[_ALL, k] = 1
    for count in range(1, k):
        found[_FEW, count] = max(_SLIP, 1 if 2 * count < k else 0.5 * (2 * count == k))
        found[_MOST, count] = max(_SLIP, 1 if 2 * count > k else 0.5 * (2 * count == k))
    return found


@kernel
def _likely(
    held: NDArray[np.int64], fits: NDArray[np.float64], share: float, start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How likely the record that each window ends with has the item; the first window comes after those of `start`.

    The state is who of the last k - 1 records have it, as bits; at the end it is as at the start again.
    """
    n, n_states = held.shape[0], start.shape[0]
    count = np.zeros(n_states, dtype=np.int64)
    for s in range(1, n_states):
        count[s] = count[s >> 1] + (s & 1)
    ahead = np.zeros((n + 1, n_states))
    ahead[0] = start
    for t in range(n):
        fit = fits[held[t]]
        for s in range(n_states):
            to = (s << 1) & (n_states - 1)
            ahead[t + 1, to] += ahead[t, s] * fit[count[s]] * (1 - share)
            ahead[t + 1, to | (n_states > 1)] += ahead[t, s] * fit[count[s] + 1] * share
        ahead[t + 1] /= ahead[t + 1].sum()
    result, back, before = np.empty(n), start.copy(), np.empty(n_states)
    for t in range(n - 1, -1, -1):
        fit, has, lacks = fits[held[t]], 0.0, 0.0
        for s in range(n_states):
            to = (s << 1) & (n_states - 1)
            without = fit[count[s]] * (1 - share) * back[to]
            with_it = fit[count[s] + 1] * share * back[to | (n_states > 1)]
            lacks += ahead[t, s] * without
            has += ahead[t, s] * with_it
            before[s] = without + with_it
        result[t] = has / (has + lacks) if has + lacks > 0 else 0.0
        back[:] = before / before.sum()
    return result


def _cells(baskets: Baskets) -> NDArray[np.bool_]:
    return np.asarray(baskets.to_scipy().toarray(), dtype=np.bool_)


def _right(own: NDArray[np.bool_], guessed: NDArray[np.bool_]) -> tuple[float, float]:
    """The share of baskets that are among those guessed, each as often as it is there; and of those that occur once."""
    truth, said = (Counter(map(bytes, np.packbits(each, axis=1))) for each in (own, guessed))
    once = [basket for basket, times in truth.items() if times == 1]
    return sum((truth & said).values()) / len(own), sum(basket in said for basket in once) / max(len(once), 1)


def _rows(scale: Scale) -> list[Row]:
    rows = []
    for name in SETS:
        baskets = present_items(sample(name, scale.read))
        own, n = _cells(baskets), len(baskets)
        for k in KS:
            found: dict[str, list[tuple[float, ...]]] = {TRUE: [], FOUND: [], BASES: [], GROUPS: []}
            for seed in range(scale.seeds):
                order = Windowed().order(baskets, k, Randomness(f"order {seed}"))
                made = of_ring(baskets, order, k, seed)
                ring, by_order = made.shown, read_back(made.shown, np.arange(n), k)
                off = (by_order != own[order]).sum(axis=1) / np.maximum(baskets.sizes[order], 1)
                guessed = in_a_row(ring, Randomness(f"guess {seed}"))
                step = (guessed - np.roll(guessed, 1)) % n
                found[TRUE].append((*_right(own, by_order), float(off.mean())))
                beside = float(np.isin(step, (1, n - 1)).mean())
                found[FOUND].append((*_right(own, read_back(ring, guessed, k)), beside))
                found[BASES].append((*_right(own, _cells(ring.base)), error_of(baskets, made)))
                groups = of_groups(baskets, cheapest_groups(baskets, order, k))
                found[GROUPS].append((*_right(own, _cells(groups.shown.base)), error_of(baskets, groups)))
            said = {"data": name, "n": n, "k": k}
            for method, each in found.items():
                names = ("all", "unique", "beside" if method == FOUND else "err")
                rows.append(said | {"method": method} | dict(zip(names, np.mean(each, axis=0).tolist(), strict=True)))
    return rows


def figure_3(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Baskets read back from rings, and from groups."""
    rows = _rows(scale) if rows is None else rows
    claims = []
    for name in SETS:

        def of(method: str, y: str = "unique", name: str = name) -> dict[Any, float]:
            return line(rows, "k", y, data=name, method=method)

        claims += [
            Claim(paper=f"{name}: the release of a ring tells no more baskets that occur once than its bases do",
                  holds=all(of(FOUND)[k] <= of(BASES)[k] + 0.01 for k in KS), ours=True,
                  seen=f"{steps(of(FOUND), '.1%')} are read back from the release alone, {steps(of(TRUE), '.1%')} by "
                  f"the order of the ring, {steps(of(BASES), '.1%')} are bases, at k = {', '.join(map(str, KS))}; "
                  f"{steps(of(FOUND, 'beside'), '.0%')} of the neighbours are found; of all baskets "
                  f"{steps(of(FOUND, 'all'), '.1%')}, {steps(of(TRUE, 'all'), '.1%')} and "
                  f"{steps(of(BASES, 'all'), '.1%')}; bits that are wrong, over the items of a record: "
                  f"{steps(of(TRUE, 'err'))} as read by the order, {steps(of(BASES, 'err'))} in bases",
                  why="windows that overlap differ by one record that comes in and one that goes out"),
            Claim(paper=f"{name}: groups show fewer baskets that occur once than are read back from a ring",
                  holds=all(of(GROUPS)[k] < of(FOUND)[k] for k in KS), ours=True,
                  seen=f"{steps(of(GROUPS), '.1%')} against {steps(of(FOUND), '.1%')}; of all baskets "
                  f"{steps(of(GROUPS, 'all'), '.1%')}"),
        ]  # fmt: skip
    panels = [
        Panel(title=f"baskets read back, {name}", x="k", y="unique", lines={
            method: {"data": name, "method": method} for method in (TRUE, FOUND, BASES, GROUPS)}) for name in SETS
    ]  # fmt: skip
    return Figure(
        number=3, title="baskets read back (ours)",
        setting=f"{scale.read:,} records of each set drawn at random, on the windowed order; diagrams show baskets "
        f"that occur once; means over {scale.seeds} seeds",
        rows=rows, panels=panels, claims=claims,
    )  # fmt: skip
