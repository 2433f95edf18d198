"""Charts of a report: altair drawings as inline SVG, from numbers that were counted beforehand.

Every chart is drawn in the few colours of `PALETTE`, without a background, so that the page's style sheet can
give each colour a second value for dark screens. Charts are about as wide as half a page, or a telephone.
"""

from __future__ import annotations

import html
import json
import math
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sfumato.report.counting import Bars, Steps

if TYPE_CHECKING:
    import altair as alt

    from sfumato.report.baskets_content import ItemBounds
    from sfumato.report.graphs_content import Curves, Line
    from sfumato.report.threats_content import ThreatShown

__all__ = [
    "PALETTE", "as_svg", "belief_chart", "bounds_chart", "class_size_chart", "comparison_chart", "degree_chart",
    "loss_chart", "skip_validation", "threats_chart", "tidy", "value_chart",
]  # fmt: skip

PALETTE: Mapping[str, str] = {
    "ink": "#1d2a35",
    "faint": "#5a6876",
    "grid": "#e4e9ed",
    "main": "#1f6e8c",
    "pale": "#b9c5cf",
    "alert": "#b23a2a",
    "card": "#ffffff",
}
_WIDTH = 432
_FONT = "Arial, Helvetica, sans-serif"
_SVG_TAG = re.compile(r"<svg [^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\"[^>]*>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff\ud800-\udfff]+")


_VALIDATION = threading.RLock()
"""altair has one switch for all threads."""


@contextmanager
def skip_validation() -> Iterator[None]:
    """Put charts together without the check against Vega-Lite's schema, which costs time at every report."""
    from altair.utils.schemapi import debug_mode

    with _VALIDATION, debug_mode(False):
        yield


def class_size_chart(sizes: Steps, k: int | None, *, title: str, noun: str = "class") -> str:
    """How many classes (or groups) there are of each size, and where the promised k lies."""
    import altair as alt

    scale = alt.Scale(type="log" if sizes.logarithmic else "linear", nice=False, zero=False, domain=sizes.domain)
    axis = alt.Axis(format="~s" if sizes.edges[-1] >= 10_000 else ",d", tickMinStep=1, grid=False, labelOverlap=True)
    count_axis = alt.Axis(format="~s" if max(sizes.before) >= 10_000 else ",d", tickMinStep=1, tickCount=5)
    bars = (
        alt.Chart(_boxes(sizes.edges, sizes.before))
        .mark_rect(color=PALETTE["main"], stroke=PALETTE["card"], strokeWidth=0.75)
        .encode(
            x=alt.X("low:Q", title=f"rows in the {noun}", scale=scale, axis=axis),
            x2="high:Q",
            y=alt.Y("top:Q", title="classes" if noun == "class" else f"{noun}s", axis=count_axis),
            y2="base:Q",
        )
    )
    layers: list[Any] = [bars]
    if k is not None:
        at = alt.Chart(_rows(k=[k - 0.5], text=[f"promised: k = {k:,}"]))
        layers.append(at.mark_rule(color=PALETTE["alert"], strokeWidth=1.5, strokeDash=[5, 3]).encode(x="k:Q"))
        label = at.mark_text(color=PALETTE["alert"], align="left", baseline="bottom", dx=3, dy=-4, fontSize=12)
        layers.append(label.encode(x="k:Q", y=alt.value(0), text="text:N"))
    return as_svg(alt.layer(*layers).properties(width=_WIDTH, height=210), title)


def loss_chart(losses: Bars, *, title: str, axis: str = "lost (NCP)") -> str:
    """How much of each column was given up, in per cent."""
    import altair as alt

    base = alt.Chart(_rows(label=_distinct_labels(losses.labels), value=losses.before)).encode(
        y=alt.Y("label:N", sort=None, title=None, axis=_label_axis()),
        x=alt.X("value:Q", title=axis, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=5)),
    )
    bars = base.mark_bar(color=PALETTE["main"], height={"band": 0.72})
    text = base.mark_text(color=PALETTE["ink"], align="left", dx=4, fontSize=12).encode(
        text=alt.Text("value:Q", format=".1%"), x=alt.X("value:Q")
    )
    return as_svg((bars + text).properties(width=_WIDTH, height=alt.Step(23)), title)


