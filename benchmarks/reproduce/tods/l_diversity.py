"""Figures 25 to 31: the loss and the time of l-diversity, by l, N, d and correlation, and under other metrics."""

from __future__ import annotations

import functools

import sfumato as sf
from benchmarks.reproduce.tods.results import (
    Claim,
    Figure,
    Panel,
    Row,
    below,
    ends,
    extremes,
    lines,
    ratios,
    rises,
)
from benchmarks.reproduce.tods.scoring import LINES, row_of
from benchmarks.reproduce.tods.settings import BETAS, Scale, correlated, made_up, people, with_columns

__all__ = ["figure_25", "figure_26", "figure_27", "figure_28", "figure_29", "figure_30", "figure_31"]

SYNTHETIC_L = 6
_FEW_SPLITS = "Mondrian may only cut where both sides stay diverse; a cut elsewhere in another column saved it here"
_TIMES = (
    "both take milliseconds; Mondrian stops as soon as no cut is allowed, so that it is fastest where it does worst"
)


@functools.cache
def _by_l(scale: Scale) -> tuple[Row, ...]:
    source = people(scale.n)
    return tuple(row_of(source, name, method, sf.LDiversity(l), l=l) for l in scale.ls  # noqa: E741
                 for name, method in LINES.items())  # fmt: skip


@functools.cache
def _by_n(scale: Scale) -> tuple[Row, ...]:
    sources = [*map(people, scale.sizes), *map(made_up, scale.made_up)]
    return tuple(row_of(source, name, method, sf.LDiversity(scale.l)) for source in sources
                 for name, method in LINES.items())  # fmt: skip


def figure_25(scale: Scale) -> Figure:
    """By l."""
    rows = list(_by_l(scale))
    lost, took = lines(rows, "l", "gcp"), lines(rows, "l", "seconds")
    best, second = below(lost, "Hilb", ["iDist", "Mondrian"]), ratios(lost, "iDist", "Hilb")
    margin = ratios(lost, "Mondrian", "Hilb")
    quick, behind = ratios(took, "Hilb", "Mondrian"), ratios(took, "iDist", "Hilb")
    ours = below(lost, "Ordered", ["Hilb", "iDist", "Mondrian"])
    claims = [
        Claim(paper="Hilb loses least at every l", holds=best[0], seen=best[1]),
        Claim(paper="iDist follows closely", holds=all(r < 1.25 for r in second.values()),
              seen=f"iDist/Hilb {extremes(second)}"),
        Claim(paper="the margin over Mondrian is wide", holds=all(r > 1.5 for r in margin.values()),
              seen=f"Mondrian/Hilb: {ends(margin)}, largest {max(margin.values()):.3g}",
              why="at l = 2 nearly every median cut leaves both sides diverse"),
        Claim(paper="Hilb takes about as long as Mondrian", holds=all(0.5 < r < 2 for r in quick.values()),
              seen=f"Hilb/Mondrian, seconds: {extremes(quick)}", why=_TIMES),
        Claim(paper="iDist is slower than Hilb", holds=all(r > 1 for r in behind.values()),
              seen=f"iDist/Hilb, seconds: {extremes(behind)}"),
        Claim(paper="Ordered loses less than all others", holds=ours[0], seen=ours[1], ours=True),
    ]  # fmt: skip
    return Figure(
        number=25, title="l-diversity by l", setting=f"{scale.n:,} people of the census, 7 columns", rows=rows,
        panels=[Panel(title="loss (GCP)", x="l", y="gcp"), Panel(title="seconds", x="l", y="seconds", log=True)],
        claims=claims,
    )  # fmt: skip


