"""What TargetDistribution refuses, in one sentence each."""

from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf
from sfumato.data.hierarchy import Hierarchy
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, SchemaError, SfumatoError
from support.distribution_tables import FIGURE_1, SCHEMA, TABLE, random_table


def refused(error, match, table, method, promise=None):
    with pytest.raises(error, match=match) as caught:
        sf.publish(table, method, promise, seed=1)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300


def test_one_sensitive_column_is_published():
    two = random_table(quasi=["age"], sensitive=["pay", "town"])
    refused(SchemaError, "publishes one sensitive column, and town, pay are declared", two, sf.TargetDistribution())
    none = random_table(quasi=["age"], sensitive=[])
    refused(SchemaError, "none is declared sensitive", none, sf.TargetDistribution())


def test_missing_sensitive_values_have_no_place():
    frame = FIGURE_1.with_columns(salary=pl.when(pl.col("name") == "Leo").then(None).otherwise("salary"))
    table = sf.Table(frame, SCHEMA)
    refused(DataError, "column 'salary' has 1 missing values.*withhold", table, sf.TargetDistribution())


def test_other_promises_and_targets_are_refused():
    method = sf.TargetDistribution()
    refused(ParameterError, r"keeps PPrivate alone, not KAnonymity\(k=2\)", TABLE, method, sf.KAnonymity(2))
    both = sf.PPrivate("uniform") & sf.LDiversity(2)
    refused(ParameterError, "keeps PPrivate alone, not LDiversity", TABLE, method, both)
    refused(ParameterError, "give one target", TABLE, method, sf.PPrivate("table"))
    refused(InfeasibleError, "publish with TargetDistribution", TABLE, sf.Mondrian(), sf.PPrivate("uniform"))


def test_the_domain_must_hold_every_value():
    refused(ParameterError, "column 'salary' holds '60', which is not in the domain", TABLE,
            sf.TargetDistribution(domain=[30, 40, 50]))  # fmt: skip
    refused(ParameterError, "'60', which is not in the domain", TABLE, sf.TargetDistribution(domain=[30, 40, 50, 70]))
    low = sf.Table(FIGURE_1, sf.Schema(quasi=["area"], sensitive=["salary"], bounds={"salary": (30, 90)}))
    assert sf.publish(low, sf.TargetDistribution(domain="integers")).files["domain"].height == 61


@pytest.mark.parametrize(
    ("domain", "match"),
    [("numbers", "domain must be 'integers'"), ([], "every value of column 'salary' once"),
     ([30, 30, 40, 50, 60], "once"), (["a", "b"], "must list values of column 'salary'"),
     ([30, None, 40, 50, 60], "once"), ([30.5, 40.0, 50.0, 60.0], "must list values of column 'salary'")],
)  # fmt: skip
def test_domains_that_are_none(domain, match):
    refused(ParameterError, match, TABLE, sf.TargetDistribution(domain=domain))


def test_a_domain_is_a_list_or_a_word():
    with pytest.raises(ParameterError, match="domain must list values or be 'integers', got 7"):
        sf.TargetDistribution(domain=7)


def test_domains_of_other_kinds_of_column():
    category = sf.Table(FIGURE_1, sf.Schema(quasi=["area"], sensitive=["gender"]))
    refused(ParameterError, "domain must be 'integers'", category, sf.TargetDistribution(domain="integers"))


def test_a_domain_is_not_passed_over_where_the_order_gives_one():
    ordinal = sf.Table(FIGURE_1, sf.Schema(quasi=["area"], sensitive=["gender"], orders={"gender": ["F", "M"]}))
    with pytest.raises(ParameterError, match="domain"):
        sf.publish(ordinal, sf.TargetDistribution(domain="integers"))


