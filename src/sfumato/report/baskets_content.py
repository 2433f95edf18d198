"""The content of the public report on published baskets, gathered from the release alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sfumato import __version__
from sfumato.baskets.attacks.read_back import HowMade, read_baskets_back
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.data.schema import Column
from sfumato.ground.figures import Measures
from sfumato.privacy.km_anonymity import KMAnonymity
from sfumato.privacy.promise import Promise
from sfumato.published.baskets.baskets import baskets_shape
from sfumato.report.content import PromiseInWords, headline, parameter_texts, state_of, words_where_it_stands
from sfumato.report.counting import Bars, Steps, value_counts
from sfumato.report.judging import Judged, split_jargon
from sfumato.report.wording import method_in_words

if TYPE_CHECKING:
    from sfumato.data.baskets import Baskets
    from sfumato.privacy.verdict import Verdict
    from sfumato.release.release import Release

__all__ = ["BasketsContent", "ItemBounds", "before_and_after_items", "gather_baskets"]

_MAX_ITEMS = 15
_BESIDE = 20


@dataclass(frozen=True)
class ItemBounds:
    """How many records have each of some items: at least `low`, at most `high`, and `base` by the base vectors."""

    labels: Sequence[str]
    low: Sequence[int]
    base: Sequence[int]
    high: Sequence[int]


@dataclass(frozen=True)
class BasketsContent:
    """Everything the public page says."""

    version: str
    n_rows: int
    n_items: int
    labelled: bool
    marks: bool
    """Whether some record marks items in which the true record may differ."""
    tiles: Sequence[tuple[str, str]]
    state: str
    headline: str
    promises: Sequence[PromiseInWords]
    verdict: Verdict
    limits: Sequence[str]
    method: str
    method_words: str
    parameters: Sequence[tuple[str, str]]
    legend: Sequence[tuple[str, str]]
    items: ItemBounds
    marked: Steps | None
    labels: Bars | Steps | None
    utility: Sequence[Judged]
    jargon: Sequence[Judged]
    notes: Sequence[str]


def gather_baskets(release: Release, verdict: Verdict, measures: Measures) -> BasketsContent:
    """Read the published records, the promise and the figures; the owner's part and the original are not touched."""
    data, promise = baskets_shape(release).data, release.promise
    marks, parts = bool(len(data.differs.ids)), promise.parts if promise is not None else ()
    overlap = marks and _alike(data) < min((part.min_size() for part in parts), default=0)
    name = str(release.method.get("name", ""))
    marked = pl.Series("marked", data.differs.sizes)
    labels = data.labels
    utility, jargon = split_jargon([each for each in measures.figures if each.group == "utility"], len(data))
    return BasketsContent(
        version=__version__,
        n_rows=len(data),
        n_items=len(data.items),
        labelled=labels is not None,
        marks=marks,
        tiles=_tiles(data),
        state=state_of(promise, verdict),
        headline=headline(promise, verdict),
        promises=[
            PromiseInWords(repr(part), words_where_it_stands(verdict, part.in_words_of_baskets()), "") for part in parts
        ],
        verdict=verdict,
        limits=_limits(
            parts,
            labelled=labels is not None,
            dealt=bool(release.method.get("dealt", False)),
            overlap=overlap,
        )
        + _readable(release, data, overlap=overlap),
        method=name,
        method_words=method_in_words(name),
        parameters=parameter_texts(release.method),
        legend=_legend(data, marks=marks),
        items=_item_bounds(data),
        marked=_steps(marked) if marks else None,
        labels=value_counts(labels, Column(name="label", role="sensitive", kind="category"))
        if labels is not None
        else None,
        utility=utility,
        jargon=jargon,
        notes=measures.notes,
    )


def _tiles(data: PublishedBaskets) -> list[tuple[str, str]]:
    mean = data.base.sizes.mean() if len(data) else 0.0
    tiles = [(f"{len(data):,}", "records"), (f"{len(data.items):,}", "items"), (f"{mean:.1f}", "items a record")]
    if len(data.differs.ids):
        tiles.append((f"{data.differs.sizes.mean():.1f}", "items marked in a record"))
    elif data.labels is not None:
        tiles.append((f"{data.labels.n_unique():,}", "labels"))
    return tiles


def _alike(data: PublishedBaskets) -> int:
    """The least number of records that are published alike."""
    same = data.cells.value_counts()["count"]
    return int(same.min() or 0)  # type: ignore[arg-type]


