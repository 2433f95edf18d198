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
from sfumato.errors import ParameterError
from sfumato.privacy.of_population import OfPopulation, Register
from sfumato.privacy.promise import Finding

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.published.equivalence import Fitting, PublishedClasses

__all__ = ["KMap"]


@dataclass(frozen=True)
class KMap(OfPopulation):
    """Every class fits at least k people of the population.

    Somebody who finds a record and looks for its owner in a register of the population is left with k people or more,
    even where the table itself has a single such record. That holds against whoever does not know who is in the
    table: against somebody who does, promise `KAnonymity`.
    """

    k: int
    population: Table | Register | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check k and the population."""
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise ParameterError(f"k must be a whole number >= 1, got {self.k!r}")
        self._check_population()

    def allowed(
        self, sizes: NDArray[np.int64], counts: NDArray[np.int64], *, hidden: int = 0
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Whether k people or more fit; where no record is published, nobody need."""
        return np.asarray((np.asarray(counts) >= self.k) | (np.asarray(sizes) == 0), dtype=bool)

    def follows_from(self, k: int) -> bool:
        """Whoever is in a class of k is in the population too."""
        return k >= self.k

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """A population of fewer than k people has no such release."""
        n = len(self.people)
        if n >= self.k:
            return None
        return f"k={self.k} needs a population of at least {self.k} people and this one has {n}; the best is k={n}"

    def _judged(self, classes: PublishedClasses, fitting: Fitting) -> Finding:
        n = classes.n_classes
        least = int(fitting.counts.min()) if n else self.k
        people = "person" if least == 1 else "people"
        return Finding(
            promise=repr(self), value=float(least), worst_class=int(fitting.counts.argmin()) if n else None,
            holds=bool(self.allowed(classes.sizes, fitting.counts).all()),
            found=f"the fewest that fit a {classes.noun} are {least:,} {people} of {fitting.n_people:,}, in {n:,}",
        )  # fmt: skip
