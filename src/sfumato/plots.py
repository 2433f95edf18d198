"""Pictures of releases, attacks and hierarchies as Altair charts, to be shown, changed, joined with `|` and saved.

Each says in its docstring who may see it. Those for readers show nothing that the release does not say already. Those
for the owner are computed from the original: a plot of them tells what the release withholds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.contracts.attack import Attacked, Success
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import ParameterError, suggest
from sfumato.ground.figures import Measures
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import any_whole, told
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.shape import shape_of
from sfumato.published.tables.cells import place_cells
from sfumato.published.tables.table import TableShape
from sfumato.release.release import Release
from sfumato.tables.attacks.row_matching import is_near
from sfumato.verbs.curse import Curse
from sfumato.verbs.threats import Panel

if TYPE_CHECKING:
    import altair as alt

__all__ = ["attacks", "before_after", "class_sizes", "curse", "hierarchy", "losses", "queries", "risk"]

_INK, _FAINT, _MAIN, _PALE, _ALERT = "#1d2a35", "#5a6876", "#1f6e8c", "#b9c5cf", "#b23a2a"
_SHADES = ("#a9cbd8", "#7fb1c4", "#4f95af", "#1f6e8c", "#123f50")
_WIDTH, _HEIGHT = 420, 240
_MOST_BARS = 60


@says_what_it_takes
def class_sizes(release: Release) -> alt.LayerChart:
    """How many classes a release has of each size, and where the promised k lies. For readers.

    `release` is one of a table that shows classes.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> chart = class_sizes(sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1))
    >>> chart.to_dict()["layer"][0]["encoding"]["x"]["title"]
    'rows in the class'
    """
    import altair as alt

    sizes, counts = np.unique(_classes(release).sizes, return_counts=True)
    rows = [{"size": int(size), "classes": int(n)} for size, n in zip(sizes, counts, strict=True)]
    bars = alt.Chart(_data(rows)).mark_bar(color=_MAIN).encode(
        x=alt.X("size:Q", title="rows in the class", axis=alt.Axis(tickMinStep=1, grid=False)),
        y=alt.Y("classes:Q", title="classes", axis=alt.Axis(tickMinStep=1)), tooltip=["size:Q", "classes:Q"],
    )  # fmt: skip
    return _sized(alt.layer(bars, *_rule_at_k(release, "size")))


@says_what_it_takes
def risk(release: Release) -> alt.LayerChart:
    """What share of the published rows is in classes of each size or smaller. For readers.

    In a class of n rows each is as likely as the others, 1 in n. `release` is one of a table that shows classes.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> chart = risk(sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1))
    >>> chart.to_dict()["layer"][0]["encoding"]["y"]["title"]
    'rows in such classes or smaller ones'
    """
    import altair as alt

    sizes, counts = np.unique(_classes(release).sizes, return_counts=True)
    shares = np.cumsum(sizes * counts) / max(int((sizes * counts).sum()), 1)
    pairs = zip(sizes.tolist(), shares.tolist(), strict=True)
    rows = [{"size": size, "share": share, "chance": 1 / size} for size, share in pairs]
    line = alt.Chart(_data(rows)).mark_line(color=_MAIN, interpolate="step-after", point={"color": _MAIN}).encode(
        x=alt.X("size:Q", title="rows in the class", axis=alt.Axis(tickMinStep=1, grid=False)),
        y=alt.Y("share:Q", title="rows in such classes or smaller ones", axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1])),
        tooltip=["size:Q", alt.Tooltip("share:Q", format=".1%"), alt.Tooltip("chance:Q", format=".1%")],
    )  # fmt: skip
    return _sized(alt.layer(line, *_rule_at_k(release, "size")))


@says_what_it_takes
def losses(measured: Release | Measures, figure: str = "ncp") -> alt.LayerChart:
    """How much of each column was given up, the most first. For readers, where the figure itself is public, as NCP is.

    `measured` is what `measure` found, or a release that is measured for it. `figure` names one of its figures that is
    split by column.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> losses(sf.measure(release)).to_dict()["layer"][0]["encoding"]["x"]["title"]
    'lost (ncp)'
    """
    import altair as alt

    if isinstance(measured, Release):
        from sfumato.verbs.measure import measure

        measured = measure(measured, relative=False)
    if not isinstance(measured, Measures):
        raise ParameterError(f"losses takes a Release or what measure found, got {told(measured)}")
    split = measured.by_column.get(figure) if isinstance(figure, str) else None
    if not split:
        raise ParameterError(f"no figure {told(figure)} is split by column{suggest(str(figure), measured.by_column)}")
    rows = [{"column": name, "loss": value} for name, value in sorted(split.items(), key=lambda pair: -pair[1])]
    base = alt.Chart(_data(rows[:_MOST_BARS])).encode(
        y=alt.Y("column:N", sort=None, title=None),
        x=alt.X("loss:Q", title=f"lost ({figure})", axis=alt.Axis(format="%"), scale=alt.Scale(domainMin=0)),
        tooltip=["column:N", alt.Tooltip("loss:Q", format=".2%")],
    )
    text = base.mark_text(align="left", dx=4, color=_INK).encode(text=alt.Text("loss:Q", format=".1%"))
    return _sized(alt.layer(base.mark_bar(color=_MAIN), text), height=alt.Step(22))


@says_what_it_takes
def hierarchy(rule: Hierarchy, values: Iterable[Any] | None = None) -> alt.Chart:
    """How many groups a hierarchy shows at each level, and how large they are. For readers, unless `values` are data.

    `rule` is a hierarchy. `values` are what it is drawn over, by default what the rule itself names.

    >>> import sfumato as sf
    >>> chart = hierarchy(sf.Hierarchy.intervals([5, 20], low=0, high=100))
    >>> [row["level"] for row in chart.data.values][-1]
    3
    """
    import altair as alt

    if not isinstance(rule, Hierarchy):
        raise ParameterError(f"hierarchy takes a Hierarchy, got {told(rule)}; make one as in Hierarchy.prefixes(5)")
    tree = rule.tree(values if values is not None else rule._examples())
    if not tree.n_leaves:
        raise ParameterError("the rule names no value by itself; give values, as in hierarchy(rule, column)")
    rows = []
    for level, nodes in enumerate(tree.level_nodes):
        shown, sizes = np.unique(nodes, return_counts=True)
        order = np.argsort([int(tree.first[node]) for node in shown])
        for node, size in zip(shown[order][:400], sizes[order][:400], strict=True):
            rows.append({"level": level, "group": tree.labels[node], "from": int(tree.first[node]),
                         "to": int(tree.first[node]) + int(size), "values": int(size),
                         "color": _shade(level, len(tree.level_nodes))})  # fmt: skip
    drawn = alt.Chart(_data(rows)).mark_bar(stroke="white", strokeWidth=1, height={"band": 0.8}).encode(
        x=alt.X("from:Q", title="values, in the order of the tree", axis=alt.Axis(grid=False)), x2="to:Q",
        y=alt.Y("level:O", title="level", sort="descending"),
        color=alt.Color("color:N", scale=None),
        tooltip=["level:O", "group:N", "values:Q"],
    )  # fmt: skip
    return _alone(drawn)


@says_what_it_takes
def before_after(release: Release, column: str, original: Table | None = None) -> alt.Chart:
    """A column in the original and as the published cells show it. For the owner alone: it shows original values.

    Every published row of `release` is spread evenly over the values that its cell covers. `column` is a published
    quasi-identifier. The `original` is by default the one that the owner's part still holds.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> sorted({row["when"] for row in before_after(release, "age").data.values})
    ['after', 'before']
    """
    import altair as alt

    from sfumato.report.counting import Steps, before_and_after

    shape, known = _table_and_original(release, original, "before_after")
    forms = {name: form for name, form in shape.forms.items() if name in known.columns and name in shape.frame.columns}
    if not isinstance(column, str) or column not in forms:
        raise ParameterError(f"no published quasi-identifier is called {told(column)}{suggest(str(column), forms)}")
    spec = known.schema.column(column)
    form: Form = "value" if forms[column] == "substitute" else forms[column]
    counted = before_and_after(
        place_cells(shape.frame[column], form, known.frame[column], spec), known.frame[column], spec
    )
    if counted is None:
        raise ParameterError(f"column {column!r} has no value to show")
    rows: list[dict[str, Any]] = []
    for when, counts in (("before", counted.before), ("after", counted.after or ())):
        shared = {"when": when, "color": _PALE if when == "before" else _MAIN}
        if isinstance(counted, Steps):
            edges = [edge * 86_400_000 for edge in counted.edges] if counted.dates else list(counted.edges)
            rows += [{**shared, "low": low, "high": high, "rows": n}
                     for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)]  # fmt: skip
        else:
            rows += [{**shared, "value": value, "rows": n} for value, n in zip(counted.labels, counts, strict=True)]
    said = _remark("pale: as recorded; blue: as the published cells show it")
    color = alt.Color("color:N", scale=None)
    if isinstance(counted, Steps):
        kind = "T" if counted.dates else "Q"
        drawn = alt.Chart(_data(rows)).mark_rect(opacity=0.65).encode(
            x=alt.X(f"low:{kind}", title=column, axis=alt.Axis(grid=False), scale=alt.Scale(nice=False)), x2="high",
            y=alt.Y("rows:Q", title="rows", stack=None, scale=alt.Scale(zero=True)), y2=alt.datum(0), color=color,
        )  # fmt: skip
        return _alone(drawn, height=_HEIGHT, title=said)
    drawn = alt.Chart(_data(rows)).mark_bar().encode(
        y=alt.Y("value:N", title=column, sort=None), x=alt.X("rows:Q", title="rows"), color=color,
        yOffset=alt.YOffset("when:N", sort=["before", "after"]),
        tooltip=["value:N", "when:N", alt.Tooltip("rows:Q", format=",.1f")],
    )  # fmt: skip
    return _alone(drawn, title=said)


@says_what_it_takes
def attacks(found: Panel | Attacked) -> alt.LayerChart:
    """What adversaries reach, with 95% intervals, beside what they reach without the release. For the owner alone.

    `found` is what `threats` or `attack` returned; of an attack, its shares are drawn.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> chart = attacks(sf.attack(release, sf.HomogeneityAttack(people=50)))
    >>> chart.to_dict()["layer"][0]["encoding"]["x"]["title"]
    'share of people'
    """
    import altair as alt

    if not isinstance(found, (Panel, Attacked)):
        raise ParameterError(f"attacks takes what threats or attack found, got {told(found)}")
    every: Iterable[tuple[str, Success]] = found.items() if isinstance(found, Attacked) else (
        (name, threat.success) for name, threat in found.items())  # fmt: skip
    shown = {name: each for name, each in every if each.unit == "share"}
    if not shown:
        raise ParameterError("nothing that was found is a share; read it as text, with print")
    rows = [
        {"what": name, "value": each.value, "baseline": each.baseline, "meaning": each.meaning,
         "low": each.value if each.low is None else each.low, "high": each.value if each.high is None else each.high}
        for name, each in shown.items()
    ]  # fmt: skip
    figures = [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("value", "low", "high", "baseline")]
    tooltip: list[Any] = ["what:N", *figures, "meaning:N"]
    base = alt.Chart(_data(rows)).encode(y=alt.Y("what:N", sort=None, title=None), tooltip=tooltip)
    x = alt.X("low:Q", title="share of people", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    layers = alt.layer(
        base.mark_rule(color=_MAIN, strokeWidth=3).encode(x=x, x2="high:Q"),
        base.mark_point(color=_MAIN, filled=True, size=90, opacity=1).encode(x="value:Q"),
        base.mark_tick(color=_ALERT, thickness=2.5, size=18).encode(x="baseline:Q"),
    )
    return _sized(layers, height=alt.Step(30), title=_remark("point and line: found; red: without the release"))


@says_what_it_takes
def curse(found: Curse, figure: str = "loss") -> alt.LayerChart:
    """What each further quasi-identifier does, a line for each k. For the owner alone: it is counted in the original.

    `found` is what `curse` returned. `figure` is `"loss"` (of making the records k-anonymous) or `"below"` (the share
    of records in classes below k, as recorded).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> chart = curse(sf.curse(hospital(100), (2, 5)))
    >>> len(chart.layer)
    4
    """
    import altair as alt

    if not isinstance(found, Curse):
        raise ParameterError(f"curse takes what sfumato.curse found, got {told(found)}")
    figures = {"loss": found.loss, "below": found.below}
    if not isinstance(figure, str) or figure not in figures:
        raise ParameterError(f"figure must be one of loss, below, got {told(figure)}")
    rows = [
        {"columns": f"{i + 1}. {name}", "share": figures[figure][k][i], "k": f"k = {k}",
         "color": _shade(place, len(found.ks))}
        for place, k in enumerate(found.ks)
        for i, name in enumerate(found.columns)
    ]  # fmt: skip
    title = "loss (GCP)" if figure == "loss" else "records in classes below k"
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("columns:N", sort=None, title="quasi-identifiers, added one by one", axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("share:Q", title=title, axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("color:N", scale=None), detail="k:N",
        tooltip=["k:N", "columns:N", alt.Tooltip("share:Q", format=".1%")],
    )  # fmt: skip
    last = f"{len(found.columns)}. {found.columns[-1]}"
    names = alt.Chart(_data([row for row in rows if row["columns"] == last])).mark_text(align="left", dx=6).encode(
        x=alt.X("columns:N", sort=None), y="share:Q", text="k:N", color=alt.Color("color:N", scale=None)
    )  # fmt: skip
    layers: list[Any] = [base.mark_line(), base.mark_point(filled=True, opacity=1), names]
    if figure == "loss":
        limit = alt.Chart(_data([{"limit": found.max_loss}])).mark_rule(color=_ALERT, strokeDash=[5, 3])
        layers.append(limit.encode(y="limit:Q"))
    return _sized(alt.layer(*layers))


@says_what_it_takes
def queries(
    release: Release, original: Table | None = None, *, n_queries: int = 100, seed: Seed | None = None
) -> alt.LayerChart:
    """Random counts as a reader of `release` estimates them, over the true ones. For the owner alone.

    The `original` is by default the one that the owner's part still holds. `n_queries` are drawn as `measure` draws
    them, the same each time unless a `seed` draws others. The nearer points are to the line, the better is the release.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> len(queries(release, n_queries=20).layer[1].data.values)
    20
    """
    import altair as alt

    from sfumato.tables.measures.queries import Workload, answer_queries

    shape, known = _table_and_original(release, original, "queries")
    if _plain_classes(shape) is None:
        raise ParameterError("queries compares classes of rows, and this release shows something else; use measure")
    random = Randomness(seed) if seed is not None else None
    workload = Workload(n_queries=any_whole("n_queries", n_queries, least=1), random=random)
    true, estimates, _, _ = answer_queries(shape.frame, shape.forms, known, workload)
    rows = [{"true": float(a), "estimate": float(b)} for a, b in zip(true, estimates, strict=True)]
    most = float(max(true.max(initial=1), estimates.max(initial=1)))
    x, y = alt.X("at:Q", title="records that meet the conditions"), alt.Y("at:Q", title="estimated from the release")
    line = alt.Chart(_data([{"at": 0.0}, {"at": most}])).mark_line(color=_PALE).encode(x=x, y=y)
    points = alt.Chart(_data(rows)).mark_point(color=_MAIN, filled=True, opacity=0.6).encode(
        x="true:Q", y="estimate:Q", tooltip=["true:Q", alt.Tooltip("estimate:Q", format=",.1f")]
    )  # fmt: skip
    return _sized(alt.layer(line, points))


def _data(rows: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    import altair as alt

    return alt.InlineData(values=list(rows))


def _remark(text: str) -> dict[str, Any]:
    return {"text": text, "fontWeight": "normal", "fontSize": 12, "anchor": "start", "color": _FAINT}


def _shade(place: int, n: int) -> str:
    """From pale to dark, in so many steps."""
    return _SHADES[place + len(_SHADES) - n if n <= len(_SHADES) else place * len(_SHADES) // n]


def _sized(chart: Any, **how: Any) -> alt.LayerChart:
    drawn: alt.LayerChart = chart.properties(**{"width": _WIDTH, "height": _HEIGHT, **how})
    return drawn


def _alone(chart: Any, **how: Any) -> alt.Chart:
    drawn: alt.Chart = chart.properties(width=_WIDTH, **how)
    return drawn


def _table_shape(release: Any, name: str) -> TableShape:
    if not isinstance(release, Release):
        raise ParameterError(f"{name} takes a Release, got {told(release)}; load one with load_release")
    shape = shape_of(release)
    if not isinstance(shape, TableShape):
        raise ParameterError(f"{name} is about releases of tables, and this is one of {type(release.data).__name__}")
    return shape


def _plain_classes(shape: TableShape) -> PublishedClasses | None:
    near = any(is_near(form) for form in shape.seen_forms.values())
    return shape.plain_classes() if shape.schema.quasi and not near else None


def _classes(release: Any) -> PublishedClasses:
    classes = _plain_classes(_table_shape(release, "the plot"))
    if classes is None or not classes.n_classes:
        raise ParameterError("this release shows no classes of rows that look the same; its report has other pictures")
    return classes


def _table_and_original(release: Any, original: Any, name: str) -> tuple[TableShape, Table]:
    shape = _table_shape(release, name)
    known = original if original is not None else release.owner.original if release.owner is not None else None
    if known is None:
        raise ParameterError(f"{name} compares with the original; give it, as in {name}(release, ..., original=table)")
    shape.refuse_other_data(known)
    return shape, known


def _rule_at_k(release: Release, axis: str) -> list[Any]:
    """A line at the least size that was promised, if one was."""
    import altair as alt

    parts = release.promise.parts if release.promise is not None else ()
    k = max((part.min_size() for part in parts if part.speaks_of == "classes"), default=0)
    if k < 2:
        return []
    at = alt.Chart(_data([{axis: k, "text": f"promised: {k}"}]))
    rule = at.mark_rule(color=_ALERT, strokeDash=[5, 3]).encode(x=f"{axis}:Q")
    label = at.mark_text(color=_ALERT, align="left", dx=4, dy=-6).encode(x=f"{axis}:Q", y=alt.value(0), text="text:N")
    return [rule, label]
