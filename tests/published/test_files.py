"""Published data in files keep their types."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sfumato as sf
from support.edited_releases import sign_again


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_times_survive_a_csv(tmp_path, unit, zone):
    moments = (
        pd.to_datetime([f"2024-01-0{i} 10:30" for i in range(1, 9)]).astype(f"datetime64[{unit}]").tz_localize(zone)
    )
    frame = pd.DataFrame({"a": range(8), "s": moments, "p": moments})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"], plain=["p"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2))
    release.save(tmp_path / "kept", format="csv")
    assert sf.verify(sf.load_release(tmp_path / "kept"), original=table)
    quasi = sf.Table(frame[["s"]], sf.Schema(quasi=["s"]))
    sf.publish(quasi, sf.Mondrian(show="means"), sf.KAnonymity(2)).save(tmp_path / "means", format="csv")
    assert sf.verify(sf.load_release(tmp_path / "means"), original=quasi)


def changed_csv(tmp_path, change, **method):
    """A release with means as CSV, its text changed and signed again."""
    frame = pl.DataFrame({"a": [1.5, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "s": list("xyxyxyxy")})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    out = sf.publish(table, sf.Mondrian(**method), sf.KAnonymity(2), seed=1).save(tmp_path / "out", format="csv")
    text = (out / "data.csv").read_text()
    assert sf.verify(sf.load_release(out))
    assert change(text) != text
    (out / "data.csv").write_bytes(change(text).encode())
    sign_again(out, json.loads((out / "release.json").read_text()))
    return out


def once(pattern, new):
    return lambda text: re.sub(pattern, new, text, count=1, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "change",
    [
        once(r"^(\d\.\d+)", r"0\1"),
        once(r"^(\d\.\d+)", r"\g<1>0"),
        once(r"^(\d\.\d+)", r"+\1"),
        once(r"^(\d\.\d+)", r"\1e0"),
    ],
)
def test_numbers_are_written_in_one_way(tmp_path, change):
    """Else the way in which a row writes its number would tell it from the others of its class."""
    out = changed_csv(tmp_path, change, show="means")
    with pytest.raises(sf.errors.DamagedReleaseError, match="column 'a' writes one value in two ways"):
        sf.load_release(out)


@pytest.mark.parametrize(
    "change",
    [
        once(r"^(\d\.\d+)", r'"\1"'), once(r"x$", r'"x"'), lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text, lambda text: text + "\n", lambda text: text.rstrip("\n"),
    ],
)  # fmt: skip
def test_a_csv_is_written_as_releases_are(tmp_path, change):
    out = changed_csv(tmp_path, change, show="means")
    with pytest.raises(
        sf.errors.DamagedReleaseError, match=r"not written as a release is|writes one value|cannot be read as"
    ):
        sf.load_release(out)


def saved_parquet(tmp_path, edit, **method):
    """A release whose rows were edited and signed again."""
    frame = pl.DataFrame({"a": [1.5, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "s": list("xyxyxyxy")})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    out = sf.publish(table, sf.Mondrian(**method), sf.KAnonymity(2), seed=1).save(tmp_path / "out", format="parquet")
    edit(out / "data.parquet")
    sign_again(out, json.loads((out / "release.json").read_text()))
    return out


def edited(change):
    def edit(path):
        frame = pl.read_parquet(path).with_row_index("row")
        frame.with_columns(change).drop("row").write_parquet(path)

    return edit


@pytest.mark.parametrize(
    "change",
    [
        pl.col("a_low") + pl.col("row") / 1e9, pl.lit("0").repeat_by("row").list.join("") + pl.col("a_low").cast(pl.String),
        pl.col("a_low").cast(pl.Float32), pl.col("a_low").cast(pl.String),
    ],
)  # fmt: skip
def test_bounds_have_the_type_and_value_of_their_text(tmp_path, change):
    out = saved_parquet(tmp_path, edited(change.alias("a_low")))
    with pytest.raises(sf.errors.DamagedReleaseError, match="column 'a_low' do not agree with the ranges in 'a'"):
        sf.load_release(out)


def test_zero_is_written_in_one_way(tmp_path):
    frame = pl.DataFrame({"a": [0.0, 0.0, 0.0, 5.0, 5.0, 5.0], "s": list("xyxyxy")})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    out = sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(2), seed=1).save(
        tmp_path / "out", format="parquet"
    )
    shown = pl.read_parquet(out / "data.parquet")
    places = np.flatnonzero((shown["a"] == 0).to_numpy())
    values = shown["a"].to_numpy().copy()
    values[places[0]] = -0.0
    shown.with_columns(pl.Series("a", values)).write_parquet(out / "data.parquet")
    sign_again(out, json.loads((out / "release.json").read_text()))
    with pytest.raises(sf.errors.DamagedReleaseError, match=r"'0\.0' and '-0\.0'"):
        sf.load_release(out)


def test_a_file_carries_no_notes(tmp_path):
    def edit(path):
        pl.read_parquet(path).write_parquet(path, metadata={"note": "row 3 is Ann"})

    out = saved_parquet(tmp_path, edit)
    with pytest.raises(sf.errors.DamagedReleaseError, match="carries notes beside its columns"):
        sf.load_release(out)


def test_a_column_lists_no_value_that_nobody_has(tmp_path):
    out = saved_parquet(tmp_path, edited(pl.col("s").cast(pl.Enum(["x", "y", "Ann"]))))
    with pytest.raises(sf.errors.DamagedReleaseError, match="column 's' lists values that no row shows"):
        sf.load_release(out)
