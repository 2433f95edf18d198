"""Partial supports: unbiased, with the covariance that is told, pooled over sizes, and intervals that hold."""

from fractions import Fraction

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.reconstruction.item_kernel import cut_and_paste_law
from sfumato.collection.reconstruction.partial_supports import PartialSupports, PooledNoise, kernels_of, pool
from support.enumerated_draws import report_law

QUARTERS, FIFTH = (Fraction(1, 4),) * 4, Fraction(1, 5)
TRUTH = np.array([0.5, 0.3, 0.2])
SIZES = collection.SelectASize(
    items=tuple("abcdefgh"), keep=[[0.2, 0.8], [0.1, 0.3, 0.6], [0.1, 0.2, 0.3, 0.4]], rho=0.1
)  # fmt: skip
ANSWERS = (
    [["a"]] * 3 + [["c"]] * 5 + [["a", "b"]] * 6 + [["a", "c"]] * 2 + [["b", "c"]] * 2 + [["c", "d"]] * 4
    + [["a", "b", "c"]] * 4 + [["b", "c", "d"]] * 14
)  # fmt: skip
"""40 sets of three sizes: 10 of them have both a and b, 21 one of the two, 9 none; 15 have a, none has e."""


def test_vector_k3_supports_and_their_variance():
    kernels = kernels_of((2,), {3: QUARTERS}, FIFTH)
    assert kernels[3].law @ TRUTH == pytest.approx([38 / 75, 113 / 300, 7 / 60], abs=1e-15)
    found = PartialSupports(("a", "b"), kernels, {3: np.array([152, 113, 35])})
    assert found.shares == pytest.approx(TRUTH, abs=1e-12)
    assert found.support.value == pytest.approx(0.2, abs=1e-12)
    assert found.n * found.support.stderr**2 == pytest.approx(113 / 65, abs=1e-9)
    assert found.covariance().sum(axis=1) == pytest.approx(np.zeros(3), abs=1e-12)


def test_vector_k5_the_variance_of_cut_and_paste():
    kernels = kernels_of((2,), {3: cut_and_paste_law(3, 2, FIFTH)}, FIFTH)
    noise = PooledNoise(kernels, pool(kernels, {3: np.array([50, 30, 20])}))
    assert noise.covariance(TRUTH)[2, 2] == pytest.approx(1507 / 160, abs=1e-9)
    assert noise.variances(TRUTH)[2] == pytest.approx(1507 / 160, abs=1e-9)


def test_sampled_people_add_the_variance_of_their_draw():
    kernels, counts = kernels_of((2,), {3: QUARTERS}, FIFTH), {3: np.array([152, 113, 35])}
    fixed, sampled = (PartialSupports(("a", "b"), kernels, counts, each) for each in ("fixed", "sampled"))
    added = (np.diag(TRUTH) - np.outer(TRUTH, TRUTH)) / 300
    assert sampled.covariance() == pytest.approx(fixed.covariance() + added, abs=1e-12)


def test_sets_smaller_than_the_itemset_cannot_have_it():
    half = (Fraction(1, 2), Fraction(1, 2))
    kernels = kernels_of((2,), {1: half}, FIFTH)
    found = PartialSupports(("a", "b"), kernels, {1: np.array([520, 410, 70])})
    assert found.shares[2] == 0.0
    assert found.support.stderr == 0.0
    assert kernels[1].undo[:2] @ kernels[1].law == pytest.approx(np.eye(2), abs=1e-12)
    assert found.shares.sum() == pytest.approx(1.0)


def test_the_covariance_over_several_sizes_is_that_of_the_exact_law():
    """Estimates are means over sets of what each adds; its covariance is enumerated."""
    codes = SIZES.codes_of(ANSWERS)
    laws = {tuple(code): report_law(_few_items(), code) for code in {tuple(code) for code in codes.tolist()}}
    kernels = kernels_of((2,), {m: SIZES.law(m) for m in (1, 2, 3)}, SIZES.chance)
    expected, counts = np.zeros((3, 3)), {m: np.zeros(3) for m in (1, 2, 3)}
    for code in map(tuple, codes.tolist()):
        mean, second = np.zeros(3), np.zeros((3, 3))
        for (m, a, b, *_), chance in laws[code].items():
            added = kernels[m].undo[:, a + b]
            mean += float(chance) * added
            second += float(chance) * np.outer(added, added)
            counts[m][a + b] += float(chance)
        expected += (second - np.outer(mean, mean)) / 40
    many = {m: np.round(count * 10**9).astype(np.int64) for m, count in counts.items()}
    found = PartialSupports(("a", "b"), kernels, many)
    assert found.shares == pytest.approx([9 / 40, 21 / 40, 10 / 40], abs=1e-8)
    assert found.covariance() * found.n == pytest.approx(expected, abs=1e-6)


def _few_items():
    """The same with the items that the sets have, so that all can be enumerated."""
    return collection.SelectASize(items=tuple("abcd"), keep=SIZES.keep, rho=SIZES.rho)


def estimates_of(population, *, copies, runs, seed):
    """Estimates of many runs of 40 x `copies` sets: always the same, or drawn anew from them."""
    rng = np.random.default_rng(seed)
    n = 40 * copies
    which = np.tile(np.arange(n) % 40, (runs, 1)) if population == "fixed" else rng.integers(0, 40, (runs, n))
    answers = [ANSWERS[i] for i in which.ravel()]
    reports = SIZES.randomize(answers, seed=seed)
    for at in range(runs):
        yield SIZES.estimate(reports[at * n : (at + 1) * n], population=population)


def check_many(population, *, copies, runs, seed):
    values, errors, covered, supported = [], [], [], []
    for found in estimates_of(population, copies=copies, runs=runs, seed=seed):
        pair, empty, rule = found.support(["a", "b"]), found.support(["a", "e"]), found.confidence(["a"], ["b"])
        values.append([pair.value, empty.value])
        errors.append(pair.stderr)
        supported.append([pair.low <= 10 / 40 <= pair.high, rule.low <= 10 / 15 <= rule.high])
        covered.append(empty.low <= 0.0)
    values = np.array(values)
    spread = values.std(axis=0)
    assert np.abs(values.mean(axis=0) - [0.25, 0.0]).max() < 4.5 * spread.max() / np.sqrt(runs)
    assert np.median(errors) == pytest.approx(spread[0], rel=0.05 + 3 / np.sqrt(2 * runs))
    slack = 0.02 + 3 * np.sqrt(0.05 * 0.95 / runs) * (runs < 5000)
    assert np.mean(supported, axis=0) == pytest.approx([0.95, 0.95], abs=slack)
    assert np.mean(covered) > 0.93 - (slack - 0.02), "also of pairs that nobody has"


@pytest.mark.parametrize("population", ["fixed", "sampled"])
def test_a_few_runs_are_unbiased_and_their_intervals_hold(population):
    check_many(population, copies=8, runs=250, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("population", ["fixed", "sampled"])
def test_ten_thousand_runs_are_unbiased_and_their_intervals_hold(population):
    check_many(population, copies=8, runs=10_000, seed=4)


def test_partial_supports_are_a_mapping_by_how_many():
    found = SIZES.estimate(SIZES.randomize(ANSWERS * 20, seed=1)).partial_supports(["a", "b"])
    assert list(found) == [0, 1, 2]
    assert found.itemset == ("a", "b")
    assert found[2].value == found.support.value
    assert found.support.label == "support of a, b"
    assert found.to_polars()["value"].to_list() == [0, 1, 2]
