"""t-closeness: Li, Li & Venkatasubramanian, ICDE 2007, doi:10.1109/ICDE.2007.367856."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from sfumato.errors import ParameterError
from sfumato.privacy.criteria import EMD_ORDERED, EMD_TREE, KL, TOLERANCE, VARIATIONAL, Condition
from sfumato.privacy.promise import Finding, Promise
from sfumato.privacy.sensitive import check_columns, chosen, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sfumato.data.encoding import Coded
    from sfumato.privacy.published import PublishedClasses, SensitiveColumn

__all__ = ["TCloseness"]

Distance: TypeAlias = Literal["emd", "variational", "kl"]


@dataclass(frozen=True)
class TCloseness(Promise):
    """The sensitive values of every class are distributed as in the whole table, within distance t.

    - `emd` (the default), the earth mover's distance: between ordered values (numbers, dates, ordinals) the ground
      distance is that of their ranks over m - 1; under a hierarchy it is the height of the lowest common ancestor
      over that of the tree; between bare categories it is 1, which makes it the variational distance.
    - `variational`: half the sum of the absolute differences.
    - `kl`: Kullback-Leibler divergence of the class from the table, in nats.

    A missing value counts as a value: the lowest of an ordered column, a leaf below the root of a hierarchy.
    """

    t: float
    distance: Distance = "emd"
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check t and the distance."""
        if self.distance not in get_args(Distance):
            raise ParameterError(f"distance must be one of {', '.join(get_args(Distance))}, got {self.distance!r}")
        number = isinstance(self.t, (int, float)) and not isinstance(self.t, bool)
        if not number or not 0 <= self.t < math.inf:
            raise ParameterError(f"t must be a number >= 0, got {self.t!r}")
        check_columns(self.columns)
        if self.distance != "kl" and self.t > 1:
            raise ParameterError(f"t must be at most 1 for the {self.distance} distance, got {self.t!r}")

    def __repr__(self) -> str:
        parts = [f"{self.t:g}"]
        parts += [f"distance={self.distance!r}"] if self.distance != "emd" else []
        parts += [f"columns={self.columns!r}"] if self.columns is not None else []
        return f"TCloseness({', '.join(parts)})"

    def min_size(self) -> int:
        """Any size may do."""
        return 1

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """One per sensitive column, by its shape."""
        result = []
        for s in numbered(self, self.columns, [column.name for column in sensitive]):
            if self.distance == "kl":
                kind = KL
            elif self.distance == "variational" or sensitive[s].shape == "set":
                kind = VARIATIONAL
            else:
                kind = EMD_TREE if sensitive[s].shape == "tree" else EMD_ORDERED
            result.append(Condition(kind, s, self.t))
        return result

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """The whole table as one class is at distance 0, so that every t can be met."""
        numbered(self, self.columns, [column.name for column in sensitive])
        return None

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Compare the histogram of every class with that of all published records."""
        findings = []
        for name in chosen(self, self.columns, classes.sensitive):
            column = classes.column(name)
            whole = column.whole / column.whole.sum()
            farthest, at = 0.0, None
            for first, parts in classes.distributions(name):
                distances = self._distance(parts - whole, parts, whole, column)
                i = int(distances.argmax())
                if at is None or distances[i] > farthest:
                    farthest, at = float(distances[i]), first + i
            findings.append(
                Finding(
                    promise=repr(self), holds=farthest <= self.t + TOLERANCE, value=farthest, worst_class=at,
                    found=f"farthest {classes.noun} at distance {farthest:.4f} on {name!r} in {classes.n_classes:,}",
                )
            )  # fmt: skip
        return findings

    def _distance(
        self, extra: NDArray[np.float64], p: NDArray[np.float64], q: NDArray[np.float64], column: SensitiveColumn
    ) -> NDArray[np.float64]:
        """The distance of every row of `p` from `q`; `extra` is their difference."""
        if self.distance == "kl":
            ratio = np.divide(p, q, out=np.ones_like(p), where=p > 0)
            return np.asarray((p * np.log(ratio)).sum(axis=1))
        if self.distance == "variational" or column.shape == "set":
            return np.asarray(np.maximum(extra, 0).sum(axis=1))
        if column.shape == "range":
            return np.asarray(np.abs(np.cumsum(extra, axis=1))[:, :-1].sum(axis=1) / max(extra.shape[1] - 1, 1))
        return _tree_distance(extra, column)


def _tree_distance(extra: NDArray[np.float64], column: SensitiveColumn) -> NDArray[np.float64]:
    """The paper's way: at each inner node, what its children can settle among themselves costs its height."""
    tree = column.tree
    assert tree is not None
    n_nodes = len(tree.parent)
    surplus = np.zeros((n_nodes + 1, extra.shape[0]))  # the last row: missing values, which hang below the root
    for value, node in enumerate(column.leaf_node):
        surplus[node] += extra[:, value]
    cost = np.zeros(extra.shape[0])
    for node in range(n_nodes - 1, -1, -1):
        children = [*tree.children(node), *([n_nodes] if node == 0 else [])]
        if children and children != [n_nodes]:
            below = surplus[children]
            gain, lack = np.maximum(below, 0).sum(axis=0), np.maximum(-below, 0).sum(axis=0)
            cost += column.heights[node] * np.minimum(gain, lack)
            surplus[node] += gain - lack
    return cost
