"""A comparison of methods as a picture and as a page: each point at its risk and its loss, and the one to take.

Both tell of the original and are for the owner alone. They take plain data, so that whoever compared may be anybody.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sfumato
from sfumato.ground.brief import brief_number
from sfumato.report.charts import PALETTE, as_svg, skip_validation, tidy
from sfumato.report.comparison_axes import axes, is_logarithmic, losses_between, place, risks_between
from sfumato.report.standalone import page_template, style_sheet

if TYPE_CHECKING:
    import altair as alt

__all__ = ["FAMILY_COLORS", "ComparedRow", "Comparison", "comparison_chart", "render_comparison"]

FAMILY_COLORS: tuple[tuple[str, str], ...] = (
    ("#1f6f8d", "#5db4d3"), ("#c8602a", "#f0955f"), ("#3d8a4d", "#7cc98b"), ("#874ca1", "#c795df"),
    ("#b58a12", "#e3c056"), ("#b03f78", "#e887b4"), ("#4861b8", "#93a7f0"), ("#795b42", "#c2a184"),
    ("#239a90", "#5fd3c8"), ("#6d7d2c", "#b5c56a"),
)  # fmt: skip
"""The colours of methods, each on white and on dark; none is a colour of `PALETTE`, which has its own dark ones."""

_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_WIDE, _NARROW = 866, 338
_MOST_ON_LINE = 26
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


@dataclass(frozen=True, kw_only=True)
class ComparedRow:
    """A method with a promise: what came of it, where it lies, and how to do it again.

    `family` is the method without its parameters, `came` is `"done"` or a word for why there is no release, and `why`
    that reason. A figure that the release does not have is None, one that is extrapolated from samples has an interval,
    and one that is of a sample alone says so by `on_sample`. `command` is None where only a recipe can say it.
    """

    label: str
    strength: str
    family: str
    came: str
    verdict: str = ""
    risk: float | None = None
    utility: float | None = None
    risk_interval: tuple[float, float] | None = None
    utility_interval: tuple[float, float] | None = None
    seconds: float | None = None
    on_sample: tuple[bool, bool] = (False, False)
    front: bool = False
    best: bool = False
    command: str | None = None
    recipe: str = ""
    why: str = ""

    @property
    def drawn(self) -> bool:
        """Whether it has a place in the picture: both figures."""
        return self.came == "done" and all(
            each is not None and math.isfinite(each) for each in (self.risk, self.utility)
        )


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What the page of a comparison shows. A smaller figure is the better one, unless it is said to be otherwise."""

    title: str
    said: Sequence[str]
    risk_label: str
    risk_meaning: str
    utility_label: str
    utility_meaning: str
    rows: Sequence[ComparedRow] = field(default_factory=list)
    more_risk_is_better: bool = False
    more_utility_is_better: bool = False
    samples: Sequence[int] = ()
    """The sizes of the samples that the figures come from; none where they are of all rows."""

    @property
    def done(self) -> list[ComparedRow]:
        """The points with a release: by strength, numbers as numbers, and from the best figure of utility on."""
        sign = -1.0 if self.more_utility_is_better else 1.0
        done = [row for row in self.rows if row.came == "done"]
        return sorted(
            done,
            key=lambda row: (
                _natural(row.strength),
                math.inf if row.utility is None else sign * row.utility,
                row.label,
            ),
        )

    @property
    def drawn(self) -> list[ComparedRow]:
        """The points with both figures."""
        return [row for row in self.rows if row.drawn]

    @property
    def families(self) -> list[str]:
        """The methods in the picture, by name."""
        return sorted({row.family for row in self.drawn}, key=str.lower)

    @property
    def best(self) -> ComparedRow | None:
        """The point to take."""
        return next((row for row in self.rows if row.best), None)

    @property
    def better(self) -> str:
        """The corner of the picture where the best points would be."""
        rows = "upper" if self.more_utility_is_better else "lower"
        return f"{rows} {'right' if self.more_risk_is_better else 'left'}"


