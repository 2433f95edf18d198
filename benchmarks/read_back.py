"""How many baskets can be read for certain out of a release, as it is published and with the thresholds of old.

    SFUMATO_DATA=FOLDER python -m benchmarks.read_back [--json FILE]

The share of baskets that occur once among 1,000 records drawn at random, means over three seeds, in per cent: the table
of docs/explanation/baskets.md.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import sfumato as sf
from benchmarks.reproduce.baskets.settings import BMS, CHESS, PUMSB, sample
from sfumato.data.published_baskets import PublishedBaskets

RECORDS = 1_000
SEEDS = (1, 2, 3)


def with_thresholds(release: sf.Release) -> sf.Release:
    """The same release with the distance of the farthest original of each group, as earlier versions published it."""
    data: Any = release.data
    owner: Any = release.owner
    own = [frozenset(basket) for basket in owner.original]
    groups = owner.files["edges"]["original"].to_list()
    far = [max(len(frozenset(base) ^ own[i]) for i in rows) for base, rows in zip(data.base, groups, strict=True)]
    return replace(release, data=PublishedBaskets(data.base, data.differs, np.array(far), data.labels))


def shares(baskets: sf.Baskets, k: int, seed: int) -> dict[str, float]:
    """What is read of one release of each kind."""
    promise = sf.KAnonymity(k)
    release = sf.publish(baskets, sf.Grouped(), promise, seed=seed)
    read = sf.attack(release, sf.ReadBack())
    others = {
        "with thresholds": with_thresholds(release),
        "withheld": sf.publish(baskets, sf.Grouped(show="withheld"), promise, seed=seed),
        "windows of a ring": sf.publish(baskets, sf.Nonreciprocal(), promise, seed=seed),
    }
    return {
        "as published": read["once"].value, "not knowing the method": read["once_unaware"].value,
        "bases taken as baskets": read["once_guessed"].value,
        **{name: sf.attack(other, sf.ReadBack())["once"].value for name, other in others.items()},
    }  # fmt: skip


def main() -> None:
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    target = parser.parse_args().json
    found = []
    for name in (BMS, CHESS, PUMSB):
        baskets = sample(name, RECORDS)
        for k in (2, 3, 5, 8):
            rows = [shares(baskets, k, seed) for seed in SEEDS]
            found.append({"data": name, "k": k, **{key: float(np.mean([row[key] for row in rows])) for key in rows[0]}})
            print(name, k, {key: f"{100 * found[-1][key]:.1f}%" for key in rows[0]}, flush=True)
    if target is not None:
        target.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
