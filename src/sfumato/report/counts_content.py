"""The content of the report on counts with noise; the public part is gathered from the release alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from sfumato import __version__
from sfumato.data.table import Table
from sfumato.ground.figures import Measures
from sfumato.privacy.words import join_names
from sfumato.published.tables.counted_cells import ELSE, Marginal
from sfumato.published.tables.noisy_counts import NoisyCountsShape
from sfumato.report.baskets_content import ItemBounds
from sfumato.report.content import PromiseInWords, headline, parameter_texts, state_of, words_where_it_stands
from sfumato.report.judging import Judged, judge
from sfumato.report.wording import method_in_words

if TYPE_CHECKING:
    from sfumato.privacy.verdict import Verdict

__all__ = ["CellRow", "CountsContent", "CountsOwners", "MarginalShown", "gather_counts", "gather_counts_for_owner"]

_MOST_DRAWN, _MOST_MARGINALS, _MOST_LISTED = 15, 6, 40

_LIMITS = (
    "What holds of people of a kind as a whole: where nearly all of them have a value, the counts say so, and whoever "
    "knows that somebody is of that kind guesses it, whether or not the person is in the data.",
    "Somebody with several records: each is hidden by itself, and epsilon adds up over them.",
    "Several releases from the same data: each spends an epsilon of its own, and they add up.",
)


@dataclass(frozen=True)
class CellRow:
    """One cell: its keys, its count and the interval."""

    keys: str
    count: str
    between: str
    true: str = ""
    inside: bool | None = None


@dataclass(frozen=True)
class MarginalShown:
    """The counts by some columns."""

    name: str
    n_cells: int
    cells: ItemBounds
    rows: Sequence[CellRow]


@dataclass(frozen=True)
class CountsOwners:
    """What the owner sees beside the counts."""

    figures: Sequence[Judged]


@dataclass(frozen=True)
class CountsContent:
    """Everything the public page says."""

    version: str
    n_cells: int
    tiles: Sequence[tuple[str, str]]
    state: str
    headline: str
    promises: Sequence[PromiseInWords]
    verdict: Verdict
    limits: Sequence[str]
    method: str
    method_words: str
    parameters: Sequence[tuple[str, str]]
    legend: Sequence[tuple[str, str]]
    marginals: Sequence[MarginalShown]
    n_marginals: int
    utility: Sequence[Judged]


def gather_counts(
    shape: NoisyCountsShape, verdict: Verdict, measures: Measures, original: Table | None = None
) -> CountsContent:
    """Read the published cells and what the release tells of them; true counts are for the owner's copy alone."""
    release, promise = shape.release, shape.release.promise
    name = str(release.method.get("name", ""))
    marginals = shape.cells.marginals
    shown = [each for each in measures.figures if each.group == "utility" and each.audience == "public"]
    return CountsContent(
        version=__version__,
        n_cells=shape.frame.height,
        tiles=_tiles(shape),
        state=state_of(promise, verdict),
        headline=headline(promise, verdict),
        promises=[
            PromiseInWords(repr(part), words_where_it_stands(verdict, part.in_words((), ())), "")
            for part in (promise.parts if promise is not None else ())
        ],
        verdict=verdict,
        limits=_LIMITS,
        method=name,
        method_words=method_in_words(name),
        parameters=_parameters(shape),
        legend=_legend(shape),
        marginals=[_marginal(shape, each, original) for each in marginals[:_MOST_MARGINALS]],
        n_marginals=len(marginals),
        utility=[judge(each, shape.frame.height) for each in shown],
    )


def gather_counts_for_owner(shape: NoisyCountsShape, measures: Measures) -> CountsOwners:
    """The figures that compare counts with the true ones."""
    own = [each for each in measures.figures if each.audience == "owner"]
    return CountsOwners(figures=[judge(each, shape.frame.height) for each in own])


def _tiles(shape: NoisyCountsShape) -> list[tuple[str, str]]:
    cells = shape.cells
    epsilon, delta = cells.spent(cells.neighbours)
    margin = max(each.margin for each in cells.marginals)
    return [
        (f"{shape.frame.height:,}", "published counts"),
        (f"{float(epsilon):.4g}", "epsilon, of all counts together"),
        *([(f"{delta:.2g}", "delta")] if delta else []),
        (f"± {margin:,}", "around a count, in 95 of 100 draws"),
    ]


def _parameters(shape: NoisyCountsShape) -> list[tuple[str, str]]:
    """How the counts were made: what the method was told, and the noise that follows from it."""
    cells, method = shape.cells, shape.release.method
    told: Mapping[str, Any] = {key: each for key, each in method.items() if key != "by" and each not in ({}, None, 0)}
    scales = dict.fromkeys(f"{each.scale:.6g}" for each in cells.marginals)
    thresholds = dict.fromkeys(f"{each.threshold:,}" for each in cells.marginals if each.threshold is not None)
    return [
        ("counted by", "; ".join(_title(each) for each in cells.marginals)),
        *parameter_texts(told),
        ("scale of the noise", ", ".join(scales)),
        *([("least count shown", ", ".join(thresholds))] if thresholds else []),
    ]


def _legend(shape: NoisyCountsShape) -> list[tuple[str, str]]:
    cells = shape.cells
    found = any(each.threshold is not None for each in cells.marginals)
    several = [("*", "Any value: the row counts by the other columns.")] if len(cells.marginals) > 1 else []
    rest = [(ELSE, "Records with a value that is not listed, or with none.")] if cells.columns else []
    rare = [("not listed", "Keys were found in the data. One that few records have is not listed.")] if found else []
    return [
        ("count", "The number of records and a draw of noise. It may be negative, and counts need not add up."),
        ("low, high", "The true number lies from low to high in 95 of 100 draws, of each count on its own."),
        *several, *rest, *rare,
    ]  # fmt: skip


def _title(marginal: Marginal) -> str:
    return join_names(marginal.by) if marginal.by else "no column: all records"


def _marginal(shape: NoisyCountsShape, marginal: Marginal, original: Table | None) -> MarginalShown:
    part = shape.marginal_rows(marginal)
    drawn = dict(shape.noise(original))[marginal].tolist() if original is not None else None
    keys = [_keys(row, marginal) for row in part.select(marginal.by).iter_rows()] if marginal.by else ["all records"]
    top = part.head(_MOST_DRAWN)
    return MarginalShown(
        name=_title(marginal),
        n_cells=part.height,
        cells=ItemBounds(
            keys[:_MOST_DRAWN], top["low"].to_list(), top["count"].to_list(), top["high"].to_list()
        ),
        rows=[
            _row(keys[i], cell, None if drawn is None else int(cell["count"]) - drawn[i])
            for i, cell in enumerate(_numbers(part).iter_rows(named=True))
        ],
    )  # fmt: skip


def _numbers(part: pl.DataFrame) -> pl.DataFrame:
    return part.select("count", "low", "high").head(_MOST_LISTED)


def _keys(row: tuple[str, ...], marginal: Marginal) -> str:
    return ELSE if row[0] == ELSE else ", ".join(row)


def _row(keys: str, cell: Mapping[str, int], true: int | None) -> CellRow:
    between = f"{cell['low']:,} to {cell['high']:,}"
    if true is None:
        return CellRow(keys, f"{cell['count']:,}", between)
    return CellRow(keys, f"{cell['count']:,}", between, f"{true:,}", cell["low"] <= true <= cell["high"])
