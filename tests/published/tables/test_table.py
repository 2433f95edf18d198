"""What every release of a table is checked for."""

import json

import polars as pl
import pytest

import sfumato as sf
from support.dealt_tables import VALUES, people
from support.edited_releases import hospital_table, sign_again


def test_roles_that_were_changed_in_the_certificate(tmp_path):
    """A column that no longer counts as a quasi-identifier is one that the promise no longer speaks of."""
    table = people(VALUES)
    sf.publish(table, sf.Mondrian(), sf.KAnonymity(2), seed=1).save(tmp_path / "out", report=False)
    path = tmp_path / "out" / "release.json"
    certificate = json.loads(path.read_text())
    certificate["public"]["schema"]["columns"]["age"]["role"] = "plain"
    sign_again(tmp_path / "out", certificate)
    verdict = sf.verify(sf.load_release(tmp_path / "out"), table)
    assert not verdict.holds
    assert "column 'age' is quasi in the original, and plain in the release" in verdict.broken


def test_nodes_that_no_cell_shows_are_not_published():
    frame = pl.DataFrame({"job": ["baker", "clerk", "judge", "astronaut"]})
    table = sf.Table(frame, sf.Schema(quasi=["job"], hierarchies={"job": sf.Hierarchy.automatic(frame["job"])}))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4))
    assert release.data.frame["job"].unique().to_list() == ["*"]
    assert "astronaut" not in json.dumps(release.public)


@pytest.mark.parametrize("name", ["extra", "properties", "densities"])
@pytest.mark.parametrize("method", [sf.LocalRecoding(), sf.BestFirst(), sf.MDAV(), sf.Condensation()])
def test_a_table_that_the_release_does_not_name_breaks_it(tmp_path, method, name):
    table = hospital_table()
    folder = tmp_path / "out"
    sf.publish(table, method, sf.KAnonymity(5), seed=1).save(folder, report=False)
    certificate = json.loads((folder / "release.json").read_text())
    table.frame.write_parquet(folder / f"{name}.parquet")
    certificate["public"].setdefault("files", []).append(f"{name}.parquet")
    certificate["files"][f"{name}.parquet"] = {}
    sign_again(folder, certificate)
    for original in (None, table):
        verdict = sf.verify(sf.load_release(folder), original)
        assert not verdict.holds
        assert any(f"{name!r}" in said for said in verdict.broken)


def test_a_column_that_the_schema_leaves_out_breaks_it(tmp_path):
    table = hospital_table()
    folder = tmp_path / "out"
    release = sf.publish(table, sf.CellSuppression(), sf.KAnonymity(5), seed=1)
    release.save(folder, report=False, format="parquet")
    certificate = json.loads((folder / "release.json").read_text())
    raw = table.frame["age"].gather(release.owner.rows).alias("age")
    shown = pl.read_parquet(folder / "data.parquet")
    shown.with_columns(raw).drop("age_low", "age_high", strict=False).write_parquet(folder / "data.parquet")
    for part in ("forms", "bounds"):
        certificate["public"].get(part, {}).pop("age", None)
    certificate["public"]["schema"]["columns"].pop("age")
    sign_again(folder, certificate)
    for original in (None, table):
        verdict = sf.verify(sf.load_release(folder), original)
        assert not verdict.holds
        assert any("column 'age'" in said for said in verdict.broken)


def test_values_of_a_hierarchy_that_no_cell_shows_are_not_told():
    country = ["Italy", "Italy", "Italy", "Spain", "Chile", "Brazil", "Xanadu"]
    tree = sf.Hierarchy.from_paths(
        [(c, "Europe" if c in ("Italy", "Spain") else "Elsewhere", "*") for c in dict.fromkeys(country)]
    )
    table = sf.Table(pl.DataFrame({"c": country}), sf.Schema(quasi=["c"], hierarchies={"c": tree}))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(3))
    assert "Xanadu" not in repr(release.public)
    assert "Elsewhere" in repr(release.public)
    assert sf.verify(release, table).holds
