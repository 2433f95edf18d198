"""What a hostile reader found, each with the case that showed it."""

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import DataError, ParameterError, SchemaError


def table_of(frame, **schema):
    return sf.Table(pl.DataFrame(frame), sf.Schema(**schema))


def with_target(release, **changes):
    return replace(release, public={**release.public, "target": {**release.public["target"], **changes}})


def test_small_groups_are_given_no_tolerance_and_no_fakes():
    people = table_of(
        {"person": list(range(20)), "hiv": ["no"] * 18 + ["yes"] * 2}, quasi=["person"], sensitive=["hiv"]
    )
    rare = sf.Target.histogram({"no": 9, "yes": 1})
    alone = sf.publish(people, sf.TargetDistribution(rare, split=True, within=0.15, fakes=1), seed=1)
    assert set(alone.files["sensitive"]["hiv"]) == {"{no, yes}"}
    assert alone.files["sensitive"]["count"].to_list() == [1] * 20
    open_handed = sf.publish(people, sf.TargetDistribution(rare, split=True, within=0.15, group_size=1), seed=1)
    assert set(open_handed.files["sensitive"]["hiv"]) == {"no", "{no, yes}"}
    together = sf.publish(people, sf.TargetDistribution(rare, within=0.15), seed=1)
    assert dict(together.files["sensitive"].select("hiv", "count").iter_rows()) == {"no": 18, "yes": 2}


def test_the_own_distribution_of_a_small_group_is_no_target():
    table = table_of({"q": ["a"] * 12 + ["b"], "s": [1, 2] * 6 + [1]}, quasi=["q"], sensitive=["s"])
    with pytest.raises(DataError, match="a group has 1 row, and its own distribution as the target would tell"):
        sf.publish(table, sf.TargetDistribution("group", groups="q"))
    assert sf.publish(table, sf.TargetDistribution("table", groups="q")).verdict


def test_targets_of_each_group_go_by_the_promised_column():
    frame = {"area": ["a"] * 4 + ["b"] * 4, "note": ["x", "y"] * 4, "pay": [1, 2, 3, 4, 1, 1, 2, 2]}
    table = table_of(frame, quasi=["area"], plain=["note"], sensitive=["pay"])
    each = {"x": "uniform", "y": {"name": "histogram", "shares": {2: 1, 4: 1}}}
    release = sf.publish(table, sf.TargetDistribution(sf.Target.each("note", each), groups="note"), seed=1)
    promised = sf.PPrivate(sf.Target.each("area", {"a": "uniform", "b": "uniform"}))
    assert not sf.verify(release, promise=promised)
    assert not sf.verify(with_target(release, target=promised.distribution.to_dict()), promise=promised)
    assert not sf.verify(with_target(release, target=promised.distribution.to_dict()), table, promise=promised)


