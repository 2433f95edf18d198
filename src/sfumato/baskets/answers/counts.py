"""Counts of published baskets, asked in SQL: items are columns that are true or false, and `label` is the label.

Bounds are certain: a published record counts for sure where no possible world of it says otherwise, and it may count
where some world does. Labels are published as they are. The estimate weighs worlds as in `flips`; how far that model is
off is not known to a reader, so that no spread is told.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.baskets.estimates.item_chances import Chances, hides_among, item_chances
from sfumato.contracts.answer import Answer, Answers, free_name
from sfumato.contracts.answerer import Answerer, answerer_of
from sfumato.contracts.question import Question, read_question
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import ParameterError
from sfumato.privacy.promise import Promise
from sfumato.published.baskets.baskets import BasketsShape

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["AskedBaskets"]


@answerer_of.register
def _(shape: BasketsShape) -> Answerer:
    return AskedBaskets(shape.data, shape.release.promise)


class AskedBaskets:
    """Published baskets, ready to be asked. Where an item is called label too, the label's column is `label_`."""

    def __init__(self, published: PublishedBaskets, promise: Promise | None) -> None:
        self.published = published
        self.k = hides_among(promise)
        self.label = free_name("label", published.items)

    @cached_property
    def chances(self) -> Chances:
        """How likely marked items are there."""
        return item_chances(self.published, self.k)

    def answer(self, sql: str) -> Answer | Answers:
        """Answer `SELECT COUNT(*) FROM release [WHERE item AND NOT item AND label = 'x' ...] [GROUP BY label]`."""
        labelled = self.published.labels is not None
        question = read_question(sql, [*self.published.items, *([self.label] if labelled else [])])
        if question.aggregate != "COUNT" or question.column is not None:
            raise ParameterError(f"{question.label} cannot be answered of baskets; ask for COUNT(*)")
        having, lacking, labels = self._asked(question)
        if not question.by:
            return self._counted(having, lacking, labels)
        if question.by != (self.label,) or not labelled:
            wanted = f"GROUP BY takes {self.label}" if labelled else "leave GROUP BY out"
            raise ParameterError(f"baskets are not grouped by items; {wanted}, and ask about each item on its own")
        groups = [((each,), self._counted(having, lacking, {each})) for each in sorted(self._known & labels)]
        return Answers(question.by, [(key, answer) for key, answer in groups if answer.n_high])

    @cached_property
    def _known(self) -> frozenset[str]:
        labels = self.published.labels
        return frozenset(labels.unique().to_list() if labels is not None else ())

    def _counted(self, having: list[str], lacking: list[str], labels: frozenset[str] | set[str]) -> Answer:
        found = self.published.compare(having, lacking, labels=None if labels == self._known else labels)
        low, high = int(found.certain.sum()), int(found.possible.sum())
        value: Any = low
        if low < high:
            shown = found.flips != found.present[None, :]  # what the base vector has
            has = np.where(shown, self.chances.shown[found.asked], self.chances.lacked[found.asked])
            agrees = np.where(found.marked, np.where(found.present, has, 1 - has), ~found.flips)
            value = float(agrees.prod(axis=1)[found.possible].sum())
        return Answer("COUNT(*)", value, low, high, True, None, low, high)

    def _asked(self, question: Question) -> tuple[list[str], list[str], frozenset[str]]:
        """The items to have and to lack, and the labels that will do."""
        from sqlglot import exp

        having: list[str] = []
        lacking: list[str] = []
        labels = self._known
        for part in question.where:
            inner: Any = part.unnest()
            negated = False
            while isinstance(inner, exp.Not):
                inner, negated = inner.this.unnest(), not negated
            if isinstance(inner, exp.Column) and inner.name != self._label_column:
                (lacking if negated else having).append(inner.name)
            else:
                named = self._named(part, inner)
                labels = labels - named if negated != isinstance(inner, exp.NEQ) else labels & named
        return having, lacking, labels

    @property
    def _label_column(self) -> str | None:
        return self.label if self.published.labels is not None else None

    def _named(self, part: exp.Expression, inner: exp.Expression) -> frozenset[str]:
        """The labels that a comparison names."""
        from sqlglot import exp

        values: list[exp.Expression] | None = None
        if isinstance(inner, exp.In):
            values = [each.unnest() for each in inner.expressions] if self._is_label(inner.this) else None
        elif isinstance(inner, exp.EQ | exp.NEQ):
            left, right = inner.this.unnest(), inner.expression.unnest()
            values = [right] if self._is_label(left) else [left] if self._is_label(right) else None
        if values is None:
            raise self._refused(part, inner)
        for value in values:
            if not isinstance(value, exp.Literal) or not value.is_string:
                raise ParameterError(
                    f"labels are text, and {self.label} is compared with {value.sql('duckdb')}; write it in quotes"
                )
        return frozenset(value.name for value in values)

    def _refused(self, part: exp.Expression, inner: exp.Expression) -> ParameterError:
        said = part.sql("duckdb")
        said = said if len(said) <= 60 else said[:57] + "..."
        if type(inner).__name__ == "Literal":
            return ParameterError(f"{said} is a value and no item; an item of that name is written in double quotes")
        about = f", and {self.label} = 'x', <> or IN" if self._label_column else ""
        return ParameterError(
            f"{said!r} cannot be answered of baskets; conditions are items and NOT items{about}, joined by AND"
        )

    def _is_label(self, node: exp.Expression) -> bool:
        from sqlglot import exp

        inner = node.unnest()
        return isinstance(inner, exp.Column) and inner.name == self._label_column
