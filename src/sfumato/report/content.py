"""The content of the public report on a table, gathered from the release alone: nothing here looks at the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato import __version__
from sfumato.data.schema import Column, Schema
from sfumato.data.values import text
from sfumato.ground.figures import Measures
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.tables.condensed import CondensedShape
from sfumato.published.tables.table import TableShape, table_shape
from sfumato.report.counting import Bars, Steps, class_sizes
from sfumato.report.drawing import properties_kept, walk_in_words
from sfumato.report.judging import Judged, judge, split_jargon
from sfumato.report.known import Known, columns_known
from sfumato.report.legend import legend_of, legend_of_codes
from sfumato.report.not_covered import not_covered
from sfumato.report.published_counts import PublishedCounts, published_charts
from sfumato.report.risks import Risk, risk_notes, risks_of
from sfumato.report.tables_apart import GROUP_NUMBER, Apart, sensitive_charts, tables_apart
from sfumato.report.wording import (
    CHANGED,
    FORMS,
    KINDS,
    ROLES,
    method_in_words,
    promise_in_words,
    promise_name,
)

if TYPE_CHECKING:
    from sfumato.privacy.promise import Promise
    from sfumato.privacy.verdict import Verdict
    from sfumato.release.release import Release

__all__ = ["Content", "PromiseInWords", "gather", "headline", "parameter_texts", "state_of", "words_where_it_stands"]

_MAX_DRAWN = 20


@dataclass(frozen=True)
class PromiseInWords:
    """A promise as its parameter and in words, and what the check found."""

    parameter: str
    words: str
    found: str


@dataclass(frozen=True)
class PublishedColumn:
    """One row of the table of columns."""

    name: str
    role: str
    kind: str
    form: str
    loss: float | None


@dataclass(frozen=True)
class Content:
    """Everything the public page says."""

    version: str
    n_rows: int
    n_columns: int
    tiles: Sequence[tuple[str, str]]
    """Large figures at the head of the page, each with a few words."""
    state: str
    """`holds`, `declared`, `broken`, or `unasked` where no promise was asked for."""
    headline: str
    promises: Sequence[PromiseInWords]
    verdict: Verdict
    withheld_rows: int
    """Rows withheld for lack of a value."""
    method: str
    method_words: str
    parameters: Sequence[tuple[str, str]]
    legend: Sequence[tuple[str, str]]
    columns: Sequence[PublishedColumn]
    class_sizes: Steps | None
    sizes_in_words: str
    k: int | None
    losses: Bars
    n_losses: int
    risks: Sequence[Risk]
    other_risks: Sequence[Judged]
    risk_notes: Sequence[str]
    known: Sequence[Known]
    """What each column still tells, in sentences."""
    utility: Sequence[Judged]
    jargon: Sequence[Judged]
    """Figures to compare methods by."""
    notes: Sequence[str]
    shown: Sequence[PublishedCounts]
    """The distributions of the quasi-identifiers, as a reader can draw them."""
    plain: Sequence[PublishedCounts]
    n_plain: int
    same_values: bool
    """Whether sensitive values are those of the records behind the rows, row by row."""
    sensitive: Sequence[tuple[str, Bars | Steps]]
    n_sensitive: int
    substituted: Sequence[str]
    """The columns whose values were drawn anew."""
    properties: Sequence[tuple[str, int]]
    """What the drawn values keep, and in how many statements."""
    walk: Sequence[tuple[str, str]]
    """How they were drawn: names and texts."""
    noun: str = "class"
    """The word for a set of rows whose sensitive values are published together: class or group."""
    apart: str | None = None
    """The file of the sensitive values, where they are in a table of their own."""
    limits: Sequence[str] = ()
    """What the promise does not cover."""
    follows_target: bool = False
    """Whether sensitive values are told as subdomains that follow a target distribution."""
    changed: bool = False
    """Whether values were changed one by one, and not drawn among those that keep properties."""
    needs_original: bool = False
    """Whether readers cannot decide the promise themselves."""
    suppressed_rows: int = 0
    """Rows withheld because their classes would have broken the promise."""
    condensed: bool = False
    """Whether rows were drawn from the statistics of groups."""


def gather(release: Release, verdict: Verdict, measures: Measures) -> Content:
    """Read the published rows, the promise and the figures; the owner's part and the original are not touched."""
    shape = table_shape(release)
    schema, frame, substituted = shape.schema, shape.frame, shape.drawn_columns
    apart = tables_apart(shape, measures)
    classes = apart.classes if apart is not None else PublishedClasses(
        frame, schema.quasi, schema.sensitive, schema.columns, noun=shape.noun
    )  # fmt: skip
    k = _asked_k(release.promise)
    split = measures.by_column.get("distortion" if substituted else "ncp", {})
    losses = {name: split[name] for name in frame.columns if name in split and apart is None}
    ranked = sorted(losses.items(), key=lambda item: (-item[1], item[0]))
    sizes = class_sizes(classes.sizes, k) if schema.quasi and not substituted else None
    properties = properties_kept(release.files.get("properties"))
    risks, other_risks = risks_of(measures)
    on_risk, notes = risk_notes(measures.notes)
    n_rows = frame.height + shape.n_withheld
    utility, jargon = split_jargon([each for each in measures.figures if each.group == "utility"], n_rows)
    plain, n_plain = published_charts(shape, "plain")
    name = str(release.method.get("name", ""))
    return Content(
        version=__version__,
        n_rows=frame.height,
        n_columns=frame.width,
        tiles=_tiles_of_draw(shape, measures, properties) if substituted else _tiles(classes, apart, measures),
        state=state_of(release.promise, verdict),
        headline=headline(release.promise, verdict, sum(n for _, n in properties)),
        promises=_promises(release.promise, verdict, schema, classes.noun),
        verdict=verdict,
        withheld_rows=shape.n_withheld - shape.n_suppressed,
        suppressed_rows=shape.n_suppressed,
        needs_original=shape.needs_original,
        method=name,
        method_words=method_in_words(name),
        parameters=[
            *parameter_texts(release.method),
            *([("order that won", shape.order)] if shape.order is not None else []),
        ],
        legend=[*(apart.legend if apart is not None else legend_of(shape)), *legend_of_codes(shape)],
        columns=_columns(shape, losses, apart),
        class_sizes=sizes,
        sizes_in_words=_sizes_in_words(classes),
        k=k,
        losses=Bars([name for name, _ in ranked[:_MAX_DRAWN]], [value for _, value in ranked[:_MAX_DRAWN]]),
        n_losses=len(ranked),
        risks=risks,
        other_risks=[judge(figure, n_rows) for figure in other_risks],
        risk_notes=on_risk,
        known=columns_known(shape, split if substituted else {}),
        utility=utility,
        jargon=jargon,
        notes=notes,
        shown=published_charts(shape, "quasi")[0] if shape.change != "rotation" else [],
        plain=plain,
        n_plain=n_plain,
        same_values=shape.rows_are_records and not shape.n_counterfeits and not {*schema.sensitive} & {*substituted},
        sensitive=apart.sensitive if apart is not None else sensitive_charts(frame, schema),
        n_sensitive=len(schema.sensitive),
        substituted=substituted,
        properties=properties,
        walk=walk_in_words(shape.walk, shape.resolution),
        noun=classes.noun,
        apart=apart.file if apart is not None else None,
        limits=not_covered(shape, release.promise, classes, apart.limits if apart is not None else ()),
        follows_target=apart is not None and bool(apart.limits),
        condensed=shape.noun == "group" and apart is None,
        changed=shape.change is not None,
    )


