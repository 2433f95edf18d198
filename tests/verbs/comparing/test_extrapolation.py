"""From samples to the whole: exact on power laws, wider with each doubling and bend, silent where nothing follows one."""

import math

import numpy as np
import pytest

from sfumato.verbs.comparing.extrapolation import Estimate, Law, Width, estimates_of, laws_of, power_law, ratio_of
from sfumato.verbs.comparing.repeats import Copies

SIZES = (40_000, 20_000, 10_000)


def without_copies(n):
    return Copies(n, np.ones(n, dtype=np.int64))


def followed(losses, risks, n_rows=160_000, k=5, copies=None, whole=None):
    samples = [{"gcp": loss, "prosecutor_average": risk} for loss, risk in zip(losses, risks, strict=True)]
    return samples, copies or [without_copies(size) for size in SIZES], whole or without_copies(n_rows), k


@pytest.mark.parametrize("exponent", [-0.5, -0.1, 0.0, 0.3])
@pytest.mark.parametrize("sizes", [SIZES, (1001, 500, 250)])
def test_a_power_law_is_met_exactly(exponent, sizes):
    law = power_law(sizes, [3 * n**exponent for n in sizes], 77 * sizes[0])
    assert law.value == pytest.approx(3 * (77 * sizes[0]) ** exponent)
    assert law.bend == pytest.approx(0, abs=1e-12)
    assert law.doublings == pytest.approx(math.log2(77))


def test_two_exponents_count_two_to_one():
    law = power_law((4, 2, 1), (1.0, 2.0, 2.0), 8)  # halved by the last doubling, the same by the one before
    assert law.value == pytest.approx(2 ** (-2 / 3))
    assert law.bend == pytest.approx(math.log(2))


def test_intervals_widen_with_doublings_and_bends_and_end_at_the_most():
    told = [Law(0.2, bend, doublings).within(Width(0.1, 1.0)) for bend, doublings in ((0, 1), (0, 2), (0.1, 2))]
    assert [round(math.log(each.high / each.value), 9) for each in told] == [0.1, 0.2, 0.4]
    assert [round(math.log(each.value / each.low), 9) for each in told] == [0.1, 0.2, 0.4]
    assert Law(0.99, 0, 1).within(Width(0.1, 0), most=1.0).high == 1.0
    filled = Law(0.2, 0.0, 1.0, filling=0.5).within(Width(0.1, 0.0, filled=0.4))
    assert math.log(filled.high / filled.value) == pytest.approx(0.3)


def test_losses_and_chances_follow_where_no_record_repeats():
    laws = laws_of(*followed([2 * n**-0.4 for n in SIZES], [0.15, 0.15, 0.15]))
    assert laws["gcp"].value == pytest.approx(2 * 160_000**-0.4)
    assert laws["prosecutor_average"].value == pytest.approx(0.15)
    told = estimates_of(*followed([2 * n**-0.4 for n in SIZES], [0.15, 0.15, 0.15]))
    assert told["gcp"].low < laws["gcp"].value < told["gcp"].high
    assert estimates_of(*followed([0.9, 0.9, 0.9], [0.19, 0.19, 0.19]))["gcp"].high == 1.0
    assert estimates_of(*followed([0.9, 0.9, 0.9], [0.195, 0.195, 0.195]))["prosecutor_average"].high == 0.2


def test_copies_are_counted_and_not_extrapolated():
    """Half of the rows of the whole are in classes of copies, and no sample has any."""
    copies = [without_copies(size) for size in SIZES]
    whole = Copies(160_000, np.array([8] * 10_000 + [1] * 80_000))
    laws = laws_of(*followed([0.1, 0.1, 0.1], [0.16, 0.16, 0.16], copies=copies, whole=whole))
    assert laws["gcp"].value == pytest.approx(0.1 * math.sqrt(0.5))  # each of the others wants 4 of 5, as before
    assert laws["gcp"].filling == pytest.approx(math.log(2) / 2)
    assert laws["prosecutor_average"].value == pytest.approx(0.16 * 0.5 + 10_000 / 160_000)


@pytest.mark.parametrize(
    "given",
    [
        followed([0.1, 0.0, 0.1], [0.0, 0.0, 0.0]),  # no classes are told
        followed([0.1, 0.2, 0.3], [0.0001, 0.0002, 0.0004]),  # a few classes, whatever the rows: steps
        followed([0.1, 0.15, 0.2], [0.15] * 3, n_rows=40_000 * 17),  # farther than was measured
        followed([0.1, 0.15, 0.2], [0.15] * 3, whole=Copies(160_000, np.full(1600, 100))),  # all rows have copies
        followed([0.1, 0.15, 0.2], [1.0] * 3),  # more classes than k leaves room for: values are shown as recorded
    ],
    ids=["no classes", "steps", "too far", "copies", "as recorded"],
)
def test_what_does_not_follow_is_not_told(given):
    assert laws_of(*given) == {}
    assert estimates_of(*given) == {}


def test_one_figure_may_follow_and_another_not():
    assert set(laws_of(*followed([0.1, 0.3, 0.31], [0.15, 0.15, 0.15]))) == {"prosecutor_average"}  # it bends
    assert set(laws_of(*followed([0.0, 0.1, 0.2], [0.15, 0.15, 0.15]))) == {"prosecutor_average"}


def test_the_ratio_of_two_losses_is_told_where_both_lose():
    law = ratio_of(SIZES, [2 * n**-0.4 for n in SIZES], [n**-0.3 for n in SIZES], 160_000)
    assert law.value == pytest.approx(2 * 160_000**-0.1)
    assert ratio_of(SIZES, [0.0, 0.1, 0.1], [0.1, 0.1, 0.1], 160_000) is None


def test_an_estimate_is_cut_off_at_what_is_known_to_be_below_it():
    assert Estimate(0.2, 0.1, 0.3).at_least(0.05) == Estimate(0.2, 0.1, 0.3)
    assert Estimate(0.2, 0.1, 0.3).at_least(0.15) == Estimate(0.2, 0.15, 0.3)
    assert Estimate(0.2, 0.1, 0.3).at_least(0.25) == Estimate(0.25, 0.25, 0.3)
    assert Estimate(0.2, 0.1, 0.3).at_least(0.31) is None
