"""Classes as a reader sees them: which cells are equal, suppressed or empty, and how sensitive values count."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.published.equivalence import Cells
from support.starred_tables import STARRED


def test_nanoseconds_of_a_sensitive_time_count():
    start = 1_700_000_000_000_000_000
    days = pl.Series([start + 123] * 4 + [start + 86_400 * 10**9 * 9 + 456] * 4).cast(pl.Datetime("ns"))
    frame = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 4, "d": days})
    verdict = sf.verify(frame, promise=sf.TCloseness(0.0), quasi=["a"], sensitive=["d"])
    assert not verdict
    assert verdict.reached["TCloseness(0)"] == pytest.approx(0.5)
    close = pl.DataFrame(
        {"a": ["x"] * 4, "d": pl.Series([start, start + 1, start + 2, start + 3]).cast(pl.Datetime("ns"))}
    )
    assert sf.verify(close, promise=sf.LDiversity(4), quasi=["a"], sensitive=["d"])


def test_a_star_is_suppressed_only_where_declared():
    cells = sf.Cells(suppressed=("?",))
    alone = pl.DataFrame({"a": ["*", "x", "x"]})
    assert not sf.verify(alone, promise=sf.KAnonymity(2), quasi=["a"], cells=cells)
    assert sf.verify(alone, promise=sf.KAnonymity(2), quasi=["a"])
    two = pl.DataFrame({"a": ["*", "?", "x", "x"], "c": ["p"] * 4})
    assert not sf.verify(two, promise=sf.KAnonymity(2), quasi=["a", "c"], cells=cells)


@pytest.mark.parametrize("cell", ["\0hidden", "\0\0hidden", "\0", "hidden"])
def test_no_cell_is_taken_for_a_suppressed_one(cell):
    frame = pl.DataFrame({"a": ["*"] * 4 + [cell], "b": ["x"] * 5})
    verdict = sf.verify(frame, promise=sf.KAnonymity(5), quasi=["a", "b"])
    assert verdict.reached == {"KAnonymity(k=5)": 1.0}
    assert f"class (a={cell}, b=x)" in verdict.broken[0]
    alone = frame.select("a")
    assert sf.verify(alone, promise=sf.KAnonymity(2), quasi=["a"]).reached == {"KAnonymity(k=2)": 1.0}
    cells = sf.Cells(suppressed=("*", cell))
    assert sf.verify(frame, promise=sf.KAnonymity(5), quasi=["a", "b"], cells=cells)
    empty = pl.DataFrame({"a": [None, "", cell], "b": ["x"] * 3})
    cells = sf.Cells(empty="suppressed")
    assert sf.verify(empty, promise=sf.KAnonymity(1), quasi=["a", "b"], cells=cells).found == (
        "smallest class 1 in 2 classes",
    )


def test_cells_that_differ_by_marks_stay_apart():
    frame = pl.DataFrame({"a": ["\0x", "\0\0x", "x"] * 2})
    assert sf.verify(frame, promise=sf.KAnonymity(2), quasi=["a"]).found == ("smallest class 2 in 3 classes",)


def test_suppressed_rows_are_no_class_of_their_own_by_default():
    frame = STARRED.head(4)
    verdict = sf.verify(frame, promise=sf.KAnonymity(2), quasi=["age", "zip"])
    assert verdict.holds
    assert verdict.found == ("smallest class 2 in 1 class",)
    assert any("2 of 4 rows show nothing" in said for said in verdict.decisions)


def test_suppressed_rows_can_be_a_class():
    verdict = sf.verify(
        STARRED.head(4), promise=sf.KAnonymity(3), quasi=["age", "zip"], cells=Cells(suppressed_rows="class")
    )
    assert verdict.found == ("smallest class 2 in 2 classes",)
    assert not verdict.holds


def test_a_suppressed_cell_equals_only_another():
    verdict = sf.verify(STARRED, promise=sf.KAnonymity(2), quasi=["age", "zip"])
    assert not verdict.holds
    assert "class (age=4*, zip=*)" in verdict.broken[0]


@pytest.mark.parametrize("dtype", [pl.String, pl.Float64])
def test_an_empty_cell_is_a_value_or_shows_nothing_as_declared(dtype):
    values = ["", "", "1", "1"] if dtype == pl.String else [None, float("nan"), 1.0, 1.0]
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype), "y": ["*", "*", "a", "a"]})
    as_value = sf.verify(frame, promise=sf.KAnonymity(2), quasi=["x", "y"])
    assert as_value.found == ("smallest class 2 in 2 classes",)
    assert any("a value of its own" in said for said in as_value.decisions)
    as_nothing = sf.verify(frame, promise=sf.KAnonymity(2), quasi=["x", "y"], cells=Cells(empty="suppressed"))
    assert as_nothing.found == ("smallest class 2 in 1 class",)
    assert any("an empty or NaN cell is a suppressed cell" in said for said in as_nothing.decisions)


def test_other_marks_of_suppression():
    frame = pl.DataFrame({"x": ["NA", "NA", "a", "a"]})
    verdict = sf.verify(frame, promise=sf.KAnonymity(2), quasi=["x"], cells=Cells(suppressed=("NA",)))
    assert verdict.found == ("smallest class 2 in 1 class",)
