"""Beside the figures: who is found, by rank and otherwise, and what blocks change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.reproduce.pattern.condensed import condensed
from benchmarks.reproduce.pattern.results import Result
from benchmarks.reproduce.pattern.tables import Released, publish, table
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.linkage import ATTACKS, by_rank, linkage_over_releases
from sfumato.tables.measures.usefulness import aggregate_errors, clustering_error, distortion_by_column, neighbours_kept

__all__ = ["equal_linkage", "exchangeable", "rank_attack"]


def _rates(one: Released) -> dict[str, float]:
    return {name: float(attack(one.original, one.published, one.rows).mean()) for name, attack in ATTACKS.items()}


def _within(one: Released, size: int) -> float:
    """Linked by rank when the adversary knows the partition of every record, as where it is a published column."""
    n, hits = one.original.shape[1], 0.0
    for start in range(0, n, size):
        here = slice(start, start + size)
        rows = np.arange(min(size, n - start))
        hits += float(by_rank(one.original[:, here], one.aligned[:, here], rows).sum())
    return hits / n


def rank_attack(*, quick: bool = False) -> Result:
    """The share of records that is linked to its own published row, from the values alone."""
    n = 400 if quick else 2_000
    given = table("adult", n)
    blocks = {k: publish(given, sf.PatternPreserving(sf.Blocks(k)), sf.Exchangeable(k)) for k in (5, 10)}
    moved = float(distortion_by_column(blocks[10].original, blocks[10].aligned).mean())
    methods: list[tuple[str, Released, int | None]] = [
        (f"Localities({share:g})", publish(given, sf.PatternPreserving(sf.Localities(share), partition=100)), 100)
        for share in (0.01, 0.05, 0.17, 1.0)
    ]
    methods += [
        ("Order()", publish(given, sf.PatternPreserving(sf.Order(), partition=500)), 500),
        ("Blocks(5)", blocks[5], None),
        ("Blocks(10)", blocks[10], None),
        ("AdditiveNoise, as far as Blocks(10)", publish(given, sf.AdditiveNoise(distortion=moved)), None),
    ]
    points = []
    for name, one, partition in methods:
        rates = _rates(one)
        strongest = max(rates, key=rates.__getitem__)
        distortion = float(distortion_by_column(one.original, one.aligned).mean())
        points.append({"method": name, "distortion": distortion, **rates,
                       "by_rank_in_partition": None if partition is None else _within(one, partition),
                       "strongest": rates[strongest], "strongest_attack": strongest})  # fmt: skip
    at = {p["method"]: p for p in points}
    order, full, noise = at["Order()"], at["Localities(1)"], at["AdditiveNoise, as far as Blocks(10)"]
    return Result(
        figure="beside section 5.6: linkage",
        claim="preserving patterns does not compromise privacy, since the adversary cannot know which were kept",
        printed=f"all localities keep every rank: {full['by_rank_in_partition']:.0%} linked by rank where the "
        f"partition of 100 is known, {full['by_rank']:.0%} where it is not",
        ours=f"Blocks(5) {at['Blocks(5)']['strongest']:.1%} and Blocks(10) {at['Blocks(10)']['strongest']:.1%} by the "
        f"strongest attack (bounds 20% and 10%); noise of the same distortion {noise['strongest']:.1%}",
        seen=f"Order() moves values by {order['distortion']:.0%} of their range on average, and by rank "
        f"{order['by_rank_in_partition']:.0%} of a table of 500 are found: distortion is no privacy",
        setup={"rows": n, "columns": 3, "partition": "100 for Localities, 500 for Order", "chance": 1.0 / n},
        points=points,
    )


def exchangeable(*, quick: bool = False) -> Result:
    """Repeated releases with Exchangeable(k): the rate of every attack beside 1/k."""
    n, n_releases = (300, 3) if quick else (2_000, 20)
    given = table("adult", n)
    points: list[dict[str, Any]] = []
    for k in (5, 10, 50):
        method = sf.PatternPreserving(sf.Blocks(k))
        releases = [publish(given, method, sf.Exchangeable(k), seed=seed) for seed in range(n_releases)]
        found = linkage_over_releases(releases[0].original, ((one.published, one.rows) for one in releases))
        _KEPT[k, n] = releases[:3]
        for attack, rate in found.rate.items():
            low, high = found.interval(attack)
            points.append({"k": k, "attack": attack, "rate": rate, "low": low, "high": high, "bound": 1.0 / k,
                           "blocks_known": (releases[0].n_blocks or 0) / n})  # fmt: skip
    worst = {k: max((p for p in points if p["k"] == k), key=lambda p: p["rate"]) for k in (5, 10, 50)}
    return Result(
        figure="beside section 5.6: Exchangeable(k)",
        claim="no guarantee is given",
        printed="none to measure",
        ours="; ".join(f"k={k}: {p['rate']:.4f} ({p['low']:.4f} to {p['high']:.4f}) by {p['attack']}, bound {1 / k:g}"
                       for k, p in worst.items()),
        seen="blocks hold k to 2k - 1 records, so that even who knew the blocks would find less than 1/k: "
        + ", ".join(f"{p['blocks_known']:.4f} (k={k})" for k, p in worst.items()),
        setup={"rows": n, "columns": 3, "releases": n_releases, "confidence": 0.95},
        points=points,
    )  # fmt: skip


_KEPT: dict[tuple[int, int], list[Released]] = {}


def _in_ranks(values: NDArray[np.float64], original: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every value as its place among the original's, so that uniform thresholds are quantiles. Counts do not change."""
    result = np.empty_like(values)
    for line, true in enumerate(original):
        distinct, counts = np.unique(true, return_counts=True)
        result[line] = np.interp(values[line], distinct, np.cumsum(counts).astype(np.float64))
    return result


