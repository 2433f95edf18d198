"""Where reports are kept: an SQLite file, or a PostgreSQL database.

A row is the random number of a submission, the day, and the reports. There is no address, no browser and no hour, and
rows are read in the order of their random numbers. An SQLite file is written anew when it is closed, so that the order
of arrival is nowhere in it. Until then whoever reads the disk can see it, in the pages and in the journal beside them;
and PostgreSQL's own log and the versions of its rows always show it: keep them as the reports themselves are kept.

An answer that `add` has returned for is on the disk. One that arrives twice, by its number, is there once. To wait for
the disk takes much longer than to write to it: those that arrive meanwhile are written together, and wait together.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.collection.collector.survey import Survey
from sfumato.data.reading import message_without_secrets, without_password
from sfumato.ground.errors import DataError
from sfumato.ground.optional import load_optional

__all__ = ["Store", "open_store"]

_TABLES = (
    "CREATE TABLE IF NOT EXISTS sfumato_survey (id TEXT PRIMARY KEY, said TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS sfumato_answers "
    "(submission TEXT PRIMARY KEY, day TEXT NOT NULL, reports TEXT NOT NULL)",
)
_ADD = "INSERT INTO sfumato_answers VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
_ALL = "SELECT submission, day, reports FROM sfumato_answers ORDER BY submission"
_COUNT = "SELECT COUNT(*) FROM sfumato_answers"


@dataclass
class _Waiting:
    """A submission that is to be written, and what became of it."""

    row: tuple[str, str, str]
    is_done: bool = False
    is_kept: bool = False
    why_not: str = "it was not written"


class Store(ABC):
    """The reports to one survey. Several threads may use it; each call waits for the one before."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self._lock = threading.Lock()
        self._waiting: deque[_Waiting] = deque()

    @property
    @abstractmethod
    def where(self) -> str:
        """Where the reports are, without any password."""

    def add(self, submission: str, reports: Mapping[str, Sequence[int]], *, day: dt.date | None = None) -> None:
        """Keep the reports of a submission; when this returns they are on the disk."""
        said = json.dumps(reports, separators=(",", ":"), sort_keys=True)
        mine = _Waiting((submission, (day or dt.datetime.now(dt.UTC).date()).isoformat(), said))
        self._waiting.append(mine)
        with self._lock:
            if not mine.is_done:  # nobody wrote it while this thread waited: it writes all that wait
                self._write_waiting()
        if not mine.is_kept:
            raise DataError(mine.why_not)

    def _write_waiting(self) -> None:
        """Write all that wait; none of them counts as kept before the transaction that has it is on the disk."""
        batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
        for each in batch:
            each.is_done = True
        try:
            self._commit([each.row for each in batch])
        except Exception as error:
            said = str(error) if isinstance(error, DataError) else f"{self.where} failed: {type(error).__name__}"
            for each in batch:
                each.why_not = said
            return
        for each in batch:
            each.is_kept = True

    def count(self) -> int:
        """How many submissions there are."""
        with self._lock:
            return int(self._run(_COUNT)[0][0])

    def submissions(self) -> list[dict[str, list[int]]]:
        """The reports of all submissions, by question, in the order of their random numbers."""
        with self._lock:
            rows = self._run(_ALL)
        return [json.loads(reports) for _, _, reports in rows]

    @abstractmethod
    def close(self) -> None:
        """Leave the database in order."""

    @abstractmethod
    def _commit(self, rows: Sequence[tuple[str, str, str]]) -> None:
        """Add rows in one transaction, and wait until it is on the disk."""

    @abstractmethod
    def _run(self, sql: str, *given: tuple[str, ...]) -> list[tuple[Any, ...]]:
        """Run a statement, with each of the values that are given, commit, and return its rows."""

    def _prepare(self, tables: Sequence[str]) -> None:
        """Make the tables, or see that those that are there are of this survey."""
        for each in tables:
            self._run(each)
        kept = self._run("SELECT id FROM sfumato_survey")
        if not kept:
            self._run("INSERT INTO sfumato_survey VALUES ($1, $2)", (self.survey.id, json.dumps(self.survey.to_dict())))
        elif kept[0][0] != self.survey.id:
            self.close()
            raise DataError(
                f"{self.where} holds answers to another survey, or to this one with other questions or randomizers; "
                f"name another store"
            )


