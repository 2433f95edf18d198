"""Somebody who knows how the release was made, and that its method makes cells no wider than the promise asks.

Wong, Fu, Wang & Pei, "Minimality attack in privacy preserving data publishing", VLDB 2007. The adversary knows
everybody's quasi-identifiers, the method with its parameters and the promise. A world says who in each class has which
of its published values. Those worlds are kept that the method publishes in the very same way, and each is as likely as
any other: if a class was not made finer, it could not be. If there are few worlds all are tried, else a sample.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.attack import Attack, Attacked, Success, mean_success, share_success
from sfumato.contracts.method import Method, method_from_dict
from sfumato.data.encoding import encode
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, SfumatoError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.promise import Promise
from sfumato.published.shape import Bare
from sfumato.published.tables.table import TableShape, table_shape
from sfumato.tables.attacks.beliefs import RAW, beliefs
from sfumato.tables.attacks.row_matching import RowMatcher, as_known
from sfumato.tables.attacks.targets import OWNER, check_name, published_records, secret_of

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["MinimalityAttack"]

_MOST_ROWS = 2_000
_FEWEST_WORLDS = 30
_ABOVE = 1e-9


@dataclass(frozen=True)
class MinimalityAttack(Attack):
    """Knows everybody's quasi-identifiers and the method, and tries at most `worlds` ways to deal out `sensitive`.

    In every world the people of a class have the values that the class shows, in another order.

    >>> import sfumato as sf
    >>> sf.MinimalityAttack(worlds=50)
    MinimalityAttack(worlds=50, sensitive=None)
    """

    example = "worlds = 50"

    worlds: int = 2000
    sensitive: str | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        whole("worlds", self.worlds, least=_FEWEST_WORLDS)
        check_name("sensitive", self.sensitive)

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Publish every world again, and keep those that come out as the release did."""
        _refuse_inapplicable(release, original)
        rows, records = published_records(release, original)
        quasi = original.schema.quasi
        matcher = RowMatcher.of(
            as_known(original, [original.schema.column(q) for q in quasi], "the original").frame, {}, quasi
        )
        shown = RowMatcher.of(release.data.frame, table_shape(release).seen_forms, quasi)
        secret = secret_of(release, original, self.sensitive, matcher, shown)
        progress.step("publishing again")
        again = _Rerun(release, original, secret.name)
        again.check(_partition(release, rows, records, len(original)))
        progress.step("trying worlds")
        order = np.argsort(again.released[records], kind="stable")
        people = records[order]
        starts = np.flatnonzero(np.diff(again.released[people], prepend=-2))
        classes = [people[a:b] for a, b in itertools.pairwise([*starts.tolist(), len(people)])]
        values = [secret.true[members] for members in classes]
        n_worlds = math.prod(_n_orders(own) for own in values)
        every = n_worlds <= self.worlds
        drawn = _all_worlds(values) if every else _some_worlds(values, self.worlds, random.spawn("worlds"))
        counts, tried, kept = np.zeros((len(people), len(secret.values))), 0, 0
        for world in drawn:
            tried += 1
            if again.same(people, world, secret.values):
                counts[np.arange(len(people)), world] += 1
                kept += 1
        if not every and kept < _FEWEST_WORLDS:
            raise ParameterError(
                f"of {tried:,} worlds drawn {kept:,} lead to this release, too few to judge by; raise worlds, or "
                f"attack a part of the table"
            )
        plain = np.concatenate([
            np.tile(np.bincount(own, minlength=len(secret.values)) / len(own), (len(own), 1)) for own in values
        ])  # fmt: skip
        known = Table(original.frame.select(quasi)[people], _schema(original, quasi))
        raw = beliefs(matcher.fits(known), secret.before, secret.true[people])
        guess = secret.guess(people)
        found = {"posterior_before": mean_success(raw.own, guess, f"belief in the true value{RAW}, on average")}
        for suffix, belief, said in (
            ("_class", plain, " by the class alone"), ("", counts / max(kept, 1), " by somebody who knows the method")
        ):  # fmt: skip
            found |= _figures(belief, secret.true[people], secret.shares, guess, release.promise, suffix, said)
        parameters = "all" if every else "drawn at random"
        notes = (OWNER, f"{kept:,} of {tried:,} worlds, {parameters}, lead to this release")
        return Attacked(self, found, notes)


def _figures(
    belief: NDArray[np.float64], true: NDArray[np.int64], shares: NDArray[np.float64], guess: float,
    promise: Promise | None, suffix: str, said: str,
) -> dict[str, Success]:  # fmt: skip
    own, top = belief[np.arange(len(true)), true], belief.max(axis=1)
    found = {
        f"posterior{suffix}": mean_success(own, guess, f"belief in the true value{said}, on average"),
        f"certain{suffix}": share_success(
            own >= 1 - _ABOVE, float((shares > 0).sum() == 1), f"people whose value is certain{said}"
        ),
        f"most{suffix}": Success(
            float(top.max()), None, None, float(shares.max()), f"the greatest belief in any value of anybody{said}"
        ),
    }  # fmt: skip
    bounds = [
        part.l for part in (promise.parts if promise is not None else ())
        if isinstance(part, LDiversity) and part.kind == "frequency"
    ]  # fmt: skip
    if bounds:
        most = 1 / max(bounds)
        found[f"above{suffix}"] = share_success(
            top > most + _ABOVE, float(shares.max() > most), f"people of whom some value is believed above 1/l{said}"
        )
    return found


