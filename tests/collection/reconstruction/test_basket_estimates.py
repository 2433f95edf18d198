"""What is learnt from reports of sets: confidences and breaches beside their supports."""

from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato import collection
from sfumato.collection.reconstruction.basket_estimates import BasketEstimates
from sfumato.errors import ParameterError, UnknownNameError

QUARTERS, FIFTH = (Fraction(1, 4),) * 4, Fraction(1, 5)
ASKED = collection.SelectASize(items=tuple("abcdef"), keep=[0.1, 0.2, 0.2, 0.5], rho=0.1, itemset_size=3)
ANSWERS = [["a", "b", "c"]] * 500 + [["a", "b", "d"]] * 300 + [["a", "c", "d"]] * 200


@pytest.fixture(scope="module")
def found():
    return ASKED.estimate(ASKED.randomize(ANSWERS, seed=1))


def test_vector_k3_what_a_report_tells_of_an_item():
    """600 reports as they are expected, where half of those that have one item of the pair have the first."""
    lists = [["-"]] * 304 + [["a"]] * 113 + [["b"]] * 113 + [["a", "b"]] * 70
    reports = sf.Baskets.from_lists(lists)
    learnt = BasketEstimates(reports, np.full(600, 3), {3: QUARTERS}, FIFTH, 2)
    breach = learnt.breaches(["a", "b"])["a"]
    assert breach.before.value == pytest.approx(7 / 20, abs=1e-12)
    assert breach.after.value == pytest.approx(7 / 10, abs=1e-12)
    assert breach.after.low < 0.7 < breach.after.high


def test_a_breach_of_one_item():
    """Of sets of one item, 3/10 have a; it is shown with 4/5 by those, and with 1/10 by others."""
    asked = collection.SelectASize(items=("a", "b", "c"), keep=[0.2, 0.8], rho=0.1, itemset_size=1)
    learnt = asked.estimate(asked.randomize([["a"]] * 30_000 + [["b"]] * 70_000, seed=1))
    after = learnt.breaches(["a"])["a"].after
    assert after.low < 0.24 / 0.31 < after.high
    assert after.value == pytest.approx(0.24 / 0.31, abs=0.01)


def test_confidences_are_ratios_of_the_supports(found):
    for first, then in ((["a"], ["b"]), (["b"], ["a", "c"]), (["b", "c"], ["a"])):
        rule = found.confidence(first, then)
        ratio = found.support(first + then).value / found.support(first).value
        assert rule.value == pytest.approx(ratio, abs=1e-9)
        assert rule.low <= min(rule.value, 1.0) <= rule.high + 1e-12
    assert found.confidence(["a"], ["b"]).low < 0.8 < found.confidence(["a"], ["b"]).high
    assert found.confidence(["b"], ["a"]).label == "confidence of b => a"


def test_confidences_without_noise_have_the_error_of_drawing_people():
    """100 sets, of which 60 have a and 45 of these b, all but shown as they are; Fieller's interval by hand."""
    lists = [["a", "b"]] * 45 + [["a", "c"]] * 15 + [["b", "c"]] * 40
    laws, rho = {2: (Fraction(0), Fraction(0), Fraction(1))}, Fraction(1, 10**12)
    fixed, sampled = (
        BasketEstimates(sf.Baskets.from_lists(lists), np.full(100, 2), laws, rho, 2, each).confidence(["a"], ["b"])
        for each in ("fixed", "sampled")
    )
    assert (fixed.value, fixed.low, fixed.high) == pytest.approx((0.75, 0.75, 0.75), abs=1e-4)
    x, y, z2 = 0.45, 0.6, 1.959963984540054**2 / 100
    square, linear, constant = y * y - z2 * y * (1 - y), x * y - z2 * x * (1 - y), x * x - z2 * x * (1 - x)
    ends = sorted(np.roots([square, -2 * linear, constant]))
    assert (sampled.low, sampled.high) == pytest.approx(ends, abs=1e-6)
    assert sampled.stderr == pytest.approx(np.sqrt(0.75 * 0.25 / 60), abs=1e-6)


def test_of_what_nobody_has_every_confidence_is_possible(found):
    rule = found.confidence(["e"], ["a"])
    assert (rule.low, rule.high) == (0.0, 1.0)


def test_supports_do_not_depend_on_the_order_of_items(found):
    assert found.support(["a", "b"]).value == pytest.approx(found.support(["b", "a"]).value)
    assert found.support({"a", "b"}).value == pytest.approx(found.support(["b", "a"]).value)


def test_supports_of_all_three_items(found):
    three = found.support(["a", "b", "c"])
    assert three.low < 0.5 < three.high


@pytest.mark.parametrize(
    ("itemset", "error", "said"),
    [(["z"], UnknownNameError, "no item is called 'z'"), ("a", ParameterError, "an itemset is a list"),
     ([], ParameterError, "an itemset is a list"), (["a", "a"], ParameterError, "stands once"),
     (list("abcd"), ParameterError, "itemsets of 3 items at the most"), (7, ParameterError, "an itemset is a list")],
)  # fmt: skip
def test_itemsets_that_cannot_be_learnt_are_refused(found, itemset, error, said):
    with pytest.raises(error, match=said):
        found.support(itemset)


def test_rules_within_themselves_are_refused(found):
    with pytest.raises(ParameterError, match="stands once"):
        found.confidence(["a"], ["a", "b"])
    with pytest.raises(ParameterError, match="at the most"):
        found.confidence(["a", "b"], ["c", "d"])
