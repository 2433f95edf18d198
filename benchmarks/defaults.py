"""Which method should be the default: what each loses, and how long it takes, on tables of several kinds.

    SFUMATO_DATA=FOLDER python -m benchmarks.defaults [--json FILE] [--only TEXT]

GCP and seconds of `publish` for the methods that keep any promise on a table, under promises that people ask for. A
method that has no answer is told with its reason. Everything runs once before it is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import sfumato as sf
from benchmarks.loss import tables
from sfumato.errors import SfumatoError

METHODS = {
    "LocalRecoding": sf.LocalRecoding(), "Ordered": sf.Ordered(), "Hilbert": sf.Hilbert(), "Mondrian": sf.Mondrian(),
    "TopDown": sf.TopDown(),
}  # fmt: skip


_CROSSING = ("education", "workclass", "marital-status", "native-country", "race", "sex")


def cases(folder: Path) -> list[tuple[str, sf.Table, str | None]]:
    """Tables by name, each with the column that is sensitive."""
    found: list[tuple[str, sf.Table, str | None]] = []
    secrets = {"Adult": "occupation", "Census": "major_occupation_code", "ACS": "INDP_CAT"}
    for name, table in tables(folder).items():
        secret = secrets[name.partition(",")[0]]
        if name.startswith("Adult, complete") or secret not in table.columns:
            secret = ""
        schema = table.schema
        if secret:
            schema = schema.with_columns(sf.Column(name=secret, role="sensitive"))
        found.append((name, table.with_schema(schema), secret or None))
    adult = tables(folder)["Adult, all rows, ARX hierarchies"]
    for n_with in range(7):  # from which share of hierarchies on?
        kept = _CROSSING[:n_with]
        schema = adult.schema.with_columns(
            *(replace(adult.schema.column(name), hierarchy=None) for name in adult.schema.quasi if name not in kept)
        )
        found.append((f"Adult, {n_with} of 7 hierarchies", sf.Table(adult.frame, schema), None))
    found += [(f"hospital, {rows:,} rows", sf.datasets.hospital(rows), "disease") for rows in (2_000, 30_000)]
    return found


def promises(secret: str | None) -> list[sf.Promise]:
    """What people ask for."""
    asked: list[sf.Promise] = [sf.KAnonymity(5), sf.KAnonymity(10), sf.KAnonymity(50)]
    if secret is not None:
        asked += [sf.KAnonymity(10) & sf.LDiversity(2), sf.KAnonymity(5) & sf.LDiversity(3, kind="distinct"),
                  sf.KAnonymity(5) & sf.TCloseness(0.3)]  # fmt: skip
    return asked


def main() -> None:
    """Print a line for each case, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--only", default="", help="tables whose name has this text")
    options = parser.parse_args()
    if "SFUMATO_DATA" not in os.environ:
        sys.exit("set SFUMATO_DATA to the folder of the evaluation data")
    for method in METHODS.values():
        sf.publish(sf.datasets.hospital(500), method, sf.KAnonymity(5), seed=1)
    found: list[dict[str, Any]] = []
    for name, table, secret in cases(Path(os.environ["SFUMATO_DATA"]) / "relational"):
        if options.only not in name:
            continue
        for promise in promises(secret):
            row: dict[str, Any] = {"data": name, "rows": len(table), "promise": repr(promise)}
            for label, method in METHODS.items():
                started = time.perf_counter()
                try:
                    release = sf.publish(table, method, promise, seed=1)
                except SfumatoError as error:
                    row[label] = {"refused": str(error)}
                    continue
                taken = time.perf_counter() - started
                row[label] = {"gcp": sf.measure(release, table, n_queries=0)["gcp"], "seconds": taken}
            figures = ", ".join(
                f"{label} {row[label]['gcp']:.4f} ({row[label]['seconds']:.1f} s)" if "gcp" in row[label]
                else f"{label} refused" for label in METHODS
            )  # fmt: skip
            print(f"{name}, {promise!r}: {figures}", flush=True)
            found.append(row)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
