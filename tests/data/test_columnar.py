"""Parquet and Arrow files, whole and damaged."""

import datetime as dt
import random

import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest

from sfumato.data.columnar import read_arrow, read_parquet
from sfumato.ground.errors import DataError


def every_type():
    n = 60
    draw = random.Random(1)
    words = [draw.choice(["a", "bb", "c" * 20, "żółć", None]) for _ in range(n)]
    letters = [draw.choice("xyz") for _ in range(n)]
    return pl.DataFrame(
        {
            "whole": list(range(n)),
            "number": [draw.random() for _ in range(n)],
            "words": words,
            "day": [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(n)],
            "moment": [dt.datetime(2020, 1, 1, i % 24) for i in range(n)],
            "moment_there": pl.Series([dt.datetime(2020, 1, 1)] * n).dt.replace_time_zone("Europe/Vienna"),
            "letters": pl.Series(letters, dtype=pl.Categorical),
            "few": pl.Series(letters, dtype=pl.Enum(["w;3", "x", "y", "z"])),
            "flag": [i % 2 == 0 for i in range(n)],
            "lists": [["a", "b"], ["c"]] * (n // 2),
            "nothing": pl.Series([None] * n, dtype=pl.Null),
        }
    )


def write_in(form, frame, path):
    if form == "parquet":
        frame.write_parquet(path)
    elif form == "arrow":
        frame.write_ipc(path, compression="zstd")
    else:
        frame.write_ipc_stream(path)
    return read_parquet if form == "parquet" else read_arrow


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
def test_types_and_values_are_those_of_polars(form, tmp_path):
    frame, path = every_type(), tmp_path / "x"
    read = write_in(form, frame, path)
    found = read(path)
    assert found.schema == frame.schema
    assert found.equals(frame)


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
def test_no_rows_and_no_columns(form, tmp_path):
    for frame in (every_type().head(0), pl.DataFrame()):
        read = write_in(form, frame, tmp_path / "x")
        assert read(tmp_path / "x").schema == frame.schema


def test_texts_of_few_values_in_several_parts(tmp_path):
    frame = pl.DataFrame({"s": ["a", None, "b", "a"] * 500, "t": [f"{i:05}" for i in range(2_000)]})
    frame.write_parquet(tmp_path / "x", row_group_size=300)
    assert read_parquet(tmp_path / "x").equals(frame)


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
def test_damaged_bytes_are_read_or_refused_in_one_sentence(form, tmp_path, capfd):
    """Readers of polars panic at such files, print traces of their own or end the process."""
    path = tmp_path / "x"
    read = write_in(form, every_type(), path)
    good = path.read_bytes()
    said = []
    for seed in range(150):
        draw, bad = random.Random(seed), bytearray(good)
        if seed % 3 == 0:
            bad = bad[: draw.randrange(len(bad))]
        else:
            for _ in range(draw.choice([1, 2, 8])):
                bad[-1 - draw.randrange(len(bad) if seed % 3 == 1 else 1_500)] = draw.randrange(256)
        path.write_bytes(bad)
        try:
            repr(read(path).rows())
        except DataError as error:
            said.append(str(error))
    assert len(said) > 60
    assert not [each for each in said if "\n" in each]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (pa.array([10**9], pa.date32()), "outside the years 1 to 9999 at row 1"),
        (pa.array([-(2**60)], pa.timestamp("us")), "outside the years 1 to 9999"),
        (pa.array([2**60], pa.timestamp("s")), "is damaged"),
        (pa.array([[10**9]], pa.list_(pa.date32())), "outside the years 1 to 9999"),
        (pa.array([1], pa.timestamp("us", "Mars/Olympus")), "is damaged"),
        (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "has the type month_day_nano_interval"),
        (pa.array([[]], pa.list_(pa.int32(), 0)), "has the type fixed_size_list"),
    ],
)
def test_what_no_calendar_or_column_has(column, says, tmp_path, capfd):
    table = pa.table({"x": column})
    with ipc.new_file(tmp_path / "x", table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(DataError, match=says):
        read_arrow(tmp_path / "x")
    assert capfd.readouterr().err == ""


def test_notes_to_polars_are_not_trusted(tmp_path):
    for note in (b"9;x", b"x", b"1;x1;x", b"1;a", b"-1;x"):
        kind = pa.dictionary(pa.uint8(), pa.string())
        field = pa.field("x", kind, metadata={b"_PL_ENUM_VALUES2": note})
        pq.write_table(pa.table([pa.array(["b"]).dictionary_encode().cast(kind)], pa.schema([field])), tmp_path / "x")
        with pytest.raises(DataError, match="is damaged"):
            read_parquet(tmp_path / "x")


def test_a_name_twice_no_file_and_a_folder(tmp_path):
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "x")
    with pytest.raises(DataError, match="'a' is there twice"):
        read_parquet(tmp_path / "x")
    for name, says in {"none": "No such file", ".": "Is a directory", "a\0b": "not a path"}.items():
        with pytest.raises(DataError, match=says):
            read_arrow(tmp_path / name)