def _readable(release: Release, data: PublishedBaskets, *, overlap: bool) -> list[str]:
    """How many baskets can be read for certain: by anybody, and by who knows the method."""
    made = HowMade.of(release)
    if made.kind == "recoded" or not len(data):
        return []
    known, anybody = (read_baskets_back(data, each).total() for each in (made, made.unaware()))
    each = "from single records alone " if overlap else ""
    told = (
        " The thresholds, which newer releases do not have, tell how far the farthest record is."
        if data.tells_threshold and bool(len(data.differs.ids))
        else ""
    )
    return [
        f"What is in a basket, as far as all agree on it: of {len(data):,} baskets {known:,} can be read {each}for "
        f"certain by whoever knows the method, {anybody:,} by anybody. Whose they are is another matter.{told}"
    ]


def _limits(parts: Sequence[Promise], *, labelled: bool, dealt: bool, overlap: bool) -> list[str]:
    limits, about_labels = [], any(part.speaks_of == "groups" for part in parts)
    if about_labels and not dealt:
        limits.append("Labels, for whoever knows the items of everybody in the data and works the method out again.")
    if about_labels:
        limits.append("Labels that go with items: whoever learns from the release which do guesses better.")
    if labelled and not about_labels:
        limits.append("Labels: the records that a person may stand behind can all carry the same one.")
    limits += [
        f"Whoever knows more than {part.m:,} items of a person, or items that the person does not have."
        for part in parts
        if isinstance(part, KMAnonymity)
    ]
    if overlap:
        limits.append(
            "What is in a basket: records that are not published alike stand for others in part, and whoever puts them "
            "together can read baskets. And whoever knows one person’s label, their own perhaps, may learn many."
        )
    return limits


def _legend(data: PublishedBaskets, *, marks: bool) -> list[tuple[str, str]]:
    if marks:
        legend = [
            ("base", "The items of the record, as far as they are shown."),
            (
                "differs",
                "Items that are marked: the true record may have them or not, whatever the base says. In all other "
                "items it is as the base.",
            ),
        ]
        if data.tells_threshold:
            said = "In how many of the marked items the true record differs from the base, at most."
            whole = bool((data.threshold == data.differs.sizes).all())
            legend.append(("threshold", "How many items are marked." if whole else said))
    else:
        legend = [("base", "The items of the record, under the names that are shown. Items may be withheld.")]
    if data.labels is not None:
        legend.append(("label", "The label of the person behind the record, as recorded."))
    return legend


def _item_bounds(data: PublishedBaskets) -> ItemBounds:
    """Bounds on the counts of the most frequent items, by the base vectors."""
    n = len(data.items)
    base = np.bincount(data.base.ids, minlength=n)
    turns = np.repeat(data.threshold > 0, data.differs.sizes)  # a marked item that may be turned round
    marked = data.differs.to_scipy()
    marked = marked.multiply((data.threshold > 0)[:, None]).tocsr() if len(data) else marked
    both = np.asarray(marked.multiply(data.base.to_scipy()).sum(axis=0)).ravel()
    open_still = np.bincount(data.differs.ids[turns], minlength=n)
    top = np.lexsort((np.arange(n), -base))[:_MAX_ITEMS]
    return ItemBounds(
        [data.items[i] for i in top], (base - both)[top].tolist(), base[top].tolist(),
        (base + open_still - both)[top].tolist(),
    )  # fmt: skip


def _steps(numbers: pl.Series) -> Steps | None:
    found = value_counts(numbers, Column(name=numbers.name, kind="integer"))
    return found if isinstance(found, Steps) else None


def before_and_after_items(data: PublishedBaskets, original: Baskets) -> Bars:
    """How many records have each of the most frequent items, in the original and by the base vectors. For the owner."""
    counts = dict(zip(original.items, original.counts.tolist(), strict=True))
    after = dict(zip(data.items, data.base.counts.tolist(), strict=True))
    top = sorted(counts, key=lambda name: (-counts[name], name))
    shown, rest = top[:_BESIDE], top[_BESIDE:]
    return Bars(
        shown, [counts[name] for name in shown], [after.get(name, 0) for name in shown], n_rest=len(rest),
        rest=(sum(counts[name] for name in rest), sum(after.get(name, 0) for name in rest)),
    )  # fmt: skip
