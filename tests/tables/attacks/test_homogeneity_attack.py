"""What somebody learns who knows quasi-identifiers: certain values, excluded values, skewed and similar ones."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError


def table_of(classes, **schema):
    """One class a list: its records share an age."""
    rows = [(10 * i, value) for i, values in enumerate(classes) for value in values]
    frame = pl.DataFrame(rows, schema=["age", "ill"], orient="row")
    return sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["ill"], **schema))


def released(table, k):
    """The classes as they are."""
    return sf.publish(table, sf.Mondrian(), sf.KAnonymity(k), seed=1)


CLASSES = [["flu", "flu", "flu"], ["flu", "cold", "cold", "hiv"], ["hiv", "hiv", "cold"]]


def test_beliefs_are_shares_of_the_class():
    table = table_of(CLASSES)
    found = sf.attack(released(table, 3), sf.HomogeneityAttack(), table)
    own = [max(Counter(c)[v] / len(c), 0) for c in CLASSES for v in c]
    assert found["posterior"].value == pytest.approx(np.mean(own))
    assert found["certain"].value == pytest.approx(3 / 10)
    assert found["likeliest"].value == pytest.approx((3 + 2 + 2) / 10)
    shares = Counter(v for c in CLASSES for v in c)
    assert found["posterior"].baseline == pytest.approx(sum((n / 10) ** 2 for n in shares.values()))
    assert found["likeliest"].baseline == pytest.approx(0.4)
    assert found["posterior"].low < found["posterior"].value < found["posterior"].high


def test_excluding_the_commonest_others_is_the_worst_case():
    table = table_of(CLASSES)
    found = sf.attack(released(table, 3), sf.BackgroundKnowledgeAttack(1), table)
    by_hand = []
    for c in CLASSES:
        for v in c:
            others = sorted((n for w, n in Counter(c).items() if w != v), reverse=True)[1:]
            by_hand.append(Counter(c)[v] / (Counter(c)[v] + sum(others)))
    assert found["posterior"].value == pytest.approx(np.mean(by_hand))
    assert found["certain"].value == pytest.approx(6 / 10)
    none = sf.attack(released(table, 3), sf.BackgroundKnowledgeAttack(0), table)
    plain = sf.attack(released(table, 3), sf.HomogeneityAttack(), table)
    assert none["posterior"].value == pytest.approx(plain["posterior"].value)
    assert none["posterior"].baseline == pytest.approx(plain["posterior"].baseline)
    assert sf.attack(released(table, 3), sf.BackgroundKnowledgeAttack(2), table)["certain"].value == 1


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


def test_beliefs_by_groups_of_two_tables():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"age": rng.integers(0, 6, 41), "ill": rng.choice(list("PQRST"), 41)})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["ill"]))
    release = sf.publish(table, sf.Anatomy(), sf.LDiversity(3), seed=1)
    told = release.public["permutation"]
    listed = release.files[told["table"]].to_dicts()
    sizes = Counter(release.data.frame[told["group"]])
    own = []
    for person in frame.iter_rows(named=True):
        groups = [row[told["group"]] for row in release.data.frame.to_dicts() if row["age"] == person["age"]]
        share = [
            sum(e[told["count"]] for e in listed if e[told["group"]] == g and e["ill"] == person["ill"]) / sizes[g]
            for g in groups
        ]
        own.append(np.mean(share))
    assert len(set(sizes.values())) > 1
    assert sf.attack(release, sf.HomogeneityAttack(), table)["posterior"].value == pytest.approx(np.mean(own))


def test_skew_is_what_a_class_adds_to_the_table():
    table = table_of(CLASSES)
    found = sf.attack(released(table, 3), sf.SkewnessAttack(), table)
    shares = {"flu": 0.4, "cold": 0.3, "hiv": 0.3}
    apart, ratio, doubled = [], [], []
    for c in CLASSES:
        p = {v: Counter(c)[v] / len(c) for v in shares}
        apart += [sum(max(p[v] - shares[v], 0) for v in shares)] * len(c)
        ratio += [max(p[v] / shares[v] for v in shares)] * len(c)
        doubled += [p[v] >= 2 * shares[v] for v in c]
    assert found["distance"].value == pytest.approx(np.mean(apart))
    assert found["factor"].value == pytest.approx(np.mean(ratio))
    assert found["most"].value == pytest.approx(max(ratio))
    assert found["doubled"].value == pytest.approx(np.mean(doubled))


def test_three_low_salaries_are_similar():
    salaries = [[3, 4, 5], [6, 11, 8], [7, 9, 10]]  # Li, Li & Venkatasubramanian, table 3
    table = table_of(salaries)
    found = sf.attack(released(table, 3), sf.SimilarityAttack(), table)
    assert found["near"].value == pytest.approx(1 / 3)
    assert found["spread"].value == pytest.approx(np.mean([2 / 8, 5 / 8, 3 / 8]))
    assert found["spread"].baseline == 1


def test_diseases_of_the_stomach_are_similar():
    tree = sf.Hierarchy.from_paths(
        [["ulcer", "stomach", "*"], ["gastritis", "stomach", "*"], ["flu", "lung", "*"], ["cold", "lung", "*"]]
    )
    table = table_of([["ulcer", "gastritis", "ulcer"], ["flu", "ulcer", "cold"]], hierarchies={"ill": tree})
    found = sf.attack(released(table, 3), sf.SimilarityAttack(within=0.5), table)
    assert found["near"].value == 0.5
    assert found["near"].baseline == 0
    assert sf.attack(released(table, 3), sf.SimilarityAttack(within=0.1), table)["near"].value == 0


def test_values_without_order_are_never_near():
    table = table_of(CLASSES)
    with pytest.raises(ParameterError, match="neither an order nor a hierarchy"):
        sf.attack(released(table, 3), sf.SimilarityAttack(), table)


def test_of_the_nearest_rows_nothing_is_certain():
    rng = np.random.default_rng(2)
    table = sf.Table(
        pl.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80), "ill": rng.choice(list("PQR"), 80)}),
        sf.Schema(quasi=["a", "b"], sensitive=["ill"]),
    )
    release = sf.publish(table, sf.AdditiveNoise(scale=0.001), seed=1)
    found = sf.attack(release, sf.HomogeneityAttack(), table)
    assert "certain" not in found
    assert "certain" not in sf.attack(release, sf.BackgroundKnowledgeAttack(), table)
    assert found["posterior"].value > 0.95  # so little noise hides nobody
    far = sf.publish(table, sf.AdditiveNoise(scale=2.0), seed=1)
    assert sf.attack(far, sf.HomogeneityAttack(), table)["posterior"].value < 0.6


def test_subdomains_are_refused():
    table = table_of([["a", "b", "c"], ["a", "c", "b"]])
    release = sf.publish(table, sf.TargetDistribution(target="uniform"), seed=1)
    with pytest.raises(ParameterError, match="subdomains"):
        sf.attack(release, sf.HomogeneityAttack(), table)
    with pytest.raises(ParameterError, match="not sensitive"):
        sf.attack(released(table, 3), sf.HomogeneityAttack(sensitive="age"), table)
