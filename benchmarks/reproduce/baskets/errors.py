"""Figures 3.6 and 3.7: bits turned round and errors of counts, on chess and on pumsb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.reproduce.baskets.claims import below, pairs
from benchmarks.reproduce.baskets.rows import (
    CAHD,
    FLOW,
    GROUPED,
    NR,
    NR_GROUPS,
    NR_NARROW,
    NR_TSP,
    PRINTED,
    PRINTED_GRAY,
    by_k,
    by_l,
    of_flow,
)  # fmt: skip
from benchmarks.reproduce.baskets.settings import (
    CHESS,
    GRAY,
    INDUSTRIES,
    OCCUPATIONS,
    PUMSB,
    STAR,
    TSP,
    WINDOWED,
    Scale,
    n_records,
    sizes_of_queries,
)  # fmt: skip
from benchmarks.reproduce.distribution.results import Figure, Panel, line, mean_of, steps
from benchmarks.reproduce.figures import Claim, Row

__all__ = ["figure_36", "figure_37"]

_TYPES = ("type I", "type II")


def figure_36(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Chess."""
    return _figure(36, CHESS, (CHESS,), scale, rows)


def figure_37(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Pumsb: its first 4,334 records, and at full size the derived set too."""
    return _figure(37, PUMSB, (PUMSB, STAR) if scale.star else (PUMSB,), scale, rows)


def _figure(number: int, name: str, names: Sequence[str], scale: Scale, rows: list[Row] | None) -> Figure:
    if rows is None:
        sizes = {each: _starred(scale) if each == STAR else scale for each in names}
        rows = [row for each in names for row in by_k(each, sizes[each])]
        rows += [row for each in names for which in sizes[each].labels for row in by_l(each, which, sizes[each])]
        rows += of_flow(name, OCCUPATIONS, scale)
    having, lacking = sizes_of_queries(name)
    sets = " and ".join(f"{each} ({n_records(each):,} records)" for each in names)
    return Figure(
        number=number, title=f"errors on {name} (Figure 3.{number % 10})",
        setting=f"{sets}; the error rate is expected over the draw; {scale.queries} random queries of {having} items "
        f"that are there (type I) and of {lacking} that are missing (type II), of items that occur; means over "
        f"{scale.seeds} seeds",
        rows=rows, panels=_panels(name),
        claims=[claim for each in names for claim in _of_k(rows, each) + _of_l(rows, each)] + _flow(rows, name),
    )  # fmt: skip


def _starred(scale: Scale) -> Scale:
    """Less of it for the set that has most records."""
    return replace(scale, seeds=3, ks=(2, 5, 10, 20), ls=(2, 4, 6, 10), printed_ls=(2, 4), labels=(OCCUPATIONS,))


def _panels(name: str) -> list[Panel]:
    orders = {order: {"data": name, "order": order} for order in (GRAY, TSP, WINDOWED, GROUPED)}
    methods = {
        method: {"data": name, "labels": OCCUPATIONS, "method": method} for method in (CAHD, PRINTED, NR, GROUPED)
    }
    return [
        Panel(title="error rate", x="k", lines=orders),
        Panel(title="error rate", x="l", lines=methods),
        *(Panel(title=f"query error, {kind}", x="k", y=kind, lines=orders) for kind in _TYPES),
        *(Panel(title=f"query error, {kind}", x="l", y=kind, lines=methods) for kind in _TYPES),
        Panel(title="type I, ties by frequency", x="k", y="rule type I", lines={WINDOWED: orders[WINDOWED]}),
        Panel(title="records with a label twice", x="l", y="repeats", lines={
            f"{method}, {which}": {"data": name, "labels": which, "method": method}
            for method, which in ((PRINTED, OCCUPATIONS), (PRINTED, INDUSTRIES), (NR, OCCUPATIONS))}),
    ]  # fmt: skip


def _of_k(rows: Sequence[Row], name: str) -> list[Claim]:
    def of(order: str, y: str = "err") -> dict[Any, float]:
        return line(rows, "k", y, data=name, order=order)

    claims = [
        below(f"{name}: the Gray-TSP order turns fewer bits round than the Gray order, at every k", of(TSP), of(GRAY)),
        *(below(f"{name}: the Gray-TSP order has the lower query error, {kind}, at every k", of(TSP, kind),
                of(GRAY, kind)) for kind in _TYPES),
        below(f"{name}: the windowed order turns fewer bits round than Gray-TSP, at every k", of(WINDOWED), of(TSP),
              ours=True),
        *(below(f"{name}: the windowed order has the lower query error, {kind}, at every k", of(WINDOWED, kind),
                of(TSP, kind), ours=True) for kind in _TYPES),
        below(f"{name}: groups of k or more, cut where the least is lost, turn fewer bits round than a ring on the "
              "same order, at every k", of(GROUPED), of(WINDOWED), ours=True),
        *(below(f"{name}: a ring has the lower query error, {kind}, at every k", of(WINDOWED, kind),
                of(GROUPED, kind), ours=True) for kind in _TYPES),
    ]  # fmt: skip
    return claims + ([] if name == STAR else _of_groups(rows, name))


def _of_groups(rows: Sequence[Row], name: str) -> list[Claim]:
    """The ring of the last seed beside groups of k in a row on it."""

    def of(y: str) -> dict[Any, float]:
        return line(rows, "k", y, data=name, order=WINDOWED)

    ring, cut, best = of("last"), of("cut"), of("best")
    return [
        Claim(
            paper=f"{name}: part of the advantage is gained thanks to nonreciprocal recoding: on the same order, a "
            "ring of k turns fewer bits round than groups of k in a row",
            holds=all(ring[k] < best[k] for k in ring),
            seen=f"a ring {steps(ring)}; groups, the mean over where the first begins {steps(cut)}, and the best of "
            f"them {steps(best)}",
            why="every published record of a ring is that of a group of k in a row; over all ways to cut the ring into "
            "such groups each is met as often, so that a ring loses the mean of what they lose, and never less than "
            "the best",
        ),
        *(below(f"{name}: counts from a ring are nearer than those from groups of k in a row on it, {kind}, on average "
                "over where the first begins, at every k", of(f"last {kind}"), of(f"cut {kind}"), ours=True)
          for kind in _TYPES),
        *(below(f"{name}: counts are nearer if ties of votes are settled by a coin, and not by how frequent the item "
                f"is, {kind}, at every even k", _even(of(kind)), _even(of(f"rule {kind}")), ours=True)
          for kind in _TYPES),
    ]  # fmt: skip


def _even(values: Mapping[Any, float]) -> dict[Any, float]:
    return {k: value for k, value in values.items() if k % 2 == 0}


def _of_l(rows: Sequence[Row], name: str) -> list[Claim]:
    claims = []
    for which in sorted({row["labels"] for row in rows if row.get("data") == name and "labels" in row}, reverse=True):

        def of(method: str, y: str = "err", which: str = which) -> dict[Any, float]:
            return line(rows, "l", y, data=name, labels=which, method=method)

        said = f"{name}, {which}"
        wide = {x: error for x, error in of(NR).items() if of(NR, "window")[x] == 2 * x - 1}
        claims += [
            below(f"{said}: NR turns fewer bits round than CAHD, at every l (the walk as printed)", of(PRINTED),
                  of(CAHD), why="CAHD takes the most alike of 3l records, the walk the next that fit; the thesis does "
                  "not say how many its CAHD looked at"),
            *(below(f"{said}: NR has the lower query error, {kind}, at every l (the walk as printed)",
                    of(PRINTED, kind), of(CAHD, kind)) for kind in _TYPES),
            below(f"{said}: part of the advantage is gained thanks to Gray-TSP: the walk turns fewer bits round on it "
                  "than on Gray", of(PRINTED), of(PRINTED_GRAY)),
            below(f"{said}: a sound ring turns fewer bits round than CAHD, at every l", of(NR), of(CAHD), ours=True),
            *(below(f"{said}: a sound ring has the lower query error, {kind}, at every l", of(NR, kind),
                    of(CAHD, kind), ours=True) for kind in _TYPES),
            below(f"{said}: groups along the windowed order turn fewer bits round than CAHD, at every l", of(GROUPED),
                  of(CAHD), ours=True),
            below(f"{said}: they turn fewer round than a sound ring, at every l", of(GROUPED), of(NR), ours=True),
            *(below(f"{said}: a sound ring has the lower query error than groups, {kind}, at every l", of(NR, kind),
                    of(GROUPED, kind), ours=True) for kind in _TYPES),
            below(f"{said}: soundness costs nothing: a sound ring turns fewer bits round than the printed walk, at "
                  "every l", of(NR), of(PRINTED), ours=True),
            below(f"{said}: the same with both on the Gray-TSP order", of(NR_TSP), of(PRINTED), ours=True,
                  why="that 2l - 1 labels in a row differ costs more, the closer the most frequent label is to one "
                  "record in 2l - 1"),
            below(f"{said}: l labels in a row that differ cost less than 2l - 1, where these are possible",
                  of(NR_NARROW), wide, ours=True),
            _diverse(rows, said, name, which),
        ]  # fmt: skip
        groups, best = of(NR_GROUPS), of(NR_GROUPS, "best_cut")
        first = line([row for row in rows if "first" in row], "l", "first", data=name, labels=which, method=NR)
        claims.append(Claim(
            paper=f"{said}: part of the advantage is gained thanks to nonreciprocal recoding: a sound ring turns fewer "
            "bits round than the same ring cut into groups of l", holds=all(first[x] < best[x] for x in first),
            seen=f"the ring {steps(first)}; groups, the mean {steps(groups)}, the best {steps(best)}",
            why="as for k; the labels in a group of l in a row differ too",
        ))  # fmt: skip
    return claims


def _diverse(rows: Sequence[Row], said: str, name: str, which: str) -> Claim:
    """Erratum C8: whether the candidates of records carry different published labels."""
    repeats = line(rows, "l", "repeats", data=name, labels=which, method=PRINTED)
    ours = line(rows, "l", "repeats", data=name, labels=which, method=NR)
    failed = line(rows, "l", "failed", data=name, labels=which, method=PRINTED)
    return Claim(
        paper=f"{said}: each record's matches carry different sensitive labels (the walk as printed)",
        holds=max(repeats.values()) == 0,
        seen=f"a label twice, in the mean over the draws, for {steps(repeats, '.1%')} of the records at l = "
        f"{', '.join(map(str, sorted(repeats)))}; with a sound ring for {max(ours.values()):.0%}; "
        f"{sum(failed.values()):.0f} runs came to a dead end four times",
        why="it compares the labels of the records that slots are named after, and they are published with those of "
        "their owners; at l = 2 the two come to the same",
    )


def _flow(rows: Sequence[Row], name: str) -> list[Claim]:
    def of(method: str) -> dict[Any, float]:
        return line(rows, "l", sample=name, method=method)

    def k_of(order: str) -> Mapping[Any, float]:
        return line(rows, "k", sample=name, order=order)

    n = next(row["few"] for row in rows if row.get("sample") == name)
    cost = mean_of(of(NR)) / mean_of(of(FLOW))
    ring = mean_of(k_of(WINDOWED)) / mean_of(k_of(FLOW))
    return [
        Claim(
            paper=f"{name}, {n} records: a sound ring is within a tenth of the cheapest graph for l (not sound)",
            holds=cost < 1.1, seen=f"{pairs(of(NR), of(FLOW))}: {cost - 1:.0%} more", ours=True,
            why="of the cheapest graph each record has the neighbours that suit it; on a ring all share theirs",
        ),
        Claim(
            paper=f"{name}, {n} records: a ring is within a tenth of the cheapest graph for k (as sound)",
            holds=ring < 1.1, seen=f"{pairs(k_of(WINDOWED), k_of(FLOW))}: {ring - 1:.0%} more", ours=True,
            why="as for l",
        ),
    ]  # fmt: skip
