"""Reading a file in a process apart: a library that a damaged file brings down takes that process with it alone.

Readers of spreadsheets and of statistical packages are compiled code, and some damaged files end the process that reads
them. What the other process sends back is checked as a file would be.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc

from sfumato.ground import errors
from sfumato.ground.errors import DataError, SfumatoError

__all__ = ["answer", "read_apart"]

_PROGRAM = (
    "import json, sys; request = json.loads(sys.argv[1]); sys.path[:] = request['modules']; "
    "from sfumato.data.apart import answer; answer(request)"
)


def read_apart(reader: str, file: Path, what: str, **options: Any) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the frame and the notes that a reader makes of a file; `reader` is its place, as in `sfumato.data.x:load`.

    `what` names the kind of file. Options are what JSON can write. A reader that fails for any reason of its own than a
    sentence says that the file is damaged.
    """
    damaged = f"file '{file}' is no {what} file, or is damaged; save it again, or save it as CSV"
    if not sys.executable or getattr(sys, "frozen", False):
        return _load(reader, file, damaged, options)
    request = {"reader": reader, "file": str(file), "damaged": damaged, "options": options, "modules": sys.path}
    command = [sys.executable, "-P", "-c", _PROGRAM, json.dumps(request)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    head, _, content = done.stdout.partition(b"\n")
    try:
        said = json.loads(head)
        if "error" in said:
            raise getattr(errors, said["error"], DataError)(said["message"])
        with ipc.open_stream(pa.py_buffer(content)) as stream:
            table = stream.read_all()
        table.validate(full=True)
        frame = pl.from_arrow(table)
    except (ValueError, KeyError, TypeError, OSError, pa.ArrowException) as error:
        if isinstance(error, SfumatoError):
            raise
        raise DataError(damaged) from None
    assert isinstance(frame, pl.DataFrame)
    return frame, said["notes"]


def answer(request: dict[str, Any]) -> None:
    """Do what a request asks for, and write a line of JSON and the frame to where this process was told to."""
    replies = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no part of the reply
    try:
        frame, notes = _load(request["reader"], Path(request["file"]), request["damaged"], request["options"])
        content, head = io.BytesIO(), {"notes": notes}
        frame.write_ipc_stream(content)
        reply = json.dumps(head).encode() + b"\n" + content.getvalue()
    except SfumatoError as error:
        reply = json.dumps({"error": type(error).__name__, "message": str(error)}).encode() + b"\n"
    with os.fdopen(replies, "wb") as stream:
        stream.write(reply)


def _load(reader: str, file: Path, damaged: str, options: dict[str, Any]) -> tuple[pl.DataFrame, dict[str, Any]]:
    module, _, name = reader.partition(":")
    try:
        frame, notes = getattr(import_module(module), name)(file, **options)
    except (SfumatoError, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic of compiled code is no Exception
        raise DataError(damaged) from None
    return frame, notes
