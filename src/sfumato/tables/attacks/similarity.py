"""Somebody who finds sensitive values among the rows that fit a person that differ, and are all much the same.

The similarity attack of Li, Li & Venkatasubramanian, "t-closeness", ICDE 2007: three low salaries, or three diseases of
the stomach. Values are near by the hierarchy of their column, else by their order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.attack import Success, mean_success, share_success
from sfumato.data.tree import node_heights
from sfumato.data.values import text
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite
from sfumato.tables.attacks.belief_attack import BeliefAttack
from sfumato.tables.attacks.beliefs import Beliefs
from sfumato.tables.attacks.targets import Secret, Targets

__all__ = ["SimilarityAttack"]


@dataclass(frozen=True)
class SimilarityAttack(BeliefAttack):
    """Knows the quasi-identifiers of `people`, and asks whether their value in `sensitive` is known roughly.

    It is where all possible values lie `within` this share of the whole: of the ranks of the column's values, or of the
    height of its hierarchy.

    >>> import sfumato as sf
    >>> sf.SimilarityAttack(within=0.1)
    SimilarityAttack(within=0.1, sensitive=None, people=1000)
    """

    within: float = 0.25
    sensitive: str | None = None
    people: int = 1000

    def __post_init__(self) -> None:
        """Check the parameters."""
        finite("within", self.within, asked="a number above 0 and at most 1", above=0, high=1)
        super().__post_init__()

    def _notes(self, secret: Secret) -> tuple[str, ...]:
        by = "their hierarchy" if _Reach(secret).heights is not None else "their order"
        return (f"values of {secret.name!r} are near by {by}",)

    def _figures(
        self, found: Beliefs, secret: Secret, targets: Targets, suffix: str, said: str, *, near: bool
    ) -> dict[str, Success]:  # fmt: skip
        reach = _Reach(secret)
        all_of_it = reach.of(np.flatnonzero(secret.shares > 0))
        spread = np.array([
            reach.of(found.counts.indices[start:stop])
            for start, stop in zip(found.counts.indptr[:-1], found.counts.indptr[1:], strict=True)
        ])  # fmt: skip
        true = found.own > 0
        return {
            f"near{suffix}": share_success(
                true & (spread <= self.within), float(all_of_it <= self.within),
                f"people whose {secret.name!r} is known to within {self.within:g} of the whole{said}",
            ),
            f"spread{suffix}": mean_success(
                spread, all_of_it, f"how far the values that fit reach, as a part of the whole{said}, on average"
            ),
        }  # fmt: skip


class _Reach:
    """How far a few values lie apart, from 0 (the same) to 1 (the whole order, or the root of the hierarchy)."""

    def __init__(self, secret: Secret) -> None:
        column, values = secret.column, secret.values
        self.heights: NDArray[np.float64] | None = None
        self.missing = values.is_null().to_numpy()
        if column.hierarchy is not None:
            self.tree = column.hierarchy.tree(values.drop_nulls().unique().sort().to_list())
            self.leaf = np.array([-1 if v is None else self.tree.leaf_of[text(v)] for v in values.to_list()])
            self.heights = np.array(node_heights(self.tree))
            return
        if column.order is not None:
            place = {value: i for i, value in enumerate(column.order)}
            self.place = np.array([place.get(str(value), 0) for value in values.to_list()], dtype=np.float64)
            self.last = float(max(len(column.order) - 1, 1))
        elif values.dtype.is_numeric() or values.dtype.is_temporal():
            self.place = (
                values.to_frame("v").select(pl.col("v").rank("dense")).to_series().fill_null(1).to_numpy() - 1.0
            )
            self.last = float(max(self.place.max(initial=0.0), 1.0))
        else:
            raise ParameterError(
                f"column {secret.name!r} has neither an order nor a hierarchy, so that no two of its values are near; "
                f"give it one in the schema, or use HomogeneityAttack"
            )

    def of(self, values: NDArray[np.int64]) -> float:
        """The reach of these values; with a missing one among others, the whole."""
        if len(values) < 2:
            return 0.0
        if self.missing[values].any():
            return 1.0
        if self.heights is not None:
            leaves = self.leaf[values]
            return float(self.heights[self.tree.lowest_cover(int(leaves.min()), int(leaves.max()))])
        places = self.place[values]
        return float(places.max() - places.min()) / self.last
