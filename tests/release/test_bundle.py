"""A release read back from its folder: what was saved, and one sentence on what is damaged."""

import datetime as dt
import json

import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.datasets import hospital
from sfumato.ground.errors import ReleaseError
from support.edited_releases import hospital_table, sign_again


@pytest.fixture(scope="module")
def table():
    return hospital(300)


@pytest.fixture(scope="module")
def release(table):
    return sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(2), seed=11)


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("show", ["ranges", "means"])
def test_saved_and_loaded_releases_are_the_same(tmp_path, table, format, show):
    made = sf.publish(table, sf.Hilbert(show=show), sf.KAnonymity(5), seed=2)
    made.save(tmp_path / "out", format=format)
    loaded = sf.load_release(tmp_path / "out")
    assert loaded.data.frame.equals(made.data.frame)
    assert loaded.promise == made.promise
    assert loaded.verdict.holds
    assert loaded.method == made.method
    assert loaded.owner.rows.tolist() == made.owner.rows.tolist()
    assert loaded.owner.seed == made.owner.seed
    assert loaded.owner.original_sha256 == made.owner.original_sha256
    assert sf.verify(loaded, original=table).holds
    told = sf.measure(made, table)
    for name in ("n_classes", "prosecutor_max", *(["gcp"] if show == "ranges" else [])):
        assert loaded.measures[name] == pytest.approx(told[name])


def test_parquet_holds_bounds_as_numbers_beside_the_text(tmp_path, release):
    release.save(tmp_path / "out", format="parquet")
    frame = pl.read_parquet(tmp_path / "out" / "data.parquet")
    assert frame["age_low"].dtype == pl.Int64
    row = frame.filter(pl.col("age").str.starts_with("[") & pl.col("age").str.ends_with("]")).row(0, named=True)
    assert f"[{row['age_low']}, {row['age_high']}]" == row["age"]
    assert "age_low" not in sf.load_release(tmp_path / "out").data.columns


def test_changed_files_are_found(tmp_path, table, release):
    release.save(tmp_path / "out", format="parquet")
    file = tmp_path / "out" / "data.parquet"
    frame = pl.read_parquet(file)
    frame.with_columns(pl.col("diagnosis").reverse()).write_parquet(file)
    with pytest.raises(ReleaseError, match=r"'data.parquet' has changed since the certificate was written"):
        sf.load_release(tmp_path / "out")
    verdict = sf.verify(sf.load_release(tmp_path / "out", check=False))
    assert not verdict.holds
    (tmp_path / "out" / "report.html").unlink()
    with pytest.raises(ReleaseError, match=r"'report.html' is missing"):
        sf.load_release(tmp_path / "out")


def test_csv_holds_bounds_beside_the_text(tmp_path, release):
    release.save(tmp_path / "out", format="csv")
    frame = pl.read_csv(tmp_path / "out" / "data.csv", infer_schema=False)
    row = frame.filter(pl.col("age").str.starts_with("[") & pl.col("age").str.ends_with("]")).row(0, named=True)
    assert f"[{row['age_low']}, {row['age_high']}]" == row["age"]
    assert "age_low" not in sf.load_release(tmp_path / "out").data.columns


def test_bounds_that_disagree_with_their_text_are_found(tmp_path, release):
    release.save(tmp_path / "out", format="parquet")
    file = tmp_path / "out" / "data.parquet"
    pl.read_parquet(file).with_columns(pl.col("age_low") + 1).write_parquet(file)
    with pytest.raises(ReleaseError, match="'age_low' do not agree with the ranges in 'age'"):
        sf.load_release(tmp_path / "out", check=False)


@pytest.mark.parametrize(
    "forge",
    [
        lambda cells: str(int(cells) + 1), lambda cells: f"{cells}.0", lambda cells: f"0{cells}",
        lambda cells: f"+{cells}", lambda cells: "", lambda cells: "p001",
    ],
)  # fmt: skip
def test_bounds_of_a_csv_that_were_forged_are_found(tmp_path, release, forge):
    release.save(tmp_path / "out", format="csv", report=False)
    file = tmp_path / "out" / "data.csv"
    frame = pl.read_csv(file, infer_schema=False)
    cells = frame["age_high"].to_list()
    at = next(i for i, cell in enumerate(cells) if cell)
    cells[at] = forge(cells[at]) or None
    frame.with_columns(pl.Series("age_high", cells)).write_csv(file)
    with pytest.raises(ReleaseError, match="'age_high' do not agree with the ranges in 'age'"):
        sf.load_release(tmp_path / "out", check=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("{}", "unknown format"),
        ('{"format": "sfumato release 99"}', "unknown format"),
        ("[]", "unknown format"),
    ],
)
def test_bad_certificates(tmp_path, text, message):
    (tmp_path / "release.json").write_text(text)
    with pytest.raises(ReleaseError, match=message):
        sf.load_release(tmp_path)
    with pytest.raises(ReleaseError, match="holds no release"):
        sf.load_release(tmp_path / "nowhere")


def test_dates_and_hierarchies_survive_the_certificate(tmp_path):

    days = [dt.date(2024, 1, 1) + dt.timedelta(days=i * 11) for i in range(24)]
    frame = pl.DataFrame(
        {"d": days, "e": days, "n": [i * 1.5 for i in range(24)], "o": ["lo", "hi"] * 12, "s": ["a", "b", "c"] * 8}
    )
    schema = sf.Schema(
        quasi=["d", "e", "n", "o"], sensitive=["s"], bounds={"d": (dt.date(2023, 1, 1), dt.date(2025, 1, 1))},
        hierarchies={
            "e": sf.Hierarchy.intervals(breaks=[dt.date(2024, 1, 1), dt.date(2024, 6, 1), dt.date(2025, 1, 1)]),
            "s": sf.Hierarchy.flat(list("abc")),
        },
        orders={"o": ["lo", "hi"]},
    )  # fmt: skip
    table = sf.Table(frame, schema)
    for format in ("parquet", "csv"):
        made = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4) & sf.TCloseness(0.5), seed=1)
        made.save(tmp_path / format, format=format)
        loaded = sf.load_release(tmp_path / format)
        assert loaded.schema == made.schema
        assert sf.verify(loaded, original=table).holds
    json.loads((tmp_path / "csv" / "release.json").read_text())


def small_release():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "d": list("xyxy")})
    return sf.publish(sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["d"])), sf.Mondrian(), sf.KAnonymity(2))


@pytest.mark.parametrize("verb", ["verify", "measure"])
@pytest.mark.parametrize(
    "damage",
    [
        {"files": {}}, {"files": []}, {"files": {"data.parquet": 3}}, {"public": []}, {"public": {"schema": 3}},
        {"promise": 3}, {"promise": {"name": "All", "promises": []}}, {"verdict": {}}, {"verdict": 3}, {"measures": 3},
    ],
)  # fmt: skip
def test_a_damaged_certificate_is_one_sentence(tmp_path, verb, damage, capsys):
    small_release().save(tmp_path / "out")
    certificate = json.loads((tmp_path / "out" / "release.json").read_text())
    (tmp_path / "out" / "release.json").write_text(json.dumps(certificate | damage))
    assert run([verb, str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_forms_that_are_no_mapping_are_one_sentence(tmp_path):
    table = hospital_table()
    folder = tmp_path / "out"
    sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1).save(folder, report=False)
    certificate = json.loads((folder / "release.json").read_text())
    certificate["public"]["forms"] = ["age"]
    sign_again(folder, certificate)
    with pytest.raises(sf.errors.ReleaseError, match="damaged: it does not say how columns are shown"):
        sf.load_release(folder)
