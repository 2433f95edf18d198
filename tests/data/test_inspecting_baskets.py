"""Inspecting sets of items finds who stands out, against counting."""

import numpy as np

import sfumato as sf
from sfumato.data.inspecting_baskets import inspect_baskets


def test_inspecting_finds_who_stands_out():
    rng = np.random.default_rng(1)
    records = [{int(i) for i in rng.integers(0, 12, rng.integers(0, 5))} for _ in range(60)]
    found = inspect_baskets(sf.Baskets.from_lists(records), small=5)

    def n(*items):
        return sum(set(items) <= record for record in records)

    assert found.by_one == sum(any(n(i) < 5 for i in r) for r in records) / 60
    assert found.by_two == sum(any(n(i, j) < 5 for i in r for j in r if i < j) for r in records) / 60
    assert found.alone == sum(records.count(r) == 1 for r in records) / 60
