"""Somebody who knows the original values of people and looks for the published rows that lie nearest.

For means, noise, swapped or synthetic values, which cover nothing. Distances are those of `RowMatcher`: numbers scaled
to their range, everything else counting 1 where it differs. By rank, every number is replaced by its place among the
others, which undoes any change that keeps the order. By assignment, all records are matched at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.contracts.attack import Attack, Attacked, Success, mean_success, share_success
from sfumato.data.numbers import as_numbers
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import one_of, whole
from sfumato.published.tables.linkage import ATTACKS
from sfumato.published.tables.table import table_shape
from sfumato.tables.attacks.beliefs import RAW
from sfumato.tables.attacks.row_matching import RowMatcher, is_near
from sfumato.tables.attacks.targets import OWNER, Targets, draw_targets, published_records

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["DistanceLinkage", "refuse_cells"]

By: TypeAlias = Literal["nearest", "rank", "assignment", "rank_assignment"]
_MOST_MATCHED = 2_000
_ORDERED = ("integer", "number", "date")


@dataclass(frozen=True)
class DistanceLinkage(Attack):
    """Knows the quasi-identifiers of `people`, drawn at random, and takes each for the nearest published row.

    `by` is one of `"nearest"`, `"rank"`, and for numbers and dates of up to 2,000 records `"assignment"` and
    `"rank_assignment"`, which match everybody at once.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> release = sf.publish(numbers, sf.AdditiveNoise(0.1), seed=1)
    >>> "found" in sf.attack(release, sf.DistanceLinkage(people=30))
    True
    """

    by: By = "nearest"
    people: int = 1000

    def __post_init__(self) -> None:
        """Check the parameters."""
        one_of("by", self.by, get_args(By))
        whole("people", self.people, least=1)

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Match everyone with the raw records, then with the release."""
        refuse_cells(release, type(self).__name__)
        progress.step("looking for people")
        targets = draw_targets(release, original, self.people, random)
        n = len(release.data)
        progress.step("measuring distances")
        before = _chance_of_own_row(targets.fits_before, targets.before, targets.records)
        found = {"found_before": mean_success(before, 1 / n, f"people whose row is named rightly{RAW}")}
        if self.by.endswith("assignment"):
            share = self._match_all(release, original, targets)
        else:
            nearest = self.by == "nearest"
            fits, matcher = (targets.fits, targets.after) if nearest else _by_rank(targets, release, original)
            share = _chance_of_own_row(fits, matcher, targets.rows)
            found["alone"] = share_success(share == 1, 0.0, "people whose own row is the only nearest one")
        found["found"] = mean_success(share, 1 / n, f"people whose own row is named {_in_words(self.by)}")
        found |= _distance_moved(targets, release)
        return Attacked(self, found, (OWNER,))

    def _match_all(self, release: Release, original: Table, targets: Targets) -> NDArray[np.float64]:
        """For each target, whether the best matching of all records with all rows gives them their own row."""
        rows, records = published_records(release, original)
        quasi, forms = targets.after.frame.columns, table_shape(release).seen_forms
        for name in quasi:
            if original.schema.column(name).kind not in _ORDERED or not is_near(forms.get(name)):
                raise ParameterError(
                    f"by={self.by!r} matches numbers, and column {name!r} shows none; use by='nearest'"
                )
        if len(records) > _MOST_MATCHED:
            raise ParameterError(
                f"by={self.by!r} matches at most {_MOST_MATCHED:,} records at once, and {len(records):,} are "
                f"published; use by='nearest' or by='rank'"
            )
        true = np.array([as_numbers(original.frame[name])[records] for name in quasi])
        shown = np.array([as_numbers(release.data.frame[name])[rows] for name in quasi])
        complete = ~np.isnan(true + shown).any(axis=0)
        attack = ATTACKS["by_assignment" if self.by == "assignment" else "by_rank_assignment"]
        share = np.zeros(len(records))
        if complete.any():
            share[complete] = attack(true[:, complete], shown[:, complete], np.arange(int(complete.sum())))
        return share[np.searchsorted(rows, targets.rows)]


def refuse_cells(release: Release, attack: str) -> None:
    """Refuse releases without means or changed values: there cells cover values or are as recorded."""
    if any(is_near(form) for form in table_shape(release).seen_forms.values()):
        return
    what = (
        "its cells cover the values behind them"
        if table_shape(release).seen_forms
        else "its quasi-identifiers are as recorded"
    )
    raise ParameterError(f"{attack} is for means and changed values, and in this release {what}; use LinkageAttack")


def _chance_of_own_row(fits: csr_array, matcher: RowMatcher, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each person, the probability that a row drawn from those that fit is their own."""
    own = csr_array((np.ones(len(rows)), (np.arange(len(rows)), matcher.of_row[rows])), shape=fits.shape)
    hit = np.asarray(fits.multiply(own).sum(axis=1)).ravel() > 0
    return np.where(hit, 1.0 / np.maximum(np.asarray(fits @ matcher.sizes), 1.0), 0.0)


def _by_rank(targets: Targets, release: Release, original: Table) -> tuple[csr_array, RowMatcher]:
    """Which kinds fit everybody, and the matcher, when numbers are replaced by ranks on both sides."""
    from scipy.stats import rankdata

    rows, records = published_records(release, original)
    known, frame, schema = targets.known.frame, release.data.frame, targets.known.schema
    for name in targets.after.frame.columns:
        if (
            schema.column(name).kind in _ORDERED
            and is_near(table_shape(release).seen_forms.get(name))
            and frame[name].dtype != pl.String
        ):
            true, seen = as_numbers(original.frame[name]), as_numbers(frame[name])
            ranked = np.full(len(true), np.nan)
            ranked[records] = rankdata(true[records], nan_policy="omit")
            places = np.full(len(seen), np.nan)
            places[rows] = rankdata(seen[rows], nan_policy="omit")
            known = known.with_columns(pl.Series(name, ranked[targets.records]).fill_nan(None))
            frame = frame.with_columns(pl.Series(name, places).fill_nan(None))
            schema = schema.with_columns(replace(schema.column(name), kind="number", hierarchy=None))
    matcher = RowMatcher.of(frame, table_shape(release).seen_forms, targets.after.frame.columns)
    return matcher.fits(Table(known, Schema.of(schema.columns.values()))), matcher


def _distance_moved(targets: Targets, release: Release) -> dict[str, Success]:
    """The figure `moved`: how far the numbers of people's own rows lie from the true ones."""
    apart = []
    for name in targets.after.frame.columns:
        if targets.known.schema.column(name).kind not in _ORDERED or release.data.frame[name].dtype == pl.String:
            continue
        true, seen = as_numbers(targets.known.frame[name]), as_numbers(release.data.frame[name])[targets.rows]
        span = float(np.nanmax(true) - np.nanmin(true)) if np.isfinite(true).any() else 0.0
        if span > 0:
            apart.append((np.abs(seen - true) / span, np.nanmean(np.abs(np.nanmean(true) - true)) / span))
    if not apart:
        return {}
    moved = np.ma.masked_invalid(np.array([one for one, _ in apart]))
    by_person = moved.mean(axis=0).filled(np.nan)
    guess = float(np.mean([each for _, each in apart]))
    meaning = "how far the own row's numbers lie from the true ones, as a share of their range, on average"
    return {"moved": mean_success(by_person[~np.isnan(by_person)], guess, meaning)}


def _in_words(by: str) -> str:
    return {
        "nearest": "as the nearest",
        "rank": "as the nearest in rank",
        "assignment": "by the best matching of all",
        "rank_assignment": "by the best matching of all ranks",
    }[by]
