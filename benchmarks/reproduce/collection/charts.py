"""Accuracy by function and noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["chart"]

SHOWN = {
    "original": "tree, original", "randomized": "tree, reports as they are", "global": "tree, global",
    "by class": "tree, by class", "naive Bayes": "naive Bayes, by class", "larger class": "larger class",
}  # fmt: skip


def chart(rows: Sequence[dict[str, Any]]) -> Any:
    """A panel for each noise and level, a mark for each way of learning."""
    import altair as alt

    marks = [
        {"function": row["function"], "panel": f"{row['noise']} noise, level {row['level']:.0%}", "way": label,
         "accuracy": row["accuracy"][name]}
        for row in rows for name, label in SHOWN.items()
    ]  # fmt: skip
    ways, legend = list(SHOWN.values()), alt.Legend(columns=3)
    panels = list(dict.fromkeys(mark["panel"] for mark in marks))
    colours = ["#5a6876", "#c8553d", "#e0a458", "#2a6f97", "#3a7d44", "#b8c0c8"]
    return (
        alt.Chart(alt.Data(values=marks), width=230, height=170)
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("function:N", title=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("accuracy:Q", title="accuracy", scale=alt.Scale(domain=[0.5, 1.0]), axis=alt.Axis(format="%")),
            color=alt.Color("way:N", scale=alt.Scale(domain=ways, range=colours), legend=legend),
            shape=alt.Shape("way:N", scale=alt.Scale(domain=ways), legend=legend),
        )
        .facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=2)
    )
