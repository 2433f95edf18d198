"""k-anonymity: Samarati, TKDE 2001; Sweeney, IJUFKS 2002."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.privacy.promise import Finding, OfSize

if TYPE_CHECKING:
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["KAnonymity"]


@dataclass(frozen=True)
class KAnonymity(OfSize):
    """Every record shares its quasi-identifiers with at least k - 1 others.

    Somebody who knows a person's quasi-identifiers finds them with probability at most 1/k. It says nothing
    of what the k have in common: see `LDiversity`.
    """

    k: int

    def __post_init__(self) -> None:
        """Check k."""
        self._check_k(1)

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Count the rows of every class."""
        n = classes.n_classes
        smallest = int(classes.sizes.min()) if n else self.k
        return [
            Finding(
                promise=repr(self), holds=smallest >= self.k, value=float(smallest),
                found=f"smallest class {smallest:,} in {n:,}" if n else "no class at all",
                worst_class=int(classes.sizes.argmin()) if n else None,
            )
        ]  # fmt: skip