def value_chart(values: Bars | Steps, *, title: str, unit: str = "rows") -> str:
    """The distribution of a published column."""
    if isinstance(values, Steps):
        return as_svg(_histogram(values, unit=unit).properties(width=_WIDTH, height=180), title)
    import altair as alt

    bars = (
        alt.Chart(_rows(label=_distinct_labels(values.labels), count=values.before))
        .mark_bar(color=PALETTE["main"], height={"band": 0.72})
        .encode(
            y=alt.Y("label:N", sort=None, title=None, axis=_label_axis()),
            x=alt.X("count:Q", title=unit, axis=_count_axis(max(values.before, default=0))),
        )
    )
    return as_svg(bars.properties(width=_WIDTH, height=alt.Step(21)), title)


def bounds_chart(values: ItemBounds, *, title: str) -> str:
    """A bar from the lower to the upper bound of each count, with the count by base vectors as a line in it."""
    import altair as alt

    rows = _rows(label=_distinct_labels(values.labels), low=values.low, base=values.base, high=values.high)
    axis = _count_axis(max(values.high, default=0))
    shared = alt.Chart(rows).encode(y=alt.Y("label:N", sort=None, title=None, axis=_label_axis()))
    bars = shared.mark_bar(color=PALETTE["pale"], height={"band": 0.72}).encode(
        x=alt.X("low:Q", title="records", axis=axis, scale=alt.Scale(zero=True)), x2="high:Q"
    )
    ticks = shared.mark_tick(color=PALETTE["main"], thickness=2.5, size=15).encode(x="base:Q")
    return as_svg((bars + ticks).properties(width=_WIDTH, height=alt.Step(21)), title)


def comparison_chart(values: Bars | Steps, *, title: str, unit: str = "rows") -> str:
    """A column before (pale) and after (full colour)."""
    import altair as alt

    if isinstance(values, Steps):
        after = list(values.after or ())
        line = (
            alt.Chart(_rows(x=_bin_ends(values), rows=[*after, after[-1]]))
            .mark_line(color=PALETTE["main"], strokeWidth=2, interpolate="step-after", strokeJoin="miter")
            .encode(x=_x_of(values, "x"), y="rows:Q")
        )
        both = alt.layer(_histogram(values, PALETTE["pale"]), line)
        return as_svg(both.properties(width=_WIDTH, height=180), title)
    labels = [label for label in _distinct_labels(values.labels) for _ in range(2)]
    counts = [count for pair in zip(values.before, values.after or (), strict=True) for count in pair]
    bars = (
        alt.Chart(_rows(label=labels, when=["before", "after"] * len(values.labels), count=counts))
        .mark_bar()
        .encode(
            y=alt.Y("label:N", sort=None, title=None, axis=_label_axis(), scale=alt.Scale(paddingInner=0.28)),
            yOffset=alt.YOffset("when:N", sort=None),
            x=alt.X("count:Q", title=unit, axis=_count_axis(max(counts, default=0))),
            color=alt.Color(
                "when:N", legend=None,
                scale=alt.Scale(domain=["before", "after"], range=[PALETTE["pale"], PALETTE["main"]]),
            ),
        )
    )  # fmt: skip
    return as_svg(bars.properties(width=_WIDTH, height=alt.Step(11, **{"for": "offset"})), title)


def degree_chart(seen: Line, estimated: Line | None, true: Line | None, *, title: str) -> str:
    """The share of vertices with each degree or more: published (pale), estimated, true (dashed)."""
    import altair as alt

    top = max(degree for line in (seen, estimated, true) if line for degree, _ in line)
    least = min(share for line in (seen, estimated, true) if line for _, share in line)
    bottom, decades = min(10.0 ** math.floor(math.log10(least)), 0.1), math.log10(max(top, 10))
    ticks = [
        digit * 10**power
        for power in range(math.ceil(decades) + 1)
        for digit in ((1, 2, 5) if decades < 3 else (1, 3) if decades < 4 else (1,))
    ]
    layers = []
    looks: tuple[tuple[Line | None, str, float, list[int]], ...] = (
        (seen, "pale", 3.5, [1, 0]), (estimated, "main", 2, [1, 0]), (true, "ink", 1.4, [3, 3])
    )  # fmt: skip
    for line, color, width, dash in looks:
        if line:
            drawn = alt.Chart(_rows(x=[degree for degree, _ in line], y=[share for _, share in line]))
            mark = drawn.mark_line(color=PALETTE[color], strokeWidth=width, strokeDash=dash)
            if len(line) == 1:
                mark = drawn.mark_point(filled=True, color=PALETTE[color], size=30 * width)
            layers.append(mark.encode(
                x=alt.X("x:Q", title="neighbours, or more",
                        scale=alt.Scale(type="log", domain=[1, max(top, 10)], nice=False),
                        axis=alt.Axis(grid=False, values=ticks, format="~s" if top >= 10_000 else ",d")),
                y=alt.Y("y:Q", title="vertices", scale=alt.Scale(type="log", domain=[bottom, 1], nice=False),
                        axis=alt.Axis(values=_decades(bottom), format="~%")),
            ))  # fmt: skip
    return as_svg(alt.layer(*layers).properties(width=_WIDTH, height=230), title)


