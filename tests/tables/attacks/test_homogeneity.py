"""What the classes tell of a person's value: shares, and nothing where values are subdomains."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.attacked_classes import CLASSES, publish_classes, table_of


def test_beliefs_are_shares_of_the_class():
    table = table_of(CLASSES)
    found = sf.attack(publish_classes(table, 3), sf.HomogeneityAttack(), table)
    own = [max(Counter(c)[v] / len(c), 0) for c in CLASSES for v in c]
    assert found["posterior"].value == pytest.approx(np.mean(own))
    assert found["certain"].value == pytest.approx(3 / 10)
    assert found["likeliest"].value == pytest.approx((3 + 2 + 2) / 10)
    shares = Counter(v for c in CLASSES for v in c)
    assert found["posterior"].baseline == pytest.approx(sum((n / 10) ** 2 for n in shares.values()))
    assert found["likeliest"].baseline == pytest.approx(0.4)
    assert found["posterior"].low < found["posterior"].value < found["posterior"].high


def test_l_diversity_bounds_the_belief():
    rng = np.random.default_rng(1)
    table = sf.Table(
        pl.DataFrame({"age": rng.integers(0, 99, 200), "job": rng.choice(list("abc"), 200),
                      "ill": rng.choice(list("PQRSTU"), 200)}),
        sf.Schema(quasi=["age", "job"], sensitive=["ill"]),
    )  # fmt: skip
    for method in (sf.Mondrian(), sf.Anatomy(), sf.Mondrian(show="permutation")):
        release = sf.publish(table, method, sf.LDiversity(3), seed=1)
        found = sf.attack(release, sf.HomogeneityAttack(), table)
        assert found["posterior"].value <= 1 / 3 + 1e-9
        assert found["certain"].value == 0
        assert found["posterior_before"].value > 0.5


def test_subdomains_are_refused():
    table = table_of([["a", "b", "c"], ["a", "c", "b"]])
    release = sf.publish(table, sf.TargetDistribution(target="uniform"), seed=1)
    with pytest.raises(ParameterError, match="subdomains"):
        sf.attack(release, sf.HomogeneityAttack(), table)
    with pytest.raises(ParameterError, match="not sensitive"):
        sf.attack(publish_classes(table, 3), sf.HomogeneityAttack(sensitive="age"), table)
