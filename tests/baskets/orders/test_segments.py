"""Where an order is cut into segments, against all ways to cut it."""

import numpy as np
import pytest

from sfumato.baskets.orders.segments import segment_starts


def cheapest_cuts(gaps, n, least, most):
    """The least cost of all ways to cut; None if there is none."""
    if n == 0:
        return 0
    ends = [(size, cheapest_cuts(gaps, n - size, least, most)) for size in range(least, min(most, n) + 1)]
    costs = [rest + (gaps[n - size - 1] if size < n else 0) for size, rest in ends if rest is not None]
    return min(costs, default=None)


def test_segments_of_the_vector():
    gaps = np.array([2, 1, 3, 1, 2, 1])
    starts = segment_starts(gaps, 2, 3)
    assert np.diff(starts).tolist() == [2, 2, 3]
    assert gaps[starts[1:-1] - 1].sum() == 2


def test_segments_are_the_cheapest():
    rng = np.random.default_rng(4)
    for _ in range(300):
        n, least = int(rng.integers(1, 15)), int(rng.integers(1, 5))
        most = least + int(rng.integers(0, 3))
        gaps = rng.integers(0, 6, size=n - 1)
        starts = segment_starts(gaps, least, most)
        sizes = np.diff(starts)
        assert starts[0] == 0
        assert starts[-1] == n
        cost = gaps[starts[1:-1] - 1].sum()
        best = cheapest_cuts(gaps, n, least, most)
        if best is not None:
            assert sizes.min() >= least
            assert sizes.max() <= most
            assert cost == best
        elif n < least:
            assert sizes.tolist() == [n]
        else:
            assert sizes.min() >= least
            assert cost == cheapest_cuts(gaps, n, least, 2 * least - 1)


@pytest.mark.parametrize("n", [1, 99, 100, 151, 199])
def test_lengths_that_cannot_be_cut(n):
    sizes = np.diff(segment_starts(np.ones(n - 1, dtype=np.int64), 100, 150))
    assert sizes.sum() == n
    assert len(sizes) == 1
    assert np.diff(segment_starts(np.ones(349, dtype=np.int64), 300, 349)).tolist() == [350]
