"""Text files with one record a line: every dialect and encoding, types of whole columns, bad lines by number."""

import csv
import datetime as dt
import gzip
import io

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.delimited import read_cells, read_delimited
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.reading import read_table
from sfumato.data.schema import Schema
from sfumato.ground.errors import DataError, ParameterError
from support.read_tables import plain_values


def test_a_blank_line_of_a_single_column_is_a_record(tmp_path):
    (tmp_path / "f.csv").write_text("a\nx\n\nx\n")
    assert sf.read_table(tmp_path / "f.csv").frame["a"].to_list() == ["x", None, "x"]
    (tmp_path / "g.csv").write_text("a\nx\n\nx")
    assert sf.read_table(tmp_path / "g.csv").frame["a"].to_list() == ["x", None, "x"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_dialect_and_encoding_are_found(write, delimiter, newline, encoding):
    lines = ["name,city,age", "Jürgen Müller,Köln,41", '"Groß, Änne",Zürich,38', "François Lefèvre,Nîmes,55"]
    rows = list(csv.reader(lines))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=newline).writerows(rows)
    table = read_table(write(out.getvalue().encode(encoding)))
    assert table.columns == ["name", "city", "age"]
    assert table.frame["name"].to_list() == [row[0] for row in rows[1:]]
    assert table.frame["city"].to_list() == ["Köln", "Zürich", "Nîmes"]
    assert table.frame["age"].to_list() == [41, 38, 55]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "имя;город\nИван Петров;Москва\nОльга Иванова;Казань\n"),
        ("shift_jis", "名前,年齢\n山田太郎,30\n鈴木花子,41\n"),
        ("gb18030", "姓名,年龄\n张伟,30\n王芳,41\n"),
    ],
)
def test_other_scripts_are_found(write, encoding, text):
    table = read_table(write(text.encode(encoding)))
    assert table.columns == text.splitlines()[0].replace(";", ",").split(",")


def test_a_letter_far_into_the_file_still_decides_the_encoding(write):
    content = b"name,city\n" + b"Anna,Bern\n" * 60_000 + "Jürgen,Köln\nÄnne,Zürich\n".encode("cp1252")
    assert read_table(write(content)).frame["name"].to_list()[-2:] == ["Jürgen", "Änne"]


def test_given_delimiter_and_encoding_are_obeyed(write):
    file = write("a;b,c\n1;2,3\n".encode("utf-16"))
    assert read_table(file, delimiter=";", encoding="utf-16").columns == ["a", "b,c"]
    assert read_table(file, delimiter=",", encoding="UTF-16").columns == ["a;b", "c"]
    assert read_table(write("a~b\n1~2\n"), delimiter="~").columns == ["a", "b"]
    assert read_table(write("a,b\n\xe9,1\n".encode("mac-roman")), encoding="mac-roman").frame["a"][0] == "é"


def test_byte_order_mark_is_no_part_of_a_name(write):
    for encoding in (None, "utf-8", "utf-8-sig"):
        assert read_table(write(b'\xef\xbb\xbf"a",b\n1,2\n'), encoding=encoding).columns == ["a", "b"]


def test_gzip_by_ending_and_by_content(write):
    packed = gzip.compress(b"zip,age\n02139,30\n")
    for name in ("people.csv.gz", "people.tsv.gz", "people.csv"):
        assert plain_values(read_table(write(packed, name))) == {"zip": ["02139"], "age": [30]}


def test_types_are_found_on_whole_columns(write):
    table = read_table(
        write(
            "zip,n,x,e,day,at,late,word,huge,phone,flag\n"
            "02139,-5,1.5,1e3,2024-02-29,2024-01-02T10:00:00,2024-02-30,a,1,+49301,true\n"
            "10001,0,2,-2,2024-01-31,2024-01-02 11:30,2024-01-01,7,99999999999999999999,+49302,false\n"
            ",,,,,,,,,,\n"
        )
    )
    assert table.frame.dtypes == [
        pl.String, pl.Int64, pl.Float64, pl.Float64, pl.Date, pl.Datetime("us"), pl.String, pl.String, pl.String,
        pl.String, pl.String,
    ]  # fmt: skip
    assert table.frame.row(0)[:5] == ("02139", -5, 1.5, 1000.0, dt.date(2024, 2, 29))
    assert table.frame.row(2) == (None,) * 11


def test_a_leading_zero_past_the_first_thousand_rows_keeps_the_column_text(write):
    table = read_table(write("zip\n" + "10001\n" * 5_000 + "02139\n"))
    assert table.frame["zip"].to_list()[-1] == "02139"


