"""The frontier of a comparison: its points, those that none other beats, and which to take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.cards import card, grid, lines, small
from sfumato.ground.errors import ParameterError
from sfumato.ground.optional import load_optional
from sfumato.release.release import Release
from sfumato.release.showing import Report
from sfumato.verbs.comparing.common_figures import about_axis, value_of
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.floor import Floor
from sfumato.verbs.publish import publish

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

__all__ = ["Frontier"]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Frontier(SaysWhatMethodsTake):
    """Methods with promises on the same data, verified and measured. It is the owner's: it tells of the original.

    `points` are all that were tried, in the order of the plan; `risk` and `utility` are the figures that they are held
    against each other by. `front()` are those that none other beats in both, and `best` the one to take, with `said()`
    for the reason. `release(point)` publishes a point again, to the byte where its method can be repeated.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> found = sf.compare(hospital(200), [sf.Mondrian(), sf.Ordered()], [sf.KAnonymity(5)], seed=1)
    >>> found.best.label
    'Ordered'
    """

    points: tuple[Point, ...]
    risk: str
    utility: str
    data: Table | Baskets | Graph = field(compare=False)
    seed: bytes = field(compare=False)
    """The secret that repeats the releases: for the owner alone."""
    floor: Floor | None = None
    """Below which no release of classes can be under the promise of the best point, where the figure is the loss."""

    @property
    def done(self) -> tuple[Point, ...]:
        """The points with a verified release."""
        return tuple(point for point in self.points if point.came == "done")

    @property
    def best(self) -> Point:
        """The point to take: under one promise, the one that loses least; under several, at their bend.

        Under each promise the point that loses least stands for it. Of these the one is taken that lies farthest below
        the line between their ends (risks as logarithms): past it, a little more of one costs much of the other.
        """
        placed = [point for point in self._least_by_strength().values() if self.value(point, self.risk) is not None]
        if not placed:
            raise ParameterError("no point has a release with both figures; points say why, or name other figures")
        placed = sorted(placed, key=lambda point: (-self._place(point)[0], self._place(point)[1]))
        kept = [p for p in placed if not any(_beats(self._place(other), self._place(p)) for other in placed)]
        return kept[_bend([self._place(point) for point in kept])]

    @property
    def has_best(self) -> bool:
        """Whether some point that can be advised has both figures."""
        return any(self.value(point, self.risk) is not None for point in self._least_by_strength().values())

    def value(self, point: Point, figure: str) -> float | None:
        """A figure of a point by its name, or that which stands for it; None where the release has none such."""
        return value_of(figure, point.figures)

    def front(self, *, risk: str | None = None, utility: str | None = None) -> list[Point]:
        """The points that no other is as good as in both figures and better than in one, by falling risk."""
        risk, utility = risk or self.risk, utility or self.utility
        signs = [-1.0 if about_axis(name).smaller_is_better is False else 1.0 for name in (risk, utility)]
        placed = []
        for point in self.done:
            values = [self.value(point, name) for name in (risk, utility)]
            if all(value is not None and math.isfinite(value) for value in values):
                placed.append((point, [sign * float(value) for sign, value in zip(signs, values, strict=True)]))  # type: ignore[arg-type]
        kept = [
            (point, place) for point, place in placed
            if not any(_beats(other, place) for _, other in placed)
        ]  # fmt: skip
        ordered = sorted(kept, key=lambda each: (-each[1][0], each[1][1]))
        return [point for point, _ in ordered]

    def release(self, point: Point) -> Release:
        """Publish a point again."""
        seed = self.seed if point.method.repeatable else None
        return publish(self.data, point.method, point.promise, seed=seed)

    def said(self) -> list[str]:
        """Which point to take and why, what others would cost, and what did not come to an end."""
        return list(self._sentences())

    def to_polars(self) -> pl.DataFrame:
        """A row for each point: method, promise, what came of it, and every figure, missing where there is none."""
        names = list(dict.fromkeys(name for point in self.points for name in point.figures))
        front = {id(point) for point in self.front()}
        rows = [
            {
                "method": point.label, "promise": point.strength, "came": point.came, "verdict": point.verdict,
                "front": id(point) in front, "seconds": point.seconds, "why": point.why or None,
                **{name: point.figures.get(name) for name in names},
            }
            for point in self.points
        ]  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_pandas(self) -> pd.DataFrame:
        """The rows of `to_polars` as a pandas frame, which is installed apart (`pip install pandas`)."""
        load_optional("pandas", to="a pandas frame")
        return self.to_polars().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, without the seed."""
        front = {id(point) for point in self.front()}
        return {
            "risk": self.risk, "utility": self.utility, "said": self.said(),
            "points": [{**point.to_dict(), "front": id(point) in front} for point in self.points],
        }  # fmt: skip

    def save(self, path: str | Path, *, source: str = "DATA", schema: str | None = "SCHEMA") -> Path:
        """Write the page with pictures and a table, for the owner alone; commands name `source` and `schema`."""
        from sfumato.verbs.comparing.page import page_of

        return Report(page_of(self, source, schema), owner=True).save(path)

    def plot(self) -> alt.LayerChart:
        """The picture of the page as an Altair chart: risk against loss, the front joined by a line."""
        from sfumato.verbs.comparing.page import chart_of

        return chart_of(self)

    def __len__(self) -> int:
        return len(self.points)

    def __str__(self) -> str:
        return "\n".join([*self.said(), *self._table_lines()])

    def __repr__(self) -> str:
        return fit_screen(f"Frontier({len(self.points)} points, {len(self.done)} done)\n{self}")

    def _repr_html_(self) -> str:
        heads = ("method", "promise", about_axis(self.risk).label, about_axis(self.utility).label, "seconds")
        rows = [
            (p.label, p.strength, _told(self.value(p, self.risk)), _told(self.value(p, self.utility)), _told(p.seconds))
            for p in self.front()
        ]  # fmt: skip
        return card(
            f"Frontier: {len(self.done)} of {len(self.points)} points", lines(self.said()),
            grid(heads, rows, numbers=(2, 3, 4)), small("for the owner: figures of the original"),
        )  # fmt: skip

    def _place(self, point: Point) -> tuple[float, float]:
        """Where a point lies: the logarithm of its risk, and its loss, the smaller the better."""
        risk, loss = (float(self.value(point, name) or 0.0) for name in (self.risk, self.utility))
        return math.log(max(risk, 1e-9)), -loss if about_axis(self.utility).smaller_is_better is False else loss

    def _table_lines(self) -> Iterator[str]:
        shown = self.done or self.points
        wide = max((len(point.label) for point in shown), default=0)
        strong = max((len(point.strength) for point in shown), default=0)
        front = {id(point) for point in self.front()}
        risk, utility = about_axis(self.risk).label, about_axis(self.utility).label
        yield f"  {'':{wide}}  {'':{strong}}  {risk}; {utility}; seconds (* none is better in both)"
        for point in shown:
            head = f"{'*' if id(point) in front else ' '} {point.label:{wide}}  {point.strength:{strong}}  "
            if point.came == "done":
                values = (self.value(point, name) for name in (self.risk, self.utility))
                yield head + "  ".join(f"{_told(value):>8}" for value in (*values, point.seconds))
            else:
                yield head + f"{point.came}: {point.why}" if point.why else head + point.came

    def _sentences(self) -> Iterator[str]:
        front = self.front()
        if not front:
            yield "No point has a release with both figures; the reasons stand beside them."
            return
        if not self.has_best:
            yield "No point that can be advised has both figures; the table tells what there is."
            return
        best, about = self.best, about_axis(self.utility)
        loss = self.value(best, self.utility)
        without = [point.label for point in self.done if self.value(point, self.risk) is None]
        yield (
            f"{'Of those that have both figures, take' if without else 'Take'} {best.label} with {best.strength}: "
            f"{about.label.lower()} {_told(loss)}, "
            f"{about_axis(self.risk).label.lower()} {_told(self.value(best, self.risk))}, {best.verdict}."
        )
        if self.floor is not None and self.floor.loss > 0 and loss is not None:
            sure = "" if self.floor.confidence == 1 else f" ({self.floor.confidence:.0%} confidence)"
            yield (
                f"That is at most {self.floor.above(loss):.0%} above what any method of classes could reach under this "
                f"promise{sure}."
            )
        rivals = [p for p in self.done if p.promise == best.promise and p is not best and best.promise is not None]
        known = [(value, p) for p in rivals if (value := self.value(p, self.utility)) is not None]
        if known and loss:
            value, rival = min(known, key=lambda pair: pair[0] if about.smaller_is_better is not False else -pair[0])
            yield f"Under the same promise the next is {rival.label}, {_told(value)} ({value / loss - 1:+.0%})."
        for strength, point in self._least_by_strength().items():
            value = self.value(point, self.utility)
            if strength != best.strength and value is not None and loss:
                yield f"With {strength} {point.label} would have {_told(value)} ({value / loss - 1:+.0%})."
        if without:
            yield f"Neither better nor worse, as they lack the figure of risk: {', '.join(dict.fromkeys(without))}."
        studied = dict.fromkeys(type(point.method).__name__ for point in self.done if point.method.for_study)
        if studied:
            yield f"For study, and not advised: {', '.join(studied)}."
        late = [point.label for point in self.points if point.came in ("too slow", "not tried")]
        if late:
            yield f"Without an end in the time there was: {', '.join(dict.fromkeys(late))}."
        refused = dict.fromkeys(type(point.method).__name__ for point in self.points if point.came == "refused")
        unfit = [name for name in refused if all(type(point.method).__name__ != name for point in self.done)]
        if unfit:
            yield f"Not for these data or promises: {', '.join(unfit)}; points say why."

    def _least_by_strength(self) -> dict[str, Point]:
        """Under each promise, or else for each strength, the point with the best figure of utility."""
        sign = -1.0 if about_axis(self.utility).smaller_is_better is False else 1.0
        advised = [point for point in self.done if not point.method.for_study]
        valued = [(sign * value, p) for p in advised if (value := self.value(p, self.utility)) is not None]
        promised = [pair for pair in valued if pair[1].promise is not None] or valued
        least = {point.strength: point for _, point in sorted(promised, key=lambda pair: -pair[0])}
        return dict(sorted(least.items(), key=lambda each: self.points.index(each[1])))


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and list(one) != list(other)


def _bend(places: Sequence[tuple[float, float]]) -> int:
    """The place farthest below the line from the first to the last, both axes scaled to 1; of two, the last."""
    (risk, loss), (last_risk, last_loss) = places[0], places[-1]
    if last_risk == risk or last_loss == loss:
        return len(places) - 1
    below = [(x - risk) / (last_risk - risk) - (y - loss) / (last_loss - loss) for x, y in places]
    return max(range(len(places)), key=lambda place: (below[place], place))


def _told(value: float | None) -> str:
    if value is None:
        return "lacking"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.1f}"
