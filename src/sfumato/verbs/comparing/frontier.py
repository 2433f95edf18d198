"""The frontier of a comparison: its points, those that none other beats, and which to take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
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
from sfumato.verbs.comparing.advice import advised, beats, point_to_take
from sfumato.verbs.comparing.common_figures import about_axis, name_of, value_of
from sfumato.verbs.comparing.extrapolation import Estimate
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.comparing.ranks import places
from sfumato.verbs.comparing.words import as_text, sentences, table_lines, told
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

    A large table is compared on `samples`. Figures are then told for the whole table where they can be extrapolated,
    with an interval (`estimate`), and points without such are not held against those that have them.

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
    samples: tuple[int, ...] = ()
    """The sizes of the samples that a large table was compared on, the largest first; none where all rows were."""

    @property
    def done(self) -> tuple[Point, ...]:
        """The points with a verified release."""
        return tuple(point for point in self.points if point.came == "done")

    @property
    def best(self) -> Point:
        """The point to take: under one promise, the one that loses least; under several, at their bend.

        Under each promise the point that loses least stands for it, and of equal losses the one with less risk. Of
        these the one is taken that lies farthest below the line between their ends (risks as logarithms): past it, a
        little more of one costs much of the other. Of two the stronger is taken where it lowers the risk by no smaller
        factor than it raises the loss by. A point in which everybody is found, and one that loses everything, is taken
        only where there is no other, and one without a promise where none has one.
        """
        taken = point_to_take(self)
        if taken is None:
            raise ParameterError("no point has a release with both figures; points say why, or name other figures")
        return taken

    @property
    def has_best(self) -> bool:
        """Whether some point that can be advised has both figures."""
        return bool(advised(self))

    def value(self, point: Point, figure: str) -> float | None:
        """A figure of a point by its name, or that which stands for it; None where the release has none such.

        On samples it is that of the whole table where there is an `estimate`, and else that of the largest sample.
        """
        estimate = self.estimate(point, figure)
        return value_of(figure, point.figures) if estimate is None else estimate.value

    def estimate(self, point: Point, figure: str) -> Estimate | None:
        """A figure of the whole table as samples tell it, with its interval; None where none is needed or known.

        A loss of classes is told as no less than the floor, and not at all where its whole interval is below.
        """
        name = name_of(figure, point.figures) or ""
        told = point.estimates.get(name)
        if told is None or self.floor is None or name != "gcp" or point.k < self.floor.k:
            return told
        return told.at_least(self.floor.loss) if "n_classes" in point.figures else told

    def places(self, point: Point) -> tuple[int, int] | None:
        """The first and the last place of a point under its promise, by the figure of utility; None where it has none.

        They are one and the same where all rows were looked at. On samples they tell which cannot be told apart.
        """
        if not any(point is each for each in self.comparable()) or value_of(self.utility, point.figures) is None:
            return None
        alike = [each for each in self.comparable() if each.strength == point.strength and each is not point]
        rivals = [each for each in alike if value_of(self.utility, each.figures) is not None]
        smaller = about_axis(self.utility).smaller_is_better is not False
        return places(point, rivals, self.utility, len(self.data), smaller=smaller)

    def comparable(self, *, risk: str | None = None, utility: str | None = None) -> list[Point]:
        """The points with a release whose figures are all of the whole table, or all of a sample, as the others are."""
        axes = (risk or self.risk, utility or self.utility)
        told = [name for name in axes if any(self.estimate(point, name) is not None for point in self.done)]
        return [point for point in self.done if all(self.estimate(point, name) is not None for name in told)]

    def front(self, *, risk: str | None = None, utility: str | None = None) -> list[Point]:
        """The points that no other is as good as in both figures and better than in one, by falling risk."""
        risk, utility = risk or self.risk, utility or self.utility
        signs = [-1.0 if about_axis(name).smaller_is_better is False else 1.0 for name in (risk, utility)]
        placed = []
        for point in self.comparable(risk=risk, utility=utility):
            values = [self.value(point, name) for name in (risk, utility)]
            if all(value is not None and math.isfinite(value) for value in values):
                placed.append((point, [sign * float(value) for sign, value in zip(signs, values, strict=True)]))  # type: ignore[arg-type]
        kept = [
            (point, place) for point, place in placed
            if not any(beats(other, place) for _, other in placed)
        ]  # fmt: skip
        ordered = sorted(kept, key=lambda each: (-each[1][0], each[1][1]))
        return [point for point, _ in ordered]

    def release(self, point: Point) -> Release:
        """Publish a point again."""
        seed = self.seed if point.method.repeatable else None
        return publish(self.data, point.maker, point.promise, seed=seed)

    def said(self) -> list[str]:
        """Which point to take and why, what others would cost, and what did not come to an end."""
        return list(sentences(self))

    def to_polars(self) -> pl.DataFrame:
        """A row for each point: method, promise, what came of it, and every figure, missing where there is none.

        On samples the figures are those of the largest, and both axes have columns more, for what is told of the whole
        table: `gcp_estimate`, `gcp_low` and `gcp_high`.
        """
        names = list(dict.fromkeys(name for point in self.points for name in point.figures))
        front = {id(point) for point in self.front()}
        rows = [
            {
                "method": point.label, "promise": point.strength, "came": point.came, "verdict": point.verdict,
                "front": id(point) in front, "seconds": point.seconds, "why": point.why or None,
                **dict(zip(("first_place", "last_place"), self.places(point) or (None, None), strict=True)),
                **self._estimated(point), **{name: point.figures.get(name) for name in names},
            }
            for point in self.points
        ]  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)

    def _estimated(self, point: Point) -> dict[str, float | None]:
        """What is told of the whole table on both axes, as columns; none where all rows were looked at."""
        found: dict[str, float | None] = {}
        for axis in dict.fromkeys((self.risk, self.utility)) if self.samples else ():
            told = self.estimate(point, axis)
            ends = (told.value, told.low, told.high) if told is not None else (None, None, None)
            found |= {f"{axis}_{end}": value for end, value in zip(("estimate", "low", "high"), ends, strict=True)}
        return found

    def to_pandas(self) -> pd.DataFrame:
        """The rows of `to_polars` as a pandas frame, which is installed apart (`pip install pandas`)."""
        load_optional("pandas", to="a pandas frame")
        return self.to_polars().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, without the seed."""
        front = {id(point) for point in self.front()}
        return {
            "risk": self.risk, "utility": self.utility, "said": self.said(), "samples": list(self.samples),
            "points": [
                {**point.to_dict(), **self._all_estimates(point), "front": id(point) in front,
                 "places": self.places(point)}
                for point in self.points
            ],
        }  # fmt: skip

    def _all_estimates(self, point: Point) -> dict[str, Any]:
        """What is told of the whole table, as plain data; nothing where all rows were looked at."""
        told = {name: self.estimate(point, name) for name in point.estimates}
        return {"estimates": {name: asdict(each) for name, each in told.items() if each is not None}} if told else {}

    def save(
        self, path: str | Path, *, source: str = "DATA", schema: str | None = "SCHEMA", reading: Sequence[str] = ()
    ) -> Path:
        """Write the page with pictures and a table, for the owner alone.

        Its commands name `source` and `schema`, and have the options of `reading`, by which the data were read.
        """
        from sfumato.verbs.comparing.page import page_of

        return Report(page_of(self, source, schema, reading), owner=True).save(path)

    def plot(self) -> alt.LayerChart:
        """The picture of the page as an Altair chart: risk against loss, the front joined by a line."""
        from sfumato.verbs.comparing.page import chart_of

        return chart_of(self)

    def __len__(self) -> int:
        return len(self.points)

    def __str__(self) -> str:
        return "\n".join([*self.said(), *table_lines(self)])

    def __repr__(self) -> str:
        return fit_screen(f"Frontier({len(self.points)} points, {len(self.done)} done)\n{self}")

    def _repr_html_(self) -> str:
        heads = ("method", "promise", about_axis(self.risk).label, about_axis(self.utility).label, "seconds")
        rows = [
            (p.label, p.strength, told(self, p, self.risk), told(self, p, self.utility), as_text(p.seconds))
            for p in self.front()
        ]  # fmt: skip
        return card(
            f"Frontier: {len(self.done)} of {len(self.points)} points", lines(self.said()),
            grid(heads, rows, numbers=(2, 3, 4)), small("for the owner: figures of the original"),
        )  # fmt: skip
