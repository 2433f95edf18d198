"""read_table: every kind of source, every kind of bad input."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.reading import _scrubbed, read_table
from sfumato.data.schema import Schema
from sfumato.ground.errors import DataError, ParameterError, SchemaError


@pytest.fixture
def write(tmp_path):
    def write(content: bytes | str, name: str = "people.csv") -> Path:
        file = tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write


def values(table):
    return table.frame.to_dict(as_series=False)


# -- text files ------------------------------------------------------------------------------------------------------
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
        assert values(read_table(write(packed, name))) == {"zip": ["02139"], "age": [30]}


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


def test_schema_from_a_file(write, tmp_path):
    write('[columns.zip]\nrole = "quasi"\nkind = "category"\n', "people.toml")
    table = read_table(write("zip,n\n10001,1\n"), str(tmp_path / "people.toml"))
    assert table.schema.quasi == ["zip"]
    assert table.frame["zip"].to_list() == ["10001"]


def test_cells_are_kept_as_they_stand(write):
    table = read_table(write('a,b\n" x ","say ""hi"""\n5" pipe,"two\nlines"\n NA ,?\n'))
    assert values(table) == {"a": [" x ", '5" pipe', " NA "], "b": ['say "hi"', "two\nlines", "?"]}


def test_missing_cells_are_those_named(write):
    file = write('n,w\n1,NA\n?,""\n,x\n')
    assert values(read_table(file)) == {"n": ["1", "?", None], "w": ["NA", None, "x"]}
    assert values(read_table(file, missing=("", "?", "NA"))) == {"n": [1, None, None], "w": [None, None, "x"]}
    assert values(read_table(file, missing=())) == {"n": ["1", "?", ""], "w": ["NA", "", "x"]}
    with pytest.raises(ParameterError, match=r"missing takes a list of cells, got the text 'NA'"):
        read_table(file, missing="NA")


def test_one_column_and_blank_lines(write):
    assert values(read_table(write("name\nDoe, John\nRoe, Jane\n"))) == {"name": ["Doe, John", "Roe, Jane"]}
    assert values(read_table(write("a,b\n1,2\n\n3,4\n\n"))) == {"a": [1, 3], "b": [2, 4]}


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
    frame=st.fixed_dictionaries(
        {
            "n": st.lists(st.integers(-(2**63), 2**63 - 1) | st.none(), min_size=3, max_size=3),
            "x": st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=3, max_size=3),
            "d": st.lists(st.dates() | st.none(), min_size=3, max_size=3),
        }
    )
)
def test_what_polars_writes_is_read_back(write, frame):
    sent = pl.DataFrame(frame, schema={"n": pl.Int64, "x": pl.Float64, "d": pl.Date})
    out = io.BytesIO()
    sent.write_csv(out)
    schema = Schema(plain=["n", "x", "d"], kinds={"n": "integer", "x": "number", "d": "date"})
    assert read_table(write(out.getvalue()), schema).frame.equals(sent)


# -- bad text files --------------------------------------------------------------------------------------------------
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


def test_a_value_that_breaks_its_declared_kind_is_named_with_the_file(write):
    with pytest.raises(SchemaError, match=r"people\.csv': column 'n' is declared integer but row 2 holds 'x'"):
        read_table(write("n\n1\nx\n"), Schema(quasi=["n"], kinds={"n": "integer"}))
    with pytest.raises(SchemaError, match=r"people\.csv': the schema names the column 'ages', which the data lack"):
        read_table(write("age\n1\n"), Schema(quasi=["ages"]))


# -- paths -----------------------------------------------------------------------------------------------------------
def test_paths_that_lead_nowhere(write, tmp_path):
    write("a\n1\n")
    with pytest.raises(DataError, match=r"file '.*peple\.csv' does not exist; did you mean '.*people\.csv'\?"):
        read_table(tmp_path / "peple.csv")
    with pytest.raises(DataError, match=r"nothing\.csv' does not exist; check its path"):
        read_table(tmp_path / "no folder" / "nothing.csv")
    with pytest.raises(DataError, match=r"is a folder; give one file in it"):
        read_table(tmp_path)
    with pytest.raises(DataError, match=r"cannot be opened|does not exist"):
        read_table("a\0b.csv")


