"""Somebody who has several releases, knows who is in them, and intersects what they say of a person.

A person hides among the sensitive values of the rows that fit them. Where a table is published again and again, each
release on its own may hide everybody well, and yet only the true value be among those of all releases: Xiao & Tao,
SIGMOD 2007; Ganta, Kasiviswanathan & Smith, "Composition attacks and auxiliary information in data privacy", KDD 2008.
Of the values left, each is believed by the product of its shares among the rows that fit, release by release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.contracts.attack import Attack, Attacked, Success, mean_success, share_success
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError, suggest
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import flag, whole
from sfumato.published.shape import shape_of
from sfumato.published.tables.identity_keys import identity_keys, value_texts
from sfumato.published.tables.table import table_shape
from sfumato.tables.attacks.row_matching import RowMatcher, as_known
from sfumato.tables.attacks.targets import OWNER, check_name

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["IntersectionAttack"]

_LATEST = " by the latest release alone"
_TIE = 1e-9


@dataclass(frozen=True)
class IntersectionAttack(Attack):
    """Has the `previous` releases beside the one attacked, and knows everybody's quasi-identifiers and who is where.

    `originals` are the tables that the previous releases came from, in the same order, where these do not hold them.
    With `knows_class` the adversary also knows in which class of each release a person is. Attacks `people` who are in
    the release and in an earlier one, drawn at random.

    `sensitive` is the column that is guessed, by default the first.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> sf.IntersectionAttack(previous=[release], people=50).people
    50
    """

    previous: Sequence[Release] = ()
    originals: Sequence[Table] = field(default=(), repr=False)
    knows_class: bool = False
    sensitive: str | None = None
    people: int = 1000

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not isinstance(self.previous, (list, tuple)) or not self.previous:
            raise ParameterError("IntersectionAttack needs earlier releases, as in previous=[first]")
        for each in self.previous:
            if not hasattr(each, "owner") or shape_of(each).original_type is not Table:
                raise ParameterError(f"previous takes releases of tables, got {each!r}; load them with load_release")
        if not isinstance(self.originals, (list, tuple)):
            raise ParameterError(f"originals takes a list of tables, oldest first, got {type(self.originals).__name__}")
        if self.originals and len(self.originals) != len(self.previous):
            raise ParameterError(
                f"{len(self.previous)} earlier releases and {len(self.originals)} originals; give one for each"
            )
        flag("knows_class", self.knows_class)
        check_name("sensitive", self.sensitive)
        whole("people", self.people, least=1)

    def to_dict(self) -> dict[str, Any]:
        """The name and the parameters; of releases, how many."""
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "originals"}
        return {"name": type(self).__name__, **own, "previous": len(self.previous)}

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Work out what each release says of everyone's value, and multiply."""
        progress.step("looking who is where")
        name = self._column(original)
        tables: Sequence[Table | None] = self.originals or [None] * len(self.previous)
        latest = _ReleaseView.of(release, original, name)
        earlier = [_ReleaseView.of(each, table, name) for each, table in zip(self.previous, tables, strict=True)]
        again = [key for key in latest.classes if any(key in each.classes for each in earlier)]
        if not again:
            raise DataError("nobody in the release is in an earlier one; give releases of the same people")
        chosen = [sorted(again)[i] for i in np.sort(random.spawn("people").permutation(len(again))[: self.people])]
        progress.step("looking in the releases")
        true = [latest.truth[key] for key in chosen]
        values = sorted({*true, *(value for each in (latest, *earlier) for value in each.values)}, key=_order)
        place = {value: i for i, value in enumerate(values)}
        codes = np.array([place[value] for value in true])
        everywhere = latest.beliefs(chosen, latest, place, knows_class=self.knows_class)
        alone = everywhere.copy()
        for each in earlier:
            everywhere *= each.beliefs(chosen, latest, place, knows_class=self.knows_class)
        shares = np.bincount([place[value] for value in latest.truth.values()], minlength=len(values))
        found = {
            **_figures(everywhere, codes, shares / shares.sum(), name, "", ""),
            **_figures(alone, codes, shares / shares.sum(), name, "_latest", _LATEST),
        }
        n = len(again)
        notes = (OWNER, f"{n:,} of {len(latest.classes):,} people of the release are in an earlier one")
        return Attacked(self, found, notes)

    def _column(self, original: Table) -> str:
        sensitive = original.schema.sensitive
        if self.sensitive is not None and self.sensitive not in sensitive:
            raise ParameterError(f"column {self.sensitive!r} is not sensitive{suggest(self.sensitive, sensitive)}")
        if not sensitive:
            raise ParameterError("no column is declared sensitive, so that there is nothing to find out; declare one")
        return self.sensitive or sensitive[0]


