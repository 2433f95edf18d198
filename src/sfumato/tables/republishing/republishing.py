"""Re-publication: a release that adds nothing to what earlier ones say of the people in them.

Xiao & Tao, "m-Invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007: division,
balancing, assignment and split, a module each beside this one. Where no person has a value that a signature needs, a
counterfeit row stands in; how many there are in each class is published, as in the paper, but not which rows they are.
Classes are numbered, so that two that show the same ranges stay two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.column_names import unused_name
from sfumato.data.encoding import encode
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, SchemaError
from sfumato.ground.progress import Progress, Share, portion
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, one_of
from sfumato.privacy.m_invariance import MInvariance
from sfumato.privacy.promise import Promise
from sfumato.published.tables.identity_keys import identity_keys, value_texts
from sfumato.tables.grouping.groups import Groups
from sfumato.tables.republishing.assignment import assign
from sfumato.tables.republishing.buckets import Buckets, Signature, balance, divide_into_buckets
from sfumato.tables.republishing.past import Past, Values, kept_tables, signature_text
from sfumato.tables.republishing.polish import polish_classes
from sfumato.tables.republishing.split import Places, split_bucket
from sfumato.tables.showing.ranges import show_ranges

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["Republishing"]

Changed: TypeAlias = Literal["refuse", "new"]
_TABLE = "counterfeits"


@dataclass(frozen=True)
class Republishing(Method):
    """m-invariance: everybody keeps the set of sensitive values that they are published with, release after release.

    People are recognised by the columns declared identifier. `counterfeits` is the largest share of the records that
    counterfeits may be. A table in which somebody's sensitive value is not among those they were published with is
    refused; with `changed="new"` such people are taken for new ones.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> schema = sf.Schema(identifier=["mrn"], quasi=["age", "sex"], sensitive=["diagnosis"])
    >>> people = sf.Table(hospital(60).frame.select("mrn", "age", "sex", "diagnosis"), schema)
    >>> sf.publish(people, sf.Republishing(), sf.MInvariance(2), seed=1)
    Release(60 rows, Republishing, MInvariance(m=2) holds)
    """

    compared = ()

    counterfeits: float = 0.25
    changed: Changed = "refuse"

    def __post_init__(self) -> None:
        """Check the parameters."""
        finite("counterfeits", self.counterfeits, asked="a share of the records, a number >= 0", low=0.0)
        one_of("changed", self.changed, get_args(Changed))

    def after(self, previous: Sequence[Release]) -> Method:
        """A method that publishes the release after these ones, oldest first."""
        return _After(self, Past.of(previous))

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """The first release of a sequence."""
        return self.follow(Past({}), table, promise, random, progress)

    def follow(
        self, past: Past, table: Table, promise: Promise | None, random: Randomness, progress: Progress
    ) -> Outcome:
        """Publish the release after those of the past; rows and classes come in random order."""
        m, secret = _read_promise(promise, table, past)
        progress.step("reading values")
        kept = table.complete
        part = table if len(kept) == len(table) else table.rows(kept)
        if not len(part):
            raise DataError("no row can be published; give the table some, or declare missing = 'value'")
        keys = identity_keys(part)
        quasi = encode(part, part.schema.quasi)
        values = _Values.of(part.frame[secret], past)
        signatures = self._signatures(keys, values, past, secret)
        progress.step("forming buckets")
        buckets = self._buckets(values, signatures, m, secret, random.spawn("records"), progress.share)
        progress.step("splitting buckets")
        fresh = np.array([signature is None for signature in signatures])
        classes = _classes(buckets, Places.of(quasi), fresh, random.spawn("stand-ins"), progress.share)
        groups, order = classes.groups, random.spawn("arrangement").permutation(len(classes.rows))
        rows, of_class = classes.rows[order], classes.of_place[order]
        number = random.spawn("class numbers").permutation(groups.n_groups)
        real = rows >= 0
        behind = np.where(real, rows, groups.order[groups.starts[of_class]])  # a counterfeit shows what its class shows
        shown = show_ranges(part, quasi, groups, behind, random)
        group_name = unused_name("group", [*table.columns, "person", "signature", "since"])
        count_name = unused_name("count", [*table.columns, group_name])
        columns = {column.name: column for column in shown.columns}
        columns[secret] = values.column.gather(classes.values[order]).alias(secret)
        names = [name for name in table.columns if name in columns]
        frame = pl.DataFrame(
            [*(columns[name] for name in names), pl.Series(group_name, number[of_class], dtype=pl.Int64)]
        )
        fakes = np.bincount(of_class[~real], minlength=groups.n_groups)
        listed = pl.DataFrame(
            [pl.Series(group_name, number, dtype=pl.Int64), pl.Series(count_name, fakes, dtype=pl.Int64)]
        )
        disclosed = {"column": secret, "group": group_name, "count": count_name, "table": _TABLE,
                "release": past.n_releases + 1}  # fmt: skip
        public: dict[str, Any] = {"forms": shown.forms, "republication": disclosed}
        if len(kept) < len(table):
            public["withheld_rows"] = len(table) - len(kept)
        by_class = [signature_text(values.names[value] for value in each) for each in classes.signatures]
        people = pl.DataFrame(
            {
                "person": keys,
                group_name: pl.Series(number[groups.of_row], dtype=pl.Int64),
                "signature": pl.Series(by_class, dtype=pl.String).gather(groups.of_row),
                "since": [
                    disclosed["release"] if new else past.people[key][1] for key, new in zip(keys, fresh, strict=True)
                ],
            }
        )
        return Outcome(
            frame=frame,
            rows=np.where(real, kept[rows], -1),
            public=public,
            files={_TABLE: listed.filter(pl.col(count_name) > 0).sort(group_name)},
            kept=kept_tables(past, people, values.table()),
        )

    def _signatures(self, keys: pl.Series, values: _Values, past: Past, secret: str) -> list[Signature | None]:
        """Everybody's signature from earlier releases; None for people who are new, or taken for new."""
        place = {name: code for code, name in enumerate(values.names)}
        numbered: dict[Values, Signature] = {}
        found: list[Signature | None] = []
        n_changed = 0
        for key, code in zip(keys.to_list(), values.codes, strict=True):
            signature, _ = past.people.get(key, (None, 0))
            if signature is None:
                found.append(None)
            elif values.names[code] not in signature:
                n_changed += 1
                found.append(None)
            else:
                if signature not in numbered:
                    numbered[signature] = tuple(sorted(place[name] for name in signature))
                found.append(numbered[signature])
        if n_changed and self.changed == "refuse":
            who = f"{n_changed:,} people have" if n_changed > 1 else "1 person has"
            raise DataError(
                f"column {secret!r}: {who} a value that is not among those they were published "
                f"with; values are to stay, so leave them out, or take them for new people with changed='new'"
            )
        return found

    def _buckets(
        self, values: _Values, signatures: list[Signature | None], m: int, secret: str, random: Randomness, share: Share
    ) -> Buckets:
        """Division, balancing and assignment; refused where that takes too many counterfeits."""
        codes = values.codes
        counts = np.bincount(codes, minlength=len(values.names))
        if len(values.names) < m:
            raise InfeasibleError(
                f"MInvariance({m}) needs {m} different values of column {secret!r}, and {len(values.names)} are known; "
                f"the best is m={len(values.names)}"
            )
        buckets, fresh = divide_into_buckets(random.permutation(len(codes)).tolist(), codes, signatures)
        share(0.3)
        balance(buckets, fresh)
        share(0.5)
        assign(buckets, fresh, m, np.argsort(-counts, kind="stable").tolist())
        n_fakes = sum(bucket.n_lacking for bucket in buckets.values())
        if n_fakes > self.counterfeits * len(codes):
            top = int(counts.argmax())
            raise InfeasibleError(
                f"MInvariance({m}) takes {n_fakes:,} counterfeits beside {len(codes):,} records, more than "
                f"counterfeits={self.counterfeits:g} allows; the most frequent value of {secret!r} has "
                f"{counts[top]:,} records: lower m, or allow more"
            )
        return buckets


