"""Gamma from published whole numbers: as the randomizers work it out, and as every report under every answer shows."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import collection
from sfumato.collection.randomizers.categories import CategoryRandomizer
from sfumato.collection.randomizers.randomizer import known_randomizers
from sfumato.ground.errors import DataError
from sfumato.published.collection.kernels import KERNELS, WHOLE, kernel_of
from support.enumerated_draws import gamma_by_enumeration
from support.surveys import EVERY_KIND


def gamma(randomizer):
    return kernel_of(randomizer.shipped).gamma(randomizer.shipped)


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_gamma_and_limits_are_those_of_the_randomizer(kind):
    randomizer = EVERY_KIND[kind]
    assert gamma(randomizer) == randomizer.privacy.gamma
    assert kernel_of(randomizer.shipped).limits(randomizer.shipped) == dict(randomizer.report_limits)


SMALL = {
    "kary": collection.KaryResponse(["a", "b", "c"], 1.3), "warner": collection.Warner(0.2),
    "unrelated": collection.UnrelatedQuestion(0.6, 0.3), "unary": collection.SymmetricUnaryEncoding(["a", "b", "c"], 0.7),
    "matrix": collection.MatrixResponse(["a", "b"], [[0.9, 0.1], [0.3, 0.7]]),
    "rappor": collection.Rappor(["a", "b", "c"], f=0.25), "hadamard": collection.HadamardResponse(["a", "b", "c"], 2.0),
    "bloom": collection.BloomRappor(["a", "b", "c"], bits=4, hashes=2, cohorts=2),
    "subset": collection.SubsetSelection(list("abcde"), 1.0, size=3),
}  # fmt: skip


@pytest.mark.parametrize("kind", SMALL)
def test_gamma_is_the_largest_ratio_over_all_reports(kind):
    """Every path of the draws is followed: exact. Of a filter it may be less than its hashes allow, and is exact here."""
    randomizer = SMALL[kind]
    assert gamma(randomizer) == gamma_by_enumeration(randomizer, range(randomizer.k))


EPSILON = st.floats(0.01, 8.0)
VALUES = st.integers(2, 12).map(lambda k: list(range(k)))


@settings(max_examples=40)
@given(VALUES, EPSILON, st.data())
def test_gamma_is_that_of_any_randomizer(values, epsilon, data):
    made = [
        collection.KaryResponse(values, epsilon), collection.SymmetricUnaryEncoding(values, epsilon),
        collection.OptimalUnaryEncoding(values, epsilon), collection.HadamardResponse(values, epsilon),
        collection.LocalHashing(values, epsilon, cells=data.draw(st.integers(2, 9))),
        collection.SubsetSelection(values, epsilon, size=data.draw(st.integers(1, len(values) - 1))),
        collection.Rappor(values, f=data.draw(st.floats(0.05, 0.95)), p=0.3, q=data.draw(st.floats(0.4, 0.95))),
        collection.Warner(data.draw(st.floats(0.01, 0.49))), collection.UnrelatedQuestion(data.draw(st.floats(0.05, 0.95)), 0.4),
    ]  # fmt: skip
    for randomizer in made:
        assert gamma(randomizer) == randomizer.privacy.gamma, randomizer


def test_a_filter_promises_no_less_than_it_says():
    for k in (5, 20, 40):
        randomizer = collection.BloomRappor(list(range(k)), bits=16, hashes=2, cohorts=6)
        assert 1 < gamma(randomizer) <= randomizer.privacy.gamma


def test_what_gives_an_answer_away_has_no_gamma():
    assert gamma(collection.UnrelatedQuestion(0.7, 0.0)) is None
    assert gamma(collection.MatrixResponse(["a", "b"], [[1.0, 0.0], [0.3, 0.7]])) is None
    assert KERNELS["kary"].gamma({"stays": WHOLE, "values": ["a", "b"]}) is None
    assert KERNELS["unary"].gamma({"mine": WHOLE, "other": 5, "values": ["a", "b"]}) is None
    assert KERNELS["rappor"].gamma({"half": 0, "zero": 0, "one": 5, "values": ["a", "b"]}) is None


def test_a_threshold_below_chance_tells_as_much_as_one_above():
    assert KERNELS["warner"].gamma({"stays": WHOLE // 4, "values": ["a", "b"]}) == 3
    assert KERNELS["hadamard"].gamma({"plus": WHOLE // 5, "columns": 4, "values": ["a", "b"]}) == Fraction(
        WHOLE - WHOLE // 5, WHOLE // 5
    )
    assert KERNELS["subset"].gamma({"inside": 0, "size": 1, "values": ["a", "b", "c"]}) is None


def test_every_randomizer_of_categories_can_be_checked():
    names = {type(each).__name__ for each in (*EVERY_KIND.values(), *SMALL.values())}
    assert names >= {name for name, cls in known_randomizers().items() if issubclass(cls, CategoryRandomizer)}
    assert set(KERNELS) == set(EVERY_KIND)


WRONG = {
    "kary": [{"stays": -1}, {"stays": WHOLE + 1}, {"stays": 0.5}, {"stays": True}, {"stays": None}, {"values": ["a"]},
             {"values": "ab"}, {"values": [1, "1"]}, {"values": [[1], [2]]}],
    "warner": [{"stays": "x"}, {"values": ["a", "b", "c"]}],
    "unrelated": [{"asked": -5}, {"unrelated": WHOLE + 5}],
    "matrix": [{"sums": None}, {"sums": []}, {"sums": [[1, WHOLE], [5, 4]]}, {"sums": [[1, WHOLE], [5, WHOLE - 1]]},
               {"sums": [[-1, WHOLE], [5, WHOLE]]}, {"sums": [[1, WHOLE]]}, {"sums": [1, 2]}],
    "unary": [{"mine": 2**60}, {"other": None}],
    "rappor": [{"half": WHOLE}, {"zero": 1.0}],
    "bloom": [{"bits": 0}, {"sets": []}, {"sets": [[[0]]]}, {"sets": [[[0], [1], [99], [0], [1]]]}, {"sets": 3}],
    "hadamard": [{"columns": 7}, {"columns": 4}, {"columns": 2**60}, {"plus": -1}],
    "hashing": [{"prime": 2**40}, {"cells": 1}, {"stays": -1}, {"values": []}],
    "subset": [{"size": 0}, {"size": 5}, {"inside": -1}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "wrong"), [(kind, each) for kind, several in WRONG.items() for each in several], ids=repr
)
def test_what_is_no_randomizer_is_refused_in_a_sentence(kind, wrong):
    said = EVERY_KIND[kind].shipped | wrong
    kernel = kernel_of(said)
    with pytest.raises(DataError):
        _ = kernel.gamma(said), kernel.limits(said)


@pytest.mark.parametrize("said", [None, {}, {"kind": "other"}, {"kind": ["kary"]}, "kary"])
def test_a_kind_that_nobody_knows_cannot_be_checked(said):
    with pytest.raises(DataError, match="cannot be checked here"):
        kernel_of(said)
