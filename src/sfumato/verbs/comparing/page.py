"""A frontier as the page and the picture that people look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.report.comparison import ComparedRow, Comparison, comparison_chart, render_comparison
from sfumato.verbs.comparing.common_figures import about_axis
from sfumato.verbs.comparing.point import Point

if TYPE_CHECKING:
    import altair as alt

    from sfumato.verbs.comparing.frontier import Frontier

__all__ = ["chart_of", "page_of"]


def page_of(frontier: Frontier, source: str, schema: str | None, reading: Sequence[str] = ()) -> str:
    """The page, with everything it needs inside it."""
    return render_comparison(_shown(frontier, source, schema, reading))


def chart_of(frontier: Frontier) -> alt.LayerChart:
    """The picture of all points with both figures."""
    return comparison_chart(_shown(frontier, "DATA", "SCHEMA"))


def _shown(frontier: Frontier, source: str, schema: str | None, reading: Sequence[str] = ()) -> Comparison:
    """What a page shows of a frontier."""
    risk, utility = about_axis(frontier.risk), about_axis(frontier.utility)
    front = frontier.front()
    best = frontier.best if frontier.has_best else None
    rows = [
        ComparedRow(
            label=point.label, strength=point.strength, family=type(point.method).__name__, came=point.came,
            verdict=point.verdict, risk=frontier.value(point, frontier.risk),
            utility=frontier.value(point, frontier.utility), seconds=point.seconds,
            risk_interval=_interval(frontier, point, frontier.risk),
            utility_interval=_interval(frontier, point, frontier.utility), on_sample=_on_sample(frontier, point),
            front=any(point is each for each in front), best=point is best,
            command=point.command(source, schema, reading=reading), recipe=point.recipe, why=point.why,
        )
        for point in frontier.points
    ]  # fmt: skip
    return Comparison(
        title=f"Which method, and how strong? {source}" if source != "DATA" else "Which method, and how strong?",
        said=frontier.said(), risk_label=risk.label, risk_meaning=risk.meaning, utility_label=utility.label,
        utility_meaning=utility.meaning, rows=rows, more_risk_is_better=risk.smaller_is_better is False,
        more_utility_is_better=utility.smaller_is_better is False, samples=frontier.samples,
    )  # fmt: skip


def _interval(frontier: Frontier, point: Point, figure: str) -> tuple[float, float] | None:
    """Where a figure lies that was extrapolated; None where it is known, or not extrapolated."""
    estimate = frontier.estimate(point, figure)
    return (estimate.low, estimate.high) if estimate is not None and estimate.low < estimate.high else None


def _on_sample(frontier: Frontier, point: Point) -> tuple[bool, bool]:
    """Whether the figures of risk and of utility are those of a sample alone."""
    risk, utility = (frontier.estimate(point, figure) is None for figure in (frontier.risk, frontier.utility))
    return bool(point.samples) and risk, bool(point.samples) and utility
