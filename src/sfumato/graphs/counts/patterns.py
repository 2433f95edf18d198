"""Patterns on up to four vertices, and how flips turn one into another.

The generic framework of the thesis (s. 4.3.5): with `P[a][b]` the probability that vertices holding pattern a hold b
after the flips, counts after are on average `P^T` times counts before. The inverse of P at mu is P at -mu/(1 - 2 mu),
so that counts are taken back exactly and without solving anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations

from sfumato.graphs.flip_rate import Number, exact_mu
from sfumato.ground.errors import ParameterError

__all__ = [
    "induced_counts",
    "pattern_names",
    "pattern_of",
    "subpattern_counts",
    "transition_matrix",
    "unperturbed_counts",
]

# By the number of edges and the degrees, which tell patterns of up to four vertices apart.
_NAMES: dict[tuple[int, ...], str] = {
    (1, 1): "edge",
    (0, 0): "two vertices",
    (2, 2, 2): "triangle",
    (1, 1, 2): "wedge",
    (0, 1, 1): "edge and vertex",
    (0, 0, 0): "three vertices",
    (3, 3, 3, 3): "4-clique",
    (2, 2, 3, 3): "diamond",
    (2, 2, 2, 2): "4-cycle",
    (1, 2, 2, 3): "paw",
    (1, 1, 1, 3): "claw",
    (1, 1, 2, 2): "4-path",
    (0, 2, 2, 2): "triangle and vertex",
    (0, 1, 1, 2): "wedge and vertex",
    (1, 1, 1, 1): "two edges",
    (0, 0, 1, 1): "edge and two vertices",
    (0, 0, 0, 0): "four vertices",
}


def pattern_names(size: int) -> tuple[str, ...]:
    """The names of the patterns on `size` vertices (2, 3 or 4), densest first."""
    if size not in (2, 3, 4):
        raise ParameterError(f"patterns have 2, 3 or 4 vertices, got {size}")
    return tuple(name for degrees, name in _NAMES.items() if len(degrees) == size)


def pattern_of(size: int, edges: Iterable[tuple[int, int]]) -> str:
    """The name of the pattern that these edges make among vertices 0 to size - 1.

    >>> pattern_of(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    '4-cycle'
    """
    pattern_names(size)
    once = {(min(edge), max(edge)) for edge in edges}
    if any(a == b or a < 0 or b >= size for a, b in once):
        raise ParameterError(f"edges of a pattern join two of the vertices 0 to {size - 1}, got {sorted(once)}")
    return _name(size, once)


def _name(size: int, edges: Iterable[tuple[int, int]]) -> str:
    """The name of a pattern by its sorted degrees."""
    degrees = [0] * size
    for a, b in edges:
        degrees[a] += 1
        degrees[b] += 1
    return _NAMES[tuple(sorted(degrees))]


@cache
def _pattern_numbers(size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each set of edges, written as bits, the number of its pattern; and for each pattern one such set."""
    pairs, order = list(combinations(range(size), 2)), pattern_names(size)
    numbers = tuple(
        order.index(_name(size, (pair for bit, pair in enumerate(pairs) if edges >> bit & 1)))
        for edges in range(1 << len(pairs))
    )
    return numbers, tuple(numbers.index(a) for a in range(len(order)))


@cache
def _flip_counts(size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For patterns a and b: how many sets of edges of b lie 0, 1, 2 ... flips away from one of a."""
    numbers, one_of = _pattern_numbers(size)
    n_pairs = size * (size - 1) // 2
    table = [[[0] * (n_pairs + 1) for _ in one_of] for _ in one_of]
    for a, start in enumerate(one_of):
        for edges, b in enumerate(numbers):
            table[a][b][(start ^ edges).bit_count()] += 1
    return tuple(tuple(tuple(row) for row in rows) for rows in table)


def transition_matrix(size: int, mu: Number) -> list[list[Number]]:
    """The probability that each pattern (row) becomes each pattern (column), in the order of `pattern_names`."""
    n_pairs = size * (size - 1) // 2
    weight = [mu**r * (1 - mu) ** (n_pairs - r) for r in range(n_pairs + 1)]
    rows = _flip_counts(size) if pattern_names(size) else ()
    return [[sum(n * w for n, w in zip(cell, weight, strict=True)) for cell in row] for row in rows]


def unperturbed_counts(counts: Mapping[str, Number], size: int, mu: Number) -> dict[str, Number]:
    """Unbiased estimates of how often each pattern occurs before the flips, from how often each occurs after."""
    mu, order = exact_mu(mu), pattern_names(size)
    back = transition_matrix(size, -mu / (1 - 2 * mu))
    return {name: sum(back[a][b] * counts[seen] for a, seen in enumerate(order)) for b, name in enumerate(order)}


@cache
def subpattern_counts(size: int) -> tuple[tuple[int, ...], ...]:
    """For patterns a and b: how many subsets of the edges of b make up a, on the same vertices."""
    numbers, one_of = _pattern_numbers(size)
    return tuple(
        tuple(sum(numbers[edges] == a for edges in range(whole + 1) if edges & ~whole == 0) for whole in one_of)
        for a in range(len(one_of))
    )


def induced_counts(found: Sequence[Number], size: int) -> dict[str, Number]:
    """How many sets of vertices hold exactly each pattern, from how often each occurs as a part (`found`)."""
    order, within = pattern_names(size), subpattern_counts(size)
    counts: dict[int, Number] = {}
    for a in range(len(order)):  # densest first, so that all that hold a pattern come before it
        counts[a] = found[a] - sum(within[a][b] * counts[b] for b in counts)
    return {name: counts[a] for a, name in enumerate(order)}
