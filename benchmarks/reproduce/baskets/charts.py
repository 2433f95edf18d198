"""The charts of the figures: one diagram per panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.reproduce.distribution.results import Panel, line
from benchmarks.reproduce.drawing import svg

__all__ = ["chart"]

_COLOURS = ("#c98b1b", "#b23a2a", "#1f6e8c", "#6b7f3a", "#9a7aa8", "#5a6876")
_NAMES = {
    "k": "k", "l": "l", "n": "records", "known": "share of matches that are known",
    "effect": "by how much a label makes items likelier",
}  # fmt: skip


def chart(figure: Mapping[str, Any]) -> str:
    """A figure, as plain data, as SVG."""
    import altair as alt

    panels = [Panel(**panel) for panel in figure["panels"]]
    drawn = [_panel(panel, figure["rows"]) for panel in panels]
    pairs = [alt.hconcat(*drawn[i : i + 2]).resolve_scale(color="independent") for i in range(0, len(drawn), 2)]
    return svg(alt.vconcat(*pairs).resolve_scale(color="independent"))


def _panel(panel: Panel, rows: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    shown = [{"x": x, "y": y, "line": name} for name, where in panel.lines.items()
             for x, y in line([row for row in rows if panel.y in row], panel.x, panel.y, **where).items()]  # fmt: skip
    names = [name for name in panel.lines if any(point["line"] == name for point in shown)]
    log = panel.x == "n"
    ticks = alt.Axis(
        format={"n": "~s", "known": "~p", "effect": "~g"}.get(panel.x, "d"),
        values=sorted({point["x"] for point in shown}),
    )
    x_scale = alt.Scale(type="log", nice=False, padding=8) if log else alt.Scale(zero=False)
    return (
        alt.Chart(alt.Data(values=shown))  # type: ignore[no-untyped-call]
        .mark_line(point=alt.OverlayMarkDef(size=30), strokeWidth=2)
        .encode(
            x=alt.X("x:Q", title=_NAMES[panel.x], axis=ticks, scale=x_scale),
            y=alt.Y("y:Q", title=panel.title, scale=alt.Scale(type="log") if log else alt.Scale(zero=True),
                    axis=alt.Axis(tickCount=5, format="~g")),
            color=alt.Color(
                "line:N",
                scale=alt.Scale(domain=names, range=list(_COLOURS[: len(names)])),
                legend=alt.Legend(title=None, columns=2 if len(names) == 4 else 3),
            ),
        )
        .properties(width=270, height=190)
    )  # fmt: skip
