"""Telling victims by which planted accounts they are joined to, once the accounts are found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.flip_rate import FlipRates

__all__ = ["exact_victims", "likely_victims"]

_NEVER = 1e-9


def exact_victims(published: Graph, accounts: NDArray[np.int32], links: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The vertex that is joined to just a victim's accounts, for every victim; -1 where there is none, or several."""
    who, joined = _joined(published, accounts)
    differ = _common(joined, ~links) + _common(~joined, links)
    return _only(who, differ == 0)


def likely_victims(
    published: Graph, accounts: NDArray[np.int32], links: NDArray[np.bool_], rates: FlipRates
) -> NDArray[np.int64]:
    """The vertex whose links come likeliest from a victim's own, for every victim; -1 where several are as likely.

    Whoever is joined to none of the accounts is not considered.
    """
    who, joined = _joined(published, accounts)
    if not len(who):
        return np.full(len(links), -1, dtype=np.int64)
    kept, lost, came, stayed = np.log(np.maximum([1 - rates.lost, rates.lost, rates.came, 1 - rates.came], _NEVER))
    likely = (
        kept * _common(joined, links) + lost * _common(~joined, links)
        + came * _common(joined, ~links) + stayed * _common(~joined, ~links)
    )  # fmt: skip
    return _only(who, likely >= likely.max(axis=0) - 1e-9)


def _joined(published: Graph, accounts: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Whoever is joined to an account and is none, and to which accounts."""
    near = [published.neighbours(int(account)) for account in accounts]
    who, at = np.unique(np.concatenate(near), return_inverse=True)
    joined = np.zeros((len(who), len(accounts)), dtype=bool)
    joined[at, np.repeat(np.arange(len(near)), [len(each) for each in near])] = True
    other = ~np.isin(who, accounts)
    return who[other].astype(np.int64), joined[other]


def _common(people: NDArray[np.bool_], victims: NDArray[np.bool_]) -> NDArray[np.float64]:
    return people.astype(np.float64) @ victims.T.astype(np.float64)


def _only(who: NDArray[np.int64], fits: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The one row that fits in each column, or -1."""
    if not len(who):
        return np.full(fits.shape[1], -1, dtype=np.int64)
    return np.where(fits.sum(axis=0) == 1, who[fits.argmax(axis=0)], -1)
