"""Points tried side by side, each in a process that can be ended when it takes too long."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any

from sfumato.verbs.comparing.point import Point
from sfumato.verbs.comparing.worker import receive, send

__all__ = ["try_all"]

_POLL_S = 0.05


class _Worker:
    """A process, and what it is at."""

    def __init__(self, first: Any) -> None:
        command = [sys.executable, "-m", "sfumato.verbs.comparing.worker"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._first: Any = first
        self.answers: SimpleQueue[Any] = SimpleQueue()
        self.point: Point | None = None
        self.since = 0.0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        stream = self._process.stdout
        while stream is not None:
            with contextlib.suppress(OSError, ValueError):
                answer = receive(stream)
                self.answers.put(answer)
                if answer is not None:
                    continue
            return

    def begin(self, point: Point) -> None:
        """Have it try a point."""
        self.point, self.since = point, time.monotonic()
        stream = self._process.stdin
        with contextlib.suppress(OSError):  # it is gone, and will be found to be
            if self._first is not None and stream is not None:
                send(stream, self._first)
                self._first = None
            send(stream, point)  # type: ignore[arg-type]

    def end(self) -> None:
        """Stop the process, whatever it is at."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


def try_all(
    data: Any, points: Sequence[Point], seed: bytes, *, n_queries: int, until: float | None, each: float | None,
    tell: Callable[[Point], None], moot: Callable[[Point], bool] = lambda _: False, n_processes: int | None = None,
) -> None:  # fmt: skip
    """Try the points in their order and `tell` what came of each; `until` is when all end, `each` the seconds of one.

    Who is at work when time is up is ended, and told as too slow; what was not begun is not tried, nor is what is
    `moot` by the time it would begin: it is told as it is.
    """
    waiting = list(points)[::-1]
    n_workers = min(n_processes or os.cpu_count() or 1, len(waiting))
    workers = [_Worker((data, seed, n_queries)) for _ in range(n_workers)]
    try:
        while waiting or any(worker.point for worker in workers):
            late = until is not None and time.monotonic() >= until
            if late:
                waiting.clear()
            for place, worker in enumerate(workers):
                while waiting and moot(waiting[-1]):
                    tell(waiting.pop())
                if worker.point is None and waiting:
                    worker.begin(waiting.pop())
                elif worker.point is not None and not _ended(worker, tell, late=late, each=each):
                    worker.end()
                    workers[place] = _Worker((data, seed, n_queries))
            time.sleep(_POLL_S)
    finally:
        for worker in workers:
            worker.end()


def _ended(worker: _Worker, tell: Callable[[Point], None], *, late: bool, each: float | None) -> bool:
    """Look after a worker that is at a point; False where its process is of no more use."""
    point, spent = worker.point, time.monotonic() - worker.since
    assert point is not None
    try:
        answer = worker.answers.get_nowait()
    except Empty:
        if not late and (each is None or spent < each):
            return True
        worker.point = None
        tell(replace(point, came="too slow", why=f"not done after {spent:.0f} s", seconds=round(spent, 1)))
        return False
    worker.point = None
    if answer is None:
        tell(replace(point, came="failed", why="the process ended, perhaps for want of memory"))
        return False
    tell(answer)
    return True
