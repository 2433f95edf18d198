"""k^m-anonymity of set-valued data: Terrovitis, Mamoulis & Kalnis, PVLDB 1(1), 2008."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError
from sfumato.privacy.promise import Finding, OfSize

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.criteria import Condition
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["KMAnonymity"]


@dataclass(frozen=True)
class KMAnonymity(OfSize):
    """Any set of at most m items that some published record holds is held by at least k of them.

    Somebody who knows up to m items of a person's basket finds no fewer than k records that hold them. It says nothing
    of somebody who knows more items, or which items the person does not have, and nothing of labels.
    """

    k: int
    m: int

    def __post_init__(self) -> None:
        """Check k and m."""
        self._check_k(1)
        if isinstance(self.m, bool) or not isinstance(self.m, int) or self.m < 1:
            raise ParameterError(f"m must be a whole number >= 1, got {self.m!r}")

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """None can be given: a basket has no class."""
        raise self._of_baskets()

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Not on classes of a table."""
        raise self._of_baskets()

    def _of_baskets(self) -> ParameterError:
        return ParameterError(f"{self!r} is about baskets, and this is a table; promise KAnonymity({self.k}) instead")
