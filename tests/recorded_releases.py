"""A fixed set of releases, all methods and all kinds of data, whose digests are recorded in `recorded_releases.json`.

    python tests/recorded_releases.py            # tell which digests differ
    python tests/recorded_releases.py --record   # record them anew; say why in the same commit

A release is decoded before it is hashed, so that a newer library may lay out its files differently: tables by names,
types and values, the certificate as canonical JSON without version and without the hashes of files. CSV is hashed as
bytes. Figures are rounded, as another processor may differ in the last digits.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import ReleaseError

DIGESTS = Path(__file__).with_name("recorded_releases.json")
SEED = 2026
PARTS = ("tables", "csv", "certificate", "verdict", "measures", "owner")


# -- data ------------------------------------------------------------------------------------------------------------


def stays(n: int = 160) -> sf.Table:
    """Mixed kinds, hierarchies, missing values."""
    return hospital(n, seed=5)


def numbers(n: int = 90) -> sf.Table:
    """Numbers and a date among the quasi-identifiers, no missing values."""
    frame = hospital(n + 40, seed=6).frame.select("mrn", "age", "stay_days", "cost", "admitted", "diagnosis")
    frame = frame.drop_nulls().head(n).with_columns(pl.col("cost") + pl.int_range(pl.len()) % 7 * 13.5)
    return sf.Table(
        frame, sf.Schema(identifier=["mrn"], quasi=["age", "stay_days", "cost", "admitted"], sensitive=["diagnosis"])
    )  # fmt: skip


def plain_numbers(n: int = 60) -> sf.Table:
    """Numbers alone."""
    table = numbers(n)
    return sf.Table(
        table.frame.select("age", "stay_days", "cost", "diagnosis"),
        sf.Schema(quasi=["age", "stay_days", "cost"], sensitive=["diagnosis"]),
    )


def few_columns(n: int = 160) -> sf.Table:
    """Three quasi-identifiers, one with a hierarchy."""
    frame = hospital(n + 20, seed=7).frame.select("age", "sex", "marital", "diagnosis").drop_nulls().head(n)
    hierarchy = hospital(5).schema.column("marital").hierarchy
    schema = sf.Schema(quasi=["age", "sex", "marital"], sensitive=["diagnosis"], hierarchies={"marital": hierarchy})
    return sf.Table(frame, schema)


def ages(n: int = 150) -> sf.Table:
    """A sensitive number, for targets."""
    frame = hospital(n + 20, seed=8).frame.select("age", "sex", "department", "stay_days").drop_nulls().head(n)
    frame = frame.with_columns(pl.col("stay_days") % 12)
    return sf.Table(frame, sf.Schema(quasi=["age", "sex", "department"], sensitive=["stay_days"]))


def visits(shift: int) -> sf.Table:
    """The same people again and again, with some who come and go."""
    frame = hospital(140, seed=9).frame.select("mrn", "age", "sex", "diagnosis").drop_nulls()
    return sf.Table(
        frame[shift : shift + 90], sf.Schema(identifier=["mrn"], quasi=["age", "sex"], sensitive=["diagnosis"])
    )


def population() -> sf.Table:
    """More people than the table, of whom its records are some."""
    table, others = few_columns(120), few_columns(300)
    frame = pl.concat([table.frame, others.frame[120:]])
    return sf.Table(frame.drop("diagnosis"), sf.Schema(quasi=["age", "sex", "marital"]))


def purchases(*, labels: bool = False) -> sf.Baskets:
    """Random baskets of a few items, some with labels."""
    rng = np.random.default_rng(11)
    sets = [[f"i{int(x)}" for x in np.unique(rng.integers(0, 9, rng.integers(1, 6)))] for _ in range(60)]
    names = [f"L{int(x)}" for x in rng.integers(0, 6, 60)] if labels else None
    return sf.Baskets.from_lists(sets, labels=names)


def _items() -> sf.Hierarchy:
    return sf.Hierarchy.from_paths([[f"i{i}", f"g{i // 3}", "*"] for i in range(9)])


def friends() -> sf.Graph:
    """A small random graph."""
    rng = np.random.default_rng(12)
    u, v = np.triu_indices(60, 1)
    some = rng.random(len(u)) < 0.12
    return sf.Graph.from_edges(u[some], v[some], 60)


# -- recipes ---------------------------------------------------------------------------------------------------------


def _of(data: Callable[[], Any], method: Any, promise: Any = None, **options: Any) -> Callable[[], sf.Release]:
    return lambda: sf.publish(data(), method, promise, seed=SEED, **options)


def _sequence(n: int) -> Callable[[], sf.Release]:
    def made() -> sf.Release:
        releases: list[sf.Release] = []
        for i in range(n):
            releases.append(
                sf.publish(visits(15 * i), sf.Republishing(), sf.MInvariance(3), previous=releases, seed=SEED)
            )
        return releases[-1]

    return made


K, L = sf.KAnonymity(5), sf.LDiversity(3)

RECIPES: dict[str, Callable[[], sf.Release]] = {
    # classes
    "mondrian k": _of(stays, sf.Mondrian(), K),
    "mondrian relaxed k l": _of(stays, sf.Mondrian(strict=False), K & L),
    "mondrian means": _of(numbers, sf.Mondrian(show="means"), K),
    "hilbert k": _of(stays, sf.Hilbert(), K),
    "hilbert fast l": _of(stays, sf.Hilbert(fast=True), L),
    "hilbert polish t": _of(few_columns, sf.Hilbert(polish=True), sf.TCloseness(0.4)),
    "hilbert optimal l": _of(lambda: few_columns(12), sf.Hilbert(solve="optimal"), sf.LDiversity(2)),
    "hilbert entropy l": _of(few_columns, sf.Hilbert(), sf.LDiversity(2.5, kind="entropy")),
    "hilbert recursive l": _of(few_columns, sf.Hilbert(), sf.LDiversity(2, kind="recursive", c=2.0)),
    "hilbert beta": _of(few_columns, sf.Hilbert(), sf.BetaLikeness(3.0)),
    "hilbert dual k": _of(few_columns, sf.Hilbert(), sf.AccuracyBound(max_ncp=0.4)),
    "hilbert dual optimal": _of(
        lambda: few_columns(12), sf.Hilbert(solve="dual"), sf.AccuracyBound(max_ncp=0.6, maximise="l")
    ),
    "hilbert dual l": _of(few_columns, sf.Hilbert(), sf.AccuracyBound(max_ncp=0.4, maximise="l")),
    "hilbert dealt": _of(few_columns, sf.Hilbert(dealt=True), sf.LDiversity(2)),
    "idistance k": _of(numbers, sf.IDistance(centres=8), K),
    "ipcsd": _of(few_columns, sf.IPCSD(), sf.AccuracyBound(max_ncp=0.5, maximise="l")),
    "ordered k": _of(few_columns, sf.Ordered(trials=4), K),
    "ordered steps": _of(few_columns, sf.Ordered(trials=4, polish=300), K & L),
    "best k": _of(few_columns, sf.Best(within=60), K),
    "topdown k": _of(stays, sf.TopDown(), K),
    "mdav means": _of(numbers, sf.MDAV(), K),
    "mdav ranges": _of(few_columns, sf.MDAV(show="ranges"), K),
    "best first k": _of(few_columns, sf.BestFirst(max_suppressed=0.05), K),
    "best first k-map": _of(lambda: few_columns(120), sf.BestFirst(), sf.KMap(6, population=population())),
    "best first presence": _of(
        lambda: few_columns(120), sf.BestFirst(), sf.DeltaPresence(0.05, 0.9, population=population())
    ),
    "samarati k": _of(few_columns, sf.Samarati(), K),
    "incognito l": _of(few_columns, sf.Incognito(measure="discernibility"), L),
    "local recoding k": _of(stays, sf.LocalRecoding(), K),
    "local recoding k t": _of(few_columns, sf.LocalRecoding(), K & sf.TCloseness(0.5, distance="variational")),
    "cell suppression": _of(few_columns, sf.CellSuppression(), K),
    # two tables
    "anatomy": _of(stays, sf.Anatomy(), L),
    "hilbert permutation": _of(stays, sf.Hilbert(show="permutation"), L),
    "mondrian permutation": _of(few_columns, sf.Mondrian(show="permutation"), sf.LDiversity(2, kind="distinct")),
    # subdomains
    "target uniform": _of(ages, sf.TargetDistribution("uniform", group_size=15)),
    "target fakes": _of(ages, sf.TargetDistribution("uniform", groups="department", fakes=0.05)),
    "target table": _of(ages, sf.TargetDistribution("table", group_size=20, split=True)),
    # a sequence
    "republishing first": _sequence(1),
    "republishing third": _sequence(3),
    # condensed
    "condensation": _of(numbers, sf.Condensation(), K),
    "condensation noise": _of(stays, sf.Condensation(alpha=1.5, noise=0.05, keep_means=True), K),
    "mondrian condensed l": _of(numbers, sf.Mondrian(show="condensed"), K & sf.LDiversity(2)),
    # changed values
    "rank swapping": _of(numbers, sf.RankSwapping(p=10)),
    "pram": _of(few_columns, sf.PRAM(columns=("sex", "marital"))),
    "top bottom coding": _of(numbers, sf.TopBottomCoding(top=0.9, bottom=0.1, columns=("age", "cost"))),
    "rotation": _of(plain_numbers, sf.RotationPerturbation(noise=0.1)),
    "uncertain normal": _of(plain_numbers, sf.UncertainPublication(k=4)),
    "uncertain uniform": _of(plain_numbers, sf.UncertainPublication(k=4, density="uniform")),
    # redrawn values
    "noise": _of(plain_numbers, sf.AdditiveNoise(scale=0.1)),
    "pattern order": _of(plain_numbers, sf.PatternPreserving(keep=sf.Order(), steps=200)),
    "pattern localities": _of(
        plain_numbers, sf.PatternPreserving(keep=(sf.Localities(share=0.2), sf.Means()), partition=20, steps=200)
    ),
    "pattern blocks": _of(
        plain_numbers, sf.PatternPreserving(keep=sf.Blocks(5), partition=20, steps=200), sf.Exchangeable(5)
    ),
    "pattern match rank": _of(
        plain_numbers, sf.PatternPreserving(keep=sf.Localities(share=0.3), steps=200), sf.MatchRank(3, share=0.5)
    ),
    # baskets
    "grouped k": _of(purchases, sf.Grouped(), sf.KAnonymity(4)),
    "grouped withheld": _of(purchases, sf.Grouped(show="withheld"), sf.KAnonymity(4)),
    "grouped labels": _of(lambda: purchases(labels=True), sf.Grouped(), sf.LDiversity(3)),
    "grouped dealt": _of(lambda: purchases(labels=True), sf.Grouped(dealt=True), sf.LDiversity(3)),
    "nonreciprocal k": _of(purchases, sf.Nonreciprocal(), sf.KAnonymity(4)),
    "nonreciprocal labels": _of(lambda: purchases(labels=True), sf.Nonreciprocal(order="gray"), sf.LDiversity(2)),
    "cahd": _of(lambda: purchases(labels=True), sf.CAHD(), sf.LDiversity(3)),
    "apriori": _of(purchases, sf.Apriori(), sf.KMAnonymity(3, 2)),
    "apriori hierarchy": _of(purchases, sf.Apriori(hierarchy=_items()), sf.KMAnonymity(4, 2)),
    # graphs
    "relabelling": _of(friends, sf.Relabelling()),
    "edge perturbation": _of(friends, sf.EdgePerturbation(mu=0.02)),
    "add delete": _of(friends, sf.AddDelete(edges=12)),
    "k degree": _of(friends, sf.KDegree(k=4)),
    "spectral switching": _of(friends, sf.SpectralSwitching(edges=6, tolerance=0.1)),
}


# -- digests ---------------------------------------------------------------------------------------------------------


def digests_of(release: sf.Release) -> dict[str, str]:
    """A digest of each part of a release, and of what its owner keeps and measures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        csv = "none: empty texts cannot be told from missing ones there"
        with contextlib.suppress(ReleaseError):
            release.save(path, format="csv", report=False)
            csv = hashlib.sha256((path / "data.csv").read_bytes()).hexdigest()
        release.save(path, format="parquet", report=False, overwrite=True)
        certificate = json.loads((path / "release.json").read_text(encoding="utf-8"))
        kept = sorted((path.parent / "owner" / "out").glob("*.parquet"))
        owner = hashlib.sha256("".join(_of_frame(pl.read_parquet(file)) for file in kept).encode()).hexdigest()
        loaded = sf.load_release(path)
        tables = [loaded.data.frame, *(loaded.files[name] for name in sorted(loaded.files))]
        for part in ("sfumato", "format", "files"):
            del certificate[part]
        verdict, measures = certificate.pop("verdict"), certificate.pop("measures")
        verdict.pop("word", None)  # it follows from the rest
    return {
        "tables": hashlib.sha256("".join(map(_of_frame, tables)).encode()).hexdigest(),
        "csv": csv,
        "certificate": _of_json(certificate),
        "verdict": _of_json(verdict),
        "measures": _of_json(measures),
        "owner": owner,
    }


