"""Which of two methods loses less, as far as samples tell, and which places that leaves."""

from dataclasses import replace

import sfumato as sf
from sfumato.verbs.comparing.extrapolation import Estimate
from sfumato.verbs.comparing.point import Point, Sample
from sfumato.verbs.comparing.ranks import compared, places

SIZES = (40_000, 20_000, 10_000)


def point(*losses, method=None, told=True):
    figures = [{"gcp": loss} for loss in losses]
    return Point(
        method=method or sf.Mondrian(), promise=sf.KAnonymity(5), came="done", figures=figures[0],
        samples=tuple(Sample(n, each) for n, each in zip(SIZES, figures, strict=True)),
        estimates={"gcp": Estimate(losses[0], 0.0, 1.0)} if told else {},
    )  # fmt: skip


def whole(loss):
    return Point(method=sf.Mondrian(), promise=sf.KAnonymity(5), came="done", figures={"gcp": loss})


def test_on_all_rows_the_smaller_figure_is_the_smaller():
    assert compared(whole(0.1), whole(0.2), "gcp", 100) == -1
    assert compared(whole(0.2), whole(0.1), "gcp", 100) == 1
    assert compared(whole(0.2), whole(0.2), "gcp", 100) == 0
    assert compared(whole(0.2), Point(method=sf.Mondrian(), promise=None, came="done"), "gcp", 100) == 0


def test_pairs_are_told_apart_where_their_intervals_of_losses_overlap():
    """Both losses are told to a third, and move together: one is a fifth below the other on every sample."""
    one, other = point(0.08, 0.11, 0.16), point(0.1, 0.1375, 0.2)
    assert compared(one, other, "gcp", 80_000) == -1
    assert compared(other, one, "gcp", 80_000) == 1
    assert compared(one, other, "gcp", 640_000) == 0  # too far
    assert compared(one, point(0.081, 0.111, 0.162), "gcp", 80_000) == 0  # too near


def test_methods_that_cross_are_told_by_the_whole_table():
    falls, stays = point(0.2, 0.3, 0.45), point(0.18, 0.19, 0.2)
    assert falls.figures["gcp"] > stays.figures["gcp"]
    assert compared(falls, stays, "gcp", 160_000) == -1


def test_what_is_not_extrapolated_is_not_ranked():
    assert compared(point(0.1, 0.1, 0.1), point(0.5, 0.5, 0.5, told=False), "gcp", 80_000) == 0
    assert compared(point(0.1, 0.1, 0.0), point(0.5, 0.5, 0.5), "gcp", 80_000) == 0


def test_a_ratio_is_told_of_figures_that_are_extrapolated_alone():
    """That other figures are known of the whole table says nothing of this one."""
    one, other = (replace(each, estimates={"promised_risk": Estimate(0.2, 0.2, 0.2)})
                  for each in (point(0.08, 0.11, 0.16), point(0.5, 0.7, 0.9)))  # fmt: skip
    assert compared(one, other, "gcp", 80_000) == 0


def test_places_leave_open_what_is_not_told():
    first, second, last = point(0.1, 0.2, 0.4), point(0.102, 0.203, 0.41), point(0.3, 0.6, 1.2)
    assert places(first, [second, last], "gcp", 80_000, smaller=True) == (1, 2)
    assert places(second, [first, last], "gcp", 80_000, smaller=True) == (1, 2)
    assert places(last, [first, second], "gcp", 80_000, smaller=True) == (3, 3)
    assert places(last, [first, second], "gcp", 80_000, smaller=False) == (1, 1)
    assert places(first, [], "gcp", 80_000, smaller=True) == (1, 1)
