"""The figures in words: a table for each diagram, and what of the thesis holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.reproduce import figures
from benchmarks.reproduce.distribution.results import Panel, line
from benchmarks.reproduce.figures import Row

__all__ = ["page"]


def _table(panel: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """One diagram: a row for each x, a column for each line."""
    shown = Panel(**panel)
    given = [row for row in rows if row.get(shown.y) is not None]
    columns = {name: line(given, shown.x, shown.y, **where) for name, where in shown.lines.items()}
    lines = [f"| {' | '.join([shown.x, *columns])} |", "|" + "---|" * (1 + len(columns))]
    order = {x: None for column in columns.values() for x in column}
    for x in sorted(order) if shown.x != "read" else order:
        cells = [f"{column[x]:.3g}" if x in column else "–" for column in columns.values()]
        lines.append(f"| {' | '.join([x if isinstance(x, str) else f'{x:g}', *cells])} |")
    return "\n".join(lines)


def page(found: Mapping[str, Any]) -> str:
    """Everything; 43 is figure 4.3, 141 is table 4.1."""
    told = figures.page(found, "Figures of random edge perturbation", _table)
    told = re.sub(r"^## Figure 1(\d)(\d):", r"## Table \1.\2:", told, flags=re.MULTILINE)
    return re.sub(r"^## Figure (\d)(\d):", r"## Figure \1.\2:", told, flags=re.MULTILINE)