@dataclass(frozen=True)
class Unmade:
    """A reason for which points have no release, and which these are."""

    names: list[str]
    came: str
    why: str


def comparison_chart(comparison: Comparison) -> alt.LayerChart:
    """Risk over utility, a colour for each method, the front as a line and the point to take in a ring.

    A click on a method in the legend brings it out; the tooltip of a point has its command.
    """
    return _picture(comparison, width=560, height=360, legend={"orient": "right"}, moves=True)


def render_comparison(comparison: Comparison) -> str:
    """One HTML page without scripts or anything fetched from elsewhere; the same input gives the same bytes."""
    from markupsafe import Markup

    pictures: dict[str, Any] = {}
    if comparison.drawn:
        title = f"{comparison.risk_label} and {comparison.utility_label} of {len(comparison.drawn)} points"
        wide = {"orient": "right", "offset": 14}
        narrow = {"orient": "bottom", "columns": 2, "offset": 10, "labelLimit": 116}
        with skip_validation():
            drawn = {
                "wide": as_svg(_picture(comparison, width=_WIDE, height=400, legend=wide), title),
                "narrow": as_svg(_picture(comparison, width=_NARROW, height=340, legend=narrow), title),
            }
            if len(comparison.families) > 1:
                apart = f"{title}, each method apart"
                drawn["panels_wide"] = as_svg(_panels(comparison, _WIDE, most=5), apart, fit=False)
                drawn["panels_narrow"] = as_svg(_panels(comparison, _NARROW, most=2), apart, fit=False)
        pictures = {name: Markup(svg) for name, svg in drawn.items()}
    page: str = page_template("comparison").render(
        comparison=comparison, pictures=pictures, unmade=unmade(comparison.rows), told=_told, style=style_sheet(),
        colors=FAMILY_COLORS, version=sfumato.__version__,
    )  # fmt: skip
    return page


def unmade(rows: Sequence[ComparedRow]) -> list[Unmade]:
    """The points without a release, by their reasons; those that differ in the promise or the method alone are one."""
    alike: dict[tuple[str, str], list[ComparedRow]] = {}
    for row in rows:
        if row.came != "done":
            alike.setdefault((row.came, _in_general(row)), []).append(row)
    found = []
    for (came, why), group in alike.items():
        families = {row.family: [each for each in group if each.family == row.family] for row in group}
        names = [name for members in families.values() for name in _named(members, rows)]
        same = len({row.why for row in group}) == 1
        found.append(Unmade(list(dict.fromkeys(names)), came, group[0].why if same else why))
    return found


def _in_general(row: ComparedRow) -> str:
    """The reason, without the names of its promise and of its method."""
    why = row.why.replace(row.strength, "the promise") if row.strength else row.why
    return re.sub(rf"\b{re.escape(row.family)}\b", "the method", why) if row.family else why


def _named(group: Sequence[ComparedRow], rows: Sequence[ComparedRow]) -> Iterator[str]:
    """The points of a group, in as few words as name them and no other points."""
    inside = {id(row) for row in group}
    if all(id(row) in inside for row in rows if row.family == group[0].family):
        yield group[0].family
        return
    for row in group:
        whole = all(id(each) in inside for each in rows if each.label == row.label)
        yield row.label if whole else f"{row.label} with {row.strength}"