def belief_chart(curves: Curves, *, title: str) -> str:
    """How likely an edge is after it is published as one, or as none (pale), over how likely it was before."""
    import altair as alt

    rows = _rows(before=curves.before, edge=curves.edge, none=curves.none)
    low = curves.before[0]
    x = alt.X("before:Q", title="held for likely before", scale=alt.Scale(type="log", domain=[low, 0.5], nice=False),
              axis=alt.Axis(grid=False, values=[*_decades(low)[:-1], 0.5], format="~%"))  # fmt: skip
    axis = alt.Axis(format=".0%", tickCount=5)
    base = alt.Chart(rows).encode(x=x)
    layers: list[Any] = [
        base.mark_line(color=PALETTE["faint"], strokeWidth=1, strokeDash=[3, 3]).encode(
            y=alt.Y("before:Q", title="and after", scale=alt.Scale(domain=[0, 1]), axis=axis)
        ),
        base.mark_line(color=PALETTE["pale"], strokeWidth=3.5).encode(y="none:Q"),
        base.mark_line(color=PALETTE["main"], strokeWidth=2).encode(y="edge:Q"),
    ]
    if curves.average is not None:
        at = alt.Chart(_rows(x=[curves.average], text=["any two people"]))
        layers.append(at.mark_rule(color=PALETTE["alert"], strokeWidth=1.5, strokeDash=[5, 3]).encode(x="x:Q"))
        right = curves.average > math.sqrt(low)
        label = at.mark_text(color=PALETTE["alert"], align="right" if right else "left", baseline="bottom",
                             dx=-3 if right else 3, dy=-4, fontSize=12)  # fmt: skip
        layers.append(label.encode(x="x:Q", y=alt.value(0), text="text:N"))
    return as_svg(alt.layer(*layers).properties(width=_WIDTH, height=230), title)


def threats_chart(threats: Sequence[ThreatShown], *, title: str) -> str:
    """How far each threat got, with its interval, and (pale) how far it gets without the release."""
    import altair as alt

    rows = _rows(
        label=[each.name for each in threats], value=[each.value for each in threats],
        low=[each.value if each.low is None else each.low for each in threats],
        high=[each.value if each.high is None else each.high for each in threats],
        baseline=[each.baseline for each in threats],
    )  # fmt: skip
    axis = alt.Axis(format=".0%", tickCount=5)
    shared = alt.Chart(rows).encode(y=alt.Y("label:N", sort=None, title=None, axis=_label_axis()))
    x = alt.X("value:Q", title="people", scale=alt.Scale(domain=[0, 1]), axis=axis)
    layers = [
        shared.mark_bar(color=PALETTE["main"], height={"band": 0.5}).encode(x=x),
        shared.mark_rule(color=PALETTE["ink"], strokeWidth=1.5).encode(x="low:Q", x2="high:Q"),
        shared.mark_tick(color=PALETTE["alert"], thickness=3, size=26).encode(x="baseline:Q"),
    ]
    return as_svg(alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(38)), title)


def _decades(low: float) -> list[float]:
    return [10.0**power for power in range(math.floor(math.log10(low) + 1e-9), 1)]


def _histogram(values: Steps, color: str = PALETTE["main"], unit: str = "rows") -> Any:
    import altair as alt

    return (
        alt.Chart(_boxes(_bin_ends(values), values.before))
        .mark_rect(color=color, stroke=PALETTE["card"], strokeWidth=0.5)
        .encode(
            x=_x_of(values, "low"),
            x2="high",
            y=alt.Y("top:Q", title=unit, axis=_count_axis(max([*values.before, *(values.after or ())]))),
            y2="base:Q",
        )
    )


