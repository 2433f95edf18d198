"""Values that a condition asks for and no published row shows: told beside the answer, with those near them.

A count of 0 may be right, and a misspelt value gives the same 0. What is listed here is what every reader of the
release can see.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from sfumato.contracts.answer import Answer, Answers
from sfumato.contracts.question import Question
from sfumato.data.schema import Column, Schema
from sfumato.ground.errors import suggest
from sfumato.tables.answers.labelled import compared_column

__all__ = ["with_notes"]

_MOST = 20
"""Values of one question that are looked at."""
_LEAST_LETTERS = 3
"""Of a text that is looked for within values: fewer are in most of them."""
_MOST_NEAR = 3


def with_notes(
    answer: Answer | Answers,
    question: Question,
    schema: Schema,
    shown_instead: Callable[[str, str], Collection[str] | None],
) -> Answer | Answers:
    """The answer, with a note on every category asked for that no published row shows.

    `shown_instead` gives what a column shows in place of a value; None where the value is shown, or may be meant.
    """
    notes = []
    for name, value in list(dict.fromkeys(_asked_for(question, schema)))[:_MOST]:
        shown = shown_instead(name, value)
        if shown is not None:
            near = _near(value, shown, schema.columns[name])
            notes.append(f"no published row shows {value!r} in column {name!r}{near}")
    if not notes:
        return answer
    if isinstance(answer, Answer):
        return replace(answer, notes=tuple(notes))
    return Answers(answer.by, list(answer), answer.withheld, tuple(notes))


def _asked_for(question: Question, schema: Schema) -> Iterator[tuple[str, str]]:
    """The columns of categories that are compared with a text by =, <> or IN, and the text."""
    from sqlglot import exp

    kinds = {name: column.kind for name, column in schema.columns.items()}
    for part in question.where:
        for literal in part.find_all(exp.Literal):
            name = compared_column(literal) if literal.is_string else None
            if name is not None and kinds.get(name) in ("category", "ordinal"):
                yield name, literal.name


def _near(value: str, shown: Collection[str], column: Column) -> str:
    """A clause that names values near to the one asked for, or some of those there are."""
    labels = [label for code, label in (column.labels or {}).items() if code in shown]
    names = [*sorted(shown), *labels]
    within = [each for each in names if value.lower() in each.lower()] if len(value) >= _LEAST_LETTERS else []
    if 0 < len(within) <= _MOST_NEAR:
        return f"; did you mean {' or '.join(map(repr, within))}?"
    return suggest(value, names)
