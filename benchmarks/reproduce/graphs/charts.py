"""The charts of the figures: one diagram per panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.reproduce.distribution.results import Panel
from benchmarks.reproduce.drawing import svg

__all__ = ["chart", "points"]

_COLOURS = ("#c98b1b", "#1f6e8c", "#b23a2a", "#6b7f3a", "#9a7aa8", "#5a6876")
_DASHES = ([1, 0], [5, 3])
_NAMES = {"mu": "mu", "w": "w", "m": "errors allowed, m", "k": "accounts", "degree": "degree", "read": "read as"}
_LEAST = 2e-8  # where the axis of mu turns from even to logarithmic, so that 0 can be drawn
_LOG = ("seconds", "steps", "sd_edges", "sd_transitivity", "sd_degree")


def chart(figure: Mapping[str, Any]) -> str:
    """A figure, as plain data, as SVG."""
    import altair as alt

    drawn = [_panel(Panel(**panel), figure["rows"]) for panel in figure["panels"]]
    pairs = [
        alt.hconcat(*drawn[i : i + 2]).resolve_scale(color="independent", strokeDash="independent")
        for i in range(0, len(drawn), 2)
    ]
    return svg(alt.vconcat(*pairs).resolve_scale(color="independent", strokeDash="independent"))


def points(panel: Panel, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What a diagram shows; a line called `a, b` has the colour of a and the dashes of b."""
    shown = []
    for name, where in panel.lines.items():
        colour, _, dash = name.partition(", ")
        for row in rows:
            here = all(row.get(key) == value for key, value in where.items()) and panel.x in row
            if here and row.get(panel.y) is not None:
                shown.append({
                    "x": row[panel.x], "y": row[panel.y], "line": name, "colour": colour, "dash": dash,
                    "low": row.get("low", row[panel.y]), "high": row.get("high", row[panel.y]),
                })  # fmt: skip
    return shown


def _panel(panel: Panel, rows: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    shown = points(panel, rows)
    if panel.x == "read":
        return _grid(panel, shown)
    colours = list(dict.fromkeys(point["colour"] for point in shown))
    dashes = list(dict.fromkeys(point["dash"] for point in shown))
    base = alt.Chart(alt.Data(values=shown)).encode(  # type: ignore[no-untyped-call]
        x=alt.X("x:Q", title=_NAMES[panel.x], **_x_axis(panel.x, sorted({point["x"] for point in shown}))),
        color=alt.Color("colour:N", scale=alt.Scale(domain=colours, range=list(_COLOURS[: len(colours)])),
                        legend=alt.Legend(title=None, columns=2 if len(colours) == 4 else 3)),
    )  # fmt: skip
    log = panel.y in _LOG
    scale = alt.Scale(type="log", nice=True) if log else alt.Scale(zero=True)
    if panel.y == "success":
        scale = alt.Scale(domain=[0, 1])
    if panel.y == "share" and panel.x == "mu":
        scale = alt.Scale(zero=False)
    form = ".0e" if log else "d" if panel.y == "percent" else "~g"
    y = alt.Y("y:Q", title=panel.title, scale=scale, axis=alt.Axis(tickCount=5, format=form))
    dash = alt.StrokeDash(
        "dash:N", scale=alt.Scale(domain=dashes, range=list(_DASHES[: len(dashes)])),
        legend=None if len(dashes) == 1 else alt.Legend(title=None, labelExpr="datum.label || 'measured'"),
    )  # fmt: skip
    parts = [base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dash)]
    if panel.x != "degree":
        parts.append(base.mark_point(size=26, filled=True, opacity=1).encode(y=y))
    if any(point["low"] != point["high"] for point in shown):
        parts.append(base.mark_rule(strokeWidth=1, opacity=0.6).encode(y=alt.Y("low:Q"), y2="high:Q"))
    return alt.layer(*parts).properties(width=280, height=190)


def _x_axis(x: str, values: list[Any]) -> dict[str, Any]:
    import altair as alt

    if x != "mu":
        many = len(values) > 12
        axis = alt.Axis(format="d", tickCount=8) if many else alt.Axis(format="d", values=values)
        return {"axis": axis, "scale": alt.Scale(zero=False, nice=False)}
    if 0 in values:
        ticks = [0, *(10.0**e for e in range(-7, -1))]
        scale = alt.Scale(type="symlog", constant=_LEAST, nice=False, domain=[0, max(values)])
        return {"axis": alt.Axis(values=ticks, format="~g", labelExpr=_EXPONENT), "scale": scale}
    ticks = [10.0**e for e in range(-7, 0) if min(values) <= 10.0**e <= max(values)]
    few = len(ticks) < 2
    axis = alt.Axis(format="~g", values=values) if few else alt.Axis(values=ticks, labelExpr=_EXPONENT)
    return {"axis": axis, "scale": alt.Scale(type="log", nice=False, padding=8)}


_EXPONENT = "datum.value == 0 ? '0' : '1e' + format(round(log(datum.value) / LN10), 'd')"


def _grid(panel: Panel, shown: list[dict[str, Any]]) -> Any:
    """Rows by what vertices are, columns by what they are read as."""
    import altair as alt

    total = {line: sum(point["y"] for point in shown if point["line"] == line) for line in panel.lines}
    cells = [point | {"part": point["y"] / max(total[point["line"]], 1e-9)} for point in shown]
    cells = [cell for cell in cells if any(point["y"] for point in shown if point["x"] == cell["x"])]
    read = list(dict.fromkeys(cell["x"] for cell in cells))
    base = alt.Chart(alt.Data(values=cells)).encode(  # type: ignore[no-untyped-call]
        x=alt.X("x:N", sort=read, title=_NAMES[panel.x], axis=alt.Axis(labelAngle=0)),
        y=alt.Y("line:N", sort=list(panel.lines), title=panel.title.split(",")[0]),
    )
    return alt.layer(
        base.mark_rect().encode(color=alt.Color("part:Q", legend=None, scale=alt.Scale(
            domain=[0, 1], range=["#f4f6f7", "#1f6e8c"]))),
        base.mark_text(fontSize=12).encode(
            text=alt.Text("y:Q", format=",.3~f"),
            color=alt.condition("datum.part > 0.5", alt.value("white"), alt.value("#333"))),
    ).properties(width=280, height=150)  # fmt: skip
