"""read_baskets: every way to write records down, and every kind of bad input."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.data.baskets import Baskets
from sfumato.data.reading_baskets import read_baskets
from sfumato.ground.errors import DataError, ParameterError

RECORDS = [("bread", "milk"), ("tea",), ("bread", "tea")]
LABELS = ["flu", "cold", "flu"]


@pytest.fixture
def write(tmp_path):
    def write(content: bytes | str | pl.DataFrame, name: str) -> Path:
        file = tmp_path / name
        if isinstance(content, pl.DataFrame):
            {".parquet": content.write_parquet, ".arrow": content.write_ipc}[file.suffix](file)
        else:
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write


def lines(baskets: Baskets) -> list[str]:
    return [" ".join(record) for record in baskets]


# -- FIMI ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("content", "records"),
    [
        ("1 3\n2\n", ["1 3", "2"]),
        ("1 3\n2", ["1 3", "2"]),
        ("\n1 3\n\n2\n\n", ["", "1 3", "", "2", ""]),
        ("1 3 \r\n 2\r\n", ["1 3", "2"]),
        ("1 3\r2\r", ["1 3", "2"]),
        ("\ufeff1\t3\n   \n2\n", ["1 3", "", "2"]),
        ("10 9 9\n2 10\n", ["9 10", "2 10"]),
        ("10 9\n2 x\n", ["10 9", "2 x"]),
        ("01 1\n1\n", ["01 1", "1"]),
        ("größe maß\nmaß\n", ["größe maß", "maß"]),
        ("123456789012345678901 5\n", ["123456789012345678901 5"]),
        ("0 1\n1\n", ["0 1", "1"]),
    ],
)
def test_lines_are_records(write, content, records):
    assert lines(read_baskets(write(content, "a.dat"))) == records
    assert lines(read_baskets(write(gzip.compress(content.encode()), "a.dat.gz"))) == records
    assert lines(read_baskets(write(content, "anything"), format="fimi")) == records


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.text("aé12ß", min_size=1, max_size=3), max_size=5), min_size=1), st.data())
def test_lines_as_python_splits_them(tmp_path, records, data):
    blank = data.draw(st.sampled_from([" ", "  ", "\t"]))
    file = tmp_path / "any.dat"
    file.write_bytes("".join(blank.join(record) + "\n" for record in records).encode())
    if not any(records):
        with pytest.raises(DataError, match="no items"):
            read_baskets(file)
        return
    assert [set(record) for record in read_baskets(file)] == [set(record) for record in records]


def test_a_text_file_without_cells_is_lines(write):
    assert lines(read_baskets(write("1 3\n2\n", "a.txt"))) == ["1 3", "2"]
    assert lines(read_baskets(write("record|item\n1|3\n", "a.txt"))) == ["3"]


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("", "is empty"),
        ("\n \n", "no items on them"),
        ("1 3\n1,3,5\n", r"line 2: '1,3,5' does not look like an item.*format='fimi'"),
        ("# from the shop\n1 3\n", r"line 1: '#' does not look like an item.*leave comments out"),
        ("1 3\n\n4 -1 -2\n", "line 3: the item -1 is negative"),
        ("0 1 0 1\n1 1 0 1\n", "nothing but 0 and 1.*format='one-hot'"),
        (b"1 3\n\x00 4\n", "line 2: there is a NUL byte"),
    ],
)
def test_bad_lines_are_named(write, content, match):
    with pytest.raises(DataError, match=match):
        read_baskets(write(content, "a.dat"))


def test_who_says_fimi_is_believed(write):
    assert lines(read_baskets(write("tea,green tea\n", "a.dat"), format="fimi")) == ["tea tea,green"]
    assert lines(read_baskets(write("0 1 0\n1 0 1\n", "a.dat"), format="fimi")) == ["0 1", "0 1"]
    assert lines(read_baskets(write("a b\nc\n", "a.csv"), format="fimi")) == ["a b", "c"]


# -- tables ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_long_tables(write, delimiter):
    content = (
        "visit,record,item,why\n1,z,milk,flu\n1,a, tea,cold\n2,z,bread,flu\n3,z,milk,flu\n4,9,bread,flu\n4,9,tea,flu\n"
    )
    file = write(content.replace(",", delimiter), "a.csv")
    baskets = read_baskets(file, label="why")
    assert list(baskets) == RECORDS
    assert baskets.labels.to_list() == LABELS
    assert read_baskets(file).labels is None


def test_names_stand_as_they_are_written(write):
    file = write("record,item,label\n1,250.0,1.50\n1,250.00,1.50\n01,250,1.5\n", "a.csv")
    baskets = read_baskets(file, label="label")
    assert list(baskets) == [("250.0", "250.00"), ("250",)]
    assert baskets.labels.to_list() == ["1.50", "1.5"]
    assert read_baskets(write("record,item\n1,10\n2, 9\n", "b.csv")).items == ("9", "10")


def test_other_names_of_columns(write):
    file = write("patient,drug\n1,a\n2,b\n1,b\n", "a.csv")
    assert list(read_baskets(file, record="patient", item="drug")) == [("a", "b"), ("b",)]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_lists(write, ending):
    frame = pl.DataFrame({"goods": [*map(list, RECORDS), []], "why": [*LABELS, "cold"], "age": [1, 2, 3, 4]})
    baskets = read_baskets(write(frame, f"a.{ending}"), label="why")
    assert list(baskets) == [*RECORDS, ()]
    assert baskets.labels.to_list() == [*LABELS, "cold"]
    numbers = pl.DataFrame({"record": [1, 2], "item": [[10, 9], [9]], "other": [["a"], ["b"]]})
    assert list(read_baskets(write(numbers, f"b.{ending}"))) == [("9", "10"), ("9",)]
    assert list(read_baskets(write(numbers, f"b.{ending}"), item="other")) == [("a",), ("b",)]


def test_lists_of_every_type(write):
    one = pl.DataFrame({"a": [["x", "y"], ["y", "z"]]})
    for dtype in (pl.Array(pl.String, 2), pl.List(pl.Categorical)):
        assert lines(read_baskets(write(one.cast({"a": dtype}), "a.parquet"))) == ["x y", "y z"]
    assert lines(read_baskets(write('{"a": ["x", "y"]}\n{"a": ["y"]}\n', "a.ndjson"))) == ["x y", "y"]
    assert lines(read_baskets(write(pl.DataFrame({"a": [[1.5, 2.0], [2.0]]}), "a.parquet"))) == ["1.5 2", "2"]


@pytest.mark.parametrize("form", [None, "one-hot"])
def test_one_hot(write, form):
    csv = "bread,milk,tea,why\n1,1,0,flu\n0,0,1,cold\n1,0,1,flu\n"
    words = csv.replace("1", "True").replace("0", "False")
    frame = pl.read_csv(csv.encode())
    flags = frame.with_columns(pl.col("bread", "milk", "tea").cast(pl.Boolean))
    for file in (write(csv, "a.csv"), write(words, "b.csv"), write(frame, "a.parquet"), write(flags, "b.parquet")):
        baskets = read_baskets(file, label="why", format=form)
        assert list(baskets) == RECORDS
        assert (baskets.items, baskets.labels.to_list()) == (("bread", "milk", "tea"), LABELS)


def test_an_item_may_be_called_item(write):
    baskets = read_baskets(write("item,tea\n1,0\n0,1\n0,0\n", "a.csv"))
    assert list(baskets) == [("item",), ("tea",), ()]


def test_the_same_records_however_they_are_written(write):
    rng = np.random.default_rng(5)
    dense = rng.random((40, 12)) < 0.3
    dense[:, 0] |= ~dense.any(axis=1)
    dense[0] = True
    sets = [[str(j) for j in np.flatnonzero(row)] for row in dense]
    long = "record,item\n" + "".join(f"r{i},{j}\n" for i, row in enumerate(sets) for j in reversed(row))
    files = [
        write("".join(" ".join(row) + "\n" for row in sets), "a.dat"),
        write(long, "a.csv"),
        write(pl.DataFrame({"x": sets}), "a.parquet"),
        write(pl.DataFrame(dense.astype(int), schema=[str(j) for j in range(12)]), "b.parquet"),
    ]
    for file in files:
        baskets = read_baskets(file)
        assert baskets.items == tuple(str(j) for j in range(12))
        assert (baskets.to_scipy().toarray() == dense).all()


@pytest.mark.parametrize(
    ("frame", "options", "match"),
    [
        ({"a": ["x"]}, {}, "name the columns, or say format='fimi'"),
        ({"a": ["x"], "b": [2]}, {}, "no columns 'record' and 'item', no column of lists.*record='a', item='b'"),
        ({"record": [1], "drug": ["x"]}, {}, "no column 'item'; name the column of the items, as in item='drug'"),
        ({"user": [1], "item": ["x"]}, {}, "no column 'record'; name the column of the records, as in record='user'"),
        ({"a": [[1]], "b": [[1]]}, {}, "columns 'a' and 'b' both hold lists; name .* item='a'"),
        ({"record": [1], "item": ["x"], "b": [[1]]}, {}, "say format='long' or format='lists'"),
        ({"a": [1, 0], "b": [0, 1], "why": ["x", "y"]}, {}, "all columns but 'why' hold 0 and 1; say label='why'"),
        ({"a": [1, 0], "b": [0, 7]}, {"format": "one-hot"}, "row 2: column 'b' holds 7, and not 0 or 1"),
        ({"a": [1, None]}, {"format": "one-hot"}, "row 2: column 'a' holds a missing value"),
        ({"why": ["x"]}, {"format": "one-hot", "label": "why"}, "no column beside the label"),
        ({"a": [1]}, {"format": "lists"}, "no column holds lists"),
        ({"item": [1]}, {"format": "lists"}, "column 'item' holds no lists"),
        ({"good": [[1]]}, {"format": "lists", "item": "goods"}, "no column 'goods' for item; did you mean 'good'"),
        ({"record": [1], "items": ["x"]}, {"format": "long"}, "no column 'item' for item; did you mean 'items'"),
        ({"record": [1], "item": ["x"]}, {"label": "why"}, "no column 'why' for label"),
        ({"record": [1, 1], "item": ["x", None]}, {}, "row 2: a value of column 'item' is missing"),
        ({"record": [1, 1], "item": ["?", "y"]}, {"missing": ["?"]}, "row 1: a value of column 'item' is missing"),
        ({"record": [None, "1"], "item": ["x", "y"]}, {}, "row 1: a value of column 'record' is missing"),
        ({"item": [["x"], ["y", None]]}, {}, "row 2: a value of column 'item' is missing"),
        ({"item": [["x"], None]}, {}, "row 2: column 'item' is empty; write an empty list"),
        ({"item": [[1.0], [float("nan")]]}, {}, "row 2: a value of column 'item' is missing"),
        ({"item": [[], []]}, {}, "are all empty"),
        ({"item": [[["x"]]]}, {}, "column 'item' holds List"),
        ({"item": [["x"], ["y"]], "why": ["a", None]}, {"label": "why"}, "row 2: a value of column 'why' is missing"),
        (
            {"record": [1, 2, 1], "item": ["x", "y", "z"], "why": ["a", "b", "c"]},
            {"label": "why"},
            "rows 1 and 3 give one",
        ),
    ],
)
def test_bad_tables_are_named(write, frame, options, match):
    file = write(pl.DataFrame(frame, strict=False), "a.parquet")
    with pytest.raises(DataError, match=match) as caught:
        read_baskets(file, **options)
    assert str(caught.value).startswith(f"file '{file}': ")


# -- labels ----------------------------------------------------------------------------------------------------------
def test_labels_from_elsewhere(write):
    file = write("1 3\n2\n3\n", "a.dat")
    table = pl.DataFrame({"id": [1, 2, 3], "why": LABELS})
    given = [
        (LABELS, None),
        (pl.Series(LABELS), None),
        (np.array(LABELS), None),
        (write("flu\ncold \r\nflu", "labels.txt"), None),
        (write(gzip.compress(b"flu\ncold\nflu\n"), "labels.gz"), None),
        (str(write("why\nflu\ncold\nflu\n", "labels.csv")), None),
        (write("id;why\n1;flu\n2;cold\n3;flu\n", "more.csv"), "why"),
        (write(table, "labels.parquet"), "why"),
        (write(table.select("why"), "one.parquet"), None),
    ]
    for labels, label in given:
        assert read_baskets(file, labels=labels, label=label).labels.to_list() == LABELS
    codes = write("code\n1.50\n1.5\n2\n", "codes.csv")
    assert read_baskets(file, labels=codes).labels.to_list() == ["1.50", "1.5", "2"]
    long = write("record,item,why\nb,x,no\na,x,no\n", "long.csv")
    assert read_baskets(long, labels=["first", "second"]).labels.to_list() == ["first", "second"]


@pytest.mark.parametrize(
    ("name", "content", "label", "match"),
    [
        ("l.txt", "a\n\nb\n", None, "line 2: there is no label"),
        ("l.txt", "a\nb\n", None, r"2 labels for 3 records; give each record one$"),
        ("l.csv", "a\nb\nc\n", None, "2 labels for 3 records.*its first line, 'a', is read as the name of the column"),
        ("l.csv", "a\nb\n", None, "1 labels for 3 records; give each record one$"),
        ("l.csv", "a,b\n1,2\n", None, "has 2 columns; name the one with the labels, as in label='b'"),
        ("l.csv", "a,b\n1,2\n", "c", "l.csv': there is no column 'c' for label"),
        ("l.csv", 'a\nx\n""\ny\n', None, "l.csv': row 2: a value of column 'a' is missing"),
        ("l.txt", "", None, "is empty"),
    ],
)
def test_bad_labels_are_named(write, name, content, label, match):
    file = write("1 3\n2\n3\n", "a.dat")
    with pytest.raises(DataError, match=match):
        read_baskets(file, labels=write(content, name), label=label)


def test_what_is_no_number_is_missing():
    for labels in (
        ["a", float("nan")],
        pd.Series(["a", pd.NA], dtype=object),
        [1.0, float("nan")],
        pl.Series([1.0, float("nan")]),
    ):
        with pytest.raises(DataError, match="1 records have no label"):
            Baskets.from_lists([["x"], ["y"]], labels=labels)
    with pytest.raises(DataError, match="1 items are missing"):
        Baskets.from_lists([[1.5, float("nan")]])


# -- what can be asked for -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"format": "csv"}, "format must be one of 'fimi', 'long', 'lists', 'one-hot', got 'csv'"),
        ({"missing": "?"}, "missing takes a list"),
        ({"label": "why"}, "label='why' names a column, and .* has none; give the labels by labels="),
        ({"label": "why", "labels": ["a"]}, "leave one out"),
        ({"labels": 3}, "labels must be a file or one label for each record, got int"),
        ({"record": None}, "record must be the name of a column, got None"),
        ({"item": "record"}, "must be different columns"),
        ({"label": "item"}, "must be different columns"),
    ],
)
def test_bad_parameters(write, options, match):
    with pytest.raises(ParameterError, match=match):
        read_baskets(write("1\n", "a.dat"), **options)


def test_bad_sources(write, tmp_path):
    with pytest.raises(DataError, match=r"got DataFrame; frames go to Baskets.from_one_hot"):
        read_baskets(pl.DataFrame())
    with pytest.raises(DataError, match="an address with 'postgresql'; save") as caught:
        read_baskets("postgresql://me:secret@host/name")
    assert "secret" not in str(caught.value)
    with pytest.raises(DataError, match="does not exist"):
        read_baskets(tmp_path / "none.dat")
    for name, match in (("a.db", "the ending '.db', which is not known; say format='fimi'"), ("a", "no ending")):
        with pytest.raises(DataError, match=match):
            read_baskets(write("1\n", name))
    with pytest.raises(DataError, match="is no table by its ending"):
        read_baskets(write("1\n", "a.dat"), format="long")
    with pytest.raises(DataError, match="has no records"):
        read_baskets(write("record,item\n", "a.csv"))
    with pytest.raises(DataError, match="is not Parquet, or is damaged"):
        read_baskets(write("PAR1", "a.parquet"))
    with pytest.raises(DataError, match=r"ends in \.gz but is not gzip"):
        read_baskets(write("1\n", "a.dat.gz"))
    with pytest.raises(ParameterError, match="has one label a line; leave label out"):
        read_baskets(write("1\n", "a.dat"), labels=write("x\n", "l.txt"), label="why")


# -- real data -------------------------------------------------------------------------------------------------------
@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "n_records", "n_items", "size", "total"),
    [
        ("chess", 3_196, 75, 37, 118_252),
        ("mushroom", 8_124, 119, 23, 186_852),
        ("bms_webview1", 59_602, 497, None, 149_639),
        ("pumsb_first4334", 4_334, 1_539, 74, 320_716),
        ("pumsb_star_163", 16_349, 163, None, 720_280),
    ],
)
def test_the_collections_are_read_whole(data_folder, name, n_records, n_items, size, total):
    file = data_folder / "transactions" / f"{name}.dat.gz"
    baskets = read_baskets(file)
    assert (len(baskets), baskets.n_items, len(baskets.ids)) == (n_records, n_items, total)
    assert size is None or set(baskets.sizes.tolist()) == {size}
    with gzip.open(file, "rt") as stream:
        for i, line in zip(range(200), stream, strict=False):
            row = baskets.ids[baskets.starts[i] : baskets.starts[i + 1]]
            assert [baskets.items[j] for j in row] == sorted(line.split(), key=int)


@pytest.mark.data
def test_lines_are_read_fast(data_folder):
    file = data_folder / "transactions" / "bms_webview1.dat.gz"
    took = []
    for _ in range(3):
        start = time.perf_counter()
        read_baskets(file)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.5
