"""Assignments of a ring: disjoint, each matching drawn, each edge as likely, against enumeration."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from sfumato.baskets.rings.ring import cyclic_shifts, random_assignments
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.small_baskets import disjoint_permutations


def test_assignments_are_disjoint_and_cover_the_ring():
    rng = np.random.default_rng(1)
    for seed in range(400):
        k = int(rng.integers(1, 9))
        n = int(rng.integers(k, 26))
        disjoint_permutations(random_assignments(n, k, Randomness(seed)), n, k)
        disjoint_permutations(cyclic_shifts(n, k), n, k)
    disjoint_permutations(random_assignments(5_000, 10, Randomness(1)), 5_000, 10)


def test_rings_that_are_too_small():
    for make in (
        lambda: random_assignments(3, 5, Randomness(1)),
        lambda: cyclic_shifts(3, 5),
    ):
        with pytest.raises(
            ParameterError, match="a ring of 3 records cannot give each 5 to stand for; the best is k=3"
        ):
            make()
    with pytest.raises(ParameterError, match="k must be"):
        random_assignments(3, 0, Randomness(1))


def test_all_matchings_of_a_small_ring_are_drawn():
    """20 perfect matchings of the 3-ring of six positions, and 12 ways to split it into three."""
    edges = [{(i + s) % 6 for s in range(3)} for i in range(6)]
    matchings = {p for p in permutations(range(6)) if all(p[i] in edges[i] for i in range(6))}
    assert len(matchings) == 20
    splits = Counter(
        frozenset(map(tuple, random_assignments(6, 3, Randomness(seed)).tolist())) for seed in range(3_000)
    )
    assert len(splits) == 12
    assert {matching for split in splits for matching in split} == matchings


def test_every_edge_is_as_likely_to_be_the_true_one():
    random = Randomness(5)
    offsets, drawn = np.zeros(3), random.spawn("drawn").integers(3, size=60_000)
    for which in drawn:
        own = random_assignments(6, 3, random)[which]
        offsets += np.bincount((own - np.arange(6)) % 6, minlength=3)
    assert offsets / offsets.sum() == pytest.approx([1 / 3] * 3, abs=0.003)


def test_walks_go_on_where_random_words_end(monkeypatch):
    monkeypatch.setattr("sfumato.baskets.rings.ring._BATCH", 3)
    for seed in range(20):
        disjoint_permutations(random_assignments(17, 5, Randomness(seed)), 17, 5)
