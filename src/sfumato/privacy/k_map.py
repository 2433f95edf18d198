"""k-map: Sweeney, "Computational disclosure control", 2001, and "Achieving k-anonymity privacy protection using
generalization and suppression", IJUFKS 2002.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.ground.validate import whole
from sfumato.privacy.of_population import OfPopulation, Register
from sfumato.privacy.promise import Finding
from sfumato.privacy.words import counted, join_names

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.published.equivalence import PublishedClasses
    from sfumato.published.evidence import Fitting

__all__ = ["KMap"]


@dataclass(frozen=True)
class KMap(OfPopulation):
    """Every class fits at least k people of the population.

    Somebody who finds a record and looks for its owner in a register of the population is left with k people or more,
    even where the table itself has a single such record. That holds against whoever does not know who is in the
    table: against somebody who does, promise `KAnonymity`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> register = hospital(400)
    >>> sf.publish(hospital(100), sf.BestFirst(), sf.KMap(5, register), seed=1).verdict.word
    'holds'
    """

    k: int
    population: Table | Register | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check k and the population."""
        whole("k", self.k, least=1)
        self._check_population()

    @property
    def name(self) -> str:
        """As in `5-map`."""
        return f"{self.k:,}-map"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """How many people of the population may be behind a record."""
        return (
            f"Whoever finds a record and looks for its owner among the {self.register_text} by "
            f"{join_names(quasi, 'and') or 'quasi-identifiers'} is left with at least {self.k:,} people."
        )

    def allowed(
        self, sizes: NDArray[np.int64], counts: NDArray[np.int64], *, hidden: int = 0
    ) -> NDArray[np.bool_]:  # fmt: skip
        """For each class, whether k people or more fit it; a class without published records is allowed."""
        return np.asarray((np.asarray(counts) >= self.k) | (np.asarray(sizes) == 0), dtype=bool)

    def follows_from(self, k: int) -> bool:
        """Whether k-anonymity with this k implies it: the people of a class are in the population too."""
        return k >= self.k

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Say so where the population has fewer than k people: no release can keep the promise."""
        n = len(self.people)
        if n >= self.k:
            return None
        return f"k={self.k} needs a population of at least {self.k} people and this one has {n}; the best is k={n}"

    def _finding(self, classes: PublishedClasses, fitting: Fitting) -> Finding:
        n = classes.n_classes
        least = int(fitting.counts.min()) if n else self.k
        people = "person" if least == 1 else "people"
        return Finding(
            promise=repr(self), value=float(least), worst_class=int(fitting.counts.argmin()) if n else None,
            holds=bool(self.allowed(classes.sizes, fitting.counts).all()),
            found=f"the fewest that fit a {classes.noun} are {least:,} {people} of {fitting.n_people:,}, in "
            f"{counted(n, classes.noun)}",
        )  # fmt: skip
