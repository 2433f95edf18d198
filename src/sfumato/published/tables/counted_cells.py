"""What a release of counts tells of its cells: which there are, how noise was drawn, and what it spends.

`public["noisy_counts"]` lists `marginals`, each with the columns it is `by`, the `scale` of its noise and, where keys
were found in the data, the `threshold` below which none is shown; the public keys of columns, as `values` or as the
edges of `bins`; and which `neighbours` the noise was chosen for. A cell of a marginal shows a key of each of its
columns and `*` in the others. Records with a value that is no key are counted in one cell of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import polars as pl

from sfumato.data.values import SUPPRESSED, text
from sfumato.ground.discrete_laplace import half_width, upper_tail
from sfumato.ground.validate import is_number, is_whole, told
from sfumato.privacy.differential_privacy import NEIGHBOURS, records_apart

__all__ = [
    "CONFIDENCE", "ELSE", "MOST_CELLS", "NUMBERS", "CountedCells", "Marginal", "are_edges", "bin_labels", "is_writable",
    "read_cells",
]  # fmt: skip

ELSE = "everything else"
"""What a cell shows that counts the records whose values are no keys."""
NUMBERS = ("count", "low", "high")
"""The columns after those of the keys."""
CONFIDENCE = 0.95
MOST_CELLS = 1_000_000
"""How many cells a marginal with public keys may have."""
_MOST_EDGE = 2**53
_TOLD = frozenset(("neighbours", "marginals", "values", "bins"))
_TOLD_OF_MARGINALS = frozenset(("by", "scale", "threshold"))


def bin_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """How the bins between these edges are shown; each holds its lower edge, and the last its upper one too.

    >>> bin_labels((0, 18, 65.5))
    ('[0, 18)', '[18, 65.5]')
    """
    pairs = [f"[{text(low)}, {text(high)}" for low, high in pairwise(edges)]
    return (*(f"{each})" for each in pairs[:-1]), f"{pairs[-1]}]")


@dataclass(frozen=True)
class Marginal:
    """Counts by some columns."""

    by: tuple[str, ...]
    scale: float
    threshold: int | None = None
    """The least count that is shown, where keys were found in the data; None where they are public."""

    @property
    def delta(self) -> float:
        """How likely a key that one record alone has is shown: 1 and a draw reach the threshold."""
        return 0.0 if self.threshold is None else upper_tail(self.scale, self.threshold - 1)

    @property
    def margin(self) -> int:
        """How far a count may lie from the true one, in 95 of 100 draws."""
        return half_width(self.scale, 1, CONFIDENCE)


@dataclass(frozen=True)
class CountedCells:
    """The cells of a release of counts, by what it tells of itself."""

    neighbours: str
    marginals: tuple[Marginal, ...]
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bins: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The columns that some marginal is by, in the order in which they are first named."""
        return list(dict.fromkeys(name for each in self.marginals for name in each.by))

    def keys(self, name: str) -> tuple[str, ...] | None:
        """The public keys of a column, as cells show them; None where it has none."""
        return bin_labels(self.bins[name]) if name in self.bins else self.values.get(name)

    def n_cells(self, marginal: Marginal) -> int:
        """How many combinations of public keys a marginal has."""
        return math.prod(len(keys) for name in marginal.by if (keys := self.keys(name)) is not None)

    def spent(self, neighbours: str) -> tuple[Fraction, float]:
        """Epsilon, exactly, and delta of all marginals together.

        One record more or less changes one cell of a marginal by one, so that noise of this scale spends 1 / scale;
        a changed record changes two. What marginals spend adds up. Delta is the probability that a key is shown which
        one record alone has: a change removes one such key and adds another, and either is told by one draw alone.
        """
        epsilon = sum(
            (Fraction(records_apart(neighbours)) / Fraction(each.scale) for each in self.marginals), Fraction()
        )
        return epsilon, math.fsum(each.delta for each in self.marginals)

    def labels(self, marginal: Marginal) -> pl.DataFrame:
        """The cells that a marginal with public keys has, in order: one for each combination, and one for the rest."""
        rows = list(product(*(self.keys(name) or () for name in marginal.by)))
        if marginal.by:
            rows.append((ELSE,) * len(marginal.by))
        lines = {name: [row[i] for row in rows] for i, name in enumerate(marginal.by)}
        every = {name: lines.get(name, [SUPPRESSED] * len(rows)) for name in self.columns}
        return pl.DataFrame(every, schema=dict.fromkeys(self.columns, pl.String))

    def true_counts(self, marginal: Marginal, original: pl.DataFrame) -> pl.DataFrame:
        """The cells of a marginal that records of the original are in, and how many each has, in `true`."""
        shown = original.select(self._label(name, original[name]) for name in marginal.by)
        if not marginal.by:
            return pl.DataFrame({"true": [original.height]})
        outside = pl.any_horizontal(pl.col(name).is_null() for name in marginal.by)
        known = shown.with_columns(
            pl.when(outside).then(pl.lit(ELSE)).otherwise(pl.col(name)).alias(name) for name in marginal.by
        )
        return known.group_by(marginal.by).len("true").with_columns(pl.col("true").cast(pl.Int64))

    def _label(self, name: str, series: pl.Series) -> pl.Series:
        """The key of each record in a column; null where it has none."""
        if name in self.bins:
            edges, shown = self.bins[name], bin_labels(self.bins[name])
            chosen: Any = pl.when(series.is_null())
            chosen = chosen.then(None)
            for i, (low, high) in enumerate(pairwise(edges)):
                below = series <= high if i == len(shown) - 1 else series < high
                chosen = chosen.when((series >= low) & below).then(pl.lit(shown[i]))
            return pl.select(chosen.otherwise(None).cast(pl.String).alias(name)).to_series()
        distinct = series.unique().drop_nulls()
        texts = [text(value) for value in distinct.to_list()]
        allowed = set(self.values[name]) if name in self.values else None
        kept = [each if allowed is None or each in allowed else None for each in texts]
        return series.replace_strict(
            distinct, pl.Series(kept, dtype=pl.String), default=None, return_dtype=pl.String
        ).alias(name)


