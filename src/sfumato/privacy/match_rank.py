"""Measured hiding: how many candidates a linkage attack leaves, over repeated releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.ground import validate
from sfumato.privacy.promise import Finding, OfSize

if TYPE_CHECKING:
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["MatchRank"]


@dataclass(frozen=True)
class MatchRank(OfSize):
    """A share of the records is linked by none of the attacks tried with probability above 1/k, over repeated releases.

    The attacks are by distance and by rank, record by record and, in small tables, by the best matching of all; the
    probability is a 95% upper bound. A stronger attack than these may do better: where that matters, promise
    `Exchangeable`. A method that is asked for it gives up properties until the measurement shows it.

    It is about the method's repeated draws, so that a single release can only contradict it: with the original, the
    check attacks this release and compares what it links with what the promise allows.

    >>> import sfumato as sf
    >>> sf.MatchRank(4)
    MatchRank(k=4, share=0.95)
    """

    speaks_of = "records"
    measured = True

    k: int
    share: float = 0.95

    def __post_init__(self) -> None:
        """Check k and the share."""
        self._check_k(2)
        validate.share("share", self.share)

    @property
    def most_linked(self) -> float:
        """The largest share of records that a release can be expected to give away."""
        return self.share / self.k + (1.0 - self.share)

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Compare what attacks link in this release, where that is known, with what is allowed."""
        linked = classes.evidence.linked
        if linked is None:
            found = "measured by the owner over repeated releases; it cannot be checked on what was read"
            return [Finding(promise=repr(self), holds=False, decided=False, value=0.0, found=found)]
        kept = bool((linked <= self.most_linked).all())
        word = "no more" if kept else "more"  # how many would tell of who is who
        found = f"attacks on this release link {word} records than the {self.most_linked:.1%} that are expected at most"
        value = float(self.k if kept else 1)
        return [Finding(promise=repr(self), holds=False, declared=kept, value=value, found=found)]
