"""Fingerprints of tables."""

from __future__ import annotations

import hashlib
from typing import Any

import polars as pl

__all__ = ["fingerprint"]


def fingerprint(frame: pl.DataFrame) -> str:
    """SHA-256 of the records as an Arrow stream, to tell later whether a table is the one a release came from."""
    import pyarrow as pa

    class Sink:
        closed = False

        def __init__(self) -> None:
            self.digest = hashlib.sha256()

        def write(self, data: Any) -> int:
            self.digest.update(data)
            return len(data)

        def flush(self) -> None: ...

        def close(self) -> None: ...

        def writable(self) -> bool:
            return True

        def readable(self) -> bool:
            return False

        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            return 0

    sink: Any = Sink()
    arrow = frame.to_arrow()
    with pa.ipc.new_stream(pa.PythonFile(sink, mode="w"), arrow.schema) as writer:
        writer.write_table(arrow, max_chunksize=65_536)
    return str(sink.digest.hexdigest())
