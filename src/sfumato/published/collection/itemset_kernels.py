"""What published randomizers of sets of items do, from the whole numbers that they were published with.

A report of b items out of n, of which q are among the i items of the set, has the probability
h(i, q) rho^(b - q) (1 - rho)^(n - i - b + q): h is that of showing exactly those q of the i, and the others come in by
chance. Where sets are padded to m, m - i of what is drawn from are fillers, which nobody sees. Given b, all but
h rho^-q (1 - rho)^(q - i) is the same for every set, and these weights are compared over all i and q that b allows.
Where the size of a set is told, sets of that size alone are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError
from sfumato.ground.validate import is_whole
from sfumato.published.collection.kernel_parts import WHOLE, Kernel, Limits, Said, apart, count, threshold, worst

__all__ = ["ITEMSETS"]

_MOST_ITEMS = 1 << 20
_MOST_SIZE = 1_000
_MOST_WORK = 1 << 34
"""How many binary digits all products of a law may have together: some seconds."""


# -- what is told ------------------------------------------------------------------------------------------------------
def _n_items(said: Said) -> int:
    items = said.get("items")
    listed = isinstance(items, list) and all(isinstance(each, str) for each in items)
    if not listed or not 1 <= len(items) <= _MOST_ITEMS or len(set(items)) < len(items):  # type: ignore[arg-type]
        raise DataError("a published randomizer of sets lists different items, and this one does not")
    return len(items)  # type: ignore[arg-type]


def _is_padded(said: Said) -> bool:
    padded = said.get("padded")
    if not isinstance(padded, bool):
        raise DataError("a published randomizer of sets tells whether they are padded, and this one does not")
    return padded


def _pastes(said: Said) -> tuple[int, int]:
    """The weights with which an item comes in, and does not."""
    rho = threshold(said, "rho")
    if not 0 < rho < WHOLE:
        raise DataError("a published randomizer of sets lets items in sometimes, and this one always or never")
    return rho, WHOLE - rho


def _checked_sizes(said: Said, sizes: Any) -> list[int]:
    """The sizes that sets may have, rising; where they are padded, the one that they are padded to."""
    padded = _is_padded(said)
    most = _MOST_SIZE if padded else min(_n_items(said), _MOST_SIZE)
    rising = isinstance(sizes, list) and all(is_whole(each) and 0 <= each <= most for each in sizes)
    if not rising or not sizes or sorted(set(sizes)) != sizes or (padded and len(sizes) > 1):
        raise DataError(
            f"a published randomizer of sets tells rising sizes up to {most:,}, or one where sets are padded"
        )
    found: list[int] = sizes
    return found


def _kept(said: Said) -> dict[int, list[int]]:
    """Of select-a-size, by size of sets, the weights of keeping 0, 1, ... items."""
    sums = said.get("sums")
    rows = sums if isinstance(sums, Mapping) else {}
    told = [int(key) if isinstance(key, str) and key.isascii() and key.isdecimal() else -1 for key in rows]
    sizes = _checked_sizes(said, told)
    if [str(m) for m in sizes] != list(rows):
        raise DataError("a published randomizer of sets tells each size once, as a plain number")
    for m, row in zip(sizes, rows.values(), strict=True):
        whole = isinstance(row, list) and len(row) == m + 1 and all(is_whole(each) for each in row)
        if not whole or [0, *row] != sorted([0, *row]) or row[-1] != WHOLE:
            raise DataError(f"a published randomizer tells {m + 1:,} rising sums up to 2**53 for sets of {m:,} items")
    return {m: [b - a for a, b in zip([0, *rows[str(m)]], rows[str(m)], strict=False)] for m in sizes}


def _cut(said: Said) -> dict[int, list[int]]:
    """Of cut-and-paste, by size of sets, the weights of cutting 0, 1, ... items: of as many as there are, the rest."""
    cutoff = count(said, "cutoff", 1, _MOST_SIZE)
    return {
        m: [int(j <= cutoff) for j in range(m)] + [max(cutoff + 1 - m, 0)]
        for m in _checked_sizes(said, said.get("sizes"))
    }


# -- how likely a report is --------------------------------------------------------------------------------------------
def _gamma(said: Said, laws: Mapping[int, Sequence[int]], *, pastes_inside: bool) -> Fraction | None:
    n, padded, pastes = _n_items(said), _is_padded(said), _pastes(said)
    _refuse_large({m: _held(m, n, padded=padded) for m in laws}, inside=pastes_inside)
    return worst([_gamma_of_size(law, n, pastes, padded=padded, inside=pastes_inside) for law in laws.values()])


def _gamma_of_size(
    law: Sequence[int], n: int, pastes: tuple[int, int], *, padded: bool, inside: bool
) -> Fraction | None:  # fmt: skip
    """The largest ratio among sets of one size, or of at most that where they are padded."""
    m, (comes, stays_out) = len(law) - 1, pastes
    weights = {}
    for i in _held(m, n, padded=padded):
        drawn = _drawn_among(law, i)
        for q in range(i + 1):
            shown = _shows_pasted(drawn, q, pastes) if inside else drawn[q] * WHOLE**i
            weights[i, q] = shown * comes ** (m - q) * stays_out ** (m - i + q)
    # A report of b items shows at most b of a set and leaves at most n - b of it out; beyond m neither is a limit.
    windows = {(min(b, m), min(n - b, m)) for b in (range(n + 1) if n < 2 * m else (m,))}
    ratios = []
    for most_shown, most_left_out in windows:
        here = [weight for (i, q), weight in weights.items() if q <= most_shown and i - q <= most_left_out]
        ratios.append(apart(max(here), min(here)))
    return worst(ratios)


def _held(m: int, n: int, *, padded: bool) -> range:
    """How many items a set can have that m are drawn from."""
    return range(min(m, n) + 1) if padded else range(m, m + 1)


def _drawn_among(law: Sequence[int], i: int) -> list[int]:
    """The weights of drawing, of i given items, exactly s given ones, for every s: all else that is drawn are fillers.

    On the scale of m! times the sum of the law. Of select-a-size, that is h(i, s).
    """
    m = len(law) - 1
    each = [weight * factorial(j) * factorial(m - j) for j, weight in enumerate(law)]  # a given j of m, times m!
    return [sum(each[j] * comb(m - i, j - s) for j in range(s, m - i + s + 1)) for s in range(i + 1)]


def _shows_pasted(drawn: Sequence[int], q: int, pastes: tuple[int, int]) -> int:
    """h(i, q) of cut-and-paste, times 2**53 to the i: s of the q are cut, the others pasted, and the i - q neither."""
    i, (comes, stays_out) = len(drawn) - 1, pastes
    shown: int = sum(comb(q, s) * drawn[s] * comes ** (q - s) * WHOLE**s for s in range(q + 1))
    left_out: int = stays_out ** (i - q)
    return shown * left_out


def _refuse_large(held: Mapping[int, range], *, inside: bool) -> None:
    """Refuse laws that take more than seconds to write out."""
    work = 0
    for m, sizes in held.items():
        work += sum((i + 1) * (m - i + 1 + (i + 2 if inside else 0) // 2) for i in sizes) * (m + 1) * 160
    if work > _MOST_WORK:
        raise DataError(
            f"the law of a published randomizer of sets of {max(held):,} items is too large to be checked here"
        )


# -- reports -----------------------------------------------------------------------------------------------------------
def _limits(said: Said, laws: Mapping[int, Sequence[int]]) -> Limits:
    """The size of the set, where there are several, and a bit for each item."""
    size = {"size": (min(laws), max(laws))} if len(laws) > 1 else {}
    return {**size, **{f"bit_{i + 1}": (0, 1) for i in range(_n_items(said))}}


def _flaw(
    said: Said, laws: Mapping[int, Sequence[int]], reports: NDArray[np.int64], *, pastes_inside: bool
) -> str | None:  # fmt: skip
    """A size that no set has, or more or fewer items than can be shown of a set of that size."""
    first, n = int(len(laws) > 1), _n_items(said)
    sizes = reports[:, 0] if first else np.full(len(reports), next(iter(laws)))
    strange = ~np.isin(sizes, list(laws))
    if strange.any():
        row = int(strange.argmax())
        return f"row {row + 1:,} is of a set of {int(sizes[row]):,} items, and no set has as many"
    if _is_padded(said) or pastes_inside:
        return None  # nothing need be kept of a set, and any item comes in by chance
    shown = reports[:, first:].sum(axis=1)
    for m, law in laws.items():
        possible = [any(law[max(0, m + b - n) : min(m, b) + 1]) for b in range(n + 1)]
        wrong = (sizes == m) & ~np.array(possible)[shown]
        if wrong.any():
            row = int(wrong.argmax())
            return f"row {row + 1:,} shows {int(shown[row]):,} items, which a set of {m:,} items never does"
    return None


ITEMSETS: dict[str, Kernel] = {
    "select-a-size": Kernel(
        lambda said: _gamma(said, _kept(said), pastes_inside=False),
        lambda said: _limits(said, _kept(said)),
        lambda said, reports: _flaw(said, _kept(said), reports, pastes_inside=False),
    ),
    "cut-and-paste": Kernel(
        lambda said: _gamma(said, _cut(said), pastes_inside=True),
        lambda said: _limits(said, _cut(said)),
        lambda said, reports: _flaw(said, _cut(said), reports, pastes_inside=True),
    ),
}
"""Every kind of draw for sets of items."""
