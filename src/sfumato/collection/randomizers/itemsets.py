"""Randomizers of sets of items: some items of the set are kept, and items outside come in by chance.

A set has m of the items of a public list. How much is kept depends on m, so that **m is public**: it stands in each
report, and a matrix of its own undoes the noise of each m. Where it must not be, sets are padded: every set has at most
m items and is filled up to m with fillers that are never reported, so that no report tells how many there are.

Draws for one answer: one for how many items to keep; m whole numbers that put the items in a random order (the first is
exchanged with one of m, the second with one of m - 1, ...), of which the first are kept; a number below 2**53 for every
item of the list, whether it comes in. Many answers are drawn for by rising m, each step for all of that m, and the
numbers for the items of the list come last.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.collection.given import given_baskets, given_frame
from sfumato.collection.randomizers.categories import checked_values
from sfumato.collection.randomizers.draws import WHOLE, Draws
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.randomizers.randomizer import Randomizer
from sfumato.collection.reconstruction.basket_estimates import BasketEstimates
from sfumato.collection.reconstruction.item_kernel import eigenvalues, kept_exactly
from sfumato.collection.reconstruction.shares import Population, known_population
from sfumato.data.baskets import Baskets
from sfumato.data.values import text
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import finite, flag, whole

__all__ = ["ItemsetRandomizer", "gamma_of_sets"]

_LEAST_EIGENVALUE = Fraction(1, 10**6)
_MOST_SIZE = 1_000
_MOST_ITEMSET = 10


class ItemsetRandomizer(Randomizer, register=False):
    """A randomizer of sets of `items`."""

    items: tuple[str, ...]
    sizes: tuple[int, ...]
    """The numbers of items that a set may have; where sets are padded, the number they are padded to."""
    rho: float
    itemset_size: int
    padded: bool
    pastes_inside: ClassVar[bool]
    """Whether items of the set that are not kept may come in again as others do."""

    # -- what it promises ----------------------------------------------------------------------------------------------
    @abstractmethod
    def law(self, m: int) -> tuple[Fraction, ...]:
        """With which probabilities 0, ..., m items of a set of m items are in its report; exact."""

    @abstractmethod
    def keeps(self, m: int, n: int, draws: Draws) -> NDArray[np.int64]:
        """Draw for each of `n` sets of m items how many to keep."""

    @property
    def threshold(self) -> int:
        """The threshold below which an item comes in."""
        return round(Fraction(repr(float(self.rho))) * WHOLE)

    @property
    def chance(self) -> Fraction:
        """The probability that an item comes in, as it is drawn with."""
        return Fraction(self.threshold, WHOLE)

    @cached_property
    def privacy(self) -> Privacy:
        """What a report promises: the worst over the sizes of sets; every size is promised among sets of that size."""
        worst = Fraction(1)
        for m in self.sizes:
            gamma = gamma_of_sets(self.law(m), self.chance, len(self.items), padded=self.padded)
            if gamma is None:
                return Privacy(gamma=None, why_none=f"some report is impossible for some sets of {m} items")
            worst = max(worst, gamma)
        return Privacy(gamma=worst)

    @property
    def eigenvalues(self) -> dict[int, tuple[float, ...]]:
        """By size of sets, the eigenvalues lambda_0, lambda_1, ... up to `itemset_size`; errors grow with 1/lambda."""
        return {m: tuple(map(float, self._eigenvalues(m))) for m in self.sizes}

    def _eigenvalues(self, m: int) -> list[Fraction]:
        return eigenvalues(self.law(m), self.chance, self.itemset_size)

    def in_words(self) -> str:
        """What it promises, for people who are asked."""
        size = "How many items you have is not told." if self.padded else "How many items you have is told as it is."
        if self.privacy.gamma is None:
            return f"{type(self).says} {size} It promises nothing by itself: {self.privacy.why_none}."
        others = "another" if self.padded else "another of as many items"
        return (
            f"{type(self).says} {size} Whatever is reported, no set of items becomes more than "
            f"{float(self.privacy.gamma):.3g} times as likely, beside {others}, as it was before."
        )

    # -- parameters ----------------------------------------------------------------------------------------------------
    def check_shared(self) -> None:
        """Check the items and what every randomizer of sets has."""
        names = tuple(text(each) for each in checked_values(self.items, least=1, what="items"))
        object.__setattr__(self, "items", names)
        finite("rho", self.rho, asked="a probability above 0 and below 1", above=0.0, below=1.0)
        if not 0 < self.threshold < WHOLE:
            raise ParameterError(f"rho must not be so near to 0 or 1, got {self.rho}")
        if whole("itemset_size", self.itemset_size, least=1) > _MOST_ITEMSET:
            raise ParameterError(f"itemset_size must be at most {_MOST_ITEMSET}, got {self.itemset_size:,}")
        flag("padded", self.padded)

    def check_learnable(self) -> None:
        """Refuse parameters under which itemsets of the promised size cannot be learnt."""
        most = max(self.sizes)
        if most > _MOST_SIZE:
            raise ParameterError(f"sets may have {_MOST_SIZE:,} items at the most, got {most:,}")
        if most > len(self.items) and not self.padded:
            raise ParameterError(f"a set of {most:,} items is asked for, and there are {len(self.items):,} items")
        if self.padded and len(self.sizes) > 1:
            raise ParameterError(f"padded sets have one size, got {len(self.sizes)}; give the largest alone")
        if most < self.itemset_size:
            raise ParameterError(f"itemset_size must be at most {most}, the largest size of sets; lower it")
        for m in self.sizes:
            for r, value in enumerate(self._eigenvalues(m)):
                if abs(value) < _LEAST_EIGENVALUE:
                    raise ParameterError(
                        f"with these probabilities reports of sets of {m} items tell nothing of itemsets of {r} items "
                        f"(eigenvalue {float(value):.3g}); change rho or how many are kept, or lower itemset_size to "
                        f"{r - 1}"
                    )

    # -- at the respondent ---------------------------------------------------------------------------------------------
    @property
    def width(self) -> int:
        """A draw for each item of the list and of the set."""
        return len(self.items) + 2 * max(self.sizes) + 1

    def codes_of(self, answers: Any) -> NDArray[np.int64]:
        """The places of the items of each set, rising, and -1 after the last one."""
        baskets = given_baskets(answers, self.items, "answer")
        self._check_sizes(baskets.sizes)
        codes = np.full((len(baskets), max(self.sizes)), -1, dtype=np.int64)
        rows = np.repeat(np.arange(len(baskets)), baskets.sizes)
        codes[rows, np.arange(len(rows)) - baskets.starts[rows]] = baskets.ids
        return codes

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw which items are kept, then which come in."""
        n, inside = len(codes), codes >= 0
        sizes = np.full(n, max(self.sizes)) if self.padded else inside.sum(axis=1)
        kept = np.zeros((n, len(self.items)), dtype=np.bool_)
        for m in self.sizes:
            rows = np.flatnonzero(sizes == m)
            is_kept = self._kept(m, len(rows), draws)
            row, place = np.nonzero(is_kept & inside[rows][:, :m])
            kept[rows[row], codes[rows[row], place]] = True
        comes = draws.are_below(self.threshold, n * len(self.items)).reshape(kept.shape)
        if not self.pastes_inside:
            row, place = np.nonzero(inside)
            comes[row, codes[row, place]] = False
        bits = (kept | comes).astype(np.int64)
        return np.column_stack([sizes, bits]) if self.tells_size else bits

    def _kept(self, m: int, n: int, draws: Draws) -> NDArray[np.bool_]:
        """Draw which of the m places of each of `n` sets are kept: those that come first in a random order."""
        count = self.keeps(m, n, draws)
        order = np.tile(np.arange(m), (n, 1))
        rows = np.arange(n)
        for i in range(m):
            other = i + draws.integers(m - i, n)
            order[rows, i], order[rows, other] = order[rows, other], order[rows, i].copy()
        kept = np.zeros((n, m), dtype=np.bool_)
        np.put_along_axis(kept, order, np.arange(m)[None, :] < count[:, None], axis=1)
        return kept

    # -- reports -------------------------------------------------------------------------------------------------------
    @property
    def tells_size(self) -> bool:
        """Whether reports have a column for the size of the set: where there are several sizes and none is hidden."""
        return len(self.sizes) > 1

    @property
    def report_limits(self) -> Mapping[str, tuple[int, int]]:
        """The size of the set, where there are several, and a bit for each item."""
        size = {"size": (min(self.sizes), max(self.sizes))} if self.tells_size else {}
        return {**size, **{f"bit_{i + 1}": (0, 1) for i in range(len(self.items))}}

    def report_frame(self, reports: NDArray[np.int64]) -> pl.DataFrame:
        """The items that are reported, a list in each row, and the size of the set where there are several."""
        first = int(self.tells_size)
        row, item = np.nonzero(reports[:, first:])
        listed = Baskets(np.searchsorted(row, np.arange(len(reports) + 1)), item, self.items).frame
        sizes = {"size": reports[:, 0].astype(np.int16)} if self.tells_size else {}
        return pl.DataFrame({**sizes, "items": listed["items"]})

    def bits_frame(self, reports: Any) -> pl.DataFrame:
        """A table of reports with a column of bits for each item in place of lists, which any format holds."""
        return super().report_frame(self.reports_of(reports))

    def reports_of(self, frame: Any) -> NDArray[np.int64]:
        """Reports as rows of bits, after the size where there are several; what cannot have been drawn is refused."""
        baskets, sizes = self.read_baskets(frame)
        bits = np.zeros((len(baskets), len(self.items)), dtype=np.int64)
        bits[np.repeat(np.arange(len(baskets)), baskets.sizes), baskets.ids] = 1
        return np.column_stack([sizes, bits]) if self.tells_size else bits

    def read_baskets(self, frame: Any) -> tuple[Baskets, NDArray[np.int64]]:
        """Reports as baskets, and the size of the set behind each; what cannot have been drawn is refused.

        They are given as lists of items or as bits.
        """
        if getattr(frame, "data_kind", "") == "baskets" and not self.tells_size:
            baskets, sizes = given_baskets(frame, self.items, "report"), None
        else:
            shown = given_frame(frame)
            if "items" not in shown.columns and "bit_1" in shown.columns:
                shown = self.report_frame(super().reports_of(shown))
            for name in ("size", "items") if self.tells_size else ("items",):
                if name not in shown.columns:
                    raise DataError(f"reports of {type(self).__name__} have a column {name!r}, and there is none")
            baskets = given_baskets(shown["items"], self.items, "report")
            sizes = _whole_sizes(shown["size"]) if self.tells_size else None
        told_sizes = np.full(len(baskets), self.sizes[0]) if sizes is None else sizes
        self._check_possible(told_sizes, baskets.sizes)
        return baskets, told_sizes

    def check_reports(self, reports: NDArray[np.int64]) -> None:
        """Refuse sizes that no set has, and numbers of items that cannot be drawn for a size."""
        first = int(self.tells_size)
        sizes = reports[:, 0] if self.tells_size else np.full(len(reports), self.sizes[0])
        self._check_possible(sizes, reports[:, first:].sum(axis=1))

    def _check_possible(self, sizes: NDArray[np.int64], shown: NDArray[np.int64]) -> None:
        """Check that reports of so many items can be drawn for sets of these sizes."""
        possible = self._possible
        place = np.where((sizes < 0) | (sizes > max(self.sizes)), max(self.sizes) + 1, sizes)
        if not possible[place, shown].all():
            row = int((~possible[place, shown]).argmax())
            raise DataError(
                f"report {row + 1} has {int(shown[row])} items for a set of {int(sizes[row])}; no such report can have "
                f"been drawn"
            )

    @cached_property
    def _possible(self) -> NDArray[np.bool_]:
        """Whether some set of m items (rows; the last for sizes that are none) can have a report of so many."""
        n_items = len(self.items)
        possible = np.zeros((max(self.sizes) + 2, n_items + 1), dtype=np.bool_)
        for m in self.sizes:
            law = self.law(m)
            for shown in range(n_items + 1):
                seen = range(max(0, m + shown - n_items), min(m, shown) + 1)
                possible[m, shown] = self.padded or any(law[j] for j in seen)
        return possible

    def _check_sizes(self, sizes: NDArray[np.int64]) -> None:
        """Refuse sets that have more or fewer items than is asked for."""
        wrong = sizes > self.sizes[0] if self.padded else ~np.isin(sizes, self.sizes)
        if wrong.any():
            row = int(wrong.argmax())
            known = f"at most {self.sizes[0]}" if self.padded else ", ".join(map(str, self.sizes))
            raise DataError(
                f"answer {row + 1} has {int(sizes[row])} items, and sets of {known} are asked for; leave items out of "
                f"it, or ask for sets of its size"
            )

    # -- at the collector ----------------------------------------------------------------------------------------------
    def estimate(self, reports: Any, *, population: Population = "fixed") -> BasketEstimates:
        """What can be learnt of supports and rules from `reports`: unbiased, with intervals.

        `population="fixed"` speaks of those who answered; `"sampled"` of all whom they were drawn from at random.
        """
        known_population(population)
        baskets, sizes = self.read_baskets(reports)
        if not len(baskets):
            raise DataError("there are no reports, so that nothing can be estimated")
        laws = {m: self.law(m) for m in self.sizes}
        return BasketEstimates(
            baskets, sizes, laws, self.chance, self.itemset_size, population, of=type(self).__name__,
        )  # fmt: skip


