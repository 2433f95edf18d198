"""Speed of `ask` as ratios to the same aggregate by DuckDB on the original table, in the same run.

    python -m benchmarks.answers [--rows 1000000] [--repeat 15] [--json FILE] [--only ...]

Made-up people with a sensitive salary, in some fifty groups by a column, in one group, and in groups of ten; published
as permuted values and as subdomains. Both sides are tables in memory; `ask` reads the question, runs the statements and
gives bounds, estimate and spread. The first question prepares the tables and is reported apart.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.tables import seconds
from sfumato.data.schema_file import schema_to_dict
from sfumato.privacy.verdict import Verdict
from sfumato.release.release import Release

TARGET = 3.0
AGGREGATES = ("COUNT(*)", "SUM(salary)", "AVG(salary)", "MIN(salary)", "MAX(salary)", "MEDIAN(salary)")
MORE = (
    "SELECT state, AVG(salary) FROM release GROUP BY state",
    "SELECT COUNT(*) FROM release WHERE age BETWEEN 30 AND 60 AND salary > 1000",
)
WHERE = "WHERE age BETWEEN 30 AND 60 AND height > 165.5"
QUESTIONS = (*(f"SELECT {what} FROM release{where}" for what in AGGREGATES for where in ("", f" {WHERE}")), *MORE)
SCHEMA = sf.Schema(quasi=["age", "state", "height"], sensitive=["salary"])


def people(rows: int) -> pl.DataFrame:
    """Made-up people."""
    rng = np.random.default_rng(1)
    age = rng.integers(18, 90, rows)
    return pl.DataFrame(
        {
            "age": age, "state": rng.integers(0, 50, rows), "height": np.round(rng.normal(170, 9, rows), 1),
            "salary": (rng.lognormal(3, 0.5, rows) * (20 + age)).astype(np.int64) // 10 * 10,
        }
    )  # fmt: skip


def release(frame: pl.DataFrame, group: Any, kind: str) -> Release:
    """What a method would publish for these groups."""
    rows = frame.drop("salary").with_columns(pl.Series("group", group, dtype=pl.Int64))
    files, told = _permuted(frame, group) if kind == "values" else _subdomains(frame, group)
    schema = sf.Table(frame, SCHEMA).schema
    return Release(
        data=sf.Table(rows, sf.Schema(quasi=["age", "state", "height"], plain=["group"])), promise=None,
        verdict=Verdict(holds=True, found=(), checked_on="nothing"), method={"name": "made up"}, files=files,
        public={"schema": schema_to_dict(schema), **told},
    )  # fmt: skip


def _permuted(frame: pl.DataFrame, group: Any) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    listed = pl.DataFrame({"group": group, "salary": frame["salary"]}).group_by("group", "salary").len("count")
    told = {"permutation": {"group": "group", "count": "count", "table": "sensitive"}}
    return {"sensitive": listed.sort("group", "salary").with_columns(pl.col("count").cast(pl.Int64))}, told


def _subdomains(frame: pl.DataFrame, group: Any) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    """Every value in a node of a binary tree over 2,048 values, of a level drawn at random."""
    places = np.minimum(frame["salary"].to_numpy() // 10, 2_047)
    level = np.random.default_rng(2).integers(0, 4, len(places))
    first = places >> level << level
    listed = pl.DataFrame({"group": group, "first": first, "last": first + (1 << level) - 1})
    numbers = np.unique(group)
    files = {
        "subdomains": listed.group_by("group", "first", "last").len("count").with_columns(pl.all().cast(pl.Int64)),
        "domain": pl.DataFrame({"place": np.arange(2_048), "value": np.arange(2_048) * 10}),
        "targets": pl.DataFrame({"target": [0] * 2_048, "place": np.arange(2_048), "weight": [1] * 2_048}),
        "groups": pl.DataFrame({"group": numbers, "target": np.zeros(len(numbers), dtype=np.int64)}),
    }  # fmt: skip
    told = {"column": "salary", "group": "group", "count": "count", "table": "subdomains", "domain": "domain",
            "targets": "targets", "groups": "groups", "target": "uniform"}  # fmt: skip
    return files, {"target": told}


def compared(frame: pl.DataFrame, repeat: int, only: str | None) -> list[dict[str, Any]]:
    """The ratio of every aggregate, for every way of grouping."""
    original = duckdb.connect()
    original.register("given", frame.to_arrow())
    original.execute("CREATE TABLE release AS SELECT * FROM given")
    n = frame.height
    groupings = {
        "by a column (50 groups)": frame["state"].to_numpy(), "whole table": np.zeros(n, dtype=np.int64),
        "groups of 10": np.random.default_rng(3).permutation(n) // 10,
    }  # fmt: skip
    found = []
    for name, group in groupings.items():
        for kind in ("values", "subdomains"):
            if only is not None and only not in f"{name} {kind}":
                continue
            asked = release(frame, group.astype(np.int64), kind)
            started = time.perf_counter()
            sf.ask(asked, "SELECT COUNT(*) FROM release")
            first = time.perf_counter() - started
            row: dict[str, Any] = {"groups": name, "published": kind, "rows": n, "first question, s": first}
            for sql in QUESTIONS:
                plain = seconds(lambda q=sql: original.execute(q).fetchall(), repeat)
                answered = seconds(lambda q=sql, r=asked: sf.ask(r, q), repeat)
                row[sql] = {"original, ms": plain * 1e3, "ask, ms": answered * 1e3, "ratio": answered / plain}
            ratios = {sql: figures["ratio"] for sql, figures in row.items() if isinstance(figures, dict)}
            row["median ratio"] = statistics.median(ratios.values())
            found.append(row)
            print(f"{name}, {kind}: first {first:.2f} s, median ratio {row['median ratio']:.2f}", flush=True)
            for sql, ratio in ratios.items():
                figures = row[sql]
                print(f"  {figures['original, ms']:7.2f} {figures['ask, ms']:7.2f} ms  {ratio:5.2f}  {sql}", flush=True)
    return found


def main() -> None:
    """Run and print, or write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--only")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = compared(people(given.rows), given.repeat, given.only)
    if given.json is not None:
        result = {"machine": platform.machine(), "duckdb": duckdb.__version__, "target": TARGET, "answers": found}
        given.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