class _After(Method, register=False):
    """`Republishing`, going on from earlier releases."""

    def __init__(self, method: Republishing, past: Past) -> None:
        self._method, self._past = method, past

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """The next release."""
        return self._method.follow(self._past, table, promise, random, progress)


def _read_promise(promise: Promise | None, table: Table, past: Past) -> tuple[int, str]:
    """The m of the promise, and the sensitive column; refused where the promise or the table cannot be served."""
    parts = promise.parts if promise is not None else ()
    if len(parts) != 1 or not isinstance(parts[0], MInvariance):
        raise ParameterError(
            f"Republishing keeps MInvariance and nothing else, got {promise!r}; promise MInvariance(4)"
        )
    schema = table.schema
    if not schema.quasi:
        raise SchemaError("no column is declared quasi; name those an outsider may know, as in Schema(quasi=['age'])")
    if len(schema.sensitive) != 1:
        raise SchemaError(
            f"Republishing protects one sensitive column, and {len(schema.sensitive)} are declared; declare one"
        )
    secret = schema.sensitive[0]
    if past.column not in (None, secret):
        raise SchemaError(
            f"earlier releases protect {past.column!r}, and the sensitive column is {secret!r}; start a new sequence"
        )
    least = min((len(signature) for signature, _ in past.people.values()), default=parts[0].m)
    if least < parts[0].m:
        raise ParameterError(
            f"people were published among {least} values, and keep these; promise at most MInvariance({least}), or "
            f"start a new sequence"
        )
    plain = [name for name in table.columns if schema.role(name) == "plain"]
    if plain:
        raise SchemaError(
            f"column {plain[0]!r} is plain: it would link a person's rows from release to release, and tell "
            f"counterfeits apart; declare it quasi or identifier"
        )
    return parts[0].m, secret


