"""The conventions of scikit-learn, as its own checks see them."""

import warnings

import numpy as np
import polars as pl
import pytest

from sfumato import collection
from sfumato.errors import DataError, ParameterError

LEARNERS = {
    "NaiveBayes": collection.NaiveBayes(), "DecisionTree": collection.DecisionTree(min_leaf=2),
    "LinearRegression": collection.LinearRegression(), "KMeans": collection.KMeans(3),
}  # fmt: skip


def taught(name, X, y):
    learner = LEARNERS[name].__class__(**LEARNERS[name].get_params())
    return learner.fit(X) if name == "KMeans" else learner.fit(X, y)


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3)) + np.repeat([[0], [4]], 100, axis=0)
    return X, np.repeat([0, 1], 100)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_checks_of_scikit_learn_pass(name):
    checks = pytest.importorskip("sklearn.utils.estimator_checks", reason="scikit-learn is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks.check_estimator(LEARNERS[name])


@pytest.mark.parametrize("name", LEARNERS)
def test_it_stands_at_the_end_of_a_pipeline_and_is_searched_over(name, table):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = table
    pipe = make_pipeline(StandardScaler(), LEARNERS[name]).fit(X, y)
    assert len(pipe.predict(X)) == 200
    if name in ("NaiveBayes", "DecisionTree"):
        found = GridSearchCV(LEARNERS[name], {"cells": [2, 20]}, cv=2).fit(X, y)
        assert found.best_score_ > 0.9


@pytest.mark.parametrize("name", LEARNERS)
def test_it_learns_from_frames_and_arrays(name, table):
    X, y = table
    frame = pl.DataFrame(X, schema=["a", "b", "c"])
    by_array, by_frame = taught(name, X, y), taught(name, frame, y)
    assert by_array.predict(X).tolist() == by_frame.predict(frame).tolist()
    assert by_frame.predict(frame.select("c", "a", "b")).tolist() == by_frame.predict(frame).tolist()
    assert by_frame.feature_names_in_.tolist() == ["a", "b", "c"]
    assert by_array.n_features_in_ == 3
    with pytest.raises(DataError, match="taught with a column 'b'"):
        by_frame.predict(frame.select("a", "c"))
    with pytest.raises(DataError, match="X has 2 features"):
        by_array.predict(X[:, :2])


@pytest.mark.parametrize("name", LEARNERS)
def test_bad_tables_are_refused_in_a_sentence(name, table):
    X, y = table
    cases = [(X[0], "must be a table"), (np.empty((0, 3)), "0 sample"), (np.full((5, 2), np.nan), "missing value"),
             (np.array([["a", "b"]] * 5), "holds texts"), (X[:, :0], "0 feature")]  # fmt: skip
    for bad, said in cases:
        with pytest.raises(DataError, match=said):
            taught(name, bad, y[: len(bad)])
    with pytest.raises(DataError, match="has not been taught yet"):
        LEARNERS[name].__class__(**LEARNERS[name].get_params()).predict(X)
    with pytest.raises(ParameterError, match="has no parameter 'depth'"):
        LEARNERS[name].set_params(depth=3)
    if name != "KMeans":
        with pytest.raises(DataError, match="200 rows, and y has 3"):
            taught(name, X, y[:3])
        with pytest.raises(DataError, match="y is None"):
            taught(name, X, None)


@pytest.mark.parametrize("name", ["NaiveBayes", "DecisionTree"])
def test_one_class_alone_teaches_nothing(name, table):
    with pytest.raises(DataError, match="one class alone"):
        taught(name, table[0], np.zeros(200))


@pytest.mark.parametrize("name", LEARNERS)
def test_it_shows_what_it_was_told(name):
    assert repr(LEARNERS[name]).startswith(f"{name}(")
    assert LEARNERS[name].get_params() == LEARNERS[name].__class__(**LEARNERS[name].get_params()).get_params()


@pytest.mark.parametrize("name", LEARNERS)
def test_randomizers_must_fit_the_columns(name, table):
    X, y = table
    noise = collection.LaplaceNoise(low=0, high=1, epsilon=1.0)
    for randomizers, said in (([noise], "one or None for each of 3"), ({"z": noise}, "no column of X"), (5, "must map"),
                              ([noise, 3, None], "adds noise")):  # fmt: skip
        learner = LEARNERS[name].__class__(**{**LEARNERS[name].get_params(), "randomizers": randomizers})
        with pytest.raises(ParameterError, match=said):
            learner.fit(X) if name == "KMeans" else learner.fit(X, y)


@pytest.mark.parametrize("kind", [collection.NaiveBayes, collection.LinearRegression, collection.DecisionTree])
def test_what_cannot_be_learnt_from_is_refused(kind):
    X = np.linspace(0, 1, 12).reshape(6, 2)
    for table, y, said in (
        (X, [None] * 6, "every row needs"), (X, [None, "a"] * 3, "every row needs"),
        ([[1, 2], [3]], [0, 1], "rows of X are not of the same length"),
        (X, [[1], [1, 2]] * 3, "rows of y are not of the same length"),
        (X + 1e300, [0, 1] * 3, "numbers above 1e"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=said):
            kind().fit(table, y)
