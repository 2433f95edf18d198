"""What a run is for, so that one seed used for two releases does not tie them together.

Rows would come in the same order and noise would be the same in both, and whoever held the two beside each other could
take it out again. So the stream of a run depends on the seed, the data, the method and the promise: the same run
repeats to the byte, and any other shares nothing with it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from sfumato.contracts.method import Method
    from sfumato.privacy.promise import Promise

__all__ = ["content_digest", "purpose_of"]


def purpose_of(digest: str, method: Method, promise: Promise | None, n_previous: int = 0) -> str:
    """A text that is the same for two runs only if data (by their `content_digest`), method and promise are."""
    run = [method.to_dict(), promise.to_dict() if promise is not None else None, digest, n_previous]
    return json.dumps(run, sort_keys=True, default=str)


def content_digest(frame: pl.DataFrame) -> str:
    """SHA-256 of the columns, their types and values; it does not depend on how a library lays them out."""
    digest = hashlib.sha256()
    for series in frame.iter_columns():
        for part in _parts(series):
            digest.update(part)
    return digest.hexdigest()


def _parts(series: pl.Series) -> Iterator[bytes]:
    yield f"{series.name}\0{series.dtype}\0{len(series)}\0".encode()
    yield series.is_null().cast(pl.UInt8).to_numpy().tobytes()
    if isinstance(series.dtype, pl.List):
        yield series.list.len().fill_null(0).to_numpy().tobytes()
        yield from _parts(series.list.explode(empty_as_null=False))
        return
    values = series.to_physical() if series.dtype.is_temporal() else series
    if values.dtype.is_numeric() and not values.dtype.is_decimal():
        yield values.fill_null(0).to_numpy().tobytes()
        return
    texts = values.cast(pl.String).fill_null("")
    yield texts.str.len_bytes().to_numpy().tobytes()
    yield (texts.str.join("").item() or "").encode()
