"""The charts of the documentation, drawn from the numbers as they were written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reproduce.drawing import GREY, svg

__all__ = ["draw"]

COLOURS = {
    "as printed": "#b23a2a",
    "as rebuilt": "#1f6e8c",
    "additive noise": "#c98b1b",
    "Mondrian": "#6b7f3a",
    "Mondrian, means": "#6b7f3a",
    "Mondrian, ranges": "#a3b574",
    "condensation": "#9a7aa8",
    "isotropic hit-and-run": "#c98b1b",
    "coordinate": "#9a7aa8",
    "rounded hit-and-run": "#6b7f3a",
    "billiard": "#1f6e8c",
}
_WIDTH = 640
_METHODS = {"printed": "as printed", "ours": "as rebuilt", "Blocks": "as rebuilt", "AdditiveNoise": "additive noise",
            "Condensation": "condensation"}  # fmt: skip


def draw(found: Mapping[str, Any], folder: Path) -> None:
    """Every chart whose experiment was run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in _CHARTS.items():
        if chart.__name__.lstrip("_") in found:
            points = found[chart.__name__.lstrip("_")]["points"]
            (folder / f"{name}.svg").write_text(svg(chart(points)))


def _data(rows: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    return alt.Data(values=[{**row, "method": _METHODS.get(str(row.get("method")), row.get("method"))} for row in rows])


def _colour(names: Sequence[str], field: str = "method") -> Any:
    import altair as alt

    return alt.Color(f"{field}:N", scale=alt.Scale(domain=list(names), range=[COLOURS[n] for n in names]),
                     legend=alt.Legend(title=None))  # fmt: skip


def _lines(rows: Sequence[Mapping[str, Any]], x: Any, y: Any, names: Sequence[str], height: int, width: int) -> Any:
    import altair as alt

    return alt.Chart(_data(rows)).mark_line(point=alt.OverlayMarkDef(size=36), strokeWidth=2).encode(
        x=x, y=y, color=_colour(names)
    ).properties(width=width, height=height)  # fmt: skip


def _stuck(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    base = alt.Chart(_data([{**p, "method": "printed"} for p in points])).encode(
        x=alt.X("sigma:O", title="share of the localities kept (sigma)", axis=alt.Axis(labelAngle=0)),
        xOffset="run:O",
        y=alt.Y("moving_steps:Q", title="steps that moved, of 4,000", scale=alt.Scale(domain=[0, 4000])),
    )
    bars = base.mark_bar(color=COLOURS["as printed"])
    zero = base.mark_text(dy=-6, fontSize=11, color=COLOURS["as printed"]).encode(
        text=alt.condition("datum.moving_steps == 0", alt.value("0"), alt.value(""))
    )
    return (bars + zero).properties(width=_WIDTH - 70, height=220)


def _arcsine(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    panels = []
    for method, title in (("printed", "half the chord, as printed"), ("ours", "the whole chord")):
        base = alt.Chart(_data([p for p in points if p["method"] == method]))
        top = alt.Y("density:Q", title="density" if method == "printed" else None, scale=alt.Scale(domain=[0, 3]))
        bars = base.mark_rect(color=COLOURS[_METHODS[method]], opacity=0.55).encode(
            x=alt.X("low:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)), x2="high:Q",
            y=top, y2=alt.datum(0),
        )  # fmt: skip
        law = base.mark_line(color="black", strokeDash=[4, 3], strokeWidth=1.5).encode(x="middle:Q", y="law:Q")
        law = law.transform_calculate(middle="(datum.low + datum.high) / 2")
        panels.append((bars + law).properties(width=260, height=200))
    return alt.hconcat(*panels)


def _mixing(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    names = ["as printed", "isotropic hit-and-run", "coordinate", "rounded hit-and-run", "billiard"]
    rows, exact = [], {}
    for p in points:
        if "trace" in p:
            walk = "as printed" if p["walk"] == "printed" else p["walk"]
            rows += [{"n": f"n = {p['n']}", "walk": walk, "at": i / len(p["trace"]), "range": x}
                     for i, x in enumerate(p["trace"])]  # fmt: skip
        else:
            exact[f"n = {p['n']}"] = p["exact"]
    panels = []
    for n, mean in exact.items():
        mine = [row for row in rows if row["n"] == n]
        low = min(row["range"] for row in mine)
        lines = alt.Chart().mark_line(strokeWidth=1).encode(
            x=alt.X("at:Q", title="share of the walk", axis=alt.Axis(format="%", tickCount=3)),
            y=alt.Y("range:Q", title=f"range, {n}", scale=alt.Scale(domain=[low, 1], nice=False, zero=False),
                    axis=alt.Axis(tickCount=4)),
            color=_colour(names, "walk"),
        ).properties(width=104, height=150)  # fmt: skip
        rule = alt.Chart().mark_rule(color="black", strokeDash=[4, 3]).encode(y=alt.datum(mean))
        column = alt.Column("walk:N", sort=names, header=alt.Header(labels=False, title=None))
        panels.append(alt.layer(lines, rule, data=alt.Data(values=mine)).facet(column=column, spacing=8))
    return alt.vconcat(*panels)


def _extraction(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    panels = []
    for data, name in (("census", "ages of the census"), ("synthetic", "uniform values")):
        mine = [p for p in points if p["data"] == data]
        panels.append(_lines(
            mine, alt.X("n:Q", title=f"values in the partition ({name})", axis=alt.Axis(tickCount=5)),
            alt.Y("milliseconds:Q", title="milliseconds", scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=5)),
            ["as printed", "as rebuilt"], 190, 240,
        ))  # fmt: skip
    return alt.hconcat(*panels).resolve_scale(y="shared")


def _substitution(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    panels = []
    for data, name in (("census", "ages of the census"), ("synthetic", "uniform values")):
        mine = [p for p in points if p["data"] == data]
        panels.append(_lines(
            mine, alt.X("sigma:Q", title=f"sigma ({name})", scale=alt.Scale(type="log"),
                        axis=alt.Axis(values=[0.001, 0.01, 0.1, 1], format="~g")),
            alt.Y("milliseconds:Q", title="milliseconds", scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=5)),
            ["as printed", "as rebuilt"], 190, 240,
        ))  # fmt: skip
    return alt.hconcat(*panels).resolve_scale(y="shared")


def _sigma(title: str) -> Any:
    import altair as alt

    return alt.X("sigma:O", title=title, axis=alt.Axis(labelAngle=0, labelFontSize=10))


def _distortions(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    panels = [
        _lines([p for p in points if p["data"] == data], _sigma(f"sigma ({data})"),
               alt.Y("distortion:Q", title="distortion, share of the range"), ["as printed", "as rebuilt"], 180, 165)
        for data in ("census", "synthetic", "adult")
    ]  # fmt: skip
    return alt.hconcat(*panels).resolve_scale(y="shared")


def _clusters(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    k = 5
    rows = []
    for p in points:
        if p["k"] == k:
            rows.append({**p, "line": "kept"})
            rows.append({**p, "error": p["noise_error"], "line": "noise of that distortion"})
    lines = ["kept", "noise of that distortion"]
    dash = alt.StrokeDash("line:N", scale=alt.Scale(domain=lines, range=[[1, 0], [4, 4]]), legend=None)
    y = alt.Y("error:Q", title="records that change cluster", axis=alt.Axis(format="%"))
    panels = [
        _lines([row for row in rows if row["data"] == data], _sigma(f"sigma ({data})"), y, ["as printed", "as rebuilt"],
               180, 165).encode(strokeDash=dash)
        for data in ("census", "synthetic", "adult")
    ]  # fmt: skip
    return alt.hconcat(*panels).resolve_scale(y="shared")


def _queries(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    names = ["as printed", "as rebuilt", "Mondrian, means", "Mondrian, ranges"]
    panels = [
        _lines([p for p in points if p.get("query") == query],
               alt.X("l:O", title=f"l ({query})", axis=alt.Axis(labelAngle=0)),
               alt.Y("mean:Q", title="mean relative error", scale=alt.Scale(type="log", nice=False, padding=8),
                     axis=alt.Axis(format="~%", values=[0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20])), names, 150, 240)
        for query in ("count", "avg age", "avg fnlwgt", "avg education")
    ]  # fmt: skip
    return alt.vconcat(alt.hconcat(*panels[:2]), alt.hconcat(*panels[2:]))


def _neighbours(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    panels = []
    for sigma in (0.05, 0.14):
        rows = [{"method": p["method"], "k": i + 1, "share": x} for p in points if p["sigma"] == sigma
                for i, x in enumerate(p["k"])]  # fmt: skip
        lines = alt.Chart(_data(rows)).mark_line(strokeWidth=2).encode(
            x=alt.X("k:Q", title=f"k-th neighbour (sigma {sigma:g})", scale=alt.Scale(domain=[1, 30])),
            y=alt.Y("share:Q", title="has the same occupation", axis=alt.Axis(format="%"),
                    scale=alt.Scale(zero=True)),
            color=_colour(["as printed", "as rebuilt"]),
        )  # fmt: skip
        rule = alt.Chart(_data(rows[:1])).mark_rule(color="black", strokeDash=[4, 3]).encode(
            y=alt.datum(points[0]["base"])
        )  # fmt: skip
        panels.append((lines + rule).properties(width=240, height=190))
    return alt.hconcat(*panels).resolve_scale(y="shared")


def _rank_attack(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    rows = []
    for p in points:
        rows.append({"release": p["method"], "attack": "by rank", "linked": p["by_rank"]})
        rows.append({"release": p["method"], "attack": "strongest of four", "linked": p["strongest"]})
        if p["by_rank_in_partition"] is not None:
            rows.append({"release": p["method"], "attack": "by rank, partition known",
                         "linked": p["by_rank_in_partition"]})  # fmt: skip
    attacks = ["by rank", "by rank, partition known", "strongest of four"]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("release:N", sort=None, title=None, axis=alt.Axis(labelLimit=240)),
        yOffset=alt.YOffset("attack:N", sort=attacks),
        x=alt.X("linked:Q", title="records linked", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1.05])),
    )
    bars = base.mark_bar().encode(
        color=alt.Color("attack:N", scale=alt.Scale(domain=attacks, range=["#1f6e8c", "#8fb7c6", "#b23a2a"]),
                        legend=alt.Legend(title=None))
    )  # fmt: skip
    text = base.mark_text(align="left", dx=3, fontSize=10, color=GREY).encode(
        text=alt.Text("linked:Q", format=".1%"),
    )
    return (bars + text).properties(width=_WIDTH - 270, height=alt.Step(13))


def _exchangeable(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    names = {
        "nearest": "distance",
        "by_rank": "rank",
        "by_assignment": "matching",
        "by_rank_assignment": "matching ranks",
    }
    rows = [{**p, "attack": names[p["attack"]], "k": f"k = {p['k']}"} for p in points]
    panels = []
    for k in ("k = 5", "k = 10", "k = 50"):
        mine = [row for row in rows if row["k"] == k]
        y = alt.Y("attack:N", sort=list(names.values()), title=None, axis=alt.Axis() if k == "k = 5" else None)
        base = alt.Chart(alt.Data(values=mine)).encode(y=y)
        bound = base.mark_rule(color="#b23a2a", strokeDash=[4, 3]).encode(x="bound:Q", y=alt.Y())
        x = alt.X("rate:Q", title=f"records linked, {k}", scale=alt.Scale(domain=[0, 1.15 * mine[0]["bound"]]),
                  axis=alt.Axis(format=".1%" if k == "k = 50" else "%", tickCount=4))  # fmt: skip
        panels.append((
            base.mark_rule(color="#1f6e8c", strokeWidth=3).encode(x=alt.X("low:Q"), x2="high:Q")
            + base.mark_point(color="#1f6e8c", filled=True, size=60).encode(x=x)
            + bound
        ).properties(width=160, height=100))  # fmt: skip
    return alt.hconcat(*panels)


def _equal_linkage(points: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    names = ["as rebuilt", "additive noise", "Mondrian, means", "condensation"]
    panels = []
    for field, title in (
        ("clustering_error", "records that change cluster"),
        ("count_error_quantiles", "error of counts"),
        ("average_error", "error of averages"),
        ("neighbours_kept", "neighbours kept"),
    ):
        panels.append(
            alt.Chart(_data(points)).mark_bar().encode(
                x=alt.X("k:O", title=None, axis=alt.Axis(labelAngle=0, labelExpr="'k = ' + datum.value")),
                xOffset=alt.XOffset("method:N", sort=names), color=_colour(names),
                y=alt.Y(f"{field}:Q", title=title, axis=alt.Axis(format="%", tickCount=4)),
            ).properties(width=240, height=140)
        )  # fmt: skip
    return alt.vconcat(alt.hconcat(*panels[:2]), alt.hconcat(*panels[2:]))


_CHARTS = {
    "stuck": _stuck,
    "arcsine": _arcsine,
    "mixing": _mixing,
    "extraction": _extraction,
    "substitution": _substitution,
    "distortion": _distortions,
    "clusters": _clusters,
    "queries": _queries,
    "neighbours": _neighbours,
    "linked": _rank_attack,
    "exchangeable": _exchangeable,
    "equal-linkage": _equal_linkage,
}
