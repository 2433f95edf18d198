"""What a node of the lattice costs: the measures that a search can minimise.

Each is known, or bounded from below, before the classes are formed. The global certainty penalty, the entropy and the
height add up over columns; discernibility needs the classes. None falls when a node is generalised further without
suppressing more, which is what searches rely on.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.tables.coding.levels import Levels

__all__ = ["LatticeMeasure", "column_costs"]

LatticeMeasure: TypeAlias = Literal["gcp", "entropy", "discernibility", "height"]


def column_costs(measure: str, levels: Levels, codes: NDArray[np.int32]) -> list[NDArray[np.float64]]:
    """For every column, what each of its levels costs a record on average; `codes` has a row for each record.

    - `gcp`: the loss, by the weights of the columns;
    - `entropy`: the information lost on which value a record has, over that of the column (non-uniform entropy);
    - `height`: the level over the highest of all columns together;
    - `discernibility`: nothing, as it depends on the classes.
    """
    costs = []
    n = max(len(codes), 1)
    for c, top in enumerate(levels.tops.tolist()):
        cost = np.zeros(top + 1)
        counts: NDArray[np.int64] = np.bincount(codes[:, c] + 1, minlength=1)
        for level in range(top + 1):
            at = levels.offset[c, level]
            if measure == "gcp":
                cost[level] = levels.weight[c] * (levels.loss[at : at + len(counts)] @ counts) / n
            elif measure == "entropy":
                cost[level] = levels.weight[c] * _entropy_lost(counts, levels.part[at : at + len(counts)])
            elif measure == "height":
                cost[level] = level / max(int(levels.tops.sum()), 1)
        costs.append(np.maximum.accumulate(cost))
    return costs


def _entropy_lost(counts: NDArray[np.int64], part: NDArray[np.int32]) -> float:
    """The share of a column's entropy that is lost when only the part of each value is shown."""
    whole = np.bincount(part, counts)
    seen = counts > 0
    lost = float(counts[seen] @ np.log(whole[part[seen]] / counts[seen]))
    most = float(counts[seen] @ np.log(counts.sum() / counts[seen]))
    return lost / most if most > 0 else 0.0
