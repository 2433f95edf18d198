"""What the exact searches of `l_exact.py` and `dual_exact.py` share: boundaries between the groups of a line.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, definitions 5 and 6. Records are numbered along the line; the
records of one sensitive value, in their order, are its *domain*. A *boundary* says how many records of each domain lie
before it, and a group is what lies between two boundaries: groups come in one order that every domain agrees with.
There are as many boundaries as the product of (records of a value + 1).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.validate import is_whole

__all__ = [
    "BestPrefixes",
    "Boundary",
    "Domains",
    "Labels",
    "Loss",
    "check_effort",
    "check_eligible",
    "counts_between",
    "domains_of",
    "empty_prefix",
    "frontier",
    "is_eligible",
    "no_records_error",
    "trace_groups",
]

Labels: TypeAlias = NDArray[np.integer[Any]]
Loss: TypeAlias = Callable[[Sequence[int]], float]
"""The loss of a group, given as a list of record numbers that rise."""
Domains: TypeAlias = list[list[int]]
Boundary: TypeAlias = tuple[int, ...]
BestPrefixes: TypeAlias = list[dict[Boundary, tuple[float, Boundary]]]
"""By the number of records before it: a boundary, the best value of a partition up to it, the boundary it follows."""

_GROUPS_PER_STATE = 50
"""How many groups may be looked at for each state that is allowed."""


def domains_of(labels: Labels, max_states: int) -> Domains:
    """The records of each value in their order; refused when they have more than `max_states` boundaries."""
    labels = np.asarray(labels)
    if not labels.size:
        raise no_records_error()
    values, counts = np.unique(labels, return_counts=True)
    states = math.prod(count + 1 for count in counts.tolist())
    if states > max_states:
        raise InfeasibleError(
            f"the optimal cut of {labels.size:,} records with {values.size:,} sensitive values needs up to "
            f"{_count_text(states)} states, more than {max_states:,}; leave out solve= to use the heuristic, "
            f"or cut fewer records"
        )
    return [np.flatnonzero(labels == value).tolist() for value in values]


def check_eligible(domains: Domains, l: int) -> None:  # noqa: E741  the literature's own letter
    """Refuse an l that no partition reaches."""
    if not (is_whole(l) or isinstance(l, np.integer)) or l < 1:
        raise ParameterError(f"the optimal cut takes a whole number l of 1 or more, got {l!r}")
    counts = list(map(len, domains))
    if not is_eligible(counts, l):
        raise InfeasibleError(
            f"l={l} cannot be met: the most frequent sensitive value has {max(counts):,} of {sum(counts):,} records; "
            f"lower l to {sum(counts) // max(counts)}"
        )


def check_effort(looked_at: int, max_states: int) -> None:
    """Stop a search that has looked at too many groups to end soon."""
    if looked_at > _GROUPS_PER_STATE * max_states:
        raise InfeasibleError(
            f"the optimal cut has more than {_GROUPS_PER_STATE * max_states:,} groups to look at; leave out "
            f"solve= to use the heuristic, or cut fewer records"
        )


def no_records_error() -> InfeasibleError:
    """The error for an empty table."""
    return InfeasibleError("there are no records to cut into groups")


def is_eligible(counts: Sequence[int], l: int) -> bool:  # noqa: E741
    """Whether records with these counts of each value can be cut into l-diverse groups: no value has more than 1/l."""
    return max(counts) * l <= sum(counts)


def counts_between(b: Boundary, a: Boundary) -> list[int]:
    """How many records of each value lie between two boundaries."""
    return list(map(operator.sub, a, b))


def frontier(domains: Domains, b: Boundary) -> list[tuple[int, int]]:
    """The first record of each domain past a boundary, with the number of the domain, in the order of the line."""
    return sorted((domain[i], q) for q, (domain, i) in enumerate(zip(domains, b, strict=True)) if i < len(domain))


def empty_prefix(domains: Domains, value: float) -> BestPrefixes:
    """The table of a dynamic programme before its first step: the empty prefix alone, with this value."""
    nothing = (0,) * len(domains)
    return [{nothing: (value, nothing)}, *({} for domain in domains for _ in domain)]


def trace_groups(domains: Domains, reached: BestPrefixes) -> list[list[int]]:
    """The groups of the best partition, read back from the last boundary to the start."""
    a = tuple(map(len, domains))
    groups: list[list[int]] = []
    while any(a):
        _, b = reached[sum(a)][a]
        groups.append(sorted(record for q, domain in enumerate(domains) for record in domain[b[q] : a[q]]))
        a = b
    return groups[::-1]


def _count_text(states: int) -> str:
    """A count as text, as a power of ten where it is too long to write out."""
    return f"{states:,}" if states < 10**12 else f"10^{int(math.log10(states))}"
