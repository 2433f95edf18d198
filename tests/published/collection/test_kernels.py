"""Gamma from published whole numbers: as the randomizers work it out, and as every report under every answer shows."""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import collection
from sfumato.collection.randomizers.randomizer import known_randomizers
from sfumato.ground.errors import DataError, ParameterError
from sfumato.published.collection.kernel_parts import WHOLE
from sfumato.published.collection.kernels import KERNELS, kernel_of
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
    "duchi": collection.Duchi(0, 1, 1.5, steps=4), "piecewise": collection.Piecewise(0, 1, 1.0, steps=3),
    "hybrid": collection.Hybrid(0, 1, 2.0, steps=3), "uniform": collection.UniformNoise(0, 1, margin=0.5, steps=4),
}  # fmt: skip


@pytest.mark.parametrize("kind", SMALL)
def test_gamma_is_the_largest_ratio_over_all_reports(kind):
    """Every path of the draws is followed: exact. Of a filter it may be less than its hashes allow, and is exact here."""
    randomizer = SMALL[kind]
    assert gamma(randomizer) == gamma_by_enumeration(randomizer, range(n_answers(randomizer)))


def n_answers(randomizer):
    return getattr(randomizer, "k", 0) or randomizer.steps + 1


@settings(max_examples=25)
@given(st.floats(0.2, 6.0), st.integers(1, 40))
def test_gamma_is_that_of_any_randomizer_of_numbers(epsilon, steps):
    for kind in (
        collection.Duchi,
        collection.Piecewise,
        collection.Hybrid,
        collection.LaplaceNoise,
        collection.Staircase,
    ):
        try:
            randomizer = kind(low=0, high=1, epsilon=epsilon, steps=steps)
        except ParameterError:
            continue
        assert gamma(randomizer) == randomizer.privacy.gamma, randomizer
        assert kernel_of(randomizer.shipped).limits(randomizer.shipped) == dict(randomizer.report_limits)


def naive_noise(said):
    """The law of the noise of a Laplace randomizer, by walking through all that its draws can be."""
    law, digits = Counter(), said["digits"]
    for bits in itertools.product((0, 1), repeat=len(digits)):
        weight, size = Fraction(1), sum(bit << i for i, bit in enumerate(bits))
        for bit, threshold in zip(bits, digits, strict=True):
            weight *= Fraction(threshold if bit else WHOLE - threshold, WHOLE)
        again = Fraction(said["again"], WHOLE)
        for periods in range(said["most"] + 1):
            stops = again**periods * (1 - again if periods < said["most"] else 1)
            drawn = size + (periods << len(digits))
            law[drawn] += weight * stops * Fraction(said["up"], WHOLE)
            law[-drawn - 1] += weight * stops * Fraction(WHOLE - said["up"], WHOLE)
    return law


def naive_gamma(noise, steps, least, most):
    """The largest ratio over all reports and all pairs of answers, each law written out."""
    laws = []
    for code in range(steps + 1):
        law = Counter()
        for drawn, weight in noise.items():
            law[min(max(code + drawn, least), most)] += weight
        laws.append(law)
    worst_ratio = Fraction(1)
    for report in range(least, most + 1):
        under = [law[report] for law in laws]
        if max(under) and not min(under):
            return None
        if max(under):
            worst_ratio = max(worst_ratio, max(under) / min(under))
    return worst_ratio


THRESHOLD = st.integers(0, WHOLE) | st.integers(1, 7).map(lambda eighths: eighths * WHOLE // 8)


@given(st.lists(THRESHOLD, max_size=3), THRESHOLD, st.integers(1, 3), THRESHOLD, st.integers(0, 12), st.integers(1, 5))
def test_gamma_of_any_noise_is_that_of_all_reports_under_all_answers(digits, again, most, up, reach, steps):
    said = {"kind": "laplace", "digits": digits, "again": again, "most": most, "up": up, "reach": reach, "steps": steps}
    assert kernel_of(said).gamma(said) == naive_gamma(naive_noise(said), steps, -reach, steps + reach)


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


def test_every_randomizer_can_be_checked():
    names = {type(each).__name__ for each in (*EVERY_KIND.values(), *SMALL.values())}
    assert names == set(known_randomizers())
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
    "hashing": [{"prime": 2**40}, {"prime": 2**31}, {"cells": 1}, {"stays": -1}, {"values": []}],
    "subset": [{"size": 0}, {"size": 5}, {"inside": -1}],
    "duchi": [{"first": 2**53}, {"rise": -1}, {"steps": 0}, {"steps": 10**6}],
    "piecewise": [{"cells": 0}, {"moves": -1}, {"inside": None}],
    "hybrid": [{"coin": -1}, {"duchi": None}, {"piecewise": {}}, {"duchi": {"steps": 3, "first": 1, "rise": 1}}],
    "laplace": [{"digits": None}, {"digits": [-1]}, {"digits": [1] * 40}, {"most": 0}, {"most": 10**9}, {"reach": -1},
                {"reach": 2**39}, {"digits": [], "most": 2**17 - 1}, {"digits": [1] * 10**6}],
    "staircase": [{"n_high": 0}, {"n_high": 11}, {"part": 0.5}, {"digits": [1] * 14}, {"digits": [], "most": 10_000}],
    "uniform": [{"reach": None}, {"steps": True}],
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


def test_large_sets_and_filters_are_checked_within_seconds():
    """A release that takes minutes to check is not checked at all."""
    k = 1 << 19
    said = {"kind": "subset", "values": list(range(k)), "size": k // 2, "inside": WHOLE // 2}
    started = time.perf_counter()
    assert kernel_of(said).gamma(said) == 1
    assert len(kernel_of(said).limits(said)) == k // 2
    wide = {"kind": "bloom", "half": 5, "zero": 5, "one": 9, "bits": 5_000, "values": list(range(5_000))}
    with pytest.raises(DataError, match="too many to be compared"):
        kernel_of(wide).gamma(wide | {"sets": [[[0]] * 5_000]})
    assert time.perf_counter() - started < 20


@given(st.integers(2, 40), st.integers(1, 2**53 - 1), st.data())
def test_gamma_of_sets_is_that_of_the_numbers_of_sets(k, inside, data):
    size = data.draw(st.integers(1, k - 1))
    said = {"kind": "subset", "values": list(range(k)), "size": size, "inside": inside}
    one, other = Fraction(inside, math.comb(k - 1, size - 1)), Fraction(WHOLE - inside, math.comb(k - 1, size))
    assert kernel_of(said).gamma(said) == max(one / other, other / one)