def read_cells(given: Any) -> CountedCells | str:
    """Read what a release tells of its counts; a clause that says what is wrong where it cannot be read."""
    if not isinstance(given, Mapping) or given.get("neighbours") not in NEIGHBOURS:
        return "the release does not say which data its noise makes alike"
    stray = next((key for key in given if key not in _TOLD), None)
    if stray is not None:
        return f"the release tells something that is not read: {told(stray)} of its counts"
    listed, values, bins = given.get("marginals"), given.get("values", {}), given.get("bins", {})
    if not isinstance(listed, list | tuple) or not listed or not all(map(_is_marginal, listed)):
        return "the release does not say by which columns it counts, or with noise of which scale"
    stray = next((key for each in listed for key in each if key not in _TOLD_OF_MARGINALS), None)
    if stray is not None:
        return f"the release tells something that is not read: {told(stray)} of its marginals"
    if not (isinstance(values, Mapping) and all(map(_are_keys, values.values()))):
        return "the release does not list the values that it counts, each once"
    if not (isinstance(bins, Mapping) and all(map(are_edges, bins.values()))):
        return "the release does not list the edges of its bins in order"
    cells = CountedCells(
        neighbours=given["neighbours"],
        marginals=tuple(Marginal(tuple(m["by"]), float(m["scale"]), m.get("threshold")) for m in listed),
        values={str(name): tuple(each) for name, each in values.items()},
        bins={str(name): tuple(each) for name, each in bins.items()},
    )
    if len({frozenset(each.by) for each in cells.marginals}) < len(cells.marginals):
        return "the release counts by the same columns twice"
    named = {*cells.values, *cells.bins}
    if len(named) < len(cells.values) + len(cells.bins) or not named <= set(cells.columns):
        return "the release lists keys of columns that it does not count by, or in two ways"
    if any(m.threshold is None and not set(m.by) <= named for m in cells.marginals):
        return "keys were found in the data, and the release tells no threshold that hides the rare ones"
    if any(m.threshold is None and cells.n_cells(m) > MOST_CELLS for m in cells.marginals):
        return f"the release tells of more than {MOST_CELLS:,} cells of a marginal"
    return cells


def _is_marginal(given: Any) -> bool:
    if not isinstance(given, Mapping) or not isinstance(given.get("by"), list | tuple):
        return False
    by, scale, threshold = given["by"], given.get("scale"), given.get("threshold")
    named = all(isinstance(name, str) and is_writable(name) for name in by) and len(set(by)) == len(by)
    reached = threshold is None or (is_whole(threshold) and threshold >= 1)
    return named and is_number(scale) and 0 < scale < 1e15 and reached


def _are_keys(given: Any) -> bool:
    if not isinstance(given, list | tuple) or not given or not all(isinstance(each, str) for each in given):
        return False
    return len(set(given)) == len(given) and not {SUPPRESSED, ELSE, ""} & set(given) and all(map(is_writable, given))


def is_writable(key: str) -> bool:
    """Whether a text can be written to a file: half of a character cannot.

    >>> is_writable("é"), is_writable("\\ud800")
    (True, False)
    """
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


def are_edges(given: Any) -> bool:
    """Whether these are two or more rising numbers, of which whole ones are also known as floating point.

    >>> are_edges([0, 18, 65.5]), are_edges([0, 10**30])
    (True, False)
    """
    return (
        isinstance(given, list | tuple) and len(given) >= 2 and all(map(is_number, given))
        and all(low < high for low, high in pairwise(given))
        and all(isinstance(each, float) or abs(each) <= _MOST_EDGE for each in given)
    )  # fmt: skip
