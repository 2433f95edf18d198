"""The figures in words: a table for each diagram, and what of the paper holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.reproduce import figures
from benchmarks.reproduce.distribution.results import Panel, line

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
    title = "Figures of distribution-based anonymization"
    return figures.page(found, title, lambda panel, rows: table(Panel(**panel), rows))
