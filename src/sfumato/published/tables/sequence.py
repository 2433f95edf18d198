"""The shape of one release of a sequence: its own check, and the check over all releases. Knows no method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, SfumatoError
from sfumato.privacy.m_invariance import MInvariance
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict
from sfumato.published.equivalence import AS_RECORDED, Cells, PublishedClasses
from sfumato.published.shape import Check
from sfumato.published.tables.identity_keys import identity_keys, value_texts
from sfumato.published.tables.numbered_classes import (
    NumberedClasses,
    numbered_classes_flaws,
    numbered_classes_untruths,
    read_numbered_classes,
)
from sfumato.published.tables.table import TableShape, bounds_loss

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["SequenceCheck", "SequenceShape", "check_sequence"]

_PEOPLE = "people"


class SequenceShape(TableShape):
    """One release of a sequence: numbered classes, some of whose rows are counterfeits."""

    name = "sequence"
    rows_are_records = False

    @cached_property
    def numbered_classes(self) -> NumberedClasses:
        """The classes by their published numbers, with the counts of counterfeits."""
        found = read_numbered_classes(self.frame, self.files, self.public)
        assert found is not None
        return found

    @property
    def group(self) -> str:
        """The column that has the number of each row's class."""
        return str(self.public["republication"]["group"])

    @property
    def parameters(self) -> Mapping[str, Any]:
        """How classes are numbered, as the release tells."""
        parameters: Mapping[str, Any] = self.public["republication"]
        return parameters

    @property
    def n_counterfeits(self) -> int:
        """How many rows are counterfeits, which stand for nobody."""
        return self.numbered_classes.n_fakes

    def people(self) -> pl.DataFrame:
        """Return the rows without counterfeits."""
        return self.numbered_classes.people(self.frame)

    def plain_classes(self) -> PublishedClasses | None:
        """None: some rows of a class are counterfeits."""
        return None

    def verify(self, check: Check) -> Verdict:
        """Check this release, and the sequence where earlier releases are given."""
        asked = [part for part in check.parts if isinstance(part, MInvariance)]
        refused = bounds_loss(check)
        if refused:
            check = replace(check, promise=None)
        verdict = super().verify(check)
        if refused and not self.flaws():
            reason = "a bound on the loss is not decided where some rows are counterfeits"
            return replace(verdict, broken=(*verdict.broken, reason))
        if not asked or self.flaws():
            return verdict
        return self._over_releases(verdict, [*check.previous, self.release], asked)  # type: ignore[list-item]

    def flaws(self) -> list[str]:
        """What keeps the tables from being read, and tables and columns that are not named, a clause each."""
        return numbered_classes_flaws(self.frame, self.files, self.public, self.schema)

    def unnamed_parts(self) -> list[str]:
        """Nothing: `flaws` lists the parts without a name already."""
        return []

    def own_check(self, check: Check) -> tuple[list[str], list[str]]:
        """Say how many rows are counterfeits."""
        n = self.numbered_classes.n_fakes
        said = f"{n:,} of {self.frame.height:,} rows are counterfeits"
        if n and any(part.speaks_of not in ("groups", "population") for part in check.parts):
            said += ", which hide nobody: sizes of classes are without them"
        return [said], []

    def untruths(self, check: Check) -> list[str]:
        """What the original contradicts, a clause each."""
        return numbered_classes_untruths(self.frame, self.numbered_classes, self.forms, check.original, self.rows)

    def refusals(self, check: Check) -> list[str]:
        """Refuse classes by other columns than quasi-identifiers: which of their rows are counterfeits is not known."""
        known = (*self.schema.quasi, self.numbered_classes.group_name)
        beyond = [name for name in self.asked_quasi(check) if name not in known]
        if beyond and self.numbered_classes.n_fakes:
            return [f"who shares a value of {beyond[0]!r} is not decided where some rows are counterfeits"]
        return []

    def classes(self, check: Check, *, sound: bool) -> PublishedClasses:
        """Return the classes without their counterfeits."""
        every = Cells(suppressed_rows="class")
        return PublishedClasses(
            self.people(), self.asked_quasi(check), self.schema.sensitive, self.schema.columns, every
        )

    def groups(self, check: Check) -> PublishedClasses:
        """Return the classes by their numbers, counterfeits among them."""
        return PublishedClasses(
            self.frame, [self.group], self.schema.sensitive, self.schema.columns, AS_RECORDED, noun="class"
        )

    def checked_on(self, original: Table | None) -> str:
        """Say whether the rows were read alone, or each that is no counterfeit against its record."""
        n = f"{self.frame.height:,} published rows"
        if original is None:
            return f"{n} alone"
        if self.rows is None:
            return f"{n} and the original, without the owner's row map"
        return f"{n}, each that is no counterfeit against its own record"

    def _over_releases(
        self, verdict: Verdict, releases: Sequence[Release], asked: Sequence[Promise]
    ) -> Verdict:  # fmt: skip
        """Return the verdict on the last of these releases, with what holds over all of them."""
        if len(releases) == 1:
            number = self.numbered_classes.release
            if number == 1:
                return replace(
                    verdict, decisions=("the first of its sequence, by its own word", *verdict.decisions),
                    broken=(*verdict.broken, *_known_before(self.release.owner, self.group)),
                )  # fmt: skip
            alone = f"release {number} of its sequence, decided alone; give the earlier ones as previous"
            unseen = f"{asked[0]!r} over the sequence"
            return replace(
                verdict, decisions=(alone, *verdict.decisions), undecided=(*verdict.undecided, unseen)
            )  # fmt: skip
        over = check_sequence(releases)
        hurt = ((i + 1, each) for i, release in enumerate(releases[:-1]) for each in release.damage)
        broken = [*(f"release {i} of the sequence: {each}" for i, each in hurt), *over.broken]
        if not broken:
            for i, release in enumerate(releases[:-1]):
                numbered = SequenceShape(release).groups(Check(promise=None))
                found = [finding for part in asked for finding in part.check(numbered)]
                broken += [f"release {i + 1} of the sequence: {each.found}" for each in found if not each.holds]
        numbers = [int(release.public["republication"]["release"]) for release in releases] if not over.broken else []
        gap = over.undecided or _gap(numbers)
        undecided = (f"{asked[0]!r} over the sequence",) if gap else ()
        left_out = numbers[-1] - len(numbers) if numbers and not gap else 0
        apart = (f"{left_out:,} earlier release{'s' if left_out > 1 else ''} of the sequence, not given here",)
        return replace(
            verdict, broken=(*verdict.broken, *broken),
            found=(*verdict.found, *(said for said in (gap or over.found,) if said and not broken)),
            undecided=(*verdict.undecided, *undecided),
            not_covered=(*verdict.not_covered, *(apart if left_out > 0 else ())),
        )  # fmt: skip

    @classmethod
    def described_columns(cls, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]) -> list[str]:
        """Return no column: the rows hold all columns of the original, and the number of a class."""
        return []

    @classmethod
    def declared_columns(cls, schema: Schema, public: Mapping[str, Any]) -> list[Column]:
        """Return the columns of the rows: those of the schema, and the number of a class."""
        number = Column(name=str(public["republication"]["group"]), role="plain", kind="integer")
        return [*schema.columns.values(), number]