def _useful(releases: list[Released], labels: Any, *, n_queries: int = 1_000) -> dict[str, float]:
    """Averages over releases of what an analyst would lose."""
    found = []
    for one in releases:
        errors = aggregate_errors(one.original, one.aligned, labels, Randomness(4), n_queries)
        ranked = (_in_ranks(values, one.original) for values in (one.original, one.aligned))
        by_quantile = aggregate_errors(*ranked, labels, Randomness(4), n_queries)
        found.append({
            "clustering_error": float(np.mean([clustering_error(one.original, one.aligned, 5, Randomness(s))
                                               for s in range(3)])),
            "count_error": errors[0].median,
            "count_error_quantiles": by_quantile[0].median,
            "average_error": float(np.mean([each.median for each in errors[1:]])),
            "neighbours_kept": neighbours_kept(one.original, one.aligned, 10),
            "distortion": float(distortion_by_column(one.original, one.aligned).mean()),
        })  # fmt: skip
    return {name: float(np.mean([each[name] for each in found])) for name in found[0]}


def equal_linkage(*, quick: bool = False) -> Result:
    """Blocks(k), and noise where the strongest attack finds as many; Mondrian's means and condensation of that k."""
    n = 300 if quick else 2_000
    given = table("adult", n)
    labels = given.frame["occupation"].to_numpy()
    points: list[dict[str, Any]] = []
    for k in (5, 10, 50):
        blocks = _KEPT.get((k, n)) or [
            publish(given, sf.PatternPreserving(sf.Blocks(k)), sf.Exchangeable(k), seed=seed) for seed in range(3)
        ]
        linked = float(np.mean([max(_rates(one).values()) for one in blocks]))
        low, high = 1e-3, 2.0  # the scale of noise, halved on a logarithmic scale
        for _ in range(4 if quick else 9):
            middle = float(np.sqrt(low * high))
            rate = max(_rates(publish(given, sf.AdditiveNoise(scale=middle))).values())
            low, high = (middle, high) if rate > linked else (low, middle)
        noisy = [publish(given, sf.AdditiveNoise(scale=high), seed=seed) for seed in (1, 2, 3)]
        classes = [publish(given, sf.Mondrian(show="means"), sf.KAnonymity(k))]
        groups = [condensed(given, k, seed=seed) for seed in (1, 2, 3)]
        for name, releases in (("Blocks", blocks), ("AdditiveNoise", noisy), ("Mondrian, means", classes),
                               ("Condensation", groups)):  # fmt: skip
            rate = float(np.mean([max(_rates(one).values()) for one in releases]))
            points.append({"k": k, "method": name, "linked": rate, "scale": high if name == "AdditiveNoise" else None,
                           **_useful(releases, labels, n_queries=200 if quick else 1_000)})  # fmt: skip

    def best(name: str, *, most: bool = False) -> str:
        winners = []
        for k in (5, 10, 50):
            mine = [p for p in points if p["k"] == k]
            pick = max(mine, key=lambda p: p[name]) if most else min(mine, key=lambda p: p[name])
            winners.append(f"{pick['method']} (k={k})")
        return ", ".join(winners)

    at = {(p["k"], p["method"]): p for p in points}
    return Result(
        figure="beside figures 5.6 and 5.7: at equal linkage",
        claim="at equal distortion, patterns beat perturbation and Mondrian",
        printed="not compared: what it links was not controlled",
        ours=f"fewest cluster changes: {best('clustering_error')}; best counts above random "
        f"values: {best('count_error')}, above random quantiles: {best('count_error_quantiles')}; best averages: "
        f"{best('average_error')}; most neighbours kept: {best('neighbours_kept', most=True)}",
        seen="; ".join(
            f"k={k}: distortion {at[k, 'Blocks']['distortion']:.3f}, noise that links as few "
            f"{at[k, 'AdditiveNoise']['distortion']:.3f}, Mondrian {at[k, 'Mondrian, means']['distortion']:.3f}, which "
            f"links {at[k, 'Mondrian, means']['linked']:.1%} where Blocks links {at[k, 'Blocks']['linked']:.1%}"
            for k in (5, 10, 50)
        ),
        setup={"rows": n, "columns": 3, "releases": "3 of each, 1 of Mondrian", "clusters": 5,
               "queries": 200 if quick else 1_000, "neighbours": 10},
        points=points,
    )  # fmt: skip
