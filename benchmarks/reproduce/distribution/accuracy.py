"""Figures 5 and 6: errors by the range of the query, and what fake values do to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import sfumato as sf
from benchmarks.reproduce.distribution.releases import QI_SA, SA_ONLY, error_rows
from benchmarks.reproduce.distribution.results import Figure, Panel, line, mean_of, steps, tolerances
from benchmarks.reproduce.distribution.settings import (
    CORRELATED,
    INDEPENDENT,
    MAIN,
    REAL,
    Scale,
    correlated,
    independent,
    queries,
    real,
    without,
)
from benchmarks.reproduce.figures import Claim, Row
from benchmarks.reproduce.tods.results import rises

__all__ = ["figure_5", "figure_6"]

_CROWDED = "ages of 20 people or more"
_INTEGERS = "every whole number"
_ROUGH = "a target in sixteenths"
_FEWER = "a quarter of the people"
_FLAT = 1.25


def _fakes(rows: Sequence[Row], **where: Any) -> dict[float, float]:
    """The error averaged over all ranges, by the share of fakes allowed."""
    shares = dict.fromkeys(row["fakes"] for row in rows if all(row.get(k) == v for k, v in where.items()))
    return {share: mean_of(line(rows, "span", fakes=share, **where)) for share in shares}


def _rough(table: sf.Table, total: int) -> sf.Target:
    """The distribution of a table in whole numbers that sum to `total`, by the largest remainders."""
    counts = table.frame["loss"].value_counts().sort("loss")
    ideal = counts["count"].to_numpy() * (total / len(table))
    weights = np.floor(ideal).astype(np.int64)
    weights[np.argsort(weights - ideal, kind="stable")[: total - int(weights.sum())]] += 1
    return sf.Target.histogram({loss: int(w) for loss, w in zip(counts["loss"], weights, strict=True) if w})


def figure_5(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """SA-only and QI-SA by range, and QI-SA with fakes; the target is the whole table's own distribution."""
    if rows is None:
        rows = []
        for data, table in ((REAL, real()), (INDEPENDENT, independent(scale.n)), (CORRELATED, correlated(scale.n))):
            asked = queries(table, scale.ranges, scale.queries)
            rows += error_rows([table], asked, sf.TargetDistribution("table"), data=data)
            for within in (*scale.withins, *(scale.loose if data == REAL else ())):
                for share in (0, *scale.fakes):
                    method = sf.TargetDistribution("table", split=True, group_size=1, within=within, fakes=share)
                    rows += error_rows([table], asked, method, data=data)
        fewer = independent(scale.n // 4)
        for share in (0, *scale.fakes):
            method = sf.TargetDistribution("table", split=True, group_size=1, within=MAIN, fakes=share)
            rows += error_rows([fewer], queries(fewer, scale.ranges, scale.queries), method, data=INDEPENDENT,
                               check=_FEWER)  # fmt: skip
        asked = queries(real(), scale.ranges, scale.queries)
        inner = queries(real(), scale.ranges, scale.queries, least=20)
        for within in (*scale.withins, *scale.loose):
            method = sf.TargetDistribution("table", split=True, group_size=1, within=within)
            rows += error_rows([real()], inner, method, data=REAL,
                               check=_CROWDED)  # fmt: skip
            for share in (0, *scale.fakes):
                method = sf.TargetDistribution(
                    "table", split=True, group_size=1, within=within, fakes=share, domain="integers"
                )
                rows += error_rows([real()], asked, method, data=REAL, check=_INTEGERS)
        for share in (0, *scale.fakes):
            method = sf.TargetDistribution(_rough(real(), 16), split=True, group_size=1, fakes=share,
                                           domain=sorted(set(real().frame["loss"])))  # fmt: skip
            rows += error_rows([real()], asked, method, data=REAL, check=_ROUGH)
    claims = [*_by_range(scale, rows), *_with_fakes(scale, rows)]
    panels = []
    for data in (REAL, INDEPENDENT, CORRELATED):
        base = {"data": data, "check": None}
        exact = {**base, "method": QI_SA, "within": 0, "fakes": 0}
        split = {**base, "method": QI_SA, "within": MAIN}
        panels += [
            Panel(title=f"error, {data}", x="span", lines={
                SA_ONLY: {**base, "method": SA_ONLY}, QI_SA: {**split, "fakes": 0}, f"{QI_SA}, as printed": exact}),
            Panel(title=f"error of {QI_SA}, {data}", x="span", lines={
                QI_SA if share == 0 else f"+{share:.0%}": {**split, "fakes": share} for share in (0, *scale.fakes)}),
        ]  # fmt: skip
    return Figure(
        number=5, title="SA-only and QI-SA by range, and with fakes",
        setting=f"the target is the distribution in the whole table; 1,427 people of Adult, 89 losses, and {scale.n:,} "
        f"synthetic ones; {scale.queries} queries for each range; drawn within {MAIN:g}",
        rows=rows, panels=panels, claims=claims,
    )  # fmt: skip


def _by_range(scale: Scale, rows: Sequence[Row]) -> list[Claim]:
    claims, widest, narrowest = [], max(scale.ranges), min(scale.ranges)
    whole = {data: line(rows, "span", data=data, method=SA_ONLY) for data in (REAL, INDEPENDENT, CORRELATED)}

    def split(data: str, within: float, check: str | None = None) -> dict[int, float]:
        return line(rows, "span", data=data, method=QI_SA, within=within, fakes=0, check=check)

    def flat(data: str, check: str | None = None) -> tuple[bool, str]:
        def so(within: float) -> tuple[bool, str]:
            seen = split(data, within, check)
            return max(seen.values()) < _FLAT * min(seen.values()), steps(seen)

        return tolerances(scale.withins, so)

    for data, values in whole.items():
        claims.append(Claim(paper=f"the error of SA-only falls with the range ({data})",
                            holds=rises(values, falls=True), seen=steps(values)))  # fmt: skip
        holds, seen = flat(data)
        claims.append(Claim(
            paper=f"the error of QI-SA changes little with the range (at most {_FLAT:g} times the smallest; {data})",
            holds=holds, seen=seen,
            why="narrow ranges often lie among the old, of whom there are few of each age, and small groups are shown "
            "more widely; of everybody else it is true (next lines)"))  # fmt: skip
    holds, seen = flat(REAL, _CROWDED)
    claims.append(Claim(paper="the same of queries in which every age has 20 people or more (Adult)", holds=holds,
                        seen=seen, ours=True))  # fmt: skip

    def ahead(data: str, span: int, *, of_split: bool) -> tuple[bool, str]:
        def so(within: float) -> tuple[bool, str]:
            one, other = whole[data][span], split(data, within)[span]
            return (other < one) if of_split else (one < other), f"{one:.3g} and {other:.3g}"

        return tolerances(scale.withins, so)

    for data in (REAL, INDEPENDENT):
        holds, seen = ahead(data, widest, of_split=False)
        claims.append(Claim(paper=f"in wide ranges SA-only is ahead of QI-SA ({data}, range {widest})", holds=holds,
                            seen=seen, why="a loose tolerance leaves nearly every value as it is"))  # fmt: skip
    claims.append(Claim(paper=f"in narrow ranges SA-only is inaccurate (above 0.5; {REAL}, range {narrowest})",
                        holds=whole[REAL][narrowest] > 0.5, seen=f"{whole[REAL][narrowest]:.3g}"))  # fmt: skip
    holds, seen = ahead(INDEPENDENT, narrowest, of_split=True)
    claims.append(Claim(paper=f"in narrow ranges QI-SA is ahead of SA-only ({INDEPENDENT}, range {narrowest})",
                        holds=holds, seen=seen))  # fmt: skip
    everywhere = tolerances(scale.withins, lambda within: (
        all(whole[CORRELATED][span] < error for span, error in split(CORRELATED, within).items()),
        f"{steps(split(CORRELATED, within))}"))  # fmt: skip
    claims.append(Claim(paper="with correlation SA-only is ahead of QI-SA at every range", holds=everywhere[0],
                        seen=f"SA-only {steps(whole[CORRELATED])}; QI-SA {everywhere[1]}"))  # fmt: skip
    missed = sum(row["missed"] for row in rows)
    claims.append(Claim(paper="every true average lies within its bounds", holds=missed == 0,
                        seen=f"{missed} of {len(rows) * scale.queries:,} do not", ours=True))  # fmt: skip
    return claims


def _with_fakes(scale: Scale, rows: Sequence[Row]) -> list[Claim]:
    most, few = max(scale.fakes), [share for share in scale.fakes if share <= 0.05]

    def helps(data: str, check: str | None = None, withins: Sequence[float] = scale.withins) -> tuple[bool, str]:
        def so(within: float) -> tuple[bool, str]:
            seen = _fakes(rows, data=data, method=QI_SA, within=within, check=check)
            return min(seen[share] for share in few) < seen[0], steps(seen)

        return tolerances(withins, so)

    def hurts(data: str, check: str | None = None, withins: Sequence[float] = scale.withins) -> tuple[bool, str]:
        def so(within: float) -> tuple[bool, str]:
            seen = _fakes(rows, data=data, method=QI_SA, within=within, check=check)
            return seen[most] > min(seen[share] for share in scale.fakes), steps(seen)

        return tolerances(withins, so)

    def sinks(data: str) -> tuple[bool, str]:
        def so(within: float) -> tuple[bool, str]:
            seen = _fakes(rows, data=data, method=QI_SA, within=within, check=None)
            return rises(seen, falls=True), steps(seen)

        return tolerances(scale.withins, so)

    def widths(data: str) -> str:
        wide = line(rows, "within", "range", data=data, method=QI_SA, fakes=0, check=None, span=min(scale.ranges))
        shares = [wide[within] / wide[0] for within in scale.withins if within]
        return f"{min(shares):.0%} to {max(shares):.0%}"

    wide = line(rows, "fakes", data=REAL, method=QI_SA, within=scale.loose[-1], check=None, span=max(scale.ranges))
    seen = _fakes(rows, data=REAL, check=_ROUGH)
    rough = seen[most] > min(seen.values()), steps(seen)
    seen = _fakes(rows, data=INDEPENDENT, check=_FEWER)
    small = seen[most] == min(seen.values()), steps(seen)
    shares = ", ".join(f"{share:.0%}" for share in (0, *scale.fakes))
    told = f"errors over all ranges with {shares} fakes: "
    found = [
        (f"a few fakes (up to 5%) help ({REAL})", helps(REAL), False, ""),
        (f"{most:.0%} of fakes are worse than fewer ({REAL})", hurts(REAL), False,
         f"there is more to gain: without fakes a subdomain is on average {widths(REAL)} of the domain wide, against "
         f"{widths(INDEPENDENT)} in the uncorrelated set, and {widths(CORRELATED)} in the correlated one, where fakes "
         f"keep helping in the paper too. Where subdomains are narrow it turns round (next lines)"),
        (f"the same with looser tolerances ({REAL})", hurts(REAL, None, scale.loose), True,
         f"at the range of {max(scale.ranges)} it turns round within {scale.loose[-1]:g}: {steps(wide)}"),
        (f"the same with {_INTEGERS} as the domain ({REAL})",
         hurts(REAL, _INTEGERS, (*scale.withins, *scale.loose)), True, "subdomains are wide"),
        (f"the same with {_ROUGH}, as printed ({REAL})", rough, True, "subdomains are wide"),
        (f"a few fakes help ({INDEPENDENT})", helps(INDEPENDENT), False,
         "the looser the tolerance, the less is left to gain"),
        (f"{most:.0%} of fakes are worse than fewer ({INDEPENDENT})", hurts(INDEPENDENT), False, ""),
        (f"with {_FEWER} subdomains are wider, and {most:.0%} of fakes are best ({INDEPENDENT}, within {MAIN:g})",
         small, True, ""),
        (f"more fakes keep reducing the error ({CORRELATED})", sinks(CORRELATED), False, ""),
    ]  # fmt: skip
    claims = [Claim(paper=paper, holds=holds, seen=told + seen, why=why, ours=ours)
              for paper, (holds, seen), ours, why in found]  # fmt: skip
    root = [
        row["at_root"] for row in rows if row["within"] == 0 and row["method"] == QI_SA and row.get("check") is None
    ]
    claims.append(Claim(paper="as printed, QI-SA shows nearly every value as the whole domain, with fakes or without",
                        holds=min(root) > 0.95, seen=f"{min(root):.2%} of values or more", ours=True))  # fmt: skip
    return claims


def _after_removal(scale: Scale, rows: Sequence[Row], data: str) -> list[Claim]:
    most, few = max(scale.fakes), [share for share in scale.fakes if share <= 0.05]
    by = {within: _fakes(rows, data=data, within=within) for within in scale.fine}
    taken = {row["within"]: row["added"] for row in rows if row["data"] == data and row["fakes"] == most}
    helps = tolerances(scale.fine, lambda w: (min(by[w][share] for share in few) < by[w][0], steps(by[w])))
    hurts = tolerances(scale.fine, lambda w: (
        by[w][most] > min(by[w].values()), f"{steps(by[w])}; {taken[w]:.1%} are taken"))  # fmt: skip
    back, told = by[0.0], "errors over all ranges by fakes: "
    return [
        Claim(paper=f"a few fakes help ({data})", holds=helps[0], seen=told + helps[1],
              why="a tenth taken at random leaves the distribution nearly as it was: there is little to mend"),
        Claim(paper=f"{most:.0%} of fakes are worse than fewer ({data})", holds=hurts[0], seen=told + hurts[1],
              why="the ninth that is missing is put back, and nothing is widened any more"),
        Claim(paper=f"as printed, fewer fakes than the ninth that is missing help little or not at all, and {most:.0%} "
              f"bring back the original ({data})",
              holds=all(back[f] > 0.95 * back[0] for f in scale.fakes if f <= 0.1) and back[most] < 0.6 * back[0],
              seen=told + steps(back), ours=True),
    ]  # fmt: skip


def figure_6(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """SA-only with fakes, when a tenth of the rows are gone and the target is the distribution before."""
    if rows is None:
        rows = []
        for data, table in ((REAL, real()), (INDEPENDENT, independent(scale.n))):
            counts = table.frame["loss"].value_counts()
            target = sf.Target.histogram(dict(counts.iter_rows()))
            left = without(table, 0.1)
            asked = queries(left, scale.ranges, scale.queries)
            for within in scale.fine:
                for share in (0, *scale.fakes):
                    method = sf.TargetDistribution(target, within=within, fakes=share,
                                                   domain=sorted(counts["loss"].to_list()))  # fmt: skip
                    rows += error_rows([left], asked, method, data=data)
    first = min(within for within in scale.fine if within)
    claims = [claim for data in (REAL, INDEPENDENT) for claim in _after_removal(scale, rows, data)]
    panels = [
        Panel(title=f"error of {SA_ONLY}, {data}", x="span", lines={
            SA_ONLY if share == 0 else f"+{share:.0%}": {"data": data, "within": first, "fakes": share}
            for share in (0, *scale.fakes)} | {f"{SA_ONLY}, as printed": {"data": data, "within": 0, "fakes": 0}})
        for data in (REAL, INDEPENDENT)]  # fmt: skip
    return Figure(
        number=6, title="SA-only with fakes, a tenth of the rows removed",
        setting=f"the target is the distribution before; 1,284 people of Adult and {round(0.9 * scale.n):,} synthetic "
        f"ones; drawn within {first:g}",
        rows=rows, panels=panels, claims=claims,
    )  # fmt: skip