def _known_before(owner: Any, group: str) -> list[str]:
    """Say so where what the owner kept of a release knows people of an earlier one, though it says it is the first."""
    people = owner.files.get(_PEOPLE) if owner is not None else None
    if people is None or any(name not in people.columns for name in (group, "since")):
        return []
    if not people[group].null_count() and not bool((people["since"].cast(pl.Int64, strict=False) != 1).any()):
        return []
    return ["the release says that it is the first of its sequence, and what its owner kept knows of earlier ones"]


def _gap(numbers: Sequence[int]) -> str:
    """Why the last of these releases is not the one after the others, in a clause; nothing where it is.

    A release counts from the number of the latest one before it, and by how many there are.
    """
    before = 0
    for number in numbers[:-1]:
        before = max(before + 1, number)
    if not numbers or numbers[-1] == before + 1:
        return ""
    return f"it is release {numbers[-1]:,} of its sequence, and the earlier ones given are not those before it"


@dataclass(frozen=True)
class SequenceCheck:
    """What a check over releases found: what is broken, and otherwise what holds, or why that is not known."""

    broken: tuple[str, ...] = ()
    found: str = ""
    undecided: str = ""


def check_sequence(releases: Sequence[Release]) -> SequenceCheck:
    """Check that everybody in two releases or more is shown with the same values in all of them; oldest release first.

    Signatures are read off the published classes; the owner's parts say who is in which, and who was taken for somebody
    new because their value had changed. Where the original is known, so is whether it had. What is found is for
    readers: it tells how many releases there are, and nothing of how many people came again or changed.
    """
    last: pl.DataFrame | None = None
    broken: list[str] = []
    refusing: list[int] = []
    for i, release in enumerate(releases):
        try:
            now = _signatures(release)
        except SfumatoError as error:
            return SequenceCheck(broken=(f"release {i + 1} of the sequence cannot be read: {error}",))
        if now is None:
            return SequenceCheck(undecided="who is in which release is known by the owners' parts, and one is not here")
        number = int(release.public["republication"]["release"])
        if number == 1 or release.method.get("changed") != "new":
            refusing.append(number)
        if last is not None:
            both = last.join(now, on="person", suffix="_now")
            new = both.filter(pl.col("since") != pl.col("since_now"))
            stay = both.filter(pl.col("since") == pl.col("since_now"))
            n = stay.filter(pl.col("signature") != pl.col("signature_now")).height
            kept = pl.col("known_now") & pl.col("own_now").is_in(pl.col("signature"), nulls_equal=True)
            n += new.filter(kept | pl.col("since_now").is_in(refusing)).height
            if n:
                who = f"{n:,} people of release {i + 1} were" if n > 1 else f"1 person of release {i + 1} was"
                broken.append(f"{who} shown among other values before")
            last = pl.concat([now, last.join(now, on="person", how="anti")])
        else:
            last = now
    if broken:
        return SequenceCheck(broken=tuple(broken))
    earlier = f"{len(releases) - 1} earlier release{'s' if len(releases) != 2 else ''}"
    unless = "" if len(set(refusing)) >= number else ", unless their value had changed"
    return SequenceCheck(found=f"over {earlier}: whoever was published again is among the same values{unless}")


