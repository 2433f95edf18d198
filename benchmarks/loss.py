"""What Hilbert and Mondrian lose on real data, beside each other.

    SFUMATO_DATA=FOLDER python -m benchmarks.loss [--json FILE]

GCP (0 to 1) at several k, for the seven quasi-identifiers of the TODS paper (age, sex, education, marital status, race,
work class, country) on Adult and on the census, and for the columns of the ground-floor comparison on Adult.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import polars as pl

import sfumato as sf

PLAIN = ["age", "workclass", "education-num", "marital-status", "race", "sex", "native-country"]
ADULT = ["age", "sex", "education", "marital-status", "race", "workclass", "native-country"]
CENSUS = ["age", "sex", "education", "marital_status", "race", "class_of_worker", "country_of_birth_self"]
ACS = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"]


def tables(folder: Path) -> dict[str, sf.Table]:
    """The data sets, by name."""
    adult = pl.read_csv(folder / "adult.csv.gz", null_values="?")
    census = pl.read_csv(folder / "census_income.csv.gz", null_values="?")
    acs = pl.read_csv(folder / "acs_national2019.csv.gz", null_values="N")
    trees = {
        name: sf.Hierarchy.from_csv(folder / "adult_hierarchies" / f"adult_hierarchy_{name}.csv")
        for name in ADULT if name != "age"
    }  # fmt: skip
    return {
        "Adult, complete training rows, sets": sf.Table(adult.head(32_561).drop_nulls(), sf.Schema(quasi=PLAIN)),
        "Adult, all rows, sets": sf.Table(adult, sf.Schema(quasi=ADULT)),
        "Adult, all rows, ARX hierarchies": sf.Table(adult, sf.Schema(quasi=ADULT, hierarchies=trees)),
        "Census, all rows, sets": sf.Table(census, sf.Schema(quasi=CENSUS)),
        "ACS, all rows, sets": sf.Table(acs, sf.Schema(quasi=ACS)),
    }


def main() -> None:
    """Print a table, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    if "SFUMATO_DATA" not in os.environ:
        sys.exit("set SFUMATO_DATA to the folder of the evaluation data")
    found: list[dict[str, Any]] = []
    methods = {"Hilbert()": sf.Hilbert(), "Hilbert(fast=True)": sf.Hilbert(fast=True), "Mondrian()": sf.Mondrian(),
               "Mondrian(strict=False)": sf.Mondrian(strict=False)}  # fmt: skip
    for name, table in tables(Path(os.environ["SFUMATO_DATA"]) / "relational").items():
        for k in (5, 10, 50):
            row: dict[str, Any] = {"data": name, "rows": len(table), "k": k}
            for label, method in methods.items():
                release = sf.publish(table, method, sf.KAnonymity(k), seed=1)
                row[label] = sf.measure(release, table, n_queries=1)["gcp"]
            found.append(row)
    print(f"{'data':<38}{'rows':>8}{'k':>4}" + "".join(f"{label:>24}" for label in methods))
    for row in found:
        figures = "".join(f"{row[label]:>24.4f}" for label in methods)
        print(f"{row['data']:<38}{row['rows']:>8,}{row['k']:>4}{figures}")
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
