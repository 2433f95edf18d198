"""Accounts that an adversary makes before a graph is published, to be found in it afterwards.

Backstrom, Dwork & Kleinberg, "Wherefore art thou R3579X?", WWW 2007: k accounts along a path, every other two of them
joined by the toss of a coin, and each victim joined to a few of them. Sets of links that differ from one another in
several accounts are told apart even after some flips (Xue's thesis, s. 4.4.4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness

__all__ = [
    "MOST_ACCOUNTS", "Planted", "any_link_changes", "plant", "stranger_looks_alike", "usual_links", "usual_victims",
    "victims_look_alike",
]  # fmt: skip

MOST_ACCOUNTS = 64
_TRIES = 500  # subsets drawn for one victim before it is said that there are none


@dataclass(frozen=True, eq=False)
class Planted:
    """A graph with an adversary's accounts in it: its last vertices, in the order of their path."""

    graph: Graph
    inside: NDArray[np.bool_]
    """Which accounts are joined to one another."""
    victims: NDArray[np.int64]
    links: NDArray[np.bool_]
    """Which accounts each victim is joined to, victims by accounts."""

    @property
    def accounts(self) -> NDArray[np.int64]:
        """The vertices that the adversary made."""
        return np.arange(len(self.graph) - len(self.inside), len(self.graph))

    @property
    def degrees(self) -> NDArray[np.int64]:
        """How many neighbours each account has: known to the adversary, who made them all."""
        return np.asarray(self.inside.sum(axis=1) + self.links.sum(axis=0), dtype=np.int64)


def usual_victims(k: int, n_vertices: int) -> int:
    """How many people k accounts are aimed at in the thesis: k^2 / 4, where there are as many."""
    return min(math.ceil(k * k / 4), n_vertices)


def usual_links(k: int) -> int:
    """How many of k accounts a victim is joined to: 5, or fewer where that leaves too few ways to differ."""
    return min(5, max(k - 2, 2))


def plant(
    graph: Graph,
    k: int,
    victims: int,
    random: Randomness,
    *,
    links: int = 5,
    apart: int = 2,
    or_fewer: bool = False,
) -> Planted:
    """Make `k` accounts and join each of so many victims, drawn at random, to `links` of them.

    Any two victims are told apart by at least `apart` accounts on either side: `|S_i - S_j| >= apart`. Where so many
    sets of links are not found it is an error, unless fewer victims will do.
    """
    if not 2 <= k <= MOST_ACCOUNTS:
        raise ParameterError(f"an adversary makes 2 to {MOST_ACCOUNTS} accounts, got {k!r}")
    n = len(graph)
    if not 0 <= victims <= n:
        raise ParameterError(f"there are {n:,} people to aim at, got {victims!r} victims")
    inside = np.triu(random.spawn("inside").uniform(k * k).reshape(k, k) < 0.5, 2)
    inside |= np.eye(k, k=1, dtype=bool)
    sets = _sets_apart(k, victims, links, apart, random.spawn("links"))
    if len(sets) < victims and not or_fewer:
        raise InfeasibleError(
            f"{victims:,} sets of {links} out of {k} accounts that differ by {apart} are not found; aim at fewer "
            f"victims, or make more accounts"
        )
    chosen = random.spawn("victims").permutation(n)[: len(sets)]
    (a, b), (victim, account) = np.nonzero(inside), np.nonzero(sets)
    u, v = graph.edges
    source = np.concatenate([u, n + a, chosen[victim]])
    target = np.concatenate([v, n + b, n + account])
    return Planted(Graph.from_edges(source, target, n + k), inside | inside.T, chosen, sets)


def _sets_apart(k: int, victims: int, links: int, apart: int, random: Randomness) -> NDArray[np.bool_]:
    """Sets of accounts, drawn at random, each of which has enough that the others lack; as many as are found."""
    if not 1 <= apart <= links <= k:
        raise ParameterError(
            f"links must be from 1 to the number of accounts and apart from 1 to links, got links={links!r} and "
            f"apart={apart!r} for {k} accounts"
        )
    found = np.zeros((victims, k), dtype=bool)
    for i in range(victims):
        for _ in range(_TRIES):
            drawn = random.permutation(k)[:links]
            if i == 0 or int(found[:i, drawn].sum(axis=1).max()) <= links - apart:
                found[i, drawn] = True
                break
        else:
            return found[:i]
    return found


# -- whether victims can be told apart (the thesis's three claims) ----------------------------------------------------
def any_link_changes(k: int, mu: float) -> float:
    """The probability that some of a victim's pairs with k accounts flips (claim 1)."""
    return -math.expm1(k * math.log1p(-mu))


def stranger_looks_alike(n: int, k: int, victims: int, links: int, mu: float) -> float:
    """A bound on the probability that somebody else comes to be joined to just a victim's accounts (claim 2).

    For people who were joined to one of these accounts already.
    """
    return max(n - k - victims, 0) * mu ** (links - 1) * (1 - mu) ** (k - links + 1)


def victims_look_alike(k: int, differ: int, mu: float) -> float:
    """The probability that two victims whose links differ in so many accounts end with the same ones (claim 3).

    Links of both flip, so that one that differs comes to agree with probability 2 mu (1 - mu); the thesis lets one
    victim's flip alone, and has its inequality the wrong way round.

    >>> f"{victims_look_alike(6, 4, 0.1):.2e}"
    '7.06e-04'
    """
    either = 2 * mu * (1 - mu)
    return either**differ * (1 - either) ** (k - differ)
