"""What every attack on a table starts from: the people attacked, what is known of them, and their sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.data.schema import Column
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError, SchemaError, suggest
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.equal_rows import number_distinct_rows
from sfumato.published.tables.table import TableShape, table_shape
from sfumato.tables.attacks.row_matching import RowMatcher, as_known

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = [
    "OWNER",
    "Secret",
    "Targets",
    "check_name",
    "draw_targets",
    "published_records",
    "row_values",
    "secret_of",
    "value_numbers",
]

OWNER = "computed from the original: for its owner alone"


@dataclass(frozen=True, eq=False)
class Targets:
    """The people attacked, drawn at random, and which raw records and published rows fit what is known of them."""

    records: NDArray[np.int64]
    """Their rows in the original."""
    rows: NDArray[np.int64]
    """Their published rows."""
    known: Table
    """Their quasi-identifiers."""
    before: RowMatcher
    """Of the raw records."""
    after: RowMatcher
    """Of the published rows."""
    fits_before: csr_array
    """People by kinds of raw records: 1 where the kind fits."""
    fits: csr_array
    """People by kinds of published rows: 1 where the kind fits."""


@dataclass(frozen=True, eq=False)
class Secret:
    """The sensitive column attacked: everybody's true value, and how often each value occurs in each kind of rows."""

    name: str
    column: Column
    values: pl.Series
    """The different values; null is a missing one."""
    true: NDArray[np.int64]
    """By record of the original, the number of its value."""
    shares: NDArray[np.float64]
    """The share of each value among the published records: what a guess goes by that does not look at rows."""
    before: csr_array
    """Kinds of raw records by values."""
    after: csr_array
    """Kinds of published rows by values; parts of rows where values are published by group."""
    of_row: csr_array
    """Published rows by values."""

    def guess(self, records: NDArray[np.int64]) -> float:
        """The probability that a guess by the shares of values alone is right, on average over these people."""
        return float(self.shares[self.true[records]].mean())


def published_records(release: Release, original: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The published rows that have a record behind them, and these records, by their rows in the original."""
    owner, n = release.owner, len(release.data)
    assert owner is not None
    rows = np.asarray(owner.rows, dtype=np.int64)
    if len(rows) != n or (n and int(rows.max()) >= len(original)):
        raise DataError(f"{n:,} rows are published, and the original has {len(original):,}; give the right one")
    at = np.flatnonzero(rows >= 0)
    if not len(at):
        raise DataError("no published row stands for a record, so that there is nobody to attack")
    return at, rows[at]


def draw_targets(
    release: Release, original: Table, people: int, random: Randomness, names: Sequence[str] | None = None
) -> Targets:
    """Draw `people` of a release at random, and match them by the quasi-identifiers `names` (all by default)."""
    at, records = published_records(release, original)
    chosen = np.sort(random.spawn("people").permutation(len(at))[:people])
    rows, records = at[chosen], records[chosen]
    quasi = list(names) if names is not None else original.schema.quasi
    if not quasi:
        raise SchemaError("no column is declared quasi, so that nothing is known of anybody; name some in the schema")
    known = as_known(original.rows(records), [original.schema.column(name) for name in quasi], "the original")
    everybody = as_known(original, [original.schema.column(name) for name in quasi], "the original")
    before = RowMatcher.of(everybody.frame, {}, quasi)
    after = RowMatcher.of(release.data.frame, table_shape(release).seen_forms, quasi)
    targets = Targets(records, rows, known, before, after, before.fits(known), after.fits(known))
    if not targets.after.shows_changed_values and not _fits_kind(targets.fits, targets.after.of_row[rows]).all():
        raise DataError("this table is not the one that the release was made from; give the original")
    return targets


def _fits_kind(fits: csr_array, kinds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each person fits the kind given for them."""
    own = csr_array((np.ones(len(kinds)), (np.arange(len(kinds)), kinds)), shape=fits.shape)
    return np.asarray(fits.multiply(own).sum(axis=1)).ravel() > 0


def secret_of(release: Release, original: Table, name: str | None, before: RowMatcher, after: RowMatcher) -> Secret:
    """The sensitive column of that name, by default the first published one; refused where it is not published."""
    shape = table_shape(release)
    if shape.as_subdomains is not None:
        raise ParameterError(
            f"column {shape.as_subdomains!r} is shown as subdomains, and how far they tell a value is "
            f"what PPrivate bounds: verify that, or attack the quasi-identifiers with LinkageAttack"
        )
    sensitive = original.schema.sensitive
    if name is not None and name not in sensitive:
        raise ParameterError(f"column {name!r} is not sensitive{suggest(name, sensitive)}")
    apart = shape.two_tables
    published = apart.sensitive.columns if apart is not None else release.data.frame.columns
    there = [each for each in sensitive if each in published]
    if not there or (name is not None and name not in there):
        said = f"column {name!r} is not published" if name is not None else "the release has no sensitive column"
        raise ParameterError(f"{said}, so that nothing can be learnt of it; attack the release with LinkageAttack")
    name = name or there[0]
    shown = (apart.sensitive if apart is not None else release.data.frame)[name]
    own = original.frame[name].cast(shown.dtype, strict=False)
    codes, first = number_distinct_rows(pl.concat([shown, own]).to_frame())
    true, m = codes[len(shown) :], len(first)
    values = pl.concat([shown, own]).gather(first)
    of_row = row_values(shape, name, values)
    _, records = published_records(release, original)
    return Secret(
        name=name,
        column=original.schema.column(name),
        values=values,
        true=true,
        shares=np.bincount(true[records], minlength=m) / len(records),
        before=_by_kind(before, csr_array((np.ones(len(true)), (np.arange(len(true)), true)), shape=(len(true), m))),
        after=_by_kind(after, of_row),
        of_row=of_row,
    )


def row_values(shape: TableShape, name: str, values: pl.Series) -> csr_array:
    """Published rows by values: 1 where the row has it, or its share in the row's group."""
    apart, frame = shape.two_tables, shape.frame
    seen = value_numbers((apart.sensitive if apart is not None else frame)[name], values)
    known = np.flatnonzero(seen >= 0)
    if apart is None:
        return csr_array((np.ones(len(known)), (known, seen[known])), shape=(frame.height, len(values)))
    share = apart.count / apart.sizes[apart.group]
    by_group = csr_array((share[known], (apart.group[known], seen[known])), shape=(apart.n_groups, len(values)))
    return csr_array(by_group[apart.group_of_row])


def value_numbers(series: pl.Series, values: pl.Series) -> NDArray[np.int64]:
    """The position of each value of the series in `values`; -1 for one that is not there."""
    place = pl.DataFrame({"value": values, "code": np.arange(len(values))})
    given = pl.DataFrame({"value": series.cast(values.dtype, strict=False)})
    joined = given.join(place, on="value", how="left", nulls_equal=True, maintain_order="left")
    return joined["code"].fill_null(-1).to_numpy().astype(np.int64)


def _by_kind(matcher: RowMatcher, of_row: csr_array) -> csr_array:
    """Kinds by values, from rows by values."""
    n = len(matcher.of_row)
    gather = csr_array((np.ones(n), (matcher.of_row, np.arange(n))), shape=(matcher.n_kinds, n))
    return csr_array(gather @ of_row)


def check_name(name: str, value: object) -> None:
    """Refuse a parameter that is neither the name of a column nor None."""
    if value is not None and not isinstance(value, str):
        raise ParameterError(f"{name} must be the name of a column, got {value!r}")
