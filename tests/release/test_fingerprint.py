"""The digest by which a table is known again."""

import polars as pl
import pyarrow as pa

from sfumato.release.fingerprint import content_digest


def test_the_digest_is_of_values_types_and_names():
    frames = [
        pl.DataFrame({"a": [1, 2], "b": ["x", None]}),
        pl.DataFrame({"a": [1, 2], "b": ["x", ""]}),
        pl.DataFrame({"a": [1.0, 2.0], "b": ["x", None]}),
        pl.DataFrame({"a": [1, 2], "c": ["x", None]}),
        pl.DataFrame({"a": [1, 3], "b": ["x", None]}),
        pl.DataFrame({"a": [1, 2], "b": ["xy", ""]}),
        pl.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
    ]
    assert len({content_digest(frame) for frame in frames}) == len(frames)
    assert content_digest(frames[0]) == content_digest(frames[0].clone())


def test_the_digest_does_not_see_how_missing_values_are_laid_out():
    valid = pa.py_buffer(bytes([0b101]))
    laid_out = [
        pa.Array.from_buffers(pa.int64(), 3, [valid, pa.array([1, under, 3]).buffers()[1]]) for under in (0, 99)
    ]
    frames = [pl.from_arrow(pa.table({"a": column})) for column in laid_out]
    assert frames[0]["a"].to_list() == frames[1]["a"].to_list() == [1, None, 3]
    assert content_digest(frames[0]) == content_digest(frames[1])
