"""Figure 3.8: the time of closed walks beside walks that take steps back, and of the ring for l beside CAHD.

Processor time, the least of several runs. Both kinds of walk are compiled loops over the same random words, and what is
timed is the loops alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.baselines import closed_walks, wmc
from benchmarks.reproduce.baskets.releases import ALPHA
from benchmarks.reproduce.baskets.settings import OCCUPATIONS, TSP, WINDOWED, Scale, labels, stretched
from benchmarks.reproduce.distribution.results import Figure, Panel, line, steps
from benchmarks.reproduce.figures import Claim, Row
from sfumato.baskets.cahd import cahd_groups
from sfumato.baskets.orders.gray import frequency_ranks, gray_order
from sfumato.baskets.orders.order import GrayTSP, Order, Windowed
from sfumato.baskets.rings import ring
from sfumato.baskets.rings.diverse_ring import diverse_assignments, diverse_ring, polish_ring
from sfumato.ground.randomness import Randomness

__all__ = ["figure_38"]

CLOSED, WMC, OURS, CAHD = "closed walk", "WMC", "walk to a free place, ours", "CAHD"
K, L = 16, 6
_RUNS, _FEW = 2, 1_000


def _least(work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(_RUNS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def _given(n: int, k: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Where the walks of each round begin, and enough random words for all steps."""
    random = Randomness(f"walks {seed}")
    return np.stack([random.permutation(n) for _ in range(k)]), random.words(40 * n * k + 64)


def _walks(n: int, k: int, scale: Scale, *, counted: bool = False) -> list[Row]:
    """Both kinds, means over seeds: seconds, and how many steps there are to an edge."""
    found: dict[str, list[tuple[float, float]]] = {CLOSED: [], WMC: [], OURS: []}
    for seed in range(scale.seeds):
        starts, words = _given(n, k, seed)
        count = _closed_steps(n, k, starts, words) if counted else math.nan
        assert len(closed_walks._walks(n, k, starts, words)), "more random words are needed"
        found[CLOSED].append((_least(lambda s=starts, w=words: closed_walks._walks(n, k, s, w)), count / (n * k)))
        _, taken = wmc._walks(n, k, starts, words, -1)
        found[WMC].append((_least(lambda s=starts, w=words: wmc._walks(n, k, s, w, -1)), taken / (n * k)))
        found[OURS].append((_least(lambda s=starts, w=words: _to_free_places(n, k, s, w)), math.nan))
    rows = []
    for method, each in found.items():
        seconds, per_edge = np.mean(each, axis=0).tolist()
        rows.append({"method": method, "n": n, "k": k, "seconds": seconds})
        if not math.isnan(per_edge):
            rows[-1]["steps"] = per_edge
    return rows


def _to_free_places(n: int, k: int, starts: NDArray[np.int64], words: NDArray[np.uint64]) -> None:
    """The loops of `ring.assignments`, on given random words."""
    free = np.tile(np.arange(k, dtype=np.int32), (n, 1))
    owner, child, post = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    share = len(words) // k
    for r in range(k):
        owner[:] = -1
        index, _ = ring._random_walks(
            n, free, k - r, starts[r], 0, -1, owner, child, words[r * share : (r + 1) * share]
        )
        assert index == n, "more random words are needed"
        post[owner] = np.arange(n)
        ring._use_edges(free, k - r, post)


def _closed_steps(n: int, k: int, starts: NDArray[np.int64], words: NDArray[np.uint64]) -> int:
    """How many steps closed walks take: with fewer random words than that they come to nothing."""
    low, high = n * k, len(words)
    while low < high:
        middle = (low + high) // 2
        if len(closed_walks._walks(n, k, starts, words[:middle])):
            high = middle
        else:
            low = middle + 1
    return low


def _diverse(times: int) -> list[Row]:
    baskets = stretched(times)
    n = len(baskets)
    own = labels(OCCUPATIONS, n, 0)

    def nonreciprocal(order: Order) -> None:
        laid = order.order(baskets, L, Randomness(1))
        found = polish_ring(baskets, own, diverse_ring(own, laid, L))
        diverse_assignments(found, Randomness(1))

    def groups() -> None:
        cahd_groups(baskets, own, gray_order(baskets, frequency_ranks(baskets)), L, ALPHA)

    return [
        {"method": f"NR, ours, {TSP}", "n": n, "l": L, "seconds": _least(lambda: nonreciprocal(GrayTSP()))},
        {"method": f"NR, ours, {WINDOWED}", "n": n, "l": L, "seconds": _least(lambda: nonreciprocal(Windowed()))},
        {"method": CAHD, "n": n, "l": L, "seconds": _least(groups)},
    ]


