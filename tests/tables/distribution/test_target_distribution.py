"""TargetDistribution from table to release: what is published, what is refused, and that it reads back."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.data.hierarchy import Hierarchy
from sfumato.ground.errors import DataError
from sfumato.privacy.promise import as_fraction, promise_from_dict
from sfumato.published.tables.subdomains import read_subdomains
from support.distribution_tables import FIGURE_1, TABLE, random_table, table_of
from support.naive_distribution import can_match, total_variation

ROOT, LOW, HIGH = "[30, 60]", "[30, 40]", "[50, 60]"


def published(table, method, promise=None, seed=1):
    """A release that was checked against the original in every way."""
    release = sf.publish(table, method, promise, seed=seed)
    assert release.verdict.holds
    assert sf.verify(release)
    assert sf.verify(release, table)
    assert sf.verify(replace(release, owner=None), table)
    kept = release.data.frame.drop("group")
    assert kept.equals(table.frame[release.owner.rows].select(kept.columns))
    return release


def by_group(release, label=None):
    """Of every group its subdomains as text; by the value its rows have in a column."""
    frame, told = release.data.frame, release.public["target"]
    names = dict(frame.select("group", label).iter_rows()) if label else {}
    found = {}
    for row in release.files["sensitive"].iter_rows(named=True):
        found.setdefault(names.get(row["group"], row["group"]), Counter())[row[told["shown"]]] = row["count"]
    return found


def costs(release):
    """The sum of ranges that the release shows."""
    table = release.files["sensitive"]
    return float((table["count"] * (table["high"] - table["low"])).sum())


def checked(release, table, within=0):
    """Every group of a release against the definitions, from the published tables alone and with the owner's map."""
    seen = read_subdomains(release.data.frame, release.files, release.public)
    places = {value: place for place, value in enumerate(seen.values.to_list())}
    own = [places[value] for value in table.frame[seen.column].gather(release.owner.rows).to_list()]
    for g in range(seen.n_groups):
        part = slice(seen.starts[g], seen.starts[g + 1])
        entries = zip(seen.first[part].tolist(), seen.last[part].tolist(), seen.count[part].tolist(), strict=True)
        subdomains = {(a, b): c for a, b, c in entries}
        assert total_variation(subdomains, seen.weights[seen.target_of_group[g]]) <= within
        assert can_match([own[i] for i in np.flatnonzero(seen.group_of_row == g)], subdomains)
    return seen


# -- the paper's table ---------------------------------------------------------------------------------------------
def test_figure_2():
    release = published(TABLE, sf.TargetDistribution(groups="area"))
    assert by_group(release, "area") == {
        "911": Counter({"30": 1, "40": 1, "50": 1, "60": 1}),
        "912": Counter({LOW: 1, HIGH: 1, ROOT: 1}),
        "913": Counter({LOW: 1, HIGH: 1, ROOT: 2}),
    }
    assert release.promise == sf.PPrivate("uniform")
    assert set(release.data.frame.columns) == {"zipcode", "gender", "area", "group"}
    assert release.files["domain"].rows() == [(0, 30), (1, 40), (2, 50), (3, 60)]


def test_one_fake_of_60_makes_the_second_group_exact():
    release = published(TABLE, sf.TargetDistribution(groups="area", fakes=1, group_size=1))
    found = by_group(release, "area")
    assert found["912"] == Counter({"30": 1, "40": 1, "50": 1, "60": 1})
    assert found["911"] == Counter({"30": 1, "40": 1, "50": 1, "60": 1})
    assert "more than there are rows" in " ".join(release.verdict.decisions)


def test_the_whole_table_as_one_group():
    release = published(TABLE, sf.TargetDistribution())
    assert by_group(release) == {0: Counter({"30": 2, "40": 2, "50": 2, "60": 2, ROOT: 1, LOW: 1, HIGH: 1})}
    assert release.data.frame["group"].unique().to_list() == [0]


