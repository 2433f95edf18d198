"""What is said of a comparison: which to take, what comes next, what is left out, and how far the floor is."""

import re
from dataclasses import replace

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.verbs.comparing.common_figures import check_axis
from sfumato.verbs.comparing.extrapolation import Estimate
from sfumato.verbs.comparing.frontier import Frontier
from sfumato.verbs.comparing.point import Point, Sample
from sfumato.verbs.floor import Floor

TABLE = hospital(30)
check_axis("gcp", "tables")  # declares the figures of tables


def point(method, k, risk, loss, **further):
    promise = sf.KAnonymity(k) if k is not None else None
    figures = {"prosecutor_average": risk, "gcp": loss, "n_classes": 5, **further}
    return Point(method=method, promise=promise, came="done", verdict="holds", figures=figures)


def compared(*points, **further):
    return Frontier(points=points, risk="identification", utility="gcp", data=TABLE, seed=b"1", **further)


def said(found):
    return " ".join(found.said())


def test_the_next_is_named_also_where_nothing_is_lost():
    nothing, little = point(sf.Mondrian(), 5, 0.1, 0.0), point(sf.Ordered(), 5, 0.09, 0.01)
    assert "Under the same promise the next is Ordered, 0.0100." in said(compared(nothing, little))
    some = point(sf.Mondrian(), 5, 0.1, 0.005)
    assert "Under the same promise the next is Ordered, 0.0100 (+100%)." in said(compared(some, little))
    stronger = point(sf.Mondrian(), 10, 0.05, 0.2)
    assert "With KAnonymity(k=10) Mondrian would have 0.2000." in said(compared(nothing, stronger))


def test_those_in_which_everybody_is_found_are_named_and_not_rivals():
    anatomy = Point(method=sf.Anatomy(), promise=sf.KAnonymity(2), came="done",
                    figures={"prosecutor_average": 1.0, "gcp": 0.0, "n_groups": 5})  # fmt: skip
    found = compared(anatomy, point(sf.Mondrian(), 2, 0.4, 0.2), point(sf.Ordered(), 2, 0.4, 0.3))
    assert found.said()[0].startswith("Take Mondrian with KAnonymity(k=2)")
    assert "Under the same promise the next is Ordered" in said(found)
    assert "Not advised, as everybody can be found: Anatomy." in found.said()
    assert "Beware: everybody can be found." in compared(anatomy).said()
    one = compared(point(sf.Mondrian(), 1, 1.0, 0.0), point(sf.Mondrian(), 5, 0.2, 0.3))
    assert "Not advised, as everybody can be found: Mondrian with KAnonymity(k=1)." in one.said()


def test_points_of_the_front_without_a_promise_are_named_with_their_figures():
    swapped = [point(sf.RankSwapping(p=p), None, 0.1 - p / 1000, 0.001 * p) for p in (5, 10, 20, 30, 40)]
    found = compared(*swapped, point(sf.Mondrian(), 5, 0.15, 0.3))
    assert (
        "Set aside, as no promise was asked of them, though none is better in both (global certainty penalty and "
        "chance that a person is found): RankSwapping(p=5) (0.0050 and 0.0950), RankSwapping(p=10) (0.0100 and 0.0900), "
        "RankSwapping(p=20) (0.0200 and 0.0800), RankSwapping(p=30) (0.0300 and 0.0700) and 1 more."
    ) in found.said()
    assert "Set aside" not in said(compared(*swapped))


@pytest.mark.parametrize(("loss", "told"), [(0.3, "at most 50% above"), (0.2, "at most 0% above"), (0.19, None)])
def test_a_loss_below_the_floor_is_not_held_against_it(loss, told):
    floor = Floor(loss=0.2, confidence=1.0, k=5, n_rows=30, n_looked_at=30)
    text = said(compared(point(sf.Mondrian(), 5, 0.1, loss), floor=floor))
    assert told in text if told is not None else "above what any method" not in text
    assert "above what any method" not in said(compared(point(sf.Mondrian(), 10, 0.1, loss), floor=floor))  # another k


def sampled(loss, low, high):
    estimates = {"gcp": Estimate(loss, low, high), "prosecutor_average": Estimate(0.1, 0.09, 0.11)}
    whole = point(sf.Mondrian(), 5, 0.12, 2 * loss)
    return replace(whole, estimates=estimates, samples=tuple(Sample(n, whole.figures) for n in (800, 400, 200)))


@pytest.mark.parametrize(
    ("confidence", "told"),
    [(1.0, ", where the interval (90%) holds."), (0.95, ", where the interval (90%) and the floor (95%) hold.")],
)
def test_an_interval_and_a_floor_are_each_told_with_their_own_confidence(confidence, told):
    floor = Floor(loss=0.1, confidence=confidence, k=5, n_rows=30, n_looked_at=30)
    text = said(compared(sampled(0.15, 0.12, 0.2), floor=floor, samples=(800, 400, 200)))
    assert re.search(r"at most about 100% above what any method .* under this promise" + re.escape(told), text)
    assert "confidence" not in text


def test_an_estimate_is_told_as_no_less_than_the_floor():
    floor = Floor(loss=0.14, confidence=1.0, k=5, n_rows=30, n_looked_at=30)
    found = compared(sampled(0.13, 0.12, 0.2), floor=floor, samples=(800, 400, 200))
    assert "global certainty penalty about 0.1400 (0.1400 to 0.2000)" in said(found)
    assert found.to_dict()["points"][0]["estimates"]["gcp"] == {"value": 0.14, "low": 0.14, "high": 0.2}
    assert found.to_polars()["gcp_low"].item() == 0.14
    below = compared(sampled(0.1, 0.09, 0.12), floor=floor, samples=(800, 400, 200))
    assert "global certainty penalty 0.2000 on the sample" in said(below)
    assert "above what any method" not in said(below)
    weaker = replace(floor, k=10)  # of a stronger promise: it says nothing of this one
    assert compared(sampled(0.1, 0.09, 0.12), floor=weaker).estimate(sampled(0.1, 0.09, 0.12), "gcp").value == 0.1


def test_small_losses_are_told_by_digits_that_count():
    found = compared(sampled(0.000042, 0.00003, 0.00006), samples=(800, 400, 200))
    assert "about 0.0000420 (0.0000300 to 0.0000600)" in said(found)
