"""k-anonymity: Samarati, TKDE 2001; Sweeney, IJUFKS 2002."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.privacy.option import Option
from sfumato.privacy.promise import Finding, OfSize
from sfumato.privacy.words import counted, join_names

if TYPE_CHECKING:
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["KAnonymity"]


@dataclass(frozen=True)
class KAnonymity(OfSize):
    """Every record shares its quasi-identifiers with at least k - 1 others.

    Somebody who knows a person's quasi-identifiers finds them with probability at most 1/k. It says nothing
    of what the k have in common: see `LDiversity`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(200), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    Release(200 rows, Mondrian, KAnonymity(k=5) holds)
    """

    speaks_of = "classes"
    of = frozenset({"table", "baskets"})
    kept_by_groups = True
    option = Option(flag="--k", help="k-anonymity: the least size of a class.", whole=True, place=10)

    k: int

    def __post_init__(self) -> None:
        """Check k."""
        self._check_k(1)

    @property
    def name(self) -> str:
        """As in `5-anonymity`."""
        return f"{self.k:,}-anonymity"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """How many look the same; where rows are drawn from groups, how many a row may stand for."""
        if self.k == 1:
            return "Nothing is asked of the classes: with k = 1 a record may stand alone."
        known = join_names(quasi, "or") or "quasi-identifiers"
        if noun == "group":
            return (
                f"Every row was drawn from the statistics of a group of at least {self.k:,} records, in which "
                f"nobody counts for more than another: whoever knows a person’s {known} "
                f"and links by them picks the row that shows the person’s other columns with probability at most 1 in "
                f"{self.k:,}."
            )
        others = "one other record" if self.k == 2 else f"{self.k - 1:,} other records"
        return (
            f"Whoever knows a person’s {known}, and nothing else, finds at least {others} that "
            f"look the same, and picks the right one with probability at most 1 in {self.k:,}."
        )

    def in_words_of_baskets(self) -> str:
        """What it means for the people whose sets of items are published."""
        return (
            f"Whoever knows everything that is in a person’s basket, and what is not, finds at least {self.k:,} "
            f"published records that the person may stand behind, and picks the right one with probability at most "
            f"1 in {self.k:,}."
        )

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Count the rows of every class."""
        n = classes.n_classes
        smallest = int(classes.sizes.min()) if n else self.k
        return [
            Finding(
                promise=repr(self), holds=smallest >= self.k, value=float(smallest),
                found=f"smallest {classes.noun} {smallest:,} in {counted(n, classes.noun)}" if n else "no class at all",
                worst_class=int(classes.sizes.argmin()) if n else None,
            )
        ]  # fmt: skip
