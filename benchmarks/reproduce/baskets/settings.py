"""The data, the labels and the sizes of the experiments.

Chess is the thesis' own set. Of pumsb the first 4,334 records are at hand, of 49,046, and a derived set of 16,349 with
163 items. The thesis draws labels from the 470 occupations of the census of 1990; here they are drawn from the 46
occupations of census income, of who has one, or from the 263 industries of the ACS, which come closer in number.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.data import census_income
from sfumato.baskets.orders.order import Gray, GrayTSP, Order, Windowed
from sfumato.data.baskets import Baskets
from sfumato.data.reading_baskets import read_baskets
from sfumato.ground.randomness import Randomness

__all__ = [
    "BMS", "CHESS", "FULL", "GRAY", "INDUSTRIES", "LABELS", "OCCUPATIONS", "PUMSB", "SMALL", "STAR", "TSP", "WINDOWED",
    "Scale", "labels", "n_records", "order_of", "queries_of", "sample", "set_of", "sizes_of_queries", "stretched",
]  # fmt: skip

CHESS, PUMSB, STAR, BMS = "chess", "pumsb", "pumsb_star", "BMS-WebView-1"
GRAY, TSP, WINDOWED = "Gray", "Gray-TSP", "windowed"
OCCUPATIONS, INDUSTRIES = "occupations", "industries"
LABELS = (OCCUPATIONS, INDUSTRIES)
_FILES = {CHESS: "chess", PUMSB: "pumsb_first4334", STAR: "pumsb_star_163", BMS: "bms_webview1"}
_RECORDS = {CHESS: 3_196, PUMSB: 4_334, STAR: 16_349, BMS: 59_602}
"""How many each has, so that figures are described and drawn anew without the files."""
_SEGMENTS = {CHESS: (100, 150), PUMSB: (300, 350), STAR: (300, 350)}
_ASKED = {CHESS: (3, 4), PUMSB: (1, 5), STAR: (1, 5)}


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    name: str
    seeds: int
    ks: tuple[int, ...]
    ls: tuple[int, ...]
    printed_ls: tuple[int, ...]
    """Of the printed walk: where one label in l is nearly too many, its walks take minutes."""
    queries: int
    star: bool
    """Whether the larger set is run too."""
    labels: tuple[str, ...]
    few: int
    """Records of the sample that flows are found for."""
    few_ls: tuple[int, ...]
    walked: int
    """Records of figure 3.8 (a); the assignments of a ring depend on nothing else."""
    walked_ks: tuple[int, ...]
    times: tuple[int, ...]
    """How many times chess, in figure 3.8 (b) and (c)."""
    known: tuple[float, ...]
    """Shares of records whose matches are known."""
    read: int
    """Records of the samples that are read back."""
    labellings: int
    """Seeds of the data that labels are guessed on."""


SMALL = Scale(
    name="small", seeds=3, ks=(2, 5, 10, 20), ls=(2, 4, 8), printed_ls=(2, 4), queries=500, star=False,
    labels=(OCCUPATIONS,), few=240, few_ls=(4,), walked=4_334, walked_ks=(4, 16), times=(1, 2, 4),
    known=(0.1, 0.25, 0.5), read=200, labellings=2,
)  # fmt: skip
FULL = Scale(
    name="full", seeds=3, ks=(2, 3, 4, 6, 8, 10, 12, 16, 20), ls=(2, 3, 4, 5, 6, 8, 10),
    printed_ls=(2, 3, 4, 5, 6), queries=500, star=True, labels=LABELS, few=320, few_ls=(2, 4, 6), walked=49_046,
    walked_ks=(2, 4, 8, 16, 24), times=(1, 2, 4, 8, 16), known=(0.01, 0.05, 0.1, 0.25, 0.5, 0.75), read=1_000,
    labellings=10,
)  # fmt: skip


@functools.cache
def set_of(name: str) -> Baskets:
    """A data set by its name."""
    return read_baskets(Path(os.environ["SFUMATO_DATA"]) / "transactions" / f"{_FILES[name]}.dat.gz")


def n_records(name: str) -> int:
    """How many records a data set has."""
    return _RECORDS[name]


@functools.cache
def order_of(name: str, order: str, k: int, seed: int) -> NDArray[np.int64]:
    """The records of a set in a row; only the windowed order depends on k and the seed."""
    if order != WINDOWED and (k, seed) != (2, 0):
        return order_of(name, order, 2, 0)
    return _order(name, order).order(set_of(name), k, Randomness(f"order {seed}"))


def _order(name: str, order: str) -> Order:
    least, most = _SEGMENTS[name]
    return {GRAY: Gray(), TSP: GrayTSP(least=least, most=most), WINDOWED: Windowed()}[order]


@functools.cache
def _histogram(which: str) -> pl.Series:
    if which == OCCUPATIONS:
        given = census_income()["occupation_code"]
        return given.filter(given != 0)  # 0 stands for none
    folder = Path(os.environ["SFUMATO_DATA"]) / "relational"
    return pl.read_csv(folder / "acs_national2019.csv.gz", null_values="N")["INDP"].drop_nulls()


def labels(which: str, n: int, seed: int) -> NDArray[np.int64]:
    """Random labels, each as likely as it is frequent among people."""
    given = _histogram(which)
    drawn = given.gather(Randomness(f"labels {seed}").integers(len(given), size=n))
    return drawn.rank("dense").to_numpy().astype(np.int64) - 1


def sizes_of_queries(name: str) -> tuple[int, int]:
    """How many items must be there, or must be missing."""
    return _ASKED[name]


@functools.cache
def queries_of(name: str, n_queries: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Random sets of items that occur, of each type, one in a row."""
    random = Randomness(f"queries {seed}")
    m = set_of(name).n_items
    having, lacking = sizes_of_queries(name)
    return (
        np.stack([random.permutation(m)[:having] for _ in range(n_queries)]),
        np.stack([random.permutation(m)[:lacking] for _ in range(n_queries)]),
    )


def sample(name: str, n: int) -> Baskets:
    """Some records of a set, the same every time."""
    given = set_of(name)
    return given.rows(np.sort(Randomness("sample").permutation(len(given))[:n]))


@functools.cache
def stretched(times: int) -> Baskets:
    """Chess several times over; in copies every item is replaced by a random one with a probability of 1/20."""
    given, random = set_of(CHESS), Randomness("copies")
    record = np.tile(np.repeat(np.arange(len(given)), given.sizes), times)
    copy = np.repeat(np.arange(times), len(given.ids))
    item = np.tile(given.ids.astype(np.int64), times)
    turned = (random.uniform(len(item)) < 1 / 20) & (copy > 0)
    item[turned] = random.integers(given.n_items, size=int(turned.sum()))
    pairs = np.unique((copy * len(given) + record) * given.n_items + item)
    starts = np.searchsorted(pairs, np.arange(times * len(given) + 1) * given.n_items)
    return Baskets(starts, pairs % given.n_items, given.items)
