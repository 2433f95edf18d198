"""One column as `inspect_table` looks at it."""

from __future__ import annotations

import polars as pl

from sfumato.data.inspecting import inspect_table
from sfumato.data.table import Table


def inspect_series(series, name="thing"):
    return inspect_table(Table(pl.DataFrame({name: series}))).columns[0]
