"""Do figures extrapolated from samples hold the truth? On tables whose whole is held, by methods and strengths.

    SFUMATO_DATA=FOLDER python -m benchmarks.extrapolation [--json FILE] [--only TEXT]

Each table is published at all rows, a half, a quarter and so on to a 64th, each smaller sample out of the larger. From
three sizes that follow each other, figures are extrapolated by factors of 2, 4, 8 and 16 to the truth. Told is how
often the intervals held it, and, table by table, how often they would have if their widths had been found on the other
tables alone. Of each two methods it is told how often the ratio of their losses was decided, and how often rightly; of
each comparison, whether the method that lost least in truth was among those that could not be told from the best.

Tables that are not like those that widths were found on are not extrapolated (`likeness.py`). They are told by name,
with how often intervals would have held on them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.census import census
from benchmarks.loss import tables
from sfumato.contracts.method import method_from_dict
from sfumato.datasets import hospital
from sfumato.errors import SfumatoError
from sfumato.ground.randomness import Randomness
from sfumato.verbs.comparing.extrapolation import RATIO_WIDTH, WIDTHS, Law, Width, laws_of, ratio_of
from sfumato.verbs.comparing.likeness import why_unlike
from sfumato.verbs.comparing.repeats import Copies, copies_of
from sfumato.verbs.comparing.samples import FEWEST_CLASSES, drawn

METHODS = ("Mondrian", "Hilbert", "Ordered", "IDistance", "LocalRecoding", "TopDown", "CellSuppression", "MDAV",
           "BestFirst")  # fmt: skip
MOST_ROWS = {"MDAV": 7_000, "LocalRecoding": 30_000, "TopDown": 30_000}
KS = (5, 10, 50)
HALVINGS, FARTHEST, LAST_WHOLE = 6, 4, 2
FITTED = 0.95
"""How many cases widths are made to hold: more than are promised, since the next table is none of these."""


def three_numbers(n: int) -> sf.Table:
    """`n` made-up people with an age, an income and a place, the same every time."""
    random = Randomness("three numbers")
    old, rich, near = random.spawn("age").uniform(n), random.spawn("income").normal(n), random.spawn("place").uniform(n)
    frame = pl.DataFrame({
        "age": (18 + 70 * old * near).astype(np.int64),
        "income": np.round(np.exp(10 + 0.6 * rich) / 100).astype(np.int64) * 100,
        "place": (10_000 * near**2).astype(np.int64),
    })  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["age", "income", "place"]))


def far_out(n: int) -> sf.Table:
    """`n` made-up people with incomes and fortunes of which a few are far from all others, the same every time."""
    random = Randomness("far out")
    frame = pl.DataFrame({
        "age": (18 + 70 * random.spawn("age").uniform(n)).astype(np.int64),
        "income": np.round(np.exp(8 + 2 * random.spawn("income").normal(n))).astype(np.int64),
        "fortune": np.round(np.exp(8 + 3 * random.spawn("fortune").normal(n))).astype(np.int64),
    })  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["age", "income", "fortune"]))


def with_missing(table: sf.Table, share: float) -> sf.Table:
    """The table with so many values of each column missing, the same every time."""
    random = Randomness("missing")
    lost = {name: random.spawn(name).uniform(len(table)) < share for name in table.schema.quasi}
    columns = [
        pl.when(pl.Series(f"{name} is lost", gone)).then(None).otherwise(pl.col(name)).alias(name)
        for name, gone in lost.items()
    ]
    return sf.Table(table.frame.with_columns(columns), table.schema)


def held() -> dict[str, Callable[[], sf.Table]]:
    """The tables whose whole is held, by name."""
    real = tables(Path(os.environ["SFUMATO_DATA"]) / "relational")
    people = hospital(65_536).frame
    adult, acs, incomes = (real[f"{name}, all rows, sets"].frame for name in ("Adult", "ACS", "Census"))

    def columns(frame: pl.DataFrame, *names: str) -> Callable[[], sf.Table]:
        return lambda: sf.Table(frame, sf.Schema(quasi=list(names)))

    return {
        "Adult, sets": lambda: real["Adult, all rows, sets"],
        "Adult, hierarchies": lambda: real["Adult, all rows, ARX hierarchies"],
        "Adult, three columns": columns(adult, "age", "education-num", "hours-per-week"),
        "ACS, sets": lambda: real["ACS, all rows, sets"],
        "ACS, three columns": columns(acs, "PUMA", "AGEP", "EDU"),
        "Census, sets": lambda: real["Census, all rows, sets"],
        "Census, four columns": columns(incomes, "age", "weeks_worked_in_year", "education", "sex"),
        "Adult, two columns": columns(adult, "age", "education-num"),
        "Adult, four columns": columns(adult, "age", "sex", "education", "marital-status"),
        "ACS, four columns": columns(acs, "AGEP", "SEX", "RAC1P", "EDU"),
        "Census, three columns": columns(incomes, "age", "sex", "education"),
        "Census, five columns": columns(incomes, "age", "sex", "education", "marital_status", "race"),
        "made-up hospital, three columns": columns(people, "age", "education", "marital"),
        "made-up hospital, four columns": columns(people, "age", "sex", "education", "marital"),
        "made-up hospital": lambda: hospital(32_768),
        "made-up numbers": lambda: three_numbers(65_536),
        "made-up census": lambda: census(65_536),
        "made-up numbers, 400,000 rows": lambda: three_numbers(400_000),
        "made-up numbers, far out": lambda: far_out(16_384),
        "made-up numbers, three in ten missing": lambda: with_missing(three_numbers(16_384), 0.3),
        "made-up numbers, two columns": columns(three_numbers(16_384).frame, "income", "place"),
    }


def measured(name: str, table: sf.Table) -> Iterator[dict[str, Any]]:
    """The figures of every method and strength at every size, and the copies there."""
    methods = METHODS if len(table) < 200_000 else METHODS[:3]
    sample = drawn(table, len(table), "extrapolation")
    diverse = [sf.KAnonymity(5) & sf.LDiversity(3)] if table.schema.sensitive else []
    for halvings in range(HALVINGS + 1):
        part = sample.rows(slice(0, len(table) >> halvings))
        copies, unlike = copies_of(part), why_unlike(part)
        for method, promise in itertools.product(methods, [*(sf.KAnonymity(k) for k in KS), *diverse]):
            k = max(each.min_size() for each in promise.parts)
            if len(part) < FEWEST_CLASSES * k or len(part) > MOST_ROWS.get(method, len(part)):
                continue
            try:
                release = sf.publish(part, method_from_dict({"name": method}), promise, seed=1)
            except SfumatoError:
                continue
            figures = sf.measure(release, part, n_queries=0)
            followed = {each: float(figures[each]) for each in WIDTHS if each in figures}
            yield {"table": name, "method": method, "promise": repr(promise), "k": k, "halvings": halvings,
                   "copies": copies, "unlike": unlike, "figures": followed}  # fmt: skip


def cases(runs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every extrapolation that can be held against a truth."""
    by = {(run["table"], run["method"], run["promise"], run["halvings"]): run for run in runs}
    for (table, method, promise, whole), truth in by.items():
        for doublings in range(1, FARTHEST + 1) if whole <= LAST_WHOLE else ():
            sizes = [by.get((table, method, promise, whole + doublings + i)) for i in range(3)]
            if any(each is None for each in sizes):
                continue
            copies: list[Copies] = [each["copies"] for each in sizes]  # type: ignore[index]
            laws = laws_of([each["figures"] for each in sizes], copies, truth["copies"], truth["k"])  # type: ignore[index]
            yield {"table": table, "method": method, "promise": promise, "k": truth["k"],
                   "rows": truth["copies"].n_rows, "whole": whole == 0, "unlike": truth["unlike"],
                   "factor": 2**doublings, "laws": laws, "truth": truth["figures"],
                   "sizes": [each.n_rows for each in copies],
                   "values": [each["figures"].get("gcp", 0.0) for each in sizes]}  # type: ignore[index]  # fmt: skip


