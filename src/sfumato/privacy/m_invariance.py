"""m-invariance: a promise over releases of one table that people join and leave.

Xiao & Tao, "m-Invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007. A release is
m-unique where every class has m rows or more, no two with the same sensitive value. A sequence of releases is
m-invariant where each of them is m-unique and everybody who is in several lies, in all of them, in classes with the
same set of sensitive values: their signature. Then whoever intersects the classes of a person finds the signature
again, and nothing less.

This is the promise, and its check on one release. The algorithm that keeps it is `Republishing`, in
`tables/republishing`; the check over a sequence is in `published/tables/sequence.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import whole
from sfumato.privacy.promise import Finding, Promise
from sfumato.privacy.words import counted, join_names

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.conditions import Condition
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["MInvariance"]


@dataclass(frozen=True)
class MInvariance(Promise):
    """Every class has `m` rows or more, all with different sensitive values, and people keep theirs over releases.

    Counterfeit rows count as rows. On one release this is m-uniqueness; the rest is decided over the sequence.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> schema = sf.Schema(identifier=["mrn"], quasi=["age", "sex"], sensitive=["diagnosis"])
    >>> people = sf.Table(hospital(60).frame.select("mrn", "age", "sex", "diagnosis"), schema)
    >>> sf.publish(people, sf.Republishing(), sf.MInvariance(2), seed=1).verdict.word
    'holds'
    """

    speaks_of = "groups"
    kept_by = "Republishing"

    m: int

    def __post_init__(self) -> None:
        """Check m."""
        whole("m", self.m, least=2)

    @property
    def name(self) -> str:
        """As in `3-invariance`."""
        return f"{self.m:,}-invariance"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """What a class shows, and what comparing releases tells."""
        return (
            f"Every class has at least {self.m:,} rows, counterfeits among them, and no two show the same value of "
            f"{join_names(sensitive)}. Whoever is in several releases is among the same values in all of them, so that "
            f"comparing releases rules none of these out."
        )

    def min_size(self) -> int:
        """Return m: a class has m rows or more."""
        return self.m

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """Refused: only a method that adds counterfeits can keep it."""
        raise ParameterError(f"{self!r} is kept by Republishing alone; use it, or promise LDiversity({self.m})")

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Say so where fewer than m different sensitive values occur."""
        if len(sensitive) != 1:
            return f"{self!r} speaks of one sensitive column, and there are {len(sensitive)}; declare one"
        column = sensitive[0]
        n_values = int((np.bincount(column.codes + 1, minlength=1) > 0).sum())
        if n_values >= self.m:
            return None
        return (
            f"{self!r} needs {self.m} different values of column {column.name!r}, and {n_values} occur; "
            f"the best is m={n_values}"
        )

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Check the sensitive values of every class: at least m, and all different."""
        if len(classes.sensitive) != 1:
            raise ParameterError(
                f"{self!r} speaks of one sensitive column, and there are {len(classes.sensitive)}; name one"
            )
        name = classes.sensitive[0]
        counts, starts = classes.histograms(name)
        noun, n = classes.noun, classes.n_classes
        if not starts.size:
            return [Finding(promise=repr(self), holds=True, value=float(self.m), found=f"no {noun} at all")]
        twice = np.maximum.reduceat(counts, starts) > 1
        sizes = np.add.reduceat(counts, starts)
        at = int(np.where(twice, 0, sizes).argmin())
        if twice.any():
            found = f"{int(twice.sum()):,} of {n:,} {_many(noun)} show a value of {name!r} more than once"
        else:
            found = f"smallest {noun} {int(sizes[at]):,} in {counted(n, noun)}, all values of {name!r} in it different"
        reached = 0.0 if twice.any() else float(sizes[at])
        return [Finding(promise=repr(self), holds=reached >= self.m, value=reached, worst_class=at, found=found)]


def _many(noun: str) -> str:
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"
