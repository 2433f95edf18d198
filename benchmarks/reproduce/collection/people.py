"""Made-up people and the five functions that divide them into groups A and B.

The attributes are those of the generator of Agrawal, Imielinski & Swami (IEEE TKDE 5(6), 1993), as the paper takes
them; the functions F1 to F5 are a list of its own, and not the first five of the generator.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BOUNDS", "FUNCTIONS", "people"]

BOUNDS: dict[str, tuple[float, float]] = {
    "salary": (20_000, 150_000), "commission": (0, 75_000), "age": (20, 80), "elevel": (0, 4), "car": (1, 20),
    "zipcode": (0, 8), "hvalue": (50_000, 1_350_000), "hyears": (1, 30), "loan": (0, 500_000),
}  # fmt: skip


def people(n: int, seed: int) -> dict[str, NDArray[np.float64]]:
    """Columns of made-up people."""
    rng = np.random.default_rng(seed)
    salary = rng.uniform(20_000, 150_000, n)
    zipcode = rng.integers(0, 9, n)
    return {
        "salary": salary, "commission": np.where(salary >= 75_000, 0.0, rng.uniform(10_000, 75_000, n)),
        "age": rng.uniform(20, 80, n), "elevel": rng.integers(0, 5, n).astype(float),
        "car": rng.integers(1, 21, n).astype(float), "zipcode": zipcode.astype(float),
        "hvalue": rng.uniform(0.5, 1.5, n) * 100_000 * (9 - zipcode), "hyears": rng.integers(1, 31, n).astype(float),
        "loan": rng.uniform(0, 500_000, n),
    }  # fmt: skip


def _between(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.bool_]:
    return np.asarray((values >= low) & (values <= high))


def _f1(p: dict[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    return np.asarray((p["age"] < 40) | (p["age"] >= 60))


def _f2(p: dict[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    young, old = p["age"] < 40, p["age"] >= 60
    salary = p["salary"]
    return np.asarray(
        (young & _between(salary, 50_000, 100_000)) | (~young & ~old & _between(salary, 75_000, 125_000))
        | (old & _between(salary, 25_000, 75_000))
    )  # fmt: skip


def _f3(p: dict[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    young, old, level, salary = p["age"] < 40, p["age"] >= 60, p["elevel"], p["salary"]
    low, middle, high = (
        _between(salary, 25_000, 75_000), _between(salary, 50_000, 100_000), _between(salary, 75_000, 125_000),
    )  # fmt: skip
    return np.asarray(
        (young & ((_between(level, 0, 1) & low) | (_between(level, 2, 3) & middle)))
        | (~young & ~old & ((_between(level, 1, 3) & middle) | ((level == 4) & high)))
        | (old & (((level == 4) & middle) | ((level == 1) & low)))
    )


def _f4(p: dict[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    return np.asarray(0.67 * (p["salary"] + p["commission"]) - 0.2 * p["loan"] - 10_000 > 0)


def _f5(p: dict[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    equity = 0.1 * p["hvalue"] * np.maximum(p["hyears"] - 20, 0)
    return np.asarray(0.67 * (p["salary"] + p["commission"]) - 0.2 * p["loan"] + 0.2 * equity - 10_000 > 0)


FUNCTIONS = {"F1": _f1, "F2": _f2, "F3": _f3, "F4": _f4, "F5": _f5}