def _bin_ends(values: Steps) -> list[float]:
    """Where bins end; dates as milliseconds."""
    return [edge * 86_400_000 for edge in values.edges] if values.dates else list(values.edges)


def _x_of(values: Steps, name: str) -> alt.X:
    import altair as alt

    if values.dates:
        axis = alt.Axis(grid=False, labelOverlap=True, tickCount=6)
        return alt.X(f"{name}:T", title=None, scale=alt.Scale(type="utc", nice=False), axis=axis)
    top = max(abs(edge) for edge in values.edges)
    form = "~s" if top >= 100_000 else alt.Undefined if top >= 10_000 else "~f"  # a year has no separator
    axis = alt.Axis(grid=False, labelOverlap=True, tickCount=6, format=form)
    return alt.X(f"{name}:Q", title=None, scale=alt.Scale(zero=False, nice=False), axis=axis)


def _count_axis(top: float) -> alt.Axis:
    import altair as alt

    form, zero = "~s" if top >= 10_000 else ",d", "datum.value == 0 ? '0' : datum.label"  # and not 0k
    return alt.Axis(format=form, labelExpr=zero, tickMinStep=1, tickCount=5, labelOverlap=True)


def _label_axis() -> alt.Axis:
    import altair as alt

    return alt.Axis(labelLimit=220, labelPadding=6, grid=False, ticks=False, domain=False)


def _boxes(edges: Sequence[float], counts: Sequence[float]) -> alt.InlineData:
    return _rows(low=edges[:-1], high=edges[1:], base=[0] * len(counts), top=counts)


def _rows(**columns: Sequence[Any]) -> alt.InlineData:
    import altair as alt

    names = list(columns)
    rows = zip(*columns.values(), strict=True)
    return alt.InlineData(
        values=[{name: _plain(value) for name, value in zip(names, row, strict=True)} for row in rows]
    )


def _distinct_labels(labels: Sequence[str]) -> list[str]:
    """Labels made different by spaces at their end where they would look the same, so that no two share a bar."""
    taken: dict[str, None] = {}
    for label in labels:
        shown = _short(tidy(label)) or "(blank)"
        while shown in taken:
            shown += " "
        taken[shown] = None
    return list(taken)


def _short(label: str) -> str:
    """Both ends of a long label; a renderer that has to cut thousands of characters takes seconds to do so."""
    return label if len(label) <= 26 else f"{label[:16]}…{label[-8:]}"


def _plain(value: Any) -> Any:
    return tidy(value) if isinstance(value, str) else float(value)


def tidy(text: str) -> str:
    """Text without the characters that SVG cannot hold."""
    return _CONTROL.sub("\ufffd", text)


def as_svg(chart: Any, title: str, *, fit: bool = True) -> str:
    """The chart as one `<svg>` with a title that is read aloud, and nothing in it that names or numbers itself.

    The width of the chart is that of the whole with its axes; without `fit`, as charts side by side need, it is not.
    """
    axis = {
        "labelFont": _FONT, "labelFontSize": 12, "labelColor": PALETTE["faint"], "titleFont": _FONT,
        "titleFontSize": 12, "titleFontWeight": "normal", "titleColor": PALETTE["faint"],
        "gridColor": PALETTE["grid"], "domainColor": PALETTE["faint"], "tickColor": PALETTE["faint"], "tickSize": 4,
        "aria": False,
    }  # fmt: skip
    spec = chart.to_dict(validate=False)  # the tests look whether it is one
    spec["background"] = None
    if fit:
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec["padding"] = {"left": 2, "right": 14, "top": 6, "bottom": 2}
    spec["config"] = {
        "font": _FONT, "axis": axis, "aria": False, "view": {"stroke": None}, "text": {"font": _FONT},
        "mark": {"aria": False},
    }  # fmt: skip
    drawn = _convert_to_svg(json.dumps(spec, sort_keys=True))
    match = _SVG_TAG.match(drawn)
    assert match is not None, drawn[:200]
    width, height = match[1], match[2]
    head = (
        f'<svg role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><title>{html.escape(tidy(title[:300]))}</title>'
    )
    return head + drawn[match.end() :]


@lru_cache(maxsize=64)
def _convert_to_svg(spec: str) -> str:
    """A chart as SVG; most of those on the public page are on the owner's as well."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(json.loads(spec)))