def _picture(
    comparison: Comparison, *, width: int, height: int, legend: dict[str, Any], moves: bool = False
) -> alt.LayerChart:
    """The points in layers: the front's line below them, the ring and the name of the best above."""
    import altair as alt

    rows = comparison.drawn
    names, x, y = comparison.families, *axes(comparison)
    colors, shapes = _looks(len(names))
    key = alt.Legend(
        title=None, labelColor=PALETTE["faint"], labelFontSize=12, symbolSize=80, rowPadding=4,
        symbolOpacity=1, **{"labelLimit": 170, **legend},
    )  # fmt: skip
    points = alt.Chart(_data(rows)).mark_point(filled=True, stroke=PALETTE["card"], strokeWidth=0.8).encode(
        x=x, y=y,
        color=alt.Color("family:N", scale=alt.Scale(domain=names, range=colors), legend=key),
        shape=alt.Shape("family:N", scale=alt.Scale(domain=names, range=shapes), legend=key),
        size=alt.condition("datum.front", alt.value(110), alt.value(60)),
        opacity=alt.value(0.92),
        tooltip=[
            alt.Tooltip("label:N", title="method"), alt.Tooltip("strength:N", title="promise"),
            alt.Tooltip("risk:Q", title=comparison.risk_label, format=".4~r"),
            alt.Tooltip("utility:Q", title=comparison.utility_label, format=".4~r"),
            alt.Tooltip("verdict:N"), alt.Tooltip("seconds:Q", format=",.2f"), alt.Tooltip("command:N"),
        ],
    )  # fmt: skip
    if moves:
        chosen = alt.selection_point(name="method", fields=["family"], bind="legend")
        points = points.encode(opacity=alt.condition(chosen, alt.value(0.92), alt.value(0.12))).add_params(chosen)
    front = sorted((row for row in rows if row.front), key=lambda row: (row.risk or 0.0, row.utility or 0.0))
    line = alt.Chart(_data(front)).mark_line(color=PALETTE["faint"], strokeWidth=1.2)
    layers: list[Any] = [line.encode(x=x, y=y, order="risk:Q"), points, *_intervals(rows, x, y)]
    best = comparison.best
    if best is not None and best.drawn:
        layers += _ringed(best, comparison, x, y)
    together: Any = alt.layer(*layers)
    drawn: alt.LayerChart = together.properties(width=width, height=height)
    return drawn


def _intervals(rows: Sequence[ComparedRow], x: Any, y: Any) -> list[Any]:
    """Rules from end to end of each interval, across for risks and upwards for utility."""
    import altair as alt

    risks, losses = ([row for row in rows if row.risk_interval], [row for row in rows if row.utility_interval])
    found = []
    if risks:
        across = alt.Chart(_data(risks)).mark_rule(color=PALETTE["faint"], strokeWidth=1, opacity=0.6)
        found.append(across.encode(x=x, x2="risk_high:Q", y=y).transform_calculate(risk="datum.risk_low"))
    if losses:
        upwards = alt.Chart(_data(losses)).mark_rule(color=PALETTE["faint"], strokeWidth=1, opacity=0.6)
        found.append(upwards.encode(x=x, y=y, y2="utility_high:Q").transform_calculate(utility="datum.utility_low"))
    return found


def _ringed(best: ComparedRow, comparison: Comparison, x: Any, y: Any) -> list[Any]:
    """A ring around the best point, and its name towards the better corner, where no other point can be."""
    import altair as alt

    rows, at = comparison.drawn, alt.Chart(_data([best]))
    ring = at.mark_point(filled=False, shape="circle", color=PALETTE["ink"], size=340, strokeWidth=2, opacity=1)
    across = place(best.risk or 0.0, *risks_between(rows), logarithmic=is_logarithmic(rows))
    up = place(best.utility or 0.0, *losses_between(rows), logarithmic=False)
    right = across < 0.7 if comparison.more_risk_is_better else across < 0.3  # of the point, unless it would be cut
    above = up < (0.85 if comparison.more_utility_is_better or right else 0.15)
    side: dict[str, Any] = {
        "align": "left" if right else "right", "dx": 10 if right else -10, "fontSize": 12, "lineBreak": "\n",
        "baseline": "bottom" if above else "top", "dy": -24 if above else 9,
    }  # fmt: skip
    name = alt.value("\n".join(_shortened(each) for each in (best.label, best.strength) if each))
    halo = at.mark_text(**side, color=PALETTE["card"], stroke=PALETTE["card"], strokeWidth=4, opacity=0.85)
    text = at.mark_text(**side, color=PALETTE["ink"], fontWeight="bold")
    return [ring.encode(x=x, y=y), halo.encode(x=x, y=y, text=name), text.encode(x=x, y=y, text=name)]


