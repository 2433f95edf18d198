"""What the knowledge of the method tells."""

import itertools

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError


def table_of(ages, ills):
    return sf.Table(pl.DataFrame({"age": ages, "ill": ills}), sf.Schema(quasi=["age"], sensitive=["ill"]))


WIDE = table_of([30, 30, 50, 50, 50, 50], ["hiv", "hiv", "flu", "cold", "ulcer", "gout"])


def test_a_class_that_was_not_cut_tells_why():
    release = sf.publish(WIDE, sf.Mondrian(), sf.LDiversity(2), seed=1)
    found = sf.attack(release, sf.MinimalityAttack(), WIDE)
    assert found["most_class"].value == pytest.approx(1 / 3)
    assert found["above_class"].value == 0
    assert found["most"].value == 1  # only two alike at 30 keep the class in one
    assert found["certain"].value == pytest.approx(2 / 6)
    assert found["posterior"].value == pytest.approx((2 * 1 + 4 / 4) / 6)
    assert found["above"].value == pytest.approx(2 / 6)
    assert "24 of 360 worlds, all" in str(found)


@pytest.mark.parametrize("seed", range(3))
def test_beliefs_equal_those_over_all_worlds(seed):
    rng = np.random.default_rng(seed)
    table = table_of(np.sort(rng.integers(1, 4, 6)), rng.permutation(list("aabbcd")))
    release = sf.publish(table, sf.Mondrian(), sf.LDiversity(2), seed=1)
    found = sf.attack(release, sf.MinimalityAttack(worlds=5_000), table)
    cells = dict(zip(release.owner.rows.tolist(), release.data.frame["age"].to_list(), strict=True))
    classes = {}
    for i in range(6):
        classes.setdefault(cells[i], []).append(i)
    true = table.frame["ill"].to_list()
    hits, n = np.zeros(6), 0
    dealt = [sorted(set(itertools.permutations([true[i] for i in members]))) for members in classes.values()]
    for world in itertools.product(*dealt):
        values = [""] * 6
        for members, own in zip(classes.values(), world, strict=True):
            for i, value in zip(members, own, strict=True):
                values[i] = value
        again = sf.publish(table_of(table.frame["age"], values), sf.Mondrian(), sf.LDiversity(2), seed=3)
        shown = dict(zip(again.owner.rows.tolist(), again.data.frame["age"].to_list(), strict=True))
        if shown == cells:
            n += 1
            hits += [a == b for a, b in zip(values, true, strict=True)]
    assert found["posterior"].value == pytest.approx((hits / n).mean())


def test_a_sample_of_worlds_comes_near():
    table = table_of([30, 30, 50, 50, 50, 50, 50], list("aabbccd"))
    release = sf.publish(table, sf.Mondrian(), sf.LDiversity(2), seed=1)
    some = sf.attack(release, sf.MinimalityAttack(worlds=350), table)  # of 630
    assert "350 worlds, drawn at random" in str(some)
    by_hand = (2 * 1 / 3 + 4 * (2 / 3) * (2 / 5) + 1 / 5) / 7
    assert some["posterior"].value == pytest.approx(by_hand, abs=0.04)
    with pytest.raises(ParameterError, match="too few to judge by"):
        sf.attack(release, sf.MinimalityAttack(worlds=30), table)


def test_where_it_tells_nothing_it_is_refused():
    k_only = sf.publish(WIDE, sf.Mondrian(), sf.KAnonymity(2), seed=1)
    with pytest.raises(ParameterError, match="says nothing of sensitive values"):
        sf.attack(k_only, sf.MinimalityAttack(), WIDE)
    drawn = sf.publish(table_of([1, 2, 3, 4, 5, 6], list("abcabc")), sf.Anatomy(), sf.LDiversity(2), seed=1)
    with pytest.raises(ParameterError, match="at random"):
        sf.attack(drawn, sf.MinimalityAttack(), table_of([1, 2, 3, 4, 5, 6], list("abcabc")))
    rng = np.random.default_rng(0)
    large = table_of(rng.integers(0, 99, 2_100), rng.choice(list("abcd"), 2_100))
    release = sf.publish(large, sf.Mondrian(), sf.LDiversity(2), seed=1)
    with pytest.raises(ParameterError, match="at most of 2,000"):
        sf.attack(release, sf.MinimalityAttack(), large)
