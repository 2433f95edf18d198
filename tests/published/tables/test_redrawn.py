"""Releases of substituted values: saved, loaded, verified, measured and reported like any other."""

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.numbers import as_numbers, from_numbers
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError


@pytest.fixture(scope="module")
def table():
    rows = np.arange(90)
    frame = pl.DataFrame({
        "name": [f"person {i}" for i in rows], "age": 18 + (rows * 37) % 61, "cost": ((rows * 53) % 47) / 10,
        "day": [dt.date(2024, 1, 1) + dt.timedelta(days=int(i * 17 % 200)) for i in rows],
        "region": [f"r{i % 3}" for i in rows], "s": [f"v{i % 7}" for i in rows],
    })  # fmt: skip
    schema = sf.Schema(identifier=["name"], quasi=["age", "cost", "day"], sensitive=["s"], plain=["region"])
    return sf.Table(frame, schema)


METHODS = {
    "blocks": (sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5)),
    "localities": (sf.PatternPreserving([sf.Localities(0.1), sf.Means(by="region")], partition=30), None),
    "full": (sf.PatternPreserving(sf.Localities(), partition="region"), None),
    "noise": (sf.AdditiveNoise(0.1), None),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_a_release_survives_the_disk(table, tmp_path, name, format):
    method, promise = METHODS[name]
    release = sf.publish(table, method, promise, seed=5)
    release.save(tmp_path / "out", format=format)
    loaded = sf.load_release(tmp_path / "out")
    word = "declared" if name in ("noise", "blocks") else "holds"
    assert sf.verify(loaded).word == sf.verify(loaded, table).word == word
    assert loaded.data.frame.equals(release.data.frame)
    reader = replace(loaded, owner=None)
    assert "distortion" not in sf.measure(reader)
    assert dict(loaded.measures) == dict(sf.measure(reader))
    assert dict(sf.measure(loaded, table)) == pytest.approx(dict(sf.measure(release)))
    page = (tmp_path / "out" / "report.html").read_text()
    assert "drawn anew" in page
    assert "person" not in page.replace("person’s", "").replace("a person", "").replace("one person", "")
    assert (tmp_path / "owner" / "out" / "report.html").exists()


@pytest.mark.parametrize("name", ["blocks", "localities"])
def test_one_changed_value_is_seen(table, name):
    method, promise = METHODS[name]
    release = sf.publish(table, method, promise, seed=5)
    frame = release.data.frame
    spoiled = frame.with_columns(pl.when(pl.int_range(pl.len()) == 3).then(10_000).otherwise("age").alias("age"))
    assert sf.verify(replace(release, data=sf.Table(spoiled, release.data.schema))).word == "broken"
    swapped = frame.with_columns(pl.col("s").shift(1).fill_null("v0"))
    assert sf.verify(replace(release, data=sf.Table(swapped, release.data.schema))).stands  # not about the secret alone
    assert sf.verify(replace(release, data=sf.Table(swapped, release.data.schema)), table).word == "broken"


def test_the_same_seed_repeats_and_another_does_not(table):
    method, promise = METHODS["blocks"]
    first, again, other = (sf.publish(table, method, promise, seed=seed) for seed in (1, 1, 2))
    assert first.data.frame.equals(again.data.frame)
    assert not first.data.frame.equals(other.data.frame)


def test_rows_of_the_release_hold_no_record(table):
    release = sf.publish(table, sf.PatternPreserving(sf.Localities(0.05)), seed=1)
    own = table.frame.select("age", "cost", "day")[release.owner.rows.tolist()]
    same = [a == b for a, b in zip(own.rows(), release.data.frame.select("age", "cost", "day").rows(), strict=True)]
    assert sum(same) <= 2  # by chance


def test_shift_and_scale_are_the_owners(table, tmp_path):
    keep = [sf.Localities(0.2), sf.Means(by="region")]
    method = sf.PatternPreserving(keep, shift={"age": 1000.0}, scale={"age": 7.0})
    release = sf.publish(table, method, seed=1)
    assert release.verdict
    assert release.data.frame["age"].min() > 1000
    release.save(tmp_path / "out")
    certificate = (tmp_path / "out" / "release.json").read_text()
    assert "shift" not in certificate
    assert "scale" not in certificate
    assert sf.verify(sf.load_release(tmp_path / "out"))
    rows = release.files["properties"].filter(pl.col("property") == repr(keep[0]))
    assert set(rows["coefficients"].explode().abs().round(9).to_list()) == {0.5, 1.0}  # no trace of the 7


