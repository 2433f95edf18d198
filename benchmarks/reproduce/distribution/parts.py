"""Figures 11 and 12: parts of a table, each with a target of its own."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

import sfumato as sf
from benchmarks.reproduce.distribution.releases import QI_SA, SA_ONLY, error_rows
from benchmarks.reproduce.distribution.results import Figure, Panel, line, mean_of, steps, tolerances
from benchmarks.reproduce.distribution.settings import MAIN, Scale, by_age, correlated, queries, real
from benchmarks.reproduce.figures import Claim, Row

__all__ = ["figure_11", "figure_12"]


def _rows(table: sf.Table, target: str, domain: str | None, scale: Scale) -> list[Row]:
    asked = queries(table, scale.ranges, scale.queries)
    return [
        row
        for parts in scale.parts
        for split in (False, True)
        for within in scale.withins
        for row in error_rows(by_age(table, parts), asked,
                              sf.TargetDistribution(target, split=split, group_size=1, within=within, domain=domain),
                              parts=parts,
                              apart=_apart(by_age(table, parts)))
    ]  # fmt: skip


def _apart(tables: Sequence[sf.Table]) -> float:
    """How far losses are from uniform over their range, the mean of some tables: total variation over 16 bins."""
    shares = [np.histogram(table.frame["loss"].to_numpy(), bins=16)[0] / len(table) for table in tables]
    return float(np.mean([0.5 * np.abs(share - 1 / 16).sum() for share in shares]))


def _claims(rows: Sequence[Row], scale: Scale, why: str = "") -> list[Claim]:
    claims = []
    for method in (SA_ONLY, QI_SA):

        def falls(within: float, method: str = method) -> tuple[bool, str]:
            by = {k: line(rows, "span", method=method, within=within, parts=k) for k in scale.parts}
            order = sorted(by)
            behind = [
                span for span in scale.ranges if any(by[b][span] > by[a][span] for a, b in itertools.pairwise(order))
            ]
            means = ", ".join(f"{k} parts {mean_of(by[k]):.3g}" for k in order)
            return not behind, f"{means}{f', not at {behind}' if behind else ''}"

        def each(within: float, method: str = method) -> tuple[bool, str]:
            few, many = (
                line(rows, "span", method=method, within=within, parts=k) for k in (scale.parts[0], scale.parts[-1])
            )
            return mean_of(many) < mean_of(few), f"{steps(few)} against {steps(many)}"

        holds, seen = tolerances(scale.withins, falls)
        claims.append(Claim(paper=f"the more parts, the smaller the error at every range ({method})", holds=holds,
                            seen=f"means over all ranges: {seen}", why=why))  # fmt: skip
        holds, seen = tolerances(scale.withins, each)
        claims.append(Claim(paper=f"on average over the ranges, {scale.parts[-1]} parts are better than the whole "
                            f"({method})", holds=holds, seen=seen, why=why))  # fmt: skip
    return claims


def _panels(scale: Scale) -> list[Panel]:
    return [Panel(title=f"error of {method}, within {MAIN:g}", x="span", lines={
        f"{parts} parts" if parts > 1 else "whole": {"method": method, "parts": parts, "within": MAIN}
        for parts in scale.parts}) for method in (SA_ONLY, QI_SA)]  # fmt: skip


def figure_11(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """The real set by age; the target of each part is its own distribution."""
    rows = _rows(real(), "table", None, scale) if rows is None else rows
    return Figure(
        number=11, title="parts of the real set, each with its own distribution",
        setting="1,427 people of Adult, cut by age into parts of about the same size", rows=rows, panels=_panels(scale),
        claims=_claims(rows, scale),
    )  # fmt: skip


def figure_12(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """The correlated set by age; the target of each part is uniform over the range of its losses."""
    rows = _rows(correlated(scale.n), "uniform", "integers", scale) if rows is None else rows
    apart = {row["parts"]: row["apart"] for row in rows}
    why = (
        "at wide ranges everybody of most parts is selected, so that only what is generalised counts; the losses of a "
        "part, which lie around their mean, are farther from uniform than those of all ages together (total variation "
        f"over 16 bins: {', '.join(f'{parts} parts {apart[parts]:.2f}' for parts in sorted(apart))})"
    )
    return Figure(
        number=12, title="parts of the correlated set, each with a uniform target",
        setting=f"{scale.n:,} synthetic people, cut by age into parts of about the same size; the target is uniform "
        "over the whole numbers between the least and the greatest loss of the part",
        rows=rows, panels=_panels(scale), claims=_claims(rows, scale, why),
    )  # fmt: skip
