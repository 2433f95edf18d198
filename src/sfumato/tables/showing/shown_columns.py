"""The result of showing: published columns and how each is to be read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["ShownColumns", "spread"]


@dataclass(frozen=True, eq=False)
class ShownColumns:
    """Published quasi-identifiers, row by row, and the form (`range`, `set`, `node`, `value`) of each."""

    columns: list[pl.Series]
    forms: dict[str, str]


def spread(
    name: str, labels: list[str | None], label_of_group: NDArray[np.int64], group: NDArray[np.int64]
) -> pl.Series:
    """The label of each row's group."""
    return pl.Series(name, labels, dtype=pl.String).gather(label_of_group[group]).alias(name)
