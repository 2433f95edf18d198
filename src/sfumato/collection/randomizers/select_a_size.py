"""Select-a-size: how many items of a set are kept is drawn first, then which; every other item comes in by chance.

Evfimievski, Srikant, Agrawal & Gehrke, "Privacy preserving mining of association rules", KDD 2002. With p[j] the
probability of keeping j of m items and rho that of an item outside, a report that shows j items of the set has a
probability in proportion to w_j = p[j] / C(m, j) ((1 - rho) / rho)^j, and gamma is the largest ratio of two of them.

Draws for one answer: a number below 2**53 for how many to keep, then as `itemsets.py` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.draws import WHOLE, Draws, decimals_of, weights_of
from sfumato.collection.randomizers.itemsets import ItemsetRandomizer
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import is_number, told

__all__ = ["SelectASize"]


@dataclass(frozen=True)
class SelectASize(ItemsetRandomizer):
    """Keep some items of a set out of `items`, and let every item outside come in with probability `rho`.

    `keep` has the probabilities of keeping 0, 1, ..., m items of a set of m items: one list for each size m that sets
    may have, or a single list. Itemsets of up to `itemset_size` items can be learnt; parameters that forbid it are
    refused. The size of a set is public, unless sets are `padded`: then there is one list, for the largest size.

    >>> from sfumato import collection
    >>> asked = collection.SelectASize(items=list("abcdef"), keep=[0.1, 0.3, 0.6], rho=0.2)
    >>> asked.privacy
    Privacy(epsilon 4.56435, gamma 96)
    >>> found = asked.estimate(asked.randomize([["a", "b"]] * 800 + [["c", "d"]] * 200, seed=1))
    >>> found.support(["a", "b"]).low < 0.8 < found.support(["a", "b"]).high
    True
    """

    says: ClassVar[str] = "You report some of the items that you have, and others that you do not have."
    pastes_inside: ClassVar[bool] = False

    items: tuple[str, ...]
    keep: tuple[tuple[float, ...], ...]
    rho: float
    itemset_size: int = 2
    padded: bool = False

    def __post_init__(self) -> None:
        """Check the items and the probabilities, and that itemsets can be learnt from the reports."""
        self.check_shared()
        object.__setattr__(self, "keep", _checked_keep(self.keep))
        self.check_learnable()

    @property
    def sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The numbers of items that a set may have; where sets are padded, the number they are padded to."""
        return tuple(len(row) - 1 for row in self.keep)

    @cached_property
    def weights(self) -> dict[int, list[int]]:
        """By size, the probabilities of keeping 0, 1, ... items as whole numbers over 2**53."""
        return {len(row) - 1: weights_of(decimals_of(row)) for row in self.keep}

    def law(self, m: int) -> tuple[Fraction, ...]:
        """With which probabilities 0, ..., m items of a set of m items are in its report; exact."""
        return tuple(Fraction(weight, WHOLE) for weight in self.weights[m])

    def keeps(self, m: int, n: int, draws: Draws) -> NDArray[np.int64]:
        """Draw for each of `n` sets of m items how many to keep."""
        sums = np.cumsum(np.array(self.weights[m], dtype=np.int64))
        return draws.places(np.broadcast_to(sums, (n, m + 1)))

    @property
    def shipped(self) -> dict[str, Any]:
        """The sums of the weights by size, the threshold of the items outside, and the items."""
        sums = {str(m): np.cumsum(np.array(row, dtype=np.int64)).tolist() for m, row in self.weights.items()}
        return {
            "kind": "select-a-size", "sums": sums, "rho": self.threshold, "padded": self.padded,
            "items": list(self.items),
        }  # fmt: skip


def _checked_keep(keep: Any) -> tuple[tuple[float, ...], ...]:
    """A list of probabilities for each size of sets, by rising size."""
    rows = keep.tolist() if isinstance(keep, np.ndarray) else keep
    if not isinstance(rows, (list, tuple)) or not rows:
        raise ParameterError(f"keep must be a list of the probabilities of keeping 0, 1, ... items, got {told(keep)}")
    rows = rows if isinstance(rows[0], (list, tuple)) else [rows]
    for row in rows:
        if not isinstance(row, (list, tuple)) or not row or not all(is_number(each) and each >= 0 for each in row):
            raise ParameterError(f"keep must have the probabilities of keeping 0, 1, ... items, got {told(row)}")
        if abs(sum(row) - 1.0) > 1e-9:
            raise ParameterError(
                f"the probabilities for sets of {len(row) - 1} items must sum to 1, got {sum(row):.12g}"
            )
    if len({len(row) for row in rows}) < len(rows):
        raise ParameterError("keep must have one list for each size of sets, and two have the same size")
    return tuple(sorted((tuple(map(float, row)) for row in rows), key=len))
