"""Measures of a condensed table: what survives of distributions, and who is found by the nearest rows.

Rows stand for no record, so that no record can be compared with its row: utility is about columns, pairs of columns and
counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.measurer import MeasureOptions
from sfumato.data.numbers import as_numbers
from sfumato.data.table import Table
from sfumato.ground.figures import About, Measures, Note, declare
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness
from sfumato.tables.condensing.drawing import counts_as_number
from sfumato.tables.condensing.statistics import scales_of
from sfumato.tables.measures.loss import WITHHELD_ROWS
from sfumato.tables.measures.redrawn import (
    COUNT_ERROR,
    LINKAGE_BOUND,
    LINKAGE_CHANCE,
    LINKAGE_NEAREST,
    SENSITIVE_BASE,
    SENSITIVE_NEAREST,
)

__all__ = ["measure_condensed"]

_ATTACKED = 2_000
"""The most records that linkage is tried on."""
_FEWEST = 0.001
"""Queries that a smaller share of the records meets are not asked, as their relative error says little."""

_MEAN_ERROR = declare(
    name="mean_error", label="Error of means", group="utility", unit="share", audience="owner",
    meaning="how far column means moved, over the column's range",
)  # fmt: skip
_SPREAD_ERROR = declare(
    name="spread_error", label="Error of spreads", group="utility", unit="share", audience="owner",
    meaning="how far standard deviations are off, relative to the true one",
)  # fmt: skip
_CORRELATION_ERROR = declare(
    name="correlation_error", label="Error of correlations", group="utility", audience="owner",
    meaning="average difference of the correlation of two numeric columns",
)  # fmt: skip
_DISTRIBUTION_ERROR = declare(
    name="distribution_error", label="Error of distributions", group="utility", unit="share", audience="owner",
    meaning="largest difference of cumulative shares (numbers) or half the sum of differences (categories), averaged "
    "over columns",
)  # fmt: skip
_COUNT_ERROR = COUNT_ERROR.with_wording(meaning="median relative error of random counts over up to three columns")
_DRAWN_ROWS = declare(
    name="drawn_rows", label="Drawn rows", group="utility", unit="count", audience="public",
    meaning="rows that were drawn anew; none stands for a record", smaller_is_better=None,
)  # fmt: skip
_WITHHELD_ROWS = WITHHELD_ROWS.with_wording(meaning="rows of the original that no group holds")
_LINKAGE_NEAREST = LINKAGE_NEAREST.with_wording(
    meaning="share of records whose nearest published row shows their own other columns"
)
_LINKAGE_GROUP = declare(
    name="linkage_group", label="Group found by distance", group="risk", unit="share", audience="owner",
    meaning="share of records whose nearest published row was drawn from their own group",
)  # fmt: skip
_LINKAGE_BOUND = LINKAGE_BOUND.with_wording(
    meaning="1 over the smallest group that was promised: no linkage by the quasi-identifiers succeeds more often"
)
_LINKAGE_CHANCE = LINKAGE_CHANCE.with_wording(meaning="share of records that guessing would find")
_ORDER = (
    _MEAN_ERROR, _SPREAD_ERROR, _CORRELATION_ERROR, _DISTRIBUTION_ERROR, _COUNT_ERROR, _DRAWN_ROWS, _WITHHELD_ROWS,
    _LINKAGE_NEAREST, _LINKAGE_GROUP, _LINKAGE_BOUND, _LINKAGE_CHANCE, SENSITIVE_NEAREST, SENSITIVE_BASE,
)  # fmt: skip


def measure_condensed(
    published: pl.DataFrame, kept: Mapping[str, pl.DataFrame], original: Table | None, asked: MeasureOptions
) -> Measures:
    """Utility and risk of drawn rows, from the original and, for linkage, the groups that the owner `kept`.

    Without the original only the bound that the promise gives is known, and what guessing finds; all that is found with
    it is for the owner. `asked.label` is the sensitive column of the figures about one.
    """
    asked.refuse_levels("drawn rows")
    known: dict[About, float] = {_DRAWN_ROWS: float(published.height)}
    if asked.k is not None and asked.k > 1:
        known[_LINKAGE_BOUND] = 1.0 / asked.k
    if original is None or not published.height:
        known[_LINKAGE_CHANCE] = 1.0 / max(published.height, 1)
        note = "how near the drawn rows come to the records, and who could be linked, is for the owner"
        return Measures((about.of(value) for about, value in known.items()), notes=[Note(note, "public")])
    complete = original.complete
    found: dict[About, float] = {
        _WITHHELD_ROWS: float(len(original) - len(complete)), _LINKAGE_CHANCE: 1.0 / max(len(complete), 1)
    }  # fmt: skip
    by_column: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    behind = original.rows(complete)
    stream = asked.random or Randomness("measures")
    names = [name for name in behind.schema.quasi if name in published.columns]
    numeric = [name for name in names if counts_as_number(behind.schema.column(name))]
    others = [name for name in names if name not in numeric]
    true, shown = _Columns(behind.frame, numeric, others), _Columns(published, numeric, others)
    true.share_codes(shown)
    found |= _utility_errors(true, shown, numeric, others, by_column)
    errors = [_count_error(true, shown, query) for query in _queries(true, stream.spawn("queries"), asked.n_queries)]
    if errors:
        found[_COUNT_ERROR] = float(np.median(errors))
    secret = asked.label or next((name for name in behind.schema.sensitive if name in published.columns), None)
    found |= _linkage_figures(true, shown, behind.frame, published, kept, secret, stream.spawn("people"), notes)
    figures = {about: about.of(value) for about, value in known.items()}
    figures |= {about: about.of(value, audience="owner") for about, value in found.items() if np.isfinite(value)}
    return Measures(
        (figures[about] for about in _ORDER if about in figures), by_column=by_column,
        notes=[Note(note, "owner") for note in notes],
    )  # fmt: skip


class _Columns:
    """Quasi-identifiers as numbers over their range and as codes of categories, a row for each record."""

    def __init__(self, frame: pl.DataFrame, numeric: Sequence[str], others: Sequence[str]) -> None:
        n = frame.height
        self.numbers = np.array([as_numbers(frame[name]) for name in numeric]).reshape(len(numeric), n).T.copy()
        self._texts = [frame[name].cast(pl.String) for name in others]
        self.codes = np.empty((n, len(others)), dtype=np.int64)
        self.scales = scales_of(self.numbers)

    def share_codes(self, other: _Columns) -> None:
        """Number the categories of both alike, and measure numbers by the range of this one."""
        other.scales = self.scales
        for c, (own, its) in enumerate(zip(self._texts, other._texts, strict=True)):
            joined = pl.concat([own, its]).rank("dense").fill_null(0).to_numpy().astype(np.int64)
            self.codes[:, c], other.codes[:, c] = joined[: len(own)], joined[len(own) :]


def _utility_errors(
    true: _Columns, shown: _Columns, numeric: Sequence[str], others: Sequence[str],
    by_column: dict[str, dict[str, float]],
) -> dict[About, float]:  # fmt: skip
    """The errors of means, spreads, distributions and correlations; those by column are added to `by_column`."""
    found: dict[About, dict[str, float]] = {_MEAN_ERROR: {}, _SPREAD_ERROR: {}, _DISTRIBUTION_ERROR: {}}
    for c, name in enumerate(numeric):
        a, b = true.numbers[:, c], shown.numbers[:, c]
        a, b = np.sort(a[~np.isnan(a)]), np.sort(b[~np.isnan(b)])
        if not len(a) or not len(b):
            continue
        found[_MEAN_ERROR][name] = abs(a.mean() - b.mean()) / true.scales[c]
        if a.std() > 0:
            found[_SPREAD_ERROR][name] = abs(b.std() / a.std() - 1.0)
        points = np.concatenate([a, b])
        below = [np.searchsorted(each, points, side="right") / len(each) for each in (a, b)]
        found[_DISTRIBUTION_ERROR][name] = float(np.abs(below[0] - below[1]).max())
    for c, name in enumerate(others):
        n = int(max(true.codes[:, c].max(initial=0), shown.codes[:, c].max(initial=0))) + 1
        shares = [np.bincount(each.codes[:, c], minlength=n) / len(each.codes) for each in (true, shown)]
        found[_DISTRIBUTION_ERROR][name] = float(np.abs(shares[0] - shares[1]).sum() / 2.0)
    values = {about: float(np.mean(list(per.values()))) for about, per in found.items() if per}
    by_column |= {about.name: {c: float(x) for c, x in per.items()} for about, per in found.items() if per}
    apart = [
        abs(one - two) for i in range(len(numeric)) for j in range(i)
        if not np.isnan((one := _correlation(true.numbers, i, j)) + (two := _correlation(shown.numbers, i, j)))
    ]  # fmt: skip
    return {**values, **({_CORRELATION_ERROR: float(np.mean(apart))} if apart else {})}


def _correlation(numbers: NDArray[np.float64], i: int, j: int) -> float:
    both = numbers[~np.isnan(numbers[:, i] + numbers[:, j])][:, [i, j]]
    if len(both) < 2 or (both.std(axis=0) == 0).any():
        return float("nan")
    return float(np.corrcoef(both[:, 0], both[:, 1])[0][1])


def _queries(true: _Columns, random: Randomness, n_queries: int) -> list[list[tuple[bool, int, float, float]]]:
    """Random conditions on up to three columns: a range between two records' values, or one record's category."""
    n, d = len(true.codes), true.numbers.shape[1] + true.codes.shape[1]
    if not n or not d:
        return []
    queries = []
    for _ in range(n_queries):
        chosen = random.permutation(d)[: 1 + int(random.integers(min(3, d), size=1)[0])]
        query = []
        for c in chosen.tolist():
            if c < true.numbers.shape[1]:
                known = true.numbers[~np.isnan(true.numbers[:, c]), c]
                if len(known):
                    low, high = np.sort(known[random.integers(len(known), size=2)])
                    query.append((True, c, float(low), float(high)))
            else:
                code = float(true.codes[random.integers(n, size=1)[0], c - true.numbers.shape[1]])
                query.append((False, c - true.numbers.shape[1], code, code))
        if _answer(true, query) >= _FEWEST:
            queries.append(query)
    return queries


def _answer(columns: _Columns, query: list[tuple[bool, int, float, float]]) -> float:
    """The share of rows that meet a query."""
    met = np.ones(len(columns.codes), dtype=bool)
    for is_number, c, low, high in query:
        values = columns.numbers[:, c] if is_number else columns.codes[:, c]
        met &= (values >= low) & (values <= high)
    return float(met.mean())


def _count_error(true: _Columns, shown: _Columns, query: list[tuple[bool, int, float, float]]) -> float:
    truth = _answer(true, query)
    return abs(_answer(shown, query) - truth) / truth


def _linkage_figures(
    true: _Columns, shown: _Columns, original: pl.DataFrame, published: pl.DataFrame,
    kept: Mapping[str, pl.DataFrame], secret: str | None, random: Randomness, notes: list[str],
) -> dict[About, float]:  # fmt: skip
    """The figures of linkage by the nearest row: the own record, the own group, and the sensitive value."""
    n = len(true.codes)
    people = np.arange(n)
    if n > _ATTACKED:
        people = np.sort(random.permutation(n)[:_ATTACKED])
        notes.append(f"linkage was tried on {_ATTACKED:,} records picked at random")
    nearest = _nearest(
        true.numbers[people] / true.scales, true.codes[people], shown.numbers / true.scales, shown.codes
    )  # fmt: skip
    values: dict[About, float] = {}
    if "synthetic" in kept and "groups" in kept and kept["synthetic"].height == published.height:
        record, group = (kept["synthetic"][name].to_numpy() for name in ("record", "group"))
        values[_LINKAGE_NEAREST] = float((record[nearest] == people).mean())
        values[_LINKAGE_GROUP] = float((group[nearest] == kept["groups"]["group"].to_numpy()[people]).mean())
    if secret is not None:
        own, its = (frame[secret].cast(pl.String).fill_null("") for frame in (original, published))
        values[SENSITIVE_NEAREST] = int((own.gather(people) == its.gather(nearest)).sum()) / max(len(people), 1)
        shares = own.value_counts(name="n").join(its.alias(own.name).value_counts(name="m"), on=own.name)
        values[SENSITIVE_BASE] = int((shares["n"].cast(pl.Int64) * shares["m"]).sum()) / len(own) / len(its)
    return values


@kernel
def _nearest(
    numbers: NDArray[np.float64], codes: NDArray[np.int64], shown_numbers: NDArray[np.float64],
    shown_codes: NDArray[np.int64],
) -> NDArray[np.int64]:  # fmt: skip
    """The nearest row to each record; another category, or a value missing on one side, is a whole range away."""
    found = np.zeros(codes.shape[0], dtype=np.int64)
    for i in range(codes.shape[0]):
        best = np.inf
        for r in range(shown_codes.shape[0]):
            distance = 0.0
            for c in range(codes.shape[1]):
                distance += codes[i, c] != shown_codes[r, c]
            for c in range(numbers.shape[1]):
                a, b = numbers[i, c], shown_numbers[r, c]
                if np.isnan(a) or np.isnan(b):
                    distance += np.isnan(a) != np.isnan(b)
                else:
                    distance += (a - b) * (a - b)
                if distance >= best:
                    break
            if distance < best:
                best = distance
                found[i] = r
    return found
