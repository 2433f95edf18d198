"""The search along a path, against trying every ordered choice of vertices."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

from sfumato.graphs.attacks.planting import plant
from sfumato.graphs.attacks.walk_search import find_walks
from sfumato.ground.randomness import Randomness
from support.small_graphs import graph_of, matrix, random_graph


def some_inside(k, rng):
    """A path, and coins for the other pairs."""
    inside = np.triu(rng.random((k, k)) < 0.5, 2) | np.eye(k, k=1, dtype=bool)
    return inside | inside.T


def slow_walks(graph, inside, low, high, errors):
    there, k = matrix(graph).astype(bool), len(inside)
    found = {}
    for chosen in permutations(range(len(graph)), k):
        if not all(there[a, b] for a, b in pairwise(chosen)):
            continue
        if not all(low[i] <= graph.degrees[v] <= high[i] for i, v in enumerate(chosen)):
            continue
        wrong = sum(there[chosen[i], chosen[j]] != inside[i, j] for i, j in combinations(range(k), 2))
        if wrong <= errors:
            found[chosen] = wrong
    return found


def as_dict(walks):
    found = {tuple(path): wrong for path, wrong in zip(walks.paths.tolist(), walks.errors.tolist(), strict=True)}
    assert len(found) == len(walks.paths)  # no path twice
    return found


def free(k, n):
    return np.zeros(k, dtype=np.int64), np.full(k, n, dtype=np.int64)


@pytest.mark.parametrize("errors", range(4))
@pytest.mark.parametrize("seed", range(12))
def test_walks_are_all_ordered_choices_that_pass(seed, errors):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 9)), int(rng.integers(2, 6))
    graph = random_graph(n, rng.choice([0.3, 0.5, 0.8]), seed + 100)
    inside = some_inside(min(k, n), rng)
    centre, width = rng.integers(1, 5, len(inside)), int(rng.integers(0, 4))
    for low, high in ((centre - width, centre + width), free(len(inside), n)):
        walks = find_walks(graph, inside, low, high, errors)
        assert as_dict(walks) == slow_walks(graph, inside, low, high, errors)
        assert walks.complete


def test_the_oracle_is_no_empty_one():
    """Of the cases above, some have paths with errors and some have paths with none."""
    graph, inside = random_graph(8, 0.5, 3), some_inside(4, np.random.default_rng(1))
    found = as_dict(find_walks(graph, inside, *free(4, 8), 3))
    assert set(found.values()) == {0, 1, 2, 3}


def test_pairs_of_the_path_count_as_errors_where_they_should_be_apart():
    graph = random_graph(7, 0.6, 5)
    inside = np.zeros((4, 4), dtype=bool)
    for errors in (2, 3, 4):
        assert as_dict(find_walks(graph, inside, *free(4, 7), errors)) == slow_walks(graph, inside, *free(4, 7), errors)
    assert len(find_walks(graph, inside, *free(4, 7), 3).paths)
    assert not len(find_walks(graph, inside, *free(4, 7), 2).paths)


def test_no_vertex_is_twice_on_a_path():
    """Without errors the bits tell; with one allowed, going back to where one came from would pass."""
    edge, triangle = graph_of([(0, 1)], 2), graph_of([(0, 1), (1, 2), (0, 2)], 3)
    path = np.eye(3, k=1, dtype=bool) | np.eye(3, k=-1, dtype=bool)
    for errors in range(4):
        assert len(find_walks(edge, path, *free(3, 2), errors).paths) == 0
        assert len(find_walks(triangle, path, *free(3, 3), errors).paths) == (6 if errors else 0)
    longer = np.ones((4, 4), dtype=bool) & ~np.eye(4, dtype=bool)
    assert len(find_walks(triangle, longer, *free(4, 3), 6).paths) == 0


def test_siblings_are_all_looked_for_at_the_same_depth():
    """The thesis counts the level up from one neighbour to the next: only the first one would be held against it."""
    star = graph_of([(0, leaf) for leaf in range(1, 6)] + [(5, 6), (4, 7), (4, 8)], 9)
    path = np.eye(3, k=1, dtype=bool) | np.eye(3, k=-1, dtype=bool)
    low = high = np.array([5, 2, 1])
    assert as_dict(find_walks(star, path, low, high)) == {(0, 5, 6): 0}
    low = high = np.array([5, 3, 1])
    assert as_dict(find_walks(star, path, low, high)) == {(0, 4, 7): 0, (0, 4, 8): 0}


def test_the_first_vertex_is_checked():
    graph = graph_of([(0, 1), (1, 2), (2, 3)], 4)
    pair = np.array([[False, True], [True, False]])
    assert as_dict(find_walks(graph, pair, np.array([1, 2]), np.array([1, 2]))) == {(0, 1): 0, (3, 2): 0}
    assert as_dict(find_walks(graph, pair, np.array([2, 0]), np.array([2, 9]))).keys() == {
        (1, 0),
        (1, 2),
        (2, 1),
        (2, 3),
    }


def test_vertices_without_neighbours():
    pair = np.array([[False, True], [True, False]])
    walks = find_walks(graph_of([], 5), pair, *free(2, 5))
    assert walks.paths.shape == (0, 2)
    assert walks.complete
    assert as_dict(find_walks(graph_of([(1, 3)], 5), pair, *free(2, 5))) == {(1, 3): 0, (3, 1): 0}


def test_wider_intervals_and_more_errors_only_add_paths():
    graph = random_graph(60, 0.15, 1)
    planted = plant(graph, 8, 6, Randomness(3), links=3)
    found = {
        (w, m): as_dict(find_walks(planted.graph, planted.inside, planted.degrees - w, planted.degrees + w, m))
        for w in range(4) for m in range(3)
    }  # fmt: skip
    assert tuple(planted.accounts.tolist()) in found[0, 0]
    for (w, m), paths in found.items():
        for wider in (found.get((w + 1, m)), found.get((w, m + 1))):
            assert wider is None or paths.items() <= wider.items()
    assert len(found[3, 2]) > len(found[0, 0])


def test_search_stops_where_it_is_told_to():
    graph = random_graph(9, 0.7, 2)
    path = np.eye(4, k=1, dtype=bool) | np.eye(4, k=-1, dtype=bool)
    whole = find_walks(graph, path, *free(4, 9), 2)
    assert whole.complete
    assert len(whole.paths) > 20
    some = find_walks(graph, path, *free(4, 9), 2, most=7)
    assert (some.paths == whole.paths[:7]).all()
    assert (some.errors == whole.errors[:7]).all()
    assert not some.complete
    assert some.steps < whole.steps
    for steps in (1, 5, 50, whole.steps - 1):
        less = find_walks(graph, path, *free(4, 9), 2, steps=steps)
        assert less.steps == steps
        assert not less.complete
        assert (less.paths == whole.paths[: len(less.paths)]).all()
    assert find_walks(graph, path, *free(4, 9), 2, steps=whole.steps + 1).complete
    assert len(find_walks(graph, path, *free(4, 9), 2, most=len(whole.paths) + 1).paths) == len(whole.paths)


@pytest.mark.parametrize("k", [32, 33, 63, 64])
def test_as_many_accounts_as_a_word_has_bits(k):
    planted = plant(random_graph(300, 0.03, 4), k, 40, Randomness(k))
    numbers = Randomness(1).permutation(300 + k)
    published, truth = planted.graph.renumbered(numbers), numbers[planted.accounts]
    walks = find_walks(published, planted.inside, planted.degrees, planted.degrees)
    assert walks.paths.tolist() == [truth.tolist()]
    assert walks.errors.tolist() == [0]
    inside = planted.inside.copy()  # one pair of the last account, the word's uppermost bit, is not as planted
    inside[k - 1, k - 3] ^= True
    inside[k - 3, k - 1] ^= True
    assert len(find_walks(published, inside, planted.degrees, planted.degrees).paths) == 0
    walks = find_walks(published, inside, planted.degrees, planted.degrees, 1)
    assert walks.paths.tolist() == [truth.tolist()]
    assert walks.errors.tolist() == [1]


def test_the_uppermost_bit_is_used():
    """A path of 64 whose last vertex is joined to all but the first, and should be, or to the one before alone."""
    k = 64
    line = np.eye(k, k=1, dtype=bool) | np.eye(k, k=-1, dtype=bool)
    everyone = line.copy()
    everyone[-1, 1:-1] = everyone[1:-1, -1] = True
    a, b = np.nonzero(np.triu(everyone))
    graph = graph_of(zip(a.tolist(), b.tolist(), strict=True), k)
    low = high = graph.degrees
    assert find_walks(graph, everyone, low, high).paths.tolist() == [list(range(k))]
    assert find_walks(graph, line, low, high, 61).errors.tolist() == [61]
    assert not len(find_walks(graph, line, low, high, 60).paths)
