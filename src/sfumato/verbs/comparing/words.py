"""A frontier in words: which point to take and why, what cannot be told, and the points as lines of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sfumato.contracts.trying import label_of
from sfumato.data.given import given_table
from sfumato.ground.brief import brief_number
from sfumato.verbs.comparing.advice import advised, least_by_strength, objection, without_promise
from sfumato.verbs.comparing.common_figures import about_axis
from sfumato.verbs.comparing.extrapolation import CONFIDENCE
from sfumato.verbs.comparing.likeness import why_unlike
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.comparing.ranks import compared

if TYPE_CHECKING:
    from sfumato.verbs.comparing.frontier import Frontier

__all__ = ["as_text", "sentences", "table_lines", "told"]

_MOST_NAMED = 4


def as_text(value: float | None) -> str:
    """A figure as it is shown, or that it is lacking."""
    return "lacking" if value is None else brief_number(value)


def told(frontier: Frontier, point: Point, figure: str) -> str:
    """A figure of a point: as it is, with its interval where it is extrapolated, or as that of a sample."""
    value, estimate = frontier.value(point, figure), frontier.estimate(point, figure)
    if estimate is not None and estimate.low < estimate.high:
        return f"about {as_text(value)} ({as_text(estimate.low)} to {as_text(estimate.high)})"
    if point.samples and value is not None and estimate is None:
        return f"{as_text(value)} on the sample"
    return as_text(value)


def table_lines(frontier: Frontier) -> Iterator[str]:
    """A line for each point, below one that says what the columns are."""
    shown = frontier.done or frontier.points
    wide = max((len(point.label) for point in shown), default=0)
    strong = max((len(point.strength) for point in shown), default=0)
    front = {id(point) for point in frontier.front()}
    risk, utility = about_axis(frontier.risk).label, about_axis(frontier.utility).label
    on_sample = f" on {frontier.samples[0]:,} rows" if frontier.samples else ""
    yield f"  {'':{wide}}  {'':{strong}}  {risk}; {utility}; seconds{on_sample} (* none is better in both)"
    for point in shown:
        head = f"{'*' if id(point) in front else ' '} {point.label:{wide}}  {point.strength:{strong}}  "
        if point.came == "done":
            figures = [told(frontier, point, name) for name in (frontier.risk, frontier.utility)]
            yield head + "  ".join(f"{figure:>8}" for figure in (*figures, as_text(point.seconds)))
        else:
            yield head + f"{point.came}: {point.why}" if point.why else head + point.came


def sentences(frontier: Frontier) -> Iterator[str]:
    """Which point to take and why, what others would cost, and what did not come to an end."""
    if not frontier.front():
        yield "No point has a release with both figures; the reasons stand beside them."
    elif not frontier.has_best:
        yield "No point that can be advised has both figures; the table tells what there is."
    else:
        yield from _advice(frontier)
    if frontier.samples:
        yield from _on_samples(frontier)
    if frontier.front() and frontier.has_best:
        yield from _others(frontier)


def _choice(point: Point) -> str:
    """What a point chose, where it is one that chooses."""
    return f", which chose {label_of(point.made_by)}," if point.made_by is not None else ""


def _advice(frontier: Frontier) -> Iterator[str]:
    """The point to take, how near it is to what is possible, and what comes near it."""
    best, about = frontier.best, about_axis(frontier.utility)
    loss = frontier.value(best, frontier.utility)
    without = [point for point in frontier.done if frontier.value(point, frontier.risk) is None]
    yield (
        f"{'Of those that have both figures, take' if without else 'Take'} {best.label}{_choice(best)} with "
        f"{best.strength}: "
        f"{about.label.lower()} {told(frontier, best, frontier.utility)}, "
        f"{about_axis(frontier.risk).label.lower()} {told(frontier, best, frontier.risk)}, "
        f"{best.verdict}{' on the sample' if best.samples else ''}."
    )
    if objection(frontier, best):
        yield f"Beware: {objection(frontier, best)}."
    yield from _above_floor(frontier, best)
    assert loss is not None
    yield from _rivals(frontier, best, loss)
    front = {id(point) for point in frontier.front()}
    for strength, point in least_by_strength(frontier).items():
        if point is best or (point.promise is None and id(point) not in front):
            continue
        promised = f"With {strength} " if point.promise is not None else ""
        yield f"{promised}{_with_share(frontier, point, loss, ' would have ')}."


def _above_floor(frontier: Frontier, best: Point) -> Iterator[str]:
    """How far the best is at most from what any method of classes could reach; nothing where that is not known."""
    floor, estimate = frontier.floor, frontier.estimate(best, frontier.utility)
    loss = frontier.value(best, frontier.utility)
    if floor is None or floor.loss <= 0 or loss is None or floor.k != best.k or floor.above(loss) < 0:
        return
    reach = "above what any method of classes could reach under this promise"
    if not best.samples:
        sure = "" if floor.confidence == 1 else f" ({floor.confidence:.0%} confidence)"
        yield f"That is at most {floor.above(loss):.0%} {reach}{sure}."
    elif estimate is not None:
        both = f" and the floor ({floor.confidence:.0%}) hold" if floor.confidence < 1 else " holds"
        most = f"about {floor.above(estimate.high):.0%}"
        yield f"That is at most {most} {reach}, where the interval ({CONFIDENCE:.0%}){both}."


def _rivals(frontier: Frontier, best: Point, loss: float) -> Iterator[str]:
    """What comes next under the same promise, or cannot be told from the best."""
    sign = 1.0 if about_axis(frontier.utility).smaller_is_better is not False else -1.0
    under = best.strength if best.promise is not None else None  # populations are part of the text, not of equality
    alike = [p for p in advised(frontier) if p is not best and p.promise is not None and p.strength == under]
    known = [(sign * value, p) for p in alike if (value := frontier.value(p, frontier.utility)) is not None]
    rivals = [point for _, point in sorted(known, key=lambda pair: pair[0])]
    n_rows = len(frontier.data)
    near = [p for p in rivals if best.samples and not compared(best, p, frontier.utility, n_rows)]
    if near:
        named = ", ".join(_with_share(frontier, point, loss, " ") for point in near[:_MOST_NAMED])
        more = f" and {len(near) - _MOST_NAMED} more" if len(near) > _MOST_NAMED else ""
        yield f"Under the same promise the samples cannot tell from it: {named}{more}."
    elif rivals:
        yield f"Under the same promise the next is {_with_share(frontier, rivals[0], loss, ', ')}."


def _with_share(frontier: Frontier, point: Point, loss: float, between: str) -> str:
    """A point, its figure of utility, and how much more or less that is; without a share where nothing is lost."""
    value = frontier.value(point, frontier.utility)
    assert value is not None
    about = "about " if frontier.estimate(point, frontier.utility) is not None else ""
    share = f" ({value / loss - 1:+.0%})" if loss else ""
    return f"{point.label}{between}{about}{as_text(value)}{share}"


def _on_samples(frontier: Frontier) -> Iterator[str]:
    """What the figures of samples are worth."""
    axes = (frontier.risk, frontier.utility)
    told_of = [name for name in axes if any(frontier.estimate(point, name) is not None for point in frontier.done)]
    sizes = _listed([f"{size:,}" for size in frontier.samples])
    if told_of:
        yield (
            f"All this is extrapolated to {len(frontier.data):,} rows from samples of {sizes}; an interval is made to "
            f"hold the figure of the whole table in {CONFIDENCE:.0%} of cases."
        )
    unlike = why_unlike(given_table(frontier.data, "only tables are sampled"))
    if unlike:
        yield f"No figure is extrapolated: {unlike}; sample={len(frontier.data)} compares all rows."
    for name in axes:
        if name not in told_of and any(frontier.value(point, name) is not None for point in frontier.done):
            yield (
                f"{about_axis(name).label} is that of a sample of {frontier.samples[0]:,} of {len(frontier.data):,} "
                "rows, and may be another for the whole table."
            )
    apart = [point for point in frontier.done if not any(point is each for each in frontier.comparable())]
    placed = [point for point in apart if all(frontier.value(point, name) is not None for name in axes)]
    if placed:
        yield (
            "Known for a sample alone, and not held against the others: "
            f"{_listed(list(dict.fromkeys(point.label for point in placed)))}; compare them with sample="
            f"{len(frontier.data)}."
        )


def _others(frontier: Frontier) -> Iterator[str]:
    """The points that are neither taken nor held against the best, and why."""
    without = [point.label for point in frontier.done if frontier.value(point, frontier.risk) is None]
    if without:
        yield f"Neither better nor worse, as they lack the figure of risk: {', '.join(dict.fromkeys(without))}."
    yield from _set_aside(frontier)
    studied = dict.fromkeys(type(point.method).__name__ for point in frontier.done if point.method.for_study)
    if studied:
        yield f"For study, and not advised: {', '.join(studied)}."
    late = [point.label for point in frontier.points if point.came in ("too slow", "not tried")]
    if late:
        yield f"Without an end in the time there was: {', '.join(dict.fromkeys(late))}."
    failed = [point.label for point in frontier.points if point.came == "failed"]
    if failed:
        yield f"Ended by a fault, or for want of memory: {', '.join(dict.fromkeys(failed))}; points say why."
    refused = dict.fromkeys(type(point.method).__name__ for point in frontier.points if point.came == "refused")
    unfit = [name for name in refused if all(type(point.method).__name__ != name for point in frontier.done)]
    if unfit:
        yield f"Not for these data or promises: {', '.join(unfit)}; points say why."


def _set_aside(frontier: Frontier) -> Iterator[str]:
    """The points that figures alone would put first, and why they are not advised."""
    chosen = {id(point) for point in advised(frontier)}
    others = [point for point in frontier.done if id(point) not in chosen and not point.method.for_study]
    spared = {point.label for point in frontier.done if not objection(frontier, point)}
    reasons: dict[str, list[str]] = {}
    for point in others:
        name = f"{point.label} with {point.strength}" if point.label in spared else point.label
        reasons.setdefault(objection(frontier, point), []).append(name)
    for reason, names in reasons.items():
        if reason:
            yield f"Not advised, as {reason}: {', '.join(dict.fromkeys(names))}."
    apart = [point for point in without_promise(frontier) if not objection(frontier, point)]
    if apart:
        named = [
            f"{point.label} ({told(frontier, point, frontier.utility)} and {told(frontier, point, frontier.risk)})"
            for point in apart[:_MOST_NAMED]
        ]  # fmt: skip
        more = f" and {len(apart) - _MOST_NAMED} more" if len(apart) > _MOST_NAMED else ""
        both = " and ".join(about_axis(name).label.lower() for name in (frontier.utility, frontier.risk))
        yield (
            f"Set aside, as no promise was asked of them, though none is better in both ({both}): "
            f"{', '.join(named)}{more}."
        )


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
