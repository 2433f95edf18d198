"""Full-domain search and local recoding on Adult with the hierarchies of ARX.

    SFUMATO_DATA=FOLDER python -m benchmarks.lattice [--large] [--json FILE]

Nine quasi-identifiers, 30,162 records, a lattice of 12,960 nodes. The loss is the normalised certainty penalty with a
node of a hierarchy costing (its leaves - 1) / (all leaves - 1), every column alike, so that it can be held against what
was measured of ARX on a machine of the same kind: its figures are in `ARX`. CPU seconds, the second run of two.
`--large`: a million made-up records with twelve columns, too.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.data import adult_arx
from sfumato.data.encoding import encode
from sfumato.ground.randomness import Randomness
from sfumato.tables.choosing.race import loss_of
from sfumato.tables.coding.boxes import group_losses, records, word_offsets
from sfumato.tables.coding.columns import flatten
from sfumato.tables.coding.levels import levels_of
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job
from sfumato.tables.lattice import examiner as examining
from sfumato.tables.lattice.examiner import Examiner

ARX: dict[str, dict[str, float]] = {
    "k=5": {"ncp": 0.0519, "cpu": 37.0, "withheld": 0.0},
    "k=10": {"ncp": 0.0762, "cpu": 35.0, "withheld": 0.0},
    "k=50": {"ncp": 0.1490, "cpu": 46.0, "withheld": 0.0},
    "distinct l=3": {"ncp": 0.0367},
    "entropy l=3": {"ncp": 0.0699, "withheld": 0.018},
    "t=0.2, equal distances": {"ncp": 0.4425, "withheld": 0.036},
}
"""Local recoding of ARX: loss, CPU seconds where they were taken, and the share of records it suppressed.

Under k-anonymity with its finest step (0.0001), which took 37, 35 and 46 s.
"""

SUPPRESSED = 0.04


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result and the CPU seconds of the second of two runs."""
    work()
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def ncp(table: sf.Table, groups: Groups) -> float:
    """The loss as ARX's was measured."""
    quasi = encode(table, table.schema.quasi)
    shares = [(c.tree.last - c.tree.first) / max(c.tree.n_leaves - 1, 1) for c in quasi if c.tree is not None]
    columns = flatten(quasi)._replace(node_loss=np.concatenate(shares), weight=np.full(len(quasi), 1 / len(quasi)))
    losses = group_losses(columns, word_offsets(columns), records(columns), groups.order, groups.starts)
    return float(losses @ groups.sizes) / len(table)


def formed(table: sf.Table, method: GroupingMethod, promise: sf.KAnonymity | Any) -> dict[str, Any]:
    """What a method's groups lose, and how long it takes to form them."""
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    groups, cpu = timed(lambda: method.groups(Job(quasi, sensitive, promise, Randomness(1))))
    return {
        "ncp": ncp(table, groups),
        "cpu": cpu,
        "groups": groups.n_groups,
        "withheld": 1 - len(groups.order) / len(table),
    }


def searches(table: sf.Table) -> list[dict[str, Any]]:
    """The three searches and all nodes, at k = 5 with 4% suppression."""
    found = []
    for method in (sf.BestFirst(max_suppressed=SUPPRESSED), sf.Incognito(max_suppressed=SUPPRESSED),
                   sf.Samarati(max_suppressed=SUPPRESSED)):  # fmt: skip
        result, cpu = timed(lambda method=method: method.search(table, sf.KAnonymity(5)))
        found.append({"search": type(method).__name__, "gcp": result.cost, "levels": list(result.levels.values()),
                      "withheld": result.n_withheld, "examined": result.n_examined, "cpu": cpu})  # fmt: skip
    for label, worth in (("every node", examining._WORTH), ("every node, nothing rolled up", 0.0)):
        kept, examining._WORTH = examining._WORTH, worth
        quasi = encode(table, table.schema.quasi)
        examiner = Examiner(quasi, [], sf.KAnonymity(5), levels_of(quasi), max_withheld=int(SUPPRESSED * len(table)))
        start = time.process_time()
        best = min((examiner.examine(node).cost, sum(node), node) for node in examiner.lattice)
        cpu = time.process_time() - start
        examining._WORTH = kept
        found.append({"search": label, "gcp": best[0], "levels": list(best[2]), "examined": len(examiner.lattice),
                      "withheld": examiner.examine(best[2]).n_withheld, "cpu": cpu})  # fmt: skip
    return found