def test_the_table_itself_as_a_target_needs_no_generalization():
    release = published(TABLE, sf.TargetDistribution("table"))
    assert by_group(release) == {0: Counter({"30": 2, "40": 3, "50": 2, "60": 4})}


def test_each_group_as_its_own_target_needs_none_either():
    release = published(TABLE, sf.TargetDistribution("group", groups="area", group_size=3))
    assert costs(release) == 0
    assert by_group(release, "area")["913"] == Counter({"40": 1, "60": 3})


def test_splitting_forms_groups_of_equal_quasi_identifiers():
    release = published(TABLE, sf.TargetDistribution(groups="area", split=True))
    frame = release.data.frame
    assert frame.group_by("group").agg(pl.struct("zipcode", "gender", "area").n_unique())["zipcode"].max() == 1
    assert frame["group"].n_unique() == frame.select("zipcode", "gender", "area").n_unique() == 10


def test_split_groups_keep_the_target_of_the_group_they_are_cut_from():
    table = random_table()
    release = published(table, sf.TargetDistribution("group", groups="town", split=True, group_size=1))
    seen = checked(release, table)
    assert len(seen.weights) == 3
    town = release.data.frame.group_by("group").agg(pl.col("town").first()).sort("group")["town"].to_list()
    for target, place in {(t, n) for t, n in zip(seen.target_of_group.tolist(), town, strict=True)}:
        counts = np.bincount(table.frame.filter(pl.col("town") == place)["pay"].to_numpy() - 1, minlength=8)
        weights = seen.weights[target]
        assert (weights * counts.sum() == counts * weights.sum()).all()


# -- groups, targets, domains --------------------------------------------------------------------------------------
@pytest.mark.parametrize("groups", [None, "town", "age", sf.Hilbert(), sf.Mondrian()])
@pytest.mark.parametrize("split", [False, True])
def test_any_grouping_is_p_private(groups, split):
    table = random_table()
    release = published(table, sf.TargetDistribution(groups=groups, split=split, group_size=7))
    checked(release, table)
    if groups is not None and not isinstance(groups, str) and not split:
        sizes = release.data.frame.group_by("group").len()["len"]
        assert sizes.min() >= 7
        assert len(sizes) > 1


TARGETS = [
    sf.Target.uniform(),
    sf.Target.table(),
    sf.Target.group(),
    sf.Target.histogram({1: 3, 2: 1, 8: 2}),
    sf.Target.histogram(dict.fromkeys(range(1, 9), 0.125)),
    sf.Target.normal(4, 2),
    sf.Target.zipf(1),
    sf.Target.each("town", {"a": "uniform", "b": "table", "c": sf.Target.histogram({1: 1, 5: 1})}),
    sf.Target.each("town", {"a": "group", "b": "group", "c": {"name": "zipf", "s": 0}}),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.kind)
@pytest.mark.parametrize(("within", "fakes"), [(0.0, 0), (0.1, 0), (0.0, 3), (0.1, 0.2)])
def test_any_target_is_followed(target, within, fakes):
    table = random_table()
    release = published(table, sf.TargetDistribution(target, groups="town", within=within, fakes=fakes))
    seen = checked(release, table, as_fraction(within))
    most = fakes if fakes >= 1 else (fakes * seen.sizes).astype(int)
    assert (seen.list_lengths - seen.sizes >= 0).all()
    assert (seen.list_lengths - seen.sizes <= most).all()


def test_a_tolerance_costs_no_more_and_is_promised():
    table = random_table()
    exact = published(table, sf.TargetDistribution("table", groups="town"))
    loose = published(table, sf.TargetDistribution("table", groups="town", within=0.1))
    assert costs(loose) < costs(exact)
    assert loose.promise == sf.PPrivate("table", within=0.1)
    assert 0 < loose.verdict.reached[repr(loose.promise)] <= 0.1


def test_the_promises_tolerance_goes_before_the_methods():
    table = random_table()
    method = sf.TargetDistribution("table", groups="town", within=0.3)
    release = published(table, method, sf.PPrivate("table", within=0.05))
    checked(release, table, as_fraction(0.05))
    assert release.promise == sf.PPrivate("table", within=0.05)