def _signatures(release: Release) -> pl.DataFrame | None:
    """The key of each person, their own value where it is known, and the values of their class.

    None without an owner's part.
    """
    frame, owner = release.data.frame, release.owner
    seen = read_numbered_classes(frame, release.files, release.public)
    if seen is None:
        raise DataError("it was not made by Republishing")
    if owner is None or _PEOPLE not in owner.files:
        return None
    people, group = owner.files[_PEOPLE], seen.group_name
    if "person" not in people.columns or any(
        name not in people.columns or not people[name].dtype.is_integer() for name in (group, "since")
    ):
        raise DataError("the owner's table of people is damaged")
    here = people.filter(pl.col(group).is_not_null()).select("person", pl.col(group).cast(pl.Int64), "since")
    shown = frame.select(
        pl.col(group).cast(pl.Int64), pl.Series("own", value_texts(frame[seen.column]), dtype=pl.String)
    )
    by_class = shown.group_by(group).agg(pl.col("own").sort(nulls_last=True).alias("signature"), pl.len().alias("rows"))
    fakes = pl.DataFrame({group: seen.numbers, "fakes": seen.fakes})
    members = here.group_by(group).len("people")
    sizes = by_class.join(fakes, on=group).join(members, on=group, how="full", coalesce=True)
    if not bool((sizes["rows"].cast(pl.Int64) - sizes["fakes"]).eq_missing(sizes["people"].cast(pl.Int64)).all()):
        raise DataError("the owner's table of people does not have as many in each class as are published")
    if isinstance(owner.original, Table):
        real = owner.rows >= 0
        keys = identity_keys(owner.original.rows(owner.rows[real]))
        own = shown.filter(pl.Series(real)).with_columns(keys)
        if here.height != own.height or here.join(own, on=["person", group]).height != own.height:
            raise DataError("the owner's table of people does not name those of the original")
        here = here.join(own, on=["person", group]).with_columns(pl.lit(value=True).alias("known"))
    else:
        here = here.with_columns(pl.lit(None, dtype=pl.String).alias("own"), pl.lit(value=False).alias("known"))
    return here.join(by_class, on=group).select("person", "own", "known", "since", "signature")
