"""The real data that benchmarks run on, found through SFUMATO_DATA."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

import polars as pl

__all__ = ["adult", "census_income"]


def _folder() -> Path:
    given = os.environ.get("SFUMATO_DATA")
    if not given:
        sys.exit("the evaluation data are not here: set SFUMATO_DATA to their folder")
    return Path(given) / "relational"


@functools.cache
def adult() -> pl.DataFrame:
    """Adult, all rows."""
    return pl.read_csv(_folder() / "adult.csv.gz", null_values="?")


@functools.cache
def census_income() -> pl.DataFrame:
    """Census income, all rows."""
    return pl.read_csv(_folder() / "census_income.csv.gz", null_values="?")
