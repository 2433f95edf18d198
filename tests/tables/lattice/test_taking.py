"""Buckets never hide a class that is large enough."""

import numpy as np
import pytest

from sfumato.tables.lattice import taking
from sfumato.tables.lattice.taking import Open, may_be_large


@pytest.mark.parametrize("buckets", [16, 1 << 12])
@pytest.mark.parametrize("seed", range(5))
def test_a_class_that_is_large_enough_is_never_missed(seed, buckets):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 40, (200, 2)).astype(np.uint64)
    weight = rng.integers(1, 4, 200)
    for mask in ([63, 63], [63, 0], [7, 63], [0, 0]):
        kept = words & np.array(mask, dtype=np.uint64)
        largest = max(int(weight[(kept == row).all(axis=1)].sum()) for row in np.unique(kept, axis=0))
        open_ = Open(np.arange(200), weight, words)
        count = np.zeros(buckets, dtype=np.int32)
        found = [may_be_large(open_, np.array(mask, dtype=np.uint64), 200, least, count) for least in (1, largest)]
        assert found == [True, True]
    assert not may_be_large(open_, np.array([0, 0], dtype=np.uint64), 200, int(weight.sum()) + 1, count)


def test_small_tables_have_few_buckets():
    assert len(taking.workshop_for(10).tally) == 32
    assert len(taking.workshop_for(10**7).tally) == taking._MOST_BUCKETS
