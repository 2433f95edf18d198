"""What only the owner can answer after a first look: in full, and short enough for a line of a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.data.going_with import GoesWith
    from sfumato.data.inspecting import ColumnLook, Inspection
    from sfumato.data.persons import Repeats

__all__ = ["Question", "percent", "questions_of", "short_questions"]

_MAX_SAID = 8
_MOST_ITEMS = 6


@dataclass(frozen=True)
class Question:
    """A question about columns, in full and short."""

    columns: tuple[str, ...]
    long: str
    short: str
    item: str = ""
    """Of values that may mean "unknown": the column and the values, to be listed with others."""


def short_questions(asked: Sequence[Question]) -> list[str]:
    """The questions in few words; those that differ in the column alone are one."""
    items = [question.item for question in asked if question.item]
    if len(items) < 2:
        return [question.short for question in asked]
    more = f"; and in {len(items) - _MOST_ITEMS} more columns" if len(items) > _MOST_ITEMS else ""
    listed = f'Do these mean "unknown"? {"; ".join(items[:_MOST_ITEMS])}{more}'
    said = [listed if question.item else question.short for question in asked]
    return list(dict.fromkeys(said))


def percent(share: float) -> str:
    """A share in per cent, never rounded to none or all.

    >>> percent(0.5), percent(0.00001), percent(0.99999)
    ('50.0%', '<0.1%', '>99.9%')
    """
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 < share < 1:
        return ">99.9%"
    return f"{share:.1%}"


def questions_of(found: Inspection) -> list[Question]:
    """All questions: what stops `publish` first, then how cells are to be read, then what columns tell of others."""
    asked = [_of_repeats(each, found) for each in found.repeats]
    asked += [_of_dates(look) for look in found.columns if look.readings]
    asked += [_of_codes(look) for look in found.columns if look.suspected is not None]
    asked += [_of_copies(pair) for pair in found.copies]
    same = _alike(found.copies)
    told = [
        each
        for each in found.goes_with
        if same.get(each.column, each.column) != same.get(each.sensitive, each.sensitive)
    ]
    asked += [_of_going_with(each, found) for each in told[:_MAX_SAID]]
    return asked


def _of_repeats(each: Repeats, found: Inspection) -> Question:
    named = ", ".join(each.columns)
    rows = f"{each.n_rows:,} rows share {each.n_values:,} value{'s' if each.n_values != 1 else ''}"
    if each.columns != found.identifiers:
        long = f"{named} repeats: {rows}. Are these rows one person's? Promises count every row as a person."
        return Question(each.columns, long, f"{named} repeats: {rows}. One person's?")
    if found.schema.rows_are_persons:
        long = f"the identifiers repeat ({named}): {rows}; the schema says that all rows are persons"
        return Question(each.columns, long, long)
    together = f"the identifiers together repeat ({named})" if len(each.columns) > 1 else f"{named} repeats"
    long = (
        f"{together}: {rows}. Are these rows one person's? Then give each person one row. `publish` refuses until "
        f"you do, or say rows_are_persons = true."
    )
    short = f"{together}: {rows}. One person's? Then give each person one row, or say rows_are_persons = true."
    return Question(each.columns, long, short)


def _of_dates(look: ColumnLook) -> Question:
    ways = " or ".join(look.readings)
    long = (
        f"{look.name} holds dates that can be read in {len(look.readings)} ways, {ways}, and stays text until you say "
        f"which: put date_format in place of its kind in the schema."
    )
    return Question((look.name,), long, f"{look.name}: dates written {ways}? Text until you say which.")


def _of_codes(look: ColumnLook) -> Question:
    found = look.suspected
    assert found is not None
    n_cells = f"{found.n_rows:,} cell{'s' if found.n_rows != 1 else ''}"
    item = f"{look.name} {found.named} ({found.n_rows:,})"
    several = len(found.values) > 1
    they = "Do they mean" if several else "Does it mean"
    if found.read_as is not None:
        long = (
            f"{look.name}: {look.distinct:,} values, {percent(found.share)} {found.read_as}s; {found.named} in "
            f'{n_cells}. {they} "unknown"? The column stays text until its missing_values say so.'
        )
        short = f"{look.name}: {found.read_as}s but for {found.named} in {n_cells}. Unknown?"
        return Question((look.name,), long, short, item)
    then = "they count as values" if several else "it counts as a value"
    long = (
        f'{look.name}: {found.named} in {n_cells}, {found.why}. {they} "unknown"? Then uncomment missing_values in '
        f"the schema; until then {then}."
    )
    return Question((look.name,), long, f"{look.name}: {found.named} in {n_cells}. Unknown?", item)


def _alike(copies: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The first column that each of those with copies says the same as."""
    return {copy: first for first, copy in copies} | {first: first for first, _ in copies}


def _of_copies(pair: tuple[str, str]) -> Question:
    long = f"{pair[0]} and {pair[1]} say the same in every row, perhaps in other words. Leave one of them out?"
    return Question(pair, long, f"{pair[0]} and {pair[1]} say the same in every row. Leave one out?")


def _of_going_with(each: GoesWith, found: Inspection) -> Question:
    role = next(look.role for look in found.columns if look.name == each.column)
    tells = f"{each.column} goes with {each.sensitive}: the best guess from it is right for {percent(each.right)} "
    blind = f"of rows, a blind one for {percent(each.base)}"
    short = f"{each.column} tells {each.sensitive} for {percent(each.right)} of rows (blind {percent(each.base)})"
    columns = (each.column,)
    if role == "plain":
        long = f"{tells}{blind}. It would be published as it is: should it be quasi?"
        return Question(columns, long, f"{short}: quasi?")
    if role == "sensitive":
        return Question(columns, f"{tells}{blind}. Whoever knows the one guesses the other.", f"{short}.")
    long = f"{tells}{blind}. Ask for l-diversity or t-closeness, not for k alone."
    return Question(columns, long, f"{short}: ask for --l.")
