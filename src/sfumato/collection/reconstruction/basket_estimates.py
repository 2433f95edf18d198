"""What can be learnt of sets of items from their reports: supports, confidences, breaches, frequent itemsets, rules.

An itemset's estimates depend on how many of its items each report shows, by size of the set; they are counted when
asked for. The joint counts of two itemsets without a common item give ratios of supports with their exact covariance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.reconstruction.item_kernel import states_of
from sfumato.collection.reconstruction.partial_supports import PartialSupports, SizeKernel, kernels_of, ratio_answer
from sfumato.contracts.answer import Answer
from sfumato.data.baskets import Baskets
from sfumato.data.values import text
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError, UnknownNameError, suggest
from sfumato.ground.validate import told

if TYPE_CHECKING:
    from sfumato.collection.reconstruction.mining import FrequentItemsets, Rules

__all__ = ["BasketEstimates", "Breach"]

_MOST_HELD = 1 << 28
"""How many bytes of columns are held at a time."""


class Breach(NamedTuple):
    """What a report that shows an itemset tells of one of its items: belief before and after, as shares of sets."""

    before: Answer
    after: Answer


class BasketEstimates(SaysWhatMethodsTake):
    """What is learnt from reports of sets: supports, confidences, breaches, frequent itemsets and rules.

    Made by `estimate` of a randomizer of sets from reports as `baskets`, the `sizes` of the sets behind them, the
    `laws` of how many items are kept, the probability `rho` of an item outside, the `itemset_size` that was promised,
    and the `population` that is spoken of; `of` is the randomizer.

    >>> from sfumato import collection
    >>> asked = collection.SelectASize(items=list("abcdef"), keep=[0.1, 0.3, 0.6], rho=0.2)
    >>> asked.estimate(asked.randomize([["a", "b"]] * 1000, seed=1))
    BasketEstimates(1,000 reports of SelectASize over 6 items, itemsets of up to 2)
    """

    def __init__(
        self, baskets: Baskets, sizes: NDArray[np.int64], laws: Mapping[int, tuple[Fraction, ...]], rho: Fraction,
        itemset_size: int, population: str = "fixed", *, of: str = "",
    ) -> None:  # fmt: skip
        self.items = baskets.items
        self.n = len(baskets)
        self.itemset_size = itemset_size
        self.population = population
        self._rho, self._of = rho, of
        present = np.unique(sizes)
        self._laws = {int(m): laws[int(m)] for m in present}
        self._size_code = np.searchsorted(present, sizes)
        self._baskets = baskets
        self._place = {name: i for i, name in enumerate(self.items)}
        self._kernels: dict[tuple[int, ...], dict[int, SizeKernel]] = {}
        self._columns: dict[int, NDArray[np.uint8]] = {}

    # -- supports ------------------------------------------------------------------------------------------------------
    def support(self, itemset: Sequence[Any]) -> Answer:
        """The share of sets that have all items of `itemset`; it may lie below 0 where few have."""
        return self.partial_supports(itemset).support

    def partial_supports(self, itemset: Sequence[Any]) -> PartialSupports:
        """The share of sets that have exactly 0, 1, ... items of `itemset`."""
        places = self._places(itemset)
        named, blocks = [self.items[i] for i in places], (len(places),)
        return PartialSupports(named, self._kernels_of(blocks), self._counts([places]), self.population, of=self._of)

    def confidence(self, antecedent: Sequence[Any], consequent: Sequence[Any]) -> Answer:
        """The share of sets with all of `consequent` among those with all of `antecedent`."""
        first, then = self._places(antecedent), self._places(consequent)
        self._places([*antecedent, *consequent])
        blocks = (len(first), len(then))
        states = states_of(blocks)
        both = np.array([state == blocks for state in states], dtype=np.float64)
        one = np.array([state[0] == blocks[0] for state in states], dtype=np.float64)
        kernels = self._kernels_of(blocks)
        weights = {m: np.array([both, one]) @ kernel.undo for m, kernel in kernels.items()}
        label = f"confidence of {', '.join(map(text, antecedent))} => {', '.join(map(text, consequent))}"
        return ratio_answer(label, kernels, self._counts([first, then]), weights, self.population)

    def breaches(self, itemset: Sequence[Any]) -> dict[str, Breach]:
        """For each item of `itemset`, how likely it is in a set, before and after a report that shows them all.

        It is an average over the sets that there are, and no setting bounds it; what is bounded is `privacy.gamma`.
        """
        places = self._places(itemset)
        return {self.items[each]: self._breach(each, [i for i in places if i != each]) for each in places}

    def _breach(self, item: int, others: list[int]) -> Breach:
        blocks = (1, len(others)) if others else (1,)
        states = states_of(blocks)
        shown = np.array([state == blocks for state in states], dtype=np.float64)
        has = np.array([state[0] == 1 for state in states], dtype=np.float64)
        kernels, counts = self._kernels_of(blocks), self._counts([[item], others] if others else [[item]])
        weights = {}
        for m, kernel in kernels.items():
            chance = np.zeros(len(states))
            chance[kernel.columns] = shown @ kernel.law
            weights[m] = np.array([(has * chance) @ kernel.undo, shown])
        label = f"{self.items[item]} in a set whose report shows {'the itemset' if others else 'it'}"
        after = ratio_answer(label, kernels, counts, weights, self.population)
        return Breach(self.support([self.items[item]]), after)

    # -- mining --------------------------------------------------------------------------------------------------------
    def frequent(self, *, support: float, most: int | None = None) -> FrequentItemsets:
        """The itemsets of up to `most` items that at least a share `support` of the sets may have (`mining.py`)."""
        from sfumato.collection.reconstruction.mining import frequent_itemsets

        return frequent_itemsets(self, support=support, most=most)

    def rules(self, *, support: float, confidence: float, most: int | None = None) -> Rules:
        """The rules between frequent itemsets that may have at least a `confidence` (`mining.py`)."""
        from sfumato.collection.reconstruction.mining import association_rules

        return association_rules(self, support=support, confidence=confidence, most=most)

    # -- counting ------------------------------------------------------------------------------------------------------
    def _places(self, itemset: Any) -> list[int]:
        """The places of the items of an itemset, which must be as many as was promised at the most."""
        if isinstance(itemset, (str, bytes)) or not isinstance(itemset, (Sequence, set, frozenset)) or not itemset:
            raise ParameterError(f"an itemset is a list of items, got {told(itemset)}")
        names = [text(each) for each in itemset]
        for name in names:
            if name not in self._place:
                raise UnknownNameError(f"no item is called {name!r}{suggest(name, self.items)}")
        if len(set(names)) < len(names):
            raise ParameterError(f"an item stands once in an itemset, got {told(list(itemset))}")
        if len(names) > self.itemset_size:
            raise ParameterError(
                f"itemsets of {self.itemset_size} items at the most can be learnt, as was promised when answers were "
                f"asked for, got {len(names)}; make the randomizer with itemset_size={len(names)}"
            )
        return [self._place[name] for name in names]

    def _kernels_of(self, blocks: tuple[int, ...]) -> dict[int, SizeKernel]:
        if blocks not in self._kernels:
            self._kernels[blocks] = kernels_of(blocks, self._laws, self._rho)
        return self._kernels[blocks]

    def _counts(self, blocks: Sequence[Sequence[int]]) -> dict[int, NDArray[np.int64]]:
        """By size of sets, how many reports show so many items of each block."""
        state = np.zeros(self.n, dtype=np.uint8)
        for block in blocks:
            state *= np.uint8(len(block) + 1)
            for item in block:
                state += self._column(item)
        width = int(np.prod([len(block) + 1 for block in blocks]))
        codes = self._size_code * width + state
        table = np.bincount(codes, minlength=len(self._laws) * width).reshape(-1, width)
        return dict(zip(self._laws, table, strict=True))

    def _column(self, item: int) -> NDArray[np.uint8]:
        """Which reports show an item."""
        if item not in self._columns:
            if len(self._columns) * self.n > _MOST_HELD:
                self._columns.clear()
            starts, rows = self._by_item
            column = np.zeros(self.n, dtype=np.uint8)
            column[rows[starts[item] : starts[item + 1]]] = 1
            self._columns[item] = column
        return self._columns[item]

    @cached_property
    def _by_item(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The reports that show each item, one item after another."""
        baskets = self._baskets
        order = np.argsort(baskets.ids, kind="stable")
        rows = np.repeat(np.arange(self.n), baskets.sizes)[order]
        return np.searchsorted(baskets.ids[order], np.arange(len(self.items) + 1)), rows

    def __repr__(self) -> str:
        return (
            f"BasketEstimates({self.n:,} reports of {self._of} over {len(self.items):,} items, itemsets of up to "
            f"{self.itemset_size})"
        )
