"""A release of a sequence as readers find it: classes by number, and how many of their rows are counterfeits.

Read, checked against each other and the original, and held against earlier releases of the sequence. Knows nothing of
the method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.errors import DataError, ParameterError, SfumatoError
from sfumato.figures import Figure, Measures
from sfumato.published.tables.persons import person_keys, texts
from sfumato.published.tables.truth import untruths
from sfumato.published.tables.two_tables import not_numbered

if TYPE_CHECKING:
    from sfumato.release import Release

__all__ = ["Republished", "Sequenced", "flaws", "read_republished", "refuse_counterfeits", "republished_untruths",
           "sequence"]  # fmt: skip

_PEOPLE = "people"
_MOST_RELEASES = 1 << 31


@dataclass(frozen=True, eq=False)
class Republished:
    """Classes by number: the class of every row, and how many counterfeits each has."""

    column: str
    group_name: str
    numbers: NDArray[np.int64]
    """The number that each class is published under, rising."""
    of_row: NDArray[np.int64]
    """The class of every row, by its place among `numbers`."""
    fakes: NDArray[np.int64]
    release: int
    """Which of the sequence it is, from 1."""

    @property
    def n_fakes(self) -> int:
        """How many rows are counterfeits."""
        return int(self.fakes.sum())

    def people(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows without as many of each class as are counterfeits: any of them, as quasi-identifiers are equal."""
        place = pl.DataFrame({"class": self.of_row}).select(pl.int_range(pl.len()).over("class")).to_series().to_numpy()
        return frame.filter(pl.Series(place >= self.fakes[self.of_row]))

    @property
    def measures(self) -> Measures:
        """How many that is, as a figure."""
        meaning = "published rows that stand for nobody, so that classes show all of their values"
        figure = Figure(name="counterfeits", value=self.n_fakes, label="Counterfeit rows", group="utility",
                        meaning=meaning, unit="count")  # fmt: skip
        return Measures([figure])


def read_republished(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]
) -> Republished | None:
    """The classes of a release of a sequence, None where it is none; such as do not fit raise `DataError`."""
    if "republication" not in public:
        return None
    wrong = flaws(frame, files, public)
    if wrong:
        raise DataError(f"the published tables do not fit each other: {wrong[0]}; ask the owner for a new copy")
    told = public["republication"]
    numbers, of_row = np.unique(frame[told["group"]].to_numpy(), return_inverse=True)
    listed = files[told["table"]]
    fakes = np.zeros(len(numbers), dtype=np.int64)
    fakes[np.searchsorted(numbers, listed[told["group"]].to_numpy())] = listed[told["count"]].to_numpy()
    return Republished(told["column"], told["group"], numbers, of_row.astype(np.int64), fakes, int(told["release"]))


def refuse_counterfeits(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]
) -> None:  # fmt: skip
    """Refuse to answer from rows some of which stand for nobody: no bound could be sure."""
    seen = read_republished(frame, files, public)
    if seen is not None and seen.n_fakes:
        raise ParameterError(
            f"{seen.n_fakes:,} rows of this release are counterfeits, so that no answer has sure bounds; "
            f"ask a release that has none"
        )


# -- what the tables say of each other -----------------------------------------------------------------------------


def flaws(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any], schema: Schema | None = None
) -> list[str]:
    """What keeps the tables from being read, a clause each; with the `schema`, also columns out of place."""
    told = public.get("republication")
    texts_told = ("column", "group", "count", "table")
    if not isinstance(told, Mapping) or not all(isinstance(told.get(key), str) for key in texts_told):
        return ["the release does not say how its classes are numbered"]
    number = told.get("release")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number < _MOST_RELEASES:
        return ["the release does not say which of the sequence it is"]
    group, count, name = told["group"], told["count"], told["table"]
    misfit = not_numbered(frame, files, group, count, name)
    if misfit is not None:
        return [misfit]
    table = files[name]
    if told["column"] not in frame.columns:
        return [f"column {told['column']!r} is missing from the data"]
    wrong = [
        f"the table {beside!r} is published, and the release does not name it" for beside in files if beside != name
    ]
    wrong += [
        f"column {column!r} of {name!r} is published, and the release does not name it"
        for column in table.columns
        if column not in (group, count)
    ]
    if table.height and not bool((table[group].diff().drop_nulls() > 0).all()):
        wrong.append(f"the rows of {name!r} are not in order, or name a class twice")
    sizes = frame.group_by(pl.col(group).cast(pl.Int64)).len("rows")
    joined = table.select(pl.col(group).cast(pl.Int64), pl.col(count).cast(pl.Int64)).join(sizes, on=group, how="left")
    n = joined.filter((pl.col(count) < 1) | (pl.col(count) >= pl.col("rows").fill_null(0))).height
    if n:
        wrong.append(f"{n:,} counts in {name!r} leave no person in their class, or none of it is a counterfeit")
    if schema is not None:
        wrong += _out_of_place(frame, group, schema)
    return wrong


