"""Delta-disclosure privacy: Brickell & Shmatikov, "The cost of privacy", KDD 2008, definition 5."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sfumato.ground.validate import finite
from sfumato.privacy.conditions import Condition, condition_on_shares
from sfumato.privacy.option import Option
from sfumato.privacy.promise import Finding, Promise
from sfumato.privacy.sensitive import check_columns, chosen_columns, column_numbers, columns_in_words
from sfumato.privacy.words import counted, number_in_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sfumato.data.encoding import Coded
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["DeltaDisclosure"]

_LEAST, _MOST = 1e-6, 30.0
_DIGITS = 60
_UNIT = 10**15
"""Shares are given to algorithms in steps of one over this, rounded to the strict side."""
_CLOSE = 1e-9
"""Logarithms this near to delta are decided in fractions."""


@dataclass(frozen=True)
class DeltaDisclosure(Promise):
    """Knowing somebody's class changes the share of no sensitive value by a factor of e to the delta or more.

    With the share q of a value in a class and p among all published records, |ln(q / p)| < `delta` for every class and
    every value that is published. A value that a class lacks breaks it, so that every class holds every value. It
    bounds what the class of a person adds to what the whole table tells, in both directions: no value becomes much
    likelier, and none is nearly ruled out.

    Every sensitive column is held to it, or only `columns`. A missing value counts as a value.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(2000), sf.Mondrian(), sf.DeltaDisclosure(2.5), seed=1)
    Release(2,000 rows, Mondrian, DeltaDisclosure(2.5) holds)
    """

    speaks_of = "groups"
    kept_by_groups = True
    option = Option(flag="--delta", help="Delta-disclosure privacy of the sensitive columns.", place=45)
    example = "1.0"

    delta: float
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check delta."""
        finite("delta", self.delta, asked=f"a number from {_LEAST:g} to {_MOST:g}", low=_LEAST, high=_MOST)
        check_columns(self.columns)

    def __repr__(self) -> str:
        columns = f", columns={self.columns!r}" if self.columns is not None else ""
        return f"DeltaDisclosure({number_in_words(self.delta)}{columns})"

    @property
    def name(self) -> str:
        """As in `1.5-disclosure privacy`."""
        return f"{number_in_words(self.delta)}-disclosure privacy"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """By what factor knowing somebody's class or group changes the share of a value."""
        factor = f"{math.exp(self.delta):.4g}"
        return (
            f"Knowing which {noun} a person is in changes little about their "
            f"{columns_in_words(self.columns, sensitive)}: in every {noun} the share of each value is less than "
            f"{factor} times that among all published records, and "
            f"more than that share divided by {factor}. So every {noun} holds every value."
        )

    def min_size(self) -> int:
        """Return 1: no class is too small by its size alone."""
        return 1

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """One per sensitive column: a floor and a cap on the share of each value, rounded to the strict side."""
        factor = _e_to(self.delta)
        result = []
        for s in column_numbers(self, self.columns, [column.name for column in sensitive]):
            column = sensitive[s]
            missing = int(column.has_missing)
            total = np.bincount(column.codes + missing, minlength=column.n_codes + missing)
            shares = [Fraction(int(count), max(int(total.sum()), 1)) for count in total]
            floors = [Fraction(math.ceil(share / factor * _UNIT), _UNIT) for share in shares]
            caps = [Fraction(math.floor(min(share * factor, Fraction(1)) * _UNIT), _UNIT) for share in shares]
            result.append(condition_on_shares(s, floors, caps))
        return result

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """None: in the whole table as one class every value has its own share, so that every delta can be met."""
        column_numbers(self, self.columns, [column.name for column in sensitive])
        return None

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Compare the share of every value in every class with that among all published records."""
        return [self._finding(classes, name) for name in chosen_columns(self, self.columns, classes.sensitive)]

    def _finding(self, classes: PublishedClasses, name: str) -> Finding:
        of_class, value, counts = classes.value_counts(name)
        whole, sizes = classes.column(name).whole, classes.sizes
        n, n_values = int(whole.sum()), int((whole > 0).sum())
        change = np.log((counts / sizes[of_class]) / (whole[value] / max(n, 1)))
        over = self._over(counts, sizes[of_class], whole[value], n, change)
        lacking = np.bincount(of_class, minlength=classes.n_classes) < n_values
        where = f"on {name!r} in {counted(classes.n_classes, classes.noun)}"
        most = float(np.abs(change).max(initial=0.0))
        if lacking.any():
            said = f"{int(lacking.sum()):,} {'of them lack' if lacking.sum() > 1 else 'of them lacks'} a value"
            return Finding(
                promise=repr(self), holds=False, value=math.inf, worst_class=int(lacking.argmax()),
                found=f"{said} that others hold, {where}",
            )  # fmt: skip
        at = int(of_class[int((np.where(over, _MOST * 2, 0.0) + np.abs(change)).argmax())]) if len(change) else None
        said = f"a {classes.noun} changes the share of a value by a factor of {math.exp(most):.4g} at most"
        return Finding(
            promise=repr(self), holds=not over.any(), value=most, worst_class=at, found=f"{said}, {where}"
        )  # fmt: skip

    def _over(
        self, counts: NDArray[np.int64], sizes: NDArray[np.int64], whole: NDArray[np.int64], n: int,
        change: NDArray[np.float64],
    ) -> NDArray[np.bool_]:  # fmt: skip
        """For each count, whether the share changes too much; shares that are near delta are decided in fractions."""
        size = np.abs(change)
        over = size >= self.delta
        factor = _e_to(self.delta)
        for i in np.flatnonzero(np.abs(size - self.delta) <= _CLOSE).tolist():
            ratio = Fraction(int(counts[i]) * n, int(sizes[i]) * int(whole[i]))
            over[i] = not 1 / factor < ratio < factor
        return np.asarray(over, dtype=bool)


def _e_to(delta: float) -> Fraction:
    """E to the power of delta, to 60 digits; it is no fraction, so that no share of records can equal it."""
    given = Fraction(str(delta))
    with decimal.localcontext(prec=_DIGITS):
        return Fraction((decimal.Decimal(given.numerator) / decimal.Decimal(given.denominator)).exp())
