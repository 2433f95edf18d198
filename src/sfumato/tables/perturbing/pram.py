"""PRAM: every category stays or becomes another, by probabilities that are published.

Gouweleeuw, Kooiman, Willenborg & de Wolf, "Post randomisation for statistical disclosure control: theory and
implementation", Journal of Official Statistics 14(4), 1998. A value stays with probability `keep`, and else becomes any
other, all alike. The invariant form has a second step that takes every value back to one that may have been behind it,
by Bayes' rule, so that every frequency is expected to be what it was. What is published is the matrix of both steps
together; whoever has it can undo the bias of any count (`estimate`). It promises nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, flag
from sfumato.privacy.promise import Promise
from sfumato.tables.perturbing.shared import columns_to_change, complete_part, named_columns, outcome_of, random_order

__all__ = ["PRAM", "invariant_matrix"]

_KINDS = ("category", "ordinal")
_MOST_VALUES = 250


@dataclass(frozen=True)
class PRAM(Method):
    """Change categories at random, column by column and record by record, and publish the probabilities.

    `columns` are those to change, by default the quasi-identifiers that are categories or ordinals; others are
    published as recorded. Missing values stay missing. With `invariant`, the published matrix tells the share of every
    value in its column; without it, frequencies are biased until `estimate` corrects them.

    `keep` is the probability that a value stays as it is.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.PRAM(keep=0.8), seed=1)
    Release(100 rows, PRAM, None is declared)
    """

    compared = ("keep = 0.95", "keep = 0.9", "keep = 0.8", "keep = 0.5")

    keep: float = 0.8
    invariant: bool = True
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        finite("keep", self.keep, asked="a probability between 0 and 1", above=0.0, below=1.0)
        flag("invariant", self.invariant)
        object.__setattr__(self, "columns", named_columns(self.columns))

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Draw every value from its row of the matrix; the published rows come in random order."""
        names = columns_to_change(table, self.columns, _KINDS, "PRAM", what="categories and ordinals")
        part, kept = complete_part(table)
        progress.step("changing categories")
        changed, disclosed = {}, {}
        for i, name in enumerate(names):
            progress.share(i / len(names))
            series = part.frame[name]
            values = series.drop_nulls().unique().sort()
            if not len(values):
                raise DataError(f"column {name!r} has no value at all in the rows that are published; leave it out")
            if len(values) > _MOST_VALUES:
                raise DataError(
                    f"column {name!r} has {len(values):,} values, and PRAM publishes a number for every two of them; "
                    f"join values until there are {_MOST_VALUES}, or leave it out"
                )
            codes = _codes(series, values)
            matrix = self._matrix(name, np.bincount(codes[codes >= 0], minlength=len(values)))
            drawn = _draw_codes(codes, matrix, random.spawn(name).uniform(len(codes)))
            changed[name] = values.gather(pl.Series(drawn, dtype=pl.Int64).replace(-1, None)).alias(name)
            disclosed[name] = {"categories": values.cast(pl.String).to_list(), "matrix": matrix.tolist()}
        progress.step("arranging rows")
        public: dict[str, Any] = {"pram": {"invariant": self.invariant, "columns": disclosed}}
        return outcome_of(table, kept, changed, public, random_order(len(part), random))

    def _matrix(self, name: str, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        m = len(counts)
        if m == 1:
            return np.ones((1, 1))
        if self.keep * m <= 1.0:
            raise ParameterError(
                f"keep={self.keep:g} keeps no more than chance of the {m} values of column {name!r}; ask for more than "
                f"{1 / m:.3g}"
            )
        matrix = np.full((m, m), (1.0 - self.keep) / (m - 1))
        np.fill_diagonal(matrix, self.keep)
        return invariant_matrix(matrix, counts / counts.sum()) if self.invariant else matrix


def invariant_matrix(matrix: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix times its reversal by Bayes' rule: applied to these shares of values, it leaves them as they are."""
    back = (matrix * shares[:, None]).T
    back /= back.sum(axis=1, keepdims=True)
    both = matrix @ back
    return np.asarray(both / both.sum(axis=1, keepdims=True))


def _codes(series: pl.Series, values: pl.Series) -> NDArray[np.int64]:
    lookup = pl.DataFrame({"value": values, "code": np.arange(len(values))})
    joined = pl.DataFrame({"value": series}).join(lookup, on="value", how="left", maintain_order="left")
    return joined["code"].fill_null(-1).to_numpy().astype(np.int64)


def _draw_codes(
    codes: NDArray[np.int64], matrix: NDArray[np.float64], uniform: NDArray[np.float64]
) -> NDArray[np.int64]:  # fmt: skip
    """For each code, a code drawn from its row of the matrix; -1 (missing) stays."""
    drawn, sums = codes.copy(), np.cumsum(matrix, axis=1)
    for code in range(len(matrix)):
        here = np.flatnonzero(codes == code)
        drawn[here] = np.minimum(np.searchsorted(sums[code], uniform[here], side="right"), len(matrix) - 1)
    return drawn
