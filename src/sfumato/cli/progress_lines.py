"""Progress for those who see no bar: a line on standard error now and then, where that is no terminal."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sfumato.ground.progress import Progress, steps

__all__ = ["told_steps"]

EVERY_S = 10.0
"""Seconds between two lines."""


@contextmanager
def told_steps(total: int, what: str) -> Iterator[Progress]:
    """A progress of `total` steps, shown by a bar on a terminal and elsewhere by a line every ten seconds.

    `what` is under way, as in `attacking`. `SFUMATO_PROGRESS=0` turns both off.
    """
    state = ["", 0.0]
    ended = threading.Event()
    began = time.monotonic()

    def watch(name: str, share: float) -> None:
        state[:] = name, share

    def tell() -> None:
        while not ended.wait(EVERY_S):
            step = f": {state[0]}" if state[0] else ""
            line = f"sfumato: {what} since {time.monotonic() - began:.0f} s{step}, {state[1]:.0%} done"
            with suppress(OSError, ValueError):  # standard error may be gone
                print(line, file=sys.stderr, flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    if not sys.stderr.isatty() and os.environ.get("SFUMATO_PROGRESS", "1") != "0":
        teller.start()
    try:
        with steps(total, watch=watch) as progress:
            yield progress
    finally:
        ended.set()
        if teller.is_alive():
            teller.join()