def recodings() -> list[dict[str, Any]]:
    """Local recoding beside ARX's, and beside methods that partition."""
    table, diverse = adult_arx(), adult_arx(sensitive=["occupation"])
    asked: list[tuple[str, sf.Table, Any]] = [
        *((f"k={k}", table, sf.KAnonymity(k)) for k in (5, 10, 50)),
        ("distinct l=3", diverse, sf.LDiversity(3, kind="distinct")),
        ("entropy l=3", diverse, sf.LDiversity(3, kind="entropy")),
        ("t=0.2, equal distances", diverse, sf.TCloseness(0.2, distance="variational")),
    ]
    methods: dict[str, GroupingMethod] = {
        "LocalRecoding": sf.LocalRecoding(), "LocalRecoding, no polish": sf.LocalRecoding(polish=False),
        "LocalRecoding, borrow": sf.LocalRecoding(borrow=True),
        "Hilbert": sf.Hilbert(), "Mondrian": sf.Mondrian(),
    }  # fmt: skip
    found = []
    for name, data, promise in asked:
        found += [
            {"asked": name, "method": label, **formed(data, method, promise)}
            for label, method in methods.items() if name.startswith("k=") or "borrow" not in label
        ]  # fmt: skip
        found.append({"asked": name, "method": "ARX", **ARX[name]})
    return found


def million(n_rows: int = 1_000_000) -> sf.Table:
    """Made-up records with twelve columns: Adult's nine, a tenth of the cells from other records, and three more."""
    base, rng = adult_arx(), np.random.default_rng(1)
    rows, columns = rng.integers(0, len(base), n_rows), {}
    for name in base.schema.quasi:
        picked = np.where(rng.random(n_rows) < 0.1, rng.integers(0, len(base), n_rows), rows)
        columns[name] = base.frame[name].gather(picked)
    columns["zip"] = pl.Series(rng.zipf(1.5, n_rows) % 1000 + 1000).cast(pl.String)
    columns["hours"] = pl.Series(np.clip(rng.normal(40, 12, n_rows), 1, 99).astype(np.int64))
    columns["smoker"] = pl.Series(np.array(["no", "yes"])[rng.integers(0, 2, n_rows)])
    columns["illness"] = pl.Series(np.array(list("abcdefgh"))[np.minimum(rng.geometric(0.3, n_rows) - 1, 7)])
    trees = {name: base.schema.column(name).hierarchy for name in base.schema.quasi}
    quasi = [name for name in columns if name != "illness"]
    schema = sf.Schema(
        quasi=quasi, sensitive=["illness"], hierarchies={k: v for k, v in trees.items() if v is not None}
    )
    return sf.Table(pl.DataFrame(columns), schema)


def large() -> list[dict[str, Any]]:
    """Local recoding of a million records under three promises: seconds of the clock and the loss (GCP)."""
    table, found = million(), []
    kept = sf.KAnonymity(10)
    sf.publish(million(2_000), sf.LocalRecoding(), kept & sf.LDiversity(3) & sf.TCloseness(0.3))  # compile
    sf.publish(million(2_000), sf.LocalRecoding(), kept)
    for promise in (kept, kept & sf.LDiversity(3), kept & sf.TCloseness(0.3)):
        quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
        job = Job(quasi, sensitive, promise, Randomness(1))
        start, cpu = time.perf_counter(), time.process_time()
        groups = sf.LocalRecoding().groups(job)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        found.append({"rows": len(table), "promise": repr(promise), "seconds": round(seconds, 1), "cpu": round(cpu, 1),
                      "gcp": loss_of(groups, job), "groups": groups.n_groups})  # fmt: skip
        print(found[-1], flush=True)
    return found


def main() -> None:
    """Print tables, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    searched = searches(adult_arx())
    for row in searched:
        print(
            f"{row['search']:<32} gcp {row['gcp']:.5f}  withheld {row['withheld']:>5,}  examined {row['examined']:>6,}"
            f"  {row['cpu']:6.2f} s  {row['examined'] / row['cpu']:7,.0f} nodes/s"
        )
    recoded = recodings()
    for row in recoded:
        cpu = f"{row['cpu']:6.2f} s" if "cpu" in row else "       -"
        withheld = row.get("withheld", 0.0)
        print(f"{row['asked']:<24}{row['method']:<26} ncp {row['ncp']:.4f}  withheld {withheld:.1%}  {cpu}")
    if options.json is not None:
        found = {"searches": searched, "recodings": recoded, **({"large": large()} if options.large else {})}
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
