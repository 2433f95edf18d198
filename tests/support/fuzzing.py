"""Random releases: data, method, promise and format by a seed; published, saved, and read by the plain checker."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import sfumato as sf
from sfumato.ground.errors import PromiseBrokenError, SfumatoError
from support.fuzzed_tables import Made, some_population, some_table
from support.plain_checker import Findings, Folder, check_files
from support.plain_sets import check_baskets, check_graph

FORMATS = ("parquet", "csv", "arrow")
GROUPING = ("Mondrian", "Hilbert", "IDistance", "TopDown", "MDAV", "Ordered", "Best")
LATTICE = ("BestFirst", "Samarati", "Incognito", "CellSuppression", "LocalRecoding")
OTHERS = ("Anatomy", "Condensation", "Republishing", "TargetDistribution", "IPCSD")
CHANGING = ("RankSwapping", "PRAM", "TopBottomCoding", "RotationPerturbation", "AdditiveNoise", "UncertainPublication",
            "PatternPreserving")  # fmt: skip
BASKETS = ("Grouped", "Nonreciprocal", "CAHD", "Apriori")
GRAPHS = ("KDegree", "Relabelling", "AddDelete", "EdgePerturbation", "SpectralSwitching")
METHODS = (*GROUPING, *LATTICE, *OTHERS, *CHANGING, *BASKETS, *GRAPHS)


@dataclass
class Outcome:
    """What became of a case: `refused`, `held` (all that the checker could see is true), `false`.

    `stopped`: the method made something that its own check refused; nothing was published.
    """

    seed: int
    method: str
    format: str
    promises: list[str]
    word: str = "refused"
    false: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    said: str = ""


def fuzz(seed: int, folder: Path) -> Outcome:
    """Run a case by its seed; anything but a sentence of sfumato leaves it as it is raised."""
    rng = random.Random(seed)
    name, format = rng.choice(METHODS), rng.choice(FORMATS)
    case = _sets if name in BASKETS else _graphs if name in GRAPHS else _tables
    outcome = Outcome(seed, name, format, [])
    try:
        found = case(rng, name, format, folder, outcome)
    except SfumatoError as error:
        outcome.said = str(error)
        if isinstance(error, PromiseBrokenError) and name not in CHANGING:  # these change values and hope
            outcome.word, outcome.false = "stopped", [outcome.said]
        return outcome
    outcome.word, outcome.false, outcome.open = "false" if found.false else "held", found.false, found.open
    return outcome


# -- tables ----------------------------------------------------------------------------------------------------------


def _promise(rng: random.Random, name: str, show: str, made: Made, population: sf.Table) -> Any:
    """One promise, or several: whatever speaks of the columns that there are, and most methods of that name keep."""
    k, l = rng.choice([1, 2, 2, 3, 5]), rng.choice([1, 1.5, 2, 2, 3])
    kinds: list[Any] = []
    if show != "permutation" or not made.table.schema.sensitive:
        kinds += [sf.KAnonymity(k)] * 3 + [sf.Exchangeable(max(k, 2))] * (show != "condensed")
    if name in ("BestFirst", "Samarati", "Incognito"):
        kinds += [sf.KMap(k + 1, population)] * 2 + [sf.DeltaPresence(0, rng.choice([0.5, 0.9, 1]), population)]
    if name in ("MDAV", "TopDown") and kinds and rng.random() < 0.95:
        return rng.choice(kinds)
    if made.table.schema.sensitive:
        kinds += [sf.LDiversity(l)] * 4
        kinds += [
            sf.LDiversity(int(l), kind="distinct"), sf.LDiversity(l, kind="entropy"),
            sf.LDiversity(int(l), kind="recursive", c=rng.choice([0.5, 1, 2, 10])),
            sf.TCloseness(rng.choice([0.1, 0.3, 0.5])), sf.TCloseness(rng.choice([0.2, 0.6])),
            sf.TCloseness(rng.choice([0.2, 0.5]), distance="variational"), sf.TCloseness(rng.choice([0.3, 1.5]), distance="kl"),
            sf.BetaLikeness(rng.choice([0.5, 1, 3])), sf.BetaLikeness(rng.choice([1, 2.5]), enhanced=False),
            sf.DeltaDisclosure(rng.choice([0.7, 1.5, 4])),
            sf.LDiversity(2, columns=(rng.choice(made.table.schema.sensitive),)),
        ]  # fmt: skip
    if rng.random() < (0.15 if name in ("Hilbert", "IDistance") else 0.02):
        return sf.AccuracyBound(rng.choice([0.1, 0.3, 0.8]))
    chosen = rng.sample(kinds, rng.choice([1, 1, 1, 2, 3]))
    promise = chosen[0]
    for each in chosen[1:]:
        promise = promise & each
    return promise


def _table_method(rng: random.Random, name: str, show: str) -> Any:
    flag = lambda: rng.random() < 0.3  # noqa: E731
    if name == "Mondrian":
        return sf.Mondrian(strict=flag(), show=show)
    if name == "Hilbert":
        return sf.Hilbert(fast=flag(), show=show, polish=flag(), solve=rng.choice(["heuristic"] * 9 + ["optimal"]))
    if name == "IDistance":
        return sf.IDistance(centres=rng.randint(1, 4), show=show, polish=flag())
    if name == "Ordered":
        return sf.Ordered(trials=3, show=show, polish=flag())
    if name in ("TopDown", "MDAV"):
        return getattr(sf, name)(show=show)
    if name in ("BestFirst", "Samarati", "Incognito"):
        how = {
            "max_suppressed": rng.choice([0, 0, 0.1, 0.4]),
            "measure": rng.choice(["gcp", "entropy", "discernibility", "height"]),
        }
        return getattr(sf, name)(**how)
    if name == "Condensation":
        return sf.Condensation(alpha=rng.choice([0.5, 1, 2]), noise=rng.choice([0, 0.1]), keep_means=flag())
    if name == "TargetDistribution":
        return sf.TargetDistribution(
            rng.choice(["uniform", "uniform", "table"]), fakes=rng.choice([0, 0, 3]), groups=rng.choice([None, sf.Hilbert()]),
            group_size=rng.choice([2, 5, 10]), split=flag(), within=rng.choice([0, 0.1, 0.3]), subdomains=rng.choice(["nodes", "ranges"]),
        )  # fmt: skip
    if name == "PRAM":
        return sf.PRAM(keep=rng.choice([0.5, 0.8]), invariant=flag())
    if name == "TopBottomCoding":
        return sf.TopBottomCoding(top=0.8, bottom=rng.choice([None, 0.1]), least=rng.choice([2, 5]))
    from support.house import method_named

    return method_named(name)


def _table_promise(rng: random.Random, name: str, show: str, made: Made, people: sf.Table) -> Any:
    if name == "Republishing":
        return sf.MInvariance(rng.choice([2, 2, 3]))
    if name == "TargetDistribution":
        return None if rng.random() < 0.7 else sf.PPrivate("uniform", within=rng.choice([0, 0.2]))
    if name == "UncertainPublication":
        return sf.ExpectedAnonymity(2)
    if name == "IPCSD":
        return sf.AccuracyBound(rng.choice([0.2, 0.5]))
    if name == "Anatomy":
        return sf.LDiversity(rng.choice([2, 2, 3]))
    if name in CHANGING:
        return None if rng.random() < 0.9 else sf.KAnonymity(2)
    return _promise(rng, name, show, made, people)


def _tables(rng: random.Random, name: str, format: str, folder: Path, outcome: Outcome) -> Findings:
    apart = name in ("TargetDistribution", "Republishing", "Anatomy")
    made = some_table(
        rng, numeric=name in CHANGING and name not in ("PRAM", "TopBottomCoding"), named=name == "Republishing",
        secrets=1 if apart else None,
    )  # fmt: skip
    people = some_population(rng, made)
    show = rng.choice(["ranges", "ranges", "ranges", "means", "permutation", "condensed"])
    show = show if name in GROUPING else "ranges"
    promise = _table_promise(rng, name, show, made, people)
    outcome.promises = [type(part).__name__ for part in promise.parts] if promise is not None else []
    release = sf.publish(made.table, _table_method(rng, name, show), promise, seed=rng.randrange(10**6))
    _save(rng, release, folder, format)
    files = Folder(folder / "out", folder / "owner" / "out", made.paths)
    counted = Made.records.fget(made) if "condensed" not in files.public else _complete(made)
    found = check_files(files, counted, people.frame.to_dicts())
    alone = sf.load_release(folder / "out")
    verdict = sf.verify(alone, made.table, **_given(alone, people))
    if verdict.broken:
        found.false.append(f"verify calls it broken: {verdict.broken[0]}")
    return found


def _save(rng: random.Random, release: sf.Release, folder: Path, format: str) -> None:
    release.save(folder / "out", format=format, report=False, escape_formulas=format == "csv" and rng.random() < 0.3)


def _complete(made: Made) -> list[dict[str, Any]]:
    return made.table.frame[made.table.complete].to_dicts()


def _given(release: sf.Release, people: sf.Table) -> dict[str, Any]:
    speaks = release.promise is not None and any(hasattr(part, "population") for part in release.promise.parts)
    return {"population": people} if speaks else {}


# -- sets of items and graphs ----------------------------------------------------------------------------------------


def _sets(rng: random.Random, name: str, format: str, folder: Path, outcome: Outcome) -> Findings:
    n, items = rng.randint(6, 60), rng.randint(3, 9)
    sets = [sorted({f"i{rng.randrange(items)}" for _ in range(rng.randint(1, 5))}) for _ in range(n)]
    labels = [f"L{rng.randrange(5)}" for _ in range(n)] if rng.random() < 0.6 else None
    k = rng.choice([2, 3, 5])
    if name == "CAHD" and labels is None:
        labels = [f"L{rng.randrange(6)}" for _ in range(n)]
    if name == "Apriori":
        labels, promise = None, sf.KMAnonymity(k, rng.choice([1, 2, 3]))
    elif labels is None:
        promise = sf.KAnonymity(k)
    else:
        diverse = [sf.LDiversity(rng.choice([1.5, 2, 3])), sf.LDiversity(2, kind="distinct")]
        alone = [] if name == "CAHD" else [sf.KAnonymity(k), sf.KAnonymity(k) & diverse[0]]
        promise = rng.choice([*diverse, *alone])
    outcome.promises = [type(part).__name__ for part in promise.parts]
    method = getattr(sf, name)()
    release = sf.publish(sf.Baskets.from_lists(sets, labels=labels), method, promise, seed=rng.randrange(10**6))
    _save(rng, release, folder, format)
    files = Folder(folder / "out", folder / "owner" / "out")
    found = check_baskets(files, [set(each) for each in sets], labels)
    _reread(folder, sf.Baskets.from_lists(sets, labels=labels), found)
    return found


def _graphs(rng: random.Random, name: str, format: str, folder: Path, outcome: Outcome) -> Findings:
    n = rng.randint(8, 40)
    u, v = np.triu_indices(n, 1)
    some = np.random.default_rng(rng.randrange(10**6)).random(len(u)) < rng.choice([0.05, 0.15, 0.4])
    graph = sf.Graph.from_edges(u[some], v[some], n)
    k = rng.choice([2, 3, 4])
    method = {"KDegree": lambda: sf.KDegree(k), "Relabelling": sf.Relabelling, "AddDelete": lambda: sf.AddDelete(2),
              "EdgePerturbation": lambda: sf.EdgePerturbation(0.05), "SpectralSwitching": lambda: sf.SpectralSwitching(2)}[name]()  # fmt: skip
    promise = sf.DegreeAnonymity(k) if name == "KDegree" or rng.random() < 0.05 else None
    outcome.promises = [type(promise).__name__] if promise is not None else []
    release = sf.publish(graph, method, promise, seed=rng.randrange(10**6))
    _save(rng, release, folder, format)
    found = check_graph(Folder(folder / "out"))
    _reread(folder, graph, found)
    return found


def _reread(folder: Path, original: Any, found: Findings) -> None:
    verdict = sf.verify(sf.load_release(folder / "out"), original)
    if verdict.broken:
        found.false.append(f"verify calls it broken: {verdict.broken[0]}")


__all__ = ["METHODS", "Outcome", "fuzz"]
