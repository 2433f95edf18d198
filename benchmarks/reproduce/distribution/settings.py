"""The data, the sizes and the queries of the experiments.

The real set is Adult's training part without rows that lack a value, and of these who had a capital loss: 1,427
people, 89 different losses from 155 to 4,356 (the paper says 3,900, which is the second largest). Synthetic sets have
ages from 17 to 79 and whole-numbered losses from 1,024 to 3,072, the paper's range; it prints no means or variances of
its normal ones.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.data import adult
from sfumato.ground.randomness import Randomness

__all__ = [
    "CORRELATED", "FULL", "HIGH", "INDEPENDENT", "LOSSES", "LOW", "MAIN", "MIDDLE", "REAL", "SMALL", "WIDE", "Queries",
    "Scale", "by_age", "correlated", "independent", "queries", "real", "uniform", "without", "zipf",
]  # fmt: skip

LOW, HIGH, YOUNGEST, OLDEST = 1024, 3072, 17, 79
MIDDLE, SPREAD = (LOW + HIGH) // 2, 256
"""Of the normal losses: nearly all lie within four standard deviations, which is the range."""
TRAINING = 32_561
REAL, INDEPENDENT, CORRELATED = "Adult", "uncorrelated", "correlated"
LOSSES = tuple(range(LOW, HIGH + 1))


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    name: str
    n: int
    """Synthetic people."""
    queries: int
    """For each range."""
    ranges: tuple[int, ...]
    withins: tuple[float, ...]
    """Tolerances; 0 is the algorithm as printed."""
    loose: tuple[float, ...]
    """More of them, for the real set."""
    fine: tuple[float, ...]
    """Those of figure 6, where little is off the target."""
    fakes: tuple[float, ...]
    spreads: tuple[int, ...]
    """By what the range is divided for the standard deviation of a normal target."""
    skews: tuple[float, ...]
    """Of zipf targets; the first is that of the data."""
    parts: tuple[int, ...]
    sizes: tuple[int, ...]
    """Where the number of people varies."""


SMALL = Scale(
    name="small", n=4_000, queries=30, ranges=(5, 20, 35, 50), withins=(0.0, 0.05), loose=(0.3,), fine=(0.0, 0.005),
    fakes=(0.05, 0.2), spreads=(1, 4, 16), skews=(0.1, 0.5, 0.9), parts=(1, 2, 10), sizes=(5_000, 10_000, 20_000),
)  # fmt: skip
FULL = Scale(
    name="full", n=10_000, queries=100, ranges=(5, 10, 20, 30, 40, 50, 60), withins=(0.0, 0.02, 0.05, 0.1),
    loose=(0.15, 0.2, 0.3), fine=(0.0, 0.005, 0.01, 0.02), fakes=(0.02, 0.05, 0.1, 0.2), spreads=(1, 2, 4, 8, 16),
    skews=(0.1, 0.3, 0.5, 0.7, 0.9, 1.1), parts=(1, 2, 10), sizes=(50_000, 100_000, 200_000, 400_000, 800_000),
)  # fmt: skip
MAIN = 0.05
"""The tolerance that charts show, but for figure 6."""
WIDE = 50
"""The range of the queries of figures 7 to 9."""


def _table(age: NDArray[np.int64], loss: NDArray[np.int64]) -> sf.Table:
    return sf.Table(pl.DataFrame({"age": age, "loss": loss}), sf.Schema(quasi=["age"], sensitive=["loss"]))


@functools.cache
def real() -> sf.Table:
    """Adult's training part, complete rows, a capital loss above 0."""
    rows = adult()[:TRAINING].drop_nulls().filter(pl.col("capital-loss") > 0)
    return _table(rows["age"].to_numpy(), rows["capital-loss"].to_numpy())


def _ages(random: Randomness, n: int) -> NDArray[np.int64]:
    return YOUNGEST + random.spawn("age").integers(OLDEST - YOUNGEST + 1, size=n)


def _normal(random: Randomness, mean: NDArray[np.float64] | float, sd: float, n: int) -> NDArray[np.int64]:
    return np.clip(np.rint(mean + sd * random.spawn("loss").normal(n)), LOW, HIGH).astype(np.int64)


@functools.cache
def independent(n: int) -> sf.Table:
    """Section 6.1: normal losses, whatever the age."""
    random = Randomness(7).spawn("independent")
    return _table(_ages(random, n), _normal(random, MIDDLE, SPREAD, n))


@functools.cache
def correlated(n: int) -> sf.Table:
    """Section 6.1: normal losses, whose mean rises with the age."""
    random = Randomness(7).spawn("correlated")
    age = _ages(random, n)
    mean = MIDDLE + 3 * SPREAD * (2 * (age - YOUNGEST) / (OLDEST - YOUNGEST) - 1)
    return _table(age, _normal(random, mean, SPREAD / 2, n))


@functools.cache
def uniform(n: int) -> sf.Table:
    """Section 6.3: any loss alike, whatever the age."""
    random = Randomness(7).spawn("uniform")
    return _table(_ages(random, n), LOW + random.spawn("loss").integers(HIGH - LOW + 1, size=n))


@functools.cache
def zipf(n: int, s: float, *, with_age: bool) -> sf.Table:
    """Section 6.3: the k-th loss with a probability of 1 / k^s; ages by rank of a noisy loss, or by chance."""
    random = Randomness(7).spawn("zipf")
    weights = np.arange(1, HIGH - LOW + 2) ** -s
    edges = np.cumsum(weights / weights.sum())
    loss = LOW + np.minimum(np.searchsorted(edges, random.spawn("loss").uniform(n)), HIGH - LOW)
    age = _ages(random, n)
    if with_age:
        noisy = loss + SPREAD / 2 * random.spawn("noise").normal(n)
        ranked = np.empty(n, dtype=np.int64)
        ranked[np.argsort(noisy, kind="stable")] = np.sort(age)
        age = ranked
    return _table(age, loss)


def without(table: sf.Table, share: float) -> sf.Table:
    """The table less a share of its rows, drawn at random."""
    n = len(table)
    rows = Randomness(7).spawn("removed").permutation(n)[round(share * n) :]
    return table.rows(np.sort(rows))


def by_age(table: sf.Table, parts: int) -> list[sf.Table]:
    """The table cut by age into parts of about the same number of people."""
    age = table.frame["age"].to_numpy()
    part = np.searchsorted(np.quantile(age, np.arange(1, parts) / parts), age, side="left")
    return [table.rows(np.flatnonzero(part == p)) for p in np.unique(part)]


@dataclass(frozen=True, eq=False)
class Queries:
    """Averages of people whose ages are from `low` to `low + span`."""

    span: int
    low: NDArray[np.int64]


def queries(table: sf.Table, spans: Sequence[int], n: int, least: int = 0) -> list[Queries]:
    """`n` queries of each span, drawn from those that select anybody; the same for all methods.

    With `least`, from those in which every age has so many people; spans without such a query are left out.
    """
    age = table.frame["age"].to_numpy()
    sizes = np.bincount(age)
    found = []
    for span in spans:
        lows = [low for low in range(age.min(), max(age.max() - span, age.min()) + 1)
                if sizes[low : low + span + 1].any() and sizes[low : low + span + 1].min() >= least]  # fmt: skip
        if lows:
            chosen = Randomness(7).spawn(f"queries {span}").integers(len(lows), size=n)
            found.append(Queries(span, np.array(lows)[chosen]))
    return found
