"""What the methods lose, by k and by l: the numbers of figures 3.6 and 3.7, means over seeds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.baselines.flow import MAX_ARCS, cheapest_graph, neighbour_arcs, split
from benchmarks.reproduce.baskets.releases import (
    TIES,
    Published,
    cahd,
    cuts,
    edges_of,
    error_of,
    nonreciprocal,
    of_groups,
    of_ring,
    printed,
    query_error,
    rule_error,
)  # fmt: skip
from benchmarks.reproduce.baskets.settings import (
    GRAY,
    STAR,
    TSP,
    WINDOWED,
    Scale,
    labels,
    order_of,
    sample,
    set_of,
)  # fmt: skip
from benchmarks.reproduce.figures import Row
from sfumato.baskets.grouped import cheapest_groups, diverse_groups
from sfumato.baskets.orders.gray import frequency_ranks, gray_order
from sfumato.baskets.orders.order import Gray, GrayTSP, Order, Windowed
from sfumato.baskets.orders.windowed import windowed_sum
from sfumato.baskets.rings.diverse_ring import diverse_ring
from sfumato.baskets.voting import vote_edges
from sfumato.data.baskets import Baskets
from sfumato.ground.randomness import Randomness

__all__ = [
    "CAHD", "FLOW", "GROUPED", "NR", "NR_GROUPS", "NR_NARROW", "NR_TSP", "PRINTED", "PRINTED_GRAY", "by_k", "by_l",
    "of_flow",
]  # fmt: skip

NR, NR_TSP, NR_NARROW = "NR, ours", "NR, ours, on Gray-TSP", "NR, ours, l in a row"
NR_GROUPS = "the same ring in groups"
GROUPED = "groups, ours"
PRINTED, PRINTED_GRAY, CAHD, FLOW = "NR as printed", "NR as printed, on Gray", "CAHD", "cheapest graph"


def by_k(name: str, scale: Scale) -> list[Row]:
    """Rings of k on every order, the windowed one of the last seed cut into groups too; and the cheapest groups."""
    baskets, rows = set_of(name), []
    for order in (GRAY, TSP, WINDOWED):
        for k in scale.ks:
            found = []
            for seed in range(scale.seeds):
                laid = order_of(name, order, k, seed)
                ring = of_ring(baskets, laid, k, seed)
                found.append((error_of(baskets, ring), *query_error(name, baskets, ring.shown, scale.queries, seed)))
            error, first, second = np.mean(found, axis=0).tolist()
            n, paid = len(baskets), windowed_sum(baskets, laid, k)
            rows.append({"data": name, "order": order, "k": k, "err": error, "type I": first, "type II": second,
                         "paid": paid / (n * (k - 1)), "step": windowed_sum(baskets, laid, 2) / n})  # fmt: skip
            if order == WINDOWED and name != STAR:
                ruled = [rule_error(name, baskets, order_of(name, order, k, seed), k, scale.queries, seed)
                         for seed in range(scale.seeds)]  # fmt: skip
                rows[-1] |= dict(zip(("rule type I", "rule type II"), np.mean(ruled, axis=0).tolist(), strict=True))
                last = scale.seeds - 1
                cut = np.array([
                    (error_of(baskets, each), *query_error(name, baskets, each.shown, scale.queries, last))
                    for each in cuts(baskets, laid, k)
                ])  # fmt: skip
                rows[-1] |= dict(zip(("last", "last type I", "last type II"), found[-1], strict=True))
                rows[-1] |= dict(zip(("cut", "cut type I", "cut type II"), cut.mean(axis=0).tolist(), strict=True))
                rows[-1] |= dict(zip(("best", "best type I", "best type II"), cut.min(axis=0).tolist(), strict=True))
    return rows + [_grouped(name, k, scale) for k in scale.ks]


def _grouped(name: str, k: int, scale: Scale) -> Row:
    """The cheapest groups of k or more in a row on the windowed order."""
    baskets, found = set_of(name), []
    for seed in range(scale.seeds):
        made = of_groups(baskets, cheapest_groups(baskets, order_of(name, WINDOWED, k, seed), k))
        found.append((error_of(baskets, made), *query_error(name, baskets, made.shown, scale.queries, seed)))
    error, first, second = np.mean(found, axis=0).tolist()
    return {"data": name, "order": GROUPED, "k": k, "err": error, "type I": first, "type II": second}


def by_l(name: str, which: str, scale: Scale) -> list[Row]:
    """Every method for l labels, all with the same labels."""
    baskets, rows = set_of(name), []
    n = len(baskets)
    for size in scale.ls:

        def order(named: str, seed: int, size: int = size) -> NDArray[np.int64]:
            return order_of(name, named, size, seed)

        def own(seed: int) -> NDArray[np.int64]:
            return labels(which, n, seed)

        methods: dict[str, Callable[[int], Published | None]] = {
            NR: lambda seed, z=size: nonreciprocal(baskets, own(seed), order(WINDOWED, seed), z, seed),
            NR_NARROW: lambda seed, z=size: nonreciprocal(baskets, own(seed), order(WINDOWED, seed), z, seed, window=z),
            NR_TSP: lambda seed, z=size: nonreciprocal(baskets, own(seed), order(TSP, seed), z, seed),
            CAHD: lambda seed, z=size: cahd(baskets, own(seed), z),
            GROUPED: lambda seed, z=size: of_groups(
                baskets, diverse_groups(baskets, own(seed), order(WINDOWED, seed), z)
            ),
        }
        if size in scale.printed_ls:
            methods[PRINTED] = lambda seed, z=size: printed(baskets, own(seed), order(TSP, seed), z, seed)
            methods[PRINTED_GRAY] = lambda seed, z=size: printed(baskets, own(seed), order(GRAY, seed), z, seed)
        for method, make in methods.items():
            found, told, groups = [], [], []
            for seed in range(scale.seeds):
                one = make(seed)
                if one is None:
                    continue
                found.append((error_of(baskets, one), *query_error(name, baskets, one.shown, scale.queries, seed)))
                told.append((one.repeats, one.window, one.dead_ends))
                if method == NR and one.order is not None and seed == 0:
                    groups = [error_of(baskets, each) for each in cuts(baskets, one.order, size)]
            said = {"data": name, "labels": which, "l": size}
            failed = scale.seeds - len(found)
            if found:
                error, first, second = np.mean(found, axis=0).tolist()
                repeats, window, dead_ends = np.mean(told, axis=0).tolist()
                rows.append({**said, "method": method, "err": error, "type I": first, "type II": second,
                             "repeats": repeats, "window": window, "dead_ends": dead_ends,
                             "failed": failed})  # fmt: skip
            if groups:
                rows[-1]["first"] = found[0][0]  # of the same ring as the groups
                rows.append({**said, "method": NR_GROUPS, "err": float(np.mean(groups)), "best_cut": min(groups)})
    return rows


def of_flow(name: str, which: str, scale: Scale) -> list[Row]:
    """A sample small enough for the cheapest graph, with l original labels or none: how far others are from it."""
    baskets, rows = sample(name, scale.few), []
    n = len(baskets)
    for k in scale.few_ls:
        errors: dict[str, list[float]] = {FLOW: [], WINDOWED: [], TSP: [], GRAY: []}
        for seed in range(scale.seeds):
            random = Randomness(f"order {seed}")
            laid: dict[str, Order] = {WINDOWED: Windowed(), TSP: GrayTSP(), GRAY: Gray()}
            for order, by in laid.items():
                errors[order].append(error_of(baskets, of_ring(baskets, by.order(baskets, k, random), k, seed)))
            errors[FLOW].append(error_of(baskets, _graph(baskets, None, Windowed().order(baskets, k, random), k, seed)))
        rows += [{"sample": name, "few": n, "k": k, "order": order, "err": float(np.mean(each))}
                 for order, each in errors.items()]  # fmt: skip
    for l in scale.few_ls:  # noqa: E741
        found: dict[str, list[float]] = {}
        for seed in range(scale.seeds):
            own, random = labels(which, n, seed), Randomness(f"order {seed}")
            near = Windowed().order(baskets, l, random)
            tsp = GrayTSP().order(baskets, l, random)
            graph = _graph(baskets, own, near, l, seed)
            walk = printed(baskets, own, tsp, l, seed)
            made = {FLOW: graph, PRINTED: walk, CAHD: cahd(baskets, own, l),
                    NR: nonreciprocal(baskets, own, near, l, seed)}  # fmt: skip
            for method, one in made.items():
                if one is not None:
                    found.setdefault(method, []).append(error_of(baskets, one))
        rows += [{"sample": name, "labels": which, "few": n, "l": l, "method": method, "err": float(np.mean(errors)),
                  "runs": len(errors)} for method, errors in found.items()]  # fmt: skip
    return rows


def _graph(
    baskets: Baskets, own: NDArray[np.int64] | None, laid: NDArray[np.int64], l: int, seed: int  # noqa: E741
) -> Published:  # fmt: skip
    """The cheapest graph on arcs to neighbours in two orders, with those of a ring that makes sure there is one."""
    ring = laid if own is None else diverse_ring(own, laid, l).order
    gray = gray_order(baskets, frequency_ranks(baskets))
    width = MAX_ARCS // (5 * len(baskets))
    arcs = np.concatenate([neighbour_arcs(laid, None, width, ring=ring, l=l), neighbour_arcs(gray, None, width)])
    graph = cheapest_graph(baskets, own, l, np.unique(arcs, axis=0))
    edges = edges_of(split(graph, Randomness(f"split {seed}")))
    return Published(vote_edges(baskets, edges, TIES), edges)
