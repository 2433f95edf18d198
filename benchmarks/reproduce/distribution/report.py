"""The figures in words: a table for each diagram, and what of the paper holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.reproduce.distribution.results import Panel, line
from benchmarks.reproduce.tods.report import claim_lines

__all__ = ["page", "table"]


def table(panel: Panel, rows: Sequence[Mapping[str, Any]]) -> str:
    """One diagram as a Markdown table: a row for each x, a column for each line."""
    columns = {name: line(rows, panel.x, panel.y, **where) for name, where in panel.lines.items()}
    lines = [f"| {' | '.join([panel.x, *columns])} |", "|" + "---|" * (1 + len(columns))]
    for x in sorted({x for column in columns.values() for x in column}):
        cells = [f"{column[x]:.3g}" if x in column else "–" for column in columns.values()]
        lines.append(f"| {' | '.join([f'{x:,}', *cells])} |")
    return "\n".join(lines)


def page(found: Mapping[str, Any]) -> str:
    """Everything."""
    parts = [f"# Figures of distribution-based anonymization, {found['scale']} size", "", found["times"], ""]
    for figure in found["figures"].values():
        parts += [f"## Figure {figure['number']}: {figure['title']}", "", f"{figure['setting']}.", ""]
        parts += [f"![{figure['title']}](figure-{figure['number']}.svg)", ""]
        for panel in (Panel(**panel) for panel in figure["panels"]):
            parts += [f"{panel.title}:", "", table(panel, figure["rows"]), ""]
        parts += [*claim_lines(figure), ""]
    return "\n".join(parts)
