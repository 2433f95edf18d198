"""Gray orders, against the thesis' example and against ranks of the code."""

import numpy as np

from sfumato.baskets.orders.gray import frequency_ranks, gray_order
from sfumato.data.baskets import Baskets
from support.small_baskets import BITS, EXAMPLE


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
        frequent = frequency_ranks(baskets)
        assert (np.diff(baskets.counts[np.argsort(frequent)]) <= 0).all()
