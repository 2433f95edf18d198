"""The shape of published baskets, and the check of what they promise, alone or beside the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError, ParameterError
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.km_anonymity import KMAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.promise import Promise, as_fraction
from sfumato.privacy.verdict import Verdict
from sfumato.published.baskets.candidates import find_candidates
from sfumato.published.baskets.cells import LISTS, columns_of_texts
from sfumato.published.baskets.edges import Edges, check_edges
from sfumato.published.baskets.km_check import check_km, check_recoding
from sfumato.published.files import lists_as_json, read_columns, read_texts, refuse_blank_texts
from sfumato.published.shape import Check, Shape, shape_of

if TYPE_CHECKING:
    from sfumato.published.shape import Bare
    from sfumato.release.release import Owner, Release

__all__ = ["BasketsShape", "align_items", "baskets_shape"]

_MOST_COMPARED = 100_000
"""Records that are compared each with each, where the owner's edges are not at hand."""


def baskets_shape(release: Release | Bare) -> BasketsShape:
    """Return the shape of a release of baskets; refuse a release of anything else."""
    shape = shape_of(release)
    if not isinstance(shape, BasketsShape):
        raise ParameterError(f"the release is of {shape.called}, and not of baskets; give a release of baskets")
    return shape


@dataclass(frozen=True)
class _Hiding:
    """How many records and labels everybody hides among, as far as it could be found out.

    `k`, `n_labels` and `label_share` are proved. `most_k` and `most_labels` bound them from above by what could be
    read, and are None where nothing could.
    """

    checked_on: str
    k: int
    n_labels: int
    label_share: Fraction
    """The largest share that a label has among the candidates of somebody."""
    found: str
    labels_found: str
    most_k: int | None = None
    most_labels: int | None = None
    exact_share: bool = False
    """Whether no smaller share could be proved."""
    broken: Sequence[str] = ()


class BasketsShape(Shape):
    """Published sets of items: a record's base, the items it may differ in, and its label."""

    name = "baskets"
    original_type = Baskets
    data_type = PublishedBaskets
    called = "baskets"
    unit = "records"
    proved_by_rows = False  # the owner's links prove another k than records that are alike

    @property
    def data(self) -> PublishedBaskets:
        """The published records."""
        data: PublishedBaskets = self.release.data  # type: ignore[assignment]
        return data

    @classmethod
    def data_of(cls, frame: pl.DataFrame, public: Mapping[str, Any], source: str = "polars") -> PublishedBaskets:
        """Return the published records; `public` has the names of all items."""
        items = public["baskets"]["items"]
        if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
            raise DataError("a release of baskets names its items in a list of texts")
        return PublishedBaskets.from_frame(frame, items)

    @classmethod
    def read(cls, path: Path, public: Mapping[str, Any]) -> PublishedBaskets:
        """Read the published records from their file; a CSV file has lists of items as JSON."""
        if path.suffix != ".csv":
            return cls.data_of(read_columns(path), public)
        return cls.data_of(columns_of_texts(read_texts(path, public)), public)

    def frame_to_write(self, format: str) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the records as a frame, lists as JSON where the format is CSV, and what readers are told."""
        frame = self.data.frame
        if format == "csv":
            refuse_blank_texts(frame)
            frame = lists_as_json(frame, LISTS)
        return frame, dict(self.public)

    def verify(self, check: Check) -> Verdict:
        """Decide a promise on baskets.

        With the original and the edges that its owner kept, edge by edge; with the original alone by comparing all
        records; on the published records alone where those that are published alike are enough to hide among.
        """
        published, original = self.data, check.original
        self.refuse_other_data(original)
        if original is not None and original.labels is None and published.labels is not None:
            raise ParameterError("the published records have labels and the original has none; give its labels too")
        n = f"{len(published):,} published records"
        try:
            seen = _find_hiding(published, original, self.release.owner, by_sets=_counts_sets_alone(check.parts))
        except DataError as error:
            return Verdict(found=(n,), checked_on=n, broken=(*self.damage, *self.unnamed_tables(), str(error)))
        broken, said, undecided = [*self.damage, *self.unnamed_tables(), *seen.broken], [], []
        reached: dict[str, float] = {}
        for part in check.parts:
            holds, value, found = _decide(part, seen, published)
            said.append(found)
            if holds is None:
                undecided.append(repr(part))
            else:
                reached[repr(part)] = value
                broken += [] if holds else [f"{part!r}: {found}"]
        return Verdict(
            found=tuple(said) or (f"{n}, no promise asked for",), broken=tuple(broken), reached=reached,
            checked_on=seen.checked_on, undecided=tuple(undecided),
        )  # fmt: skip

    def align_items(self, original: Baskets) -> Baskets:
        """Return the original with its items numbered as the published ones are."""
        return align_items(original, self.data)

    @property
    def recoding(self) -> dict[str, str] | None:
        """How each item is shown, None for items that are withheld; from the owner's part, where items were recoded."""
        items = self.owner_files.get("items")
        return dict(items.select("item", "shown_as").iter_rows()) if items is not None else None


