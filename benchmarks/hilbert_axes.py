"""How the axes of the Hilbert curve are laid out, and what each choice costs on real data.

    SFUMATO_DATA=FOLDER python -m benchmarks.hilbert_axes [--json FILE]

GCP at k = 5, 10, 50 for: codes as they are; every axis over the full range of the cube, as in the paper, with values
evenly apart, at 4 and 9 bits, with categories in alphabetical order or by frequency; values as far apart as mixing
them loses; the same with axes as long as the square root of their average step; and `Hilbert()`, where hierarchies
have a layout of their own, too.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.loss import tables
from sfumato.ground.curve import hilbert_keys, radix_order
from sfumato.tables.coding.columns import SET, Columns, flatten
from sfumato.tables.grouping.axes import average_steps, value_steps
from sfumato.tables.grouping.cutting.k_optimal import optimal_starts
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job

Axes = Callable[[Columns], tuple[NDArray[np.uint32], int]]


@dataclass(frozen=True)
class Variant(GroupingMethod, register=False):
    """Hilbert with other axes."""

    axes: Axes
    show: str = "ranges"

    def to_dict(self) -> dict[str, Any]:
        return {"name": "Variant"}

    def groups(self, job: Job) -> Groups:
        columns = flatten(job.quasi)
        order = radix_order(hilbert_keys(*self.axes(columns)))
        ordered = columns._replace(codes=np.ascontiguousarray(columns.codes[:, order]))
        return Groups(order, optimal_starts(ordered, job.promise.min_size(), np.inf))


def raw(columns: Columns) -> tuple[NDArray[np.uint32], int]:
    """Codes as they are: a column of few values moves in a corner of the cube."""
    return np.maximum(columns.codes, 0).astype(np.uint32), int(columns.n_codes.max()).bit_length()


def full_range(bits: int, *, by_frequency: bool = False, by_loss: bool = False) -> Axes:
    """Every axis from end to end."""

    def axes(columns: Columns) -> tuple[NDArray[np.uint32], int]:
        result = np.empty(columns.codes.shape, dtype=np.uint32)
        for c in range(len(columns.shape)):
            place = np.arange(columns.n_codes[c], dtype=np.float64)
            if by_loss:
                steps = value_steps(columns, c)[int(columns.has_missing[c]) :]
                place = np.concatenate([[0.0], np.cumsum(steps)])
            if by_frequency and columns.shape[c] == SET:
                counts = np.bincount(columns.codes[c], minlength=columns.n_codes[c])
                place = np.argsort(np.argsort(-counts, kind="stable")).astype(np.float64)
            cell = np.rint(place / max(place.max(), 1e-12) * (2**bits - 1)).astype(np.uint32)
            result[c] = cell[np.maximum(columns.codes[c], 0)]
        return result, bits

    return axes


def by_average_step(columns: Columns) -> tuple[NDArray[np.uint32], int]:
    """Values (leaves, too) spaced by the loss of mixing neighbours; axes as long as the root of the average step."""
    lengths, bits = np.sqrt(average_steps(columns)), max(1, 128 // len(columns.shape))
    result = np.empty(columns.codes.shape, dtype=np.uint32)
    for c, length in enumerate(lengths / lengths.max()):
        place = np.concatenate([[0.0], np.cumsum(value_steps(columns, c))])
        cell = np.rint(place / max(place[-1], 1e-12) * length * (2 ** min(bits, 31) - 1)).astype(np.uint32)
        result[c] = cell[columns.codes[c] + int(columns.has_missing[c])]
    return result, min(bits, 31)


VARIANTS: dict[str, GroupingMethod] = {
    "codes as they are": Variant(raw),
    "full range, 4 bits": Variant(full_range(4)),
    "full range, 9 bits (as in the paper)": Variant(full_range(9)),
    "full range, 9 bits, by frequency": Variant(full_range(9, by_frequency=True)),
    "full range, 9 bits, spaced by loss": Variant(full_range(9, by_loss=True)),
    "spaced by loss, as long as the average step": Variant(by_average_step),
    "Hilbert()": sf.Hilbert(),
    "Mondrian(), beside it": sf.Mondrian(),
}


def main() -> None:
    """Print a table, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    if "SFUMATO_DATA" not in os.environ:
        sys.exit("set SFUMATO_DATA to the folder of the evaluation data")
    data = tables(Path(os.environ["SFUMATO_DATA"]) / "relational")
    data["Made-up hospital, 2,000 rows"] = sf.datasets.hospital(2_000)
    found = []
    for name, table in data.items():
        print(f"{name} ({len(table):,} rows)")
        for label, method in VARIANTS.items():
            row: dict[str, Any] = {"data": name, "axes": label}
            for k in (5, 10, 50):
                release = sf.publish(table, method, sf.KAnonymity(k), seed=1)
                row[f"k={k}"] = sf.measure(release, table, n_queries=1)["gcp"]
            print(f"  {label:<44}" + "".join(f"{row[f'k={k}']:>9.4f}" for k in (5, 10, 50)))
            found.append(row)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