def test_decimal_commas_in_files_with_semicolons(write):
    table = read_table(write("x;thousand;n\n1,5;1,234;1\n2;5,678;2\n"))
    assert table.frame["x"].to_list() == [1.5, 2.0]
    assert table.frame["thousand"].to_list() == ["1,234", "5,678"]  # either reading is possible: text
    declared = Schema(plain=["x", "thousand", "n"], kinds={"thousand": "number"})
    assert read_table(write("x;thousand;n\n1,5;1,234;1\n"), declared).frame["thousand"].to_list() == [1.234]


def test_the_schema_decides_the_kind(write):
    file = write("code,grade,day,n,id\n1,2,2024-01-02,7,007\n")
    schema = Schema(
        identifier=["id"], quasi=["code", "grade", "day", "n"], orders={"grade": ["1", "2"]},
        kinds={"code": "category", "day": "date", "n": "number"},
    )  # fmt: skip
    assert read_table(file, schema).frame.row(0) == ("1", "2", dt.date(2024, 1, 2), 7.0, "007")
    by_prefix = Schema(quasi=["code"], hierarchies={"code": Hierarchy.prefixes(2)})
    assert read_table(file, by_prefix).frame["code"].to_list() == ["1"]


def test_cells_are_kept_as_they_stand(write):
    table = read_table(write('a,b\n" x ","say ""hi"""\n5" pipe,"two\nlines"\n NA ,?\n'))
    assert plain_values(table) == {"a": [" x ", '5" pipe', " NA "], "b": ['say "hi"', "two\nlines", "?"]}


def test_missing_cells_are_those_named(write):
    file = write('n,w\n1,NA\n?,""\n,x\n')
    assert plain_values(read_table(file)) == {"n": ["1", "?", None], "w": ["NA", None, "x"]}
    assert plain_values(read_table(file, missing=("", "?", "NA"))) == {"n": [1, None, None], "w": [None, None, "x"]}
    assert plain_values(read_table(file, missing=())) == {"n": ["1", "?", ""], "w": ["NA", "", "x"]}
    with pytest.raises(ParameterError, match=r"missing takes a list of cells, got the text 'NA'"):
        read_table(file, missing="NA")


def test_one_column_and_blank_lines(write):
    assert plain_values(read_table(write("name\nDoe, John\nRoe, Jane\n"))) == {"name": ["Doe, John", "Roe, Jane"]}
    assert plain_values(read_table(write("a,b\n1,2\n\n3,4\n\n"))) == {"a": [1, 3], "b": [2, 4]}


def test_a_cell_longer_than_a_block(write):
    long = "x" * 9_000_000
    assert read_table(write(f'a,b\n1,"{long}"\n2,y\n')).frame["b"].to_list() == [long, "y"]


nasty = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\0") | st.sampled_from(",;|\t\"\n\r '"),
    max_size=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(nasty, nasty, nasty), min_size=1, max_size=8),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030"]),
    # csv's writer leaves a bare \r unquoted unless it is part of the line's end
    ending=st.sampled_from([("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]),
    packed=st.booleans(),
)
def test_what_csv_writes_is_read_back(write, rows, delimiter, encoding, ending, packed):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=ending[0], quoting=ending[1])
    writer.writerow(["first", "second", "third"])
    writer.writerows(rows)
    content = out.getvalue().encode(encoding)
    file = write(gzip.compress(content) if packed else content, "nasty.csv.gz" if packed else "nasty.csv")
    schema = Schema(plain=["first", "second", "third"], kinds=dict.fromkeys(["first", "second", "third"], "category"))
    given_encoding = encoding if encoding == "gb18030" else None  # a few odd letters tell no legacy encoding
    found = read_table(file, schema, missing=(), encoding=given_encoding, delimiter=delimiter)
    assert found.frame.rows() == rows
    if not any(set(",;|\t") & set("".join(row)) for row in rows):  # else a cell may look like another dialect
        assert read_table(file, schema, missing=(), encoding=given_encoding).frame.rows() == rows


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    columns=st.fixed_dictionaries(
        {
            "n": st.lists(st.integers(-(2**63), 2**63 - 1) | st.none(), min_size=3, max_size=3),
            "x": st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=3, max_size=3),
            "d": st.lists(st.dates() | st.none(), min_size=3, max_size=3),
        }
    )
)
def test_what_polars_writes_is_read_back(write, columns):
    sent = pl.DataFrame(columns, schema={"n": pl.Int64, "x": pl.Float64, "d": pl.Date})
    out = io.BytesIO()
    sent.write_csv(out)
    schema = Schema(plain=["n", "x", "d"], kinds={"n": "integer", "x": "number", "d": "date"})
    assert read_table(write(out.getvalue()), schema).frame.equals(sent)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"people\.csv' is empty; give a file with"),
        (b" \n\n", r"people\.csv' is empty"),
        (b"a,b\n", r"people\.csv' has column names but no records"),
        (b"a,b,a\n1,2,3\n", r"line 1: columns 1 and 3 are both 'a'; rename one"),
        (b"a,,c\n1,2,3\n", r"line 1: column 2, after 'a', has no name; give it one"),
        (b" ,b\n1,2\n", r"line 1: column 1 has no name"),
        (b"\na,b\n1,2\n", r"line 1: the first line is blank; it must hold the column names"),
        (b"a,b,c\n1,2,3\n\n4,secret\n5,6,7\n", r"line 4: 2 fields where the header has 3, with a comma as delimiter"),
        (b'a,b\n1,"x\n\ny"\nsecret\n', r"line 5: 1 field where the header has 2"),
        (b"a\tb\n1\t2\t3\n", r"line 2: 3 fields where the header has 2, with a tab as delimiter"),
        (b'a,b\n1,2\n3,"secret\n5,6\n', r"line 3: a quote that opens in this record is never closed"),
        (b'a,b\n1,2\n"secret,4\n', r"line 3: a quote that opens in this record is never closed"),
        (b"a,b\n1," + b'"' + b"secret\n" * 900_000, r"line 2: a quote that opens in this record is never closed"),
        (b'"a,b\n1,2\n', r"line 1: a quote that opens in this record is never closed"),
        (b"a,b\n1,2\nx\0y,3\n", r"line 3: there is a NUL byte, so this is no text file"),
        (b"a,b\n" + bytes(range(128, 256)) * 3, r"encoding of file '.*people\.csv' cannot be told from its bytes"),
    ],
)  # fmt: skip
def test_bad_text_is_named_with_its_line(write, content, message):
    with pytest.raises(DataError, match=message) as caught:
        read_table(write(content))
    assert "people.csv" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_ragged_line_in_a_big_file_is_found(write):
    content = b"a,b\n" + b"1,2\n" * 300_000 + b"3\n" + b"1,2\n" * 300_000
    with pytest.raises(DataError, match=r"line 300002: 1 field where the header has 2"):
        read_table(write(content))


