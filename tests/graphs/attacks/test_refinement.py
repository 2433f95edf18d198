"""Colours of vertices by their neighbours', against nested multisets and the orbits of trees."""

import numpy as np
import pytest

from sfumato.graphs.attacks.refinement import vertex_colours
from sfumato.ground.errors import ParameterError
from support.small_graphs import graph_of, nested_degrees, random_graph


def same_parts(left, right):
    return len(set(left)) == len(set(right)) == len(set(zip(left, right, strict=True)))


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_refinement_is_nested_multisets(depth, seed):
    first, second = random_graph(14, 0.18, seed), random_graph(11, 0.2, seed + 50)
    third = first.renumbered(np.random.default_rng(seed).permutation(14))
    found = vertex_colours([first, second, third], depth)
    slow = [each for graph in (first, second, third) for each in nested_degrees(graph, depth)]
    assert same_parts(np.concatenate(found).tolist(), slow)
    assert sorted(found[0]) == sorted(found[2])


def rooted(graph, vertex, parent=-1):
    return tuple(sorted(rooted(graph, int(u), vertex) for u in graph.neighbours(vertex) if u != parent))


@pytest.mark.parametrize("seed", range(8))
def test_refinement_finds_the_orbits_of_a_tree(seed):
    """Two vertices of a tree look alike in every way if and only if the tree hung up at them is the same."""
    rng = np.random.default_rng(seed)
    tree = graph_of([(int(rng.integers(max(0, v - 5), v)), v) for v in range(1, 25)], 25)
    (colours,) = vertex_colours([tree], 25)
    assert same_parts(colours.tolist(), [rooted(tree, v) for v in range(25)])
    assert len(set(colours.tolist())) < 25 or seed != 0


def test_refinement_of_what_is_all_alike():
    ring = graph_of([(i, (i + 1) % 9) for i in range(9)], 9)
    triangles = graph_of([(3 * i + a, 3 * i + b) for i in range(3) for a, b in ((0, 1), (1, 2), (0, 2))], 9)
    assert {c for part in vertex_colours([ring, triangles], 7) for c in part.tolist()} == {0}
    path, alone = vertex_colours([graph_of([(0, 1), (1, 2), (2, 3), (3, 4)], 5), graph_of([], 2)], 9)
    assert path[0] == path[4] != path[1] == path[3] != path[2]
    assert alone[0] == alone[1]
    assert alone[0] not in path
    with pytest.raises(ParameterError, match="depth must be a whole number >= 1, got 0"):
        vertex_colours([ring], 0)