def test_ranges_cost_less_where_the_tree_does_not_fit():
    frame = pl.DataFrame({"x": range(4), "s": [1, 2, 2, 3]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    nodes, ranges = (
        published(table, sf.TargetDistribution(domain=[1, 2, 3, 4], subdomains=how)) for how in ("nodes", "ranges")
    )
    assert (costs(nodes), costs(ranges)) == (8, 6)
    assert by_group(ranges) == {0: Counter({"1": 1, "[2, 4]": 3})}


def test_the_domain_is_what_occurs_or_whole_numbers_or_a_list():
    frame = pl.DataFrame({"x": [1, 1, 2, 2], "s": [2, 5, 5, 9]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    bounded = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"], bounds={"s": (0, 10)}))

    def domain(table, given):
        return published(table, sf.TargetDistribution(domain=given)).files["domain"]["value"].to_list()

    assert domain(table, None) == [2, 5, 9]
    assert domain(table, "integers") == [2, 3, 4, 5, 6, 7, 8, 9]
    assert domain(bounded, "integers") == list(range(11))
    assert domain(table, [9, 5, 2, 7]) == [2, 5, 7, 9]
    assert domain(table, (2, 5, 9, 11)) == [2, 5, 9, 11]


def test_a_wider_tree():
    table = random_table(values=9)
    release = published(table, sf.TargetDistribution(arity=3))
    ends = set(release.files["sensitive"].select("first", "last").iter_rows())
    assert ends <= {(a, a) for a in range(9)} | {(0, 2), (3, 5), (6, 8), (0, 8)}


def test_a_category_with_a_hierarchy_is_shown_by_its_labels():
    paths = [
        ("flu", "lungs", "ill"),
        ("cold", "lungs", "ill"),
        ("ulcer", "belly", "ill"),
        ("gastritis", "belly", "ill"),
    ]
    frame = pl.DataFrame({"x": range(5), "s": ["flu", "flu", "ulcer", "cold", "flu"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"], hierarchies={"s": Hierarchy.from_paths(paths)}))
    release = published(table, sf.TargetDistribution(sf.Target.histogram({"flu": 1, "cold": 1, "ulcer": 2})))
    assert by_group(release) == {0: Counter({"ill": 3, "lungs": 1, "ulcer": 1})}


def test_a_category_without_one_is_shown_as_sets():
    frame = pl.DataFrame({"x": range(4), "s": ["b", "a", "c", "a"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = published(table, sf.TargetDistribution(domain=["c", "b", "a", "d"]))
    assert release.files["domain"]["value"].to_list() == ["c", "b", "a", "d"]
    assert by_group(release) == {0: Counter({"c": 1, "b": 1, "{a, d}": 2})}


def test_numbers_with_an_owners_intervals():
    widths = Hierarchy.intervals([2, 4], low=1, high=9)
    table = random_table(hierarchies={"pay": widths})
    release = published(table, sf.TargetDistribution(groups="town"))
    checked(release, table)
    ends = set(release.files["sensitive"].select("first", "last").iter_rows())
    allowed = {(a, a) for a in range(8)} | {(0, 1), (2, 3), (4, 5), (6, 7), (0, 3), (4, 7), (0, 7)}
    assert ends <= allowed
    assert len(ends) > 8


def test_ordinals_are_ranges_of_their_order():
    frame = pl.DataFrame({"x": range(4), "s": ["low", "low", "high", "mid"]})
    order = ["low", "mid", "high", "top"]
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"], orders={"s": order}))
    release = published(table, sf.TargetDistribution())
    assert release.files["domain"]["value"].to_list() == order
    assert by_group(release) == {0: Counter({"[low .. top]": 2, "[low .. mid]": 1, "[high .. top]": 1})}
    checked(published(table, sf.TargetDistribution(subdomains="ranges")), table)


def test_dates():
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 2, 1), dt.date(2020, 3, 1)]
    frame = pl.DataFrame({"x": range(6), "s": [days[i] for i in (0, 1, 1, 2, 3, 0)]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = published(table, sf.TargetDistribution())
    assert release.files["domain"]["value"].to_list() == days
    assert by_group(release)[0] == Counter(
        {"2020-01-01": 1, "2020-01-02": 1, "2020-02-01": 1, "2020-03-01": 1, "[2020-01-01, 2020-03-01]": 2}
    )
    assert published(table, sf.TargetDistribution(domain=[*days, dt.date(2020, 4, 1)])).files["domain"].height == 5


def test_dates_of_a_recipe_are_texts():
    frame = pl.DataFrame({"x": [1, 2], "s": [dt.date(2020, 1, 1), dt.date(2020, 1, 5)]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    method = sf.TargetDistribution(domain=["2020-01-01", "2020-01-05", "2020-01-09"])
    assert published(table, method).files["domain"].height == 3


def test_fractions_and_whole_numbers_of_any_size():
    frame = pl.DataFrame({"x": range(4), "s": [0.5, 0.25, 1e12, -3.0]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    assert published(table, sf.TargetDistribution()).files["domain"]["value"].to_list() == [-3.0, 0.25, 0.5, 1e12]


def test_missing_quasi_identifiers_are_values_like_others():
    frame = pl.DataFrame({"x": [None, None, 1, 1, 2, None], "town": [None, "a", "a", None, "a", None],
                          "s": [1, 2, 1, 2, 1, 2]})  # fmt: skip
    table = sf.Table(frame, sf.Schema(quasi=["x", "town"], sensitive=["s"]))
    by_town = published(table, sf.TargetDistribution(groups="town"))
    assert by_town.data.frame.group_by("group").agg(pl.col("town").n_unique())["town"].to_list() == [1, 1]
    split = published(table, sf.TargetDistribution(split=True))
    assert split.data.frame["group"].n_unique() == 5


def test_rows_that_lack_a_value_are_withheld_where_that_is_declared():
    frame = FIGURE_1.with_columns(salary=pl.when(pl.col("name") == "Leo").then(None).otherwise("salary"))
    schema = sf.Schema(identifier=["name"], quasi=["zipcode", "gender"], plain=["area"], sensitive=["salary"],
                       missing={"salary": "withhold"})  # fmt: skip
    table = sf.Table(frame, schema)
    release = sf.publish(table, sf.TargetDistribution(groups="area"), seed=1)
    assert len(release.data) == 10
    assert release.public["withheld_rows"] == 1
    assert sf.verify(release, table)


def test_names_that_are_taken_are_not_used_twice():
    frame = pl.DataFrame({"group": [1, 2, 3, 4], "count": [1, 1, 2, 2], "first": [5, 6, 5, 6]})
    table = sf.Table(frame, sf.Schema(quasi=["group", "count"], sensitive=["first"]))
    release = sf.publish(table, sf.TargetDistribution(groups="count"), seed=1)
    assert sf.verify(release, table)
    assert "group_2" in release.data.frame.columns
    assert release.data.frame.select("group", "count").equals(frame[release.owner.rows].select("group", "count"))


# -- what readers must not learn -----------------------------------------------------------------------------------
def test_a_seed_repeats_the_bytes_and_another_changes_them():
    table, method = random_table(), sf.TargetDistribution("group", groups="age", fakes=2, within=0.05, group_size=1)
    one, same, other = (sf.publish(table, method, seed=seed) for seed in (1, 1, 2))
    assert one.data.frame.equals(same.data.frame)
    assert all(one.files[name].equals(same.files[name]) for name in one.files)
    assert one.owner.rows.tolist() == same.owner.rows.tolist()
    assert one.owner.rows.tolist() != other.owner.rows.tolist()
    ages = [dict(release.data.frame.select("age", "group").iter_rows()) for release in (one, other)]
    assert ages[0] != ages[1]


def test_numbers_and_order_do_not_follow_the_data():
    frame = pl.DataFrame(
        {"x": np.repeat(np.arange(30), 4), "s": np.tile([1, 2, 3, 3], 30) + np.repeat(np.arange(30), 4)}
    )
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, sf.TargetDistribution("group", groups="x", group_size=1), seed=3)
    number = release.data.frame.unique("x").sort("x")["group"].to_numpy()
    assert sorted(number.tolist()) == list(range(30))
    target = dict(release.files["groups"].iter_rows())
    for order in (number, np.array([target[g] for g in number]), release.owner.rows[: len(table)]):
        assert abs(np.corrcoef(order, np.arange(len(order)))[0, 1]) < 0.5
        assert np.unique(np.diff(order)).size > 5


def test_the_published_tables_are_sorted_and_hold_no_more_than_they_need():
    release = published(random_table(), sf.TargetDistribution("table", groups="age", fakes=1))
    sensitive = release.files["sensitive"]
    assert sensitive.columns == ["group", "pay", "first", "last", "low", "high", "count"]
    assert sensitive.equals(sensitive.sort("group", "first", "last"))
    assert release.files["groups"]["group"].is_sorted()
    assert set(release.files) == {"sensitive", "domain", "targets", "groups"}
    assert "pay" not in release.data.frame.columns
    assert "seed" not in json.dumps({**release.public, **release.method}, default=str)


# -- recipes and folders -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "method",
    [
        sf.TargetDistribution(),
        sf.TargetDistribution("table", groups="town", fakes=0.25, within=0.1, split=True, subdomains="ranges"),
        sf.TargetDistribution(sf.Target.normal(4, 2), groups=sf.Hilbert(), group_size=5, arity=3, domain="integers"),
        sf.TargetDistribution(TARGETS[7], groups="town", domain=[1, 2, 3, 4, 5, 6, 7, 8]),
    ],
)
def test_recipes_read_back(method):
    given = json.loads(json.dumps(method.to_dict()))
    again = method_from_dict(given)
    assert again.to_dict() == method.to_dict()
    table = random_table()
    one, other = (sf.publish(table, how, seed=9) for how in (method, again))
    assert one.data.frame.equals(other.data.frame)
    assert one.files["sensitive"].equals(other.files["sensitive"])
    promise = json.loads(json.dumps(one.promise.to_dict()))
    assert promise_from_dict(promise) == one.promise == other.promise


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_a_saved_release_is_verified_by_anybody(tmp_path, format):
    table = random_table()
    release = sf.publish(table, sf.TargetDistribution(TARGETS[7], groups="town", fakes=2), seed=1)
    folder = release.save(tmp_path / "out", format=format, report=False)
    loaded = sf.load_release(folder)
    assert loaded.promise == release.promise
    assert sf.verify(loaded)
    assert sf.verify(loaded, table)
    assert sf.verify(replace(loaded, owner=None), table)
    for name, frame in release.files.items():
        assert loaded.files[name].equals(frame)
    assert loaded.data.frame.equals(release.data.frame)
    other = sf.Table(table.frame.with_columns(pay=pl.lit(3, dtype=pl.Int64)), table.schema)
    assert not sf.verify(loaded, other)


def test_dates_and_ordinals_are_saved_too(tmp_path):
    frame = pl.DataFrame({"x": range(4), "s": pl.Series([dt.date(2020, 1, day) for day in (1, 1, 2, 9)])})
    dates = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(dates, sf.TargetDistribution(sf.Target.normal(18262, 5)), seed=1)
    assert sf.verify(sf.load_release(release.save(tmp_path / "dates", report=False)), dates)
    words = sf.Table(frame.with_columns(s=pl.Series(["lo", "hi", "hi", "lo"])),
                     sf.Schema(quasi=["x"], sensitive=["s"], orders={"s": ["lo", "mid", "hi"]}))  # fmt: skip
    release = sf.publish(words, sf.TargetDistribution(), seed=1)
    assert sf.verify(sf.load_release(release.save(tmp_path / "words", report=False)), words)


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
