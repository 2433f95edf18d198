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
