"""Examining nodes of the lattice: do their classes keep the promise, how many rows would have to go, what is lost.

Frequency sets are rolled up: those of a node are counted from the smallest set known of a node below, since records
that fall together stay together. LeFevre, DeWitt & Ramakrishnan, "Incognito", SIGMOD 2005.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded, restrict_to_rows
from sfumato.ground.progress import Share, tell_nobody
from sfumato.privacy.criteria import EMD_ORDERED
from sfumato.privacy.delta_presence import DeltaPresence
from sfumato.privacy.of_population import OfPopulation
from sfumato.privacy.promise import Promise
from sfumato.privacy.requirements import criteria_for
from sfumato.tables.coding.levels import Levels
from sfumato.tables.coding.paths import paths_of
from sfumato.tables.coding.sensitive_profiles import profile_ids
from sfumato.tables.lattice.frequency_sets import allowed_classes, classify, merge_entries, scratch_for
from sfumato.tables.lattice.lattice import Lattice, Node, is_below
from sfumato.tables.lattice.node_costs import cell_costs, column_costs

__all__ = ["Examination", "Examiner"]

_SETS = 64
"""How many frequency sets are kept to be rolled up."""
_WORTH = 0.7
"""A set is kept where it has at most this share of the entries of the set that it was counted from."""


@dataclass(frozen=True)
class Examination:
    """What was found of a node: whether its classes keep the promise, and what it costs."""

    holds: bool
    """Whether the promise is kept once the rows of classes that break it are withheld, and these are few enough."""
    n_withheld: int
    cost: float
    """By the measure of the search, a withheld row counting as wholly lost; infinite where it does not hold."""
    floor: float
    """What this node and all above it cost at least."""
    within_size: bool
    """Whether the rows in classes that are too small can all be withheld: where not, no node below can hold."""


@dataclass(frozen=True, eq=False)
class _FrequencySet:
    node: Node
    entries: NDArray[np.int64]
    weight: NDArray[np.int64]


class Examiner:
    """The records of a table, what they must keep, and the frequency sets counted so far."""

    def __init__(
        self, quasi: Sequence[Coded], sensitive: Sequence[Coded], promise: Promise, levels: Levels, *,
        n_rows: int | None = None, max_withheld: int = 0, measure: str = "gcp", share: Share = tell_nobody,
    ) -> None:  # fmt: skip
        """`n_rows` records of the table come first in `quasi`, then the populations that the promise speaks of.

        `share` is told how many of the nodes are decided, whenever one is examined.
        """
        self._share = share
        self.levels = levels = cell_costs(measure, levels)
        self.lattice = Lattice(tuple(levels.tops.tolist()))
        self._n_nodes = math.prod(top + 1 for top in self.lattice.tops)  # more than len() may return
        self.measure = measure
        self.n_rows = n_rows if n_rows is not None else len(quasi[0].codes)
        self.max_withheld = max_withheld
        self.codes = np.ascontiguousarray(np.stack([column.codes for column in quasi], axis=1))
        self._promise, self._sensitive = promise, sensitive
        self.criteria = criteria_for(promise, self.n_rows, sensitive)
        self.costs = column_costs(measure, levels, self.codes[: self.n_rows])
        used = np.unique(self.criteria.column)
        self._profile, self._n_profiles = profile_ids(self.criteria.codes[:, used])
        self._paths = paths_of(levels, self.codes)
        self._scratch = scratch_for(len(self.codes))
        self._known: dict[Node, Examination] = {}
        self._every = _FrequencySet(self.lattice.bottom, np.arange(self.n_rows), np.ones(self.n_rows, dtype=np.int64))
        self._classify(self.lattice.bottom, self._every)
        self._sets = [self._frequency_set(self.lattice.bottom, self._every)]
        self._people = self._populations(promise)

    @property
    def n_examined(self) -> int:
        """How many nodes were looked at."""
        return len(self._known)

    @property
    def monotone(self) -> bool:
        """Whether a node that holds makes all nodes above it hold.

        Without suppression every promise is kept when classes are joined. With it, a class that would have been
        withheld may spoil the one it joins, unless only sizes count. So may, under delta-presence, one of records
        that nobody in the population has.
        """
        return (self.max_withheld == 0 or not len(self.criteria.kind)) and not self.has_strangers

    @cached_property
    def has_strangers(self) -> bool:
        """Whether the table has records that are not in a population whose shares are promised."""
        return any(
            (sizes > counts).any()
            for part, people in self._people
            if isinstance(part, DeltaPresence)
            for sizes, counts in [self._records_and_people(self.lattice.bottom, people)]
        )

    def report_progress(self, n_decided: int) -> None:
        """Report how many nodes are decided; raises `Cancelled` once the search is called off."""
        self._share(n_decided / self._n_nodes)

    def column_cost(self, node: Node) -> float:
        """What the node costs before rows are withheld, for measures that add up over columns (0 for the other)."""
        return float(sum(cost[level] for cost, level in zip(self.costs, node, strict=True)))

    def prepare(self, node: Node) -> None:
        """Count the frequency set of a node, so that those above it can be rolled up from it."""
        source = self._smallest_set_below(node)
        if source.node != node:
            self._classify(node, source)
            self._remember(self._frequency_set(node, source))

    def examine(self, node: Node) -> Examination:
        """Form the classes of a node, and find whether they keep the promise and what the node costs."""
        if node in self._known:
            return self._known[node]
        self.report_progress(self.n_examined)
        source = self._smallest_set_below(node)
        n_classes = self._classify(node, source)
        sizes = self._scratch.sizes[:n_classes].copy()
        allowed = self._classes_that_hold(source, n_classes)
        small = int(sizes[sizes < self.criteria.min_size].sum())
        n_withheld = int(sizes[~allowed].sum())
        if 0 < n_withheld <= self.max_withheld:
            allowed, n_withheld = self._withhold_until_kept(source, n_classes, sizes, allowed)
        holds = n_withheld <= self.max_withheld and n_withheld < self.n_rows
        cost = self._cost(node, source, sizes, allowed) if holds else np.inf
        if n_classes <= _WORTH * len(source.entries):
            self._remember(self._frequency_set(node, source))
        if holds and not all(self._fits_population(node, part, people) for part, people in self._people):
            holds, cost = False, np.inf
        found = Examination(
            holds=holds, n_withheld=n_withheld, cost=cost, floor=self._floor(node, sizes),
            within_size=small <= self.max_withheld,
        )  # fmt: skip
        self._known[node] = found
        return found

    def classes(self, node: Node) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The class of every row at a node, and whether each class is published."""
        every = self._every
        n_classes = self._classify(node, every)
        sizes = self._scratch.sizes[:n_classes].copy()
        of_row = self._scratch.ids[: self.n_rows].astype(np.int64)
        allowed = self._classes_that_hold(every, n_classes)
        if 0 < int(sizes[~allowed].sum()) <= self.max_withheld:
            allowed, _ = self._withhold_until_kept(every, n_classes, sizes, allowed)
        return of_row, allowed

    def _populations(self, promise: Promise) -> list[tuple[OfPopulation, _FrequencySet]]:
        """The distinct combinations of each population, and how many people have them."""
        found, start = [], self.n_rows
        for part in promise.parts:
            if isinstance(part, OfPopulation):
                stop = start + len(part.people)
                rows, counts = np.unique(self.codes[start:stop], axis=0, return_index=True, return_counts=True)[1:]
                found.append((part, _FrequencySet(self.lattice.bottom, rows + start, counts)))
                start = stop
        return found

    def _fits_population(self, node: Node, part: OfPopulation, people: _FrequencySet) -> bool:
        """Whether every class has as many people of a population as the promise asks for."""
        return bool(part.allowed(*self._records_and_people(node, people)).all())

    def _records_and_people(self, node: Node, people: _FrequencySet) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many records and how many people of a population fall into each class."""
        table = self._sets[0]
        both = np.concatenate([table.entries, people.entries])
        n_classes = self._classify(node, _FrequencySet(node, both, np.ones(len(both), dtype=np.int64)))
        ids, m = self._scratch.ids[: len(both)], len(table.entries)
        sizes = np.bincount(ids[:m], table.weight, n_classes).astype(np.int64)
        return sizes, np.bincount(ids[m:], people.weight, n_classes).astype(np.int64)

    def _smallest_set_below(self, node: Node) -> _FrequencySet:
        """The known frequency set of fewest entries that the set of this node can be rolled up from."""
        return min((known for known in self._sets if is_below(known.node, node)), key=lambda known: len(known.entries))

    def _remember(self, found: _FrequencySet) -> None:
        """Keep a frequency set, in place of the oldest but the bottom's where there are many."""
        if len(self._sets) >= _SETS:
            del self._sets[1]  # the bottom stays
        self._sets.append(found)

    def _frequency_set(self, node: Node, source: _FrequencySet) -> _FrequencySet:
        """The frequency set of a node whose classes have just been formed."""
        ids = self._scratch.ids
        return _FrequencySet(node, *merge_entries(ids, self._profile, source.entries, source.weight, self._n_profiles))

    def _classify(self, node: Node, source: _FrequencySet) -> int:
        """Number the classes of a set's entries at a node, in `_scratch`; returns how many there are."""
        return int(classify(self._paths.words, self._paths.mask(node), source.entries, source.weight, self._scratch))

    def _classes_that_hold(self, source: _FrequencySet, n_classes: int) -> NDArray[np.bool_]:
        """Whether each class that `_classify` has formed keeps the promise."""
        ids, sizes = self._scratch.ids, self._scratch.sizes
        return allowed_classes(self.criteria, source.entries, source.weight, self.criteria.codes, ids, sizes, n_classes)

    def _withhold_until_kept(
        self, source: _FrequencySet, n_classes: int, sizes: NDArray[np.int64], allowed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], int]:
        """Withhold classes until the rest keeps the promise: whether each class stays, and how many rows are withheld.

        Needed by promises that compare a class with the whole table, such as t-closeness: they compare it with the rows
        that are published, so that what they ask changes as rows are withheld.
        """
        ids = self._scratch.ids[: len(source.entries)]
        while (self.criteria.kind >= EMD_ORDERED).any():
            stays = allowed[ids]
            entries, weight = source.entries[stays], source.weight[stays]
            rows = np.repeat(entries, weight)
            sensitive = [restrict_to_rows(column, rows) for column in self._sensitive]
            left = criteria_for(self._promise, len(rows), sensitive)
            codes = left.codes[np.cumsum(weight) - weight]  # those of each entry
            still = allowed_classes(
                left, np.arange(len(entries)), weight, codes, ids[stays], np.where(allowed, sizes, 0), n_classes
            )
            settled = still.sum() == allowed.sum() or int(sizes[~still].sum()) > self.max_withheld
            allowed = still
            if settled:
                break
        return allowed, int(sizes[~allowed].sum())

    def _floor(self, node: Node, sizes: NDArray[np.int64]) -> float:
        """What this node and all above it cost at least."""
        if self.measure == "discernibility":
            return float((sizes**2).sum()) / max(self.n_rows, 1) ** 2
        return self.column_cost(node)

    def _cost(self, node: Node, source: _FrequencySet, sizes: NDArray[np.int64], allowed: NDArray[np.bool_]) -> float:
        """What a node costs by the measure, rows of classes that are not allowed counting as wholly lost."""
        withheld = int(sizes[~allowed].sum())
        if self.measure == "discernibility":
            return float((sizes[allowed] ** 2).sum() + withheld * self.n_rows) / max(self.n_rows, 1) ** 2
        if self.measure == "height" or not withheld:
            return self.column_cost(node)
        if self.measure == "entropy":
            return self.column_cost(node) * (1 - withheld / self.n_rows) + withheld / self.n_rows
        gone = ~allowed[self._scratch.ids[: len(source.entries)]]
        lost = 0.0
        for c, level in enumerate(node):
            at = self.levels.offset[c, level] + 1
            loss = self.levels.loss[at + self.codes[source.entries[gone], c]]
            lost += self.levels.weight[c] * float(loss @ source.weight[gone])
        return self.column_cost(node) + (withheld - lost) / self.n_rows
