"""Which point of a comparison to take: a few rules of thumb, and what they leave out.

Of the points with both figures, those under a promise come before those that were asked for none. A point in which
everybody is found is advised only where there is no other, and so is one that loses everything. Under each promise the
point that loses least stands for it, and of several promises the one at their bend is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.verbs.comparing.common_figures import IDENTIFICATION, about_axis
from sfumato.verbs.comparing.point import Point

if TYPE_CHECKING:
    from sfumato.verbs.comparing.frontier import Frontier

__all__ = ["advised", "beats", "bend", "least_by_strength", "objection", "point_to_take", "without_promise"]

_LOSSES = ("gcp", "ncp")
"""Losses of cells: 0 is the original, 1 shows nothing."""
_LEAST_RISK = 1e-9


def advised(frontier: Frontier) -> list[Point]:
    """The points that can be advised, in the order of the plan: under promises where there are such."""
    both = [point for point in frontier.comparable() if not point.method.for_study and _has_both(frontier, point)]
    promised = [point for point in both if point.promise is not None] or both
    return [point for point in promised if not objection(frontier, point)] or promised


def objection(frontier: Frontier, point: Point) -> str:
    """Why a point is not advised where another can be, in words; empty where nothing speaks against it."""
    found = frontier.value(point, IDENTIFICATION.name)
    if found is not None and found >= 1:
        return "everybody can be found"
    if frontier.utility in _LOSSES and "n_groups" in point.figures:  # the figure of two tables
        return "quasi-identifiers are shown as recorded, of which no loss of cells tells"
    return ""


def least_by_strength(frontier: Frontier) -> dict[str, Point]:
    """Under each promise the point with the best figure of utility, and of equal ones that with the least risk.

    Without promises every point stands for itself.
    """
    ranked = sorted(advised(frontier), key=lambda point: _place(frontier, point)[::-1])
    least: dict[str, Point] = {}
    for point in ranked:
        least.setdefault(point.strength if point.promise is not None else point.label, point)
    return dict(sorted(least.items(), key=lambda each: frontier.points.index(each[1])))


def point_to_take(frontier: Frontier) -> Point | None:
    """The one at the bend of those that stand for a promise each and that no other is better than; None without any."""
    standing = list(least_by_strength(frontier).values())
    shown = [point for point in standing if not _loses_everything(frontier, point)] or standing
    rivals = [_place(frontier, point) for point in advised(frontier)]
    placed = [(_place(frontier, point), point) for point in shown]
    kept = [(place, point) for place, point in placed if not any(beats(rival, place) for rival in rivals)]
    kept.sort(key=lambda pair: (-pair[0][0], pair[0][1]))
    return kept[bend([place for place, _ in kept])][1] if kept else None


def without_promise(frontier: Frontier) -> list[Point]:
    """The points of the front that were set aside, since others were asked for a promise and they for none."""
    if all(point.promise is None for point in advised(frontier)):
        return []
    return [point for point in frontier.front() if point.promise is None and not point.method.for_study]


def beats(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether one place is as good as another in every figure and better in some; the smaller is the better."""
    return all(a <= b for a, b in zip(one, other, strict=True)) and list(one) != list(other)


def bend(places: Sequence[tuple[float, float]]) -> int:
    """The place farthest below the line from the first to the last, both axes scaled to 1; on the line, the last.

    Places are logarithms of risks, which fall, and losses, which rise. Two have no bend: of them the last is taken
    where the risk falls by no smaller factor than the loss rises by.
    """
    (risk, loss), (last_risk, last_loss) = places[0], places[-1]
    if last_risk == risk or last_loss == loss:
        return len(places) - 1
    if len(places) == 2:
        less, more = sorted((abs(loss), abs(last_loss)))
        return int(less > 0 and risk - last_risk >= math.log(more / less))
    below = [(x - risk) / (last_risk - risk) - (y - loss) / (last_loss - loss) for x, y in places]
    return max(range(len(places)), key=lambda place: (below[place], place))


def _has_both(frontier: Frontier, point: Point) -> bool:
    values = [frontier.value(point, name) for name in (frontier.risk, frontier.utility)]
    return all(value is not None and math.isfinite(value) for value in values)


def _loses_everything(frontier: Frontier, point: Point) -> bool:
    return frontier.utility in _LOSSES and (frontier.value(point, frontier.utility) or 0.0) >= 1


def _place(frontier: Frontier, point: Point) -> tuple[float, float]:
    """Where a point lies: the logarithm of its risk, and its loss, the smaller the better."""
    risk, loss = (float(frontier.value(point, name) or 0.0) for name in (frontier.risk, frontier.utility))
    risk_sign, loss_sign = (
        -1.0 if about_axis(name).smaller_is_better is False else 1.0 for name in (frontier.risk, frontier.utility)
    )
    return risk_sign * math.log(max(risk, _LEAST_RISK)), loss_sign * loss
