"""Trees: random ones against brute force, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.tree import Tree
from sfumato.ground.errors import SchemaError


@st.composite
def paths(draw, max_depth=4, max_children=3):
    """The paths of a random ragged tree, one per leaf, in random order; labels tell nodes apart."""
    names = itertools.count()
    found = []

    def grow(above, depth):
        for _ in range(draw(st.integers(1, max_children))):
            label = f"n{next(names)}"
            if depth == 0 or draw(st.booleans()):
                found.append([label, *above])
            else:
                grow([label, *above], depth - 1)

    grow(["*"], draw(st.integers(0, max_depth - 1)))
    return draw(st.permutations(found))


def below(tree, node):
    """The leaves below a node, by walking up from every leaf."""
    leaves = []
    for leaf in range(tree.n_leaves):
        here = int(tree.leaf_node[leaf])
        while here not in (-1, node):
            here = int(tree.parent[here])
        if here == node:
            leaves.append(leaf)
    return leaves


@given(paths())
def test_leaves_below_any_node_are_consecutive(given_paths):
    tree = Tree.from_paths(given_paths)
    for node in range(len(tree.labels)):
        assert below(tree, node) == list(range(tree.first[node], tree.last[node] + 1))
        assert below(tree, node)


@given(paths())
def test_paths_are_kept(given_paths):
    tree = Tree.from_paths(given_paths)
    assert sorted(tree.leaves) == sorted(path[0] for path in given_paths)
    for path in given_paths:
        node, walked = int(tree.leaf_node[tree.leaf_of[path[0]]]), []
        while node != -1:
            walked.append(tree.labels[node])
            node = int(tree.parent[node])
        assert walked == list(path)
    assert tree.height == max(len(path) for path in given_paths) - 1


@given(paths())
def test_nodes_come_after_their_parents_and_in_depth_first_order(given_paths):
    tree = Tree.from_paths(given_paths)
    assert tree.parent[0] == -1
    assert (tree.parent[1:] < np.arange(1, len(tree.parent))).all()
    for node in range(len(tree.labels)):
        children = tree.children(node)
        assert children == [i for i in range(len(tree.parent)) if tree.parent[i] == node]
        assert [leaf for child in children for leaf in below(tree, child)] == (below(tree, node) if children else [])
        assert all(tree.depth[child] == tree.depth[node] + 1 for child in children)


@given(paths(), st.data())
def test_lowest_cover_is_the_smallest_node_that_covers(given_paths, data):
    tree = Tree.from_paths(given_paths)
    low = data.draw(st.integers(0, tree.n_leaves - 1))
    high = data.draw(st.integers(low, tree.n_leaves - 1))
    covering = [n for n in range(len(tree.labels)) if {low, high} <= set(below(tree, n))]
    deepest = max(covering, key=lambda node: int(tree.depth[node]))
    assert tree.lowest_cover(low, high) == deepest
    assert len(below(tree, deepest)) == min(len(below(tree, node)) for node in covering)


@given(paths())
def test_loss_lies_between_0_and_1_and_grows_towards_the_root(given_paths):
    tree = Tree.from_paths(given_paths)
    assert ((tree.loss >= 0) & (tree.loss <= 1)).all()
    assert (tree.loss[tree.leaf_node] == 0).all()
    assert tree.loss[0] == (1 if tree.n_leaves > 1 else 0)
    for node in range(1, len(tree.labels)):
        assert tree.loss[node] <= tree.loss[tree.parent[node]]
        n = len(below(tree, node))
        assert tree.loss[node] == (n / tree.n_leaves if n > 1 else 0)


@given(paths())
@settings(max_examples=40)
def test_padding_a_shallow_branch_changes_nothing(given_paths):
    deepest = max(len(path) for path in given_paths)
    padded = [[*path, *["*"] * (deepest - len(path))] for path in given_paths]
    plain, same = Tree.from_paths(given_paths), Tree.from_paths(padded)
    assert plain.labels == same.labels
    assert plain.parent.tolist() == same.parent.tolist()


def test_a_root_is_put_above_where_there_is_none():
    tree = Tree.from_paths([("a", "x"), ("b", "x"), ("c", "y")])
    assert tree.labels == ("*", "x", "a", "b", "y", "c")
    assert Tree.from_paths([("a",), ("b",)]).labels == ("*", "a", "b")
    assert Tree.from_paths([("a", "Any"), ("b", "Any")]).labels == ("Any", "a", "b")
    assert Tree.from_paths([("a", "x", "*"), ("c", "y")]).labels == ("*", "x", "a", "y", "c")


def test_sizes_take_the_place_of_the_share_of_leaves():
    tree = Tree.from_paths([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")], {"x": 0.9, "y": 0.1, "*": 1.0})
    assert dict(zip(tree.labels, tree.loss.tolist(), strict=True)) == {
        "*": 1.0, "x": 0.9, "a": 0.0, "b": 0.0, "y": 0.0, "c": 0.0,
    }  # fmt: skip


def test_a_value_may_be_named_like_a_node_above_it():
    tree = Tree.from_paths([("Europe", "Europe", "*"), ("Italy", "Europe", "*"), ("US", "America", "*")])
    assert tree.labels == ("*", "Europe", "Europe", "Italy", "America", "US")
    assert tree.leaf_of == {"Europe": 0, "Italy": 1, "US": 2}


@pytest.mark.parametrize(
    ("given_paths", "message"),
    [
        ([("a", "x", "*"), ("a", "y", "*")], "names the value 'a' twice"),
        ([("a", "other", "x", "*"), ("b", "other", "y", "*")], "puts 'other' below both 'x' and 'y'"),
        ([("x", "y", "*"), ("a", "x", "*")], "uses 'x' for a value and for a node elsewhere"),
        ([("a", "x", "*"), ("x", "y", "*")], "uses 'x' for a value and for a node elsewhere"),
        ([("a", "x", "*"), ()], "empty path"),
        ([("a", "x or missing", "*"), ("b", "y", "*")], "'x or missing' would read as a value or a missing one"),
    ],
)
def test_what_no_reader_could_tell_apart_is_refused(given_paths, message):
    with pytest.raises(SchemaError, match=message):
        Tree.from_paths(given_paths)


def test_describe_is_exact():
    tree = Tree.from_paths([
        ("Italy", "Europe", "*"), ("US", "America", "*"), ("Chile", "South", "America", "*"), ("France", "Europe", "*"),
    ])  # fmt: skip
    assert tree.describe() == (
        "*  (4 values)\n"
        "├─ Europe  (2 values)\n"
        "│  ├─ Italy\n"
        "│  └─ France\n"
        "└─ America  (2 values)\n"
        "   ├─ US\n"
        "   └─ South  (1 value)\n"
        "      └─ Chile"
    )
    assert tree.describe(max_leaves=1) == (
        "*  (4 values)\n"
        "├─ Europe  (2 values)\n"
        "│  ├─ Italy\n"
        "│  └─ ... 1 more value\n"
        "└─ ... 2 more values"
    )  # fmt: skip


@given(paths(), st.integers(1, 6))
@settings(max_examples=50)
def test_describe_shows_or_counts_every_leaf_once(given_paths, budget):
    tree = Tree.from_paths(given_paths)
    lines = tree.describe(max_leaves=budget).splitlines()
    cut = sum(int(line.split("... ")[1].split()[0]) for line in lines if "... " in line)
    shown = [line for line in lines if not line.endswith(")") and "... " not in line]
    assert len(shown) == min(budget, tree.n_leaves)
    assert len(shown) + cut == tree.n_leaves


def test_a_tree_without_leaves_can_be_described():
    assert Tree.from_paths([]).describe() == "*  (0 values)"


@given(paths())
def test_levels_of_paths_that_repeat_no_label_cut_the_tree_by_depth(given_paths):
    tree = Tree.from_paths(given_paths)
    assert tree.level_nodes.shape == (tree.height + 1, tree.n_leaves)
    for path in given_paths:
        for level, node in enumerate(tree.level_nodes[:, tree.leaf_of[path[0]]]):
            assert tree.labels[node] == path[max(0, level - tree.height + len(path) - 1)]


def test_a_repeated_label_is_one_node_that_is_shown_at_each_of_its_levels():
    tree = Tree.from_paths([("u", "unknown", "unknown", "*"), ("a", "b", "c", "*"), ("x", "*", "*", "*")])
    assert tree.labels == ("*", "unknown", "u", "c", "b", "a", "x")
    shown = [[tree.labels[node] for node in row] for row in tree.level_nodes]
    assert shown == [["u", "a", "x"], ["unknown", "b", "*"], ["unknown", "c", "*"], ["*", "*", "*"]]
    assert [tree.labels[node] for node in tree.depth_nodes[1]] == ["u", "b", "x"]


def test_a_root_above_lines_of_one_length_is_a_level_more():
    tree = Tree.from_paths([("a", "x", "*"), ("b", "y", "Z")])
    shown = [[tree.labels[node] for node in row] for row in tree.level_nodes]
    assert shown == [["a", "b"], ["x", "y"], ["*", "Z"], ["*", "*"]]
