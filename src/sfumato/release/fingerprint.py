"""Fingerprints of tables, by which the original of a release is known again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import polars as pl

__all__ = ["content_digest"]


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
