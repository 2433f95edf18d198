"""What every order of records keeps to: all records once, the same by the same seed, bad numbers refused."""

import numpy as np
import pytest

from sfumato.baskets.orders.order import Gray, GrayTSP, Windowed
from sfumato.baskets.orders.segments import segment_starts
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.small_baskets import baskets_of_kinds

ORDERS = [
    Gray(), Gray(by_frequency=False), GrayTSP(), GrayTSP(least=4, most=6), Windowed(),
    Windowed(neighbours=3, sweeps=2, by_frequency=False),
]  # fmt: skip


@pytest.mark.parametrize("how", ORDERS, ids=str)
def test_orders_are_permutations(how):
    for seed, (n, m) in enumerate([(0, 3), (1, 1), (2, 5), (3, 4), (4, 4), (7, 3), (30, 12), (200, 70), (400, 30)]):
        baskets = baskets_of_kinds(seed, n, m) if n else Baskets(np.zeros(1), np.zeros(0), ["a"])
        for k in (1, 2, 3, 7, 30):
            order = how.order(baskets, k, Randomness(seed))
            assert sorted(order.tolist()) == list(range(n))
            assert how.order(baskets, k, Randomness(seed)).tolist() == order.tolist()


@pytest.mark.parametrize("how", ORDERS, ids=str)
def test_records_all_alike_or_empty(how):
    for rows in ([[1, 2]] * 40, [[]] * 39 + [[1]], [[i] for i in range(40)]):
        assert sorted(how.order(Baskets.from_lists(rows), 5, Randomness(1)).tolist()) == list(range(40))


def test_bad_orders_are_refused():
    with pytest.raises(ParameterError, match="segments need 1 <= least <= most records, got least=9 and most=8"):
        GrayTSP(least=9, most=8)
    with pytest.raises(ParameterError, match="neighbours must be a whole number >= 1, got 0"):
        Windowed(neighbours=0)
    with pytest.raises(ParameterError, match="sweeps must be a whole number >= 0, got -1"):
        Windowed(sweeps=-1)
    with pytest.raises(ParameterError, match="got least=0, most=3"):
        segment_starts(np.ones(4, dtype=np.int64), 0, 3)
