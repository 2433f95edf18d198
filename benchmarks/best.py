"""What `Best` reaches: beside every method that fits, each run alone to its end.

    SFUMATO_DATA=FOLDER python -m benchmarks.best [--within 5,30] [--json FILE] [--only TEXT]

GCP on tables of several kinds under promises that people ask for. For each `within`, Best is held against the least
loss of the methods that take no longer than that alone (`against_rival`), and of all of them, however long they take
(`against_all`). Uneven columns with far codes are among the tables. Promises that no method can keep are passed over.
Everything runs once before it is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.defaults import cases
from sfumato.errors import SfumatoError

METHODS = (
    "LocalRecoding", "Ordered", "Hilbert", "IDistance", "Mondrian", "TopDown", "BestFirst", "CellSuppression", "MDAV",
)  # fmt: skip
_MOST_SLOW = 60_000
"""Rows up to which methods with quadratic time are run."""


def uneven(n: int = 30_000) -> sf.Table:
    """Columns whose values lie far apart in few places: money, codes, a long tail."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "income": rng.lognormal(10, 2, n).round(0), "code": rng.choice([1, 2, 3, 10**6, 10**9], n),
            "age": rng.integers(18, 90, n), "debt": np.where(rng.random(n) < 0.9, 0.0, rng.lognormal(8, 2, n).round(0)),
            "group": rng.choice(list("abcdef"), n, p=[0.6, 0.2, 0.1, 0.05, 0.04, 0.01]),
            "secret": rng.choice(list("vwxyz"), n),
        }
    )  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["income", "code", "age", "debt", "group"], sensitive=["secret"]))


def promises(secret: str | None) -> list[sf.Promise]:
    """What people ask for."""
    asked: list[sf.Promise] = [sf.KAnonymity(5), sf.KAnonymity(10), sf.KAnonymity(50)]
    return asked + ([sf.KAnonymity(10) & sf.LDiversity(2)] if secret else [])


def lost(table: sf.Table, method: Any, promise: sf.Promise) -> tuple[float, float, sf.Release] | None:
    """Loss, seconds and release; None where there is none."""
    start = time.perf_counter()
    try:
        release = sf.publish(table, method, promise, seed=1)
    except SfumatoError:
        return None
    seconds = time.perf_counter() - start
    return float(sf.measure(release, n_queries=0)["gcp"]), seconds, release


def row_for(name: str, table: sf.Table, promise: sf.Promise, seconds: list[float]) -> dict[str, Any] | None:
    """All methods alone, then Best; None where no method keeps the promise."""
    alone = {}
    for each in METHODS:
        if len(table) > _MOST_SLOW and each in ("MDAV", "TopDown"):
            continue
        method = sf.MDAV(show="ranges") if each == "MDAV" else getattr(sf, each)()
        found = lost(table, method, promise)
        if found is not None:
            alone[each] = {"gcp": round(found[0], 5), "seconds": round(found[1], 2)}
    if not alone:
        return None
    row: dict[str, Any] = {"data": name, "rows": len(table), "promise": repr(promise), "alone": alone, "best": []}
    for within in seconds:
        found = lost(table, sf.Best(within=within), promise)
        assert found is not None
        loss, spent, release = found
        assert release.owner is not None
        in_time = {key: value["gcp"] for key, value in alone.items() if value["seconds"] <= within} or {
            key: value["gcp"] for key, value in alone.items()
        }
        rival = min(in_time, key=lambda key: in_time[key])
        row["best"].append(
            {"within": within, "gcp": round(loss, 5), "seconds": round(spent, 2), "rival": rival,
             "against_rival": round(loss / in_time[rival], 4) if in_time[rival] else 1.0,
             "against_all": round(loss / min(value["gcp"] for value in alone.values()), 4) if in_time[rival] else 1.0,
             "tried": [str(each) for each in release.owner.tried]}
        )  # fmt: skip
    return row


def main() -> None:
    """Print a line for each case, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--within", default="5,30")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    given = os.environ.get("SFUMATO_DATA")
    if not given:
        sys.exit("the evaluation data are not here: set SFUMATO_DATA to their folder")
    seconds = [float(each) for each in asked.within.split(",")]
    tables = [case for case in cases(Path(given) / "relational") if "of 7" not in case[0]]
    tables.append(("uneven columns, far codes", uneven(), "secret"))
    for each in METHODS:
        lost(sf.datasets.hospital(500), getattr(sf, each)(), sf.KAnonymity(5))
    rows = []
    for name, table, secret in tables:
        if asked.only not in name:
            continue
        for promise in promises(secret):
            row = row_for(name, table, promise, seconds)
            if row is None:
                print(f"{name:34} {promise!r:36} no method keeps it", flush=True)
                continue
            rows.append(row)
            if asked.json:
                asked.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            told = "; ".join(
                f"{each['within']:g} s {each['gcp']:.4f} ({each['against_rival']:.3f} of {each['rival']})"
                for each in row["best"]
            )
            print(f"{name:34} {row['promise']:36} {told}", flush=True)


if __name__ == "__main__":
    main()
