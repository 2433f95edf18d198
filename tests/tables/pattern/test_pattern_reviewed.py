"""Cases that a hostile reader found: each once told who is who, or was certified wrongly."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness


def sorted_table(n=120):
    """A file in the order of one of its columns, as files are."""
    random = Randomness(8)
    frame = pl.DataFrame({"age": np.sort(18 + random.integers(70, size=n)), "cost": random.integers(900, size=n),
                          "s": [f"v{i % 5}" for i in range(n)]})  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["age", "cost"], sensitive=["s"]))


KEPT = [sf.Blocks(5), sf.Means(), sf.Sums(by="s"), sf.Order(), sf.Localities(0.3), sf.PoI("age[3] <= age[90]")]


@pytest.mark.parametrize("keep", KEPT, ids=repr)
def test_properties_do_not_follow_the_order_of_the_original(keep):
    table = sorted_table()
    promise = sf.Exchangeable(5) if isinstance(keep, sf.Blocks) else None
    correlations = []
    for seed in range(6):
        release = sf.publish(table, sf.PatternPreserving(keep), promise, seed=seed)
        rows = release.owner.rows
        for listed in release.files["properties"]["rows"].to_list():
            columns = release.files["properties"]["columns"][0]
            assert len(columns)
            own = rows[listed]
            if len(own) > 20:
                correlations.append(np.corrcoef(own, np.arange(len(own)))[0, 1])
        heads = [rows[listed[0]] for listed in release.files["properties"]["rows"].to_list()]
        if len(heads) > 20:
            correlations.append(np.corrcoef(heads, np.arange(len(heads)))[0, 1])
    assert not correlations or np.mean(np.abs(correlations)) < 0.35


def test_entries_stand_in_published_order():
    release = sf.publish(sorted_table(), sf.PatternPreserving(sf.Means()), seed=3)
    for row in release.files["properties"].iter_rows(named=True):
        cells = list(zip(row["columns"], row["rows"], strict=True))
        assert cells == sorted(cells)


def test_blocks_are_numbered_as_they_occur():
    release = sf.publish(sorted_table(), sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=3)
    blocks = release.files["blocks"]["block"].to_list()
    assert list(dict.fromkeys(blocks)) == list(range(max(blocks) + 1))
    assert "blocks" not in sf.publish(sorted_table(), sf.PatternPreserving(sf.Blocks(5)), seed=3).files


def test_the_certificate_holds_no_figure_of_the_row_map(tmp_path):
    release = sf.publish(sorted_table(), sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=3)
    release.save(tmp_path / "out")
    certificate = json.loads((tmp_path / "out" / "release.json").read_text())
    assert set(certificate["measures"]["values"]) == {"linkage_bound", "linkage_chance"}
    assert "Distortion" not in (tmp_path / "out" / "report.html").read_text()
    assert "Distortion" in (tmp_path / "owner" / "out" / "report.html").read_text()
    kept = json.loads((tmp_path / "owner" / "out" / "owner.json").read_text())
    assert "distortion" in kept["measures"]["values"]


def test_names_tell_no_rows(tmp_path):
    table = sorted_table(20)
    keep = [sf.Blocks(5), *(sf.PoI(f"cost[{i}] <= 5000") for i in range(20))]
    release = sf.publish(table, sf.PatternPreserving(keep), sf.Exchangeable(5), seed=1)
    assert set(release.files["properties"]["property"].cast(pl.String)) == {"Blocks(k=5)", "cost[...] <= 5000"}
    given = [float(i) for i in range(20)]
    weighted = sf.PatternPreserving(sf.PoI(coefficients={"cost": given}, bound=1e9))
    for each in (release, sf.publish(table, weighted, seed=1)):
        each.save(tmp_path / each.method["keep"][0]["name"])
        text = (tmp_path / each.method["keep"][0]["name"] / "release.json").read_text()
        assert "cost[1" not in text
        assert "17.0" not in text


def test_a_name_of_its_own_tells_a_record_apart():
    release = sf.publish(sorted_table(20), sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=1)
    rows = release.files["properties"].with_columns(pl.col("property").cast(pl.String))
    single = rows["rows"].list.len() == 1
    named = rows.with_columns(
        pl.when(single & (pl.int_range(pl.len()) == single.arg_true()[0])).then(pl.lit("Ann")).otherwise("property")
        .alias("property")
    )  # fmt: skip
    assert sf.verify(replace(release, files={**release.files, "properties": named})).word == "broken"


def test_many_values_in_one_body_are_refused_or_drawn_exactly():
    table = sf.Table(pl.DataFrame({"x": Randomness(3).uniform(900)}), sf.Schema(quasi=["x"]))
    with pytest.raises(InfeasibleError, match="give a partition"):
        sf.publish(table, sf.PatternPreserving(sf.Localities(0.02)))
    release = sf.publish(table, sf.PatternPreserving(sf.Order()), seed=1)
    drawn = np.sort(release.data.frame["x"].to_numpy())
    assert np.abs(drawn - np.sort(table.frame["x"].to_numpy())).mean() > 0.005


def test_a_walk_that_does_not_mix_publishes_nothing():
    ages = pl.DataFrame({"x": Randomness(3).integers(40, size=100)})
    table = sf.Table(ages, sf.Schema(quasi=["x"]))
    with pytest.raises(InfeasibleError, match="did not mix"):
        sf.publish(table, sf.PatternPreserving(sf.Localities(), walk="one-sided"), seed=1)
    stuck = sf.PatternPreserving(sf.Localities(0.5), walk="one-sided", steps=200, bounds="partition")
    with pytest.raises(sf.errors.PromiseBrokenError, match="those of the original"):
        sf.publish(table, stuck, seed=1)


@pytest.mark.slow
def test_coordinate_steps_are_not_believed_too_soon():
    table = sf.Table(pl.DataFrame({"x": [0.1, 0.25, 0.3, 0.9]}), sf.Schema(quasi=["x"], bounds={"x": (0, 1)}))
    method = sf.PatternPreserving(sf.Localities(), walk="coordinate", resolution="real")
    first = [np.sort(sf.publish(table, method, seed=seed).data.frame["x"].to_numpy())[0] for seed in range(400)]
    assert np.mean(first) == pytest.approx(0.2, abs=4 * 0.163 / 20)


def test_ties_are_published_and_checked():
    table = sf.Table(pl.DataFrame({"x": [1, 1, 2, 2, 2, 7, 9, 9]}), sf.Schema(quasi=["x"]))
    release = sf.publish(table, sf.PatternPreserving(sf.Order()), seed=1)
    seen = set(release.files["properties"]["rows"].explode().to_list())
    assert seen == set(range(8))
    x = release.data.frame["x"]
    tied = table.frame["x"].gather(release.owner.rows).is_duplicated().arg_true().to_list()
    assert len(tied) == 7
    for i in tied:
        spoiled = x.cast(pl.Float64).to_list()
        spoiled[i] += 0.5
        data = sf.Table(pl.DataFrame({"x": spoiled}), sf.Schema(quasi=["x"]))
        assert sf.verify(replace(release, data=data)).word == "broken"


def test_bounds_of_the_schema_are_checked():
    table = sf.Table(pl.DataFrame({"x": list(range(30))}), sf.Schema(quasi=["x"], bounds={"x": (0, 40)}))
    release = sf.publish(table, sf.PatternPreserving(sf.PoI("x[0] <= x[9]")), seed=1)
    out = release.data.frame.with_columns(pl.when(pl.int_range(30) == 5).then(41).otherwise("x").alias("x"))
    verdict = sf.verify(replace(release, data=sf.Table(out, sf.Schema(quasi=["x"]))))
    assert "leaves the bounds" in str(verdict)


def test_what_should_be_there_must_be_there():
    table = sorted_table(40)
    release = sf.publish(table, sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=1)
    rows, blocks = release.files["properties"], release.files["blocks"]
    assert sf.verify(replace(release, files={})).word == "broken"
    for bound in (float("inf"), float("nan"), None):
        spoiled = rows.with_columns(pl.lit(bound, dtype=pl.Float64).alias("bound"))
        assert sf.verify(replace(release, files={"properties": spoiled, "blocks": blocks})).word == "broken"
    for spoiled in (
        rows.drop("bound"), rows.with_columns(pl.col("rows").list.head(0)), rows.with_columns(pl.lit("x").alias("bound")),
        rows.with_columns(pl.col("rows").list.eval(pl.element() + 900)), rows.with_columns(pl.lit(3).alias("rows")),
    ):  # fmt: skip
        assert sf.verify(replace(release, files={"properties": spoiled, "blocks": blocks})).word == "broken"
    text, empty = blocks.with_columns(pl.lit("x").alias("block")), blocks.with_columns(pl.lit(None).alias("block"))
    for odd in (blocks.rename({"block": "b"}), text, empty):
        assert sf.verify(replace(release, files={"properties": rows, "blocks": odd})).word == "broken"
    far = blocks.with_columns(pl.col("block").cast(pl.Int64) * 4_000_000_000)
    assert sf.verify(replace(release, files={"properties": rows, "blocks": far})).word == "declared"


def test_the_bound_of_linkage_is_for_exchangeable_records_only():
    release = sf.publish(sorted_table(), sf.PatternPreserving([sf.Blocks(10), sf.Order()]), seed=1)
    assert "linkage_bound" not in sf.measure(release)


def test_moved_columns_tell_no_bounds():
    table = sorted_table(40).with_schema(sf.Schema(quasi=["age", "cost"], bounds={"age": (0, 105)}))
    release = sf.publish(table, sf.PatternPreserving(sf.Localities(0.1), scale={"age": 2.5}), seed=1)
    assert release.schema.column("age").high is None
    assert release.public["resolution"]["age"] % 2.5 == pytest.approx(0.0, abs=1e-9)
    assert release.verdict


def test_match_rank_that_no_table_can_keep_is_refused_at_once():
    with pytest.raises(InfeasibleError, match="k=500"):
        sf.publish(sorted_table(60), sf.PatternPreserving(sf.Order()), sf.MatchRank(500))


@pytest.mark.parametrize(
    "make",
    [
        lambda: sf.PatternPreserving(None), lambda: sf.PatternPreserving(3), lambda: sf.PatternPreserving(sf.Order(), steps=2.5),
        lambda: sf.PatternPreserving(sf.Order(), bounds=3), lambda: sf.PatternPreserving(sf.Order(), bounds=None),
        lambda: sf.PatternPreserving(sf.Order(), bounds={"age": [0]}), lambda: sf.PatternPreserving(sf.Order(), bounds={"age": 3}),
        lambda: sf.PatternPreserving(sf.Order(), resolution=3), lambda: sf.PatternPreserving(sf.Order(), resolution={"age": -1}),
        lambda: sf.PatternPreserving(sf.Order(), resolution={"age": float("nan")}),
        lambda: sf.PatternPreserving(sf.Order(), shift=3), lambda: sf.PatternPreserving(sf.Order(), shift={"age": "a"}),
        lambda: sf.PatternPreserving(sf.Order(), shift={"age": 1e300}), lambda: sf.PatternPreserving(sf.Order(), partition=2.5),
        lambda: sf.PoI(coefficients={}), lambda: sf.PoI(coefficients=[1, 2]), lambda: sf.PoI(text=3), lambda: sf.PoI(),
        lambda: sf.PoI("1e999 * age[0] <= 1"), lambda: sf.PoI("age[0] within 1e400"), lambda: sf.PoI("age[-1] <= 3"),
        lambda: sf.PoI("(" * 3000 + "age[0]" + ")" * 3000 + " <= 1"), lambda: sf.Blocks(5, grouping="Mondrian"),
        lambda: sf.Blocks(5, grouping=sf.AdditiveNoise(0.1)), lambda: sf.Blocks(5, within="x"),
        lambda: sf.publish(sorted_table(), sf.PatternPreserving(sf.Order(columns=3))),
        lambda: sf.publish(sorted_table(20), sf.PatternPreserving(sf.PoI(coefficients={"age": [float("nan")] * 20}))),
        lambda: sf.publish(sorted_table(20), sf.PatternPreserving(sf.PoI(coefficients={"age": ["a"] * 20}))),
    ],
)  # fmt: skip
def test_odd_parameters_are_refused(make):
    with pytest.raises(ParameterError):
        make()


@pytest.mark.parametrize(
    "keep",
    [
        '{ name = "Order", columns = 3 }', '{ name = "PoI", coefficients = [1, 2] }', '{ name = "Blocks" }', '"Order"',
        '{ name = "Blocks", k = 5, grouping = "Mondrian" }', '{ name = "Ratios", of = "age" }', '{ name = "PoI", text = 3 }',
        '{ name = "Means", within = "x" }', "3", '{ name = "Nothing" }',
    ],
)  # fmt: skip
def test_odd_recipes_are_one_sentence(keep, tmp_path, capsys):
    sorted_table().frame.write_csv(tmp_path / "d.csv")
    (tmp_path / "r.toml").write_text(
        f'[input]\npath = "d.csv"\n[schema.columns.age]\nrole = "quasi"\n[method]\nname = "PatternPreserving"\nkeep = [{keep}]\n'
        f'[output]\nfolder = "out"\n'
    )
    assert run(["publish", str(tmp_path / "r.toml")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "__init__" not in said