def fitted(laws: list[Law], truths: list[float]) -> Width:
    """The narrowest width, on average, that holds 95 truths of 100."""
    wrong = np.array([abs(math.log(law.value / truth)) for law, truth in zip(laws, truths, strict=True)])
    doublings, bends, fillings = (
        np.array([getattr(law, name) for law in laws]) for name in ("doublings", "bend", "filling")
    )
    found = []
    for bent, filled in itertools.product(
        np.arange(0, 1.51, 0.1), np.arange(0, 1.01, 0.1) if fillings.any() else [0.0]
    ):
        steady = float(np.quantile((wrong - filled * fillings) / doublings - bent * bends, FITTED))
        width = Width(max(0.0, steady), float(bent), float(filled))
        halves = doublings * (width.steady + width.bent * bends) + width.filled * fillings
        found.append((float((halves / doublings).mean()), width))
    return min(found, key=lambda each: each[0])[1]


def holds(law: Law, width: Width, truth: float) -> bool:
    """Whether an interval holds the truth."""
    told = law.within(width)
    return told.low <= truth <= told.high


def coverage(laws: list[tuple[str, int, Law, float]], width: Width) -> dict[str, Any]:
    """How often intervals hold: as they are told, by factor and table, and with widths found on the other tables."""
    names = sorted({table for table, *_ in laws})
    apart = {}
    for name in names:
        others = [(law, truth) for table, _, law, truth in laws if table != name]
        if others:
            found = fitted([law for law, _ in others], [truth for _, truth in others])
            apart[name] = _share([holds(law, found, truth) for table, _, law, truth in laws if table == name])
    best = fitted([law for _, _, law, _ in laws], [truth for *_, truth in laws])
    factors = sorted({factor for _, factor, *_ in laws})
    return {
        "cases": len(laws), "held": _share([holds(law, width, truth) for _, _, law, truth in laws]),
        "held_by_factor": {f: _share([holds(law, width, t) for _, g, law, t in laws if g == f]) for f in factors},
        "held_by_table": {n: _share([holds(law, width, t) for m, _, law, t in laws if m == n]) for n in names},
        "held_with_widths_of_other_tables": apart,
        "median_error_by_factor": {
            f: round(float(np.median([abs(law.value / t - 1) for _, g, law, t in laws if g == f])), 4) for f in factors
        },
        "width": vars(width), "narrowest_width": {key: round(v, 4) for key, v in vars(best).items()},
    }  # fmt: skip


