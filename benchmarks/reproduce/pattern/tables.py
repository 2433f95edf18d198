"""The three data sets of the papers, as far as they can be had, and releases of them.

The census sample of the papers (IPUMS 2008: age, birth place, occupation) is replaced by the census income data, where
birth places are numbered in the order of the alphabet and occupations by their code. Synthetic columns are independent
and uniform. Adult is that of the papers. Rows are a fixed random sample.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.data import adult, census_income
from benchmarks.reproduce.pattern.printed import substitute_table
from sfumato.contracts.method import Method
from sfumato.privacy.promise import Promise
from sfumato.published.tables.linkage_rates import numbers_of

__all__ = ["DATA", "Released", "noise_at", "ours", "printed", "publish", "table"]

DATA = ("census", "synthetic", "adult")
ADULT = ["age", "fnlwgt", "education-num"]


def _sample(frame: pl.DataFrame, n: int) -> pl.DataFrame:
    return frame[np.random.default_rng(2011).permutation(frame.height)[:n].tolist()]


@functools.cache
def table(data: str, n: int) -> sf.Table:
    """So many rows of one of the data sets, its numbers as quasi-identifiers."""
    if data == "adult":
        frame = _sample(adult().head(32_561).drop_nulls("occupation").select([*ADULT, "occupation"]), n)
        return sf.Table(frame, sf.Schema(quasi=ADULT, sensitive=["occupation"]))
    if data == "census":
        place = pl.col("country_of_birth_self").fill_null("unknown").rank("dense").cast(pl.Int64).alias("birth_place")
        frame = census_income().select("age", place, pl.col("occupation_code").alias("occupation"))
        return sf.Table(_sample(frame.filter(pl.col("occupation") > 0), n), sf.Schema(quasi=frame.columns))
    random = np.random.default_rng(5)
    return sf.Table(pl.DataFrame({name: random.random(n) for name in "abc"}), sf.Schema(quasi=["a", "b", "c"]))


@dataclass(frozen=True, eq=False)
class Released:
    """Published numbers put back into the order of the original, and as they lay in the release."""

    original: NDArray[np.float64]
    aligned: NDArray[np.float64]
    published: NDArray[np.float64]
    rows: NDArray[np.int64]
    mixed: bool = True
    n_blocks: int | None = None


def publish(given: sf.Table, method: Method, promise: Promise | None = None, seed: int = 1) -> Released:
    """Release and realign."""
    quasi = list(given.schema.quasi)
    release = sf.publish(given, method, promise, seed=seed)
    assert release.owner is not None
    shown, rows = numbers_of(release.data.to_polars(), quasi), np.asarray(release.owner.rows)
    aligned = np.empty_like(shown)
    aligned[:, rows] = shown
    mixed = bool(release.public.get("walk", {}).get("mixed", True))
    n_blocks = release.files["blocks"]["block"].n_unique() if "blocks" in release.files else None
    return Released(numbers_of(given.frame, quasi), aligned, shown, rows, mixed, n_blocks)


@functools.cache
def ours(data: str, n: int, sigma: float, partition: int) -> Released:
    """Localities, each with the order it needs, drawn by the billiard walk; domains as in the papers."""
    method = sf.PatternPreserving(sf.Localities(sigma), partition=partition, bounds="partition")
    return publish(table(data, n), method)


@functools.cache
def printed(data: str, n: int, sigma: float, partition: int, iterations: int) -> tuple[Released, NDArray[np.int64]]:
    """The same with the printed method, and its moving steps by column and partition."""
    original = numbers_of(table(data, n).frame, list(table(data, n).schema.quasi))
    values, moved = substitute_table(original, sigma, partition, iterations, seed=1)
    return Released(original, values, values, np.arange(n)), moved


def noise_at(data: str, n: int, distortion: float, seed: int = 1) -> Released:
    """Additive noise that moves values as far on average."""
    given = table(data, n)
    if distortion <= 0.0:  # nothing may move
        original = numbers_of(given.frame, list(given.schema.quasi))
        return Released(original, original, original, np.arange(n))
    return publish(given, sf.AdditiveNoise(distortion=distortion), seed=seed)
