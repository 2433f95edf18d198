"""A census-like table of any size, with the shape of the one in the TODS paper: skewed, correlated categories.

Seven quasi-identifiers (age, sex, education, marital status, race, work class, country) and a sensitive occupation
with 50 values.
"""

from __future__ import annotations

import functools

import numpy as np
import polars as pl
from numpy.typing import NDArray

import sfumato as sf
from sfumato.ground.randomness import Randomness

__all__ = ["QUASI", "census"]

QUASI = ["age", "sex", "education", "marital", "race", "workclass", "country"]


def _pick(u: NDArray[np.float64], n: int, skew: float, shift: NDArray[np.int64] | int = 0) -> NDArray[np.int64]:
    """Zipf-like values below n, rotated by `shift`."""
    weights = 1.0 / np.arange(1, n + 1) ** skew
    edges = np.cumsum(weights / weights.sum())
    return (np.minimum(np.searchsorted(edges, u), n - 1) + shift) % n


@functools.cache
def census(rows: int) -> sf.Table:
    """`rows` made-up people, the same every time."""
    random = Randomness(2009)

    def u(label: str) -> NDArray[np.float64]:
        return random.spawn(label).uniform(rows)

    age = np.clip(16 + 78 * np.sqrt(u("age")) * u("age2"), 16, 94).astype(np.int64)
    education = np.clip(_pick(u("edu"), 17, 0.6) - (age < 22) * 6, 0, 16)
    marital = np.where(age < 24, 0, 1 + _pick(u("mar"), 5, 1.1))
    race = _pick(u("race"), 9, 1.9)
    country = np.where(u("native") < 0.82, 0, _pick(u("country"), 83, 0.9, race * 7))
    workclass = _pick(u("work"), 10, 1.0, (education > 12).astype(np.int64))
    occupation = _pick(u("job"), 50, 0.4, education)
    frame = pl.DataFrame({
        "age": age,
        "sex": pl.Series(["female", "male"]).gather((u("sex") < 0.52).astype(np.int64)),
        "education": education,
        "marital": pl.Series([f"marital {i}" for i in range(6)]).gather(marital),
        "race": pl.Series([f"race {i}" for i in range(9)]).gather(race),
        "workclass": pl.Series([f"work class {i}" for i in range(10)]).gather(workclass),
        "country": pl.Series([f"country {i:02}" for i in range(83)]).gather(country),
        "occupation": pl.Series([f"occupation {i:02}" for i in range(50)]).gather(occupation),
    })  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=QUASI, sensitive=["occupation"]))