def _out_of_place(frame: pl.DataFrame, group: str, schema: Schema) -> list[str]:
    wrong = [f"column {name!r} is missing" for name in (*schema.quasi, *schema.sensitive) if name not in frame.columns]
    known = {*schema.quasi, *schema.sensitive, group}
    wrong += [
        f"column {name!r} is published, and the release does not name it" for name in frame.columns if name not in known
    ]
    quasi = [name for name in schema.quasi if name in frame.columns]
    split = frame.select(group, *quasi).unique().height - frame[group].n_unique() if quasi else 0
    if split:
        wrong.append(f"{split:,} more classes than numbers: some number stands for rows that show different things")
    return wrong


# -- what they say of the original ---------------------------------------------------------------------------------


def republished_untruths(
    frame: pl.DataFrame,
    seen: Republished,
    forms: Mapping[str, Form],
    original: Table,
    rows: NDArray[np.int64] | None,
) -> list[str]:
    """What is wrong with the published rows, one clause each; nothing if they are true.

    With the owner's row map every row that is no counterfeit is compared with its record, and every class must have as
    many counterfeits as are told. Without it, what is published beyond the original is at most what is told.
    """
    own = frame.drop(seen.group_name)
    if rows is not None:
        if len(rows) != own.height:
            return [f"{own.height:,} rows are published, the owner's map has {len(rows):,}"]
        real = rows >= 0
        found = np.bincount(seen.of_row[~real], minlength=len(seen.numbers))
        n = int((found != seen.fakes).sum())
        wrong = [f"{n:,} of {len(found):,} classes have another number of counterfeits than is told"] if n else []
        return wrong + untruths(own.filter(pl.Series(real)), forms, original, rows[real])
    wrong = untruths(seen.people(own.select(list(forms))), forms, original, None)
    ours = own[seen.column].alias("value").value_counts(name="ours")
    behind = original.frame[seen.column].alias("value").cast(own[seen.column].dtype, strict=False)
    joined = ours.join(behind.value_counts(name="theirs"), on="value", how="left", nulls_equal=True)
    more = (joined["ours"].cast(pl.Int64) - joined["theirs"].fill_null(0).cast(pl.Int64)).clip(lower_bound=0).sum()
    if more > seen.n_fakes:
        wrong.append(
            f"column {seen.column!r} shows {more:,} values more than the original holds, and {seen.n_fakes:,} rows are "
            f"told to be counterfeits"
        )
    return wrong


# -- over releases -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sequenced:
    """What a check over releases found: what is broken, and otherwise what holds, or why that is not known."""

    broken: tuple[str, ...] = ()
    found: str = ""
    undecided: str = ""


def sequence(releases: Sequence[Release]) -> Sequenced:
    """Whether everybody in two releases or more is shown with the same values in all of them; oldest first.

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
            return Sequenced(broken=(f"release {i + 1} of the sequence cannot be read: {error}",))
        if now is None:
            return Sequenced(undecided="who is in which release is known by the owners' parts, and one is not here")
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
        return Sequenced(broken=tuple(broken))
    earlier = f"{len(releases) - 1} earlier release{'s' if len(releases) != 2 else ''}"
    unless = "" if len(set(refusing)) >= number else ", unless their value had changed"
    return Sequenced(found=f"over {earlier}: whoever was published again is among the same values{unless}")


def _signatures(release: Release) -> pl.DataFrame | None:
    """Person, own value where it is known, and the values of their class; None without an owner's part."""
    frame, owner = release.data.frame, release.owner
    seen = read_republished(frame, release.files, release.public)
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
    shown = frame.select(pl.col(group).cast(pl.Int64), pl.Series("own", texts(frame[seen.column]), dtype=pl.String))
    by_class = shown.group_by(group).agg(pl.col("own").sort(nulls_last=True).alias("signature"), pl.len().alias("rows"))
    fakes = pl.DataFrame({group: seen.numbers, "fakes": seen.fakes})
    members = here.group_by(group).len("people")
    sizes = by_class.join(fakes, on=group).join(members, on=group, how="full", coalesce=True)
    if not bool((sizes["rows"].cast(pl.Int64) - sizes["fakes"]).eq_missing(sizes["people"].cast(pl.Int64)).all()):
        raise DataError("the owner's table of people does not have as many in each class as are published")
    if isinstance(owner.original, Table):
        real = owner.rows >= 0
        keys = person_keys(owner.original.rows(owner.rows[real]))
        own = shown.filter(pl.Series(real)).with_columns(keys)
        if here.height != own.height or here.join(own, on=["person", group]).height != own.height:
            raise DataError("the owner's table of people does not name those of the original")
        here = here.join(own, on=["person", group]).with_columns(pl.lit(value=True).alias("known"))
    else:
        here = here.with_columns(pl.lit(None, dtype=pl.String).alias("own"), pl.lit(value=False).alias("known"))
    return here.join(by_class, on=group).select("person", "own", "known", "since", "signature")