@dataclass(frozen=True, eq=False)
class _Values:
    """The sensitive values as numbers: those of the table, and those that only earlier signatures have."""

    codes: list[int]
    names: list[str | None]
    column: pl.Series
    """The value behind each number."""

    @staticmethod
    def of(series: pl.Series, past: Past) -> _Values:
        """Number the values of the table first, then those of the past."""
        series = series.fill_nan(None) if series.dtype.is_float() else series
        known = series.unique().sort()
        if past.values is not None:
            try:
                before = past.values["value"].cast(series.dtype)
            except pl.exceptions.PolarsError:
                raise DataError(
                    f"column {series.name!r} holds {series.dtype}, and earlier releases publish "
                    f"{past.values['value'].dtype}; give it the same kind of values"
                ) from None
            known = pl.concat([known, before.alias(series.name)])
        names = value_texts(known)
        place: dict[str | None, int] = {}
        first: list[int] = []
        for i, name in enumerate(names):
            if name not in place:
                place[name] = len(first)
                first.append(i)
        return _Values([place[name] for name in value_texts(series)], list(place), known.gather(first))

    def table(self) -> pl.DataFrame:
        """The owner's table of values: each as text and as it is."""
        return pl.DataFrame({"text": pl.Series(self.names, dtype=pl.String), "value": self.column})


@dataclass(frozen=True, eq=False)
class _Classes:
    """Classes end to end: the sensitive value of every place, and its row, or -1 for a counterfeit."""

    rows: NDArray[np.int64]
    values: NDArray[np.int64]
    starts: NDArray[np.int64]
    signatures: list[Signature]

    @property
    def of_place(self) -> NDArray[np.int64]:
        """The class of every place."""
        return np.repeat(np.arange(len(self.signatures)), np.diff(self.starts))

    @property
    def groups(self) -> Groups:
        """The classes without the counterfeits."""
        real = self.rows >= 0
        sizes = np.bincount(self.of_place[real], minlength=len(self.signatures))
        return Groups(self.rows[real], np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


def _classes(
    buckets: Buckets, places: Places, fresh: NDArray[np.bool_], random: Randomness, share: Share
) -> _Classes:  # fmt: skip
    """Split every bucket into classes, and polish them. A counterfeit lies where a random person of its bucket lies."""
    n = len(fresh)
    rows, values, signatures, of_bucket = [], [], [], []
    for number, (signature, bucket) in enumerate(sorted(buckets.items())):
        share(0.5 * number / len(buckets))
        own = np.concatenate([np.array(each, dtype=np.int64) for each in bucket.rows.values()])
        stand_in = own[random.integers(len(own), size=bucket.n_lacking)]
        height, used = bucket.height, 0
        members = np.empty((len(signature), height), dtype=np.int64)
        for line, value in enumerate(signature):
            there = bucket.rows[value]
            members[line, : len(there)] = there
            members[line, len(there) :] = n + used + np.arange(height - len(there))
            used += height - len(there)
        split_bucket(np.concatenate([places.position, places.position[:, stand_in]], axis=1), places.weight, members)
        rows.append(np.where(members < n, members, -1).T.ravel())
        values.append(np.tile(np.array(signature, dtype=np.int64), height))
        signatures += [signature] * height
        of_bucket += [number] * height
    starts = np.cumsum([0, *map(len, signatures)]).astype(np.int64)
    found = _Classes(np.concatenate(rows), np.concatenate(values), starts, signatures)
    of_class = np.array(of_bucket, dtype=np.int64)
    polish_classes(places, found.rows, found.starts, found.values, of_class, fresh, portion(share, 0.5, 1.0))
    return found
