"""The invented hospital: realistic enough to try everything on."""

from __future__ import annotations

import time

import polars as pl
import pytest

from sfumato.datasets import hospital
from sfumato.ground.errors import ParameterError


@pytest.fixture(scope="module")
def table():
    return hospital(20_000)


def test_same_seed_same_table(table):
    assert hospital(300, seed=5).frame.equals(hospital(300, seed=5).frame)
    assert not hospital(300, seed=5).frame.equals(hospital(300, seed=6).frame)
    assert hospital().frame.height == 2_000


def test_schema(table):
    assert table.schema.identifier == ["name", "mrn"]
    assert table.schema.quasi == ["age", "sex", "zip", "marital", "education", "admitted"]
    assert table.schema.sensitive == ["diagnosis"]
    assert table.undeclared == []
    kinds = {name: table.schema.column(name).kind for name in table.schema.quasi}
    assert set(kinds.values()) == {"integer", "category", "ordinal", "date"}
    with_hierarchy = [name for name in table.schema.quasi if table.schema.column(name).hierarchy is not None]
    assert with_hierarchy == ["zip", "marital", "admitted"]


def test_values(table):
    frame = table.frame
    assert frame["mrn"].n_unique() == len(table)
    assert frame["age"].min() >= 0
    assert frame["age"].max() <= 104
    assert frame["zip"].drop_nulls().str.len_chars().unique().to_list() == [5]
    assert frame["zip"].str.starts_with("0").any()
    assert frame["stay_days"].min() >= 1
    assert frame["cost"].min() > 0
    missing = {name: frame[name].null_count() / len(table) for name in frame.columns if frame[name].null_count()}
    assert set(missing) == {"age", "zip", "marital", "education"}
    assert all(0.001 < share < 0.08 for share in missing.values())


def test_diagnoses_allow_three_diversity(table):
    shares = table.frame["diagnosis"].value_counts(normalize=True)["proportion"]
    assert len(shares) == 16
    assert shares.max() < 1 / 4
    assert shares.min() > 0.005
    assert shares.max() > 8 * shares.min()  # skewed


def test_columns_depend_on_each_other(table):
    frame = table.frame
    by = frame.group_by("diagnosis").agg(pl.col("age").mean(), (pl.col("sex") == "female").mean())
    age = dict(zip(by["diagnosis"], by["age"], strict=True))
    women = dict(zip(by["diagnosis"], by["sex"], strict=True))
    assert age["hip fracture"] > age["appendicitis"] + 20
    assert women["prostate cancer"] == 0
    assert women["breast cancer"] > 0.95
    widowed = frame.group_by("marital").agg(pl.col("age").mean()).filter(pl.col("marital") == "widowed")["age"][0]
    assert widowed > frame["age"].mean() + 8
    assert frame.select(pl.corr("stay_days", "cost")).item() > 0.5
    children = frame.filter(pl.col("age") < 10)
    assert set(children["marital"].drop_nulls()) == {"single"}
    assert set(children["smoker"]) == {"no"}


def test_what_is_published_untouched_does_not_give_the_diagnosis_away(table):
    top = table.frame.group_by("department", "diagnosis").len()
    share = top.group_by("department").agg(pl.col("len").max() / pl.col("len").sum())["len"].max()
    assert share < 0.3


@pytest.mark.parametrize("n", [1, 2, 7])
def test_tiny_tables(n):
    for seed in range(30):
        assert len(hospital(n, seed=seed)) == n


def test_no_rows_are_refused():
    with pytest.raises(ParameterError, match="n must be at least 1, got 0"):
        hospital(0)


@pytest.mark.slow
def test_speed():
    start = time.perf_counter()
    hospital(200_000)
    assert time.perf_counter() - start < 5
