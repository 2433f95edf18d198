"""Tables for the tests of distribution-based anonymization."""

from __future__ import annotations

import numpy as np
import polars as pl

import sfumato as sf

FIGURE_1 = pl.DataFrame(
    {
        "name": ["Alice", "Bob", "Carol", "Debra", "Elaine", "Grace", "Helen", "Jason", "Kyle", "Leo", "Nancy"],
        "zipcode": [91110, 91110, 91110, 91130, 91210, 91220, 91240, 91310, 91320, 91330, 91340],
        "gender": list("FMMFFFFMMMF"),
        "area": ["911"] * 4 + ["912"] * 3 + ["913"] * 4,
        "salary": [30, 40, 50, 60, 40, 30, 50, 40, 60, 60, 60],
    }
)
SCHEMA = sf.Schema(identifier=["name"], quasi=["zipcode", "gender"], plain=["area"], sensitive=["salary"])
TABLE = sf.Table(FIGURE_1, SCHEMA)


def random_table(n=60, seed=5, values=8, **schema):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {"age": rng.integers(20, 40, n), "town": rng.choice(list("abc"), n), "pay": rng.integers(1, values + 1, n)}
    )
    return sf.Table(frame, sf.Schema(**({"quasi": ["age", "town"], "sensitive": ["pay"]} | schema)))


def table_of(frame, **schema):
    return sf.Table(pl.DataFrame(frame), sf.Schema(**schema))
