"""Delta-presence: Nergiz, Atzori & Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite
from sfumato.privacy.of_population import OfPopulation, Register
from sfumato.privacy.promise import Finding, as_fraction, check_fraction
from sfumato.privacy.words import number_in_words

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.published.equivalence import PublishedClasses
    from sfumato.published.evidence import Fitting

__all__ = ["DeltaPresence"]


@dataclass(frozen=True)
class DeltaPresence(OfPopulation):
    """Whoever knows the population learns of nobody in it whether they are in the table, but for a chance.

    Of the people who fit a class, the share that the class has published records of lies between `low` and `high`. That
    is asked for everybody in the population, as in the paper: people whom no published record fits are certainly not
    in the table, their chance is 0, and a `low` above 0 forbids that.

    Classes must not overlap: of people who fit several the chance cannot be told, and the promise is not decided.
    Behind records that show nothing, or are withheld, there may be anybody, which raises everybody's chance. A class
    that nobody fits says nothing of anybody in the population.

    >>> import sfumato as sf
    >>> sf.DeltaPresence(0.0, 0.5)
    DeltaPresence(low=0.0, high=0.5)
    """

    example = "0.1"

    low: float
    high: float
    population: Table | Register | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check the bounds and the population."""
        for name in ("low", "high"):
            finite(name, getattr(self, name), asked="a number from 0 to 1", low=0, high=1)
            check_fraction(name, getattr(self, name))
        if self.low > self.high:
            raise ParameterError(f"low must be at most high, got {self.low!r} and {self.high!r}")
        self._check_population()

    @property
    def name(self) -> str:
        """As in `a presence between 0.1 and 0.5`."""
        return f"a presence between {number_in_words(self.low)} and {number_in_words(self.high)}"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """What whoever knows the population learns of who is in the table."""
        return (
            f"Whoever knows the {self.register_text} cannot tell who of them is in the table: of everybody "
            f"the chance is between {number_in_words(self.low)} and {number_in_words(self.high)}."
        )

    def allowed(
        self, sizes: NDArray[np.int64], counts: NDArray[np.int64], *, hidden: int = 0
    ) -> NDArray[np.bool_]:  # fmt: skip
        """For each class, whether the share of those who fit that are in the table lies between the bounds; exact."""
        low, high = as_fraction(self.low), as_fraction(self.high)
        within, whole = self._chances(np.asarray(sizes), np.asarray(counts), hidden)
        enough = within * low.denominator >= whole * low.numerator
        few = within * high.denominator <= whole * high.numerator
        return np.asarray(enough & few, dtype=bool) | (np.asarray(counts) <= 0)

    def _chances(
        self, sizes: NDArray[np.int64], counts: NDArray[np.int64], hidden: int
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The chance that somebody of each class is in the table, as numerators and denominators of any size."""
        shown = np.minimum(sizes, counts)  # more records than people: everybody is in the table
        if not hidden:
            return shown, counts
        n = self.register.rows if self.register is not None else 0
        rest = max(n - int(shown.sum()), hidden)  # those who may stand behind the records that show nothing
        people = counts.astype(object)
        return people * rest - (people - shown) * (rest - hidden), people * rest

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Say so where the share of the whole table is outside the bounds: shares in classes average to it."""
        n = len(self.people)
        share = Fraction(n_rows, n) if n else Fraction(1)
        if as_fraction(self.low) <= share <= as_fraction(self.high):
            return None
        word = "above high" if share > as_fraction(self.high) else "below low"
        return (
            f"{self!r} cannot be met: the table has {n_rows:,} records of a population of {n:,}, a share of "
            f"{float(share):.4g}, which is {word}; set bounds on both sides of it"
        )

    def _finding(self, classes: PublishedClasses, fitting: Fitting) -> Finding:
        blank = fitting.blank
        sizes, counts = classes.sizes[~blank], fitting.counts[~blank]
        hidden = fitting.n_hidden
        if fitting.n_several:
            found = (
                f"{fitting.n_several:,} of {fitting.n_people:,} people fit several classes: their chance cannot be told"
            )
            return Finding(promise=repr(self), holds=False, decided=False, value=1.0, found=found)
        outside = [fitting.n_outside] if fitting.n_outside else []
        sizes, counts = np.append(sizes, [0] * len(outside)), np.append(counts, outside)
        fits = counts > 0
        within, whole = self._chances(sizes.astype(np.int64), counts.astype(np.int64), hidden)
        chances = np.array([a / b if b else 0.0 for a, b in zip(within[fits], whole[fits], strict=True)], dtype=float)
        least, most = float(chances.min(initial=math.inf)), float(chances.max(initial=0.0))
        fine = self.allowed(sizes.astype(np.int64), counts.astype(np.int64), hidden=hidden)
        found = f"the chance that somebody of the {fitting.n_people:,} is in the table is {min(least, most):.4f} to "
        found += f"{most:.4f}"
        nobody = int((~fits).sum())
        if nobody:
            found += f"; {nobody:,} of {classes.n_classes:,} classes fit nobody of the population"
        shown = np.flatnonzero(~blank)
        farthest = np.maximum(chances - self.high, self.low - chances)
        worst = int(np.flatnonzero(fits)[int(farthest.argmax())]) if len(chances) else len(shown)
        at = int(shown[worst]) if worst < len(shown) else None
        return Finding(promise=repr(self), holds=bool(fine.all()), value=most, worst_class=at, found=found)