def _refuse_inapplicable(release: Release, original: Table) -> None:
    """Refuse releases that minimality says nothing about, or that are too large to be published again and again."""
    if len(original) > _MOST_ROWS:
        raise ParameterError(
            f"MinimalityAttack publishes worlds again and again, at most of {_MOST_ROWS:,} records, and the original "
            f"has {len(original):,}; attack a part of it"
        )
    shape = table_shape(release)
    if "substitute" in shape.seen_forms.values():
        raise ParameterError(
            "values of this release were changed one by one, so that it has no classes; use DistanceLinkage"
        )
    if shape.as_subdomains is not None:
        raise ParameterError(
            f"column {shape.as_subdomains!r} is shown as subdomains, whatever a group holds; "
            f"use LinkageAttack for the quasi-identifiers"
        )
    if not _looks_at_values(release.promise, original):
        raise ParameterError(
            f"{release.promise!r} says nothing of sensitive values, so that no class tells of them by its width; "
            f"use HomogeneityAttack"
        )


def _looks_at_values(promise: Promise | None, original: Table) -> bool:
    """Whether the promise is about sensitive values, so that classes depend on them."""
    if promise is None:
        return False
    try:
        return bool(promise.conditions(encode(original, original.schema.sensitive)))
    except ParameterError:  # a promise that one method alone keeps
        return True


def _schema(original: Table, quasi: list[str]) -> Any:
    return as_known(original.rows(slice(0, 1)), [original.schema.column(q) for q in quasi], "the original").schema


class _Rerun:
    """Runs the method of a release again, on the original and on other worlds."""

    def __init__(self, release: Release, original: Table, sensitive: str) -> None:
        name = str(release.method.get("name"))
        try:
            self.method: Method = method_from_dict(release.method)
        except SfumatoError as error:
            raise ParameterError(f"{name} cannot be run again by what the release tells of it: {error}") from None
        self.promise, self.original, self.sensitive, self.name = release.promise, original, sensitive, name
        self.released = self._classes_of(original, "one")

    def check(self, published: NDArray[np.int64]) -> None:
        """Refuse methods that draw their classes at random."""
        if not np.array_equal(self.released, self._classes_of(self.original, "two")):
            raise ParameterError(
                f"{self.name} draws its classes at random, so that their width tells nothing certain; "
                f"use HomogeneityAttack"
            )
        if not np.array_equal(self.released, published):
            raise ParameterError(
                f"{self.name} does not form these classes again from the original; is it the table that was published?"
            )

    def _classes_of(self, table: Table, seed: str) -> NDArray[np.int64]:
        """Publish a table, and return the class of every record, numbered as they first occur; -1 for none."""
        made = self.method.run(table, self.promise, Randomness(seed), Progress(4, shown=False))
        shape = table_shape(Bare(data=made, public=made.public, files=made.files))
        found = np.full(len(self.original), -1, dtype=np.int64)
        found[made.rows] = _kinds(shape, self.original.schema.quasi)
        return _canonical(found)

    def same(self, people: NDArray[np.int64], world: NDArray[np.int64], values: pl.Series) -> bool:
        """Whether the method publishes a world in the same classes as the release."""
        place = np.full(len(self.original), -1, dtype=np.int64)
        place[people] = world
        own = self.original.frame[self.sensitive]
        moved = values.gather(np.maximum(place, 0)).cast(own.dtype)
        column = pl.select(pl.when(pl.Series(place >= 0)).then(moved).otherwise(own).alias(self.sensitive)).to_series()
        table = Table(self.original.frame.with_columns(column), self.original.schema)
        try:
            return np.array_equal(self.released, self._classes_of(table, "one"))
        except SfumatoError:
            return False


def _partition(
    release: Release, rows: NDArray[np.int64], records: NDArray[np.int64], n: int
) -> NDArray[np.int64]:  # fmt: skip
    found = np.full(n, -1, dtype=np.int64)
    found[records] = _kinds(table_shape(release), release.schema.quasi)[rows]
    return _canonical(found)


def _kinds(shape: TableShape, quasi: list[str]) -> NDArray[np.int64]:
    """The class or group of every published row."""
    if shape.two_tables is not None:
        return shape.two_tables.group_of_row
    return RowMatcher.of(shape.frame, shape.seen_forms, quasi).of_row


def _canonical(found: NDArray[np.int64]) -> NDArray[np.int64]:
    """Classes numbered as they first occur."""
    there = found >= 0
    _, first, inverse = np.unique(found[there], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    numbered = np.full(len(found), -1, dtype=np.int64)
    numbered[there] = rank[inverse]
    return numbered


def _n_orders(values: NDArray[np.int64]) -> int:
    """In how many different orders these values can stand."""
    n = math.factorial(len(values)) if len(values) <= 170 else 10**300
    for count in np.unique(values, return_counts=True)[1].tolist():
        n //= math.factorial(count) if len(values) <= 170 else 1
    return n


def _all_worlds(values: list[NDArray[np.int64]]) -> Iterator[NDArray[np.int64]]:
    dealt = [list(_orders(tuple(sorted(own.tolist())))) for own in values]
    for world in itertools.product(*dealt):
        yield np.array([value for own in world for value in own], dtype=np.int64)


def _orders(values: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The different orders of a few values."""
    if not values:
        yield ()
    for i, value in enumerate(values):
        if not i or values[i - 1] != value:
            for rest in _orders(values[:i] + values[i + 1 :]):
                yield (value, *rest)


def _some_worlds(
    values: list[NDArray[np.int64]], n: int, random: Randomness
) -> Iterator[NDArray[np.int64]]:  # fmt: skip
    for _ in range(n):
        yield np.concatenate([own[random.permutation(len(own))] for own in values])