def _rows(scale: Scale) -> list[Row]:
    _walks(200, 4, scale)  # compiled
    _diverse(1)
    rows = [row | {"part": "a"} for k in scale.walked_ks for row in _walks(scale.walked, k, scale)]
    rows += [row | {"part": "steps"} for k in scale.walked_ks for row in _walks(_FEW, k, scale, counted=True)]
    rows += [row | {"part": "b"} for times in scale.times for row in _walks(len(stretched(times)), K, scale)]
    rows += [row | {"part": "c"} for times in scale.times for row in _diverse(times)]
    return rows


def _power(took: dict[Any, float]) -> float:
    return float(np.polyfit([math.log(n) for n in took], [math.log(s) for s in took.values()], 1)[0])


def figure_38(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Times."""
    rows = _rows(scale) if rows is None else rows
    closed, back = (line(rows, "k", "seconds", part="a", method=method) for method in (CLOSED, WMC))
    closed_n, back_n = (line(rows, "n", "seconds", part="b", method=method) for method in (CLOSED, WMC))
    free_n = line(rows, "n", "seconds", part="b", method=OURS)
    slower = {n: free_n[n] / min(closed_n[n], back_n[n]) for n in free_n}
    step = {method: line(rows, "k", "steps", part="steps", method=method) for method in (CLOSED, WMC)}
    ours = {order: line(rows, "n", "seconds", part="c", method=f"NR, ours, {order}") for order in (TSP, WINDOWED)}
    groups = line(rows, "n", "seconds", part="c", method=CAHD)
    ahead = {n: back_n[n] / closed_n[n] for n in closed_n}
    why = (
        "the walk that takes steps back comes to no record twice, so that it ends after at most two steps to a record; "
        "a closed walk may come to a record once for each of its edges. To an edge of a ring of "
        f"{_FEW:,} there were {steps(step[CLOSED])} steps in closed walks and {steps(step[WMC])} with steps back, at k "
        f"= {', '.join(map(str, sorted(step[WMC])))}. Ours remembers which records it has backed out of, as O(kn^2) "
        "needs; and it finds the next place without a division, which the closed walk does not"
    )
    claims = [
        Claim(paper="closed walks take less time than WMC, at every k", holds=all(closed[k] < back[k] for k in closed),
              seen=f"{steps(closed, '.2g')} s against {steps(back, '.2g')} s at k = {', '.join(map(str, closed))}",
              why=why),
        Claim(paper="closed walks keep an advantage of almost an order of magnitude as records grow in number",
              holds=min(ahead.values()) > 5,
              seen=f"WMC takes {steps(ahead, '.2g')} times the time of closed walks", why=why),
        Claim(paper="NR takes more time than CAHD", holds=all(ours[TSP][n] > groups[n] for n in groups),
              seen=f"{steps(ours[TSP], '.2g')} s on Gray-TSP, {steps(ours[WINDOWED], '.2g')} s on the windowed order, "
              f"against {steps(groups, '.2g')} s"),
        Claim(paper="NR grows like CAHD with the number of records",
              holds=all(_power(each) < _power(groups) + 0.25 for each in ours.values()),
              seen=f"as n to the power of {_power(ours[TSP]):.2f} and {_power(ours[WINDOWED]):.2f} (windowed) against "
              f"{_power(groups):.2f}"),
        Claim(paper="closed walks take a time that is linear in the number of records, or nearly",
              holds=_power(closed_n) < 1.2, seen=f"as n to the power of {_power(closed_n):.2f}", ours=True),
        Claim(paper="walks to any free place take less time than both, at every number of records",
              holds=max(slower.values()) < 1, ours=True,
              seen=f"{steps(slower, '.2g')} times the time of the faster of the two; as n to the power of "
              f"{_power(free_n):.2f}"),
    ]  # fmt: skip
    panels = [
        Panel(title=f"seconds, {scale.walked:,} records", x="k", y="seconds", lines={
            method: {"part": "a", "method": method} for method in (WMC, CLOSED, OURS)}),
        Panel(title=f"seconds, k = {K}", x="n", y="seconds", lines={
            method: {"part": "b", "method": method} for method in (WMC, CLOSED, OURS)}),
        Panel(title=f"seconds, l = {L}", x="n", y="seconds", lines={
            method: {"part": "c", "method": method} for method in (CAHD, f"NR, ours, {TSP}", f"NR, ours, {WINDOWED}")}),
    ]  # fmt: skip
    return Figure(
        number=38, title="time (Figure 3.8)",
        setting=f"processor time, the least of {_RUNS} runs, means over {scale.seeds} seeds in (a) and (b); a ring of "
        f"{scale.walked:,} records; chess {' to '.join(map(str, (scale.times[0], scale.times[-1])))} times over, items "
        "of copies replaced with a probability of 1/20",
        rows=rows, panels=panels, claims=claims,
    )  # fmt: skip