@pytest.mark.parametrize("seed", range(4))
def test_every_group_that_follows_the_table_is_compared_with_it(seed):
    table = table_of({"q": list("abc") * 4, "s": [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("uniform", groups="q"), seed=seed)
    claimed = sf.Target.each("q", {"a": "uniform", "b": "table", "c": "table"})
    false = with_target(release, target=claimed.to_dict())
    assert not sf.verify(false, table, promise=sf.PPrivate(claimed))


def test_the_table_has_one_distribution():
    table = table_of({"q": ["a"] * 4 + ["b"] * 4, "s": [1, 1, 2, 2, 1, 2, 2, 2]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("group", groups="q", group_size=2), seed=1)
    false = with_target(release, target={"name": "table"})
    assert not sf.verify(false, promise=sf.PPrivate("table"))


def test_the_domain_is_of_the_kind_of_its_column():
    table = table_of({"q": [1, 1, 2, 2], "s": [1.2, 2.7, 1.2, 2.7]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("uniform"), seed=1)
    domain = release.files["domain"].with_columns(pl.col("value").cast(pl.Int64))
    plain = release.files["sensitive"].drop("s", "low", "high")
    cut = replace(release, files={**release.files, "domain": domain, "sensitive": plain})
    assert not sf.verify(cut, table)
    for dtype in (pl.String, pl.Categorical):
        other = replace(
            release,
            files={
                **release.files,
                "sensitive": plain,
                "domain": domain.with_columns(pl.col("value").cast(pl.String).cast(dtype, strict=False)),
            },
        )
        assert not sf.verify(other)
        assert not sf.verify(other, table)
    times = table_of(
        {"q": [1, 2], "s": [dt.datetime(2024, 1, 1, 9), dt.datetime(2024, 1, 2, 9)]}, quasi=["q"], sensitive=["s"]
    )
    days = sf.publish(times, sf.TargetDistribution("uniform"), seed=1)
    dated = days.files["domain"].with_columns(pl.col("value").cast(pl.Date))
    false = replace(
        days, files={**days.files, "domain": dated, "sensitive": days.files["sensitive"].drop("s", "low", "high")}
    )
    assert not sf.verify(false, times)


def test_other_promises_do_not_hold_for_want_of_a_check():
    table = table_of({"q": [1, 2, 3, 4], "s": [1, 2, 1, 2]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("uniform"), seed=1)
    assert not sf.verify(release, table, promise=sf.AccuracyBound(0.0001))
    assert not sf.verify(release, table, promise=sf.MatchRank(5))
    assert not sf.verify(release, table, promise=sf.KAnonymity(2))


def test_a_target_that_nobody_follows_is_out_of_place():
    table = table_of({"q": [1, 2], "s": [1, 2]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("uniform"), seed=1)
    more = pl.concat([release.files["targets"], pl.DataFrame({"target": [1], "place": [0], "weight": [987654321]})])
    verdict = sf.verify(replace(release, files={**release.files, "targets": more}))
    assert "some target is published that no group follows" in verdict.broken


def test_a_domain_beside_a_hierarchy():
    tree = sf.Hierarchy.from_paths([("a", "vowel", "*"), ("e", "vowel", "*"), ("b", "consonant", "*")])
    frame = {"q": [1, 2, 3], "s": ["a", "e", "b"]}
    table = sf.Table(pl.DataFrame(frame), sf.Schema(quasi=["q"], sensitive=["s"], hierarchies={"s": tree}))
    assert sf.publish(table, sf.TargetDistribution("uniform", domain=["a", "e", "b"])).verdict
    assert sf.publish(table, sf.TargetDistribution("uniform")).verdict


def test_categories_may_be_listed_as_they_are():
    table = table_of({"q": [1, 2], "s": [True, False]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("uniform", domain=[True, False]))
    assert release.files["domain"]["value"].to_list() == ["true", "false"]


def test_sentences_in_place_of_tracebacks():
    huge = 10**400
    for make in (
        lambda: sf.Target.normal(huge, 1),
        lambda: sf.Target.zipf(huge),
        lambda: sf.Target.histogram({1: huge}),
    ):
        with pytest.raises(ParameterError, match="past 10\\^300"):
            make()
    with pytest.raises(ParameterError, match="names the value '1' twice"):
        sf.Target.histogram({1: 1, "1": 9})
    small = pl.DataFrame({"q": [1, 2], "s": pl.Series([1, 2], dtype=pl.Int8)})
    bounded = sf.Schema.of([sf.Column(name="q", role="quasi"), sf.Column(name="s", role="sensitive", low=-5, high=200)])
    release = sf.publish(sf.Table(small, bounded), sf.TargetDistribution("uniform", domain="integers"))
    assert release.files["domain"].height == 206
    for leaf, message in (("300", None), ("x", "names values that are no integer")):
        tree = sf.Hierarchy.from_paths([("1", "*"), ("2", "*"), (leaf, "*")])
        schema = sf.Schema(quasi=["q"], sensitive=["s"], hierarchies={"s": tree}, kinds={"s": "integer"})
        if message is None:
            assert sf.publish(sf.Table(small, schema), sf.TargetDistribution("uniform")).verdict
        else:
            with pytest.raises(SchemaError, match=message):
                sf.publish(sf.Table(small, schema), sf.TargetDistribution("uniform"))
    numbers = table_of({"q": [1, 2], "s": [1.5, 2.5]}, quasi=["q"], sensitive=["s"])
    with pytest.raises(ParameterError, match="domain must list finite numbers"):
        sf.publish(numbers, sf.TargetDistribution("uniform", domain=[1.5, 2.5, np.inf]))
