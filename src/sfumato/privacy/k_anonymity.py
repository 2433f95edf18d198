"""k-anonymity: Samarati, TKDE 2001; Sweeney, IJUFKS 2002."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError
from sfumato.privacy.promise import Finding, Promise

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.criteria import Condition
    from sfumato.privacy.published import PublishedClasses

__all__ = ["KAnonymity"]


@dataclass(frozen=True)
class KAnonymity(Promise):
    """Every record shares its quasi-identifiers with at least k - 1 others.

    Somebody who knows a person's quasi-identifiers finds them with probability at most 1/k. It says nothing
    of what the k have in common: see `LDiversity`.
    """

    k: int

    def __post_init__(self) -> None:
        """Check k."""
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise ParameterError(f"k must be a whole number >= 1, got {self.k!r}")

    def min_size(self) -> int:
        """A class holds k records or more."""
        return self.k

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """None beyond the size."""
        return []

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """A table of fewer than k records has no k-anonymous release."""
        if n_rows >= self.k:
            return None
        return f"k={self.k} needs at least {self.k} records and the table has {n_rows}; the best is k={n_rows}"

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
