"""Somebody with an outside table that has names and some quasi-identifiers, such as a register of voters.

Sweeney, "k-anonymity", IJUFKS 10(5), 2002. A published row and a person of the outside table fit each other where every
cell covers, or equals, what the outside table says. Whoever is known to be in the table has one of the f rows that fit,
so that the likeliest of these is the person's with probability 1/f or more; it is more where other people can have only
some of the rows, and never above 1 over the rows of its class, which nothing tells apart. Of somebody of an outside
table that is not known, the chance is taken for 1 / max(f, F) where each of these rows fits F persons. That is exact
where classes do not overlap and everybody in the release is in the outside table, and else an estimate. Where f and F
are 1 the link is unique. The same is done with the raw records, names removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.contracts.attack import Attack, Attacked, Success, mean_success, share_success
from sfumato.data.given import given_table
from sfumato.data.reading import read_table
from sfumato.data.table import Table
from sfumato.data.values import text
from sfumato.ground.errors import DataError, ParameterError, SchemaError, suggest
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole
from sfumato.published.tables.table import table_shape
from sfumato.tables.attacks.beliefs import RAW
from sfumato.tables.attacks.row_matching import RowMatcher, as_known, is_near
from sfumato.tables.attacks.targets import OWNER, check_name, published_records, secret_of

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["LinkageAttack", "Linked"]


class Linked(Attacked):
    """What a linkage found, and the links person by person. For the owner alone."""

    def __init__(
        self,
        attack: Attack,
        found: Mapping[str, Success],
        notes: tuple[str, ...],
        links: pl.DataFrame,
        links_before: pl.DataFrame,
    ) -> None:
        super().__init__(attack, found, notes)
        self.links = links
        """By person: names or number, `rows` that fit, `persons` who fit them, `chance` of a link, the only `value`."""
        self.links_before = links_before
        """The same in the raw records."""


@dataclass(frozen=True)
class LinkageAttack(Attack):
    """Holds an `outside` table with names, and links it to the release `on` the quasi-identifiers that both have.

    `outside` is a table or the path of one; by default it is the original, with everybody known. At most `people` of
    its persons are attacked, drawn at random. Whether a link is right is known where both tables have the column `key`,
    by default the identifiers that both have; of the original itself it always is.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> found = sf.attack(release, sf.LinkageAttack(people=50))
    >>> found["singled"].meaning
    'persons whom one row alone fits'
    """

    outside: Table | str | None = None
    on: tuple[str, ...] | None = None
    key: str | None = None
    people: int = 1000

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.outside is not None and not isinstance(self.outside, str):
            given_table(self.outside, f"outside must be a Table or the path of one, got {type(self.outside).__name__}")
        if self.on is not None:
            if isinstance(self.on, str):
                object.__setattr__(self, "on", (self.on,))
            listed = isinstance(self.on, (tuple, list)) and all(isinstance(name, str) for name in self.on)
            if not listed or not self.on:
                raise ParameterError(f"on must name columns, as in on=('age', 'zip'), got {self.on!r}")
            object.__setattr__(self, "on", tuple(self.on))
        check_name("key", self.key)
        whole("people", self.people, least=1)

    def to_dict(self) -> dict[str, Any]:
        """The name and the parameters; the outside table by its size."""
        given = self.outside
        parameters = given if given is None or isinstance(given, str) else f"{len(given):,} persons"
        return {**super().to_dict(), "outside": parameters}

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Linked:
        """Link everyone to the raw records, then to the release."""
        progress.step("reading the outside table")
        outside = self._outside(original)
        names = self._on(release, original, outside)
        columns = [original.schema.column(name) for name in names]
        everybody = as_known(outside, columns, "the outside table")
        if not len(everybody):
            raise DataError("the outside table has nobody in it; give one that has")
        chosen = np.sort(random.spawn("people").permutation(len(everybody))[: self.people])
        known = everybody.rows(chosen)
        record = self._truth(outside, original)
        at, records = published_records(release, original)
        row_of = np.full(len(original), -1, dtype=np.int64)
        row_of[records] = at
        raw = as_known(original, columns, "the original")
        before = RowMatcher.of(raw.frame, {}, names)
        after = RowMatcher.of(release.data.frame, table_shape(release).seen_forms, names)
        own_before = own = None
        if record is not None:
            own_before = record[chosen]
            own = np.where(own_before >= 0, row_of[np.maximum(own_before, 0)], -1)
        progress.step("linking the raw records")
        everybody_is_there = outside is original
        first = _link(before, everybody, known, own_before, sure=everybody_is_there)
        progress.step("linking the release")
        second = _link(after, everybody, known, own, sure=everybody_is_there and bool((row_of >= 0).all()))
        notes = [OWNER, f"{len(everybody):,} persons are known by {', '.join(names)}"]
        if record is None:
            notes.append("whether links are right is not known: the tables have no identifier in common; name a key")
        elif outside is original and not _covers(second):
            raise DataError("this table is not the one that the release was made from; give the original")
        values: tuple[list[str | None], list[str | None]] = ([None] * len(chosen), [None] * len(chosen))
        found = {**first.figures("_before", RAW), **second.figures("", "")}
        secret = None
        if table_shape(release).as_subdomains is None and original.schema.sensitive:
            secret = secret_of(release, original, None, before, after)
            single = float((secret.shares > 0).sum() == 1)
            for i, (links, spread, suffix, said) in enumerate(
                ((first, secret.before, "_before", RAW), (second, secret.after, "", ""))
            ):
                counts = csr_array(links.fits @ spread)
                counts.eliminate_zeros()
                one = np.diff(counts.indptr) == 1
                values[i][:] = [
                    text(secret.values[int(counts.indices[counts.indptr[p]])]) if one[p] else None
                    for p in range(len(one))
                ]
                found[f"value_certain{suffix}"] = share_success(
                    one, single, f"persons whom rows fit with one {secret.name!r} only{said}"
                )
        called = _name_columns(outside, names)
        named = outside.frame[chosen].select(called) if called else pl.DataFrame({"person": chosen})
        return Linked(
            self, found, tuple(notes), second.frame(named, values[1]), first.frame(named, values[0])
        )  # fmt: skip

    def _outside(self, original: Table) -> Table:
        if self.outside is None:
            return original
        return read_table(self.outside) if isinstance(self.outside, str) else self.outside

    def _on(self, release: Release, original: Table, outside: Table) -> list[str]:
        """The columns to link on."""
        quasi = [name for name in original.schema.quasi if name in release.data.frame.columns]
        for name in self.on or ():
            if name not in quasi:
                raise ParameterError(f"on names {name!r}, which is no published quasi-identifier{suggest(name, quasi)}")
        names = list(self.on) if self.on is not None else [name for name in quasi if name in outside.columns]
        if not names:
            raise SchemaError(
                f"the outside table has none of the published quasi-identifiers ({', '.join(quasi) or 'none'}); "
                f"rename its columns"
            )
        drawn = next((name for name in names if is_near(table_shape(release).seen_forms.get(name))), None)
        if drawn is not None:
            raise ParameterError(
                f"column {drawn!r} shows means or changed values, which no outside value equals; use DistanceLinkage"
            )
        return names

    def _truth(self, outside: Table, original: Table) -> NDArray[np.int64] | None:
        """The record in the original of each outside person, -1 for none; None where the tables share no key."""
        if outside is original and self.key is None:
            return np.arange(len(original))
        keys = [self.key] if self.key is not None else _shared_identifiers(outside, original)
        if not keys:
            return None
        for table, who in ((outside, "the outside table"), (original, "the original")):
            for key in keys:
                if key not in table.columns:
                    raise ParameterError(f"{who} lacks the key {key!r}{suggest(key, table.columns)}")
        theirs = original.frame.select(pl.col(keys).cast(pl.String)).with_row_index("record")
        twice = theirs.drop_nulls().select(keys).is_duplicated()
        if bool(twice.any()):
            raise DataError(f"the key {', '.join(keys)} names some persons of the original twice; give another")
        joined = outside.frame.select(pl.col(keys).cast(pl.String)).join(
            theirs, on=keys, how="left", maintain_order="left"
        )  # fmt: skip
        return joined["record"].cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64)


def _shared_identifiers(outside: Table, original: Table) -> list[str]:
    """The columns that both tables declare identifiers."""
    return [
        name
        for name in original.schema.identifier
        if name in outside.columns and outside.schema.role(name) == "identifier"
    ]


def _name_columns(outside: Table, on: list[str]) -> list[str]:
    """The columns that name a person in the outside table: its identifiers, or all that are not linked on."""
    declared = outside.schema.identifier
    return declared or [name for name in outside.columns if name not in on and name not in outside.schema.columns]


@dataclass(frozen=True, eq=False)
class _Links:
    """By person: how many rows fit, how many persons fit these rows, and whether the own row is among them."""

    fits: csr_array
    rows: NDArray[np.int64]
    persons: NDArray[np.int64]
    """The fewest persons who fit one of the rows."""
    own: NDArray[np.bool_]
    there: NDArray[np.bool_] | None
    """Whether the person has a row; None where that is not known."""
    n_rows: int
    sure: bool
    """Whether everybody is known to have one of the rows."""

    @property
    def chance(self) -> NDArray[np.float64]:
        """For each person, the probability of the likeliest link; a lower bound where all are known to be there."""
        fewest = self.rows if self.sure else np.maximum(self.rows, self.persons)
        return np.where(self.rows > 0, 1.0 / np.maximum(fewest, 1), 0.0)

    def figures(self, suffix: str, said: str) -> dict[str, Success]:
        """The figures of these links; names end in `suffix`, meanings in `said`."""
        n = max(self.n_rows, 1)
        rows = self.rows.astype(np.float64)
        unique = (self.rows == 1) & (self.persons == 1)
        least = ", at least" if self.sure else ""
        found = {
            f"candidates{suffix}": mean_success(rows, float(n), f"rows that fit a person{said}, on average", "number"),
            f"singled{suffix}": share_success(self.rows == 1, 0.0, f"persons whom one row alone fits{said}"),
            f"linked{suffix}": share_success(unique, 0.0, f"persons whom one row fits that fits nobody else{said}"),
            f"chance{suffix}": mean_success(
                self.chance, 1 / n, f"probability of the likeliest link of a person{said}{least}, on average"
            ),
            f"most{suffix}": Success(
                float(self.chance.max()), None, None, 1 / n, f"probability of the likeliest link of all{said}{least}"
            ),
        }  # fmt: skip
        if self.there is not None:
            if self.there.any():
                right = np.where(self.own, 1.0 / np.maximum(rows, 1.0), 0.0)[self.there]
                found[f"found{suffix}"] = mean_success(
                    right, 1 / n, f"probability that a row that fits a person who is there is the own one{said}"
                )
            meaning = f"persons with a unique link to a row that is not theirs{said}"
            found[f"mistaken{suffix}"] = share_success(unique & ~self.own, 0.0, meaning)
        return found

    def frame(self, named: pl.DataFrame, values: list[str | None]) -> pl.DataFrame:
        """The links person by person."""
        new = {
            "rows": pl.Series(self.rows),
            "persons": pl.Series(np.where(self.rows > 0, self.persons, 0)),
            "chance": pl.Series(self.chance),
            "value": pl.Series(values, dtype=pl.String),
        }
        taken = {name: f"{name} of the person" for name in named.columns if name in new}
        return named.rename(taken).with_columns(**new)


def _link(
    matcher: RowMatcher, everybody: Table, known: Table, own: NDArray[np.int64] | None, *, sure: bool
) -> _Links:  # fmt: skip
    """Link the `known` persons of `everybody` to rows; `own` is the row of each of them, -1 for none.

    `sure` says that all of them are known to have a row.
    """
    fits = matcher.fits(known)
    rows = np.asarray(fits @ matcher.sizes).astype(np.int64)
    kinds = np.unique(fits.indices)
    persons = np.zeros(matcher.n_kinds, dtype=np.int64)
    persons[kinds] = matcher.counts(everybody, kinds) if len(kinds) else 0
    fewest = np.full(len(rows), np.iinfo(np.int64).max)
    np.minimum.at(fewest, np.repeat(np.arange(len(rows)), np.diff(fits.indptr)), persons[fits.indices])
    there = is_own = None
    if own is not None:
        there = own >= 0
        at = csr_array(
            (np.ones(int(there.sum())), (np.flatnonzero(there), matcher.of_row[own[there]])), shape=fits.shape
        )  # fmt: skip
        is_own = np.asarray(fits.multiply(at).sum(axis=1)).ravel() > 0
    n_rows = int(matcher.sizes.sum())
    is_own = is_own if is_own is not None else np.zeros(len(rows), bool)
    return _Links(fits, rows, fewest, is_own, there, n_rows, sure)


def _covers(links: _Links) -> bool:
    """Whether everybody who has a row fits it."""
    return links.there is None or bool(links.own[links.there].all())