def _counts_sets_alone(parts: Sequence[Promise]) -> bool:
    """Whether k^m-anonymity is all that is promised: then it is enough to count sets of items."""
    return bool(parts) and all(isinstance(part, KMAnonymity) for part in parts)


_Decision: TypeAlias = tuple[bool | None, float, str]
"""Whether a promise holds (None: nobody can tell from what was read), what is reached, and what was found."""


@singledispatch
def _decide(part: Promise, seen: _Hiding, published: PublishedBaskets) -> _Decision:
    """Decide one promise: whether it holds (None: not decided), the value reached, and what was found in words."""
    raise ParameterError(f"baskets promise KAnonymity, LDiversity or KMAnonymity, not {part!r}")


@_decide.register
def _(part: KMAnonymity, seen: _Hiding, published: PublishedBaskets) -> _Decision:
    counted = check_km(published, part.k, part.m)
    said = f"{counted.worst:,} or more" if counted.worst else "none"
    found = f"every set of up to {part.m:,} items that a record holds is held by {said}"
    return counted.holds, float(counted.worst), "; ".join([found, *counted.broken])


@_decide.register
def _(part: KAnonymity, seen: _Hiding, published: PublishedBaskets) -> _Decision:
    return _between(seen.k, seen.most_k, part.k), float(seen.k), seen.found


@_decide.register
def _(part: LDiversity, seen: _Hiding, published: PublishedBaskets) -> _Decision:
    if published.labels is None:  # nothing to be diverse
        return False, 0.0, "no record carries a label"
    if part.kind == "distinct":
        return _between(seen.n_labels, seen.most_labels, part.l), float(seen.n_labels), seen.labels_found
    if part.kind != "frequency":
        raise ParameterError(f"baskets promise KAnonymity, LDiversity or KMAnonymity, not {part!r}")
    holds = True if as_fraction(part.l) * seen.label_share <= 1 else False if seen.exact_share else None
    few = seen.most_labels is not None and seen.most_labels < part.l
    return False if few else holds, float(1 / seen.label_share), seen.labels_found


def _between(least: int, most: int | None, wanted: float) -> bool | None:
    """Whether `wanted` is reached: yes if `least` reaches it, no if `most` does not, None in between."""
    return True if least >= wanted else False if most is not None and most < wanted else None


def _find_hiding(
    published: PublishedBaskets, original: Baskets | None, owner: Owner | None, *, by_sets: bool
) -> _Hiding:
    recoded = owner.files.get("items") if owner is not None else None
    if original is not None and recoded is not None and owner is not None:
        shown_as = dict(recoded.select("item", "shown_as").iter_rows())
        return replace(
            _hiding_alone(published), checked_on=f"{len(published):,} published records, each against its own original",
            broken=check_recoding(original, published, shown_as, owner.rows),
        )  # fmt: skip
    if by_sets:
        return _hiding_alone(published)
    kept = owner.files.get("edges") if owner is not None else None
    if original is not None and kept is not None and owner is not None:
        return _hiding_by_edges(align_items(original, published), published, Edges.from_frame(kept), owner)
    if original is not None and len(original) != len(published):
        raise DataError(f"{len(published):,} records are published, and the original has {len(original):,}")
    alone = _hiding_alone(published)
    if original is not None and len(original) <= _MOST_COMPARED:
        return _hiding_by_comparison(align_items(original, published), published, alone)
    return alone


