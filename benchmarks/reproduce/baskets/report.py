"""The figures in words: a table for each diagram, and what of the thesis holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchmarks.reproduce import figures
from benchmarks.reproduce.distribution.report import table
from benchmarks.reproduce.distribution.results import Panel

__all__ = ["page"]


def page(found: Mapping[str, Any]) -> str:
    """Everything; 36 is figure 3.6."""
    title = "Figures of nonreciprocal set-valued anonymization"
    told = figures.page(found, title, lambda panel, rows: table(Panel(**panel), rows))
    return re.sub(r"^## Figure (\d)(\d):", r"## Figure \1.\2:", told, flags=re.MULTILINE)
