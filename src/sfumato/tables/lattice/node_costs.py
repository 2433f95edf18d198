"""What a node of the lattice costs: the measures that a search can minimise.

Each is known, or bounded from below, before the classes are formed. The global certainty penalty, the loss, the entropy
and the height add up over columns; discernibility needs the classes. None falls when a node is generalised further
without suppressing more, which is what searches rely on.

The loss is that of Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002, as ARX counts it with the
arithmetic mean as its aggregate function.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.tables.coding.levels import Levels

__all__ = ["LatticeMeasure", "cell_costs", "column_costs"]

LatticeMeasure: TypeAlias = Literal["gcp", "loss", "entropy", "discernibility", "height"]


def cell_costs(measure: str, levels: Levels) -> Levels:
    """The levels with what showing a code costs by the measure, where it is one that counts cell by cell.

    Under `loss` that is (leaves shown alike - 1) / (all leaves - 1), by the leaves that the level itself shows alike:
    they can be fewer than those below a node that some lines come to sooner than others. Everything costs 1 at the top.
    """
    if measure != "loss":
        return levels
    loss = levels.loss.copy()
    ends = [*levels.offset[1:, 0].tolist(), len(loss)]
    for c, (top, end) in enumerate(zip(levels.tops.tolist(), ends, strict=True)):
        n_leaves = (end - int(levels.offset[c, 0])) // (top + 1) - 1  # at each level a missing value comes first
        for at in levels.offset[c, :top].tolist():
            alike = levels.part[at + 1 : at + 1 + n_leaves]
            loss[at + 1 : at + 1 + n_leaves] = (np.bincount(alike)[alike] - 1) / max(n_leaves - 1, 1)
    return levels._replace(loss=loss)


def column_costs(measure: str, levels: Levels, codes: NDArray[np.int32]) -> list[NDArray[np.float64]]:
    """For every column, what each of its levels costs a record on average; `codes` has a row for each record.

    - `gcp` and `loss`: what its cells cost, by the weights of the columns (see `cell_costs`);
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
            if measure in ("gcp", "loss"):
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
