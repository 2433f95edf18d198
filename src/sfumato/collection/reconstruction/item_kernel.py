"""How a randomized set of items looks, given the true one: in exact fractions.

Evfimievski, Srikant, Agrawal & Gehrke, "Privacy preserving mining of association rules", KDD 2002. A set of m items
keeps j of them, drawn by the law p[0..m] and all alike, and every item outside comes in with probability rho. All that
matters of the law is how likely exactly q given items out of L given items of the set are kept:
h(q, L) = sum_j p[j] C(m - L, j - q) / C(m, j).

Of the k items of an itemset, l in the set become l' in the report with the probabilities of a matrix P, whose
eigenvalues are lambda_r = sum_q C(r, q) h(q, q) (-rho)^(r - q), r = 0..k, whatever k is. One of them may be 0 with
every parameter legal, and then itemsets of r items cannot be learnt, not from any number of reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb

__all__ = ["cut_and_paste_law", "eigenvalues", "kept_exactly", "states_of", "support_matrix"]


@lru_cache(maxsize=4096)
def kept_exactly(law: tuple[Fraction, ...], q: int, given: int) -> Fraction:
    """The probability that of `given` items of the set exactly those `q` are kept; `law` is that of how many are.

    >>> kept_exactly((Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)), 1, 1)
    Fraction(1, 2)
    """
    m = len(law) - 1
    return sum(
        (law[j] * Fraction(comb(m - given, j - q), comb(m, j)) for j in range(q, m - given + q + 1)), Fraction(0)
    )


def eigenvalues(law: tuple[Fraction, ...], rho: Fraction, most: int) -> list[Fraction]:
    """The eigenvalues lambda_0, ..., lambda_most of the matrices of partial supports, or up to m where that is less.

    >>> third = Fraction(1, 3)
    >>> [str(each) for each in eigenvalues((third, third, third), Fraction(1, 6), 2)]
    ['1', '1/3', '7/36']
    """
    return [
        sum((comb(r, q) * kept_exactly(law, q, q) * (-rho) ** (r - q) for q in range(r + 1)), Fraction(0))
        for r in range(min(most, len(law) - 1) + 1)
    ]


def states_of(blocks: Sequence[int], most: int | None = None) -> list[tuple[int, ...]]:
    """How many items of each block may be there: all combinations, or those of at most `most` items in all.

    >>> states_of((1, 2), most=2)
    [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    """
    every = product(*(range(block + 1) for block in blocks))
    return [state for state in every if most is None or sum(state) <= most]


def support_matrix(blocks: Sequence[int], law: tuple[Fraction, ...], rho: Fraction) -> list[list[Fraction]]:
    """The probabilities P[l'][l]: a row for each state of the report, a column for each that a set of m items can have.

    `blocks` are the sizes of itemsets without an item in common; states are those of `states_of`. With one block it is
    the matrix of partial supports.
    """
    m = len(law) - 1
    columns = []
    for true in states_of(blocks, m):
        column = dict.fromkeys(states_of(blocks), Fraction(0))
        for kept in product(*(range(inside + 1) for inside in true)):
            stays = kept_exactly(law, sum(kept), sum(true))
            for added in product(*(range(block - inside + 1) for block, inside in zip(blocks, true, strict=True))):
                chance = stays
                for block, inside, q, more in zip(blocks, true, kept, added, strict=True):
                    chance *= comb(inside, q) * _added(block - inside, more, rho)
                column[tuple(q + more for q, more in zip(kept, added, strict=True))] += chance
        columns.append(list(column.values()))
    return [list(row) for row in zip(*columns, strict=True)]


@lru_cache(maxsize=4096)
def _added(outside: int, more: int, rho: Fraction) -> Fraction:
    """The probability that so many of the items outside come in."""
    return comb(outside, more) * rho**more * (1 - rho) ** (outside - more)


@lru_cache(maxsize=1024)
def cut_and_paste_law(m: int, cutoff: int, rho: Fraction) -> tuple[Fraction, ...]:
    """The law of how many of m items are kept in all by cut-and-paste: cut first, or pasted back with probability rho.

    >>> [str(each) for each in cut_and_paste_law(2, 4, Fraction(1, 5))]
    ['16/125', '28/125', '81/125']
    """
    cut = [Fraction(1, cutoff + 1)] * min(m, cutoff + 1)
    cut += [1 - Fraction(m, cutoff + 1)] if cutoff >= m else []
    return tuple(
        sum(
            (
                cut[i] * comb(m - i, j - i) * rho ** (j - i) * (1 - rho) ** (m - j)
                for i in range(min(j, len(cut) - 1) + 1)
            ),
            Fraction(0),
        )
        for j in range(m + 1)
    )