def _of_frame(frame: pl.DataFrame) -> str:
    described = {"names": frame.columns, "types": [str(each) for each in frame.dtypes]}
    return _of_json({**described, "rows": [list(map(_plain, row)) for row in frame.iter_rows()]}, digits=17)


def _plain(value: Any) -> Any:
    if isinstance(value, (pl.Series, list, tuple)):
        return [_plain(each) for each in value]
    return value if isinstance(value, (int, float, str, type(None))) else str(value)


def _of_json(given: Any, *, digits: int = 9) -> str:
    text = json.dumps(_rounded(given, digits), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _rounded(given: Any, digits: int) -> Any:
    if isinstance(given, float):
        return f"{given:.{digits}g}"
    if isinstance(given, Mapping):
        return {key: _rounded(value, digits) for key, value in given.items()}
    return [_rounded(value, digits) for value in given] if isinstance(given, list) else given


def recorded() -> dict[str, dict[str, str]]:
    """What was recorded, by recipe and part."""
    found: dict[str, dict[str, str]] = json.loads(DIGESTS.read_text(encoding="utf-8"))
    return found


def main() -> None:
    """Compare with what is recorded, or record."""
    now = {name: digests_of(make()) for name, make in RECIPES.items()}
    before = recorded() if DIGESTS.exists() else {}
    for name in sorted({*now, *before}):
        parts = [part for part in PARTS if now.get(name, {}).get(part) != before.get(name, {}).get(part)]
        if parts:
            print(f"{name}: {', '.join(parts)}")
    if "--record" in sys.argv:
        DIGESTS.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
