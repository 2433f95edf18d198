"""Somebody who knows items of a person, looks for the person's record, and wants the label.

The threat that set-valued data face: everything in a record can be known to somebody. The adversary knows some items
that a person has, or lacks, or the whole record, and keeps every published record with a possible world that agrees.
Those are weighed by how likely they agree, by `item_chances`. The same is done with the raw records, names
removed. Where each of k published records is as likely the person's own as any other, no weighing by items can find it
with more than 1/k on average: which one is true was drawn after they were made. Labels are published as they are, and
tell more wherever they go with items: the last figures are those of somebody who learns from the release which labels
go with which items, and weighs by that too (Kifer, "Attacks on privacy and deFinetti's theorem", SIGMOD 2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from sfumato.baskets.estimates.item_chances import Chances, hides_among, item_chances
from sfumato.baskets.shared import present_items
from sfumato.contracts.attack import Attack, Attacked, Success, cut_short, mean_success, share_success
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import one_of, whole
from sfumato.published.baskets.baskets import baskets_shape

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["ItemKnowledge", "Kind", "Knowledge", "weigh"]

Kind: TypeAlias = Literal["present", "absent", "both", "all"]

_CELLS = 1 << 22  # people times records looked at in one go
_LEARNT = ", by somebody who learnt from the release which labels go with which items"


@dataclass(frozen=True)
class ItemKnowledge(Attack):
    """Knows `items` items of each of `people`, drawn at random: ones that they have, lack, half of each, or the record.

    Of somebody who has (or lacks) fewer items, all of them are known.

    `kind` is which of them: `present`, `absent`, `both` or `record`.

    >>> import sfumato as sf
    >>> baskets = sf.Baskets.from_lists([["milk", "tea"], ["milk"], ["tea", "rice"], ["milk", "rice"]] * 5)
    >>> release = sf.publish(baskets, sf.Nonreciprocal(), sf.KAnonymity(2), seed=1)
    >>> list(sf.attack(release, sf.ItemKnowledge(1, people=10)))[:2]
    ['candidates_before', 'fewest_before']
    """

    items: int = 3
    kind: Kind = "present"
    people: int = 1000
    takes: ClassVar[type] = PublishedBaskets

    def __post_init__(self) -> None:
        """Check the numbers and the kind."""
        for name in ("items", "people"):
            whole(name, getattr(self, name), least=1)
        one_of("kind", self.kind, get_args(Kind))

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Look for everyone in the raw records, then in the published ones."""
        published, owner = baskets_shape(release).data, release.owner
        assert owner is not None
        baskets, n, k = present_items(original), len(published), hides_among(release.promise)
        if not n or len(baskets) != n:
            raise DataError(f"{n:,} records are published, and the original has {len(baskets):,}; give the right one")
        shown_as = _shown_as(baskets, published, owner.files.get("items"))
        progress.step("asking around")
        people = np.sort(random.spawn("people").permutation(n)[: self.people])
        known = self._draw_knowledge(baskets, people, random.spawn("what is known"))
        where = np.empty(n, dtype=np.int64)
        where[owner.rows] = np.arange(n)
        codes = published.labels.rank("dense").to_numpy().astype(np.int64) - 1 if published.labels is not None else None
        raw = PublishedBaskets(baskets, Baskets(np.zeros(n + 1), np.empty(0), baskets.items))
        certain = np.ones(baskets.n_items)
        order = random.spawn("who is looked for first").permutation(len(people))
        own_codes = None if codes is None else codes[where]
        in_raw = _Search(raw, Chances(certain, certain), known, people, own_codes, order)
        chances, known = item_chances(published, k), known.in_published_items(shown_as, len(published.items))
        searches = [in_raw, _Search(published, chances, known, where[people], codes, order)]
        if codes is not None:
            taught = _label_likelihoods(published, chances, known, codes)
            searches.append(_Search(published, chances, known, where[people], codes, order, taught))
        progress.step("looking for people")
        done = 0
        for done in _in_turns(searches):
            progress.share(done / len(people))
            if progress.is_over:
                break
        progress.step("counting")
        notes = ["computed from the original: for its owner alone"]
        if done < len(people):
            notes.append(cut_short(done, len(people), "people, drawn at random,"))
        tried = np.sort(order[:done])
        before, after, *others = (search.found_of(tried) for search in searches)
        if not after.own.all():
            raise DataError("these baskets are not those that the release was made from; give the original")
        found = {**_figures(before, n, k, "_before", " in the raw records"), **_figures(after, n, k, "", "")}
        if codes is not None:
            shares = np.bincount(codes) / n
            guess, one = float(shares[codes[where[people[tried]]]].mean()), float(len(shares) == 1)
            (learnt,) = others
            for each, suffix, said in (
                (before, "_before", " in the raw records"), (after, "", ""), (learnt, "_learnt", _LEARNT)
            ):  # fmt: skip
                meaning = f"probability that a guess by likelihood has the person's label{said}"
                found[f"label{suffix}"] = mean_success(each.label, guess, meaning)
            for each, suffix, said in ((before, "_before", " in the raw records"), (after, "", "")):
                meaning = f"people whose label is the only one among records that agree{said}"
                found[f"label_certain{suffix}"] = share_success(each.certain, one, meaning)
            meaning = f"probability that a guess by likelihood is the person's record{_LEARNT}"
            found["found_learnt"] = mean_success(learnt.own, 1 / n, meaning)
        return Attacked(self, found, tuple(notes))

    def _draw_knowledge(self, original: Baskets, people: NDArray[np.int64], random: Randomness) -> Knowledge:
        """Draw what the adversary knows of each person."""
        own = original.rows(people)
        if self.kind == "all":
            return Knowledge(own.to_scipy(), None)
        n_present = {"present": self.items, "absent": 0, "both": (self.items + 1) // 2}[self.kind]
        drawn: tuple[list[Any], list[Any]] = ([], [])
        for start, stop in zip(own.starts[:-1], own.starts[1:], strict=True):
            has = own.ids[start:stop]
            lacks = np.setdiff1d(np.arange(original.n_items), has) if n_present < self.items else has[:0]
            for into, items, most in zip(drawn, (has, lacks), (n_present, self.items - n_present), strict=True):
                into.append(np.sort(items[random.permutation(len(items))[:most]]) if most else items[:0])
        return Knowledge(*(_matrix(lists, original.n_items) for lists in drawn))


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What the adversary knows, as matrices of people by items."""

    has: csr_array
    """Items that a person is known to have."""
    lacks: csr_array | None
    """Items that a person is known to lack; None where the whole record is known, so that it lacks all others."""

    def in_published_items(self, number: NDArray[np.int64], n_shown: int) -> Knowledge:
        """The same knowledge of published items, where item i is published as `number[i]`, or not at all (-1).

        That a person lacks an item says something of a published item only where that stands for this item alone.
        """
        at = np.flatnonzero(number >= 0)
        alone = at[np.bincount(number[at], minlength=n_shown)[number[at]] == 1]
        all_shown, by_itself = (
            csr_array((np.ones(len(each)), (each, number[each])), shape=(len(number), n_shown)) for each in (at, alone)
        )
        has = csr_array(self.has @ all_shown)
        has.data = np.ones_like(has.data)
        return Knowledge(has, None if self.lacks is None else csr_array(self.lacks @ by_itself))

    def rows(self, some: slice | NDArray[np.int64]) -> Knowledge:
        """What is known of these people."""
        return Knowledge(self.has[some], None if self.lacks is None else self.lacks[some])


@dataclass(frozen=True, eq=False)
class _Found:
    """What the search found, by person."""

    candidates: NDArray[np.int64]
    """How many records agree with what is known."""
    own: NDArray[np.float64]
    """The weight of the person's own record."""
    label: NDArray[np.float64]
    """The weight of all records with the person's label."""
    certain: NDArray[np.bool_]
    """Whether all records that agree have the person's label."""


def _shown_as(original: Baskets, published: PublishedBaskets, kept: pl.DataFrame | None) -> NDArray[np.int64]:
    """The published item that stands for each item of the original, or -1; where the owner kept nothing, by name."""
    place: dict[Any, int] = {name: i for i, name in enumerate(published.items)}
    if kept is not None:
        parameters = dict(kept.select("item", "shown_as").iter_rows())
        return np.array([place.get(parameters.get(name), -1) for name in original.items], dtype=np.int64)
    if not place.keys() >= set(original.items):
        raise DataError("the original has items that no published record has or marks; give the right one")
    return np.array([place[name] for name in original.items], dtype=np.int64)


def _figures(found: _Found, n: int, k: int, suffix: str, said: str) -> dict[str, Success]:
    """How well records of people are found, as figures whose names end in `suffix`."""
    size = found.candidates.astype(np.float64)
    fewest = f"records that agree for the person with the fewest{said}"
    return {
        f"candidates{suffix}": mean_success(
            size, float(n), f"records that agree with what is known{said}, on average", "number"
        ),
        f"fewest{suffix}": Success(float(size.min()), None, None, float(n), fewest, "count"),
        f"exposed{suffix}": share_success(
            size < k, float(n < k), f"people for whom fewer than {k} records agree{said}"
        ),
        f"found{suffix}": mean_success(
            found.own, 1 / n, f"probability that a guess by likelihood is the person's record{said}"
        ),
    }  # fmt: skip


class _Search:
    """A search for each person in published records, for some people at a time, in an order drawn at random.

    `own` is the record of each person, `codes` are the labels of the records. `taught`, people by labels, is the
    logarithm of how likely what is known of a person is under each label, for an adversary who learnt that.
    """

    def __init__(
        self,
        published: PublishedBaskets,
        chances: Chances,
        known: Knowledge,
        own: NDArray[np.int64],
        codes: NDArray[np.int64] | None,
        order: NDArray[np.int64],
        taught: NDArray[np.float64] | None = None,
    ) -> None:
        self.published, self.chances, self.known, self.own = published, chances, known, own
        self.codes, self.order, self.taught = codes, order, taught
        n = len(own)
        self._found = _Found(np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros(n), np.zeros(n, dtype=bool))

    def go_on(self) -> Iterator[int]:
        """Look for some more people at a time; yield how many were looked for so far."""
        found, codes = self._found, self.codes
        for some, weights in weigh(self.published, self.chances, self.known.rows(self.order)):
            who = self.order[some]
            mine, at = self.own[who], np.arange(weights.shape[1])
            if self.taught is not None and codes is not None:
                weights = _shares(np.log(np.maximum(weights, 1e-300)) + self.taught[who].T[codes], weights > 0)
            found.candidates[who] = (weights > 0).sum(axis=0)
            found.own[who] = weights[mine, at]
            if codes is not None:
                alike = codes[:, None] == codes[mine][None, :]
                found.label[who] = (weights * alike).sum(axis=0)
                found.certain[who] = ~((weights > 0) & ~alike).any(axis=0)
            yield some.stop

    def found_of(self, people: NDArray[np.int64]) -> _Found:
        """What was found of these people."""
        found = self._found
        return _Found(found.candidates[people], found.own[people], found.label[people], found.certain[people])


def _in_turns(searches: Sequence[_Search]) -> Iterator[int]:
    """Have all searches look for the same people, some at a time; yield how many were looked for by all."""
    for done, *_ in zip(*(search.go_on() for search in searches), strict=True):
        yield done


def weigh(
    published: PublishedBaskets, chances: Chances, known: Knowledge
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield, for some people at a time, how likely each record is theirs: records by people, columns that add up to 1.

    A record that agrees never has weight 0. O(records x people), and products of sparse columns by what is known.
    """
    n, n_people = len(published), known.has.shape[0]
    base, marks = published.base.to_scipy().astype(np.float64), published.differs.to_scipy().astype(np.float64)
    shown, lacked = base.multiply(marks), marks - marks.multiply(base)
    sides = _Sides(
        base=base.tocsc(),
        fixed=(base - shown).tocsc(),
        open=(base + lacked).tocsc(),
        has=(_scale_columns(shown, np.log(chances.shown)) + _scale_columns(lacked, np.log(chances.lacked))).tocsc(),
        lacks=(_scale_columns(shown, _log1m(chances.shown)) + _scale_columns(lacked, _log1m(chances.lacked))).tocsc(),
    )
    step = max(1, _CELLS // max(n, 1))
    for first in range(0, n_people, step):
        some = slice(first, min(first + step, n_people))
        flips, broken, likely = sides.agreement(known.rows(some))
        possible = (broken == 0) & (flips <= published.threshold[:, None])
        yield some, _shares(likely, possible)


def _shares(likely: NDArray[np.float64], possible: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The columns of exp(likely), 0 where not possible, scaled to add up to 1."""
    top = np.where(possible, likely, -np.inf).max(axis=0, initial=-np.inf)
    below = np.minimum(likely - np.where(np.isfinite(top), top, 0.0), 0.0)
    weights = np.maximum(np.exp(below), 1e-300) * possible
    return np.asarray(weights / np.maximum(weights.sum(axis=0), 1e-300))


def _label_likelihoods(
    published: PublishedBaskets, chances: Chances, known: Knowledge, codes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The log likelihood of what is known under each label, people by labels, by naive Bayes on the release."""
    base, marks = published.base.to_scipy().astype(np.float64), published.differs.to_scipy().astype(np.float64)
    shown = base.multiply(marks)
    expected = base - shown + _scale_columns(shown, chances.shown) + _scale_columns(marks - shown, chances.lacked)
    sizes = np.bincount(codes)
    of_label = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(len(sizes), len(codes)))
    share = ((of_label @ expected).toarray().T + 1) / (sizes + 2)
    has, lacks = np.log(share), np.log1p(-share)
    absent = lacks.sum(axis=0) - known.has @ lacks if known.lacks is None else known.lacks @ lacks
    return np.asarray(known.has @ has + absent)


@dataclass(frozen=True, eq=False)
class _Sides:
    """Matrices of records by items, for the adversary to multiply with."""

    base: csc_array
    """The base vectors."""
    fixed: csc_array
    """Items of the base vectors that are not marked, and so surely there."""
    open: csc_array
    """All items that may be there."""
    has: csc_array
    """The logarithm of how likely a marked item is there."""
    lacks: csc_array
    """The logarithm of how likely a marked item is not there."""

    def agreement(self, known: Knowledge) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Three matrices of records by people: known items that the base vector has otherwise, known items that no
        possible world of the record has so, and the logarithm of how likely the marked ones are as known.
        """
        has = _KnownItems(known.has)
        number = has.number[None, :]
        flips, broken, likely = number - has.sums_in(self.base), number - has.sums_in(self.open), has.sums_in(self.has)
        if known.lacks is not None:
            lacks = _KnownItems(known.lacks)
            return (
                flips + lacks.sums_in(self.base),
                broken + lacks.sums_in(self.fixed),
                likely + lacks.sums_in(self.lacks),
            )
        for total, matrix in ((flips, self.base), (broken, self.fixed), (likely, self.lacks)):
            total += np.asarray(matrix.sum(axis=1)).reshape(-1, 1) - has.sums_in(matrix)
        return flips, broken, likely


class _KnownItems:
    """Items known of some people; matrices are multiplied by the columns of these items alone."""

    def __init__(self, known: csr_array) -> None:
        self.items = np.unique(known.indices)
        self.dense = np.asarray(known.tocsc()[:, self.items].toarray(), dtype=np.float64).T
        self.number = self.dense.sum(axis=0)

    def sums_in(self, matrix: csc_array) -> NDArray[np.float64]:
        """Sums of a matrix over the known items of each person: records by people."""
        return np.asarray(matrix[:, self.items].tocsr() @ self.dense)


def _matrix(lists: list[Any], n_items: int) -> csr_array:
    """Lists of items as the rows of a sparse matrix of ones."""
    starts = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)
    ids = np.concatenate(lists) if lists else np.empty(0, dtype=np.int64)
    return csr_array((np.ones(len(ids)), ids.astype(np.int64), starts), shape=(len(lists), n_items))


def _scale_columns(matrix: Any, factors: NDArray[np.float64]) -> csr_array:
    """The matrix with each column multiplied by its factor."""
    found = csr_array(matrix)
    found.data = found.data * factors[found.indices]
    return found


def _log1m(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(np.maximum(1 - chances, 1e-300))
