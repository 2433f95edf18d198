"""The orders that `Nonreciprocal` and `Grouped` choose from: each is a class with one method, `order`.

Records near each other in the order stand for each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.orders.gray import frequency_ranks, gray_order
from sfumato.baskets.orders.gray_tsp import polish_segments
from sfumato.baskets.orders.windowed import polish_windows
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole

__all__ = ["Gray", "GrayTSP", "Order", "Windowed"]

_GRAY = 0.05  # the share of its time that an order takes for the Gray order it starts from


class Order(Protocol):
    """A way to lay records on a ring."""

    def order(self, baskets: Baskets, k: int, random: Randomness, share: Share = tell_nobody) -> NDArray[np.int64]:
        """The record at each position, where published records stand for k records in a row."""
        ...


@dataclass(frozen=True, kw_only=True)
class Gray:
    """Records by their rank in the reflected binary code (Ghinita, Tao & Kalnis, ICDE 2008)."""

    by_frequency: bool = True
    """Whether the most frequent items are the highest bits; else items are bits in the order of their numbers."""

    def order(self, baskets: Baskets, k: int, random: Randomness, share: Share = tell_nobody) -> NDArray[np.int64]:
        """The record at each position; `k` and `random` are not used."""
        return gray_order(baskets, frequency_ranks(baskets) if self.by_frequency else None)


@dataclass(frozen=True, kw_only=True)
class GrayTSP:
    """The Gray order, cut into segments that are shortened as paths with fixed ends (Xue's thesis, section 3.6.1)."""

    least: int = 100
    """The least number of records in a segment."""
    most: int = 150
    """The most; where no such segments make up the whole, 2 x least - 1."""
    by_frequency: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.most:
            raise ParameterError(
                f"segments need 1 <= least <= most records, got least={self.least} and most={self.most}"
            )

    def order(self, baskets: Baskets, k: int, random: Randomness, share: Share = tell_nobody) -> NDArray[np.int64]:
        """The record at each position; `k` and `random` are not used."""
        start = Gray(by_frequency=self.by_frequency).order(baskets, k, random)
        share(_GRAY)
        return polish_segments(baskets, start, self.least, self.most, portion(share, _GRAY, 1.0))


@dataclass(frozen=True, kw_only=True)
class Windowed:
    """The Gray order polished for all distances that a ring of k pays, not only for those between neighbours."""

    neighbours: int = 10
    """How many near records each one is tried beside."""
    sweeps: int = 30
    """How often all records are gone through at most; it ends earlier when a sweep gains less than 0.1 %."""
    by_frequency: bool = True
    """Which Gray order it starts from, and is never worse than."""

    def __post_init__(self) -> None:
        whole("neighbours", self.neighbours, least=1)
        whole("sweeps", self.sweeps, least=0)

    def order(self, baskets: Baskets, k: int, random: Randomness, share: Share = tell_nobody) -> NDArray[np.int64]:
        """The record at each position; `random` draws which records are compared with each other."""
        start = Gray(by_frequency=self.by_frequency).order(baskets, k, random)
        share(_GRAY)
        return polish_windows(
            baskets, start, k, random, neighbours=self.neighbours, sweeps=self.sweeps, share=portion(share, _GRAY, 1.0)
        )
