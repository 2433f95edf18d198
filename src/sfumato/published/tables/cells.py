"""Published cells placed on the domain of their column, for whoever checks or measures a release.

`ShownColumn` parses every distinct cell once and says which values of the original domain it covers: codes `low`
to `high` (in the order of `Coded`), or for a set the codes in `members`. Knows nothing of any method.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded, encode_series
from sfumato.data.schema import Column
from sfumato.data.shown import Cell, Form, parse, parse_bound
from sfumato.data.tree import Tree
from sfumato.data.values import as_number

__all__ = ["ShownColumn", "place_cells"]


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """One published column: its distinct cells, and what each covers of the original's domain."""

    name: str
    form: Form
    coded: Coded
    """The original column: codes of the original rows, and the domain."""
    cells: list[Cell]
    number: NDArray[np.int64]
    """For each published row, which cell it shows."""
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    """Codes covered, inclusive; `low > high` where a cell covers no value (only missing ones, or none at all)."""
    members: list[NDArray[np.int64]] | None
    """For sets: the codes covered, rising."""

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Whether each cell covers a missing value."""
        return np.array([cell.missing for cell in self.cells], dtype=bool)

    @cached_property
    def loss(self) -> NDArray[np.float64]:
        """The normalised certainty penalty of each cell, from 0 (one value) to 1 (anything).

        A range costs its extent over that of the domain, a node the share of leaves below it, a set the share of
        values in it; one value costs nothing. Where missing and present values mix, half is lost, and half of
        what the present ones cost. In a set a missing value is one more value.
        """
        losses = np.zeros(len(self.cells))
        for i, cell in enumerate(self.cells):
            losses[i] = self._loss_of(i, cell)
        return losses

    def _loss_of(self, i: int, cell: Cell) -> float:
        if cell.everything:
            return 1.0
        if self.members is not None:
            n = len(self.members[i]) + cell.missing
            return n / (self.coded.n_codes + self.coded.has_missing) if n > 1 else 0.0
        if self.low[i] > self.high[i]:
            return 0.0
        tree = self.coded.tree
        if tree is not None:
            loss = float(tree.loss[_shown_node(tree, cell.node, int(self.low[i]), int(self.high[i]))])
        else:
            loss = float(self.coded.position[self.high[i]] - self.coded.position[self.low[i]])
        return 0.5 + 0.5 * loss if cell.missing else loss

    def covers(self, cell: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether each of these cells covers the value of the same place in `codes` (-1 is missing)."""
        present = (codes >= self.low[cell]) & (codes <= self.high[cell])
        if self.members is not None:
            starts = np.cumsum([0, *(len(m) for m in self.members)])
            flat = np.concatenate([np.empty(0, dtype=np.int64), *self.members])
            base = np.int64(self.coded.n_codes + 1)
            keys = np.repeat(np.arange(len(self.members)), np.diff(starts)) * base + flat
            wanted = cell * base + codes
            at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
            present = keys[at] == wanted if len(keys) else np.zeros(len(cell), dtype=bool)
        return np.asarray(np.where(codes < 0, self.missing[cell], present), dtype=bool)


def _shown_node(tree: Tree, label: str | None, low: int, high: int) -> int:
    """The node that a cell names: it need not be the lowest one that covers the same values of the data."""
    for node in reversed(tree.nodes_of.get(label or "", ())):
        if tree.first[node] == low and tree.last[node] == high:
            return node
    return tree.lowest_cover(low, high)


def place_cells(shown: pl.Series, form: Form, original: pl.Series, column: Column) -> ShownColumn:
    """Parse a published column and find what each cell covers of the domain of the original column."""
    coded = encode_series(original, column)
    texts = shown.cast(pl.String)
    distinct = texts.unique(maintain_order=True)
    lookup = pl.DataFrame({"text": distinct, "number": np.arange(len(distinct))})
    joined = pl.DataFrame({"text": texts}).join(lookup, on="text", how="left", nulls_equal=True, maintain_order="left")
    cells = [parse(value, form) for value in distinct.to_list()]
    low, high = np.ones(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.int64)
    members: list[NDArray[np.int64]] | None = None
    if form == "set" or (form == "value" and coded.shape == "set"):
        members = _members(cells, coded)
        low[:], high[:] = 0, coded.n_codes - 1
    else:
        for i, cell in enumerate(cells):
            low[i], high[i] = _extent(cell, form, coded, column)
    return ShownColumn(column.name, form, coded, cells, joined["number"].to_numpy(), low, high, members)


def _members(cells: list[Cell], coded: Coded) -> list[NDArray[np.int64]]:
    code_of = {value: code for code, value in enumerate(coded.values.cast(pl.String).to_list())}
    everything = np.arange(coded.n_codes)
    members = []
    for cell in cells:
        values = cell.members or ((cell.low,) if cell.low is not None else ())
        codes = sorted(code_of.get(value, -1) for value in values if value is not None)
        members.append(
            everything if cell.everything else np.array([code for code in codes if code >= 0], dtype=np.int64)
        )
    return members


def _extent(cell: Cell, form: Form, coded: Coded, column: Column) -> tuple[int, int]:
    if cell.everything:
        return 0, coded.n_codes - 1
    if form == "node" and cell.node is not None and coded.tree is not None:
        return _leaves(cell.node, coded.tree)
    if cell.low is None or cell.high is None:
        return 1, 0
    if coded.tree is not None:  # a mode, shown as the value itself
        return _leaves(cell.low, coded.tree)
    if column.kind == "ordinal":
        values = coded.values.to_list()
        if cell.low not in values or cell.high not in values:
            return 1, 0
        return values.index(cell.low), values.index(cell.high)
    kind = "number" if form == "value" and column.kind == "integer" else str(column.kind)
    numbers = coded.numbers
    first = int(np.searchsorted(numbers, as_number(parse_bound(cell.low, kind)), side="left"))
    last = int(np.searchsorted(numbers, as_number(parse_bound(cell.high, kind)), side="right")) - 1
    return first, last


def _leaves(label: str, tree: Tree) -> tuple[int, int]:
    """The leaves below the node of that label; a label used twice stands for the first node that has it."""
    node = tree.nodes_of.get(label, (-1,))[0]
    return (int(tree.first[node]), int(tree.last[node])) if node >= 0 else (1, 0)
