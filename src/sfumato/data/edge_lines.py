"""Edges as lines of text: two names on each, read from the bytes without a Python object for each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.delimited import DELIMITERS
from sfumato.ground.errors import DataError
from sfumato.ground.kernels import kernel

__all__ = ["COMMENTS", "are_edges", "columns_of_ends", "ends_of_lines", "has_edge_lines"]

COMMENTS = "#%"
"""What a line begins with that is no edge."""

_SURE = (("source", "target"), ("from", "to"), ("src", "dst"))
"""How the columns of the two ends are called, and hardly any others."""
_LIKELY = (
    ("source", "destination"), ("src", "dest"), ("origin", "destination"), ("sender", "receiver"),
    ("sender", "recipient"), ("caller", "callee"), ("follower", "followee"), ("follower", "followed"),
    ("citing", "cited"), ("ego", "alter"), ("head", "tail"), ("u", "v"), ("i", "j"),
    ("von", "nach"), ("von", "an"), ("von", "zu"), ("quelle", "ziel"), ("start", "ziel"), ("absender", "empfanger"),
    ("absender", "empfaenger"), ("sender", "empfanger"), ("sender", "empfaenger"),
    ("de", "vers"), ("de", "a"), ("source", "cible"), ("origine", "destination"), ("depart", "arrivee"),
    ("expediteur", "destinataire"), ("origen", "destino"), ("fuente", "destino"), ("emisor", "receptor"),
    ("remitente", "destinatario"),
    *((f"{word}1", f"{word}2") for word in (
        "node", "id", "vertex", "v", "n", "user", "person", "name", "knoten", "noeud", "sommet", "nodo", "persona",
    )),
)  # fmt: skip
"""How they may be called in English, German, French and Spanish; tables of other things are called so too."""

_LOOKED_AT = 10_000  # lines below a header, to see that it is one
_FIRST = re.compile(rb"^[ \t]*([^#%\s].*)$", re.MULTILINE)
_NUMBERS = re.compile(rb"^-?\d+[ \t]*[,;|\t ][ \t]*-?\d+[ \t]*(?:[,;|\t ]|$)")
_WHOLE = re.compile(r"^-?\d+$")
_AMOUNT = re.compile(r"^[-+]?\d*[.,]\d+$|^-\d+$|^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$")
"""What no vertex is called: a fraction, a number below zero, a day."""
_NUMBER = re.compile(r"^[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?$")


def has_edge_lines(content: bytes) -> bool:
    """Whether a text begins with a comment or with two whole numbers, and so with no names of columns."""
    first = _FIRST.search(content)
    return content.lstrip()[:1] in (b"#", b"%") or (first is not None and _NUMBERS.match(first[1]) is not None)


def columns_of_ends(names: Sequence[str]) -> tuple[str, str] | None:
    """The columns that are called as those of the two ends are, the surest pair first; None where none are.

    >>> columns_of_ends(["Gewicht", "Von", "Nach"])
    ('Von', 'Nach')
    """
    plain = {_plain_name(name): name for name in reversed(names)}
    pair = next((pair for pair in (*_SURE, *_LIKELY) if pair[0] in plain and pair[1] in plain), None)
    return None if pair is None else (plain[pair[0]], plain[pair[1]])


def _plain_name(name: str) -> str:
    """The name of a column without case, accents, signs, quotes and what it is an id of: `from` for `From_Node-ID`."""
    letters = unicodedata.normalize("NFKD", name.lower().replace("œ", "oe"))
    word = "".join(each for each in letters if each.isalnum() and not unicodedata.combining(each))
    return re.sub(r"(?<=.)(?:node|knoten|noeud|nodo)?id$", "", word) if not word.startswith("id") else word


def are_edges(lines: Sequence[str]) -> bool:
    """Whether the first lines of a text can hardly be anything but edges.

    They are where all are two whole numbers, or where columns are called as those of the two ends are: by names that
    other tables have too, they must hold ids of the same things. Below a comment, which tables and baskets do not have,
    further numbers may follow the two. All else is for people to say.
    """
    filled = [line.strip() for line in lines if line.strip()]
    told = [line for line in filled if line[0] not in COMMENTS]
    if not told:
        return False
    cut = next((each for each in "\t,;|" if each in told[0]), None)
    cells = [[cell.strip() for cell in line.split(cut)] for line in told]
    if len(cells[0]) == 2 and columns_of_ends(cells[0]) == tuple(cells[0]):
        return all(len(each) == 2 and all(each) for each in cells) and _hold_ends(cells)
    if not all(len(each) >= 2 and _WHOLE.match(each[0]) and _WHOLE.match(each[1]) for each in cells):
        return False
    if filled[0][0] in COMMENTS:
        return all(_NUMBER.match(cell) for each in cells for cell in each[2:])
    return all(len(each) == 2 for each in cells)


def _hold_ends(cells: Sequence[Sequence[str]]) -> bool:
    """Whether two columns below their names hold vertices: surely by the names, or ids of which some are in both."""
    names, *rows = cells
    if _is_sure(names):
        return True
    first, second = ({row[end].strip('"') for row in rows} for end in (0, 1))
    amounts = any(_AMOUNT.match(cell) for cell in first | second)
    return bool(first & second) and not amounts and _stand_apart(names, first | second)


def _is_sure(names: Sequence[str]) -> bool:
    return (_plain_name(names[0]), _plain_name(names[1])) in _SURE


def _stand_apart(names: Sequence[str], below: Collection[str]) -> bool:
    """Whether two names are none of those below them, nor of their kind, as `v1` is of the kind of `v27`."""
    kinds = {_kind_of_name(name) for name in names}
    return bool(below) and not any(_kind_of_name(each) in kinds for each in below)


def _kind_of_name(name: str) -> str:
    word = name.strip('"').lower()
    return "a letter" if len(word) == 1 and word.isalpha() else re.sub(r"\d+$", "#", word)


def ends_of_lines(content: bytes, delimiter: str | None) -> pl.Series:
    """Return all first ends and then all second ones, as whole numbers where all are and else as text.

    Errors go on from the name of the file, as in `, line 3: ...`.
    """
    cut = delimiter if delimiter is not None else _delimiter(content)
    chars = np.frombuffer(content, dtype=np.uint8)
    spans, bad = _ends(chars, 0 if cut == " " else ord(cut))
    if bad:
        between = "blanks" if cut == " " else DELIMITERS.get(cut, repr(cut))
        raise DataError(
            f", line {bad}: an edge has two ends, and there is one, with {between} as delimiter; give both ends, or "
            f"name a vertex without edges by vertices="
        )
    if spans.shape[1] and _is_header(content, chars, spans):
        spans = spans[:, 1:]
    numbers, all_whole = _whole_numbers(chars, spans)
    return pl.Series("name", numbers if all_whole else _words(chars, spans))


def _delimiter(content: bytes) -> str:
    """Find what separates the two names on the first line that is no comment; refuse to guess where several could."""
    first = _FIRST.search(content)
    if first is None:
        return " "
    line, at = first[1].decode().rstrip(), content[: first.start()].count(b"\n") + 1
    held = [each for each in DELIMITERS if each in line]
    cut = held[0] if len(held) == 1 else " "
    if len(held) > 1 or (cut not in "\t " and re.search(r"[^\s,;|] +[^\s,;|]", line)):
        raise DataError(f", line {at}: it is not clear what parts the two ends; say it, as in delimiter={held[0]!r}")
    others = (line.split() if cut == " " else line.split(cut))[2:]
    odd = [each for each in others if each.strip() and not _NUMBER.match(each.strip())]
    if odd:
        raise DataError(
            f", line {at}: {len(others) + 2} names where an edge has two ends; say what parts them, as in "
            f"delimiter={cut!r}, or save a table as .csv with the names of its columns"
        )
    return cut


def _is_header(content: bytes, chars: NDArray[np.uint8], spans: NDArray[np.int64]) -> bool:
    """Whether the first line names the two ends, and is no edge itself."""
    a, b, c, d = spans[:, 0].tolist()
    names = [content[a:b].decode(), content[c:d].decode()]
    if columns_of_ends(names) != tuple(names):
        return False
    below = spans[:, 1 : _LOOKED_AT + 1]
    return _is_sure(names) or _stand_apart(names, _words(chars, below).to_list() if below.shape[1] else ())


def _words(chars: NDArray[np.uint8], spans: NDArray[np.int64]) -> pl.Series:
    import pyarrow as pa

    packed, offsets = _pack_names(chars, np.concatenate([spans[0], spans[2]]), np.concatenate([spans[1], spans[3]]))
    buffers = [None, pa.py_buffer(offsets.data), pa.py_buffer(packed.data)]
    return pl.Series("name", pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers))


@kernel
def _ends(chars: NDArray[np.uint8], delimiter: int) -> tuple[NDArray[np.int64], int]:
    """Where the two names of each edge start and stop, and the first line that lacks one, or 0.

    Names are separated by the delimiter, or by runs of blanks if that is 0; blanks around them do not count.
    """
    size, n_lines = chars.shape[0], 1
    for char in chars:
        n_lines += char == 10
    spans = np.empty((4, n_lines), dtype=np.int64)
    at, line, n_edges = 0, 0, 0
    while at < size:
        line += 1
        while at < size and (chars[at] == 32 or chars[at] == 9) and chars[at] != delimiter:
            at += 1
        if at < size and chars[at] != 10 and chars[at] != 35 and chars[at] != 37:
            for end in range(2):
                while at < size and (chars[at] == 32 or chars[at] == 9) and chars[at] != delimiter:
                    at += 1
                start = at
                while at < size and chars[at] != 10 and chars[at] != delimiter:
                    if delimiter == 0 and (chars[at] == 32 or chars[at] == 9):
                        break
                    at += 1
                stop = at
                while stop > start and (chars[stop - 1] == 32 or chars[stop - 1] == 9):
                    stop -= 1
                if stop == start:
                    return spans[:, :0], line
                spans[2 * end, n_edges], spans[2 * end + 1, n_edges] = start, stop
                if at < size and chars[at] == delimiter:
                    at += 1
            n_edges += 1
        while at < size and chars[at] != 10:
            at += 1
        at += 1
    return spans[:, :n_edges].copy(), 0


@kernel
def _whole_numbers(chars: NDArray[np.uint8], spans: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
    """The names as numbers, and whether all are numbers: 007 is not, nor is anything past 18 digits."""
    n = spans.shape[1]
    numbers = np.empty(2 * n, dtype=np.int64)
    for end in range(2):
        for t in range(n):
            first, stop = spans[2 * end, t], spans[2 * end + 1, t]
            negative = chars[first] == 45
            first += negative
            length = stop - first
            if length == 0 or length > 18 or (chars[first] == 48 and (length > 1 or negative)):
                return numbers, False
            value = 0
            for c in range(first, stop):
                digit = int(chars[c]) - 48
                if digit < 0 or digit > 9:
                    return numbers, False
                value = 10 * value + digit
            numbers[end * n + t] = -value if negative else value
    return numbers, True


@kernel
def _pack_names(
    chars: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Copy the names end to end; return the bytes, and where each name starts."""
    n = starts.shape[0]
    offsets = np.zeros(n + 1, dtype=np.int64)
    for t in range(n):
        offsets[t + 1] = offsets[t] + stops[t] - starts[t]
    packed = np.empty(offsets[n], dtype=np.uint8)
    for t in range(n):
        packed[offsets[t] : offsets[t + 1]] = chars[starts[t] : stops[t]]
    return packed, offsets
