"""The domain of a sensitive column: beside a hierarchy, listed, and refused in one sentence."""

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError, SchemaError
from support.distribution_tables import table_of


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
