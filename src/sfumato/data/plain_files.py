"""Files that are read as they lie on disk: no addresses, no objects in memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sfumato.data.reading import check_file
from sfumato.ground.errors import DataError

__all__ = ["ending", "plain_file"]


def plain_file(source: Any, reader: str, *, what: str, otherwise: str) -> Path:
    """The file to read `what` from; `otherwise` says where things in memory go that are given to the reader."""
    if not isinstance(source, (str, os.PathLike)):
        raise DataError(f"{reader} takes a file, got {type(source).__name__}; {otherwise}")
    if "://" in os.fspath(source):
        scheme = os.fspath(source).split("://", 1)[0]
        raise DataError(f"{reader} takes a file, got an address with {scheme!r}; save the {what} to a file first")
    file = Path(source).expanduser()
    check_file(file)
    return file


def ending(file: Path) -> str:
    """The ending of its name, without `.gz`."""
    return (file.with_suffix("") if file.suffix.lower() == ".gz" else file).suffix.lower()
