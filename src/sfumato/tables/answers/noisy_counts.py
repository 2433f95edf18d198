"""Counts asked of a release of noisy counts: sums of its cells, each with an interval for the noise of the whole sum.

Noise of different cells is independent, so that the interval of a sum is that of a sum of draws: by its exact law, and
narrower than the sum of the cells' own intervals. A question is answered from one marginal, the one of which the fewest
cells are summed; that depends on the question alone. Records whose values are no keys may fit a condition too: unless
the condition rules them out, the upper end counts them.

Intervals are of 95%, each on its own; of many, some miss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import product
from operator import and_
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from sfumato.contracts.answer import Answer, Answers
from sfumato.contracts.answerer import Answerer, answerer_of
from sfumato.contracts.question import columns_of, read_question
from sfumato.ground.discrete_laplace import half_width, standard_deviation
from sfumato.ground.errors import ParameterError, suggest
from sfumato.published.tables.counted_cells import CONFIDENCE, ELSE, CountedCells, Marginal
from sfumato.published.tables.noisy_counts import NoisyCountsShape

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["CountsAnswerer"]

_ELSE_NOTE = f"records of {ELSE!r} may fit too: they are not in the estimate, and within the bounds"


@answerer_of.register
def _(shape: NoisyCountsShape) -> Answerer:
    return CountsAnswerer(shape)


class _Selection(NamedTuple):
    """The cells of a marginal that a condition selects."""

    marginal: Marginal
    cells: pl.DataFrame
    rest: int | None
    """The count of the records that may fit as well; None where the condition rules them out."""


class CountsAnswerer:
    """Answers `SELECT COUNT(*) FROM release [WHERE sex = 'f' AND ...] [GROUP BY ...]` from noisy counts."""

    def __init__(self, shape: NoisyCountsShape) -> None:
        self.shape = shape
        self.cells: CountedCells = shape.cells

    def answer(self, sql: str) -> Answer | Answers:
        """Answer a count of records, or one for each combination of the keys grouped by."""
        question = read_question(sql, self.cells.columns)
        if question.aggregate != "COUNT" or question.column is not None:
            raise ParameterError(f"{question.label} cannot be answered of counts; ask for COUNT(*)")
        used = [*question.by, *(name for part in question.where for name in columns_of(part))]
        keys = [self._keys(name) for name in question.by]
        if not question.by:
            return self._sum(self._select(question.where, {}, used))
        rows = [
            (key, self._sum(self._select(question.where, dict(zip(question.by, key, strict=True)), used)))
            for key in product(*keys)
        ]
        return Answers(question.by, rows)

    def _keys(self, name: str) -> Sequence[str]:
        keys = self.cells.keys(name)
        if keys is None:
            raise ParameterError(
                f"the keys of column {name!r} were found in the data, and records with other keys are not counted; "
                f"read the cells as they stand"
            )
        return keys

    def _select(self, where: Sequence[exp.Expression], group: Mapping[str, str], used: Sequence[str]) -> _Selection:
        """The cells that a question sums, of the marginal that has the fewest of them."""
        for name in used:
            self._keys(name)
        fitting = [each for each in self.cells.marginals if each.threshold is None and set(used) <= set(each.by)]
        if not fitting:
            asked = ", ".join(dict.fromkeys(used)) or "no column"
            listed = "; ".join(", ".join(each.by) or "no column" for each in self.cells.marginals)
            raise ParameterError(
                f"no counts with public keys are by all that is asked ({asked}); there are counts by {listed}"
            )
        made = [self._of_marginal(each, where, group) for each in fitting]
        return min(made, key=lambda each: (each.rest is not None, each.cells.height))

    def _of_marginal(
        self, marginal: Marginal, where: Sequence[exp.Expression], group: Mapping[str, str]
    ) -> _Selection:  # fmt: skip
        part = self.shape.marginal_rows(marginal)
        if not where and not group:
            return _Selection(marginal, part, None)
        rest, named = part.tail(1), part.head(part.height - 1)
        chosen = [*(self._fits(each) for each in where), *(pl.col(name) == key for name, key in group.items())]
        pinned = {*group, *(name for each in where if (name := self._pinned(each)) is not None)}
        ruled_out = pinned >= set(marginal.by)
        return _Selection(marginal, named.filter(reduce(and_, chosen)), None if ruled_out else int(rest["count"][0]))

    def _sum(self, chosen: _Selection) -> Answer:
        n, scale = chosen.cells.height, chosen.marginal.scale
        value = int(chosen.cells["count"].sum())
        margin = half_width(scale, n, CONFIDENCE)
        low, high = value - margin, value + margin
        notes: tuple[str, ...] = ()
        if chosen.rest is not None:  # each end is missed in half of the rest of the confidence, at most
            high = max(high, value + chosen.rest + half_width(scale, n + 1, CONFIDENCE))
            notes = (_ELSE_NOTE,)
        spread = standard_deviation(scale, n)
        return Answer("COUNT(*)", value, low, high, False, spread, max(low, 0), max(high, 0), notes=notes)

    # -- conditions ----------------------------------------------------------------------------------------------------

    def _pinned(self, part: exp.Expression) -> str | None:
        """The column that a part of the condition holds to public keys; None where it holds none."""
        from sqlglot import exp

        inner = part.unnest()
        return self._compared(inner)[0] if isinstance(inner, exp.EQ | exp.In) else None

    def _fits(self, node: exp.Expression) -> pl.Expr:
        """Whether a cell fits a condition made of =, <>, IN, AND, OR and NOT."""
        from sqlglot import exp

        inner = node.unnest()
        if isinstance(inner, exp.And | exp.Or):
            left, right = self._fits(inner.this), self._fits(inner.expression)
            return left & right if isinstance(inner, exp.And) else left | right
        if isinstance(inner, exp.Not):
            return ~self._fits(inner.this)
        if isinstance(inner, exp.EQ | exp.NEQ | exp.In):
            name, keys = self._compared(inner)
            fits = pl.col(name).is_in(keys)
            return ~fits if isinstance(inner, exp.NEQ) else fits
        raise ParameterError(
            f"{inner.sql('duckdb')[:60]!r} cannot be answered of cells; compare columns with keys as they are shown, "
            f"by =, <> and IN"
        )

    def _compared(self, inner: exp.Expression) -> tuple[str, list[str]]:
        """The column of a comparison, and the keys that it is compared with."""
        from sqlglot import exp

        sides = [inner.this.unnest(), *([] if isinstance(inner, exp.In) else [inner.expression.unnest()])]
        if len(sides) == 2 and isinstance(sides[1], exp.Column):
            sides.reverse()
        others = [each.unnest() for each in inner.expressions] if isinstance(inner, exp.In) else sides[1:]
        if not isinstance(sides[0], exp.Column) or not all(isinstance(o, exp.Literal | exp.Boolean) for o in others):
            raise ParameterError(
                f"{inner.sql('duckdb')[:60]!r} cannot be answered of cells; compare a column with keys in quotes"
            )
        name = sides[0].name
        asked = [o.name if isinstance(o, exp.Literal) else str(o.this).lower() for o in others]
        known = self._keys(name)
        stray = next((each for each in asked if each not in known), None)
        if stray is not None:
            raise ParameterError(f"{stray!r} is no key of column {name!r}{suggest(stray, known)}")
        return name, asked
