"""SQLite: by its first bytes, read-only, a query or the only table, types by values."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing

import polars as pl
import pytest

from sfumato.data.reading import read_table
from sfumato.data.schema import Schema
from sfumato.ground.errors import DataError
from support.damaged_files import damaged
from support.read_tables import plain_values


@pytest.fixture
def database(tmp_path):
    def write(*statements, name="a.db"):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return tmp_path / name

    return write


PEOPLE = (
    "CREATE TABLE people (id INTEGER, zip TEXT, x REAL, day DATE, at TIMESTAMP, odd)",
    "INSERT INTO people VALUES (1, '02139', 1, '2024-12-31', '2024-12-31 10:30:00', 1)",
    "INSERT INTO people VALUES (2, '00501', 2.5, NULL, '2024-12-31T11:00:00.5', 'x')",
)


def test_the_only_table(database):
    table = read_table(database(*PEOPLE), Schema(quasi=["zip"]))
    assert plain_values(table) == {
        "id": [1, 2], "zip": ["02139", "00501"], "x": [1.0, 2.5], "day": [dt.date(2024, 12, 31), None],
        "at": [dt.datetime(2024, 12, 31, 10, 30), dt.datetime(2024, 12, 31, 11, 0, 0, 500_000)], "odd": ["1", "x"],
    }  # fmt: skip
    assert table.frame.schema["x"] == pl.Float64


def test_a_query_and_an_address(database, monkeypatch):
    file = database(*PEOPLE, "CREATE VIEW old AS SELECT id FROM people WHERE id > 1", name="a b.sqlite3")
    with pytest.raises(
        DataError, match=r"needs a query, as in query='SELECT \* FROM old'; it holds the tables old, people"
    ):
        read_table(file)
    assert plain_values(read_table(file, query="SELECT id FROM old")) == {"id": [2]}
    monkeypatch.chdir(file.parent)
    assert plain_values(read_table("sqlite:///a%20b.sqlite3", query="SELECT id FROM old")) == {"id": [2]}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT ages FROM people", "refused the query: no such column: ages"),
        ("SELECT * FROM people; DROP TABLE people", "give one statement, a SELECT"),
        ("DELETE FROM people", "can only be read"),
        ("ATTACH 'other.db' AS o", "can only be read"),
        ("PRAGMA journal_mode = DELETE", "can only be read"),
        ("SELECT id, id FROM people", "gives the column 'id' twice"),
        ("SELECT x'00ff' AS b", "column 'b' holds bytes; leave it out of the query"),
        ("SELECT id FROM people WHERE id > 9", "has column names but no records"),
        ("", "the query gives no table; use a SELECT"),
    ],
)
def test_bad_queries(database, tmp_path, query, message):
    file = database(*PEOPLE)
    before = file.read_bytes()
    with pytest.raises(DataError, match=message):
        read_table(file, query=query)
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.db"]


def test_what_is_no_sqlite(write, database):
    with pytest.raises(DataError, match=r"x\.sqlite' is no SQLite database, or is damaged"):
        read_table(write("a,b\n", "x.sqlite"))
    with pytest.raises(DataError, match=r"x\.db' is no DuckDB database, or is damaged"):
        read_table(write("a,b\n", "x.db"))
    with pytest.raises(DataError, match="holds no table"):
        read_table(database("CREATE TABLE t (a)", "DROP TABLE t"))


def test_damaged_files_are_told(database, tmp_path):
    rows = [f"INSERT INTO people VALUES ({i}, '{i:05}', {i}.5, NULL, NULL, NULL)" for i in range(300)]
    content, said = database(*PEOPLE, *rows).read_bytes(), set()
    for changed in damaged(content, 30):
        (tmp_path / "d.sqlite").write_bytes(changed)
        try:
            read_table(tmp_path / "d.sqlite")
        except DataError as error:
            said.add(str(error))
    assert said
    assert all("d.sqlite'" in each for each in said)
