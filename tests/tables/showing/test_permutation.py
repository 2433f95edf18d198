"""Two tables joined by the number of a group: what is published, and what is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError
from support.permuted_tables import L3, PERMUTED, with_listed, without_owner
from support.tables_strategies import tables


@pytest.fixture(scope="module")
def table():
    return hospital(300)


@pytest.fixture(scope="module")
def release(table):
    return sf.publish(table, PERMUTED, L3, seed=5)


def published(table, promise, method=PERMUTED, seed=1):
    try:
        return sf.publish(table, method, promise, seed=seed)
    except InfeasibleError:
        return None


@settings(max_examples=60)
@given(
    tables(min_rows=2),
    st.sampled_from([sf.LDiversity(1), sf.LDiversity(2), sf.TCloseness(0.5), sf.LDiversity(1.5, columns=("disease",))]),
)
def test_every_release_is_true_and_verified(table, promise):
    release = published(table, promise)
    if release is None:
        return
    rows, frame, listed = release.owner.rows, release.data.frame, release.files["sensitive"]
    quasi, secret = table.schema.quasi, ["disease", "score"]
    assert frame.columns == [*quasi, "group"]
    assert frame.select(quasi).equals(table.frame.select(quasi)[rows])
    assert frame.select(quasi).schema == table.frame.select(quasi).schema
    assert listed.columns == ["group", *secret, "count"]
    assert listed.rows() == sorted(listed.rows())
    true = Counter(
        zip(frame["group"].to_list(), *(table.frame[name].gather(rows).to_list() for name in secret), strict=True)
    )
    assert {row[:-1]: row[-1] for row in listed.rows()} == dict(true)
    assert sorted(frame["group"].unique().to_list()) == list(range(listed["group"].n_unique()))
    for seen in (release, without_owner(release)):
        assert sf.verify(seen), sf.verify(seen)
        assert sf.verify(seen, table), sf.verify(seen, table)
        assert sf.measure(replace(seen, owner=None), n_queries=5)["attribute_max"] > 0
        assert sf.measure(seen, table, n_queries=5)["gcp"] == 0.0
    singles = frame.select(quasi).is_unique().any()
    assert sf.verify(release, promise=sf.KAnonymity(2)).holds == (not singles)


@pytest.mark.parametrize(
    "method", [sf.Hilbert(show="permutation"), sf.Mondrian(strict=False, show="permutation"), sf.Anatomy()]
)
def test_every_grouping_can_be_shown_so(table, method):
    release = sf.publish(table, method, L3, seed=2)
    assert sf.verify(release, table)
    assert release.files["sensitive"]["group"].n_unique() <= len(table) / 3
    assert sf.measure(release)["attribute_max"] <= 1 / 3


def test_missing_sensitive_values_are_values():
    frame = pl.DataFrame({"x": range(8), "s": [None, "a", None, "b", "c", None, "d", "e"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=1)
    assert release.files["sensitive"].filter(pl.col("s").is_null())["count"].sum() == 3
    assert sf.verify(release, table)
    wrong = with_listed(release, lambda st: st.with_columns(pl.col("s").fill_null("a")))
    assert not sf.verify(wrong, table)


def test_names_that_are_taken():
    frame = pl.DataFrame({
        "group": range(6), "group_2": range(6), "count": list("abcabc"), "low": range(6), "secret": range(6),
    })  # fmt: skip
    schema = sf.Schema(quasi=["group"], sensitive=["count"], plain=["low"], identifier=["group_2"])
    release = sf.publish(sf.Table(frame, schema), PERMUTED, L3, seed=3)
    assert release.public["permutation"] == {"group": "group_3", "count": "count_2", "table": "sensitive"}
    assert release.data.columns == ["group", "low", "group_3"]
    assert release.files["sensitive"].columns == ["group_3", "count", "count_2"]
    assert release.schema.sensitive == ["count"]
    assert release.schema.quasi == ["group"]
    assert sf.verify(release, sf.Table(frame, schema))


def test_columns_that_are_sensitive_by_default_are_not_published_with_the_rows():
    frame = pl.DataFrame({"x": range(6), "s": list("abcabc"), "other": range(6)})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"], rest="sensitive"))
    release = sf.publish(table, PERMUTED, L3, seed=3)
    assert release.data.columns == ["x", "group"]
    assert release.files["sensitive"].columns == ["group", "s", "other", "count"]


def test_numbers_of_groups_are_random():
    frame = pl.DataFrame({"x": range(40), "s": ["a", "b"] * 20})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    firsts, falls = [], []
    for seed in range(60):
        data = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=seed).data.frame.sort("x")
        n = data["group"].n_unique()
        along = data["group"].to_numpy()
        firsts.append(along[0] / (n - 1))
        falls.append(np.mean(np.diff(along[np.flatnonzero(np.append(True, np.diff(along) != 0))]) < 0))
    assert 0.35 < np.mean(firsts) < 0.65
    assert 0.4 < np.mean(falls) < 0.6
    assert len(set(firsts)) > 5


def test_a_seed_repeats_it(table, release):
    again = sf.publish(table, PERMUTED, L3, seed=5)
    assert again.data.frame.equals(release.data.frame)
    assert again.files["sensitive"].equals(release.files["sensitive"])
    other = sf.publish(table, PERMUTED, L3, seed=6)
    assert not other.files["sensitive"].equals(release.files["sensitive"])


def test_withheld_rows_are_in_neither_table():
    frame = pl.DataFrame({"x": [1, 2, 3, 4, None], "s": ["a", "b", "a", "b", "c"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"], missing="withhold"))
    release = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=1)
    assert "c" not in release.files["sensitive"]["s"].to_list()
    assert sf.verify(release, table)
    assert sf.verify(without_owner(release), table)
    found = sf.measure(release, table)
    assert found["withheld_rows"] == 1
    assert found["gcp"] == pytest.approx(0.2)
    assert found.by_column["ncp"] == {"x": pytest.approx(0.2)}


@pytest.mark.parametrize(
    "promise", [sf.KAnonymity(3), sf.Exchangeable(2), sf.MatchRank(2), sf.LDiversity(2) & sf.KAnonymity(2)]
)
def test_promises_on_who_is_who_are_refused_before_any_work(table, promise, monkeypatch):
    monkeypatch.setattr(sf.Mondrian, "groups", lambda *_: pytest.fail("work was done"))
    with pytest.raises(ParameterError, match="publishes the quasi-identifiers as they are, so nobody hides among k"):
        sf.publish(table, PERMUTED, promise)


def test_a_table_without_a_sensitive_column_is_refused(table):
    with pytest.raises(SchemaError, match="no column is declared sensitive; declare one, or show ranges"):
        sf.publish(sf.Table(table.frame, sf.Schema(quasi=["age"])), PERMUTED, sf.LDiversity(2))


def test_what_pandas_gave_comes_back_as_pandas(table):
    given = sf.Table(table.to_pandas(), table.schema)
    release = sf.publish(given, PERMUTED, L3, seed=1)
    assert list(release.data.to_native()["group"]) == release.data.frame["group"].to_list()


def test_zero_and_minus_zero_are_one_sensitive_value():
    frame = pl.DataFrame({"q": range(1, 9), "s": [0.0, -0.0, 1.0, 2.0, 0.0, -0.0, 3.0, 4.0]})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s"]))
    for seed in range(5):
        assert sf.publish(table, sf.Mondrian(show="permutation"), sf.LDiversity(2), seed=seed).verdict.holds
