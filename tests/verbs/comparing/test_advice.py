"""Which point is taken: under a promise, by loss and then risk, at the bend, and never one that hides nobody."""

import itertools

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.randomness import Randomness
from sfumato.verbs.comparing.advice import advised, beats, bend, least_by_strength, objection, without_promise
from sfumato.verbs.comparing.common_figures import check_axis
from sfumato.verbs.comparing.frontier import Frontier
from sfumato.verbs.comparing.point import Point

TABLE = hospital(30)
check_axis("gcp", "tables")  # declares the figures of tables


def point(method, k, risk, loss, **further):
    promise = sf.KAnonymity(k) if k is not None else None
    figures = {"prosecutor_average": risk, "gcp": loss, "n_classes": 5, **further}
    return Point(method=method, promise=promise, came="done", figures=figures)


def two_tables(risk=1.0, k=2):
    figures = {"prosecutor_average": risk, "gcp": 0.0, "n_groups": 5}
    return Point(method=sf.Anatomy(), promise=sf.KAnonymity(k), came="done", figures=figures)


def compared(*points, utility="gcp"):
    return Frontier(points=points, risk="identification", utility=utility, data=TABLE, seed=b"1")


def test_of_equal_losses_the_one_with_less_risk_is_taken_and_then_the_first():
    first, less, same = (point(sf.MDAV(), 5, 0.2, 0.3), point(sf.Mondrian(), 5, 0.1, 0.3),
                         point(sf.Ordered(), 5, 0.1, 0.3))  # fmt: skip
    for points in itertools.permutations([first, less, same]):
        expected = next(each for each in points if each is not first)
        assert compared(*points).best is expected


def test_where_everybody_is_found_nothing_is_advised_but_where_there_is_no_other():
    anatomy, mondrian = two_tables(), point(sf.Mondrian(), 2, 0.4, 0.2)
    found = compared(anatomy, mondrian)
    assert objection(found, anatomy) == "everybody can be found"
    assert found.best is mondrian
    assert found.front() == [anatomy, mondrian]  # it is not beaten, and not advised
    alone = compared(anatomy)
    assert alone.best is anatomy
    assert alone.has_best


def test_values_as_recorded_are_not_held_against_losses_of_cells():
    anatomy, mondrian = two_tables(risk=0.6), point(sf.Mondrian(), 2, 0.4, 0.2)
    assert "as recorded" in objection(compared(anatomy, mondrian), anatomy)
    assert compared(anatomy, mondrian).best is mondrian
    by_counts = [
        Point(method=each.method, promise=each.promise, came="done",
              figures={**each.figures, "query_error_median": error})
        for each, error in ((anatomy, 0.1), (mondrian, 0.2))
    ]  # fmt: skip
    assert compared(*by_counts, utility="query_error_median").best is by_counts[0]


def test_what_no_promise_was_asked_of_is_set_aside_where_another_keeps_one():
    swapped, mondrian = point(sf.RankSwapping(p=20), None, 0.05, 0.1), point(sf.Mondrian(), 5, 0.1, 0.3)
    found = compared(swapped, mondrian)
    assert found.best is mondrian
    assert without_promise(found) == [swapped]
    alone = compared(swapped)
    assert alone.best is swapped
    assert without_promise(alone) == []


def test_the_point_that_is_taken_is_beaten_by_none_that_can_be_advised():
    """That which loses least under k = 10 is worse in both than another under k = 20, which does not lose least."""
    beaten = point(sf.Mondrian(), 10, 0.09, 0.5)
    better = point(sf.Hilbert(), 20, 0.05, 0.45)
    least = point(sf.Ordered(), 20, 0.2, 0.4)
    weak = point(sf.Ordered(), 5, 0.3, 0.39)
    found = compared(weak, beaten, better, least)
    assert found.best in (weak, least)
    assert found.best in found.front()


@pytest.mark.parametrize("seed", range(30))
def test_the_point_that_is_taken_is_on_the_front(seed):
    values = Randomness(seed).integers(6, size=24)
    makers = [sf.Mondrian(), sf.Ordered(), sf.Hilbert(), sf.MDAV()]
    points = [
        point(makers[i % 4], 5 * (1 + i // 4), 0.05 * (1 + int(values[2 * i])), 0.15 * (1 + int(values[2 * i + 1])))
        for i in range(12)
    ]
    found = compared(*points)
    assert any(found.best is each for each in found.front())


def test_one_that_loses_everything_is_taken_only_where_there_is_no_other():
    fine, nothing = point(sf.Mondrian(), 5, 0.2, 0.9), point(sf.Mondrian(), 10, 0.0, 1.0)
    assert compared(fine, nothing).best is fine
    assert compared(nothing).best is nothing
    three = [point(sf.Mondrian(), k, 1 / k, loss) for k, loss in ((5, 0.3), (10, 0.4), (20, 1.0))]
    assert compared(*three).best is three[1]


def test_of_two_promises_the_stronger_is_taken_where_it_gains_more_than_it_costs():
    weak = point(sf.Mondrian(), 5, 0.2, 0.2)
    assert compared(weak, point(sf.Mondrian(), 10, 0.1, 0.3)).best.k == 10  # risk halves, the loss grows by a half
    assert compared(weak, point(sf.Mondrian(), 10, 0.1, 0.5)).best.k == 5
    assert compared(point(sf.Mondrian(), 5, 0.2, 0.0), point(sf.Mondrian(), 10, 0.1, 0.1)).best.k == 5


def test_the_bend_is_farthest_below_the_line():
    assert bend([(0.0, 0.1), (-1.0, 0.11), (-2.0, 0.5), (-3.0, 1.0)]) == 1
    assert bend([(0.0, 0.1), (-1.0, 0.4), (-2.0, 0.7)]) == 2  # on the line: the strongest
    assert bend([(0.0, 0.1)]) == 0
    assert bend([(0.0, 0.1), (-1.0, 0.2)]) == 1  # of two: by a factor of 2.7 less risk, by 2 more loss
    assert bend([(0.0, 0.1), (-1.0, 0.4)]) == 0
    assert bend([(0.0, -0.9), (-1.0, -0.5)]) == 1  # the larger the better: by 1.8 less
    assert bend([(0.0, -0.9), (-1.0, 0.0)]) == 0


def test_a_point_without_a_figure_of_risk_does_not_stand_for_its_promise():
    lacking = Point(method=sf.MDAV(), promise=sf.KAnonymity(5), came="done", figures={"gcp": 0.1})
    mondrian = point(sf.Mondrian(), 5, 0.1, 0.3)
    found = compared(lacking, mondrian)
    assert advised(found) == [mondrian]
    assert least_by_strength(found) == {"KAnonymity(k=5)": mondrian}
    assert not compared(lacking).has_best


def test_one_place_beats_another():
    assert beats((1, 2), (1, 3))
    assert not beats((1, 2), (1, 2))
    assert not beats((1, 3), (2, 2))
