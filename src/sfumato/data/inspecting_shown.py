"""A first look on a terminal: what singles people out first, then questions, then a short line for each column."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.table import Table as Grid
from rich.text import Text

from sfumato.data.inspecting_file import HIPAA
from sfumato.data.inspecting_questions import percent, short_questions

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

    from sfumato.data.inspecting import ColumnLook, Inspection

__all__ = ["Screen"]

_COLOURS = {"identifier": "red", "quasi": "yellow", "sensitive": "magenta", "plain": "green"}
_NOTICE = "Roles are suggestions, not decisions: only you know what an outsider can know."
_SECRET = "Is no column a secret? If one is, declare it sensitive."
_QUESTION_LINES = 8
_NAME, _WHY = 28, 24


class Screen:
    """A first look as rich prints it, in the width that the terminal has."""

    def __init__(self, found: Inspection, notice: str, *, wide: bool) -> None:
        self.found, self.notice, self.wide = found, notice, wide

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Give rich the parts from top to bottom."""
        width = max(options.max_width, 40)
        n_columns = len(self.found.columns)
        yield Text(f"{self.found.n_rows:,} rows, {n_columns} column{'s' if n_columns != 1 else ''}")
        yield from _wrapped(_message(self.found), width, "bold")
        if (loud := self.found.nothing_sensitive) is not None:
            first, _, rest = loud.partition(": ")
            said = f"{first.upper()}: {rest}" if self.wide else f"{first.upper()}. {_SECRET}"
            yield from _wrapped(said, width, "bold red")
        yield from self._questions(width)
        yield Text()
        yield _wide_grid(self.found.columns) if self.wide else _grid(self.found.columns, width)
        if self.wide:
            yield from _pairs(self.found)
            if any(look.hipaa for look in self.found.columns):
                yield Text("\n" + HIPAA, style="dim")
        else:
            yield from _wrapped(_legend(self.found), width, "dim")
        yield from _wrapped(self.notice if self.wide else _NOTICE, width, "bold")

    def _questions(self, width: int) -> Iterator[RenderableType]:
        """The questions, short and as many as leave room for the columns, or all of them in full."""
        asked = self.found.questions if self.wide else short_questions(self.found.asked)
        if not asked:
            return
        yield Text("\nAsk yourself", style="bold")
        lines = [_wrapped(f"- {question}", width, "", indent="  ") for question in asked]
        shown = len(lines) if self.wide else _n_that_fit([len(each) for each in lines])
        for each in lines[:shown]:
            yield from each
        if shown < len(asked):
            yield Text(f"- and {len(asked) - shown} more, in the schema file and with --wide")


def _n_that_fit(heights: Sequence[int]) -> int:
    """How many questions leave room for the columns, with a line on the others where there are any."""
    if sum(heights) <= _QUESTION_LINES:
        return len(heights)
    return sum(total <= _QUESTION_LINES - 1 for total in itertools.accumulate(heights))


def _message(found: Inspection) -> str:
    """Who stands out, and by which pair."""
    t = found.together
    if t is None:
        return "No column looks like something that an outsider knows."
    what = f"The {len(t.columns)} columns that an outsider may know single out" if len(t.columns) > 1 else (
        f"What an outsider may know, {t.columns[0]}, singles out"
    )  # fmt: skip
    few = f"{percent(t.small_share)} are in groups of fewer than {t.small}"
    said = f"{what} {percent(t.unique_share)} of rows, and {few}."
    if found.pairs and found.pairs[0].unique_share:
        worst = found.pairs[0]
        said += f" Two are enough for {percent(worst.unique_share)}: {' + '.join(worst.columns)}."
    return said


def _wrapped(said: str, width: int, style: str, indent: str = "") -> list[Text]:
    """The sentence in lines of this width, words whole where they fit."""
    if not said:
        return []
    lines = textwrap.wrap(said, width, subsequent_indent=indent, break_on_hyphens=False)
    return [Text(line, style=style) for line in lines]


def _legend(found: Inspection) -> str:
    said = []
    if any(look.suspected is not None for look in found.columns):
        said.append('?: with cells that may mean "unknown".')
    if any(not look.short and not look.declared for look in found.columns):
        said.append("No why: nothing is known of it, so an outsider might know it.")
    return " ".join(said)


def _short_why(look: ColumnLook) -> str:
    """Why, in at most 24 characters; how cells are to be read comes first."""
    found = look.suspected
    if found is not None and found.read_as is not None:
        return f"{min(found.share, 0.99):.0%} {found.read_as}s, {found.named}"
    if look.readings:
        return "dates: day or month?"
    if look.code is not None and not look.short:
        return look.code
    return look.short


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 1)] + "…"


def _cells(look: ColumnLook) -> tuple[str, ...]:
    n_missing = look.missing + (look.suspected.n_rows if look.suspected is not None else 0)
    missing = f"{n_missing:,}{'?' if look.suspected is not None else ''}"
    return look.name, look.kind, f"{look.distinct:,}", missing, percent(look.unique_share), look.role, _short_why(look)


def _grid(columns: Sequence[ColumnLook], width: int) -> Text:
    """One line for each column; long names and reasons are cut."""
    heads = ("column", "kind", "distinct", "missing", "unique", "role", "why")
    rows = [_cells(look) for look in columns]
    widths = [max(len(heads[i]), *(len(row[i]) for row in rows), 1) if rows else len(heads[i]) for i in range(7)]
    widths[0], widths[6] = min(widths[0], _NAME), min(widths[6], _WHY)
    over = sum(widths) + 6 - width
    for i, least in ((6, 18), (0, 14), (6, 10), (0, 6)):
        cut = max(0, min(over, widths[i] - least))
        widths[i], over = widths[i] - cut, over - cut
    right = (2, 3, 4)
    drawn = Text(no_wrap=True, overflow="ellipsis")
    for n, row in enumerate([heads, *rows]):
        for i, cell in enumerate(row):
            shown = _cut(cell.replace("\n", " "), widths[i])
            style = "bold" if n == 0 else _COLOURS[row[5]] if i == 5 else ""
            padded = shown.rjust(widths[i]) if i in right else shown.ljust(widths[i]) if i < 6 else shown
            drawn.append(padded, style=style)
            drawn.append(" " if i < 6 else "")
        drawn.append("\n" if n < len(rows) else "")
    return drawn


def _wide_grid(columns: Sequence[ColumnLook]) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for heading in ("column", "kind"):
        grid.add_column(heading)
    for heading in ("distinct", "missing", "unique"):
        grid.add_column(heading, justify="right")
    grid.add_column("role", style="bold")
    grid.add_column("why", overflow="fold")
    for look in columns:
        name, *figures, role, _ = _cells(look)
        why = look.reason + (f"; whole numbers that seem to be codes ({look.code})" if look.code is not None else "")
        grid.add_row(Text(name), *figures, Text(role, style=_COLOURS[look.role]), Text(why))
    return grid


def _pairs(found: Inspection) -> Iterator[RenderableType]:
    if not found.pairs:
        return
    pairs = Grid(title="\nPairs that single out most rows", title_justify="left", box=None, padding=(0, 2, 0, 0))
    pairs.add_column("columns")
    pairs.add_column("rows unique", justify="right")
    for pair in found.pairs:
        pairs.add_row(Text(" + ".join(pair.columns)), percent(pair.unique_share))
    yield pairs