def _order(value: str | None) -> tuple[bool, str]:
    return value is None, value or ""


@dataclass(frozen=True, eq=False)
class _ReleaseView:
    """One release as the adversary sees it: who is in which class, and what each row says of the sensitive value."""

    release: Release
    original: Table | None
    classes: dict[str, int]
    """Everybody's class."""
    truth: dict[str, str | None]
    records: dict[str, int]
    """Everybody's row in the original, where that is known."""
    values: list[str | None]
    """The sensitive values that the release shows."""
    spread: csr_array
    """Rows by values: how likely each row has each value."""
    of_row: NDArray[np.int64]
    """The class of every row."""

    @staticmethod
    def of(release: Release, original: Table | None, name: str) -> _ReleaseView:
        owner, frame = release.owner, release.data.frame
        if owner is None:
            raise ParameterError(
                "who is in an earlier release is known by its owner's row map, which is not here; load the release "
                "from beside its owner's folder"
            )
        table = original if original is not None else owner.original
        shape = table_shape(release)
        if shape.as_subdomains is not None or shape.drawn_columns:
            raise ParameterError(
                "one of the releases was drawn anew or shows subdomains, so that there is nothing to intersect; attack "
                "releases that show records"
            )
        values, spread, of_row = _shown_values(release, name)
        if not isinstance(table, Table):
            return _ReleaseView(release, None, _kept_classes(release), {}, {}, values, spread, of_row)
        at = np.flatnonzero(owner.rows >= 0)
        records = owner.rows[at]
        if len(owner.rows) != frame.height or int(records.max(initial=-1)) >= len(table):
            raise DataError("one of the originals is not the table that its release was made from; give the right one")
        keys = identity_keys(table).gather(records).to_list()
        truth = value_texts(table.frame[name].gather(records))
        return _ReleaseView(
            release, table, dict(zip(keys, of_row[at].tolist(), strict=True)), dict(zip(keys, truth, strict=True)),
            dict(zip(keys, records.tolist(), strict=True)), values, spread, of_row,
        )  # fmt: skip

    def beliefs(
        self, people: Sequence[str], latest: _ReleaseView, place: dict[str | None, int], *, knows_class: bool
    ) -> NDArray[np.float64]:
        """People by values: the share of each value among the rows that fit; all 1 for people not in this release.

        Quasi-identifiers are those of this release's original; where it is not known, those of the latest.
        """
        there = np.array([i for i, key in enumerate(people) if key in self.classes], dtype=np.int64)
        found = np.ones((len(people), len(place)))
        if not len(there):
            return found
        n = len(self.of_row)
        if knows_class:
            own = np.array([self.classes[people[i]] for i in there])
            fits = csr_array((np.ones(len(there)), (np.arange(len(there)), own)), shape=(len(there), n))
            kind = self.of_row
        else:
            source = self if self.original is not None else latest
            assert source.original is not None
            schema = source.original.schema
            who = source.original.rows(np.array([source.records[people[i]] for i in there]))
            known = as_known(who, [schema.column(name) for name in schema.quasi], "the original")
            matcher = RowMatcher.of(self.release.data.frame, self.release.forms, schema.quasi)
            fits, kind = matcher.fits(known), matcher.of_row
        gather = csr_array((np.ones(n), (kind, np.arange(n))), shape=(fits.shape[1], n))
        counts = (fits @ (gather @ self.spread)).toarray()
        total = counts.sum(axis=1)
        if (total == 0).any():
            raise DataError("one of the originals is not the table that its release was made from; give the right one")
        found[there] = 0.0
        at = np.array([place[value] for value in self.values], dtype=np.int64)
        found[np.ix_(there, at)] = counts / total[:, None]
        return found


