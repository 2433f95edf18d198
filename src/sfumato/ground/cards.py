"""Cards: how results look in a notebook, in one small set of parts.

Every part takes plain text, escapes it and returns `Html`; what is `Html` already is taken as it is. Styles are written
into the tags, as some notebooks drop style sheets, and in colours that can be read on a light and on a dark page: text
has the colour of the page, fills and lines are see-through.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

__all__ = ["Html", "card", "chip", "facts", "folded", "grid", "lines", "roles_legend", "small"]

_LONGEST = 300

TONES: Mapping[str, str] = {
    "good": "46,139,87", "bad": "200,60,45", "unsure": "204,136,0", "calm": "128,128,128",
    "identifier": "200,60,45", "quasi": "204,136,0", "sensitive": "125,85,200", "plain": "46,139,87",
}  # fmt: skip
"""Colours as red, green and blue: of verdicts, and of the roles of columns."""
_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = "padding:2px 10px 2px 0;vertical-align:top;background:none;border:0;color:inherit;text-align:"


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def _shown(value: object) -> str:
    if isinstance(value, Html):
        return value
    said = str(value)
    return escape(said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…")


def _fill(tone: str) -> str:
    colour = TONES.get(tone, TONES["calm"])
    return f"background:rgba({colour},.16);border-left:3px solid rgba({colour},.8)"


def card(title: object, *parts: Html | str, badge: Html | str = "") -> str:
    """A box with a title, perhaps a word beside it, and parts one below the other.

    >>> "&lt;b&gt;" in card("<b>")
    True
    """
    head = f'<div style="font-weight:600;margin-bottom:4px">{_shown(title)} {_shown(badge)}</div>'
    body = "".join(f'<div style="margin:3px 0">{_shown(part)}</div>' for part in parts if part)
    style = f"border:{_LINE};border-radius:6px;padding:8px 12px;margin:4px 0;max-width:60rem;overflow-x:auto;"
    return f'<div style="{style}font-size:13px;line-height:1.45;color:inherit">{head}{body}</div>'


def chip(text: object, tone: str) -> Html:
    """A word in a colour: a verdict, or the role of a column."""
    return Html(
        f'<span style="{_fill(tone)};padding:0 6px;border-radius:3px;font-weight:500;white-space:nowrap">'
        f"{_shown(text)}</span>"
    )


def facts(pairs: Mapping[str, object]) -> Html:
    """Names and values, a line each; those without a value are left out."""
    return grid((), [(small(name), value) for name, value in pairs.items() if value not in ("", None)])


def grid(
    heads: Sequence[object], rows: Iterable[Sequence[object]], *, numbers: Iterable[int] = (), tones: Sequence[str] = ()
) -> Html:
    """A table; columns at `numbers` are set to the right, and heads are filled with their tones, if given."""
    right = set(numbers)

    def style(place: int) -> str:
        return _CELL + ("right" if place in right else "left")

    head = "".join(
        f'<th style="{style(i)};font-weight:600{";" + _fill(tones[i]) + ";padding-left:6px" if tones else ""}">'
        f"{_shown(each)}</th>"
        for i, each in enumerate(heads)
    )
    body = "".join(
        "<tr>" + "".join(f'<td style="{style(i)}">{_shown(cell)}</td>' for i, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    top = f'<thead><tr style="background:none;border-bottom:{_LINE}">{head}</tr></thead>' if head else ""
    style_of_table = "border-collapse:collapse;margin:0;font-size:13px;color:inherit"
    return Html(f'<table style="{style_of_table}">{top}<tbody>{body}</tbody></table>')


def lines(texts: Iterable[object]) -> Html:
    """Texts one below the other."""
    return Html("<br>".join(_shown(each) for each in texts))


def folded(summary: object, inner: Html | str, *, open: bool = False) -> Html:
    """What opens when its summary is clicked."""
    state = " open" if open else ""
    return Html(
        f'<details{state} style="margin-left:2px"><summary style="cursor:pointer">{_shown(summary)}</summary>'
        f'<div style="margin-left:16px">{_shown(inner)}</div></details>'
    )


def small(text: object) -> Html:
    """A remark."""
    return Html(f'<span style="opacity:.7">{_shown(text)}</span>')


def roles_legend(roles: Iterable[str]) -> Html:
    """The colours of the roles that occur."""
    return Html(" ".join(chip(role, role) for role in roles))
