"""Progress on a terminal, silence elsewhere.

Code that works for long asks for `steps(...)` and moves on; a bar appears only when standard error is a
terminal and the work has lasted for more than a second.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

__all__ = ["Progress", "steps"]

_DELAY_S = 1.0


class Progress:
    """Counts finished steps of a known total, and names the one under way."""

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total = total
        self._done = -1
        self._name = ""
        self._lock = threading.Lock()
        self._bar: Any = None
        self._task: Any = None
        self._timer: threading.Timer | None = None
        if shown:
            self._timer = threading.Timer(_DELAY_S, self._appear)
            self._timer.daemon = True
            self._timer.start()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        with self._lock:
            if self._timer is None:  # closed in the meantime
                return
            columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
            bar = Bar(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
            with suppress(OSError, ValueError):  # a terminal that went away
                bar.start()
                self._task = bar.add_task(self._name, total=self._total, completed=max(self._done, 0))
                self._bar = bar

    def step(self, name: str) -> None:
        """Say that `name` begins now; whatever was under way has ended."""
        with self._lock:
            self._name = name
            self._done += 1
            if self._bar is not None:
                self._bar.update(self._task, description=name, completed=self._done)

    def share(self, done: float) -> None:
        """Say how much of what is under way is done, from 0 to 1."""
        with self._lock:
            if self._bar is not None:
                self._bar.update(self._task, completed=self._done + done)

    def close(self) -> None:
        """Take the bar away."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._bar is not None:
                with suppress(OSError, ValueError):
                    self._bar.stop()


def _is_terminal() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # closed
        return False


@contextmanager
def steps(total: int) -> Iterator[Progress]:
    """A progress of `total` steps, shown on a terminal only; `SFUMATO_PROGRESS=0` turns it off."""
    progress = Progress(total, shown=_is_terminal() and os.environ.get("SFUMATO_PROGRESS", "1") != "0")
    try:
        yield progress
    finally:
        progress.close()
