"""A process that tries points: it is given the data once, then one point after the other, and tells what came of each.

Nothing is written to a disk. Messages are pickles with their length before them, on standard input and output, between
a process and its own child and nobody else.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import threading
import time
from dataclasses import replace
from queue import SimpleQueue
from typing import IO, Any

from sfumato.ground.errors import SfumatoError
from sfumato.privacy.promise import Promise
from sfumato.release.fingerprint import content_digest
from sfumato.release.release import Release
from sfumato.verbs.comparing.common_figures import PROMISED
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.measure import measure
from sfumato.verbs.publish import publish

__all__ = ["receive", "send", "tried"]


def send(stream: IO[bytes], message: Any) -> None:
    """Write one message."""
    packed = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack("<Q", len(packed)) + packed)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message; None where the other side is gone."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    return pickle.loads(stream.read(struct.unpack("<Q", head)[0]))


def _word(release: Release) -> str:
    """The word of `verify`; who promises nothing has nothing that could hold."""
    return release.verdict.word if release.promise is not None else "promises nothing"


def tried(data: Any, point: Point, seed: bytes, n_queries: int) -> Point:
    """Publish and measure, all rows or the first so many: the point as it came out."""
    if point.n_rows is not None:
        data = data.rows(slice(0, point.n_rows))
    start = time.perf_counter()
    try:
        release = publish(data, point.method, point.promise, seed=seed if point.method.repeatable else None)
        seconds = time.perf_counter() - start
        figures = {**measure(release, data, n_queries=n_queries), **_promised(release.promise)}
    except SfumatoError as error:
        return replace(point, came="refused", why=str(error))
    chosen = release.owner.tried[0].method if release.owner is not None and release.owner.tried else None
    digest = content_digest(release.data.frame) if point.method.repeatable else ""
    return replace(
        point, came="done", figures=figures, verdict=_word(release), found=release.verdict.found,
        seconds=round(seconds, 3), digest=digest, made_by=chosen,
    )  # fmt: skip


def _promised(promise: Promise | None) -> dict[str, float]:
    """The chance that the promise leaves of finding one person, where it is about hiding among others."""
    sizes = [part.min_size() for part in promise.parts] if promise is not None else []
    return {PROMISED.name: 1 / max(sizes)} if sizes and max(sizes) > 1 else {}


def main() -> None:
    """Try points for as long as there is somebody to tell."""
    heard: SimpleQueue[Any] = SimpleQueue()
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not come between messages
    threading.Thread(target=_hear, args=(sys.stdin.buffer, heard), daemon=True).start()
    data, seed, n_queries = heard.get()
    while True:
        point = heard.get()
        try:
            found = tried(data, point, seed, n_queries)
        except MemoryError:
            found = replace(point, came="failed", why="it needs more memory than there is")
        except Exception as error:  # a fault of ours: told, so that the other points go on
            found = replace(point, came="failed", why=f"an error in sfumato, {type(error).__name__}; please report it")
        send(target, found)


def _hear(source: IO[bytes], heard: SimpleQueue[Any]) -> None:
    """Take messages as they come; when the other side is gone, end the process, whatever it is at."""
    try:
        while (message := receive(source)) is not None:
            heard.put(message)
    finally:
        os._exit(1)


if __name__ == "__main__":
    try:
        main()
    finally:
        os._exit(1)  # at once: the thread that listens holds standard input
