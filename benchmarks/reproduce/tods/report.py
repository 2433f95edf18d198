"""The figures in words: a table each, and what of the paper holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.reproduce import figures
from benchmarks.reproduce.tods.results import Panel

__all__ = ["page", "table"]

_SHORT = {"seconds": "{:.3g} s", "gcp": "{:.4f}", "privacy": "{:.2f}"}


def table(panel: Panel, rows: Sequence[Mapping[str, Any]]) -> str:
    """One panel as a Markdown table: a row for each x, a column for each method."""
    mine = panel.rows(rows)
    names = list(dict.fromkeys(row["method"] for row in mine))
    cells = {(row[panel.x], row["method"]): _cell(row, panel.y) for row in mine}
    timed = panel.y == "seconds"
    heading = [panel.x, *names, *(["polars sort"] if timed else [])]
    lines = [f"| {' | '.join(heading)} |", "|" + "---|" * len(heading)]
    for x in dict.fromkeys(row[panel.x] for row in mine):
        line = [f"{x:,}" if isinstance(x, int) else f"{x:g}", *(cells.get((x, name), "") for name in names)]
        if timed:
            sorts = [row["sort_seconds"] for row in mine if row[panel.x] == x and row.get("sort_seconds") is not None]
            line.append(f"{sorts[0]:.3g} s" if sorts else "")
        lines.append(f"| {' | '.join(line)} |")
    return "\n".join(lines)


def _cell(row: Mapping[str, Any], y: str) -> str:
    if row.get(y) is None:
        return f"– ({row['gap']})" if "gap" in row else "–"
    return _SHORT.get(y, "{:.3g}").format(row[y])


def page(found: Mapping[str, Any]) -> str:
    """Everything."""
    return figures.page(found, "Figures of the framework", lambda panel, rows: table(Panel(**panel), rows))