def _hiding_by_edges(original: Baskets, published: PublishedBaskets, edges: Edges, owner: Owner) -> _Hiding:
    seen = check_edges(original, published, edges, owner.rows)
    return _Hiding(
        checked_on=f"{len(published):,} published records and all {len(edges.rows):,} edges to the originals",
        k=seen.k, n_labels=seen.n_labels or 0, label_share=seen.label_share,
        found=f"every record may stand behind {seen.k:,} published ones, and every one of these for {seen.k:,}",
        labels_found=_labels_in_words(seen.n_labels), most_k=seen.k, most_labels=seen.n_labels or 0, exact_share=True,
        broken=seen.broken,
    )  # fmt: skip


def _hiding_by_comparison(original: Baskets, published: PublishedBaskets, alone: _Hiding) -> _Hiding:
    """By comparing all records: every candidate is known then, but how likely each is only where records are equal."""
    n, seen = len(published), find_candidates(original, published)
    where = " in some complete assignment" if seen.complete else ""
    k, broken = min(seen.of_originals, seen.of_published), []
    if not seen.assignable:
        broken.append("no assignment gives every published record an original of its own")
    elif not seen.truthful:
        broken.append("no assignment gives every published record an original with its label")
    return _Hiding(
        checked_on=f"{n:,} published records and {n:,} originals, each compared with each",
        k=alone.k, most_k=k, n_labels=seen.n_labels or 0 if seen.complete else alone.n_labels,
        most_labels=seen.n_labels or 0, label_share=alone.label_share,
        found=f"every record may stand behind at least {seen.of_originals:,} published ones{where}, and every one of "
        f"these for at least {seen.of_published:,}; how likely each is needs what the owner kept",
        labels_found=_labels_in_words(seen.n_labels), broken=broken,
    )  # fmt: skip


def _hiding_alone(published: PublishedBaskets) -> _Hiding:
    """From the published records alone: equal records hide among each other, and of others nothing is known."""
    n, labels = len(published), published.labels
    label = labels if labels is not None else pl.repeat("", n, eager=True)
    rows = pl.DataFrame({"alike": published.cells, "label": label})
    tally = rows.group_by("alike", "label").len().group_by("alike").agg(
        n=pl.sum("len"), most=pl.max("len"), labels=pl.len()
    )  # fmt: skip
    smallest, n_labels = (int(tally[name].min() or 0) for name in ("n", "labels"))  # type: ignore[arg-type]
    shares = tally.select("most", "n").unique().iter_rows() if labels is not None else ()
    share = max((Fraction(most, size) for most, size in shares), default=Fraction(1))
    needs = "who else hides among whom needs the original to be known"
    alike_said = f"every published record is one of {smallest:,} or more that are alike"
    return _Hiding(
        checked_on=f"{n:,} published records alone", k=smallest, n_labels=n_labels if labels is not None else 0,
        label_share=share,
        found=f"{alike_said if smallest > 1 else 'some published record is like no other'}; {needs}",
        labels_found=f"published records that are alike carry {n_labels:,} or more labels; {needs}"
        if labels is not None else "no record carries a label",
    )  # fmt: skip


def _labels_in_words(n_labels: int | None) -> str:
    if n_labels is None:
        return "no record carries a label"
    return f"the candidates of every record carry at least {n_labels:,} different labels"


def align_items(original: Baskets, published: PublishedBaskets) -> Baskets:
    """Return the original with its items numbered as the published ones are; refuse items that are not published."""
    place = {name: i for i, name in enumerate(published.items)}
    number = np.array([place.get(name, -1) for name in original.items], dtype=np.int64)
    ids = number[original.ids]
    if len(ids) and ids.min() < 0:
        raise DataError("the original has items that no published record has or marks")
    record = np.repeat(np.arange(len(original)), original.sizes)
    order = np.argsort(record * max(len(place), 1) + ids, kind="stable")
    return Baskets(original.starts, ids[order], published.items, original.labels)
