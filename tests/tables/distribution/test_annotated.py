"""Trees over a domain: cut evenly or as the owner's, with ratios in lowest terms."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.hierarchy import Hierarchy
from sfumato.tables.distribution.annotated import annotate, balanced_tree, shape_of_hierarchy
from support.naive_distribution import (
    random_shape,
)


def parts_of(shape, v):
    return shape.children[shape.child_starts[v] : shape.child_starts[v + 1]]


@pytest.mark.parametrize("arity", [2, 3, 5])
@pytest.mark.parametrize("m", [1, 2, 3, 4, 7, 8, 9, 27, 100])
def test_a_balanced_tree_cuts_evenly(m, arity):
    shape = balanced_tree(m, arity)
    leaves = []
    for v in range(len(shape.first)):
        own, size = parts_of(shape, v), int(shape.last[v] - shape.first[v] + 1)
        if size == 1:
            assert not len(own)
            leaves.append(int(shape.first[v]))
            continue
        sizes = shape.last[own] - shape.first[own] + 1
        assert len(own) == min(arity, size)
        assert (own > v).all()
        assert sizes.sum() == size
        assert np.ptp(sizes) <= 1
        assert shape.first[own[0]] == shape.first[v]
        assert (shape.first[own[1:]] == shape.last[own[:-1]] + 1).all()
    assert sorted(leaves) == list(range(m))
    assert arity**shape.depth >= m
    assert shape.depth == 0 or arity ** (shape.depth - 1) < m


def test_the_ratio_of_siblings_is_in_lowest_terms():
    rng = np.random.default_rng(8)
    for _ in range(50):
        m = int(rng.integers(2, 12))
        weights = rng.integers(0, 4, m) * int(rng.integers(1, 30))
        weights[0] += 6
        tree = annotate(random_shape(rng, m), weights, np.zeros(2 * m))
        for v in range(len(tree.weight)):
            own = parts_of(tree.shape, v)
            assert tree.weight[v] == weights[tree.shape.first[v] : tree.shape.last[v] + 1].sum()
            if len(own) and tree.weight[v]:
                assert np.gcd.reduce(tree.ratio[own]) == 1
                assert (tree.ratio[own] * tree.weight[v] == tree.weight[own] * tree.ratio[own].sum()).all()


def test_an_owners_hierarchy_is_taken_as_it_is():
    paths = [
        ("flu", "lungs", "*"),
        ("cold", "lungs", "*"),
        ("ulcer", "belly", "*"),
        ("gastritis", "belly", "*"),
        ("x", "*"),
    ]
    tree = Hierarchy.from_paths(paths).tree([path[0] for path in paths])
    shape = shape_of_hierarchy(tree)
    ends = {tuple(sorted(tree.leaves[a : b + 1])) for a, b in zip(shape.first, shape.last, strict=True)}
    expected = {(path[0],) for path in paths} | {
        ("cold", "flu"),
        ("gastritis", "ulcer"),
        tuple(sorted(p[0] for p in paths)),
    }
    assert ends == expected
    assert len(parts_of(shape, 0)) == 3
