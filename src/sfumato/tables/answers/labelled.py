"""Labels in conditions: a reader who asks for what a value means asks for the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.contracts.question import Question
from sfumato.data.schema import Schema
from sfumato.ground.errors import ParameterError

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["compared_column", "values_for_labels"]


def values_for_labels(question: Question, schema: Schema) -> Question:
    """The question, with labels that a column is compared with by =, <> or IN replaced by the values they label.

    A text that is itself a value of the column with a label stays as it is.
    """
    from sqlglot import exp

    labelled = {column.name: column for column in schema.columns.values() if column.labels}
    for part in question.where if labelled else ():
        for literal in list(part.find_all(exp.Literal)):
            column = labelled.get(compared_column(literal) or "") if literal.is_string else None
            labels = dict(column.labels or {}) if column is not None else {}
            values = [value for value, label in labels.items() if label == literal.name]
            if column is None or not values or literal.name in labels:
                continue
            if len(values) > 1:
                raise ParameterError(
                    f"{literal.name!r} is what column {column.name!r} says of the values {', '.join(values)}; ask for "
                    f"these, as in {column.name} IN (...)"
                )
            number = column.kind in ("integer", "number")
            literal.replace(exp.Literal.number(values[0]) if number else exp.Literal.string(values[0]))
    return question


def compared_column(literal: exp.Expression) -> str | None:
    """The column that a constant is compared with by =, <> or IN, if there is one."""
    from sqlglot import exp

    above: Any = literal.parent
    if isinstance(above, (exp.EQ, exp.NEQ)):
        other = above.expression if above.this is literal else above.this
    elif isinstance(above, exp.In):
        other = above.this
    else:
        return None
    other = other.unnest()
    return str(other.name) if isinstance(other, exp.Column) else None
