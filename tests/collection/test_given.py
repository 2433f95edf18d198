"""Answers and reports as they are given: what cannot be read is refused in a sentence."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sfumato import collection
from sfumato.errors import DataError

KARY = collection.KaryResponse(values=["a", "b"], epsilon=1.0)
NUMBER = collection.LaplaceNoise(low=0, high=1, epsilon=1.0)
SETS = collection.SelectASize(items=list("abcdef"), keep=[0.1, 0.3, 0.6], rho=0.2)
SIZES = collection.SelectASize(items=list("abcdef"), keep=[[0.1, 0.9], [0.1, 0.3, 0.6]], rho=0.2, itemset_size=1)
ONE = collection.OneColumn(columns={"x": collection.Warner(), "y": collection.Warner()})


@pytest.mark.parametrize("answers", [
    [["a"], ["b"]], [dt.timedelta(1)], [b"\xff"], [b"a"], pd.Series(pd.period_range("2020", periods=2, freq="M")),
    pd.period_range("2020", periods=2, freq="M"), pd.Series(pd.interval_range(0, 2)), np.array(["2020"], "datetime64[Y]"),
    np.array(["a", 1, object()], object), np.array("a"), np.array([["a"]]), pl.DataFrame({"a": ["a"], "b": ["b"]}),
    pd.DataFrame({"a": ["a"]}), pd.Series([1j]), np.array([1j]), {"a", "b"}, {"a": 1}, frozenset("a"), ["a", 1], ["a", True],
    "a", b"a", None, 5, pl.Series([["a"]]), pl.Series([{"a": 1}]), pl.Series([object()], dtype=pl.Object),
])  # fmt: skip
def test_answers_that_are_no_column_of_one_kind_are_refused(answers):
    for asked in (KARY, NUMBER, SETS):
        with pytest.raises(DataError):
            asked.randomize(answers)


@pytest.mark.parametrize("answers", [[2.5, True], [True, 1], [1, 2**60, 0.5], {0.5}, {0.5: 1}])
def test_truths_are_no_numbers_and_sets_have_no_order(answers):
    with pytest.raises(DataError, match=r"several kinds|no order"):
        NUMBER.randomize(answers)


@pytest.mark.parametrize("answers", [
    ["a", "b"], ("a", "b"), np.array(["a", "b"]), np.array(["a", "b"], object), pd.Series(["a", "b"]), pl.Series(["a", "b"]),
    pd.Index(["a", "b"]), pd.Series(["a", "b"], dtype="category"), pl.Series(["a", "b"]).to_arrow(), [np.str_("a"), "b"],
])  # fmt: skip
def test_columns_of_every_library_are_read(answers):
    assert KARY.codes_of(answers).tolist() == [0, 1]


def test_whole_numbers_beside_others_are_read():
    assert (
        NUMBER.codes_of([0, 0.5, np.float64(1), np.int32(1)]).tolist() == NUMBER.codes_of([0.0, 0.5, 1.0, 1.0]).tolist()
    )


@pytest.mark.parametrize(("asked", "reports", "said"), [
    (KARY, pd.DataFrame([["a", "b"]], columns=["answer", "answer"]), "a name of its own"),
    (KARY, pd.DataFrame({"answer": ["a", 1, 2.5]}), "texts alone or numbers alone"),
    (KARY, 5, "a table"), (KARY, pl.DataFrame({"answer": [["a"]]}), "the column holds List"),
    (SETS, pl.DataFrame({"items": [[["a"]]]}), "each a text or a number"),
    (SETS, pl.DataFrame({"items": ["a"]}), "lists of items"),
    (SIZES, pl.DataFrame({"size": [[1]], "items": [["a"]]}), "'size' holds whole numbers"),
    (ONE, pl.DataFrame({"asked": ["x", "y"]}), "'x.answer'"), (ONE, pl.DataFrame({"asked": [["x"], ["y"]]}), "texts"),
    (ONE, pl.DataFrame({"asked": [1, 2]}), "texts"), (ONE, pl.DataFrame({"asked": [None, "x"]}), "about None"),
])  # fmt: skip
def test_reports_that_are_no_table_of_reports_are_refused(asked, reports, said):
    with pytest.raises(DataError, match=said):
        asked.estimate(reports)