def ranked(found: list[dict[str, Any]]) -> dict[str, Any]:
    """How often one of two methods was told to lose less, and rightly; and whether the best was among those told."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for case in found:
        if "gcp" in case["laws"]:
            groups[case["table"], case["promise"], case["rows"], case["factor"]].append(case)
    ratios, rightly, foreseen, alone, n = [], defaultdict(list), 0, 0, 0
    for (table, _, rows, factor), members in groups.items():
        if len(members) < 2:
            continue
        signs: dict[tuple[str, str], int] = {}
        for one, other in itertools.permutations(members, 2):
            law = ratio_of(one["sizes"], one["values"], other["values"], rows)
            assert law is not None
            told, truth = law.within(RATIO_WIDTH), one["truth"]["gcp"] / other["truth"]["gcp"]
            signs[one["method"], other["method"]] = 1 if told.low > 1 else -1 if told.high < 1 else 0
            if one["method"] < other["method"]:
                ratios.append((table, factor, law, truth))
                if signs[one["method"], other["method"]]:
                    rightly[table].append(signs[one["method"], other["method"]] * (truth - 1) > 0)
        best = min(members, key=lambda case: case["laws"]["gcp"].value)["method"]
        true = min(members, key=lambda case: case["truth"]["gcp"])["method"]
        n, alone = n + 1, alone + (best == true)
        foreseen += best == true or signs[best, true] == 0
    return {
        "pairs": len(ratios), "decided": round(sum(map(len, rightly.values())) / len(ratios), 4),
        "decided_rightly": _share([each for those in rightly.values() for each in those]),
        "decided_rightly_by_table": {name: _share(those) for name, those in sorted(rightly.items())},
        "ratio": coverage(ratios, RATIO_WIDTH), "comparisons": n, "best_named": round(alone / n, 4),
        "best_named_or_not_told_from_it": round(foreseen / n, 4),
    }  # fmt: skip


def _share(held_: list[bool]) -> float:
    return round(sum(held_) / len(held_), 4) if held_ else 1.0


def unlike_tables(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Tables on which nothing is extrapolated: the reason, and how often the intervals would have held."""
    told: dict[str, Any] = {}
    for name in sorted({case["table"] for case in found}):
        own = [case for case in found if case["table"] == name]
        told[name] = {"why": sorted({case["unlike"] for case in own})}
        for figure, width in WIDTHS.items():
            laws = [(case["laws"][figure], case["truth"][figure]) for case in own if figure in case["laws"]]
            told[name][figure] = {"cases": len(laws), "held": _share([holds(law, width, truth) for law, truth in laws])}
    return told


