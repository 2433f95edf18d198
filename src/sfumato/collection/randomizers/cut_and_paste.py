"""Cut-and-paste: a few items of a set are cut out, and all others, those left in the set among them, come in by chance.

Evfimievski, Srikant, Agrawal & Gehrke, "Privacy preserving mining of association rules", KDD 2002. The number to cut is
uniform on 0..K, or m where that is less. As items of the set may be pasted again it is select-a-size with
p[j] = sum_i C(m - i, j - i) rho^(j - i) (1 - rho)^(m - j) w_i over i <= min(K, j), where w_i = 1/(K + 1), and
1 - m/(K + 1) for i = m <= K: all that is learnt and promised follows from there.

Draws for one answer: a whole number below K + 1, then as `itemsets.py` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.draws import Draws
from sfumato.collection.randomizers.itemsets import ItemsetRandomizer
from sfumato.collection.reconstruction.item_kernel import cut_and_paste_law
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import told, whole

__all__ = ["CutAndPaste"]

_MOST_CUTOFF = 1_000


@dataclass(frozen=True)
class CutAndPaste(ItemsetRandomizer):
    """Keep at most `cutoff` items of a set out of `items`, and let every other one come in with probability `rho`.

    `sizes` are the numbers of items that sets may have. Itemsets of up to `itemset_size` items can be learnt;
    parameters that forbid it are refused. The size of a set is public, unless sets are `padded`: then there is one
    size, the largest.

    >>> from sfumato import collection
    >>> asked = collection.CutAndPaste(items=list("abcdef"), sizes=[2, 3], cutoff=2, rho=0.2)
    >>> asked.privacy
    Privacy(epsilon 3.43399, gamma 31)
    >>> [round(each, 6) for each in asked.eigenvalues[3]]
    [1.0, 0.266667, 0.071111]
    """

    says: ClassVar[str] = "You report a few of the items that you have, and any of the others by chance."
    pastes_inside: ClassVar[bool] = True

    items: tuple[str, ...]
    sizes: tuple[int, ...]
    cutoff: int
    rho: float
    itemset_size: int = 2
    padded: bool = False

    def __post_init__(self) -> None:
        """Check the items, the sizes and the cutoff, and that itemsets can be learnt from the reports."""
        self.check_shared()
        if whole("cutoff", self.cutoff, least=1) > _MOST_CUTOFF:
            raise ParameterError(f"cutoff must be at most {_MOST_CUTOFF:,}, got {self.cutoff:,}")
        if self.cutoff < self.itemset_size:
            raise ParameterError(
                f"cutoff must be at least itemset_size, {self.itemset_size}, got {self.cutoff}: of more items than are "
                f"ever cut together nothing can be learnt"
            )
        object.__setattr__(self, "sizes", _checked_sizes(self.sizes))
        self.check_learnable()

    def law(self, m: int) -> tuple[Fraction, ...]:
        """With which probabilities 0, ..., m items of a set of m items are in its report; exact."""
        return cut_and_paste_law(m, self.cutoff, self.chance)

    def keeps(self, m: int, n: int, draws: Draws) -> NDArray[np.int64]:
        """Draw for each of `n` sets of m items how many to keep."""
        return np.minimum(draws.integers(self.cutoff + 1, n), m)

    @property
    def shipped(self) -> dict[str, Any]:
        """The cutoff, the threshold of the other items, the sizes, and the items."""
        return {
            "kind": "cut-and-paste", "cutoff": self.cutoff, "rho": self.threshold, "padded": self.padded,
            "sizes": list(self.sizes), "items": list(self.items),
        }  # fmt: skip


def _checked_sizes(sizes: Any) -> tuple[int, ...]:
    """Sizes of sets: whole numbers, rising, each once."""
    listed = sizes.tolist() if isinstance(sizes, np.ndarray) else sizes
    if not isinstance(listed, (list, tuple, range)) or not listed:
        raise ParameterError(f"sizes must be a list of the numbers of items that sets may have, got {told(sizes)}")
    for each in listed:
        whole("each of sizes", each, least=0)
    if len(set(listed)) < len(listed):
        raise ParameterError("each of sizes stands there once, and one is there twice")
    return tuple(sorted(listed))