def test_far_too_many_whole_numbers():
    frame = pl.DataFrame({"x": [1, 2], "s": [1, 3_000_000]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    refused(
        ParameterError, "3,000,000 whole numbers between 1 and 3000000", table, sf.TargetDistribution(domain="integers")
    )


def test_groups_are_formed_by_published_columns():
    for column in ("salary", "name", "nothing"):
        refused(SchemaError, f"groups names the column '{column}', which is not published", TABLE,
                sf.TargetDistribution(groups=column))  # fmt: skip
    refused(SchemaError, "did you mean 'gender'", TABLE, sf.TargetDistribution(groups="gendr"))
    lone = sf.Table(FIGURE_1, sf.Schema(plain=["area"], sensitive=["salary"]))
    refused(SchemaError, "no column is declared quasi", lone, sf.TargetDistribution(groups=sf.Hilbert()))
    refused(SchemaError, "no column is declared quasi", lone, sf.TargetDistribution(split=True))
    refused(
        DataError, "groups of 12 cannot be formed", TABLE, sf.TargetDistribution(groups=sf.Hilbert(), group_size=12)
    )


def test_targets_must_fit_the_column_and_the_groups():
    each = sf.Target.each("area", {"911": "uniform", "912": "table"})
    refused(ParameterError, "no target is given for '913' in column 'area'", TABLE,
            sf.TargetDistribution(each, groups="area"))  # fmt: skip
    refused(ParameterError, "the target goes by column 'area', and groups by None", TABLE, sf.TargetDistribution(each))
    refused(ParameterError, "gives '70' a weight, and no record has that value", TABLE,
            sf.TargetDistribution(sf.Target.histogram({70: 1})))  # fmt: skip
    category = sf.Table(FIGURE_1, sf.Schema(quasi=["area"], sensitive=["gender"]))
    refused(ParameterError, "needs a column of numbers", category, sf.TargetDistribution(sf.Target.normal(1, 1)))
    refused(ParameterError, "needs values in an order", category, sf.TargetDistribution(subdomains="ranges"))


def test_a_hierarchy_of_numbers_must_keep_their_order():
    paths = [("30", "a", "*"), ("60", "a", "*"), ("40", "b", "*"), ("50", "b", "*")]
    schema = sf.Schema(quasi=["area"], sensitive=["salary"], hierarchies={"salary": Hierarchy.from_paths(paths)})
    refused(SchemaError, "does not keep its values in order", sf.Table(FIGURE_1, schema), sf.TargetDistribution())


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"fakes": -1}, "fakes must be"), ({"fakes": 1.5}, "fakes must be"), ({"fakes": True}, "fakes must be"),
        ({"fakes": "2"}, "fakes must be"), ({"within": 1}, "within must be"), ({"within": -0.1}, "within must be"),
        ({"within": "a"}, "within must be"), ({"within": float("nan")}, "within must be"),
        ({"group_size": 0}, "group_size must be a whole number >= 1"), ({"group_size": 2.0}, "group_size must be"),
        ({"arity": 1}, "arity must be a whole number >= 2"), ({"arity": True}, "arity must be"),
        ({"split": 1}, "split must be true or false"), ({"subdomains": "sets"}, "'nodes' or 'ranges'"),
        ({"groups": 3}, "groups must be a column"), ({"groups": sf.TargetDistribution()}, "groups must be a column"),
        ({"groups": {"name": "Hilbertt"}}, "Hilbert"), ({"target": "unifrom"}, "no target is called 'unifrom'"),
    ],
)  # fmt: skip
def test_bad_parameters_say_what_is_right(given, match):
    with pytest.raises(SfumatoError, match=match):
        sf.TargetDistribution(**given)


@pytest.mark.parametrize(
    "given", [{"fakes": float("nan")}, {"fakes": float("inf")}, {"target": None}, {"target": 5}, {"target": ["table"]}]
)
def test_parameters_of_another_world_are_refused_in_words(given):
    with pytest.raises(ParameterError, match=next(iter(given))):
        sf.TargetDistribution(**given)
