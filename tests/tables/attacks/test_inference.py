"""Guessing by what a release teaches, about its members and about others."""

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError, SchemaError


def people(n, seed, strength=0.8):
    """Jobs tell of illnesses, and ages of nothing."""
    rng = np.random.default_rng(seed)
    job = rng.integers(0, 4, n)
    ill = np.where(rng.random(n) < strength, job, rng.integers(0, 4, n))
    frame = pl.DataFrame(
        {"age": rng.integers(20, 70, n), "job": [f"job {j}" for j in job], "ill": [f"ill {i}" for i in ill]}
    )
    return sf.Table(frame, sf.Schema(quasi=["age", "job"], sensitive=["ill"]))


def naive_bayes(frame, rows):
    """Guesses for the rows of a frame, trained on the whole of it."""
    prior = Counter(frame["ill"])
    n_ages, ages = frame["age"].n_unique(), sorted(set(frame["age"]))
    bin_of = {age: i * min(40, n_ages) // n_ages for i, age in enumerate(ages)}
    binned = [bin_of[age] for age in frame["age"]]
    by_age = Counter(zip(binned, frame["ill"], strict=True))
    by_job = Counter(zip(frame["job"], frame["ill"], strict=True))
    guesses = []
    for i in rows:
        score = {
            s: math.log(prior[s] + 1)
            + math.log((by_age[binned[i], s] + 1) / (prior[s] + min(40, n_ages) + 1))
            + math.log((by_job[frame["job"][i], s] + 1) / (prior[s] + frame["job"].n_unique() + 1))
            for s in prior
        }
        guesses.append(max(score, key=score.get))
    return guesses


def test_on_single_values_it_is_naive_bayes():
    table = people(300, 1)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    found = sf.attack(release, sf.InferenceAttack(), table)
    guesses = naive_bayes(table.frame, range(300))
    right = np.mean([a == b for a, b in zip(guesses, table.frame["ill"], strict=True)])
    assert found["right_before"].value == pytest.approx(right)
    assert found["right"].value > 0.7  # the release still teaches which job goes with which illness
    top = max(Counter(table.frame["ill"]).values()) / 300
    assert found["right"].baseline == pytest.approx(top)


def test_what_holds_of_everybody_is_no_excess():
    table, others = people(600, 2), people(600, 3)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(20), seed=1)
    for attack in (sf.InferenceAttack(control=others), sf.InferenceAttack()):
        found = sf.attack(release, attack, table)
        assert found["control"].value > 0.7
        assert found["excess"].value < 0.05
        assert found["excess"].low < 0


def test_what_holds_of_members_alone_is_excess():
    table, others = people(300, 4, strength=0), people(300, 5, strength=0)
    bare = sf.publish(table, sf.Mondrian(), sf.KAnonymity(1), seed=1)
    for attack in (sf.InferenceAttack("class", control=others), sf.InferenceAttack("class")):
        found = sf.attack(bare, attack, table)
        assert found["excess"].low > 0.2
        assert found["control"].value < 0.4


def test_two_tables_and_drawn_values_are_learnt_from_as_well():
    table = people(400, 6)
    release = sf.publish(table, sf.Anatomy(), sf.LDiversity(2), seed=1)
    assert sf.attack(release, sf.InferenceAttack(), table)["right"].value > 0.6
    means = sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(5), seed=1)
    assert sf.attack(means, sf.InferenceAttack(), table)["right"].value > 0.6


def test_the_control_has_no_value_where_the_original_would_have_none():
    frame = pl.DataFrame({"age": [30, 31, 50, 51] * 5, "ill": ["?", "?", "a", "a"] * 5})
    schema = sf.Schema(quasi=["age"], sensitive=["ill"], missing_values={"ill": ["?"]})
    table = sf.Table(frame, schema)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2))
    coded = sf.attack(release, sf.InferenceAttack(control=sf.Table(frame)), table, seed=1)
    plain = sf.attack(release, sf.InferenceAttack(control=sf.Table(table.frame)), table, seed=1)
    assert coded["control"].value == plain["control"].value


def test_the_control_may_hold_values_that_nobody_in_the_release_has():
    table = people(200, 7)
    others = sf.Table(
        pl.DataFrame({"age": [18, 99], "job": ["job 9", "job 1"], "ill": ["ill 9", "ill 1"]}), table.schema
    )
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    found = sf.attack(release, sf.InferenceAttack(control=others), table)
    assert found["control"].value == 0.5
    with pytest.raises(SchemaError, match="lacks the sensitive column"):
        sf.attack(release, sf.InferenceAttack(control=sf.Table(others.frame.drop("ill"))), table)
    with pytest.raises(ParameterError, match="learner must be one of"):
        sf.InferenceAttack("forest")
