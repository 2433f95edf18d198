"""Near records and the chains they make, against all distances."""

import numpy as np

from sfumato.baskets.orders.neighbours import chains, near_records
from sfumato.baskets.orders.order import Gray
from sfumato.baskets.orders.windowed import windowed_sum
from sfumato.data.baskets import Baskets
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.bits import pack
from support.small_baskets import baskets_of_kinds


def test_near_records_are_others_and_the_nearest_first():
    baskets = baskets_of_kinds(3, 300, 40)
    baskets = baskets.rows(Gray().order(baskets, 2, Randomness(1)))
    dense, records = baskets.to_scipy().toarray(), pack(baskets)
    near = near_records(records, 40, 6, Randomness(2))
    apart = (dense[:, None, :] != dense[None, :, :]).sum(axis=2)
    assert (near >= 0).all()
    for x in range(300):
        assert x not in near[x]
        assert len(set(near[x].tolist())) == 6
        assert (np.diff(apart[x, near[x]]) >= 0).all()
    np.fill_diagonal(apart, 99)
    exact = np.sort(apart, axis=1)[:, :6].sum()
    assert exact <= apart[np.arange(300)[:, None], near].sum() < 1.15 * exact


def test_near_records_of_few_kinds():
    baskets = Baskets.from_lists([[1]] * 4 + [[1, 2]] * 3 + [[3]])
    near = near_records(pack(baskets), 3, 5, Randomness(1))
    kinds = [0] * 4 + [1] * 3 + [2]
    expected = [[0, 1, 2]] * 4 + [[1, 0, 2]] * 3 + [[0, 1]]  # an equal one, if there is one, and then by distance
    for x in range(8):
        listed = [y for y in near[x].tolist() if y >= 0]
        assert x not in listed
        assert [kinds[y] for y in listed] == expected[x]


def test_chains_are_orders_of_near_records():
    baskets = baskets_of_kinds(5, 300, 40)
    baskets = baskets.rows(Gray().order(baskets, 2, Randomness(1)))
    records = pack(baskets)
    path = chains(records, near_records(records, 40, 6, Randomness(2)))
    assert sorted(path.tolist()) == list(range(300))
    assert windowed_sum(baskets, path, 2) < 0.9 * windowed_sum(baskets, np.arange(300), 2)
    nothing = np.full((5, 2), -1, dtype=np.int32)
    assert chains(records, nothing).tolist() == [0, 1, 2, 3, 4]
    linked = np.array([[3, -1], [4, -1], [-1, -1], [0, -1], [0, 1]], dtype=np.int32)
    assert chains(records, linked).tolist() == [1, 4, 0, 3, 2]