def gamma_of_sets(law: tuple[Fraction, ...], rho: Fraction, n_items: int, *, padded: bool = False) -> Fraction | None:
    """The amplification among sets of m items out of `n_items`, or of at most m where `padded`; None where infinite.

    A report of b items has the probability h(q, i) rho^(b - q) (1 - rho)^(n_items - i - b + q) under a set of i items
    of which it shows q. Only such i and q count as can occur together with b.

    >>> quarter = Fraction(1, 4)
    >>> gamma_of_sets((quarter, quarter, quarter, quarter), Fraction(1, 5), 6)
    Fraction(64, 1)
    """
    m = len(law) - 1
    held = range(min(m, n_items) + 1) if padded else (m,)
    odds = (1 - rho) / rho
    weights = {(i, q): kept_exactly(law, q, i) * odds**q / (1 - rho) ** i for i in held for q in range(i + 1)}
    worst = Fraction(1)
    for shown in (m,) if n_items >= 2 * m else range(n_items + 1):  # with room for two sets, m leaves nothing out
        here = [w for (i, q), w in weights.items() if q <= shown and i - q <= n_items - shown]
        if max(here) and not min(here):
            return None
        if max(here):
            worst = max(worst, max(here) / min(here))
    return worst


def _whole_sizes(column: pl.Series) -> NDArray[np.int64]:
    """The column of sizes as whole numbers, -1 where it holds something else."""
    if not column.dtype.is_numeric() and column.dtype not in (pl.String, pl.Null):
        raise DataError(f"column 'size' holds whole numbers, and not {column.dtype}")
    sizes = column.cast(pl.Int64, strict=False)
    if column.dtype.is_float():
        sizes = sizes.set(sizes.cast(pl.Float64) != column, None)
    return sizes.fill_null(-1).to_numpy().astype(np.int64)
