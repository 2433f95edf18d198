"""Votes of the records behind a published one, against the thesis' example and counts."""

import numpy as np
import pytest

from sfumato.baskets.voting import vote
from sfumato.data.baskets import Baskets
from sfumato.ground.randomness import Randomness
from support.small_baskets import BITS, EXAMPLE, TSP


def test_the_votes_of_the_example():
    found = vote(EXAMPLE, TSP, 3, Randomness(0))
    base, differs = found.base.to_scipy().toarray(), found.differs.to_scipy().toarray()
    shown = {
        int(TSP[j]) + 1: ("".join(map(str, base[j])), "".join(map(str, differs[j])), int(found.threshold[j]))
        for j in range(6)
    }
    assert shown == {
        1: ("1101", "1011", 2), 2: ("1110", "1101", 2), 3: ("0111", "1011", 2),
        4: ("0111", "1101", 2), 5: ("1100", "0011", 1), 6: ("1110", "0111", 2),
    }  # fmt: skip
    errors = [sum(a != b for a, b in zip(BITS[TSP[j]], shown[int(TSP[j]) + 1][0], strict=True)) for j in range(6)]
    rate = sum(error / BITS[TSP[j]].count("1") for j, error in enumerate(errors)) / 6
    assert rate == pytest.approx(4 / 9)


def test_votes_by_counting():
    rng = np.random.default_rng(3)
    for _ in range(100):
        n, m = int(rng.integers(1, 20)), int(rng.integers(1, 12))
        k = int(rng.integers(1, n + 1))
        dense = (rng.random((n, m)) < 0.4).astype(int)
        order = rng.permutation(n)
        found = vote(Baskets.from_scipy(dense), order, k, Randomness(0))
        for j in range(n):
            behind = dense[[order[(j - s) % n] for s in range(k)]]
            yes = 2 * behind.sum(axis=0)
            base = found.base.to_scipy().toarray()[j]
            apart = ((behind.sum(axis=0) > 0) & (behind.sum(axis=0) < k)).astype(int)
            assert base[yes != k].tolist() == (yes > k)[yes != k].astype(int).tolist()
            assert found.differs.to_scipy().toarray()[j].tolist() == apart.tolist()
            assert found.threshold[j] == np.abs(behind - base).sum(axis=1).max()


def test_ties_are_settled_by_a_coin():
    """Half of them are won, for rare items as for frequent ones, and the same seed settles them the same way."""
    dense = np.zeros((400, 70), dtype=int)
    dense[::2, :35] = 1  # each of two neighbours has these
    dense[:, 35:] = np.arange(400)[:, None] % 4 < 2
    baskets = Baskets.from_scipy(dense)
    found, again = (vote(baskets, np.arange(400), 2, Randomness(5)) for _ in range(2))
    shown = found.base.to_scipy().toarray()
    assert (shown == again.base.to_scipy().toarray()).all()
    assert (found.differs.to_scipy().toarray()[:, :35] == 1).all()
    assert abs(shown[:, :35].mean() - 0.5) < 0.02
    assert abs(shown[:, :35].mean(axis=0) - 0.5).max() < 0.12
    assert not (shown == vote(baskets, np.arange(400), 2, Randomness(6)).base.to_scipy().toarray()).all()
