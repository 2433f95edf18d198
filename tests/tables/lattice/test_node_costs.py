"""What a node costs is what is measured of its release."""

import polars as pl
import pytest

import sfumato as sf
from support.searched_lattices import At


@pytest.mark.parametrize(("root", "cost"), [("anything", 0.0), ("*", 1.0)])
def test_a_column_of_one_value_costs_what_is_measured(root, cost):
    one_leaf = sf.Hierarchy.from_paths([("a", root)])
    table = sf.Table(pl.DataFrame({"c": ["a", "a"]}), sf.Schema(quasi=["c"], hierarchies={"c": one_leaf}))
    method = At((1,))
    assert method.search(table, sf.KAnonymity(2)).cost == cost
    assert sf.measure(sf.publish(table, method, sf.KAnonymity(2), seed=1), table)["gcp"] == cost


def test_a_level_costs_what_it_shows_and_not_what_the_data_fill_of_it():
    tens = sf.Hierarchy.intervals([5, 10, 20], low=0, high=40)
    table = sf.Table(pl.DataFrame({"age": [11, 12, 13, 1, 6, 7]}), sf.Schema(quasi=["age"], hierarchies={"age": tens}))
    release = sf.publish(table, sf.BestFirst(), sf.KAnonymity(2), seed=1)
    assert sf.measure(release, table)["gcp"] == sf.BestFirst().search(table, sf.KAnonymity(2)).cost == 0.25


def test_the_loss_is_one_less_than_the_leaves_shown_alike_over_one_less_than_all():
    lines = [("u", "unknown", "unknown", "*"), ("a", "ab", "abc", "*"), ("b", "ab", "abc", "*"), ("c", "c", "abc", "*")]
    table = sf.Table(
        pl.DataFrame({"c": ["u", "u", "a", "b"], "d": [1, 1, 1, 1]}),
        sf.Schema(quasi=["c", "d"], hierarchies={"c": sf.Hierarchy.from_paths(lines)}),
    )
    costs = [At((level, 0), measure="loss").search(table, sf.KAnonymity(1)).cost for level in range(4)]
    assert costs == pytest.approx([0, 2 * (1 / 3) / 8, 2 * (2 / 3) / 8, 1 / 2])
    assert At((0, 0), 0.5, measure="loss").search(table, sf.KAnonymity(2)).cost == 0.5  # two of four rows withheld


def test_the_loss_counts_what_a_level_itself_shows_alike():
    lines = [("a", "x", "y", "*"), ("b", "y", "y", "*"), ("c", "*", "*", "*")]
    table = sf.Table(
        pl.DataFrame({"c": ["a", "b", "c"]}), sf.Schema(quasi=["c"], hierarchies={"c": sf.Hierarchy.from_paths(lines)})
    )
    cost = {m: At((1,), measure=m).search(table, sf.KAnonymity(1)).cost for m in ("loss", "gcp")}
    assert cost == pytest.approx({"loss": 0, "gcp": (2 / 3 + 1) / 3})
