"""One value is written in one way: marks that a cast would hide are found, in text and in types."""

from __future__ import annotations

import json
import struct

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import DamagedReleaseError, DataError
from sfumato.published.tables.one_writing import refuse_marked_numbers, refuse_other_types, refuse_two_ways
from support.edited_releases import sign_again


def saved(folder, format, **how):
    frame = pl.DataFrame({"q": range(12), "s": list("abcd") * 3, "p": [7, 7, 8] * 4})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s"], plain=["p"]))
    sf.publish(table, sf.Mondrian(**how), sf.LDiversity(2), seed=1).save(folder / "out", format=format, report=False)
    return folder / "out"


def test_columns_are_of_the_type_that_they_are_read_as():
    read = pl.DataFrame({"group": [7, 8], "name": ["a", "b"]})
    refuse_other_types(read, read)
    refuse_other_types(read.with_columns(pl.col("name").cast(pl.Categorical)), read)
    for dtype in (pl.String, pl.Float64, pl.Int32):
        with pytest.raises(DataError, match="column 'group' holds"):
            refuse_other_types(read.with_columns(pl.col("group").cast(dtype)), read)


def test_text_writes_a_value_in_one_way():
    read = pl.DataFrame({"group": [7, 7, None]})
    refuse_two_ways(pl.DataFrame({"group": ["7", "7", None]}), read)
    with pytest.raises(DataError, match=r"writes one value in two ways, '\+7' and '7'"):
        refuse_two_ways(pl.DataFrame({"group": ["7", "+7", None]}), read)


def test_zeros_have_one_sign():
    refuse_marked_numbers(pl.DataFrame({"x": [-0.0, -0.0, 1.0, None]}), ["x", "y"])
    with pytest.raises(DataError, match=r"'0\.0' and '-0\.0'"):
        refuse_marked_numbers(pl.DataFrame({"x": [-0.0, 0.0]}), ["x"])


def test_missing_numbers_are_written_in_one_way():
    nan, other = float("nan"), struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_0000_0001))[0]
    for sound in ([nan, nan, 1.0], [None, None, 1.0]):
        refuse_marked_numbers(pl.DataFrame({"x": sound}), ["x"])
        refuse_marked_numbers(pl.DataFrame({"x": pl.Series(sound, dtype=pl.Float32)}), ["x"])
    for marked in ([nan, None], [nan, other], [nan, -nan]):
        with pytest.raises(DataError, match="'x' writes a missing value in two ways"):
            refuse_marked_numbers(pl.DataFrame({"x": pl.Series(marked, dtype=pl.Float64)}), ["x"])


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_means_that_lack_a_value_in_two_ways_are_refused(tmp_path, format):
    frame = pl.DataFrame({"q": [0.0] * 6 + [1.0] * 6, "s": list("abcd") * 3})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s"]))
    made = sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(5), seed=1)
    for marked in (False, True):  # all cells of a class lack a value in one way; one of them in another
        out = tmp_path / f"{format}{marked}"
        made.save(out, format=format, report=False)
        path = out / f"data.{format}"
        shown = made.data.frame["q"].to_list()
        lacking = [None if value == 0.0 else value for value in shown]
        if marked:
            lacking[shown.index(0.0)] = float("nan")
        edited = made.data.frame.with_columns(pl.Series("q", lacking, dtype=pl.Float64))
        {"parquet": edited.write_parquet, "csv": edited.write_csv, "arrow": edited.write_ipc}[format](path)
        sign_again(out, json.loads((out / "release.json").read_text()))
        if marked:
            with pytest.raises(DamagedReleaseError, match="'q' writes a missing value in two ways"):
                sf.load_release(out)
        else:
            assert sf.load_release(out).data.frame["q"].null_count() == 6


@pytest.mark.parametrize("column", ["group", "p"])
@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_whole_numbers_as_text_with_a_mark_in_every_row(tmp_path, format, column):
    out = saved(tmp_path, format, show="permutation")
    path = out / f"data.{format}"
    frame = pl.read_parquet(path) if format == "parquet" else pl.read_ipc(path)
    marked = pl.Series(column, [f"{'0' * i}{value}" for i, value in enumerate(frame[column])])
    frame = frame.with_columns(marked)
    frame.write_parquet(path) if format == "parquet" else frame.write_ipc(path)
    sign_again(out, json.loads((out / "release.json").read_text()))
    with pytest.raises(DamagedReleaseError, match=f"column '{column}' holds text"):
        sf.load_release(out)


@pytest.mark.parametrize("column", ["group", "p"])
@pytest.mark.parametrize("change", ["0{}", "+{}"])
def test_whole_numbers_of_a_csv_with_a_mark(tmp_path, column, change):
    out = saved(tmp_path, "csv", show="permutation")
    header, first, *lines = (out / "data.csv").read_text().split("\n")
    cells = first.split(",")
    at = header.split(",").index(column)
    cells[at] = change.format(cells[at])
    (out / "data.csv").write_text("\n".join([header, ",".join(cells), *lines]))
    sign_again(out, json.loads((out / "release.json").read_text()))
    with pytest.raises(DamagedReleaseError, match=f"column '{column}' writes one value in two ways"):
        sf.load_release(out)
