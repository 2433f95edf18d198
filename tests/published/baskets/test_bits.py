"""Distances of records by bits and by lists of items."""

import numpy as np
import pytest

from sfumato.data.baskets import Baskets
from sfumato.published.baskets import bits
from sfumato.published.baskets.bits import distances, pack


@pytest.mark.parametrize(("m", "share", "words"), [(1, 0.5, 1), (64, 0.5, 1), (65, 0.9, 2), (300, 0.3, 5), (512, 0.01, 8), (20_000, 2e-4, 8)])  # fmt: skip
def test_distances_by_bits_and_by_lists(m, share, words, monkeypatch):
    rng = np.random.default_rng(m)
    dense = (rng.random((60, m)) < share).astype(np.int8)
    dense[0], dense[1] = 0, dense[1] if m == 20_000 else 1
    baskets = Baskets.from_scipy(dense)
    records = pack(baskets)
    assert records[0].shape == (60, words)
    assert records[3] == (m < 20_000)
    first, second = (part.ravel() for part in np.meshgrid(np.arange(60), np.arange(60)))
    expected = (dense[first] != dense[second]).sum(axis=1)
    assert distances(records, first, second).tolist() == expected.tolist()
    order = rng.permutation(60)
    assert (
        distances(pack(baskets, order), first, second).tolist()
        == distances(pack(baskets), order[first], order[second]).tolist()
    )
    monkeypatch.setattr(bits, "_ROOM", 0)
    monkeypatch.setattr(bits, "_SHARED", 1)
    lists = pack(baskets)
    assert lists[0].shape == (60, 1)
    assert lists[3] == (m <= 64)
    assert distances(lists, first, second).tolist() == expected.tolist()