@pytest.mark.parametrize(
    ("name", "words"),
    [("x.xlsx", "the ending '.xlsx'"), ("x", "no ending"), ("x.gz", "the ending '.gz'"), ("x.pq.gz", "'.pq.gz'")],
)
def test_unknown_endings(write, name, words):
    with pytest.raises(DataError, match=rf"has .*{words}.*; save it as one of \.csv, "):
        read_table(write(b"a\n1\n", name))


def test_only_paths_and_addresses(write):
    with pytest.raises(DataError, match=r"got DataFrame; frames go to Table\(frame, schema\)"):
        read_table(pl.DataFrame())
    with pytest.raises(DataError, match=r"addresses with 'https' cannot be read; use postgresql://"):
        read_table("https://user:secret@example.org/x.csv")
    with pytest.raises(ParameterError, match="query goes with a database"):
        read_table(write("a\n1\n"), query="SELECT 1")


# -- binary files ----------------------------------------------------------------------------------------------------
@pytest.fixture
def frame():
    return pl.DataFrame(
        {
            "zip": ["02139", "10001", None], "age": [30, None, 41], "day": [dt.date(2024, 1, 2)] * 3,
            "cost": pl.Series(["1.50", "2.25", None]).cast(pl.Decimal(10, 2)),
            "sex": pl.Series(["f", "m", "f"], dtype=pl.Categorical),
        }
    )  # fmt: skip


def expected(frame):
    return frame.with_columns(pl.col("cost").cast(pl.Float64), pl.col("sex").cast(pl.String))


def test_parquet_and_arrow(frame, tmp_path):
    frame.write_parquet(tmp_path / "x.parquet")
    frame.write_parquet(tmp_path / "x.PQ")
    frame.write_ipc(tmp_path / "x.arrow")
    frame.write_ipc(tmp_path / "x.feather", compression="lz4")
    frame.write_ipc_stream(tmp_path / "x.ipc")
    for name in ("x.parquet", "x.PQ", "x.arrow", "x.feather", "x.ipc"):
        assert read_table(tmp_path / name).frame.equals(expected(frame)), name
    with pytest.raises(ParameterError, match="delimiter and encoding go with text files"):
        read_table(tmp_path / "x.parquet", encoding="utf-8")


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.json", "x.ndjson", "x.duckdb", "x.db"])
@pytest.mark.parametrize("content", [b"a,b\n1,secret\n", b"", b"PAR1xxxx", b"ARROW1\0\0xxxx"])
def test_files_that_are_not_what_they_say(write, name, content):
    with pytest.raises(DataError, match=rf"{name}' (is (not|no|empty)|has no columns|.*needs a query)") as caught:
        read_table(write(content, name))
    assert "secret" not in str(caught.value)


def test_a_cut_parquet_file(frame, tmp_path):
    frame.write_parquet(tmp_path / "x.parquet")
    content = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "x.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"x\.parquet' is not Parquet, or is damaged"):
        read_table(tmp_path / "x.parquet")


def test_no_rows_are_refused_from_any_source(frame, tmp_path):
    frame.head(0).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x\.parquet' has column names but no records"):
        read_table(tmp_path / "x.parquet")


@pytest.mark.parametrize("name", ["x.json", "x.ndjson", "x.jsonl", "odd [1]*.json", "x.json.gz"])
def test_json(write, name):
    content = b'{"zip": "02139", "age": 30}\n{"zip": "10001", "age": null}\n'
    file = write(gzip.compress(content) if name.endswith("gz") else content, name)
    assert values(read_table(file)) == {"zip": ["02139", "10001"], "age": [30, None]}