def test_recipes_say_properties(tmp_path, table):
    from sfumato.recipe import read_recipe

    table.frame.write_csv(tmp_path / "d.csv")
    (tmp_path / "r.toml").write_text("""
[input]
path = "d.csv"
[schema.columns.age]
role = "quasi"
[schema.columns.s]
role = "sensitive"
[method]
name = "PatternPreserving"
partition = 30
keep = [ { name = "Localities", share = 0.1 }, { name = "PoI", text = "mean(age) within 1%" },
         { name = "Blocks", k = 5, grouping = { name = "Mondrian" } } ]
[output]
folder = "out"
""")
    recipe = read_recipe(tmp_path / "r.toml")
    assert [type(each).__name__ for each in recipe.method.properties] == ["Localities", "PoI", "Blocks"]
    assert sf.publish(recipe.data(), recipe.method, recipe.promise, seed=1).verdict


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sf.PatternPreserving([]), "keep takes properties"),
        (lambda: sf.PatternPreserving("order"), "keep takes properties"),
        (lambda: sf.PatternPreserving(sf.Order(), partition=0), "partition must be"),
        (lambda: sf.PatternPreserving(sf.Order(), bounds="mine"), "bounds must be"),
        (lambda: sf.PatternPreserving(sf.Order(), walk="drunken"), "walk must be"),
        (lambda: sf.PatternPreserving(sf.Order(), steps=0), "steps must be"),
        (lambda: sf.PatternPreserving(sf.Order(), resolution="fine"), "resolution must be"),
        (lambda: sf.PatternPreserving(sf.Order(), scale={"a": 0}), "scale must be given"),
        (lambda: sf.Localities(0), "share must be"),
        (lambda: sf.Means(within=-1), "within must be"),
        (lambda: sf.Blocks(1), "k must be"),
        (lambda: sf.Blocks(5, keep=("median",)), "keep must name"),
        (lambda: sf.MatchRank(1), "k must be"),
        (lambda: sf.MatchRank(5, share=0), "share must be"),
    ],
)
def test_bad_parameters_are_refused_when_made(make, said):
    with pytest.raises(ParameterError, match=said):
        make()


def test_bad_tables_are_named(table):
    with pytest.raises(SchemaError, match="'region' is a category"):
        sf.publish(sf.Table(table.frame, sf.Schema(quasi=["age", "region"])), sf.PatternPreserving(sf.Order()))
    with pytest.raises(ParameterError, match="no column is called 'regoin'; did you mean"):
        sf.publish(table, sf.PatternPreserving(sf.Order(), partition="regoin"))
    with pytest.raises(ParameterError, match="leave out values"):
        sf.publish(table, sf.PatternPreserving(sf.Order(), bounds={"age": (20, 30)}))
    with pytest.raises(ParameterError, match="'name' is not substituted"):
        sf.publish(table, sf.PatternPreserving(sf.Order(), bounds={"name": (20, 30)}))
    with pytest.raises(InfeasibleError, match="leave no room"):
        sf.publish(table, sf.PatternPreserving(sf.PoI("age[0] = 18")))


@pytest.mark.slow
def test_match_rank_gives_up_properties(table):
    small = sf.Table(table.frame.head(40), sf.Schema(quasi=["age"], sensitive=["s"]))
    method = sf.PatternPreserving(sf.Order())
    promise = sf.MatchRank(3, share=0.8)
    release = sf.publish(small, method, promise, seed=1)
    told = release.public["match_rank"]
    assert told["share_of_properties"] < 1.0
    assert told["share_of_records"] >= 0.8
    assert sf.verify(release, small).word == release.verdict.word == "declared"  # one release can only contradict it
    assert sf.verify(release).word == "not decided"
    assert "cannot be checked" in str(sf.verify(release))
    everything = sf.publish(small, method, seed=1)
    assert sf.verify(everything, small, promise=promise).word == "broken"  # the order gives everybody away
    with pytest.raises(InfeasibleError, match="cannot be met"):
        sf.publish(small, method, sf.MatchRank(39, share=1.0), seed=1)


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("x", [1, None, -5]), pl.Series("x", [1.5, None, -2.25]), pl.Series("x", [1, 2], dtype=pl.UInt8),
        pl.Series("x", [dt.date(2024, 2, 29), None, dt.date(1969, 7, 20)]),
        pl.Series("x", [dt.datetime(2024, 2, 29, 12, 30, 1), None]),
        pl.Series("x", [dt.datetime(2024, 2, 29, 12, 30, 1)]).dt.replace_time_zone("Europe/Rome"),
    ],
)  # fmt: skip
def test_numbers_go_there_and_back(series):
    assert from_numbers(as_numbers(series), series).equals(series)


def test_dates_between_days_become_times():
    days = pl.Series("x", [dt.date(2024, 2, 29)])
    assert from_numbers(as_numbers(days) + 0.5, days).to_list() == [dt.datetime(2024, 2, 29, 12)]
    assert from_numbers(np.array([300.0]), pl.Series("x", [1], dtype=pl.UInt8)).dtype == pl.Int64
