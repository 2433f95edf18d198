"""A learner counts a cell for every value that it covers."""

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array

import sfumato as sf
from sfumato.tables.attacks.learners import BayesLearner


def test_a_cell_counts_for_every_value_that_it_covers_in_equal_parts():
    domain = sf.Table(
        pl.DataFrame({"age": [1, 2, 3, None], "job": ["x", "y", "y", "x"]}), sf.Schema(quasi=["age", "job"])
    )
    frame = pl.DataFrame({"age": ["[1, 2]", "3", "[1, 3] or missing"], "job": ["x", "{x, y}", "*"]})
    of_row = csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    learner = BayesLearner(frame, {"age": "range", "job": "set"}, domain, ["age", "job"], of_row)
    age = np.array([[1 / 2, 1 / 4], [1 / 2, 1 / 4], [0, 5 / 4], [0, 1 / 4]])  # three values and a missing one
    job = np.array([[1, 1 / 2 + 1 / 3], [0, 1 / 2 + 1 / 3]])  # `*` is also a missing one
    sizes = np.array([1, 2])
    at = [0, 1, 1, 0]
    expected = (
        np.log((sizes + 1) / 5)
        + np.log((age + 1) / (sizes + 4))
        + np.log((job[at] + 1) / (sizes + 3))
    )  # fmt: skip
    assert learner.scores(domain) == pytest.approx(expected)
    without = learner.scores(domain.rows([0]), np.array([0]))  # the only row with the first value
    by_hand = (
        np.log((np.array([0, 2]) + 1) / 4)
        + np.log((np.array([0, 1 / 4]) + 1) / (np.array([0, 2]) + 4))
        + np.log((np.array([0, 5 / 6]) + 1) / (np.array([0, 2]) + 3))
    )  # fmt: skip
    assert without[0] == pytest.approx(by_hand)