class _SQLite(Store):
    """An SQLite file that its owner alone reads, with every commit on the disk before it is acknowledged."""

    def __init__(self, file: Path, survey: Survey) -> None:
        super().__init__(survey)
        self._file = file
        try:
            if not file.exists():
                file.touch(mode=0o600)
            self._connection = sqlite3.connect(file, check_same_thread=False, isolation_level=None, timeout=30)
        except (OSError, sqlite3.Error) as error:
            raise DataError(f"{self.where} cannot be opened: {error}; name another store") from None
        self._run("PRAGMA journal_mode = WAL")
        self._run("PRAGMA synchronous = FULL")
        self._prepare([_TABLES[0], f"{_TABLES[1]} WITHOUT ROWID"])

    @property
    def where(self) -> str:
        """The file."""
        return f"'{self._file}'"

    def _run(self, sql: str, *given: tuple[str, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql.replace("$", "?"), *given).fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def _broken(self, error: sqlite3.Error) -> DataError:
        return DataError(f"{self.where} failed: {error}; name another store, or mend this one")

    def _commit(self, rows: Sequence[tuple[str, str, str]]) -> None:
        self._run("BEGIN IMMEDIATE")
        try:
            self._connection.executemany(_ADD.replace("$", "?"), rows)
            self._connection.commit()
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.rollback()
            raise self._broken(error) from None

    def close(self) -> None:
        """Write the file anew in the order of the random numbers, and fold the journal in."""
        with self._lock:
            try:
                self._run("VACUUM")
                self._run("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                self._connection.close()


class _Postgres(Store):
    """A PostgreSQL database. A connection that failed is given up, and the next statement opens another."""

    def __init__(self, address: str, survey: Survey) -> None:
        super().__init__(survey)
        self._address = address
        self._dbapi = load_optional(
            "adbc_driver_postgresql.dbapi", to="keeping reports in PostgreSQL", install="sfumato[postgres]"
        )
        self._connection: Any = None
        self._prepare(_TABLES)

    @property
    def where(self) -> str:
        """The address, without user and password."""
        return without_password(self._address)

    def _commit(self, rows: Sequence[tuple[str, str, str]]) -> None:
        self._run(_ADD, *rows)

    def _run(self, sql: str, *given: tuple[str, ...]) -> list[tuple[Any, ...]]:
        connection = self._connected()
        try:
            with connection.cursor() as cursor:
                for each in given or (None,):
                    cursor.execute(sql, each)
                rows = cursor.fetchall() if sql.startswith("SELECT") else []
            connection.commit()
            return [tuple(row) for row in rows]
        except Exception as error:  # of the driver, or of what it is made of
            self._give_up()
            raise DataError(f"{self.where} failed: {message_without_secrets(error, self._address)}") from None

    def _connected(self) -> Any:
        if self._connection is None:
            try:
                self._connection = self._dbapi.connect(self._address)
            except Exception as error:
                said = message_without_secrets(error, self._address)
                raise DataError(f"{self.where} cannot be reached: {said}") from None
        return self._connection

    def _give_up(self) -> None:
        """Close the connection, which takes back what was not committed."""
        connection, self._connection = self._connection, None
        with suppress(Exception):  # it may be lost already
            connection.rollback()
        with suppress(Exception):
            connection.close()

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._give_up()


def open_store(where: str | Path, survey: Survey) -> Store:
    """Open or make the store of a survey: the path of an SQLite file, or an address that begins with postgresql://."""
    said = str(where)
    if said.startswith(("postgresql://", "postgres://")):
        return _Postgres(said, survey)
    if "://" in said and not said.startswith("sqlite:///"):
        raise DataError(
            f"a store is an SQLite file or an address as postgresql://host/name, got {without_password(said)}"
        )
    return _SQLite(Path(said.removeprefix("sqlite:///")), survey)
