"""Progress on a terminal, silence elsewhere; and the way to call work off.

Code that works for long asks for `steps(...)` and moves on; a bar appears only when standard error is a
terminal and the work has lasted for more than a second. Whoever shows progress elsewhere gives `watch`, a function
that is told of every step and share. `cancel` ends the work at the next of them.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import Cancelled

__all__ = ["Progress", "Share", "Watch", "portion", "silent_progress", "steps", "tell_nobody"]

Share: TypeAlias = Callable[[float], None]
"""Takes how much of some work is done, from 0 to 1."""
Watch: TypeAlias = Callable[[str, float], None]
"""Takes the name of the step under way and how much of the whole is done, from 0 to 1."""

_DELAY_S = 1.0


class Progress(SaysWhatMethodsTake):
    """Counts finished steps of a known total, and names the one under way.

    `watch` is called at every step and share, in the thread that does the work; what it raises ends the work.

    The work has so many steps, `total`; where it is `shown`, a line appears on a terminal after a second.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> seen = []
    >>> watched = sf.Progress(4, shown=False, watch=lambda step, done: seen.append(step))
    >>> _ = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), progress=watched)
    >>> seen[-1]
    'verifying'
    """

    def __init__(self, total: int, *, shown: bool, watch: Watch | None = None) -> None:
        self._total = total
        self._done = -1
        self._share = 0.0
        self._name = ""
        self._watch = watch
        self._until: float | None = None
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._bar: Any = None
        self._task: Any = None
        self._timer: threading.Timer | None = None
        if shown:
            self._timer = threading.Timer(_DELAY_S, self._appear)
            self._timer.daemon = True
            self._timer.start()

    def __repr__(self) -> str:
        return f"Progress({max(self._done, 0)} of {self._total} steps{f', {self._name}' if self._name else ''})"

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
        self._refuse_cancelled()
        with self._lock:
            self._name = name
            self._done += 1
            self._share = 0.0
            if self._bar is not None:
                self._bar.update(self._task, description=name, completed=self._done)
        self._tell()

    def share(self, done: float) -> None:
        """Say how much of the present step is done, from 0 to 1; the share never goes back."""
        self._refuse_cancelled()
        with self._lock:
            self._share = max(self._share, min(done, 1.0))
            if self._bar is not None:
                self._bar.update(self._task, completed=self._done + self._share)
        self._tell()

    def cancel(self) -> None:
        """Have the next step or share raise `Cancelled`; from `watch`, the present one. Any thread may call it."""
        self._cancelled.set()

    def end_within(self, seconds: float) -> None:
        """Ask for an end in so many seconds from now: work that can stop with what it has then sees `is_over`."""
        self._until = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether the time that was given by `end_within` is over; never where none was."""
        return self._until is not None and time.monotonic() >= self._until

    def _refuse_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled("cancelled before anything was published; nothing was written")

    def _tell(self) -> None:
        """Tell `watch` how much of the whole is done; it may have called the work off."""
        if self._watch is not None:
            self._watch(self._name, min((max(self._done, 0) + self._share) / max(self._total, 1), 1.0))
            self._refuse_cancelled()

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


def silent_progress() -> Progress:
    """Return a progress that shows nothing."""
    return Progress(1, shown=False)


def tell_nobody(done: float) -> None:
    """Ignore a share of work: stands for the function that would be told of it."""


def portion(share: Share, low: float, high: float) -> Share:
    """Return a share for one part of some work: its 0 to 1 is `low` to `high` of the whole."""
    return lambda done: share(low + (high - low) * min(max(done, 0.0), 1.0))


@contextmanager
def steps(total: int, *, watch: Watch | None = None) -> Iterator[Progress]:
    """A progress of `total` steps, shown on a terminal only; `SFUMATO_PROGRESS=0` turns the bar off.

    `watch` is called at every step and share, bar or not.
    """
    shown = _is_terminal() and os.environ.get("SFUMATO_PROGRESS", "1") != "0"
    progress = Progress(total, shown=shown, watch=watch)
    try:
        yield progress
    finally:
        progress.close()
