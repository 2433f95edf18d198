"""No statistic is of fewer values than a group has records."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from sfumato.tables.condensing.sparse import pool_sparse_columns, pools_of
from sfumato.tables.condensing.statistics import statistics_of
from support.condensed_tables import with_values


def test_groups_with_few_values_are_joined_until_they_have_enough():
    counts = np.array([[5, 1, 0, 2], [2, 1, 0, 0], [2, 9, 0, 0], [1, 1, 1, 0], [5, 0, 0, 1]], dtype=float)
    assert pools_of(counts, 5.0).T.tolist() == [[0, 1, 1, 1, 4], [2, 2, 2, 2, 2], [-1] * 5, [-1] * 5]
    assert pools_of(np.array([[1.0], [4.0], [2.0], [3.0], [4.0]]), 5.0).T.tolist() == [[0, 0, 2, 2, 2]]


@given(st.integers(0, 10_000), st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_no_statistic_is_of_fewer_than_the_smallest_group(seed, least):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(8 * least, 2))
    numbers[rng.random(len(numbers)) < 0.6, 0] = np.nan
    starts = np.arange(0, len(numbers) + 1, least)
    found, too_few = pool_sparse_columns(statistics_of(numbers, np.arange(len(numbers)), starts), least)
    assert too_few.tolist() == [bool((~np.isnan(numbers[:, 0])).sum() < least), False]
    pool = pools_of(found.counts, float(least))[:, 0]
    group = np.repeat(np.arange(8), least)
    for p in set(pool.tolist()) - {-1}:
        values = numbers[pool[group] == p, 0]
        values = values[~np.isnan(values)]
        assert len(values) >= least
        assert found.means[pool == p, 0] == pytest.approx(values.mean())
        assert found.covariances[pool == p, 0, 0] == pytest.approx(values.var())
        if (pool == p).sum() > 1:
            assert not found.covariances[pool == p, 0, 1].any()


@pytest.mark.parametrize("keep_means", [False, True])
def test_the_value_of_one_is_not_published(keep_means):
    rng = np.random.default_rng(1)
    income = np.where(np.arange(60) < 40, rng.normal(3_000, 500, 60), np.nan)
    income[45] = 123_456.78
    frame = pl.DataFrame({"age": range(60), "income": income, "s": ["x", "y"] * 30}).fill_nan(None)
    table = sf.Table(frame, sf.Schema(quasi=["age", "income"], sensitive=["s"]))
    release = sf.publish(table, sf.Condensation(keep_means=keep_means), sf.KAnonymity(5), seed=1)
    assert release.verdict.holds
    assert not release.data.frame["income"].is_close(123_456.78, abs_tol=1.0).any()
    assert release.data.frame["income"].null_count() == 19
    group = release.owner.files["groups"]["group"]
    mine = release.owner.files["synthetic"]["group"] == group[45]
    shown = release.data.frame["income"]
    bare = with_values(
        release, "income", [123_456.78 if at and v is not None else v for at, v in zip(mine, shown, strict=True)]
    )
    assert not sf.verify(bare, table).holds


def test_a_column_with_fewer_values_than_a_group_has_records_is_refused():
    frame = pl.DataFrame({"a": range(6), "income": [123_456.78, *[None] * 5]})
    table = sf.Table(frame, sf.Schema(quasi=["a", "income"]))
    with pytest.raises(InfeasibleError, match="'income' has fewer values in all than the smallest group has records"):
        sf.publish(table, sf.Condensation(), sf.KAnonymity(6), seed=1)