def figure_26(scale: Scale) -> Figure:
    """By the number of records."""
    rows = list(_by_n(scale))
    claims, panels = [], []
    for data in dict.fromkeys(row["data"] for row in rows):
        lost, took = lines(rows, "n", "gcp", data=data), lines(rows, "n", "seconds", data=data)
        far, quick = ratios(lost, "Mondrian", "Hilb"), ratios(took, "Hilb", "Mondrian")
        falling = {name: rises(lost[name], falls=True) for name in ("Hilb", "iDist")}
        claims += [
            Claim(paper=f"the loss of Hilb and iDist falls slightly with N ({data})", holds=all(falling.values()),
                  seen=f"Hilb {ends(lost['Hilb'])}; iDist {ends(lost['iDist'])}",
                  why="a sample has its own most frequent value, and its share decides how hard l is"),
            Claim(paper=f"Hilb is far superior to Mondrian ({data})", holds=all(r > 1.5 for r in far.values()),
                  seen=f"Mondrian/Hilb: {ends(far)}"),
            Claim(paper=f"Hilb takes about as long as Mondrian ({data})",
                  holds=all(0.5 < r < 2 for r in quick.values()),
                  seen=f"Hilb/Mondrian, seconds: {extremes(quick)}", why=_TIMES),
        ]  # fmt: skip
        panels += [Panel(title=f"loss (GCP), {data}", x="n", y="gcp", where={"data": data}),
                   Panel(title=f"seconds, {data}", x="n", y="seconds", where={"data": data}, log=True)]  # fmt: skip
    return Figure(
        number=26, title="l-diversity by the number of records",
        setting=f"l = {scale.l}, 7 columns; samples of the census, and made-up people beyond",
        rows=rows, panels=panels, claims=claims,
    )  # fmt: skip


def figure_27(scale: Scale) -> Figure:
    """By the number of quasi-identifiers."""
    source = people(scale.n)
    rows = [row_of(with_columns(source, range(d)), name, method, sf.LDiversity(scale.l), d=d)
            for d in scale.ds for name, method in LINES.items()]  # fmt: skip
    lost, took = lines(rows, "d", "gcp"), lines(rows, "d", "seconds")
    few, many = min(scale.ds), max(scale.ds)
    hilb, idist = below(lost, "Hilb", ["Mondrian"]), below(lost, "iDist", ["Mondrian"])
    worse = {name: line[many] - line[few] for name, line in lost.items()}
    slower = took["Hilb"][many] / took["Hilb"][few]
    claims = [
        Claim(paper="Hilb loses less than Mondrian at every d", holds=hilb[0], seen=hilb[1]),
        Claim(paper="iDist loses less than Mondrian at every d", holds=idist[0], seen=idist[1]),
        Claim(paper="Mondrian deteriorates sharply with d", holds=worse["Mondrian"] > 2 * worse["Hilb"],
              seen=f"loss added from {few} to {many} columns: Mondrian {worse['Mondrian']:.3g}, Hilb "
              f"{worse['Hilb']:.3g}"),
        Claim(paper="time hardly depends on d", holds=slower < 2,
              seen=f"Hilb takes {slower:.2g} times as long with {many} columns as with {few}",
              why="the look-ahead compares losses in every column"),
    ]  # fmt: skip
    return Figure(
        number=27, title="l-diversity by the number of columns",
        setting=f"{scale.n:,} people of the census, l = {scale.l}, the first d columns of the paper's list", rows=rows,
        panels=[Panel(title="loss (GCP)", x="d", y="gcp"), Panel(title="seconds", x="d", y="seconds", log=True)],
        claims=claims,
    )  # fmt: skip


def figure_28(scale: Scale) -> Figure:
    """By the correlation of quasi-identifiers and sensitive value."""
    rows = [row_of(correlated(scale.synthetic, alpha), name, method, sf.LDiversity(SYNTHETIC_L), alpha=alpha)
            for alpha in scale.alphas for name, method in LINES.items()]  # fmt: skip
    lost, took = lines(rows, "alpha", "gcp"), lines(rows, "alpha", "seconds")
    none, most = min(scale.alphas), max(scale.alphas)
    apart, far = ratios(lost, "iDist", "Hilb"), ratios(lost, "Mondrian", "Hilb")
    correlation = {alpha: ratio for alpha, ratio in far.items() if alpha > none}
    quicker = {name: line[most] < line[none] for name, line in took.items()}
    claims = [
        Claim(paper="without correlation Mondrian does well: iDist is slightly worse than it",
              holds=lost["Mondrian"][none] < lost["iDist"][none],
              seen=f"at alpha 0: Mondrian {lost['Mondrian'][none]:.3g}, iDist {lost['iDist'][none]:.3g}, Hilb "
              f"{lost['Hilb'][none]:.3g}",
              why="its cuts must leave both sides diverse, which costs it even here"),
        Claim(paper="with correlation Mondrian deteriorates quickly", holds=rises(lost["Mondrian"]),
              seen=f"Mondrian {ends(lost['Mondrian'])}", why=_FEW_SPLITS),
        Claim(paper="Hilb and iDist then lose far less", holds=all(r > 1.5 for r in correlation.values()),
              seen=f"Mondrian/Hilb: {ends(far)}"),
        Claim(paper="Hilb and iDist become alike as correlation grows",
              holds=abs(apart[most] - 1) < abs(apart[none] - 1), seen=f"iDist/Hilb: {ends(apart)}"),
        Claim(paper="time falls with correlation", holds=all(quicker.values()),
              seen=", ".join(f"{name} {took[name][most] / took[name][none]:.2g}" for name in took)
              + f" times as long at {most:g} as at {none:g}",
              why="the walk makes the same number of steps whatever the correlation"),
    ]  # fmt: skip
    return Figure(
        number=28, title="l-diversity by correlation",
        setting=f"{scale.synthetic:,} synthetic records, 4 columns uniform in 0 to 9, beta = {BETAS}, "
        f"l = {SYNTHETIC_L}",
        rows=rows,
        panels=[Panel(title="loss (GCP)", x="alpha", y="gcp"),
                Panel(title="seconds", x="alpha", y="seconds", log=True)],
        claims=claims,
    )  # fmt: skip


