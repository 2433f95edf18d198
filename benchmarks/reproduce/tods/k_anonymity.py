"""Figures 22 to 24: the loss and the time of k-anonymity, by k, by N and by the number of columns."""

from __future__ import annotations

import math

import numpy as np

import sfumato as sf
from benchmarks.reproduce.tods.results import Claim, Figure, Panel, Row, below, ends, extremes, lines, ratios, rises
from benchmarks.reproduce.tods.scoring import row_of
from benchmarks.reproduce.tods.settings import Input, Scale, made_up, people, with_columns
from sfumato.tables.grouping.groups import GroupingMethod

__all__ = ["METHODS", "figure_22", "figure_23", "figure_24"]

METHODS: dict[str, GroupingMethod] = {
    "Hilb": sf.Hilbert(),
    "HilbFast": sf.Hilbert(fast=True),
    "iDist": sf.IDistance(),
    "iDistFast": sf.IDistance(fast=True),
    "TopDown": sf.TopDown(),
    "Mondrian": sf.Mondrian(),
    "Ordered": sf.Ordered(),
}
_SMALL_GROUPS = (
    "TopDown shapes its groups freely in all columns, where a line can only cut what lies side by side: that counts "
    "most while groups are small or records few"
)


def _rows(source: Input, size: int, most_divided: int, **varied: int) -> list[Row]:
    rows = []
    for name, method in METHODS.items():
        if name == "TopDown" and len(source) > most_divided:
            rows.append({"data": source.data, "n": len(source), **varied, "method": name,
                         "gap": f"left out above {most_divided:,} rows: too slow"})  # fmt: skip
            continue
        rows.append(row_of(source, name, method, sf.KAnonymity(size), **varied))
    return rows


def figure_22(scale: Scale) -> Figure:
    """By k."""
    source = people(scale.n)
    rows = [row for k in scale.ks for row in _rows(source, k, scale.most_divided, k=k)]
    lost, took = lines(rows, "k", "gcp"), lines(rows, "k", "seconds")
    hilb = below(lost, "Hilb", ["TopDown", "Mondrian"])
    idist = below(lost, "iDist", ["TopDown", "Mondrian"])
    fast = below(lost, "HilbFast", ["TopDown", "Mondrian"])
    similar = ratios(lost, "iDistFast", "TopDown")
    slow = ratios(took, "TopDown", "Hilb")
    quick = ratios(took, "Mondrian", "HilbFast")
    behind = ratios(took, "iDist", "Hilb")
    ours = below(lost, "Ordered", [name for name in METHODS if name != "Ordered"])
    claims = [
        Claim(paper="Hilb loses less than TopDown and Mondrian at every k", holds=hilb[0], seen=hilb[1],
              why=_SMALL_GROUPS),
        Claim(paper="iDist loses less than TopDown and Mondrian at every k", holds=idist[0], seen=idist[1],
              why=_SMALL_GROUPS),
        Claim(paper="HilbFast loses less than TopDown and Mondrian", holds=fast[0], seen=fast[1], why=_SMALL_GROUPS),
        Claim(paper="iDistFast loses about as much as TopDown", holds=all(0.8 < r < 1.25 for r in similar.values()),
              seen=f"iDistFast/TopDown {extremes(similar)}", why=_SMALL_GROUPS),
        Claim(paper="TopDown takes far longer than Hilb", holds=all(r > 10 for r in slow.values()),
              seen=f"TopDown/Hilb, seconds: {extremes(slow)}",
              why="divisions are bounded here and the mending of small clusters is what takes long; large k leaves few "
              "of them, and the cut of the line grows with k"),
        Claim(paper="HilbFast takes as long as Mondrian", holds=all(0.5 < r < 2 for r in quick.values()),
              seen=f"Mondrian/HilbFast, seconds: {extremes(quick)}",
              why="here Mondrian sorts nothing and stops early where groups are large; both take milliseconds"),
        Claim(paper="iDist is slower than Hilb: it chooses centres first", holds=all(r > 1 for r in behind.values()),
              seen=f"iDist/Hilb, seconds: {extremes(behind)}", why="at large k the cut takes longer than the centres"),
        Claim(paper="Ordered loses less than all others", holds=ours[0], seen=ours[1], ours=True),
    ]  # fmt: skip
    return Figure(
        number=22, title="k-anonymity by k", setting=f"{len(source):,} people of the census, 7 columns", rows=rows,
        panels=[Panel(title="loss (GCP)", x="k", y="gcp"), Panel(title="seconds", x="k", y="seconds", log=True)],
        claims=claims,
    )  # fmt: skip


