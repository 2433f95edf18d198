"""The data and the sizes of the experiments.

Real people are those of the census with an occupation (49,479; 46 occupations, the largest l is 11), in random samples
of any smaller size. Categories have no hierarchies there, and education is a category; the paper has hierarchies, and
education as a number. Larger tables are made up (`benchmarks.census`, 50 occupations). Fewer than seven columns are the
first of the paper's list, unless a figure says otherwise.
"""

from __future__ import annotations

import functools
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.census import census
from benchmarks.loss import ADULT, CENSUS
from sfumato.data.encoding import Coded, encode
from sfumato.ground.randomness import Randomness

__all__ = [
    "ADULTS", "BETAS", "FULL", "GENTLE", "SMALL", "STEEP", "Input", "Scale", "adults", "correlated", "made_up",
    "people", "with_columns",
]  # fmt: skip

STEEP, GENTLE, SINGLE = "1, 2, 3, 4", "1/4 each", "1, 0, 0, 0"
BETAS = {STEEP: (1.0, 2.0, 3.0, 4.0), GENTLE: (0.25, 0.25, 0.25, 0.25), SINGLE: (1.0, 0.0, 0.0, 0.0)}
"""Coefficients of the linear function in the synthetic data; the paper does not print its own."""
ALL, ADULTS = 49_479, 48_842
_SORTS = 5


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    name: str
    n: int
    """Real people, where nothing else varies."""
    sizes: tuple[int, ...]
    """Real people, where their number varies."""
    made_up: tuple[int, ...]
    """Made-up people beyond those."""
    ks: tuple[int, ...]
    k: int
    ls: tuple[int, ...]
    l: int  # noqa: E741
    ds: tuple[int, ...]
    alphas: tuple[float, ...]
    synthetic: int
    bounds: tuple[float, ...]
    bound: float
    dual_n: int
    """Real people of the dual problem, which takes longer."""
    dual_made_up: tuple[int, ...]
    windows: int
    """Over how many projections the privacy of the dual problem is averaged."""
    levels: tuple[int, ...]
    most_divided: int
    """TopDown is left out of tables with more rows."""


SMALL = Scale(
    name="small", n=10_000, sizes=(2_500, 5_000, 10_000), made_up=(), ks=(10, 20, 50, 100), k=20, ls=(2, 4, 6, 8, 10),
    l=6, ds=(2, 3, 5, 7), alphas=(0.0, 0.1, 0.3, 0.5), synthetic=10_000, bounds=(0.2, 0.4, 0.6), bound=0.4,
    dual_n=10_000, dual_made_up=(), windows=3, levels=(1, 2, 3), most_divided=10_000,
)  # fmt: skip
FULL = Scale(
    name="full", n=ALL, sizes=(5_000, 10_000, 20_000, ALL), made_up=(50_000, 100_000, 200_000, 400_000),
    ks=(10, 20, 50, 100), k=50, ls=(2, 3, 4, 5, 6, 7, 8, 9, 10), l=6, ds=(2, 3, 4, 5, 6, 7),
    alphas=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5), synthetic=50_000, bounds=(0.2, 0.3, 0.4, 0.5, 0.6), bound=0.4, dual_n=20_000,
    dual_made_up=(50_000, 200_000), windows=3, levels=(1, 2, 3, 4, 5, 6, 7), most_divided=ALL,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Input:
    """A table as the methods take it."""

    data: str
    table: sf.Table

    def __len__(self) -> int:
        return len(self.table)

    @functools.cached_property
    def quasi(self) -> Sequence[Coded]:
        """The quasi-identifiers."""
        return encode(self.table, self.table.schema.quasi)

    @functools.cached_property
    def sensitive(self) -> Sequence[Coded]:
        """The sensitive column."""
        return encode(self.table, self.table.schema.sensitive)

    @property
    def d(self) -> int:
        """How many quasi-identifiers there are."""
        return len(self.table.schema.quasi)

    @functools.cached_property
    def sort_seconds(self) -> float:
        """The yardstick of all times: polars sorts the frame by the quasi-identifiers."""
        frame, names = self.table.frame, self.table.schema.quasi
        frame.sort(names)
        taken = []
        for _ in range(_SORTS):
            started = time.perf_counter()
            frame.sort(names)
            taken.append(time.perf_counter() - started)
        return statistics.median(taken)


@functools.cache
def _workers() -> sf.Table:
    folder = Path(os.environ["SFUMATO_DATA"]) / "relational"
    frame = pl.read_csv(folder / "census_income.csv.gz", null_values="?", columns=[*CENSUS, "occupation_code"])
    frame = frame.filter(pl.col("occupation_code") != 0)  # 0 stands for no occupation
    return sf.Table(frame, sf.Schema(quasi=CENSUS, sensitive=["occupation_code"]))


@functools.cache
def people(n: int) -> Input:
    """A random sample of the census, all seven columns."""
    table = _workers()
    rows = np.sort(Randomness(7).spawn("sample").permutation(len(table))[:n])
    return Input("census", table.rows(rows))


@functools.cache
def adults(n: int) -> Input:
    """A random sample of Adult, the paper's seven columns, categories with ARX's hierarchies."""
    folder = Path(os.environ["SFUMATO_DATA"]) / "relational"
    frame = pl.read_csv(folder / "adult.csv.gz", null_values="?", columns=ADULT)
    trees = {name: sf.Hierarchy.from_csv(folder / "adult_hierarchies" / f"adult_hierarchy_{name}.csv")
             for name in ADULT if name != "age"}  # fmt: skip
    table = sf.Table(frame, sf.Schema(quasi=ADULT, hierarchies=trees))
    rows = np.sort(Randomness(7).spawn("sample").permutation(len(table))[:n])
    return Input("Adult, hierarchies", table.rows(rows))


@functools.cache
def made_up(n: int) -> Input:
    """Made-up people, all seven columns."""
    return Input("made up", census(n))


@functools.cache
def correlated(n: int, alpha: float, betas: tuple[float, ...] = BETAS[STEEP]) -> Input:
    """Section 7.2: four uniform columns 0 to 9; the sensitive value is linear in them with probability alpha."""
    random = Randomness(7).spawn(f"alpha {alpha:g}")
    values = [random.integers(10, size=n) for _ in betas]
    linear = np.floor(sum(beta * value for beta, value in zip(betas, values, strict=True))).astype(np.int64) % 10
    secret = np.where(random.uniform(n) < alpha, linear, random.integers(10, size=n))
    names = [f"A{i}" for i in range(1, len(betas) + 1)]
    frame = pl.DataFrame({**dict(zip(names, values, strict=True)), "SA": secret})
    return Input("synthetic", sf.Table(frame, sf.Schema(quasi=names, sensitive=["SA"])))


def with_columns(source: Input, chosen: Sequence[int]) -> Input:
    """The same rows with some of the quasi-identifiers, numbered from 0 and round the end of the list."""
    schema = source.table.schema
    names = [schema.quasi[c % source.d] for c in chosen]
    frame = source.table.frame.select(*names, *schema.sensitive)
    return Input(source.data, sf.Table(frame, sf.Schema(quasi=names, sensitive=list(schema.sensitive))))