def _metric(scale: Scale, number: int, title: str, metric: str, *, factor: float) -> Figure:
    """The runs of figures 25 and 26 under another metric; Mondrian should lose `factor` times what Hilb does."""
    rows = [*_by_l(scale), *_by_n(scale)]
    by_l = lines(list(_by_l(scale)), "l", metric)
    claims = []
    for name in ("Hilb", "iDist"):
        holds, seen = below(by_l, name, ["Mondrian"])
        claims.append(Claim(paper=f"{name} is below Mondrian at every l", holds=holds, seen=seen))
    far = ratios(by_l, "Mondrian", "Hilb")
    claims.append(
        Claim(paper=f"by a wide margin (taken as {factor:g} times)", holds=all(r > factor for r in far.values()),
              seen=f"Mondrian/Hilb: {ends(far)}", why="the margin opens with l; at small l Mondrian finds its cuts")
    )  # fmt: skip
    panels = [Panel(title=f"{title}, by l", x="l", y=metric, where={"of": "l"}, log=True)]
    for data in dict.fromkeys(row["data"] for row in _by_n(scale)):
        panels.append(Panel(title=f"{title}, {data}", x="n", y=metric, where={"of": "n", "data": data}, log=True))
        by_n = lines(list(_by_n(scale)), "n", metric, data=data)
        holds, seen = below(by_n, "Hilb", ["Mondrian"])
        claims.append(Claim(paper=f"Hilb is below Mondrian at every N ({data})", holds=holds, seen=seen))
    if metric == "volume":
        better = [l for l, r in ratios(by_l, "iDist", "Hilb").items() if r < 1]  # noqa: E741
        claims.append(
            Claim(paper="iDist is better than Hilb in some cases", holds=bool(better),
                  seen=f"at l = {', '.join(map(str, better)) or 'none'}",
                  why="axes are scaled by what mixing values loses, which serves both orders alike")
        )  # fmt: skip
    if metric == "weighted_maximum_ncp":
        real = lines(list(_by_n(scale)), "n", metric, data="census")["Hilb"]
        claims.append(Claim(paper="it first falls with N, then rises: outliers", holds=not rises(real, falls=True),
                            seen=f"Hilb {ends(real)}"))  # fmt: skip
    marked = [{**row, "of": "l" if "l" in row else "n"} for row in rows]
    return Figure(number=number, title=f"l-diversity: {title}", setting=f"as in figures 25 and 26 (l = {scale.l})",
                  rows=marked, panels=panels, claims=claims)  # fmt: skip


def figure_29(scale: Scale) -> Figure:
    """The largest size times NCP of a group."""
    return _metric(scale, 29, "weighted maximum NCP", "weighted_maximum_ncp", factor=10)


def figure_30(scale: Scale) -> Figure:
    """The mean NCP of a group."""
    return _metric(scale, 30, "average NCP", "average_ncp", factor=1.5)


def figure_31(scale: Scale) -> Figure:
    """The mean volume of a group, weighted by size."""
    return _metric(scale, 31, "weighted average volume", "volume", factor=1.5)
