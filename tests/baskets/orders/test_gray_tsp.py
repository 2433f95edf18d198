"""Segments of an order made shorter, against the thesis' example and against every single step."""

from itertools import pairwise, permutations

import numpy as np

from sfumato.baskets.orders.gray_tsp import polish_segments
from sfumato.baskets.orders.order import Gray, GrayTSP
from sfumato.baskets.orders.segments import segment_starts
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.bits import distances, pack
from support.small_baskets import BITS, EXAMPLE, baskets_of_kinds


def path_sum(order):
    return sum(a != b for i, j in pairwise(order) for a, b in zip(BITS[i], BITS[j], strict=True))


def test_the_best_path_of_the_example():
    gray = Gray(by_frequency=False).order(EXAMPLE, 3, Randomness(1))
    paths = [(1, *middle, 5) for middle in permutations((0, 2, 3, 4))]
    best = min(map(path_sum, paths))
    assert best == 7
    found = GrayTSP(by_frequency=False).order(EXAMPLE, 3, Randomness(1))
    assert path_sum(found) == best
    assert (found[0], found[-1]) == (gray[0], gray[-1])
    listed = {(2, 4, 3, 1, 5, 6), (2, 4, 5, 1, 3, 6), (2, 5, 1, 3, 4, 6)}
    assert {tuple(i + 1 for i in path) for path in paths if path_sum(path) == 7} == listed


def test_segments_keep_their_ends_and_grow_shorter():
    for seed in range(20):
        baskets = baskets_of_kinds(seed, 60 + seed, 20)
        start = np.random.default_rng(seed).permutation(len(baskets))
        records, at = pack(baskets, start), np.arange(len(baskets))
        starts = segment_starts(distances(records, at[:-1], at[1:]), 8, 12)
        found = polish_segments(baskets, start, 8, 12)
        for low, high in pairwise(starts.tolist()):
            assert found[low] == start[low]
            assert found[high - 1] == start[high - 1]
            own, old = found[low:high], start[low:high]
            assert sorted(own.tolist()) == sorted(old.tolist())
            new = distances(pack(baskets), own[:-1], own[1:]).sum()
            assert new <= distances(pack(baskets), old[:-1], old[1:]).sum()
            for i in range(1, high - low - 1):  # no reversal and no move of one record helps
                for j in range(1, high - low - 1):
                    turned = np.concatenate(
                        [own[: min(i, j)], own[min(i, j) : max(i, j) + 1][::-1], own[max(i, j) + 1 :]]
                    )
                    moved = np.insert(np.delete(own, i), j, own[i])
                    for other in (turned, moved):
                        assert new <= distances(pack(baskets), other[:-1], other[1:]).sum()
