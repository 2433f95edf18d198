"""Orders, rings, assignments and votes, against the thesis' example and obviously right ones on small inputs."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from benchmarks.baselines.closed_walks import closed_walks

from sfumato.baskets.orders.gray import by_frequency, gray_order
from sfumato.baskets.rings.ring import assignments, cyclic_shifts
from sfumato.baskets.voting import vote
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness

BITS = ["1100", "0110", "1101", "0111", "1110", "1011"]
EXAMPLE = Baskets.from_scipy(np.array([[int(bit) for bit in row] for row in BITS]))
TSP = np.array([2, 4, 3, 1, 5, 6]) - 1


def gray_rank(row):
    rank, parity = 0, 0
    for bit in row:
        parity ^= int(bit)
        rank = 2 * rank + parity
    return rank


def test_the_gray_order_of_the_example():
    assert [gray_rank(row) for row in BITS] == [8, 4, 9, 5, 11, 13]
    assert (gray_order(EXAMPLE) + 1).tolist() == [2, 4, 1, 3, 5, 6]
    code = [f"{i ^ (i >> 1):03b}" for i in range(8)]
    assert code == ["000", "001", "011", "010", "110", "111", "101", "100"]
    shuffled = Baskets.from_scipy(np.array([[int(bit) for bit in row] for row in sorted(code)]))
    assert [sorted(code)[i] for i in gray_order(shuffled)] == code


def test_gray_orders_are_those_of_ranks():
    rng = np.random.default_rng(0)
    for _ in range(200):
        m, n = int(rng.integers(1, 10)), int(rng.integers(1, 25))
        dense = rng.random((n, m)) < rng.random()
        baskets = Baskets.from_scipy(dense.astype(int))
        place = rng.permutation(m)
        assert gray_order(baskets).tolist() == sorted(range(n), key=lambda i: gray_rank(dense[i]))
        moved = dense[:, np.argsort(place)]
        assert gray_order(baskets, place).tolist() == sorted(range(n), key=lambda i: gray_rank(moved[i]))
        frequent = by_frequency(baskets)
        assert (np.diff(baskets.counts[np.argsort(frequent)]) <= 0).all()


def disjoint_permutations(found, n, k):
    assert found.shape == (k, n)
    for row in found:
        assert sorted(row.tolist()) == list(range(n))
    for i in range(n):
        assert sorted(((found[:, i] - i) % n).tolist()) == list(range(k))


@pytest.mark.parametrize("draw", [assignments, closed_walks])
def test_assignments_are_disjoint_and_cover_the_ring(draw):
    rng = np.random.default_rng(1)
    for seed in range(400):
        k = int(rng.integers(1, 9))
        n = int(rng.integers(k, 26))
        disjoint_permutations(draw(n, k, Randomness(seed)), n, k)
        disjoint_permutations(cyclic_shifts(n, k), n, k)
    disjoint_permutations(draw(5_000, 10, Randomness(1)), 5_000, 10)


def test_rings_that_are_too_small():
    for make in (
        lambda: assignments(3, 5, Randomness(1)),
        lambda: closed_walks(3, 5, Randomness(1)),
        lambda: cyclic_shifts(3, 5),
    ):
        with pytest.raises(
            ParameterError, match="a ring of 3 records cannot give each 5 to stand for; the best is k=3"
        ):
            make()
    with pytest.raises(ParameterError, match="k must be"):
        assignments(3, 0, Randomness(1))


@pytest.mark.parametrize("draw", [assignments, closed_walks])
def test_all_matchings_of_a_small_ring_are_drawn(draw):
    """20 perfect matchings of the 3-ring of six positions, and 12 ways to split it into three."""
    edges = [{(i + s) % 6 for s in range(3)} for i in range(6)]
    matchings = {p for p in permutations(range(6)) if all(p[i] in edges[i] for i in range(6))}
    assert len(matchings) == 20
    splits = Counter(frozenset(map(tuple, draw(6, 3, Randomness(seed)).tolist())) for seed in range(3_000))
    assert len(splits) == 12
    assert {matching for split in splits for matching in split} == matchings


@pytest.mark.parametrize("draw", [assignments, closed_walks])
def test_every_edge_is_as_likely_to_be_the_true_one(draw):
    random = Randomness(5)
    offsets, drawn = np.zeros(3), random.spawn("drawn").integers(3, size=60_000)
    for which in drawn:
        own = draw(6, 3, random)[which]
        offsets += np.bincount((own - np.arange(6)) % 6, minlength=3)
    assert offsets / offsets.sum() == pytest.approx([1 / 3] * 3, abs=0.003)


# -- votes ---------------------------------------------------------------------------------------------------------
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


def test_walks_go_on_where_random_words_end(monkeypatch):
    monkeypatch.setattr("sfumato.baskets.rings.ring._BATCH", 3)
    for seed in range(20):
        disjoint_permutations(assignments(17, 5, Randomness(seed)), 17, 5)
