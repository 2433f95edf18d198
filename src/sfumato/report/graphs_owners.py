"""The content of the owner's report on a graph: the true numbers, and what an adversary could do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.data.graph import Graph
from sfumato.graphs.flip_rate import flip_rates
from sfumato.graphs.risk.choosing_mu import backbone_survives, degree_interval, interval_coverage, trade_off
from sfumato.graphs.risk.least_mu import expected_success
from sfumato.ground.figures import Measures
from sfumato.published.graphs.graph import graph_shape
from sfumato.report.graphs_content import GraphContent, Line, Reading, at_least, graph_numbers, share_of
from sfumato.report.judging import Judged, judge

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["ATTACKS", "Accounts", "DegreeSearch", "GraphOwners", "Truth", "gather_graph_for_owner"]

ATTACKS = ("walk-based", "interval-walk", "structural")
_PATHS = (10, 20, 30)
_OFFERED = (0.0001, 0.001, 0.01)
"""Probabilities of a flip to compare, where the method flips none."""
_QUANTILES = ((0.5, "half of all people have no more"), (0.9, "nine in ten have no more"), (1.0, "nobody has more"))


@dataclass(frozen=True)
class Truth:
    """A number of the original, and whether the interval that was published has it."""

    shown: str
    inside: bool | None


@dataclass(frozen=True)
class Accounts:
    """How likely `number` planted accounts are found: that their path is whole, and by attack where mu is known."""

    number: int
    path: str
    found: Sequence[str]


@dataclass(frozen=True)
class DegreeSearch:
    """A search for somebody by the number of their neighbours."""

    degree: int
    who: str
    low: int
    high: int
    candidates: int
    """Published vertices with that many neighbours."""
    coverage: str
    """How likely the person is among them."""
    chance: str
    """How likely one that is picked among them is the person."""


@dataclass(frozen=True)
class Rate:
    """What a probability of a flip hides, and what it costs."""

    mu: str
    epsilon: str
    changed: float
    true_edges: str
    survives: str
    sd_edges: float
    sd_degree: str
    chosen: bool


@dataclass(frozen=True)
class GraphOwners:
    """Everything the owner's page adds."""

    has_original: bool
    truths: Sequence[Truth]
    """For each of the readings."""
    true_degrees: Line
    figures: Sequence[Judged]
    planted: Sequence[Accounts]
    found: Sequence[DegreeSearch]
    rates: Sequence[Rate]


def gather_graph_for_owner(
    release: Release, content: GraphContent, original: Graph | None, measures: Measures
) -> GraphOwners:
    """Compare the published graph with the original, by formulas; nothing is attacked."""
    published, parameters = graph_shape(release).graph, graph_shape(release).parameters
    lost = flip_rates(parameters, published).lost
    planted = [_account_chances(original, k, lost, content.mu) for k in _PATHS] if lost < 0.5 else []
    if original is None:
        return GraphOwners(False, (), (), (), planted, (), ())
    known = content.mu is not None or content.unprotected
    values = graph_numbers(original, triangles=not content.uncounted)
    return GraphOwners(
        has_original=True,
        truths=[_compare_reading(each, values[each.figure.name]) for each in content.readings],
        true_degrees=at_least(np.bincount(original.degrees, minlength=1) / max(len(original), 1), len(original)),
        figures=[judge(figure, len(published)) for figure in measures.figures if figure.group == "utility"],
        planted=planted,
        found=_degree_searches(original, published, content.mu or 0.0) if known else [],
        rates=_rates(original, content.mu) if original.n_pairs else [],
    )


def _account_chances(original: Graph | None, k: int, lost: float, mu: float | None) -> Accounts:
    """How likely k planted accounts are found, by formulas."""
    found = []
    if mu is not None and original is not None and len(original) > 2 and original.n_edges:
        chances = [expected_success(original, name, mu, accounts=k) for name in ATTACKS]
        found = [share_of(chance) if chance >= 1e-4 else "below 0.01%" for chance in chances]
    return Accounts(k, share_of(backbone_survives(lost, k)), found)


def _compare_reading(reading: Reading, value: float) -> Truth:
    """The true number beside what was published of it."""
    inside = None
    if reading.low is not None and reading.high is not None:
        near = 1e-9 * abs(value)  # of rounding
        inside = reading.low - near <= value <= reading.high + near
    return Truth(reading.figure.with_value(value).shown, inside)


def _degree_searches(original: Graph, published: Graph, mu: float) -> list[DegreeSearch]:
    """Searches for people of some typical degrees, within two spreads of the degree expected after flips."""
    n, rows = len(original), []
    w = math.ceil(2 * math.sqrt((n - 1) * mu * (1 - mu)))
    who: dict[int, str] = {}
    for share, words in _QUANTILES:
        who[int(np.quantile(original.degrees, share, method="lower"))] = words
    for degree, words in who.items():
        low, high = degree_interval(n, degree, mu, w)
        candidates = int(((published.degrees >= low) & (published.degrees <= high)).sum())
        coverage = interval_coverage(n, degree, mu, w)
        chance = share_of(min(coverage / candidates, 1.0)) if candidates else "–"
        rows.append(DegreeSearch(degree, words, low, high, candidates, share_of(coverage), chance))
    return rows


def _rates(original: Graph, mu: float | None) -> list[Rate]:
    chosen = [mu / 10, mu, 10 * mu] if mu else list(_OFFERED)
    table = trade_off(original, [each for each in chosen if each < 0.5])
    return [
        Rate(
            mu=f"{row['mu']:.4g}", epsilon=f"{row['epsilon']:.3g}", changed=row["edges_changed"],
            true_edges="–" if row["true_edges"] is None else share_of(row["true_edges"]),
            survives=share_of(row["backbone_survives"]), sd_edges=row["sd_edges"], sd_degree=f"{row['sd_degree']:.3g}",
            chosen=row["mu"] == mu,
        )
        for row in table.iter_rows(named=True)
    ]  # fmt: skip
