"""Planting: the accounts that an adversary makes before a graph is published, and their links to victims.

The attacks that look for these accounts afterwards are in `planted.py`.
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

__all__ = ["MOST_ACCOUNTS", "Planted", "plant", "usual_links", "usual_victims"]

MOST_ACCOUNTS = 64
_TRIES = 500  # sets of links drawn for one victim before it gives up


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
    """Add `k` accounts to a graph and join each of `victims` random people to `links` of them.

    The sets of links of any two victims differ by at least `apart` accounts on either side: `|S_i - S_j| >= apart`.
    Where not enough such sets are found it is an error, unless fewer victims will do (`or_fewer`).
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
    """Random sets of accounts, any two of which differ by `apart` accounts on either side; as many as are found."""
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
