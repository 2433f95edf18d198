"""OpenDP's counts with discrete Laplace noise: the one place that draws it.

OpenDP (opendp.org) draws exactly, on whole numbers, from the system's generator. Its own map from a distance between
data to epsilon is held against what a release declares before anything is drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError
from sfumato.ground.optional import load_optional

__all__ = ["OpenDPCounts"]


class OpenDPCounts:
    """OpenDP's measurements of a list of keys, for neighbours that are so many records apart."""

    def __init__(self, distance: int) -> None:
        self.dp: Any = load_optional("opendp.prelude", to="NoisyCounts", install="sfumato[dp]")
        self.dp.enable_features("contrib")
        self.distance = distance

    def counts(self, codes: NDArray[np.int64], n_keys: int, scale: float) -> list[int]:
        """The counts of the codes 0, 1, ..., and last that of all others, each with a draw of this scale."""
        dp = self.dp
        space = dp.vector_domain(dp.atom_domain(T=dp.i64)), dp.symmetric_distance()
        counting = space >> dp.t.then_count_by_categories(
            categories=list(range(n_keys)), null_category=True, TOA=dp.i64
        )  # fmt: skip
        made = counting >> dp.m.then_laplace(scale=scale)
        self.refuse_other_epsilon(made.map(self.distance), scale)
        return list(made(codes))

    def found(self, keys: list[str], scale: float, threshold: int) -> dict[str, int]:
        """The counts of the keys that there are, each with a draw of this scale, where they reach the threshold."""
        dp = self.dp
        space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
        made = space >> dp.t.then_count_by(TV=dp.i64) >> dp.m.then_laplace_threshold(scale=scale, threshold=threshold)
        self.refuse_other_epsilon(made.map(self.distance)[0], scale)
        return dict(made(keys))

    def refuse_other_epsilon(self, epsilon: float, scale: float) -> None:
        """Refuse a library that says it spends something else than distance / scale, which the release declares."""
        declared = self.distance / scale
        if not declared * (1 - 1e-12) <= epsilon <= declared * (1 + 1e-12):
            raise DataError(
                f"this opendp spends epsilon {epsilon:g} where {declared:g} was to be spent; nothing was published"
            )
