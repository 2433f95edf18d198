"""Ninety baskets of goods in files: one record a line with labels apart, and a long table."""

import numpy as np
import polars as pl

GOODS = ["apples", "bread", "cheese", "eggs", "milk", "rice", "salt", "tea"]
LONG = ["--baskets", "long", "--record", "customer", "--item", "good", "--label", "why"]
"""How the long table is read."""


def write_goods(folder):
    rng = np.random.default_rng(3)
    records = [sorted(rng.choice(8, rng.integers(1, 6), replace=False).tolist()) for _ in range(90)]
    labels = [f"reason {i % 6}" for i in range(90)]
    (folder / "goods.dat").write_text("\n".join(" ".join(map(str, record)) for record in records) + "\n")
    (folder / "labels.txt").write_text("\n".join(labels) + "\n")
    rows = [(f"c{i}", GOODS[j], labels[i]) for i, record in enumerate(records) for j in record]
    pl.DataFrame(rows, schema=["customer", "good", "why"], orient="row").write_csv(folder / "goods.csv")
