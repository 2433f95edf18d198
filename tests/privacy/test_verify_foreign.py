import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError, SchemaError
from sfumato.published.equivalence import Cells

FRAME = pl.DataFrame({"age": ["3*", "3*", "*", "*", "4*"], "zip": ["130", "130", "*", "*", "*"], "d": list("abcda")})


def test_suppressed_rows_are_no_class_of_their_own_by_default():
    frame = FRAME.head(4)
    verdict = sf.verify(frame, promise=sf.KAnonymity(2), quasi=["age", "zip"])
    assert verdict.holds
    assert verdict.found == ("smallest class 2 in 1",)
    assert any("2 of 4 rows show nothing" in said for said in verdict.decisions)


def test_suppressed_rows_can_be_a_class():
    verdict = sf.verify(
        FRAME.head(4), promise=sf.KAnonymity(3), quasi=["age", "zip"], cells=Cells(suppressed_rows="class")
    )
    assert verdict.found == ("smallest class 2 in 2",)
    assert not verdict.holds


def test_a_suppressed_cell_equals_only_another():
    verdict = sf.verify(FRAME, promise=sf.KAnonymity(2), quasi=["age", "zip"])
    assert not verdict.holds
    assert "class (age=4*, zip=*)" in verdict.broken[0]


@pytest.mark.parametrize("dtype", [pl.String, pl.Float64])
def test_an_empty_cell_is_a_value_or_shows_nothing_as_declared(dtype):
    values = ["", "", "1", "1"] if dtype == pl.String else [None, float("nan"), 1.0, 1.0]
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype), "y": ["*", "*", "a", "a"]})
    as_value = sf.verify(frame, promise=sf.KAnonymity(2), quasi=["x", "y"])
    assert as_value.found == ("smallest class 2 in 2",)
    assert any("a value of its own" in said for said in as_value.decisions)
    as_nothing = sf.verify(frame, promise=sf.KAnonymity(2), quasi=["x", "y"], cells=Cells(empty="suppressed"))
    assert as_nothing.found == ("smallest class 2 in 1",)
    assert any("an empty or NaN cell is a suppressed cell" in said for said in as_nothing.decisions)


def test_other_marks_of_suppression():
    frame = pl.DataFrame({"x": ["NA", "NA", "a", "a"]})
    verdict = sf.verify(frame, promise=sf.KAnonymity(2), quasi=["x"], cells=Cells(suppressed=("NA",)))
    assert verdict.found == ("smallest class 2 in 1",)


def test_pandas_and_tables_are_taken_too():
    assert sf.verify(FRAME.to_pandas(), promise=sf.KAnonymity(1), quasi=["age"]).holds
    table = sf.Table(FRAME, sf.Schema(quasi=["zip"], sensitive=["d"]))
    assert sf.verify(table, promise=sf.LDiversity(2)).holds
    assert not sf.verify(table, promise=sf.LDiversity(2.5)).holds


def test_a_table_without_rows_or_only_suppressed_ones_breaks_nothing():
    assert sf.verify(FRAME.head(0), promise=sf.KAnonymity(2), quasi=["age"]).holds
    hidden = pl.DataFrame({"x": ["*", "*"], "s": ["a", "b"]})
    promise = sf.KAnonymity(5) & sf.LDiversity(2) & sf.TCloseness(0.1)
    assert sf.verify(hidden, promise=promise, quasi=["x"], sensitive=["s"]).holds


def test_bad_calls_say_what_is_missing():
    with pytest.raises(SchemaError, match="no column 'agee'; did you mean 'age'"):
        sf.verify(FRAME, promise=sf.KAnonymity(2), quasi=["agee"])
    with pytest.raises(ParameterError, match="needs the promise"):
        sf.verify(FRAME, quasi=["age"])
    with pytest.raises(ParameterError, match="needs the quasi-identifiers"):
        sf.verify(FRAME, promise=sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="needs a sensitive column"):
        sf.verify(FRAME, promise=sf.LDiversity(2), quasi=["age"])
