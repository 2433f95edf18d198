"""What published randomizers do, from the whole numbers that they were published with.

For every kind of draw: how far the probabilities of a report can lie apart under two answers (gamma, exact), and which
reports can be drawn at all. It is worked out here from the law of the draw, and shares nothing with the code that draws
but the names of the numbers; a kind that is not listed here cannot be checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.ground.errors import DataError
from sfumato.published.collection.category_kernels import CATEGORIES
from sfumato.published.collection.itemset_kernels import ITEMSETS
from sfumato.published.collection.kernel_parts import Kernel
from sfumato.published.collection.number_kernels import NUMBERS

__all__ = ["KERNELS", "kernel_of", "whole_numbers"]

KERNELS: dict[str, Kernel] = {**CATEGORIES, **NUMBERS, **ITEMSETS}
"""Every kind of draw that can be checked."""


def kernel_of(said: Any) -> Kernel:
    """The kernel of a published randomizer; refused where its kind is not known."""
    kind = said.get("kind") if isinstance(said, Mapping) else None
    if not isinstance(kind, str) or kind not in KERNELS:
        raise DataError(
            "the release names a randomizer of a kind that cannot be checked here; it may need a newer sfumato"
        )
    return KERNELS[kind]


def whole_numbers(column: pl.Series, least: int, most: int) -> NDArray[np.int64] | None:
    """A column of reports as whole numbers; None where one is missing, or beyond its limits."""
    if not column.dtype.is_integer() or column.null_count():
        return None
    numbers = column.cast(pl.Int64, strict=False)
    if numbers.null_count() or not numbers.is_between(least, most).all():
        return None
    return numbers.to_numpy()