def _tiles(classes: PublishedClasses, apart: Apart | None, measures: Measures) -> Sequence[tuple[str, str]]:
    if apart is not None:
        return apart.tiles
    smallest = f"{int(classes.sizes.min()):,}" if classes.n_classes else "–"
    plural = "class" if classes.n_classes == 1 else "classes"
    return [
        (f"{classes.n_rows:,}", "published rows"),
        (f"{classes.n_classes:,}", f"{plural} of rows that look the same"),
        (smallest, "rows in the smallest class"),
        (measures.figure("gcp").shown if "gcp" in measures else "–", "of the detail lost (GCP)"),
    ]


def _asked_k(promise: Promise | None) -> int | None:
    """The k that the promise asks for, to be drawn in the chart of class sizes; None without one."""
    parts = promise.parts if promise is not None else ()
    return max((part.k for part in parts if isinstance(part, KAnonymity)), default=None)


@singledispatch
def _tiles_of_draw(
    shape: TableShape, measures: Measures, properties: Sequence[tuple[str, int]]
) -> list[tuple[str, str]]:
    blocks = shape.files.get("blocks")
    tiles = [
        (f"{shape.frame.height:,}", "published rows"),
        *([(f"{sum(n for _, n in properties):,}", "statements kept")] if properties else []),
        (measures.figure("distortion").shown if "distortion" in measures else "–", "average change of a value"),
    ]
    if blocks is not None:
        smallest = int(np.bincount(blocks["block"].to_numpy()).min())
        tiles.append((f"{smallest:,}", "records in the smallest block"))
    elif "linkage_strongest" in measures:
        tiles.append((measures.figure("linkage_strongest").shown, "of the records linked by the strongest attack"))
    return tiles


@_tiles_of_draw.register(CondensedShape)
def _(shape: CondensedShape, measures: Measures, properties: Sequence[tuple[str, int]]) -> list[tuple[str, str]]:
    promise = shape.release.promise
    k = max((part.min_size() for part in promise.parts), default=1) if promise is not None else 1
    return [
        (f"{shape.frame.height:,}", "rows drawn from the statistics of groups"),
        (f"{shape.alpha:g}", "rows for every record"),
        (f"{k:,}", "records at least behind every group"),
    ]


