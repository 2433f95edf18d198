"""Which published vertices are the victims, by their links to the planted accounts, once these are found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sfumato.data.graph import Graph
from sfumato.graphs.flip_rate import FlipRates

__all__ = ["assigned_victims", "exact_victims", "likely_victims"]

_NEVER = 1e-9
_SAME = 1e-9


def exact_victims(published: Graph, accounts: NDArray[np.int32], links: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For every victim, the vertex joined to exactly the accounts of the victim; -1 where there is none, or several."""
    who, joined = _account_neighbours(published, accounts)
    differ = _common(joined, ~links) + _common(~joined, links)
    return _unique_fit(who, differ == 0)


def likely_victims(
    published: Graph, accounts: NDArray[np.int32], links: NDArray[np.bool_], rates: FlipRates
) -> NDArray[np.int64]:
    """For every victim, the vertex whose links are likeliest after the flips; -1 where several are as likely.

    Vertices that are joined to no account are not considered.
    """
    who, joined = _account_neighbours(published, accounts)
    if not len(who):
        return np.full(len(links), -1, dtype=np.int64)
    likely = _link_likelihoods(joined, links, rates)
    return _unique_fit(who, likely >= likely.max(axis=0) - _SAME)


def assigned_victims(
    published: Graph, accounts: NDArray[np.int32], links: NDArray[np.bool_], rates: FlipRates
) -> NDArray[np.int64]:
    """For every victim a vertex of its own, so that the likelihood ratio of all links together is the largest.

    -1 where there are fewer vertices than victims. Vertices that are joined to no account are not considered.
    """
    who, joined = _account_neighbours(published, accounts)
    found = np.full(len(links), -1, dtype=np.int64)
    if not len(who) or not len(links):
        return found
    density = min(max(published.n_edges / max(published.n_pairs, 1), _NEVER), 0.5)
    n_joined = joined.sum(axis=1)[:, None]
    usual = n_joined * np.log(density) + (len(accounts) - n_joined) * np.log1p(-density)
    weights = _link_likelihoods(joined, links, rates) - usual
    most = min(len(links), len(who))  # the best of each victim suffice, as the others take one each at most
    near = np.unique(np.argpartition(-weights, most - 1, axis=0)[:most])
    rows, columns = linear_sum_assignment(-weights[near])
    found[columns] = who[near[rows]]
    return found


def _link_likelihoods(joined: NDArray[np.bool_], links: NDArray[np.bool_], rates: FlipRates) -> NDArray[np.float64]:
    """The log likelihood of each vertex's links if it is each victim: vertices by victims."""
    kept, lost, came, stayed = np.log(np.maximum([1 - rates.lost, rates.lost, rates.came, 1 - rates.came], _NEVER))
    return np.asarray(
        kept * _common(joined, links) + lost * _common(~joined, links)
        + came * _common(joined, ~links) + stayed * _common(~joined, ~links)
    )  # fmt: skip


def _account_neighbours(published: Graph, accounts: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The vertices other than accounts that are joined to an account, and to which: vertices by accounts."""
    near = [published.neighbours(int(account)) for account in accounts]
    who, at = np.unique(np.concatenate(near), return_inverse=True)
    joined = np.zeros((len(who), len(accounts)), dtype=bool)
    joined[at, np.repeat(np.arange(len(near)), [len(each) for each in near])] = True
    other = ~np.isin(who, accounts)
    return who[other].astype(np.int64), joined[other]


def _common(people: NDArray[np.bool_], victims: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How many accounts are set in both, people by victims."""
    return people.astype(np.float64) @ victims.T.astype(np.float64)


def _unique_fit(who: NDArray[np.int64], fits: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each column, the entry of `who` whose row alone fits, or -1 where none or several do."""
    if not len(who):
        return np.full(fits.shape[1], -1, dtype=np.int64)
    return np.where(fits.sum(axis=0) == 1, who[fits.argmax(axis=0)], -1)
