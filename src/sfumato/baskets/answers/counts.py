"""Counts of published baskets, asked in SQL: items are columns that are true or false, and `label` is the label.

Bounds are certain: a published record counts for sure where no possible world of it says otherwise, and it may count
where some world does. Labels are published as they are. The estimate weighs worlds by `item_chances`; how far that
model is off is not known to a reader, so that no standard error is given.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.baskets.estimates.item_chances import Chances, hides_among, item_chances
from sfumato.contracts.answer import Answer, Answers
from sfumato.contracts.answerer import Answerer, answerer_of
from sfumato.contracts.question import Question, read_question
from sfumato.data.column_names import padded_name
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import ParameterError
from sfumato.privacy.promise import Promise
from sfumato.published.baskets.baskets import BasketsShape

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["BasketsAnswerer"]


@answerer_of.register
def _(shape: BasketsShape) -> Answerer:
    return BasketsAnswerer(shape.data, shape.release.promise)


class BasketsAnswerer:
    """Answers counts of published baskets. Where an item is called label too, the label's column is `label_`."""

    def __init__(self, published: PublishedBaskets, promise: Promise | None) -> None:
        self.published = published
        self.k = hides_among(promise)
        self.label = padded_name("label", published.items)

    @cached_property
    def chances(self) -> Chances:
        """How likely each item is there where it is marked."""
        return item_chances(self.published, self.k)

    def answer(self, sql: str) -> Answer | Answers:
        """Answer `SELECT COUNT(*) FROM release [WHERE item AND NOT item AND label = 'x' ...] [GROUP BY label]`."""
        labelled = self.published.labels is not None
        try:
            question = read_question(sql, [*self.published.items, *([self.label] if labelled else [])])
        except ParameterError as error:
            raise self._with_examples(error) from None
        if question.aggregate != "COUNT" or question.column is not None:
            raise ParameterError(f"{question.label} cannot be answered of baskets; ask for COUNT(*)")
        having, lacking, labels = self._conditions(question)
        if not question.by:
            return self._count(having, lacking, labels)
        if question.by != (self.label,) or not labelled:
            wanted = f"GROUP BY takes {self.label}" if labelled else "leave GROUP BY out"
            raise ParameterError(f"baskets are not grouped by items; {wanted}, and ask about each item on its own")
        groups = [((each,), self._count(having, lacking, {each})) for each in sorted(self._all_labels & labels)]
        return Answers(question.by, [(key, answer) for key, answer in groups if answer.n_high])

    def _with_examples(self, error: ParameterError) -> ParameterError:
        """The error on a question that cannot be read, with how items are written; any other as it is."""
        if not any(each in str(error) for each in ("cannot be read", "takes a SELECT", "no column is called")):
            return error
        first, second = [*self.published.items, "milk", "tea"][:2]
        asked = f'SELECT COUNT(*) FROM release WHERE "{first}" AND NOT "{second}"'
        said = str(error).partition("; ask as in ")[0]
        return ParameterError(f"{said}; of baskets an item is a condition, in double quotes, as in {asked}")

    @cached_property
    def _all_labels(self) -> frozenset[str]:
        """The labels that occur in the release."""
        labels = self.published.labels
        return frozenset(labels.unique().to_list() if labels is not None else ())

    def _count(self, having: list[str], lacking: list[str], labels: frozenset[str] | set[str]) -> Answer:
        """Count records that have and lack these items and carry one of these labels."""
        found = self.published.compare(having, lacking, labels=None if labels == self._all_labels else labels)
        low, high = int(found.certain.sum()), int(found.possible.sum())
        value: Any = low
        if low < high:
            shown = found.flips != found.present[None, :]  # what the base vector has
            has = np.where(shown, self.chances.shown[found.asked], self.chances.lacked[found.asked])
            agrees = np.where(found.marked, np.where(found.present, has, 1 - has), ~found.flips)
            value = float(agrees.prod(axis=1)[found.possible].sum())
        return Answer("COUNT(*)", value, low, high, True, None, low, high)

    def _conditions(self, question: Question) -> tuple[list[str], list[str], frozenset[str]]:
        """What a question asks for: items that a record has, items that it lacks, and the labels that it may carry."""
        from sqlglot import exp

        having: list[str] = []
        lacking: list[str] = []
        labels = self._all_labels
        for part in question.where:
            inner: Any = part.unnest()
            negated = False
            while isinstance(inner, exp.Not):
                inner, negated = inner.this.unnest(), not negated
            if isinstance(inner, exp.Column) and inner.name != self._label_column:
                (lacking if negated else having).append(inner.name)
            else:
                named = self._named_labels(part, inner)
                labels = labels - named if negated != isinstance(inner, exp.NEQ) else labels & named
        return having, lacking, labels

    @property
    def _label_column(self) -> str | None:
        return self.label if self.published.labels is not None else None

    def _named_labels(self, part: exp.Expression, inner: exp.Expression) -> frozenset[str]:
        """The labels that a comparison such as `label = 'x'` or `label IN (...)` names."""
        from sqlglot import exp

        values: list[exp.Expression] | None = None
        if isinstance(inner, exp.In):
            values = [each.unnest() for each in inner.expressions] if self._is_label(inner.this) else None
        elif isinstance(inner, exp.EQ | exp.NEQ):
            left, right = inner.this.unnest(), inner.expression.unnest()
            values = [right] if self._is_label(left) else [left] if self._is_label(right) else None
        if values is None:
            raise self._refusal(part, inner)
        for value in values:
            if not isinstance(value, exp.Literal) or not value.is_string:
                raise ParameterError(
                    f"labels are text, and {self.label} is compared with {value.sql('duckdb')}; write it in quotes"
                )
        return frozenset(value.name for value in values)

    def _refusal(self, part: exp.Expression, inner: exp.Expression) -> ParameterError:
        """The error for a condition that baskets cannot answer."""
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