def state_of(promise: Promise | None, verdict: Verdict) -> str:
    """The colour of the verdict: `holds`, `declared`, `broken`, or `unasked` where no promise was asked for."""
    if promise is None and verdict.word != "broken":
        return "unasked"
    return verdict.word if verdict.stands else "broken"


def headline(promise: Promise | None, verdict: Verdict, n_properties: int = 0) -> str:
    """The verdict in a sentence."""
    if verdict.word == "not decided" and promise is not None:
        return f"Whether this release keeps its promise of {promise_name(promise)} is not decided."
    if verdict.word == "declared":
        if promise is None:
            return f"No privacy promise was asked for. Declared: {'; '.join(verdict.declared)}."
        return f"Nothing contradicts the promise of {promise_name(promise)}, which no single release can prove."
    if verdict.word == "not decided":
        return "No privacy promise was asked for. What the method keeps is not decided."
    if not verdict.holds:
        if promise is None:
            return "This release is not sound."
        return f"This release does not keep its promise of {promise_name(promise)}."
    if promise is None and n_properties:
        return f"All {n_properties:,} statements hold; no privacy promise was asked for."
    if promise is None:
        return "No privacy promise was asked for."
    return f"This release keeps its promise of {promise_name(promise)}."


def _promises(promise: Promise | None, verdict: Verdict, schema: Schema, noun: str) -> list[PromiseInWords]:
    """Each promise with its findings; `found` holds one per promise and, for some, one per sensitive column."""
    if promise is None:
        return []
    found = list(verdict.found)
    said = []
    for part in promise.parts:
        columns = getattr(part, "columns", None)
        by_column = part.speaks_of == "groups" and not part.bounds_loss
        n = max(len(columns or schema.sensitive), 1) if by_column else 1
        words = words_where_it_stands(verdict, promise_in_words(part, schema.quasi, schema.sensitive, noun))
        said.append(PromiseInWords(repr(part), words, "; ".join(found[:n])))
        found = found[n:]
    if found:
        said[-1] = PromiseInWords(said[-1].parameter, said[-1].words, "; ".join([said[-1].found, *found]))
    return said


def words_where_it_stands(verdict: Verdict, words: str) -> str:
    """What a promise means for people, where the verdict stands; else that nothing follows from it."""
    if verdict.stands:
        return words
    if verdict.word == "broken":
        return "This is not kept, and nothing follows from its having been asked for."
    return "Whether this is kept is not decided, so that nothing is said here of what it would mean."


def parameter_texts(method: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The parameters of a method, as people read them."""
    return [(key, _parameter(value)) for key, value in method.items() if key != "name"]


def _parameter(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{key}={_parameter(item)}" for key, item in value.items() if key != "name")
        return (f"{value['name']}({inside})" if inside else str(value["name"])) if "name" in value else inside
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(_parameter(item) for item in value)
    return "not set" if value is None else text(value)


def _columns(shape: TableShape, losses: Mapping[str, float], apart: Apart | None) -> list[PublishedColumn]:
    schema, names = shape.schema, shape.frame.columns
    if apart is None:
        number = shape.numbered_classes.group_name if shape.numbered_classes is not None else None
        own = [_column(schema.column(name), shape.forms, losses) for name in names if name != number]
        if shape.change is not None:
            word = CHANGED[shape.change][0]
            own = [replace(each, form=word) if each.name in shape.forms else each for each in own]
        if number is not None:
            own.append(PublishedColumn(number, "class", KINDS["integer"], "number of the class", None))
        return own
    own = [_column(schema.column(name), {}, {}) for name in names if name != apart.group_name]
    group = PublishedColumn(apart.group_name, "group", KINDS["integer"], GROUP_NUMBER, None)
    secret = [_column(schema.column(name), {}, {}) for name in schema.sensitive]
    return [*own, group, *(replace(column, form=apart.form) for column in secret)]


def _column(column: Column, forms: Mapping[str, str], losses: Mapping[str, float]) -> PublishedColumn:
    form = FORMS.get(str(forms[column.name]), str(forms[column.name])) if column.name in forms else "as recorded"
    if forms.get(column.name) == "value":
        form = "mean of the class" if column.kind in ("integer", "number", "date") else "most frequent in the class"
    return PublishedColumn(
        column.name, ROLES[column.role], KINDS.get(str(column.kind), "not known"), form, losses.get(column.name)
    )


def _sizes_in_words(classes: PublishedClasses) -> str:
    if not classes.n_classes:
        return f"there is no {classes.noun}"
    sizes = classes.sizes
    if classes.n_classes == 1:
        return f"one {classes.noun} of {int(sizes[0]):,} rows"
    plural = "classes" if classes.noun == "class" else f"{classes.noun}s"
    return (
        f"{classes.n_classes:,} {plural} of {int(sizes.min()):,} to {int(sizes.max()):,} rows, "
        f"{sizes.mean():,.1f} on average"
    )
