"""Stays in a hospital that are condensed, and groups as their statistics."""

from dataclasses import replace

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.tables.condensing.statistics import statistics_of

QUASI = ["age", "sex", "stay_days", "admitted", "department"]


def stays(n=300, **more):
    frame = hospital(n).frame.select("name", *QUASI, "diagnosis", "cost")
    frame = frame.with_columns(pl.when(pl.int_range(n) % 11 > 0).then("age").alias("age"))
    schema = sf.Schema(
        identifier=["name"], quasi=QUASI, sensitive=["diagnosis"], plain=["cost"], bounds={"age": (0, 105)},
        rows_are_persons=True, **more,
    )  # fmt: skip
    return sf.Table(frame, schema)


def one_group(numbers):
    n = len(numbers)
    return statistics_of(np.asarray(numbers, dtype=float), np.arange(n), np.array([0, n]))


def with_values(release, name, values):
    frame = release.data.frame.with_columns(pl.Series(name, values, dtype=release.data.frame[name].dtype))
    return replace(release, data=sf.Table(frame, release.data.schema))
