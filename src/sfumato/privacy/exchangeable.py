"""Exchangeability: the records of a block cannot be told apart by what is published of their quasi-identifiers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.privacy.promise import Finding, OfSize
from sfumato.privacy.words import counted, join_names

if TYPE_CHECKING:
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["Exchangeable", "distinguishing_property"]


@dataclass(frozen=True)
class Exchangeable(OfSize):
    """Every record is one of at least k that change places in what is published without any statement changing.

    Values are drawn uniformly among all that keep the published properties. Where these stay the same when the records
    of a block change places, so does the law of the draw: whoever links through the quasi-identifiers finds the right
    record with probability at most 1/k, whatever they compute. It says nothing of what the k have in common.

    Checked on what is published: every row is in a block of at least k that lack the same values, and the properties,
    as a set, are the same after any two records of a block changed places. A table that shows classes is checked as
    k-anonymity is: the records of a class look the same.

    >>> import sfumato as sf
    >>> sf.Exchangeable(4)
    Exchangeable(k=4)
    """

    speaks_of = "records"
    kept_by_groups = True

    k: int

    def __post_init__(self) -> None:
        """Check k."""
        self._check_k(2)

    @property
    def name(self) -> str:
        """As in `blocks of 5 exchangeable records`."""
        return f"blocks of {self.k:,} exchangeable records"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """How likely it is that a link is right."""
        return (
            f"Whoever knows a person’s {join_names(quasi, 'or') or 'quasi-identifiers'} and links by them picks the "
            f"right record with probability at most 1 in {self.k:,}: every record is one of at least {self.k:,} that "
            f"nothing published tells apart."
        )

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Count the records of every block, and look for a property that tells the records of a block apart."""
        published = classes.files.get("blocks")
        if published is None:
            smallest = int(classes.sizes.min()) if classes.n_classes else self.k
            found = f"smallest {classes.noun} {smallest:,} in {counted(classes.n_classes, classes.noun)}"
            return [Finding(promise=repr(self), holds=smallest >= self.k, value=float(smallest), found=found)]
        if (
            published.columns != ["block"]
            or not published["block"].dtype.is_integer()
            or published["block"].null_count()
        ):
            found = "the table of blocks is not well formed"
            return [Finding(promise=repr(self), holds=False, value=0.0, found=found)]
        if published.height != classes.n_rows:
            found = f"{published.height:,} rows have a block and {classes.n_rows:,} are published"
            return [Finding(promise=repr(self), holds=False, value=0.0, found=found)]
        _, blocks, sizes = np.unique(published["block"].to_numpy(), return_inverse=True, return_counts=True)
        smallest = int(sizes.min()) if len(sizes) else self.k
        try:
            apart = _lacking(classes, blocks) or distinguishing_property(classes.files.get("properties"), blocks)
        except (pl.exceptions.PolarsError, ValueError, IndexError, OverflowError):
            apart = "the properties cannot be read"
        found = f"smallest block {smallest:,} in {len(sizes):,}" + (f"; {apart}" if apart else "")
        kept = smallest >= self.k and not apart  # that values were drawn alike within a block, no release can prove
        value = 1.0 if apart else float(smallest)
        return [Finding(promise=repr(self), holds=False, declared=kept, value=value, found=found)]


def _lacking(classes: PublishedClasses, blocks: NDArray[np.int64]) -> str | None:
    """Say so where records of a block lack different values, which tells them apart; None where none do."""
    lacks = classes.frame.select(pl.col(classes.quasi).is_null()).with_columns(pl.Series("block", blocks))
    if lacks.unique().height == lacks["block"].n_unique():
        return None
    return "in some block one record lacks a value that another has"


def distinguishing_property(properties: pl.DataFrame | None, blocks: NDArray[np.int64]) -> str | None:
    """Describe the first property that is not the same for all records of a block; None where there is none."""
    if properties is None:
        return "the properties are not published, so they cannot be checked"
    lengths = properties["rows"].list.len().to_numpy().astype(np.int64)
    of = np.repeat(np.arange(properties.height), lengths)
    row = properties["rows"].list.explode(empty_as_null=False).to_numpy().astype(np.int64)
    column = properties["columns"].list.explode(empty_as_null=False).to_numpy().astype(np.int64)
    coefficient = properties["coefficients"].list.explode(empty_as_null=False).to_numpy()
    sizes = np.bincount(blocks)
    done = _whole_blocks(of, row, column, coefficient, blocks, sizes, properties.height)
    counted = _types(properties, np.flatnonzero(~done), lengths, row, column, coefficient, blocks)
    for kind, rows in counted.items():
        if len(rows) != _orbit(kind[0], sizes):
            return f"the property {properties['property'][next(iter(rows.values()))]} tells records of a block apart"
    return None


def _whole_blocks(
    of: NDArray[np.int64], row: NDArray[np.int64], column: NDArray[np.int64], coefficient: NDArray[np.float64],
    blocks: NDArray[np.int64], sizes: NDArray[np.int64], n: int,
) -> NDArray[np.bool_]:  # fmt: skip
    """For each property, whether it treats all records of every block it touches alike: then they can change places."""
    done = np.ones(n, dtype=bool)
    if not len(of):
        return done
    order = np.lexsort((row, blocks[row], column, of))
    keys = np.stack([of[order], column[order], blocks[row][order]])
    starts = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    counts = np.diff(np.append(starts, len(order)))
    ordered = coefficient[order]
    alike = np.minimum.reduceat(ordered, starts) == np.maximum.reduceat(ordered, starts)
    distinct = np.append(True, np.diff(row[order]) != 0)
    distinct[starts] = True
    n_rows = np.add.reduceat(distinct.astype(np.int64), starts)
    whole = alike & (counts == n_rows) & (n_rows == sizes[keys[2, starts]])
    np.logical_and.at(done, keys[0, starts], whole)
    return done


def _types(
    properties: pl.DataFrame, which: NDArray[np.int64], lengths: NDArray[np.int64], row: NDArray[np.int64],
    column: NDArray[np.int64], coefficient: NDArray[np.float64], blocks: NDArray[np.int64],
) -> dict[Any, dict[Any, int]]:  # fmt: skip
    """Group the other properties by what they say of blocks; of each kind, the different ones and where each stands."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    bound, equal = properties["bound"].to_list(), properties["equal"].to_list()
    names = properties["property"].cast(pl.String).to_list()  # a name of its own tells a row apart, too
    found: dict[Any, dict[Any, int]] = {}
    for r in which.tolist():
        entries: dict[int, dict[int, float]] = {}
        for e in range(starts[r], starts[r + 1]):
            record = entries.setdefault(int(row[e]), {})
            record[int(column[e])] = record.get(int(column[e]), 0.0) + float(coefficient[e])
        exact = tuple(sorted((i, tuple(sorted(record.items()))) for i, record in entries.items()))
        kind = tuple(sorted((int(blocks[i]), record) for i, record in exact))
        found.setdefault((kind, bound[r], equal[r], names[r]), {})[exact] = r
    return found


def _orbit(kind: Any, sizes: NDArray[np.int64]) -> int:
    """How many different properties there are of a kind: in how many ways its records can be placed in their blocks."""
    ways = 1
    for block, records in _by_block(kind).items():
        free = int(sizes[block])
        for times in Counter(records).values():
            ways *= math.comb(free, times)
            free -= times
    return ways


def _by_block(kind: Any) -> dict[int, list[Any]]:
    result: dict[int, list[Any]] = {}
    for block, record in kind:
        result.setdefault(block, []).append(record)
    return result
