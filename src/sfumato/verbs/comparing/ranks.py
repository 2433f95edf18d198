"""Which of two methods loses less, and at which place a method stands among several, as far as samples can tell.

Methods see the same samples, and so the ratio of their losses is told more exactly than each loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.verbs.comparing.common_figures import name_of, value_of
from sfumato.verbs.comparing.extrapolation import RATIO_WIDTH, ratio_of
from sfumato.verbs.comparing.point import Point

__all__ = ["compared", "places"]


def compared(one: Point, other: Point, figure: str, n_rows: int) -> int:
    """-1 where `one` has the smaller figure, 1 where the larger one, 0 where that cannot be told."""
    values = [value_of(figure, each.figures) for each in (one, other)]
    if None in values:
        return 0
    if not one.samples and not other.samples:
        return (values[0] > values[1]) - (values[0] < values[1])  # type: ignore[operator]
    if any(name_of(figure, each.figures) not in each.estimates for each in (one, other)):
        return 0
    ones, others = ([value_of(figure, sample.figures) or 0.0 for sample in each.samples] for each in (one, other))
    law = ratio_of([sample.n_rows for sample in one.samples], ones, others, n_rows)
    if law is None:
        return 0
    ratio = law.within(RATIO_WIDTH)
    return 1 if ratio.low > 1 else -1 if ratio.high < 1 else 0


def places(point: Point, rivals: Sequence[Point], figure: str, n_rows: int, *, smaller: bool) -> tuple[int, int]:
    """The first and the last place that a point may have among its rivals, by a figure; one and the same if known."""
    signs = [compared(point, rival, figure, n_rows) * (1 if smaller else -1) for rival in rivals]
    return 1 + sum(sign > 0 for sign in signs), 1 + sum(sign >= 0 for sign in signs)