def _panels(comparison: Comparison, width: int, *, most: int) -> alt.ConcatChart:
    """A small picture for each method: its own points, joined from strength to strength, and all others in grey."""
    import altair as alt

    names, rows = comparison.families, comparison.drawn
    columns = min(most, len(names))
    if most > 3 and len(names) > most:  # one less where fewer places stay empty in the last row
        columns = min((most, most - 1), key=lambda n: -len(names) % n)
    wide = min(round((width - 48 - 18 * (columns - 1)) / columns), 240)
    panels = []
    for number, (name, color, shape) in enumerate(zip(names, *_looks(len(names)), strict=True)):
        x, y = axes(comparison, left=number % columns == 0, bottom=number + columns >= len(names), small=True)
        own = sorted((row for row in rows if row.family == name), key=lambda row: _natural(row.strength))
        others = [row for row in rows if row.family != name]
        mine = alt.Chart(_data(own)).encode(x=x, y=y)
        layers = alt.layer(
            alt.Chart(_data(others)).mark_point(filled=True, color=PALETTE["pale"], size=12, opacity=0.8)
            .encode(x=x, y=y),
            mine.mark_line(color=color, strokeWidth=1.2).encode(detail="label:N", order="place:O"),
            mine.mark_point(filled=True, color=color, shape=shape, size=46, opacity=1),
        )  # fmt: skip
        title = {"text": tidy(name), "color": PALETTE["ink"], "fontSize": 12, "fontWeight": "bold", "anchor": "start",
                 "limit": wide, "offset": 6}  # fmt: skip
        panels.append(layers.properties(width=wide, height=104, title=title))
    drawn: alt.ConcatChart = alt.concat(*panels, columns=columns, spacing={"row": 14, "column": 18})
    return drawn


def _looks(n: int) -> tuple[list[str], list[str]]:
    """So many colours and shapes: when colours are at their end, they come again in another shape."""
    colors = [FAMILY_COLORS[i % len(FAMILY_COLORS)][0] for i in range(n)]
    return colors, [_SHAPES[i // len(FAMILY_COLORS) % len(_SHAPES)] for i in range(n)]


def _data(rows: Sequence[ComparedRow]) -> alt.InlineData:
    import altair as alt

    return alt.InlineData(
        values=[
            {
                "label": tidy(row.label), "strength": tidy(row.strength), "family": tidy(row.family),
                "verdict": tidy(row.verdict), "risk": row.risk, "utility": row.utility, "seconds": row.seconds,
                **_ends_of("risk", row.risk_interval), **_ends_of("utility", row.utility_interval),
                "front": row.front, "best": row.best, "command": tidy(row.command or "by a recipe"), "place": place,
            }
            for place, row in enumerate(rows)
        ]
    )  # fmt: skip


def _ends_of(name: str, interval: tuple[float, float] | None) -> dict[str, float]:
    return {f"{name}_low": interval[0], f"{name}_high": interval[1]} if interval is not None else {}


def _natural(text: str) -> list[tuple[int, float, str]]:
    """A key that sorts the numbers in a text as numbers."""
    return [(0, float(part), "") if _NUMBER.fullmatch(part) else (1, 0.0, part) for part in _NUMBER.split(text) if part]


def _shortened(text: str) -> str:
    plain = tidy(text)
    return plain if len(plain) <= _MOST_ON_LINE else f"{plain[: _MOST_ON_LINE - 1]}…"


def _told(value: float | None, interval: tuple[float, float] | None = None, on_sample: bool = False) -> str:  # noqa: FBT001, FBT002
    if value is None or not math.isfinite(value):
        return "lacking"
    if interval is not None:
        return f"about {_told(value)} ({_told(interval[0])} to {_told(interval[1])})"
    return brief_number(value) + (" on the sample" if on_sample else "")
