"""Stores: what is kept of a submission, and what is not; SQLite and PostgreSQL."""

from __future__ import annotations

import datetime as dt
import secrets
import sqlite3
import threading
import time

import pytest

from sfumato import collection
from sfumato.collection.collector import store as store_module
from sfumato.collection.collector.store import _Waiting, open_store
from sfumato.ground.errors import DataError
from support.surveys import drawn_reports, survey_of

SURVEY = survey_of({"a": collection.Warner(0.75), "b": collection.SubsetSelection(list(range(9)), 1.0)})


def put_to_the_test(address):
    """What holds of every store."""
    store = open_store(address, SURVEY)
    assert (store.count(), store.submissions()) == (0, [])
    given = {secrets.token_hex(16): drawn_reports(SURVEY) for _ in range(20)}
    for submission, reports in given.items():
        store.add(submission, reports)
    first = next(iter(given))
    other = {"a": [1 - given[first]["a"][0]], "b": [0, 1]}
    store.add(first, given[first])
    store.add(first, other)
    assert store.count() == 20
    assert store.submissions() == [given[each] for each in sorted(given)]
    store.close()
    again = open_store(address, SURVEY)
    assert again.submissions() == [given[each] for each in sorted(given)]
    again.close()
    with pytest.raises(DataError, match="holds answers to another survey"):
        open_store(address, survey_of({"a": collection.Warner(0.7)}))


def test_sqlite(tmp_path):
    put_to_the_test(tmp_path / "answers.sqlite")


def test_sqlite_by_its_address(tmp_path):
    put_to_the_test(f"sqlite:///{tmp_path / 'answers.sqlite'}")


@pytest.mark.postgres
def test_postgres(postgres_server):
    name = f"answers_{secrets.token_hex(4)}"
    postgres_server.psql(f"CREATE DATABASE {name};")
    put_to_the_test(postgres_server.get_uri(database=name))


@pytest.mark.postgres
def test_postgres_is_reached_again_after_a_connection_was_lost(postgres_server):
    name = f"answers_{secrets.token_hex(4)}"
    postgres_server.psql(f"CREATE DATABASE {name};")
    store = open_store(postgres_server.get_uri(database=name), SURVEY)
    store.add("0" * 32, {"a": [0], "b": [1, 2]})
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}';"
    for number in "12":
        postgres_server.psql(end)
        with pytest.raises(DataError, match="failed"):
            store.add(number * 32, {"a": [1], "b": [1, 2]})
        store.add(number * 32, {"a": [1], "b": [1, 2]})
    assert store.count() == 3
    postgres_server.psql(end)
    with pytest.raises(DataError, match="failed"):
        store.count()
    store.close()
    postgres_server.psql(end)
    store.close()


@pytest.mark.parametrize("broken", ["cursor", "rollback", "close"])
def test_postgres_says_every_failure_of_its_driver(monkeypatch, broken):
    """A driver that raises what is no error of databases, wherever it likes."""
    monkeypatch.setattr(store_module, "load_optional", lambda *given, **more: DriverOfTrouble(broken))
    store = open_store("postgresql://steward:hunter2@host/name", SURVEY)
    assert store.count() == 0
    store._dbapi.is_lost = True
    for _ in range(2):
        with pytest.raises(DataError, match="failed") as caught:
            store.add("0" * 32, {"a": [0], "b": [1, 2]})
        assert "hunter2" not in str(caught.value)
    store._dbapi.is_lost = False
    store.add("0" * 32, {"a": [0], "b": [1, 2]})
    store.close()


class DriverOfTrouble:
    """A driver, and its own connection and cursor; when it is lost every statement fails, and so does what is broken."""

    def __init__(self, broken):
        self.broken, self.is_lost = broken, False

    def connect(self, address):
        return self

    def _fail(self, where):
        if self.is_lost and where in ("execute", self.broken):
            raise RuntimeError("lost, steward:hunter2")

    def cursor(self):
        self._fail("cursor")
        return self

    def __enter__(self):
        return self

    def __exit__(self, *given):
        pass

    def execute(self, sql, given=None):
        self._fail("execute")
        self.rows = [(SURVEY.id,)] if "id" in sql else [(0,)]

    def fetchall(self):
        return self.rows

    def commit(self):
        pass

    def rollback(self):
        self._fail("rollback")

    def close(self):
        self._fail("close")


