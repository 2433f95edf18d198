"""Random small tables for hypothesis: every kind of column, ties, missing values, hierarchies."""

from __future__ import annotations

import datetime as dt

import polars as pl
from hypothesis import strategies as st

import sfumato as sf

EUROPE = sf.Hierarchy.from_paths([
    ("Italy", "Europe", "*"), ("France", "Europe", "*"), ("Spain", "Europe", "*"),
    ("US", "America", "*"), ("Brazil", "South", "America", "*"), ("Chile", "South", "America", "*"),
])  # fmt: skip


@st.composite
def tables(draw, min_rows=1, max_rows=14, sensitive=True):
    """A table with one to four quasi-identifiers and up to two sensitive columns."""
    n = draw(st.integers(min_rows, max_rows))
    kinds = draw(st.lists(st.sampled_from(["integer", "number", "date", "category", "tree", "ordinal"]),
                          min_size=1, max_size=4))  # fmt: skip
    columns, hierarchies, orders = {}, {}, {}
    for i, kind in enumerate(kinds):
        name = f"q{i}_{kind}"
        values = {
            "integer": st.integers(0, 9),
            "number": st.floats(-5, 5, allow_nan=False).map(lambda x: round(x, 1)),
            "date": st.integers(0, 40).map(lambda days: dt.date(2024, 1, 1) + dt.timedelta(days=days)),
            "category": st.sampled_from(["a", "b, c", "d", "{e}", "*f"]),
            "tree": st.sampled_from(["Italy", "France", "Spain", "US", "Brazil", "Chile"]),
            "ordinal": st.sampled_from(["low", "mid", "high"]),
        }[kind]
        cells = draw(st.lists(st.one_of(values, values, values, st.none()), min_size=n, max_size=n))
        if all(cell is None for cell in cells):
            cells[0] = draw(values)
        columns[name] = cells
        if kind == "tree":
            hierarchies[name] = EUROPE
        if kind == "ordinal":
            orders[name] = ["low", "mid", "high"]
    secret = []
    if sensitive:
        columns["disease"] = draw(st.lists(st.sampled_from(["flu", "cold", "ulcer", "gout"]), min_size=n, max_size=n))
        columns["score"] = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
        secret = ["disease", "score"]
    quasi = [name for name in columns if name not in secret]
    weights = {name: draw(st.sampled_from([1.0, 1.0, 2.5])) for name in quasi}
    schema = sf.Schema(quasi=quasi, sensitive=secret, hierarchies=hierarchies, orders=orders, weights=weights)
    types = {"integer": pl.Int64, "number": pl.Float64, "date": pl.Date}
    frame = pl.DataFrame(
        [pl.Series(name, cells, dtype=types.get(name.split("_")[-1], pl.Int64 if name == "score" else pl.String))
         for name, cells in columns.items()]
    )  # fmt: skip
    return sf.Table(frame, schema)
