"""Trees of hierarchies: the way up from a value, as read back from a release, equal or monotone."""

from __future__ import annotations

import json

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.values import text


def labels_up(tree, value):
    """The labels from a value up to the root."""
    node, labels = int(tree.leaf_node[tree.leaf_of[text(value)]]), []
    while node != -1:
        labels.append(tree.labels[node])
        node = int(tree.parent[node])
    return labels


def read_again(hierarchy):
    """The hierarchy as a reader of the release gets it."""
    return Hierarchy.from_dict(json.loads(json.dumps(hierarchy.to_dict())))


def assert_same_tree(one, two):
    assert one.labels == two.labels
    assert one.leaves == two.leaves
    assert one.parent.tolist() == two.parent.tolist()
    assert one.loss.tolist() == two.loss.tolist()


def is_monotone(tree):
    return all(tree.loss[i] <= tree.loss[tree.parent[i]] for i in range(1, len(tree.labels)))
