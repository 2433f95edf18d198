"""k^m-anonymity of set-valued data: Terrovitis, Mamoulis & Kalnis, PVLDB 1(1), 2008."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import whole
from sfumato.privacy.option import Option
from sfumato.privacy.promise import Finding, OfSize

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.conditions import Condition
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["KMAnonymity"]


@dataclass(frozen=True)
class KMAnonymity(OfSize):
    """Any set of at most m items that some published record holds is held by at least k of them.

    Somebody who knows up to m items of a person's basket finds no fewer than k records that hold them. It says nothing
    of somebody who knows more items, or which items the person does not have, and nothing of labels.

    >>> import sfumato as sf
    >>> baskets = sf.Baskets.from_lists([["milk", "tea"], ["milk"], ["tea", "rice"], ["milk", "rice"]] * 5)
    >>> sf.publish(baskets, sf.Apriori(), sf.KMAnonymity(2, 2), seed=1)
    Release(20 rows, Apriori, KMAnonymity(k=2, m=2) holds)
    """

    speaks_of = "classes"
    kept_by = "Apriori"
    of = frozenset({"baskets"})
    option = Option(
        flag="--m", help="k^m-anonymity of baskets, with --k: how many items may be known.", type=int, takes=("--k",),
        alone="--m speaks of k^m-anonymity; give --k too", place=60,
    )  # fmt: skip

    k: int
    m: int

    def __post_init__(self) -> None:
        """Check k and m."""
        self._check_k(1)
        whole("m", self.m, least=1)

    @property
    def name(self) -> str:
        """As in `5^2-anonymity`."""
        return f"{self.k:,}^{self.m:,}-anonymity"

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """Refused: a basket has no class."""
        raise self._baskets_only_error()

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """What it means for the people whose sets of items are published."""
        return (
            f"Whoever knows up to {self.m:,} items of a person’s basket finds at least {self.k:,} published records "
            f"that have them all."
        )

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Refused: the check of baskets counts sets of items, and there are no classes of a table."""
        raise self._baskets_only_error()

    def _baskets_only_error(self) -> ParameterError:
        return ParameterError(f"{self!r} is about baskets, and this is a table; promise KAnonymity({self.k}) instead")
