"""The backtracking baseline: assignments of a ring like those of closed walks."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from benchmarks.baselines.wmc import wmc_assignments

from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness


def test_assignments_are_disjoint_and_cover_the_ring():
    rng = np.random.default_rng(1)
    for seed in range(400):
        k = int(rng.integers(1, 9))
        n = int(rng.integers(k, 26))
        found = wmc_assignments(n, k, Randomness(seed))
        assert found.shape == (k, n)
        assert (np.sort(found, axis=1) == np.arange(n)).all()
        assert (np.sort((found - np.arange(n)) % n, axis=0) == np.arange(k)[:, None]).all()


def test_all_matchings_of_a_small_ring_are_drawn():
    edges = [{(i + s) % 6 for s in range(3)} for i in range(6)]
    matchings = {p for p in permutations(range(6)) if all(p[i] in edges[i] for i in range(6))}
    splits = Counter(frozenset(map(tuple, wmc_assignments(6, 3, Randomness(seed)).tolist())) for seed in range(2_000))
    assert len(splits) == 12
    assert {matching for split in splits for matching in split} == matchings


def test_the_same_seed_gives_the_same_assignments():
    first, again, other = (wmc_assignments(50, 4, Randomness(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_what_cannot_be_drawn():
    with pytest.raises(ParameterError, match="a ring of 3 records cannot give each 5 to stand for; the best is k=3"):
        wmc_assignments(3, 5, Randomness(1))
    with pytest.raises(ParameterError, match="k must be a whole number >= 1, got 0"):
        wmc_assignments(3, 0, Randomness(1))


def test_a_limit_of_steps():
    with pytest.raises(ParameterError, match="k=8 assignments of 200 records took more than limit=100 steps; raise it"):
        wmc_assignments(200, 8, Randomness(1), limit=100)
    with pytest.raises(ParameterError, match="limit must be a whole number >= 1, got 0"):
        wmc_assignments(200, 8, Randomness(1), limit=0)
    free, bounded = wmc_assignments(50, 4, Randomness(1)), wmc_assignments(50, 4, Randomness(1), limit=100_000)
    assert np.array_equal(free, bounded)
