"""A process that tries points: it is given the data once, then one point after the other, and tells what came of each.

Nothing is written to a disk. Messages are pickles with their length before them, on standard input and output, between
a process and its own child and nobody else.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import time
from dataclasses import replace
from typing import IO, Any

from sfumato.ground.errors import SfumatoError
from sfumato.privacy.promise import Promise
from sfumato.release.fingerprint import fingerprint
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
    digest = fingerprint(release.data.frame) if point.method.repeatable else ""
    return replace(
        point, came="done", figures=figures, verdict=release.verdict.word, found=release.verdict.found,
        seconds=round(seconds, 3), digest=digest, made_by=chosen,
    )  # fmt: skip


def _promised(promise: Promise | None) -> dict[str, float]:
    """The chance that the promise leaves of finding one person, where it is about hiding among others."""
    sizes = [part.min_size() for part in promise.parts] if promise is not None else []
    return {PROMISED.name: 1 / max(sizes)} if sizes and max(sizes) > 1 else {}


def main() -> None:
    """Try points until there are no more."""
    source, target = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not come between messages
    data, seed, n_queries = receive(source)
    while (point := receive(source)) is not None:
        try:
            found = tried(data, point, seed, n_queries)
        except MemoryError:
            found = replace(point, came="refused", why="it needs more memory than there is")
        except Exception as error:  # a fault of ours: told, so that the other points go on
            found = replace(point, came="refused", why=f"an error in sfumato, {type(error).__name__}; please report it")
        send(target, found)


if __name__ == "__main__":
    main()
