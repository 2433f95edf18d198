"""Sensitive values of the nearest published rows, against a sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.tables.measures.sensitive_neighbours import nearest_sensitive
from support.linked_records import FEW, scale_lines, squared_distance


@FEW
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 14))
def test_sensitive_neighbours_agree_with_a_sort(seed, n, K):
    rng = np.random.default_rng(seed)
    original, published = rng.normal(size=(2, n)), rng.normal(size=(2, n))
    secrets = rng.choice(["flu", "hiv", "ok"], n)
    rows = rng.permutation(n)
    found = nearest_sensitive(original, published, secrets, secrets[rows], K)
    known, seen = scale_lines(original, published)
    looked = min(n, K)
    same = []
    for t in range(n):
        order = sorted(range(n), key=lambda i, t=t: squared_distance(known, seen, t, i))[:looked]
        same.append([secrets[rows[i]] == secrets[t] for i in order])
    assert found.first.tolist() == [row.index(True) + 1 if True in row else looked + 1 for row in same]
    assert found.shares == pytest.approx(np.mean(same, axis=0))
    assert found.base == pytest.approx(sum((secrets == v).mean() ** 2 for v in set(secrets)))


def test_sensitive_values_of_unmoved_and_of_unrelated_records():
    rng = np.random.default_rng(9)
    original = rng.normal(size=(3, 3_000))
    secrets = rng.integers(0, 8, 3_000)
    unmoved = nearest_sensitive(original, original, secrets, secrets)
    assert (unmoved.first == 1).all()
    assert unmoved.shares[0] == 1
    assert len(unmoved.shares) == 50
    unrelated = nearest_sensitive(original, rng.normal(size=(3, 3_000)), secrets, secrets)
    assert np.abs(unrelated.shares - unrelated.base).max() < 5 * np.sqrt(0.125 * 0.875 / 3_000)
