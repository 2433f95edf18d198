"""read_table: paths, binary files, JSON and databases, with every kind of bad input."""

from __future__ import annotations

import datetime as dt
import gzip
import sys

import duckdb
import polars as pl
import pytest

from sfumato.data.reading import message_without_secrets, read_table
from sfumato.data.schema import Schema
from sfumato.ground.errors import DataError, MissingLibraryError, ParameterError, SchemaError
from support.read_tables import plain_values


def test_schema_from_a_file(write, tmp_path):
    write('[columns.zip]\nrole = "quasi"\nkind = "category"\n', "people.toml")
    table = read_table(write("zip,n\n10001,1\n"), str(tmp_path / "people.toml"))
    assert table.schema.quasi == ["zip"]
    assert table.frame["zip"].to_list() == ["10001"]


def test_a_value_that_breaks_its_declared_kind_is_named_with_the_file(write):
    with pytest.raises(SchemaError, match=r"people\.csv': column 'n' is declared integer but row 2 holds 'x'"):
        read_table(write("n\n1\nx\n"), Schema(quasi=["n"], kinds={"n": "integer"}))
    with pytest.raises(SchemaError, match=r"people\.csv': the schema names the column 'ages', which the data lack"):
        read_table(write("age\n1\n"), Schema(quasi=["ages"]))


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
    [("x.mdb", "the ending '.mdb'"), ("x", "no ending"), ("x.gz", "the ending '.gz'"), ("x.pq.gz", "'.pq.gz'")],
)
def test_unknown_endings(write, name, words):
    with pytest.raises(DataError, match=rf"has .*{words}.*; save it as CSV$"):
        read_table(write(b"a\n1\n", name))


def test_only_paths_and_addresses(write):
    with pytest.raises(DataError, match=r"got DataFrame; frames go to Table\(frame, schema\)"):
        read_table(pl.DataFrame())
    with pytest.raises(DataError, match=r"addresses with 'https' cannot be read; use postgresql://"):
        read_table("https://user:secret@example.org/x.csv")
    with pytest.raises(ParameterError, match="query goes with a database"):
        read_table(write("a\n1\n"), query="SELECT 1")


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
    assert plain_values(read_table(file)) == {"zip": ["02139", "10001"], "age": [30, None]}


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
        assert plain_values(read_table(source, query=query)) == {"zip": ["02139"], "age": [30], "cost": [1.5]}


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
    assert not any(secret in message_without_secrets(error, address) for secret in ("s3cr", "hunter2"))
    with pytest.raises(DataError, match=r"postgresql://127\.0\.0\.1:1/x cannot be reached") as caught:
        read_table(address, query="SELECT 1")
    assert not any(secret in str(caught.value) for secret in ("s3cr", "hunter2", "bob"))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    with pytest.raises(DataError, match=r"postgresql://127\.0\.0\.1:1/x needs a query"):
        read_table(address)
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    with pytest.raises(
        MissingLibraryError, match=r"reading PostgreSQL needs .*; run pip install 'sfumato\[postgres\]'"
    ):
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


def test_only_files_of_data_are_meant(tmp_path):
    (tmp_path / "x.html").write_text("")
    (tmp_path / "x.svg").write_text("")
    with pytest.raises(DataError, match=r"x\.csv' does not exist; check its path"):
        read_table(tmp_path / "x.csv")
    (tmp_path / "xx.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=r"did you mean '.*xx\.csv'"):
        read_table(tmp_path / "x.csv")
