"""The real data that benchmarks run on, found through SFUMATO_DATA."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

import sfumato as sf

__all__ = ["adult", "adult_arx", "census_income"]


def _folder() -> Path:
    given = os.environ.get("SFUMATO_DATA")
    if not given:
        sys.exit("the evaluation data are not here: set SFUMATO_DATA to their folder")
    return Path(given) / "relational"


@functools.cache
def adult() -> pl.DataFrame:
    """Adult, all rows."""
    return pl.read_csv(_folder() / "adult.csv.gz", null_values="?")


def adult_arx(sensitive: Sequence[str] = ()) -> sf.Table:
    """The 30,162 records of Adult that studies with ARX use, with its hierarchies; the rest are quasi-identifiers."""
    frame = pl.read_csv(_folder() / "adult_arx_30162.csv.gz", separator=";")
    trees = {
        name: sf.Hierarchy.from_csv(_folder() / "adult_hierarchies" / f"adult_hierarchy_{name}.csv")
        for name in frame.columns
    }
    quasi = [name for name in frame.columns if name not in sensitive]
    return sf.Table(frame, sf.Schema(quasi=quasi, sensitive=list(sensitive), hierarchies=trees))


@functools.cache
def census_income() -> pl.DataFrame:
    """Census income, all rows."""
    return pl.read_csv(_folder() / "census_income.csv.gz", null_values="?")
