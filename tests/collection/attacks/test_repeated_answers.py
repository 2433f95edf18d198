"""Repeats: reports that are drawn afresh average out."""

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from sfumato import collection
from sfumato.errors import DataError, ParameterError


@pytest.mark.parametrize(
    ("answers", "right"),
    [(1, Fraction(3, 4)), (5, Fraction(459, 512)), (11, Fraction(1012581, 1048576))],
)  # fmt: skip
def test_the_majority_of_repeats_is_right(answers, right):
    assert collection.majority_right(0.75, answers) == right


def test_of_twenty_one_the_majority_is_all_but_certain():
    assert float(collection.majority_right(0.75, 21)) == pytest.approx(0.993577289516, abs=1e-12)
    assert collection.Warner(truth=0.75).privacy.of_answers(21) == pytest.approx(21 * log(3))


@pytest.mark.parametrize("answers", [1, 2, 3, 4, 5])
def test_majorities_are_those_of_enumeration(answers):
    p, right = Fraction(3, 10), Fraction(0)
    for told in product((0, 1), repeat=answers):
        share = Fraction(sum(told), answers)
        wins = Fraction(1, 2) if share == Fraction(1, 2) else Fraction(int(share > Fraction(1, 2)))
        right += wins * p ** sum(told) * (1 - p) ** (answers - sum(told))
    assert collection.majority_right(0.3, answers) == right


def test_repeated_answers_of_yes_and_no_are_found():
    asked, true = collection.Warner(truth=0.75), ["yes"] * 1_200 + ["no"] * 2_800
    reports = pl.DataFrame({f"wave_{i}": asked.randomize(true, seed=i)["answer"] for i in range(11)})
    found = collection.RepeatedAnswers(by="majority").run(reports, true)
    assert found["right"].low < 1012581 / 1048576 < found["right"].high
    assert found["right_once"].low < 0.75 < found["right_once"].high
    assert found["right"].baseline == 0.7
    assert found.notes[1] == "everybody gave 11 reports"


def test_ties_count_in_part():
    reports = {"first": ["a", "a"], "second": ["b", "a"]}
    assert collection.RepeatedAnswers().run(reports, ["a", "a"])["right"].value == 0.75


def test_the_mean_of_repeats_has_less_noise():
    rng = np.random.default_rng(1)
    true = rng.normal(size=4_000) * 3
    found = collection.RepeatedAnswers(by="mean").run(true[:, None] + 2 * rng.normal(size=(4_000, 16)), true)
    assert found["error_once"].value == pytest.approx(2.0, rel=0.05)
    assert found["error"].value == pytest.approx(2.0 / 4, rel=0.05)
    assert found["error"].baseline == pytest.approx(3.0, rel=0.05)


def test_memoized_answers_do_not_average_out():
    asked = collection.Warner(truth=0.75)
    memos = [collection.Memo() for _ in range(200)]
    true = ["yes", "no"] * 100
    reports = {
        f"wave_{i}": [m.report(asked, t, question="q")["answer"][0] for m, t in zip(memos, true, strict=True)]
        for i in range(3)
    }
    found = collection.RepeatedAnswers().run(reports, true)
    assert found["right"].value == found["right_once"].value


def test_bad_input_is_refused():
    with pytest.raises(ParameterError, match="by must be one of majority, mean"):
        collection.RepeatedAnswers(by="median")
    with pytest.raises(DataError, match="2 rows of reports and 3 answers"):
        collection.RepeatedAnswers().run({"a": ["x", "y"]}, ["x", "y", "z"])
    with pytest.raises(DataError, match="row 2 has a missing"):
        collection.RepeatedAnswers().run({"a": ["x", None]}, ["x", "y"])
    with pytest.raises(DataError, match="reports are numbers"):
        collection.RepeatedAnswers(by="mean").run([["x"]], [1.0])
    with pytest.raises(ParameterError, match="truth must be"):
        collection.majority_right(1.5, 3)
    with pytest.raises(ParameterError, match="answers must be"):
        collection.majority_right(0.5, 0)


def test_many_repeats_are_quick_and_as_exact_as_a_float():
    for answers in (1_001, 1_002):
        j = answers // 2 + 1
        assert float(collection.majority_right(0.51, answers)) == pytest.approx(
            float(binom.sf(j - 1, answers, 0.51) + (answers % 2 == 0) * binom.pmf(answers // 2, answers, 0.51) / 2)
        )
    assert float(collection.majority_right(0.75, 20_000)) == pytest.approx(1.0)
    assert float(collection.majority_right(0.3, 10**12)) == pytest.approx(0.0)


def test_columns_that_do_not_fit_are_refused():
    for reports, original in (({"a": ["y"], "b": ["y", "n"]}, ["y"]), ({"a": ["y"]}, [["y"]])):
        with pytest.raises(DataError, match="reports are columns of texts or numbers, as many in each"):
            collection.RepeatedAnswers().run(reports, original)