def test_a_row_is_a_random_number_a_day_and_reports(tmp_path):
    file = tmp_path / "answers.sqlite"
    store = open_store(file, SURVEY)
    store.add("0" * 32, {"a": [0], "b": [1, 2]}, day=dt.date(2024, 5, 3))
    store.close()
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT * FROM sfumato_answers").fetchall() == [
        ("0" * 32, "2024-05-03", '{"a":[0],"b":[1,2]}')
    ]
    columns = [row[1:3] for row in connection.execute("PRAGMA table_info(sfumato_answers)")]
    assert columns == [("submission", "TEXT"), ("day", "TEXT"), ("reports", "TEXT")]
    with pytest.raises(sqlite3.OperationalError, match="rowid"):
        connection.execute("SELECT rowid FROM sfumato_answers")
    connection.close()


def test_the_day_is_that_of_the_world_clock(tmp_path):
    store = open_store(tmp_path / "answers.sqlite", SURVEY)
    before = dt.datetime.now(dt.UTC).date()
    store.add("0" * 32, {"a": [0], "b": [1, 2]})
    day = store._run("SELECT day FROM sfumato_answers")[0][0]
    assert before.isoformat() <= day <= dt.datetime.now(dt.UTC).date().isoformat()
    store.close()


def test_rows_show_no_order_of_arrival_in_the_file(tmp_path):
    """The numbers lie in the file in their own order, whatever the order in which they came."""
    file = tmp_path / "answers.sqlite"
    store = open_store(file, SURVEY)
    given = [secrets.token_hex(16) for _ in range(300)]
    for submission in given:
        store.add(submission, {"a": [0], "b": [1, 2]})
    store.close()
    assert not file.with_name("answers.sqlite-wal").exists() or not file.with_name("answers.sqlite-wal").stat().st_size
    connection = sqlite3.connect(file)
    assert [row[0] for row in connection.execute("SELECT submission FROM sfumato_answers")] == sorted(given)
    connection.close()


