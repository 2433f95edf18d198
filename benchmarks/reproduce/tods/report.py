"""The figures in words: a table each, and what of the paper holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.reproduce.tods.results import Panel

__all__ = ["claim_lines", "page", "table"]

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


def claim_lines(figure: Mapping[str, Any]) -> list[str]:
    """What the paper says, what is seen, and why they differ where they do."""
    lines = []
    for claim in figure["claims"]:
        verdict = "holds" if claim["holds"] else "does not hold"
        whose = "ours" if claim["ours"] else "paper"
        why = f" Why: {claim['why']}." if claim["why"] and not claim["holds"] else ""
        lines.append(f"- {whose}: {claim['paper']}. **{verdict}**: {claim['seen']}.{why}")
    return lines


def page(found: Mapping[str, Any]) -> str:
    """Everything."""
    parts = [f"# Figures of the framework, {found['scale']} size", "", found["times"], ""]
    for figure in found["figures"].values():
        parts += [f"## Figure {figure['number']}: {figure['title']}", "", f"{figure['setting']}.", ""]
        parts += [f"![{figure['title']}](figure-{figure['number']}.svg)", ""]
        for panel in (Panel(**panel) for panel in figure["panels"]):
            parts += [f"{panel.title}:", "", table(panel, figure["rows"]), ""]
        parts += [*claim_lines(figure), ""]
    return "\n".join(parts)
