"""Non-uniform entropy against its definition, record by record."""

import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.datasets import hospital


def covers(cell, value):
    """Whether a published cell of numbers or words covers a value."""
    if cell == "*":
        return True
    if cell is None or value is None:
        return cell is None and value is None
    cell, missing = str(cell).removesuffix(" or missing"), str(cell).endswith(" or missing")
    if cell.startswith("["):
        low, high = cell[1:-1].split(", ")
        return float(low) <= float(value) <= float(high)
    if cell.startswith("{"):
        return str(value) in cell[1:-1].split(", ")
    return cell == str(value) or (missing and value is None)


def by_definition(release, table):
    lost, most = 0.0, 0.0
    for name in table.schema.quasi:
        values, cells = table.frame[name].to_list(), release.data.frame[name].to_list()
        for value in values:
            most += math.log2(len(values) / values.count(value))
        for row, cell in zip(release.owner.rows.tolist(), cells, strict=True):
            lost += math.log2(sum(covers(cell, each) for each in values) / values.count(values[row]))
    return lost / most


rows = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from(["a", "b", "c"]), st.sampled_from("xyz")), min_size=6, max_size=25
)


@settings(max_examples=40)
@given(rows, st.sampled_from([sf.Mondrian(), sf.Hilbert(), sf.CellSuppression()]), st.integers(1, 4))
def test_it_is_the_definition(records, method, k):
    frame = pl.DataFrame(records, schema=["age", "city", "disease"], orient="row")
    table = sf.Table(frame, sf.Schema(quasi=["age", "city"], sensitive=["disease"], kinds={"age": "integer"}))
    if frame["age"].n_unique() == frame["city"].n_unique() == 1:
        return
    release = sf.publish(table, method, sf.KAnonymity(k), seed=1)
    assert sf.measure(release)["non_uniform_entropy"] == pytest.approx(by_definition(release, table))


def test_nothing_is_lost_by_the_truth_and_everything_by_stars():
    table = hospital(60).rows(slice(0, 60))
    one = sf.publish(table, sf.Mondrian(), sf.KAnonymity(1), seed=1)
    assert sf.measure(one)["non_uniform_entropy"] == pytest.approx(0.0, abs=1e-12)
    all_of_them = sf.publish(table, sf.BestFirst(), sf.KAnonymity(60), seed=1)
    assert sf.measure(all_of_them)["non_uniform_entropy"] == pytest.approx(1.0)


def test_a_split_by_column_and_withheld_records():
    table = hospital(200, seed=3)
    release = sf.publish(table, sf.BestFirst(max_suppressed=0.2), sf.KAnonymity(10), seed=1)
    found = sf.measure(release)
    split = found.by_column["non_uniform_entropy"]
    assert set(split) == set(table.schema.quasi)
    assert 0 < min(split.values()) <= found["non_uniform_entropy"] <= max(split.values()) <= 1 + 1e-12


def test_it_is_the_owners(tmp_path):
    release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    assert "non_uniform_entropy" not in sf.measure(release).public
    release.save(tmp_path / "out")
    assert "entropy" not in (tmp_path / "out" / "release.json").read_text()
    assert "Non-uniform" in (tmp_path / "owner" / "out" / "report.html").read_text()
    assert "Non-uniform" not in (tmp_path / "out" / "report.html").read_text()


def test_other_releases_have_none():
    table = hospital(100)
    others = [(sf.Hilbert(show="permutation"), sf.LDiversity(2)), (sf.Condensation(), sf.KAnonymity(5)),
              (sf.Mondrian(show="means"), sf.KAnonymity(5))]  # fmt: skip
    for method, promise in others:
        assert "non_uniform_entropy" not in sf.measure(sf.publish(table, method, promise, seed=1))