@pytest.mark.parametrize("n", [5, 40, 300])
def test_a_closed_file_is_the_same_whatever_the_order_of_arrival(tmp_path, n):
    """Byte for byte, but for what counts changes and names the version in the first 100."""
    given = sorted(secrets.token_hex(16) for _ in range(n))
    files = []
    for name, order in (("one", given), ("two", given[::-1]), ("three", secrets.SystemRandom().sample(given, n))):
        file = tmp_path / f"{name}.sqlite"
        for part in (order[: n // 2], order[n // 2 :]):  # closed and opened again on the way
            store = open_store(file, SURVEY)
            for submission in part:
                store.add(submission, {"a": [0], "b": [1, 2]}, day=dt.date(2024, 5, 3))
            store.close()
        assert file.stat().st_mode & 0o777 == 0o600
        assert not file.with_name(f"{name}.sqlite-wal").exists()
        files.append(file.read_bytes()[100:])
    assert files[0] == files[1] == files[2]


def test_a_file_is_written_anew_beside_a_server_that_runs(tmp_path):
    """As an export does it."""
    serving, exporting = (open_store(tmp_path / "answers.sqlite", SURVEY) for _ in range(2))
    serving.add("0" * 32, {"a": [0], "b": [1, 2]})
    assert len(exporting.submissions()) == 1
    exporting.close()
    serving.add("1" * 32, {"a": [0], "b": [1, 2]})
    assert serving.count() == 2
    serving.close()


def test_many_threads_add_at_once(tmp_path):
    store = open_store(tmp_path / "answers.sqlite", SURVEY)

    def add():
        for _ in range(25):
            store.add(secrets.token_hex(16), {"a": [0], "b": [1, 2]})

    threads = [threading.Thread(target=add) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert store.count() == 200
    store.close()


def test_what_is_no_store_is_refused(tmp_path):
    (tmp_path / "text.sqlite").write_text("this is no database, and long enough to be told from one " * 20)
    for given in (
        tmp_path / "text.sqlite",
        tmp_path / "nowhere" / "answers.sqlite",
        "mysql://steward:secret@host/name",
    ):
        with pytest.raises(DataError) as caught:
            open_store(given, SURVEY)
        assert "secret" not in str(caught.value)


def test_an_address_that_nobody_answers_keeps_its_password(tmp_path):
    pytest.importorskip("adbc_driver_postgresql")
    with pytest.raises(DataError, match="cannot be reached") as caught:
        open_store("postgresql://steward:hunter2@127.0.0.1:1/answers", SURVEY)
    assert "hunter2" not in str(caught.value)


def test_what_waits_for_the_disk_is_written_together(tmp_path):
    """Submissions that arrive while another is written take one more transaction, all of them."""
    store = open_store(tmp_path / "answers.sqlite", SURVEY)
    written, commit = [], store._commit

    def slowly(rows):
        written.append(len(rows))
        time.sleep(0.1)
        commit(rows)

    store._commit = slowly
    threads = [threading.Thread(target=store.add, args=(f"{i:032x}", {"a": [0], "b": [1, 2]})) for i in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert store.count() == sum(written) == 20
    assert len(written) <= 5
    store.close()


def test_a_failure_is_told_to_all_that_waited(tmp_path):
    store = open_store(tmp_path / "answers.sqlite", SURVEY)
    store._run("ALTER TABLE sfumato_answers RENAME TO elsewhere")
    for _ in range(2):
        with pytest.raises(DataError, match="failed: no such table"):
            store.add("0" * 32, {"a": [0], "b": [1, 2]})
    store._run("ALTER TABLE elsewhere RENAME TO sfumato_answers")
    store.add("0" * 32, {"a": [0], "b": [1, 2]})
    assert store.count() == 1
    store.close()


@pytest.mark.parametrize("raised", [RuntimeError("of the driver"), DataError("of the store"), MemoryError()])
def test_what_was_not_written_is_acknowledged_to_nobody(tmp_path, raised):
    """Whatever a driver raises, everybody of that transaction is told, and everybody else is kept."""
    store = open_store(tmp_path / "answers.sqlite", SURVEY)
    told, batches, commit = {}, [], store._commit

    def commit_all_but_the_second(rows):
        batches.append([row[0] for row in rows])
        time.sleep(0.2)
        if len(batches) == 2:
            raise raised
        commit(rows)

    def add(submission):
        try:
            store.add(submission, {"a": [0], "b": [1, 2]})
            told[submission] = "kept"
        except DataError as error:
            told[submission] = str(error)

    store._commit = commit_all_but_the_second
    threads = [threading.Thread(target=add, args=(f"{i:032x}",)) for i in range(6)]
    for each in threads:
        each.start()
        time.sleep(0.01)
    for each in threads:
        each.join()
    kept = {each for each, said in told.items() if said == "kept"}
    assert len(told) == 6
    assert len(batches[1]) > 1
    assert kept.isdisjoint(batches[1])
    assert store.count() == len(kept) == 6 - len(batches[1])
    store.close()


def test_who_is_interrupted_leaves_nobody_acknowledged(tmp_path):
    store = open_store(tmp_path / "answers.sqlite", SURVEY)

    def interrupted(rows):
        raise KeyboardInterrupt

    waiting = _Waiting(("1" * 32, "2024-05-03", "{}"))
    store._waiting.append(waiting)
    store._commit = interrupted
    with pytest.raises(KeyboardInterrupt):
        store.add("0" * 32, {"a": [0], "b": [1, 2]})
    assert waiting.is_done
    assert not waiting.is_kept
    assert store.count() == 0
    store.close()