def figure_23(scale: Scale) -> Figure:
    """By the number of records."""
    sources = [*map(people, scale.sizes), *map(made_up, scale.made_up)]
    rows = [row for source in sources for row in _rows(source, scale.k, scale.most_divided)]
    claims = []
    panels = []
    for data in dict.fromkeys(row["data"] for row in rows):
        lost, took = lines(rows, "n", "gcp", data=data), lines(rows, "n", "seconds", data=data)
        falling = {name: rises(line, falls=True) for name, line in lost.items() if len(line) > 1}
        better = {name: below(lost, name, ["TopDown", "Mondrian"] if "TopDown" in lost else ["Mondrian"])
                  for name in ("Hilb", "iDist")}  # fmt: skip
        growth = _exponent(took["Hilb"])
        claims += [
            Claim(paper=f"all lose less where there are more records ({data})", holds=all(falling.values()),
                  seen=f"{sum(falling.values())} of {len(falling)} methods; Hilb {ends(lost['Hilb'])}, Mondrian "
                  f"{ends(lost['Mondrian'])}",
                  why="samples differ; the losses differ by less than samples of that size do"),
            *(Claim(paper=f"{name} loses less than Mondrian and TopDown at every N ({data})", holds=holds, seen=seen,
                    why=_SMALL_GROUPS) for name, (holds, seen) in better.items()),
            Claim(paper=f"the time of Hilb grows about as N ({data})", holds=growth < 1.3,
                  seen=f"as N to the power of {growth:.2f}", why="small tables measure the overhead of the call"),
        ]  # fmt: skip
        panels += [Panel(title=f"loss (GCP), {data}", x="n", y="gcp", where={"data": data}),
                   Panel(title=f"seconds, {data}", x="n", y="seconds", where={"data": data}, log=True)]  # fmt: skip
    return Figure(
        number=23, title="k-anonymity by the number of records",
        setting=f"k = {scale.k}, 7 columns; samples of the census, and made-up people beyond; TopDown up to "
        f"{scale.most_divided:,} rows",
        rows=rows, panels=panels, claims=claims,
    )  # fmt: skip


def _exponent(seconds: dict[int, float]) -> float:
    return float(np.polyfit([math.log(n) for n in seconds], [math.log(s) for s in seconds.values()], 1)[0])


def figure_24(scale: Scale) -> Figure:
    """By the number of quasi-identifiers."""
    source = people(scale.n)
    rows = [row for d in scale.ds
            for row in _rows(with_columns(source, range(d)), scale.k, scale.most_divided, d=d)]  # fmt: skip
    lost, took = lines(rows, "d", "gcp"), lines(rows, "d", "seconds")
    few, many = min(scale.ds), max(scale.ds)
    hilb, idist = below(lost, "Hilb", ["TopDown", "Mondrian"]), below(lost, "iDist", ["TopDown", "Mondrian"])
    ahead = {d: lost["Mondrian"][d] - lost["Hilb"][d] for d in scale.ds}
    factor = ratios(lost, "Mondrian", "Hilb")
    slower = took["Hilb"][many] / took["Hilb"][few]
    claims = [
        Claim(paper="with few columns Hilb and iDist lose next to nothing", holds=lost["Hilb"][few] < 0.02,
              seen=f"Hilb {ends(lost['Hilb'])} columns, iDist {ends(lost['iDist'])}"),
        Claim(paper="Hilb loses less than TopDown and Mondrian at every d", holds=hilb[0], seen=hilb[1],
              why=_SMALL_GROUPS),
        Claim(paper="iDist loses less than TopDown and Mondrian at every d", holds=idist[0], seen=idist[1],
              why=_SMALL_GROUPS),
        Claim(paper="the more columns, the farther Hilb is ahead of Mondrian", holds=ahead[many] > ahead[few],
              seen=f"Mondrian - Hilb: {ends(ahead)} columns; Mondrian/Hilb: {ends(factor)}"),
        Claim(paper="time depends little on the number of columns", holds=slower < 2,
              seen=f"Hilb takes {slower:.2g} times as long with {many} columns as with {few}",
              why="sets are counted in every column, which is most of the work of the cut: it grows with d"),
    ]  # fmt: skip
    return Figure(
        number=24, title="k-anonymity by the number of columns",
        setting=f"{len(source):,} people of the census, k = {scale.k}, the first d columns of the paper's list",
        rows=rows,
        panels=[Panel(title="loss (GCP)", x="d", y="gcp"), Panel(title="seconds", x="d", y="seconds", log=True)],
        claims=claims,
    )  # fmt: skip
