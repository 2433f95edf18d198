"""Tables: in and out of every library, and what is refused, with the row that is to blame."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

import sfumato as sf
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table, kind_of
from sfumato.ground.errors import DataError, SchemaError

ROWS = {"name": ["Ann", "Bo", "Cy"], "age": [30, 40, None], "disease": ["flu", None, "flu"], "height": [1.5, None, 1.7]}
SCHEMA = Schema(identifier=["name"], quasi=["age", "height"], sensitive=["disease"])


def make(library):
    return {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table}[library](ROWS)


def table(values, *, role="quasi", name="x", dtype=None, **details):
    """A table of one column with what is declared of it."""
    series = pl.Series(name, values, dtype=dtype) if not isinstance(values, pl.Series) else values.alias(name)
    given = {key: {name: value} for key, value in details.items()}
    return Table(series.to_frame(), Schema(**{role: [name]}, **given))


def kind(given_table, name="x"):
    return given_table.schema.column(name).kind


# -- in and out ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_records_go_out_as_they_came_in(library):
    frame = make(library)
    given_table = Table(frame, SCHEMA)
    assert given_table.source == library
    assert type(given_table.to_native()) is type(frame)
    assert isinstance(given_table.to_polars(), pl.DataFrame)
    assert isinstance(given_table.to_pandas(), pd.DataFrame)
    assert isinstance(given_table.to_arrow(), pa.Table)
    assert given_table.frame["name"].to_list() == ROWS["name"]
    assert given_table.frame["age"].to_list() == ROWS["age"]
    assert given_table.frame["height"].to_list() == ROWS["height"]
    assert given_table.frame["disease"].to_list() == ROWS["disease"]
    assert given_table.with_schema(Schema(quasi=["age"])).source == library
    assert given_table.rows([0]).source == library


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_the_frame_given_is_not_changed(library):
    frame, before = make(library), make(library)
    Table(frame, Schema(quasi=["age"], plain=["height"], kinds={"age": "category"}))
    if library == "pandas":
        pd.testing.assert_frame_equal(frame, before)
    else:
        assert frame.equals(before)


def test_a_lazy_frame_is_collected():
    assert Table(pl.LazyFrame(ROWS)).frame.equals(pl.DataFrame(ROWS))


def test_not_a_number_is_missing():
    nan = float("nan")
    for frame in (
        pl.DataFrame({"x": [1.0, nan, None]}),
        pl.DataFrame({"x": pl.Series([1.0, nan, None], dtype=pl.Float32)}),
        pd.DataFrame({"x": [1.0, nan, np.nan]}),
        pd.DataFrame({"x": pd.array([1.0, None, None], dtype="Float64")}),
        pa.table({"x": [1.0, nan, None]}),
    ):
        assert Table(frame, Schema(quasi=["x"])).frame["x"].to_list() == [1.0, None, None]
    assert Table(pl.DataFrame({"x": pl.Series([nan], dtype=pl.Float16)})).frame["x"].to_list() == [None]
    assert Table(pd.DataFrame({"x": ["a", np.nan, None]})).frame["x"].to_list() == ["a", None, None]
    assert Table(pd.DataFrame({"x": [pd.Timestamp("2024-01-01"), pd.NaT]})).frame["x"].null_count() == 1


def test_the_index_of_pandas_does_not_matter():
    frame = pd.DataFrame({"x": [3, 1, 2]}, index=[7, 7, -1])
    assert Table(frame).frame.equals(pl.DataFrame({"x": [3, 1, 2]}))
    assert Table(frame.set_index(pd.Index(["a", "b", "c"], name="x2"))).columns == ["x"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.table([[1], [2]], names=["a", "a"]),
        pd.DataFrame([[1, 2]], columns=["1", 1]),
    ],
)
def test_a_name_that_appears_twice_is_refused(frame):
    with pytest.raises(DataError, match=r"the column '.' appears twice; rename one of them"):
        Table(frame)


def test_a_column_of_several_types_is_named():
    with pytest.raises(DataError, match="column 'b' mixes values of several types"):
        Table(pd.DataFrame({"a": [1, 2], "b": [1, "x"]}))


def test_column_numbers_become_text():
    assert Table(pd.DataFrame([[1, 2]])).columns == ["0", "1"]


@pytest.mark.parametrize("given_frame", [{"x": [1]}, [1, 2], "data.csv", pd.Series([1]), np.zeros((2, 2)), None])
def test_what_is_no_frame_is_refused(given_frame):
    with pytest.raises(DataError, match=f"got {type(given_frame).__name__}; files go through read_table"):
        Table(given_frame)


def test_what_is_no_schema_is_refused():
    with pytest.raises(SchemaError, match=r"schema must be a Schema, got str; read a file with Schema.from_toml"):
        Table(pl.DataFrame({"x": [1]}), "schema.toml")


def test_a_column_that_the_data_lack():
    with pytest.raises(SchemaError, match="names the column 'agee', which the data lack; did you mean 'age'"):
        Table(pl.DataFrame({"age": [1]}), Schema(quasi=["agee"]))


def test_looks():
    given_table = Table(make("polars"), Schema(identifier=["name"], quasi=["age", "height"]))
    assert repr(given_table) == "Table(3 rows x 4 columns: 1 identifier, 2 quasi)"
    assert "Table: 3 rows, 4 columns" in given_table._repr_html_()
    assert given_table.head(2).frame.equals(given_table.frame.head(2))
    assert len(given_table) == 3
    assert given_table.undeclared == ["disease"]
    assert given_table.rows([2, 0]).frame["name"].to_list() == ["Cy", "Ann"]
    assert given_table.rows(np.array([0])).frame["name"].to_list() == ["Ann"]


# -- types and kinds -------------------------------------------------------------------------------------------------
ROME = pl.Series([dt.datetime(2024, 7, 1), None]).dt.replace_time_zone("Europe/Rome")


@pytest.mark.parametrize(
    ("values", "expected", "found"),
    [
        (pl.Series([1, None], dtype=pl.Int8), [1, None], "integer"),
        (pl.Series([1, None], dtype=pl.UInt64), [1, None], "integer"),
        (pl.Series([1, None], dtype=pl.Int128), [1, None], "integer"),
        (pl.Series([1.5, None], dtype=pl.Float32), [1.5, None], "number"),
        (pl.Series([Decimal("1.50"), None]), [1.5, None], "number"),
        (pl.Series([True, None]), ["true", None], "category"),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ["b", "a"], "category"),
        (pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), ["b", "a"], "category"),
        (pl.Series([dt.date(2024, 1, 1), None]), [dt.date(2024, 1, 1), None], "date"),
        (pl.Series([dt.datetime(2024, 1, 1, 5), None]), [dt.datetime(2024, 1, 1, 5), None], "date"),
        (ROME, ROME.to_list(), "date"),
        (pl.Series([dt.time(1, 2), None]), ["01:02:00", None], "category"),
    ],
    ids=lambda value: str(value.dtype) if isinstance(value, pl.Series) else None,
)
def test_polars_types(values, expected, found):
    given_table = table(values)
    assert given_table.frame["x"].to_list() == expected
    assert kind(given_table) == found
    assert kind_of(given_table.frame["x"]) == found


@pytest.mark.parametrize(
    ("values", "expected", "found"),
    [
        (pd.array([1, None], dtype="Int64"), [1, None], "integer"),
        (pd.array([True, None], dtype="boolean"), ["true", None], "category"),
        (pd.array(["a", None], dtype="string"), ["a", None], "category"),
        (pd.Categorical(["b", "a", None]), ["b", "a", None], "category"),
        (pd.Categorical([3, 1, 3]), [3, 1, 3], "integer"),
        (pd.Categorical(["lo", "hi"], categories=["lo", "hi"], ordered=True), ["lo", "hi"], "category"),
        ([dt.date(2024, 1, 1), None], [dt.date(2024, 1, 1), None], "date"),
        (pd.to_datetime(["2024-07-01 00:00"]).tz_localize("Europe/Rome"), ROME.to_list()[:1], "date"),
        ([Decimal("1.5"), None], [1.5, None], "number"),
        (pd.array([1, 2], dtype="int64[pyarrow]"), [1, 2], "integer"),
    ],
)
def test_pandas_types(values, expected, found):
    given_table = Table(pd.DataFrame({"x": values}), Schema(quasi=["x"]))
    assert given_table.frame["x"].to_list() == expected
    assert kind(given_table) == found


@pytest.mark.parametrize(
    ("values", "declared", "expected"),
    [
        (["1", " 2 ", None], "integer", [1, 2, None]),
        (["1.5", "nan", None], "number", [1.5, None, None]),
        (["2024-02-29", None], "date", [dt.date(2024, 2, 29), None]),
        ([1.0, None], "integer", [1, None]),
        ([Decimal("2.0")], "integer", [2]),
        ([1, None], "number", [1.0, None]),
        ([True, False], "integer", [1, 0]),
        ([2138, None], "category", ["2138", None]),
        ([1.0, 2.5, None], "category", ["1", "2.5", None]),
        ([True, None], "category", ["true", None]),
        ([dt.date(2024, 1, 1)], "category", ["2024-01-01"]),
        (pl.Series(["30", "10", None], dtype=pl.Categorical), "integer", [30, 10, None]),
        (pl.Series(["3.5", "1"], dtype=pl.Enum(["3.5", "1"])), "number", [3.5, 1.0]),
        (pl.Series(["2024-01-01"], dtype=pl.Categorical), "date", [dt.date(2024, 1, 1)]),
    ],
)
def test_columns_are_brought_to_their_declared_kind(values, declared, expected):
    given_table = table(values, kinds=declared)
    assert given_table.frame["x"].to_list() == expected
    assert kind(given_table) == declared


@pytest.mark.parametrize(
    ("values", "declared", "row", "shown"),
    [
        (["1", "x1"], "integer", 2, "x1"),
        (["1", "1.5"], "integer", 2, "1.5"),
        (["1", None, "99999999999999999999"], "integer", 3, "99999999999999999999"),
        ([1.0, 2.5], "integer", 2, "2.5"),
        ([Decimal("1.5")], "integer", 1, "1.5"),
        ([1.0, 1e300], "integer", 2, "1e+300"),
        (["1", "1,5", "1.5"], "number", 2, "1,5"),
        (["2024-01-01", "2024-02-30"], "date", 2, "2024-02-30"),
        (["x1", "2024-01-01"], "date", 1, "x1"),
        ([1985, 1990], "date", 1, "1985"),
        ([True], "date", 1, "true"),
        ([dt.time(1)], "date", 1, "01:00:00"),
        ([None, dt.date(2024, 1, 1)], "integer", 2, "2024-01-01"),
        ([dt.datetime(2024, 1, 1, 5)], "number", 1, "2024-01-01 05:00:00"),
        (pl.Series(["30", "x1"], dtype=pl.Categorical), "integer", 2, "x1"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_row(values, declared, row, shown):
    expected = (
        f"column 'x' is declared {declared} but row {row} holds '{shown}'; mend the value or declare another kind"
    )
    with pytest.raises(SchemaError, match=re.escape(expected)):
        table(values, kinds=declared)


def test_integers_that_are_too_large():
    with pytest.raises(SchemaError, match="column 'x' is read as integer but row 2 holds '18446744073709551615'"):
        table(pl.Series([1, 2**64 - 1], dtype=pl.UInt64))
    with pytest.raises(SchemaError, match="column 'x' is read as integer but row 1 holds"):
        table(pl.Series([2**100], dtype=pl.Int128))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1], [2]], "not single values; flatten it first"),
        ([{"a": 1}], "not single values; flatten it first"),
        ([b"a"], "not single values; flatten it first"),
        ([dt.timedelta(1)], "turn durations into numbers first"),
    ],
)
def test_columns_that_hold_no_single_values(values, message):
    with pytest.raises(SchemaError, match=f"column 'x' holds .*{message}"):
        table(values)
    assert table(values, role="identifier").columns == ["x"]  # never looked at, never published


# -- what no method could treat rightly ------------------------------------------------------------------------------
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_columns_without_any_value(role):
    with pytest.raises(DataError, match="column 'x' has no value at all; drop it or declare it plain"):
        table([None, None], role=role)
    with pytest.raises(DataError, match="column 'x' has no value at all"):
        table([float("nan")], role=role)
    assert table([None, None], role="plain").frame["x"].null_count() == 2
    assert len(table([], role=role, dtype=pl.Int64)) == 0


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_missing_values_may_be_refused(role):
    with pytest.raises(DataError, match="column 'x' has 2 missing values, first at row 2; fill them in, or declare"):
        table([1, None, 3, None], role=role, missing="refuse")
    assert len(table([1, 2], role=role, missing="refuse")) == 2
    assert len(table([1, None], role="plain", missing="refuse")) == 2


@pytest.mark.parametrize(("value", "shown"), [(float("inf"), "inf"), (float("-inf"), "-inf")])
def test_infinite_values_are_refused(value, shown):
    with pytest.raises(DataError, match=f"column 'x' holds {shown} at row 3; replace infinite values"):
        table([1.0, None, value])
    with pytest.raises(DataError, match="infinite"):
        table(["1", str(value)], kinds="number")
    assert len(table([value], role="plain")) == 1


def test_a_value_that_an_order_lacks():
    with pytest.raises(SchemaError, match="column 'x' holds 'huge', which its order lacks; add it to the order"):
        table(["low", None, "huge"], orders=["low", "high"])
    assert kind(table(["low", None], orders=["low", "high"])) == "ordinal"
    assert table([2, 1, None], orders=[1, 2, 3]).frame["x"].to_list() == ["2", "1", None]
    assert len(table([1.0, 2.5], orders=[1, 2.5])) == 2


def test_a_value_that_a_hierarchy_lacks():
    with pytest.raises(SchemaError, match="the hierarchy of column 'x' lacks the value 'c' and 1 more; add a line"):
        table(["a", None, "c", "d"], hierarchies=Hierarchy.flat(["a", "b"]))
    with pytest.raises(SchemaError, match=r"the hierarchy of column 'x' lacks the value '99'; its intervals cover"):
        table([5, 99], hierarchies=Hierarchy.intervals([5], low=0, high=10))
    with pytest.raises(SchemaError, match="the hierarchy of column 'x' lacks the value 'a': it is no number"):
        table(["a"], hierarchies=Hierarchy.intervals([5], low=0, high=10))
    with pytest.raises(SchemaError, match="the hierarchy of column 'x' lacks the value '7': it is no date"):
        table([7], hierarchies=Hierarchy.calendar())
    assert len(table([2138, None], hierarchies=Hierarchy.prefixes(5))) == 2
    assert len(table([], dtype=pl.Int64, hierarchies=Hierarchy.prefixes(5))) == 0


day, moment = dt.date, dt.datetime


@pytest.mark.parametrize(
    ("values", "bounds", "row", "shown"),
    [
        ([5, None, -1], (0, 10), 3, "-1 at row 3, below its low 0"),
        ([5, 11], (0, 10), 2, "11 at row 2, above its high 10"),
        ([0.5, 10.5], (None, 10), 2, "10.5 at row 2, above its high 10"),
        ([day(2024, 1, 1)], (day(2024, 1, 2), None), 1, "2024-01-01 at row 1, below its low 2024-01-02"),
        (
            [moment(2024, 1, 1, 5)],
            (None, day(2024, 1, 1)),
            1,
            "2024-01-01 05:00:00 at row 1, above its high 2024-01-01",
        ),
        (ROME, (None, day(2024, 6, 30)), 1, "2024-07-01 00:00:00+02:00 at row 1, above its high 2024-06-30"),
        (ROME, (moment(2024, 6, 30, 22, 1, tzinfo=dt.UTC), None), 1, "below its low 2024-06-30 22:01:00+00:00"),
    ],
)
def test_values_outside_their_bounds(values, bounds, row, shown):
    with pytest.raises(DataError, match=re.escape(shown)):
        table(values, bounds=bounds)


@pytest.mark.parametrize(
    ("values", "bounds"),
    [
        ([0, 10, None], (0, 10)),
        ([0.5], (0, None)),
        ([day(2024, 1, 1)], (day(2024, 1, 1), moment(2024, 1, 1, 1))),
        ([moment(2024, 1, 1, 5)], ("2024-01-01", "2024-01-02")),
        (ROME, (day(2024, 7, 1), moment(2024, 7, 1, 0, 0, 1))),
        (ROME, (moment(2024, 6, 30, 22, tzinfo=dt.UTC), None)),
    ],
)
def test_values_within_their_bounds(values, bounds):
    assert len(table(values, bounds=bounds)) == len(values)


@pytest.mark.parametrize(
    ("values", "bounds", "message"),
    [
        (["a"], (0, 1), "column 'x' is a category and takes no bounds; remove low and high"),
        ([day(2024, 1, 1)], (1900, 2100), "column 'x' holds dates, but its bound is 1900; give a date"),
        ([5], (day(1970, 1, 1), None), "column 'x' holds numbers, but its bound is 1970-01-01; give a number"),
        ([moment(2024, 1, 1)], (moment(2024, 1, 1, tzinfo=dt.UTC), None), "column 'x' has no time zone, but its bound"),
    ],
)
def test_bounds_of_the_wrong_type(values, bounds, message):
    with pytest.raises(SchemaError, match=re.escape(message)):
        table(values, bounds=bounds)


def test_a_table_made_again_from_its_own_frame_is_the_same():
    first = Table(make("pandas"), SCHEMA)
    second = Table(first.to_native(), first.schema)
    assert_frame_equal(first.frame, second.frame)
    assert first.schema == second.schema


def test_numbers_too_large_are_named():
    with pytest.raises(DataError, match="beyond 1e\\+150"):
        sf.Table(pl.DataFrame({"a": [-1.7e308, 1.7e308, 0.0]}), sf.Schema(quasi=["a"]))


def test_nested_and_nameless_columns_are_named():
    with pytest.raises(SchemaError, match="not single values"):
        sf.verify(pl.DataFrame({"a": [[1], [2]]}), promise=sf.KAnonymity(1), quasi=["a"])
    with pytest.raises(DataError, match="empty name"):
        sf.Table(pl.DataFrame({"": [1]}), sf.Schema())


def test_whole_numbers_that_doubles_cannot_tell_apart_are_refused():
    frame = pl.DataFrame({"a": [2**60, 2**60 + 1]})
    with pytest.raises(
        sf.errors.DataError, match=r"'a' holds 1152921504606846976 at row 1; whole numbers beyond 2\*\*53"
    ):
        sf.Table(frame, sf.Schema(quasi=["a"]))
    assert len(sf.Table(frame, sf.Schema(quasi=["a"], kinds={"a": "category"}))) == 2
    assert len(sf.Table(pl.DataFrame({"a": [2**53, -(2**53)]}), sf.Schema(quasi=["a"]))) == 2


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64])
def test_zero_has_no_sign(dtype):
    table = Table(pl.DataFrame({"x": pl.Series([0.0, -0.0, 1.5, None], dtype=dtype)}), Schema(quasi=["x"]))
    assert not np.signbit(table.frame["x"].head(2).to_numpy()).any()
    assert table.frame["x"].to_list() == [0.0, 0.0, 1.5, None]
