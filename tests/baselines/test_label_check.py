"""Labels that published candidates carry, against enumeration of matchings."""

from itertools import combinations

import numpy as np
import pytest
from benchmarks.baselines.label_check import distinct_labels, published_labels

from sfumato.baskets.rings.ring import cyclic_shifts
from sfumato.ground.errors import DataError, ParameterError, PromiseBrokenError
from support.labelled_rings import LABELS, B, C, M, check_labels
from support.small_baskets import TSP


def matchings(n, l):
    """All perfect matchings of the ring in which position i stands for i to i + l - 1."""
    found, own, used = [], [0] * n, [False] * n

    def go(i):
        if i == n:
            found.append(tuple(own))
            return
        for s in range(l):
            j = (i + s) % n
            if not used[j]:
                used[j], own[i] = True, j
                go(i + 1)
                used[j] = False

    go(0)
    return found


def test_few_assignments_of_a_ring_keep_it_diverse():
    """Six of the 20 matchings of the example's ring, and two of its 12 splits whichever of the three is drawn."""
    ring, candidates = LABELS[TSP], cyclic_shifts(6, 3)
    assert ring.tolist() == [C, B, M, C, B, M]
    found = matchings(6, 3)
    good = {own for own in found if (distinct_labels(ring, candidates, np.array(own)) == 3).all()}
    assert (len(found), len(good)) == (20, 6)
    splits = [trio for trio in combinations(found, 3) if all(len(set(slots)) == 3 for slots in zip(*trio, strict=True))]
    assert (len(splits), sum(good.issuperset(trio) for trio in splits)) == (12, 2)


def test_an_assignment_that_is_not_diverse():
    pairs = {2: 2, 4: 3, 3: 1, 1: 5, 5: 6, 6: 4}
    own = np.array([pairs[i] - 1 for i in range(1, 7)])
    assert published_labels(LABELS, own)[TSP].tolist() == [C, M, B, M, C, B]
    place = np.argsort(TSP)
    candidates = np.stack([TSP[(place + s) % 6] for s in range(3)])
    found = distinct_labels(LABELS, candidates, own)
    assert (candidates[:, 3] + 1).tolist() == [4, 3, 1]
    assert found[3] == 2  # the slots of r4 carry M, B and M


@pytest.mark.parametrize(
    ("labels", "l", "n_all", "n_good"),
    [(np.arange(10) % 5, 3, 125, 125), (np.arange(12) % 3, 3, 324, 6), (np.arange(9) % 3, 2, 2, 2)],
)
def test_all_matchings_of_wide_windows_are_diverse(labels, l, n_all, n_good):
    found = matchings(len(labels), l)
    good = [(distinct_labels(labels, cyclic_shifts(len(labels), l), np.array(own)) == l).all() for own in found]
    assert (len(found), sum(good)) == (n_all, n_good)


def test_the_check_counts_published_labels():
    rng = np.random.default_rng(6)
    for _ in range(50):
        n, l = int(rng.integers(1, 12)), int(rng.integers(1, 5))
        labels, own = rng.integers(0, 4, n), rng.permutation(n)
        candidates = rng.integers(0, n, (l, n))
        owner = {int(slot): i for i, slot in enumerate(own)}
        expected = [len({labels[owner[int(slot)]] for slot in candidates[:, i]}) for i in range(n)]
        assert distinct_labels(labels, candidates, own).tolist() == expected
    rows = cyclic_shifts(4, 2)
    with pytest.raises(
        PromiseBrokenError, match="2 of 4 records have candidates with fewer than l=2 labels; the worst has 1"
    ):
        check_labels(np.array([0, 0, 1, 1]), rows, 0, 2)
    check_labels(np.array([0, 1, 0, 1]), rows, 1, 2)
    with pytest.raises(ParameterError, match="2 is none of them"):
        check_labels(np.array([0, 1, 0, 1]), rows, 2, 2)
    with pytest.raises(DataError, match="a slot of its own"):
        distinct_labels(np.arange(4), rows, np.array([0, 0, 1, 2]))
    with pytest.raises(DataError, match="not one of the 4"):
        distinct_labels(np.arange(4), rows + 1, np.arange(4))
    with pytest.raises(DataError, match="for each of the 5"):
        distinct_labels(np.arange(5), rows, np.arange(5))