def judged(runs: list[dict[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What is told of all cases, and each case whose truth is that of a whole table."""
    everything = list(cases(runs))
    found = [case for case in everything if not case["unlike"]]
    plain = [case for case in found if "LDiversity" not in case["promise"]]
    told: dict[str, Any] = {"cases": len(found), "extrapolated": _share([bool(case["laws"]) for case in found])}
    told["tables_not_extrapolated"] = unlike_tables([case for case in everything if case["unlike"]])
    told["not_extrapolated"] = dict(sorted(
        (method, 1 - _share([bool(c["laws"]) for c in found if c["method"] == method]))
        for method in {case["method"] for case in found}
    ))  # fmt: skip
    for figure in WIDTHS:
        followed = [
            (c["table"], c["factor"], c["laws"][figure], c["truth"][figure]) for c in plain if figure in c["laws"]
        ]
        if followed:
            told[figure] = coverage(followed, WIDTHS[figure])
    diverse = [c for c in found if "LDiversity" in c["promise"] and "gcp" in c["laws"]]
    kept = [holds(c["laws"]["gcp"], WIDTHS["gcp"], c["truth"]["gcp"]) for c in diverse]
    told["gcp_under_l_diversity"] = {"cases": len(diverse), "held": _share(kept)}
    if len({case["method"] for case in plain if "gcp" in case["laws"]}) > 1:
        told["ranks"] = ranked(plain)
    listed = [
        {"table": c["table"], "rows": c["rows"], "method": c["method"], "promise": c["promise"], "factor": c["factor"],
         "figure": figure, **{key: float(f"{value:.4g}") for key, value in vars(law.within(WIDTHS[figure])).items()},
         "truth": float(f"{c['truth'][figure]:.4g}"), "held": holds(law, WIDTHS[figure], c["truth"][figure])}
        for c in found if c["whole"] for figure, law in c["laws"].items()
    ]  # fmt: skip
    return told, listed


def main() -> None:
    """Measure, extrapolate, and tell how often the truth was held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    if "SFUMATO_DATA" not in os.environ:
        sys.exit("the evaluation data are not here: set SFUMATO_DATA to their folder")
    runs: list[dict[str, Any]] = []
    for name, make in held().items():
        if asked.only in name:
            runs += measured(name, make())
            print(f"{name}: {len(runs)} runs so far", flush=True)
    told, listed = judged(runs)
    print(json.dumps(told, indent=1))
    if asked.json:
        lines = ",\n  ".join(json.dumps(each) for each in listed)
        head = json.dumps(told, indent=1)[:-2]
        asked.json.write_text(f'{head},\n "of_whole_tables": [\n  {lines}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
