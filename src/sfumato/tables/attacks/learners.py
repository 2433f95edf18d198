"""Learners that are trained on published cells and asked for people by their true values.

`ClassLearner` believes the rows that fit a person. `BayesLearner` is naive Bayes: a cell counts for every value that it
covers, in equal parts. Both can leave out a person's own row: what is then guessed was learnt from other people alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.data.schema import Column
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.data.values import as_number
from sfumato.published.tables.cells import ShownColumn, place_cells
from sfumato.tables.attacks.row_matching import RowMatcher, is_near

__all__ = ["BayesLearner", "ClassLearner", "Learner"]

_BINS = 40
_PRIOR = 1.0


class Learner(Protocol):
    """Scores every sensitive value for people."""

    def scores(self, people: Table, own: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """People by values: the higher, the likelier. With `own` rows, each is left out for its person."""


class ClassLearner:
    """Counts the values among the rows that fit; where no row is left, those of all."""

    def __init__(self, matcher: RowMatcher, of_row: csr_array) -> None:
        n = len(matcher.of_row)
        gather = csr_array((np.ones(n), (matcher.of_row, np.arange(n))), shape=(matcher.n_kinds, n))
        self.matcher, self.of_row, self.of_kind = matcher, of_row, csr_array(gather @ of_row)
        self.usual = np.asarray(of_row.sum(axis=0)).ravel() / max(n, 1)

    def scores(self, people: Table, own: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """The share of each value among the rows that fit, and a little of its share among all."""
        fits = self.matcher.fits(people)
        counts = np.asarray((fits @ self.of_kind).toarray(), dtype=np.float64)
        if own is not None:
            at = csr_array((np.ones(len(own)), (np.arange(len(own)), self.matcher.of_row[own])), shape=fits.shape)
            there = np.asarray(fits.multiply(at).sum(axis=1)).ravel() > 0
            counts -= self.of_row[own].toarray() * there[:, None]
        counts = np.maximum(counts, 0.0)
        return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0) + 1e-6 * self.usual)


@dataclass(frozen=True, eq=False)
class _Attribute:
    """A column in bins: how likely each published row lies in each bin, and the joint counts with sensitive values."""

    name: str
    bins: csr_array
    """Published rows by bins; the last bin is a missing value."""
    counts: NDArray[np.float64]
    """Bins by sensitive values."""
    bin_of: NDArray[np.int64]
    """The bin of each code; the last entry is that of a missing value."""
    places: pl.DataFrame
    """The code of every value of the domain."""

    def bins_of(self, people: Table) -> NDArray[np.int64]:
        """The bin of each person's value."""
        values = people.frame[self.name].cast(self.places["value"].dtype)
        joined = pl.DataFrame({"value": values}).join(
            self.places, on="value", how="left", nulls_equal=True, maintain_order="left"
        )  # fmt: skip
        return np.asarray(self.bin_of[joined["code"].to_numpy()], dtype=np.int64)


class BayesLearner:
    """Naive Bayes over the quasi-identifiers, trained on cells that cover several values."""

    def __init__(
        self, frame: pl.DataFrame, forms: dict[str, Form], domain: Table, names: Sequence[str], of_row: csr_array
    ) -> None:
        self.of_row = of_row
        self.sizes = np.asarray(of_row.sum(axis=0)).ravel()
        self.attributes = [
            _attribute(name, frame[name], forms.get(name, "value"), domain, of_row)
            for name in names
            if name in frame.columns
        ]

    def scores(self, people: Table, own: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """The logarithm of how likely each value is, up to a constant. All values of `people` must be in the domain."""
        mine = self.of_row[own].toarray() if own is not None else 0.0
        sizes = np.maximum(self.sizes[None, :] - mine, 0.0)
        score = np.log(sizes + _PRIOR) - np.log(sizes.sum(axis=1, keepdims=True) + _PRIOR * len(self.sizes))
        score = np.broadcast_to(score, (len(people), len(self.sizes))).copy()
        for each in self.attributes:
            at = each.bins_of(people)
            joint = each.counts[at]
            if own is not None:
                picked = csr_array((np.ones(len(at)), (np.arange(len(at)), at)), shape=(len(at), each.counts.shape[0]))
                says = np.asarray(each.bins[own].multiply(picked).sum(axis=1)).ravel()
                joint = np.maximum(joint - says[:, None] * mine, 0.0)
            score += np.log(joint + _PRIOR) - np.log(sizes + _PRIOR * each.counts.shape[0])
        return score


def _attribute(name: str, shown: pl.Series, form: Form, domain: Table, of_row: csr_array) -> _Attribute:
    column = domain.schema.column(name)
    near = is_near(form) and column.kind in ("integer", "number", "date") and shown.dtype != pl.String
    placed = place_cells(shown, "value" if is_near(form) else form, domain.frame[name], column)
    n = placed.coded.n_codes
    ordered = column.hierarchy is None and column.kind in ("integer", "number", "date")
    n_bins = min(n, _BINS) if ordered else n
    bin_of = np.append(np.arange(n) * n_bins // max(n, 1), n_bins)
    who: list[NDArray[np.int64]] = []
    where: list[NDArray[np.int64]] = []
    mass: list[NDArray[np.float64]] = []
    for i in range(len(placed.cells)):
        codes = _covered_codes(placed, i, column, near=near)
        spread = np.bincount(bin_of[codes], minlength=n_bins + 1) if len(codes) else np.zeros(n_bins + 1)
        at = np.flatnonzero(spread)
        who.append(np.full(len(at), i))
        where.append(at)
        mass.append(spread[at] / max(len(codes), 1))
    by_cell = csr_array(
        (np.concatenate(mass), (np.concatenate(who), np.concatenate(where))), shape=(len(placed.cells), n_bins + 1)
    )  # fmt: skip
    bins = csr_array(by_cell[placed.number])
    places = pl.DataFrame({"value": domain.frame[name], "code": placed.coded.codes.astype(np.int64)})
    counts = np.asarray((bins.T @ of_row).toarray(), dtype=np.float64)
    return _Attribute(name, bins, counts, bin_of, places.unique("value"))


def _covered_codes(placed: ShownColumn, i: int, column: Column, *, near: bool) -> NDArray[np.int64]:
    """The codes that a cell covers; -1 for a missing value, and the nearest code for a changed number."""
    cell, n = placed.cells[i], placed.coded.n_codes
    if near and cell.low is not None and n:
        return np.array([_nearest(placed, cell.low, column)])
    codes = placed.members[i] if placed.members is not None else np.arange(placed.low[i], placed.high[i] + 1)
    return np.append(codes, -1) if cell.missing else codes


def _nearest(placed: ShownColumn, shown: str, column: Column) -> int:
    """The code whose number is nearest to the one shown."""
    from sfumato.data.shown import parse_bound

    number = as_number(parse_bound(shown, "date" if column.kind == "date" else "number"))
    numbers = placed.coded.numbers if placed.coded.tree is None else np.arange(placed.coded.n_codes)
    at = int(np.clip(np.searchsorted(numbers, number), 1, max(len(numbers) - 1, 1)))
    if len(numbers) < 2:
        return 0
    return at if abs(numbers[at] - number) < abs(numbers[at - 1] - number) else at - 1