def test_wrong_encoding(write):
    file = write("a,b\n1,2\nMüller,3\n".encode("cp1252"))
    with pytest.raises(
        DataError, match=r"people\.csv', line 3: the bytes there are not utf-8; give the file's encoding"
    ):
        read_table(file, encoding="utf-8")
    with pytest.raises(DataError, match=r"people\.csv': there is no encoding 'utf8x'; did you mean 'utf-8'\?"):
        read_table(file, encoding="utf8x")
    with pytest.raises(DataError, match=r"there is no encoding 'hex'"):
        read_table(file, encoding="hex")


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "§"])
def test_a_delimiter_is_one_character(write, delimiter):
    with pytest.raises(ParameterError, match="delimiter must be one ASCII character other than a quote"):
        read_table(write("a\n1\n"), delimiter=delimiter)


def test_bad_gzip(write):
    packed = gzip.compress(b"a,b\n" + bytes(str(list(range(5000))), "ascii"))
    with pytest.raises(DataError, match=r"people\.csv\.gz' is damaged or cut short: gzip cannot unpack it"):
        read_table(write(packed[: len(packed) // 2], "people.csv.gz"))
    with pytest.raises(DataError, match=r"is damaged or cut short"):
        read_table(write(packed[:20] + b"\0\0\0\0" + packed[24:], "people.csv.gz"))
    with pytest.raises(DataError, match=r"ends in \.gz but is not gzip"):
        read_table(write(b"a,b\n1,2\n", "people.csv.gz"))
    with pytest.raises(DataError, match=r"is empty"):
        read_table(write(b"", "people.csv.gz"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_header_longer_than_the_sample(tmp_path, delimiter):
    names = [f"column_{i}_{'x' * 300}" for i in range(300)]
    rows = [delimiter.join(names), *(delimiter.join(["1"] * len(names)) for _ in range(2))]
    (tmp_path / "wide.csv").write_text("\n".join(rows))
    assert len(rows[0]) > 1 << 16
    assert read_delimited(tmp_path / "wide.csv").shape == (2, 300)


def test_cells_as_they_stand(tmp_path):
    frame = pl.DataFrame({'a"b': ["007", None, " x "], "c,d": ["1.50", 'q"q', "a\nb"]})
    frame.write_csv(tmp_path / "x.csv")
    assert read_cells(tmp_path / "x.csv").equals(frame)
    for content, says in {b"": "is empty", b"a\n\xff\n": "not text in UTF-8", b"a,b\n1\n": "1 field"}.items():
        (tmp_path / "x.csv").write_bytes(content)
        with pytest.raises(DataError, match=says):
            read_cells(tmp_path / "x.csv")
