"""Targets: weights over a domain, in whole numbers, and reading back what was written."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.privacy.target import PARTS, Target, weights_of_density

TEXTS, NUMBERS = ["1", "2", "4", "8"], np.array([1.0, 2.0, 4.0, 8.0])

EVERY = [
    Target.uniform(),
    Target.table(),
    Target.group(),
    Target.histogram({"flu": 3, "cold": 2.5, "ulcer": 0}),
    Target.normal(mean=10, sd=2.5),
    Target.zipf(s=1.2),
    Target.each("town", {"a": "uniform", 2: Target.zipf(1), "c": {"name": "normal", "mean": 1, "sd": 2}}),
]


def shares(target, own=None):
    weights = target.weights(TEXTS, NUMBERS, own)
    assert weights.dtype == np.int64
    return [Fraction(int(w), int(weights.sum())) for w in weights]


@pytest.mark.parametrize("target", EVERY, ids=lambda target: target.kind)
def test_plain_data_read_back(target):
    given = json.loads(json.dumps(target.to_dict()))
    assert Target.of(given) == target
    assert Target.of(target) is target
    assert hash(Target.of(given)) == hash(target)
    assert eval(repr(target), {"Target": Target}) == target


def test_names_alone():
    assert [Target.of(name) for name in ("uniform", "table", "group")] == EVERY[:3]
    assert sf.Target is Target


def test_uniform_and_the_records_own():
    assert Target.uniform().weights(TEXTS, None).tolist() == [1, 1, 1, 1]
    own = np.array([6, 0, 3, 9])
    for target in (Target.table(), Target.group()):
        assert target.weights(TEXTS, None, own).tolist() == [2, 0, 1, 3]
        assert target.by_data
    assert Target.each("a", {"x": "uniform", "y": "group"}).by_data
    assert not any(target.by_data for target in (EVERY[0], *EVERY[3:]))


def test_a_histogram_is_exact_and_in_lowest_terms():
    assert Target.histogram({1: 2, "4": 6}).weights(TEXTS, None).tolist() == [1, 0, 3, 0]
    assert Target.histogram({1: 0.1, 2: 0.2, 8: 0.7}).weights(TEXTS, None).tolist() == [1, 2, 0, 7]
    assert Target.histogram({1: 1 / 3, 2: 2 / 3, 4: 0}).weights(TEXTS, None).tolist() == [1, 2, 0, 0]
    assert Target.histogram({1: 1, "nothing": 0}).weights(TEXTS, None).tolist() == [1, 0, 0, 0]
    assert Target.histogram({4.0: 1, 2: 1}).weights(TEXTS, None).tolist() == [0, 1, 1, 0]


def test_a_histogram_of_many_digits_is_rounded():
    given = {1: 0.123457, 2: 0.234571, 4: 0.345679, 8: 0.299993}
    weights = Target.histogram({value: weight * 1e7 + 1 / 999_983 for value, weight in given.items()}).weights(
        TEXTS, None
    )
    total = sum(given.values())
    assert int(weights.sum()) <= 10**12
    assert np.abs(weights / weights.sum() - np.array(list(given.values())) / total).max() < 2 / PARTS


def test_a_histogram_of_small_shares_keeps_them():
    assert Target.histogram({1: 1e-7, 2: 1e-7}).weights(TEXTS, None).tolist() == [1, 1, 0, 0]


def test_a_normal_is_its_density():
    weights = Target.normal(3, 2).weights(TEXTS, NUMBERS)
    density = np.exp(-((NUMBERS - 3) ** 2) / 8)
    assert weights.sum() == PARTS
    assert np.abs(weights / PARTS - density / density.sum()).max() < 1 / PARTS
    assert weights.argmax() in (1, 2)


@pytest.mark.parametrize(("mean", "sd"), [(1e6, 1), (-1e9, 1e-3), (0, 1e-200)])
def test_a_normal_far_from_every_value_is_still_a_distribution(mean, sd):
    weights = Target.normal(mean, sd).weights(TEXTS, NUMBERS)
    assert weights.sum() == PARTS
    assert (weights >= 0).all()


def test_zipf_goes_by_rank():
    weights = Target.zipf(1).weights(TEXTS, None)
    harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4
    assert weights.sum() == PARTS
    assert np.abs(weights / PARTS - np.array([1, 1 / 2, 1 / 3, 1 / 4]) / harmonic).max() < 1 / PARTS
    assert len(set(shares(Target.zipf(0)))) == 1
    assert Target.zipf(5000).weights(TEXTS, None).tolist() == [PARTS, 0, 0, 0]


def test_rounding_keeps_the_sum_and_is_less_than_one_off():
    rng = np.random.default_rng(2)
    for _ in range(50):
        density = rng.exponential(size=rng.integers(1, 300)) ** 3
        weights = weights_of_density(density)
        assert weights.sum() == PARTS
        ideal = density * (PARTS / density.sum())
        assert np.abs(weights - ideal).max() < 1
        up = weights > ideal
        assert (ideal % 1)[up].min(initial=1) >= (ideal % 1)[~up].max(initial=0)  # the largest remainders


def test_each_label_has_its_own():
    target = EVERY[6]
    assert target.for_label("2") == Target.zipf(1)
    assert Target.uniform().for_label("anything") == Target.uniform()
    with pytest.raises(ParameterError, match="no target is given for 'z' in column 'town'; add one"):
        target.for_label("z")


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Target.of("unifrom"), "no target is called 'unifrom'; did you mean 'uniform'"),
        (lambda: Target.of({}), "no target is called ''"),
        (lambda: Target.of({"name": "zipf"}), "the target 'zipf' takes s, got none of it"),
        (lambda: Target.of({"name": "zipf", "s": 1, "t": 2}), "the target 'zipf' takes s, got s, t"),
        (lambda: Target.of("normal"), "target 'normal'"),
        (lambda: Target.of(None), "target"),
        (lambda: Target.of(3), "target"),
        (lambda: Target.histogram({}), "names values and their weights"),
        (lambda: Target.histogram([1, 2]), "names values and their weights"),
        (lambda: Target.histogram({"a": -1}), "the weight of 'a' must be a number >= 0, got -1"),
        (lambda: Target.histogram({"a": math.inf}), "the weight of 'a'"),
        (lambda: Target.histogram({"a": math.nan}), "the weight of 'a'"),
        (lambda: Target.histogram({"a": True}), "the weight of 'a'"),
        (lambda: Target.histogram({"a": "1"}), "the weight of 'a'"),
        (lambda: Target.histogram({"a": 0, "b": 0}), "a weight above 0"),
        (lambda: Target.normal("a", 1), "mean must be a number"),
        (lambda: Target.normal(1, math.inf), "sd must be a number"),
        (lambda: Target.normal(1, 0), "sd must be above 0"),
        (lambda: Target.zipf(-1), "s must be a number >= 0"),
        (lambda: Target.zipf(math.nan), "s must be a number >= 0"),
        (lambda: Target.each("a", {}), "takes a column and a target"),
        (lambda: Target.each(3, {"x": "uniform"}), "takes a column and a target"),
        (lambda: Target.each("a", {"x": EVERY[6]}), "must be a single distribution"),
        (lambda: Target.each("a", {"x": "nothing"}), "no target is called"),
        (lambda: Target.normal(1, 1).weights(TEXTS, None), "needs a column of numbers"),
        (lambda: Target.histogram({"9": 1}).weights(TEXTS, None), "gives '9' a weight, and no record has that value"),
    ],
)
def test_mistakes_are_named(make, match):
    with pytest.raises(ParameterError, match=match):
        make()
