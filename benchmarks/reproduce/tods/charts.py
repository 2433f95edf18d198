"""The charts of the figures: one diagram per panel, lines by method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.reproduce.drawing import svg
from benchmarks.reproduce.tods.results import Panel

__all__ = ["COLOURS", "chart"]

COLOURS = {
    "Hilb": "#1f6e8c",
    "Perm-Hilb": "#1f6e8c",
    "Hilbert": "#1f6e8c",
    "HilbFast": "#8fb7c6",
    "iDist": "#c98b1b",
    "Perm-iDist": "#c98b1b",
    "IPCSD-1D": "#c98b1b",
    "iDistFast": "#e3c58a",
    "IPCSD-1D, scan": "#e3c58a",
    "TopDown": "#9a7aa8",
    "Mondrian": "#6b7f3a",
    "IPCSD-Mondrian": "#6b7f3a",
    "Anatomy": "#5a6876",
    "AC": "#9a7aa8",
    "Ordered": "#b23a2a",
    "Perm-Ordered": "#b23a2a",
    "Perm-Hilb, dealt": "#5b8c5a",
}
_NAMES = {"k": "k", "l": "l", "d": "columns", "n": "records", "alpha": "alpha", "bound": "bound E", "level": "level"}


def chart(figure: Mapping[str, Any]) -> str:
    """A figure, as plain data, as SVG."""
    import altair as alt

    panels = [Panel(**panel) for panel in figure["panels"]]
    drawn = [_panel(panel, panel.rows(figure["rows"]), figure["rows"]) for panel in panels]
    pairs = [alt.hconcat(*drawn[i : i + 2]) for i in range(0, len(drawn), 2)]
    return svg(alt.vconcat(*pairs))


def _panel(panel: Panel, rows: Sequence[Mapping[str, Any]], everything: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    names = [name for name in dict.fromkeys(row["method"] for row in everything) if name in COLOURS]
    shown = [{"x": row[panel.x], "y": row[panel.y], "method": row["method"]} for row in rows
             if row.get(panel.y) is not None]  # fmt: skip
    form = {"n": ".2~s", "alpha": ".1f", "bound": ".1f"}.get(panel.x, "d")
    numbers = alt.Axis(format=form, values=sorted({row["x"] for row in shown}))
    kind = alt.Scale(type="log", nice=False, padding=8) if panel.x == "n" else alt.Scale(zero=False)
    y = alt.Scale(type="log") if panel.log else alt.Scale(zero=True)
    return (
        alt.Chart(alt.Data(values=shown))  # type: ignore[no-untyped-call]
        .mark_line(point=alt.OverlayMarkDef(size=30), strokeWidth=2)
        .encode(
            x=alt.X("x:Q", title=_NAMES[panel.x], axis=numbers, scale=kind),
            y=alt.Y(
                "y:Q", title=panel.title, scale=y, axis=alt.Axis(tickCount=5, format="~g" if panel.log else ".3~f")
            ),
            color=alt.Color(
                "method:N",
                scale=alt.Scale(domain=names, range=[COLOURS[name] for name in names]),
                legend=alt.Legend(title=None, columns=4),
            ),
        )
        .properties(width=240, height=190)
    )