def _kept_classes(release: Release) -> dict[str, int]:
    """Everybody's class, by key, from the table of people that the owner of a sequence keeps."""
    seen = table_shape(release).numbered_classes
    people = release.owner.files.get("people") if release.owner is not None else None
    if seen is None or people is None:
        raise ParameterError("who is in an earlier release is not known; give its original in originals")
    here = people.filter(pl.col(seen.group_name).is_not_null())
    return dict(zip(here["person"], np.searchsorted(seen.numbers, here[seen.group_name]).tolist(), strict=True))


def _shown_values(release: Release, name: str) -> tuple[list[str | None], csr_array, NDArray[np.int64]]:
    """The values that a release shows, how likely each row has each of them, and the class of every row."""
    shape = table_shape(release)
    frame, apart = shape.frame, shape.two_tables
    table = frame if apart is None else apart.sensitive
    if name not in table.columns:
        raise ParameterError(f"one of the releases does not publish column {name!r}; name another with sensitive")
    shown = value_texts(table[name])
    values = sorted(set(shown), key=_order)
    number = {value: i for i, value in enumerate(values)}
    codes = np.array([number[value] for value in shown], dtype=np.int64)
    n = frame.height
    if apart is not None:
        shares = apart.count / apart.sizes[apart.group]
        by_group = csr_array((shares, (apart.group, codes)), shape=(apart.n_groups, len(values)))
        return values, csr_array(by_group[apart.group_of_row]), apart.group_of_row
    spread = csr_array((np.ones(n), (np.arange(n), codes)), shape=(n, len(values)))
    seen = shape.numbered_classes
    of_row = seen.of_row if seen is not None else RowMatcher.of(frame, shape.forms, list(shape.forms)).of_row
    return values, spread, of_row


def _figures(
    weights: NDArray[np.float64],
    true: NDArray[np.int64],
    shares: NDArray[np.float64],
    name: str,
    suffix: str,
    said: str,
) -> dict[str, Success]:
    """The figures of an adversary who believes each value of a person by its weight (people by values)."""
    total = weights.sum(axis=1, keepdims=True)
    belief = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    own = belief[np.arange(len(true)), true]
    left = (belief > 0).sum(axis=1)
    top = belief >= belief.max(axis=1, keepdims=True) * (1 - _TIE)
    right = np.where((own > 0) & top[np.arange(len(true)), true], 1.0 / top.sum(axis=1), 0.0)
    n_known = int((shares > 0).sum())
    fewest = f"values left of whoever has the fewest{said}"
    return {
        f"certain{suffix}": share_success(
            (left == 1) & (own > 0), float(n_known == 1), f"people whose {name!r} is the only value left{said}"
        ),
        f"posterior{suffix}": mean_success(
            own, float(shares[true].mean()), f"probability that a guess among the values left is right{said}"
        ),
        f"likeliest{suffix}": mean_success(
            right, float(shares.max()), f"people whose likeliest value is the right one{said}"
        ),
        f"left{suffix}": mean_success(
            left.astype(np.float64), float(n_known), f"values left{said}, on average", "number"
        ),
        f"fewest{suffix}": Success(float(left.min()), None, None, float(n_known), fewest, "count"),
    }  # fmt: skip
