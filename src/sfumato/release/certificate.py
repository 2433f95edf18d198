"""The certificate of a release, `release.json`: what it must say, what it says of each file, and which files lie there.

A release has one file of data, `data.parquet`, `data.csv` or `data.arrow`, the tables beside it that its kind of
release has, and a report. The certificate lists them all by name and hash; a name with a folder in it, a second file of
data or a link is no part of any release. What else lies in the folder is not covered by any promise: data that the
certificate does not list, and a report, make the release a damaged one, since readers would take them for a part of it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.data.json_file import parse_json
from sfumato.ground.errors import DamagedReleaseError, ReleaseError
from sfumato.ground.validate import is_whole
from sfumato.published.files import FORMATS
from sfumato.published.shape import unread_keys

__all__ = [
    "CERTIFICATE",
    "FORMAT",
    "REPORT",
    "SIGNATURE",
    "damaged_files",
    "data_name",
    "file_entry",
    "read_certificate",
    "sha256_of",
    "unlisted_files",
    "unread_statements",
]

CERTIFICATE = "release.json"
SIGNATURE = "release.sig"
REPORT = "report.html"
FORMAT = "sfumato release 2"
_READ = ("sfumato release 1", FORMAT)
"""Versions of certificates that are read. The first had no word for its verdict, and none that was declared."""
_DATA = tuple(f"data.{format}" for format in FORMATS)
_TABLE = re.compile(r"[a-z][a-z0-9_]{0,63}\.parquet", re.ASCII)
"""The name of a table beside the data."""
_ENDINGS_OF_DATA = frozenset((
    ".csv", ".tsv", ".tab", ".txt", ".dat", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".json", ".ndjson",
    ".jsonl", ".xls", ".xlsx", ".xlsm", ".xlsb", ".ods", ".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt",
    ".rds", ".rda", ".rdata", ".db", ".sqlite", ".sqlite3", ".duckdb", ".mdb", ".accdb", ".dbf", ".npy", ".npz",
    ".pkl", ".pickle", ".h5", ".hdf5", ".orc", ".avro", ".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".tar", ".tgz",
))  # fmt: skip
"""Endings of files that readers would take for data."""


_SAID = frozenset((
    "format", "sfumato", "about", "method", "promise", "verdict", "measures", "rows", "public", "distribution", "files",
))  # fmt: skip
"""What certificates say; what else stands in one is read by nobody here, and may be anything."""


def unread_statements(certificate: Mapping[str, Any]) -> list[str]:
    """The statements of a certificate that no check looks at, by their names."""
    return [
        *(name for name in certificate if name not in _SAID),
        *(f"public.{name}" for name in unread_keys(certificate["public"])),
        *(f"files.{file}.{name}" for file, said in certificate["files"].items()
          for name in said if name not in ("sha256", "bytes")),
    ]  # fmt: skip


def file_entry(path: Path) -> dict[str, Any]:
    """What the certificate says of a file."""
    return {"sha256": sha256_of(path), "bytes": path.stat().st_size}


def sha256_of(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_certificate(path: Path) -> dict[str, Any]:
    """Read the certificate of a release folder; an error unless it has all parts that are needed."""
    file = path / CERTIFICATE
    if not file.is_file():
        raise ReleaseError(f"'{path}' holds no release: there is no {CERTIFICATE}; `sfumato publish` writes one")
    whose = f"the certificate in '{path.name}'"
    certificate = parse_json(file.read_bytes(), whose, error=DamagedReleaseError)
    wanted = ("files", "public", "promise", "verdict", "method", "measures")
    known = isinstance(certificate, dict) and certificate.get("format") in _READ
    if not known or any(key not in certificate for key in wanted):
        raise DamagedReleaseError(f"{whose} is of an unknown format; it may need a newer sfumato")
    wrong = _wrong_parts(certificate) or _wrong_names(certificate["files"], certificate["public"])
    if wrong is not None:
        raise DamagedReleaseError(f"{whose} is damaged: {wrong}; ask for a new copy")
    return dict(certificate)


def _wrong_parts(certificate: Mapping[str, Any]) -> str | None:
    """What is wrong with the parts of a certificate, in a clause; None where each has the type that it must have."""
    if not isinstance(certificate["method"], dict):
        return "it does not say which method was used"
    files = certificate["files"]
    if not isinstance(files, dict) or not all(
        isinstance(said, dict) and isinstance(said.get("sha256"), str) for said in files.values()
    ):
        return "it does not list the data"
    public = certificate["public"]
    if not isinstance(public, dict) or not isinstance(public.get("forms", {}), dict):
        return "it does not say how columns are shown"
    rows = certificate.get("rows", 0)
    if not is_whole(rows) or rows < 0:
        return "it does not say how many rows are published"
    return None


def _wrong_names(files: Mapping[str, Any], public: Mapping[str, Any]) -> str | None:
    """What is wrong with the names of the files, in a clause; None where they are those of a release."""
    data = [name for name in files if name in _DATA]
    if len(data) > 1:
        return f"it lists {' and '.join(data)}, and a release has one file of data"
    beside = public.get("files", [])
    if not isinstance(beside, list) or not all(isinstance(name, str) for name in beside):
        return "it does not list the tables beside the data"
    for name in files:
        if name not in (*_DATA, REPORT) and not (name in beside and _TABLE.fullmatch(name)):
            return f"it lists {name[:80]!r}, which is no file of a release"
    if not data:
        return "it does not list the data"
    missing = next((name for name in beside if name not in files), None)
    if missing is not None:
        return f"it names the table {missing[:80]!r}, and does not list it among the files"
    return None


def data_name(certificate: Mapping[str, Any]) -> str:
    """Return the name of the file of data."""
    return next(name for name in _DATA if name in certificate["files"])


def damaged_files(path: Path, files: Mapping[str, Any]) -> list[str]:
    """Say of each file that is not as the certificate says, a clause each."""
    wrong = []
    for name, said in files.items():
        file = path / name
        if file.is_symlink():
            wrong.append(f"'{name}' is a link, and no file of the release")
        elif not file.is_file():
            wrong.append(f"'{name}' is missing")
        elif sha256_of(file) != said["sha256"]:
            wrong.append(f"'{name}' has changed since the certificate was written")
        elif said.get("bytes") != file.stat().st_size:
            wrong.append(f"'{name}' has not the number of bytes that the certificate says")
    return wrong


def unlisted_files(path: Path, files: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What lies in the folder without being listed: what readers would take for a part of it, and what else there is.

    The first are clauses, the second names.
    """
    wrong = [
        f"'{name}' is a link, and no file of the release"
        for name in (CERTIFICATE, SIGNATURE) if (path / name).is_symlink()
    ]  # fmt: skip
    other = []
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if name in (*files, CERTIFICATE, SIGNATURE) or (file.is_dir() and not file.is_symlink()):
            continue
        if _looks_like_data(file) or name.lower() == REPORT:
            wrong.append(f"'{name}' lies in the release, and the certificate does not list it")
        else:
            other.append(name)
    return wrong, other


def _looks_like_data(file: Path) -> bool:
    return any(ending.lower() in _ENDINGS_OF_DATA for ending in file.suffixes[-2:])
