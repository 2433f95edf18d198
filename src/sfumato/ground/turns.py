"""Turns between processes: one compiles a kernel, and the others wait for what it keeps on disk.

A turn is a file beside the compiled code, with the number of the process that has it. A file whose process is gone, or
that is older than any compilation takes, is nobody's turn.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

__all__ = ["give_turn", "take_turn"]

_OLDEST_S = 120.0
_PAUSE_S = 0.02


def take_turn(file: Path) -> bool:
    """Take a turn that is free: True. Or wait until whoever has it gives it back: False."""
    try:
        os.close(_write(file))
    except FileExistsError:
        while not _is_stale(file):
            time.sleep(_PAUSE_S)
            if not file.exists():
                return False
        give_turn(file)
        return False
    except OSError:  # a folder that cannot be written: everybody for themselves
        return True
    return True


def give_turn(file: Path) -> None:
    """Give a turn back."""
    with contextlib.suppress(OSError):
        file.unlink()


def _write(file: Path) -> int:
    handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    os.write(handle, str(os.getpid()).encode())
    return handle


def _is_stale(file: Path) -> bool:
    try:
        if time.time() - file.stat().st_mtime > _OLDEST_S:
            return True
        owner = int(file.read_text() or 0)
    except (OSError, ValueError):
        return False  # gone, or being written
    if owner == os.getpid():  # left behind by ourselves
        return True
    if sys.platform == "win32" or not owner:  # no way to ask without harm
        return False
    try:
        os.kill(owner, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