# -- databases -------------------------------------------------------------------------------------------------------
@pytest.fixture
def database(tmp_path):
    file = tmp_path / "people.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE people AS SELECT '02139' AS zip, 30 AS age, 1.5::DECIMAL(5, 2) AS cost")
    return file


def test_duckdb(database, monkeypatch):
    query = "SELECT * FROM people"
    monkeypatch.chdir(database.parent)
    for source in (database, str(database), f"duckdb:///{database}", "duckdb:///people.duckdb", f"duckdb://{database}"):
        assert values(read_table(source, query=query)) == {"zip": ["02139"], "age": [30], "cost": [1.5]}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (None, r"needs a query, as in query='SELECT \* FROM people'; it holds the tables people"),
        ("SELECT * FROM nobody", r"people\.duckdb' refused the query: .*nobody does not exist"),
        ("SELEKT", r"refused the query: Parser Error"),
        ("DROP TABLE people", r"refused the query: .*read-only"),
        ("SELECT zip, zip FROM people", r"gives the column 'zip' twice; name one of them otherwise, with AS"),
        ("SELECT INTERVAL 1 DAY AS gap", r"column 'gap' has the type month_day_nano_interval; cast it in the query"),
        ("SELECT * FROM people WHERE age > 99", r"has column names but no records"),
    ],
)
def test_bad_queries(database, query, message):
    with pytest.raises(DataError, match=message):
        read_table(database, query=query)


def test_passwords_never_show(monkeypatch):
    address = "postgresql://bob:s3cr%40t@127.0.0.1:1/x?password=hunter2&connect_timeout=1"
    error = RuntimeError(f"could not connect to {address} as s3cr@t or s3cr%40t, hunter2")
    assert not any(secret in _scrubbed(error, address) for secret in ("s3cr", "hunter2"))
    with pytest.raises(DataError, match=r"postgresql://127\.0\.0\.1:1/x cannot be reached") as caught:
        read_table(address, query="SELECT 1")
    assert not any(secret in str(caught.value) for secret in ("s3cr", "hunter2", "bob"))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    with pytest.raises(DataError, match=r"postgresql://127\.0\.0\.1:1/x needs a query"):
        read_table(address)
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    with pytest.raises(DataError, match=r"needs a driver; install it with: pip install 'sfumato\[postgres\]'"):
        read_table(address, query="SELECT 1")


@pytest.fixture(scope="module")
def postgres(postgres_server) -> str:
    postgres_server.psql(
        "CREATE TABLE people (zip text, age int, cost numeric(10, 2), born date, smoker bool, note varchar(9));"
        "INSERT INTO people VALUES ('02139', 30, 12.5, '1990-01-02', true, 'é'), "
        "('10001', NULL, 3, NULL, NULL, NULL);"
    )
    return postgres_server.get_uri()


@pytest.mark.postgres
def test_postgres(postgres):
    schema = Schema(quasi=["zip", "age", "born"], plain=["cost", "smoker", "note"])
    table = read_table(postgres, schema, query="SELECT * FROM people ORDER BY zip")
    assert table.frame.rows() == [
        ("02139", 30, 12.5, dt.date(1990, 1, 2), "true", "é"), ("10001", None, 3.0, None, None, None),
    ]  # fmt: skip
    assert table.schema.column("cost").kind == "number"
    assert len(read_table(postgres.replace("postgresql://", "postgres://"), query="SELECT zip FROM people")) == 2
    for query, message in (
        ("SELECT * FROM nobody", 'refused the query: relation "nobody" does not exist'),
        ("DELETE FROM people", "refused the query: cannot execute DELETE in a read-only transaction"),
        ("SELECT 1 AS a, 2 AS a", "gives the column 'a' twice"),
        ("SELECT * FROM people WHERE age > 99", "has column names but no records"),
    ):
        with pytest.raises(DataError, match=message):
            read_table(postgres, query=query)
