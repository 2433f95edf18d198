"""What a reader with two releases, or an editor of one, could once do."""

import hashlib
import json

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.release.purpose import content_digest

QUASI = ["age", "sex", "department"]


@pytest.fixture
def table():
    frame = hospital(200, seed=3).frame.select("mrn", *QUASI, "diagnosis").drop_nulls()
    return sf.Table(frame, sf.Schema(identifier=["mrn"], quasi=QUASI, sensitive=["diagnosis"]))


def signed_again(folder, certificate):
    for name in certificate["files"]:
        data = (folder / name).read_bytes()
        certificate["files"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    (folder / "release.json").write_text(json.dumps(certificate))


def test_one_seed_gives_other_runs_another_order_of_rows(table):
    methods = [sf.Mondrian(), sf.LocalRecoding(), sf.Hilbert()]
    releases = [sf.publish(table, method, sf.KAnonymity(5), seed=7) for method in methods]
    releases.append(sf.publish(table, sf.Mondrian(), sf.KAnonymity(6), seed=7))
    changed = table.frame.with_columns(pl.col("age") + (pl.int_range(pl.len()) == 3).cast(pl.Int64))
    releases.append(sf.publish(sf.Table(changed, table.schema), sf.Mondrian(), sf.KAnonymity(5), seed=7))
    orders = [release.owner.rows for release in releases]
    for i, first in enumerate(orders):
        for second in orders[:i]:
            assert (first == second).mean() < 0.1
    assert (sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=7).owner.rows == orders[0]).all()


def test_noise_of_one_seed_differs_between_methods(table):
    numbers = sf.Table(table.frame.select("age"), sf.Schema(quasi=["age"]))
    shown = []
    for scale in (0.1, 0.2):
        release = sf.publish(numbers, sf.AdditiveNoise(scale=scale), seed=7)
        moved = np.empty(len(numbers))
        moved[release.owner.rows] = release.data.frame["age"].to_numpy()
        shown.append(moved - numbers.frame["age"].to_numpy())
    assert abs(np.corrcoef(shown)[0, 1]) < 0.3


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


@pytest.mark.parametrize("name", ["extra", "properties", "densities"])
@pytest.mark.parametrize("method", [sf.LocalRecoding(), sf.BestFirst(), sf.MDAV(), sf.Condensation()])
def test_a_table_that_the_release_does_not_name_breaks_it(table, tmp_path, method, name):
    folder = tmp_path / "out"
    sf.publish(table, method, sf.KAnonymity(5), seed=1).save(folder, report=False)
    certificate = json.loads((folder / "release.json").read_text())
    table.frame.write_parquet(folder / f"{name}.parquet")
    certificate["public"].setdefault("files", []).append(f"{name}.parquet")
    certificate["files"][f"{name}.parquet"] = {}
    signed_again(folder, certificate)
    for original in (None, table):
        verdict = sf.verify(sf.load_release(folder), original)
        assert not verdict.holds
        assert any(f"{name!r}" in said for said in verdict.broken)


def test_a_column_that_the_schema_leaves_out_breaks_it(table, tmp_path):
    folder = tmp_path / "out"
    release = sf.publish(table, sf.CellSuppression(), sf.KAnonymity(5), seed=1)
    release.save(folder, report=False)
    certificate = json.loads((folder / "release.json").read_text())
    raw = table.frame["age"].gather(release.owner.rows).alias("age")
    shown = pl.read_parquet(folder / "data.parquet")
    shown.with_columns(raw).drop("age_low", "age_high", strict=False).write_parquet(folder / "data.parquet")
    for part in ("forms", "bounds"):
        certificate["public"].get(part, {}).pop("age", None)
    certificate["public"]["schema"]["columns"].pop("age")
    signed_again(folder, certificate)
    for original in (None, table):
        verdict = sf.verify(sf.load_release(folder), original)
        assert not verdict.holds
        assert any("column 'age'" in said for said in verdict.broken)


def test_whole_numbers_that_doubles_cannot_tell_apart_are_refused():
    frame = pl.DataFrame({"a": [2**60, 2**60 + 1]})
    with pytest.raises(
        sf.errors.DataError, match=r"'a' holds 1152921504606846976 at row 1; whole numbers beyond 2\*\*53"
    ):
        sf.Table(frame, sf.Schema(quasi=["a"]))
    assert len(sf.Table(frame, sf.Schema(quasi=["a"], kinds={"a": "category"}))) == 2
    assert len(sf.Table(pl.DataFrame({"a": [2**53, -(2**53)]}), sf.Schema(quasi=["a"]))) == 2


def test_forms_that_are_no_mapping_are_one_sentence(table, tmp_path):
    folder = tmp_path / "out"
    sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1).save(folder, report=False)
    certificate = json.loads((folder / "release.json").read_text())
    certificate["public"]["forms"] = ["age"]
    signed_again(folder, certificate)
    with pytest.raises(sf.errors.ReleaseError, match="damaged: it does not say how columns are shown"):
        sf.load_release(folder)


def test_another_original_is_found_by_its_size(table):
    release = sf.publish(table, sf.LocalRecoding(), sf.KAnonymity(5), seed=1)
    more = sf.Table(pl.concat([table.frame, table.frame.head(7)]), table.schema)
    verdict = sf.verify(release, more)
    assert not verdict.holds
    assert any("the original has 207 records, and the release was made from 200" in said for said in verdict.broken)


def test_a_level_costs_what_it_shows_and_not_what_the_data_fill_of_it():
    tens = sf.Hierarchy.intervals([5, 10, 20], low=0, high=40)
    table = sf.Table(pl.DataFrame({"age": [11, 12, 13, 1, 6, 7]}), sf.Schema(quasi=["age"], hierarchies={"age": tens}))
    release = sf.publish(table, sf.BestFirst(), sf.KAnonymity(2), seed=1)
    assert sf.measure(release, table)["gcp"] == sf.BestFirst().search(table, sf.KAnonymity(2)).cost == 0.25


def test_the_panel_tells_the_worst_where_classes_overlap():
    ages = sf.Hierarchy.intervals([2, 4], low=0, high=8)
    frame = pl.DataFrame({"age": [1, 1, 5, 5, 0, 0, 2, 6], "d": list("abababab")})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["d"], hierarchies={"age": ages}))
    release = sf.publish(table, sf.LocalRecoding(), sf.KAnonymity(2), seed=1)
    n_classes = release.data.frame["age"].n_unique()
    assert sf.threats(release, table)["linkability"].success.value >= n_classes / 8
