"""Decision trees: splits by brute force, and what reconstruction is good for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import collection
from sfumato.collection.learners.decision_tree import _best_split
from sfumato.errors import ParameterError


def gini(codes):
    shares = np.bincount(codes) / max(len(codes), 1)
    return 1 - (shares**2).sum()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=2, max_size=25),
    st.integers(1, 4),
)
def test_the_best_split_is_that_of_trying_all(rows, min_leaf):
    data = np.array(rows)
    cells, codes = data[:, :2], data[:, 2]
    sizes = np.bincount(codes, minlength=2).astype(float)
    found = _best_split(cells, codes, sizes, [4, 3], min_leaf)
    best = 1e-12
    for column, size in enumerate((4, 3)):
        for cell in range(size - 1):
            left = cells[:, column] <= cell
            if min(left.sum(), (~left).sum()) >= min_leaf:
                after = (left.sum() * gini(codes[left]) + (~left).sum() * gini(codes[~left])) / len(codes)
                best = max(best, gini(codes) - after)
    if found is None:
        assert best <= 1e-9
    else:
        left = cells[:, found[0]] <= found[1]
        after = (left.sum() * gini(codes[left]) + (~left).sum() * gini(codes[~left])) / len(codes)
        assert gini(codes) - after == pytest.approx(best, abs=1e-9)


def people(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(20, 80, n)
    return x, (x < 40) | (x >= 60)


@pytest.fixture(scope="module")
def scores():
    noise = collection.UniformNoise.of_level(low=20, high=80, level=1.0)
    x, y = people(20_000, 1)
    asked, truth = people(3_000, 2)
    reports = noise.randomize(x, seed=3)
    ways = ("none", "global", "by class", "local")
    learners = {way: collection.DecisionTree([noise], reconstruct=way, cells=30) for way in ways}
    made = {way: each.fit(reports, y).score(asked[:, None], truth) for way, each in learners.items()}
    made["original"] = collection.DecisionTree().fit(x[:, None], y).score(asked[:, None], truth)
    return made


def test_reconstruction_by_class_finds_what_noise_has_hidden(scores):
    """A third in the middle, under noise as wide as the range: a tree on reports does no better than the larger class."""
    assert scores["original"] > 0.99
    assert scores["none"] < 0.7
    assert scores["by class"] > 0.93
    assert scores["local"] > 0.8


def test_leaves_and_depth_are_bounded():
    x, y = people(2_000, 1)
    learner = collection.DecisionTree(min_leaf=300).fit(x[:, None], y)
    assert 2 <= learner.n_leaves_ <= 6
    assert collection.DecisionTree(max_depth=1, min_leaf=1).fit(x[:, None], y).n_leaves_ == 2
    assert learner.predict_proba(x[:5, None]).sum(axis=1) == pytest.approx(np.ones(5))


@pytest.mark.parametrize(
    ("parameter", "value"), [("reconstruct", "all"), ("min_leaf", 0), ("max_depth", 0), ("cells", -1)]
)
def test_bad_parameters_are_refused_when_taught(parameter, value):
    with pytest.raises(ParameterError, match=f"{parameter} must be"):
        collection.DecisionTree(**{parameter: value}).fit([[1.0], [2.0]], [0, 1])
