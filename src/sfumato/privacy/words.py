"""Parts of the sentences that promises are told in: joined names, and the first sentence of a docstring."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["counted", "first_sentence", "join_names", "number_in_words"]


def join_names(names: Sequence[str], joint: str = "and", most: int = 8) -> str:
    """Join names as in a sentence; where there are more than `most`, only the first are named.

    >>> join_names(["age", "sex", "zip"])
    'age, sex and zip'
    """
    names = [name if len(name) <= 40 else f"{name[:38].rstrip()}…" for name in names]
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} {joint} {len(names) - most + 1} other columns"
    return f"{', '.join(names[:-1])} {joint} {names[-1]}" if len(names) > 1 else "".join(names)


def counted(n: int, noun: str) -> str:
    """A number of things, as in `2,714 classes`.

    >>> counted(1, "class"), counted(2_714, "class"), counted(3, "group")
    ('1 class', '2,714 classes', '3 groups')
    """
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


def number_in_words(value: float) -> str:
    """A parameter as it was given, with all its digits.

    >>> number_in_words(3.0), number_in_words(0.30000001)
    ('3', '0.30000001')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))


def first_sentence(docstring: str | None) -> str:
    """The first sentence of a docstring, on one line.

    >>> first_sentence("Classes of k\\n    records. And so on.")
    'Classes of k records.'
    """
    paragraph = " ".join((docstring or "").strip().split("\n\n")[0].split())
    head, stop, _ = paragraph.partition(". ")
    return head + stop.strip()
