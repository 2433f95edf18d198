"""Files that are read as they lie on disk: no addresses, no objects in memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sfumato.data.reading import check_file
from sfumato.ground.errors import DataError

__all__ = ["ending", "plain_file"]


def plain_file(source: Any, reader: str, *, what: str, otherwise: str) -> Path:
    """Return the path of a file to read; refuse anything but a path with a message on what to do.

    `what` is to be read by the function `reader`; `otherwise` says where data in memory belong.
    """
    if not isinstance(source, (str, os.PathLike)):
        raise DataError(f"{reader} takes a file, got {type(source).__name__}; {otherwise}")
    if "://" in os.fspath(source):
        scheme = os.fspath(source).split("://", 1)[0]
        raise DataError(f"{reader} takes a file, got an address with {scheme!r}; save the {what} to a file first")
    file = Path(source).expanduser()
    check_file(file)
    return file


def ending(file: Path) -> str:
    """The ending of the file's name, leaving out `.gz`."""
    return (file.with_suffix("") if file.suffix.lower() == ".gz" else file).suffix.lower()
