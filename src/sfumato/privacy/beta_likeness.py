"""Beta-likeness: Cao & Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sfumato.ground.validate import finite, flag
from sfumato.privacy.conditions import CAPPED, TOLERANCE, Condition
from sfumato.privacy.option import Option
from sfumato.privacy.promise import Finding, Promise, as_fraction, check_fraction
from sfumato.privacy.sensitive import check_columns, chosen_columns, column_numbers, columns_in_words
from sfumato.privacy.words import counted, number_in_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sfumato.data.encoding import Coded
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["BetaLikeness"]

_MOST_BETA = 10**6
_FINEST = 10**15


@dataclass(frozen=True)
class BetaLikeness(Promise):
    """No class makes a sensitive value much more likely than the whole table does, measured on that value's own scale.

    A value with the share p in the table may have any share up to p in a class, and above that a share q with
    (q - p) / p of at most `beta`. `enhanced` (the default) takes -ln p where that is less, so that values that are
    frequent anyway may not gain much either, and none of them may take a class for itself.

    Every sensitive column is held to it, or only `columns`. A missing value counts as a value. Unlike under
    t-closeness, rare values are protected as frequent ones are.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(200), sf.Mondrian(), sf.BetaLikeness(2), seed=1)
    Release(200 rows, Mondrian, BetaLikeness(2) holds)
    """

    speaks_of = "groups"
    kept_by_groups = True
    option = Option(flag="--beta", help="Enhanced beta-likeness of the sensitive columns.", place=40)

    beta: float
    enhanced: bool = True
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check beta."""
        asked = f"a number above 0 and at most {_MOST_BETA:,}"
        finite("beta", self.beta, asked=asked, low=1 / _MOST_BETA, high=_MOST_BETA)
        check_fraction("beta", self.beta)
        flag("enhanced", self.enhanced)
        check_columns(self.columns)

    def __repr__(self) -> str:
        parts = [f"{number_in_words(self.beta)}"]
        parts += ["enhanced=False"] if not self.enhanced else []
        parts += [f"columns={self.columns!r}"] if self.columns is not None else []
        return f"BetaLikeness({', '.join(parts)})"

    @property
    def name(self) -> str:
        """As in `2-likeness`."""
        return f"{number_in_words(self.beta)}-likeness"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """How much more likely knowing somebody's class or group makes a value."""
        names = columns_in_words(self.columns, sensitive)
        least = " (less, where a value is frequent anyway)" if self.enhanced else ""
        return (
            f"Knowing which {noun} a person is in makes no value of {names} much more likely: in every {noun} its "
            f"share is above that in the whole table by at most {number_in_words(self.beta)} times that share{least}."
        )

    def min_size(self) -> int:
        """Return 1: no class is too small by its size alone."""
        return 1

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """One per sensitive column: a cap on the share of each value."""
        result = []
        for s in column_numbers(self, self.columns, [column.name for column in sensitive]):
            column = sensitive[s]
            missing = int(column.has_missing)
            total = np.bincount(column.codes + missing, minlength=column.n_codes + missing)
            n = int(total.sum())
            caps = [self._cap(Fraction(int(count), n)) if count else Fraction(1) for count in total]
            pairs = np.array([[cap.numerator, cap.denominator] for cap in caps], dtype=np.int64).reshape(-1, 2)
            result.append(Condition(CAPPED, s, self.beta, caps=pairs))
        return result

    def _cap(self, p: Fraction) -> Fraction:
        """The largest share of a value in a class: an exact fraction, unless the logarithm is the smaller bound."""
        beta = as_fraction(self.beta)
        if self.enhanced and -math.log(p) < beta:
            return min(Fraction(1), (p * (1 + Fraction(-math.log(p)))).limit_denominator(_FINEST))
        return min(Fraction(1), p * (1 + beta))

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """None: in the whole table as one class no value gains anything, so that every beta can be met."""
        column_numbers(self, self.columns, [column.name for column in sensitive])
        return None

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Compare the share of every value in every class with that among all published records."""
        return [self._finding(classes, name) for name in chosen_columns(self, self.columns, classes.sensitive)]

    def _finding(self, classes: PublishedClasses, name: str) -> Finding:
        of_class, value, counts = classes.value_counts(name)
        whole = classes.column(name).whole
        n = int(whole.sum())
        gain = (counts / classes.sizes[of_class]) / (whole[value] / max(n, 1)) - 1.0
        bound = np.full(len(gain), float(self.beta))
        if self.enhanced and n:
            bound = np.minimum(bound, -np.log(whole[value] / n))
        over = self._over(counts, classes.sizes[of_class], whole[value], n, gain, bound)
        most = float(gain.max(initial=0.0))
        at: int | None = None
        if len(gain):
            slack = np.where(over, 1.0, 0.0) + np.arctan(gain - bound) / np.pi  # those that break it come first
            at = int(of_class[int(slack.argmax())])
        said = f"no value is more than {1 + most:.2f} times as frequent in a {classes.noun} as in the table"
        if over.any():
            said = f"a value is {1 + float(gain[over].max()):.2f} times as frequent in a {classes.noun} as in the table"
        return Finding(
            promise=repr(self), holds=not over.any(), value=max(most, 0.0), worst_class=at,
            found=f"{said}, on {name!r} in {counted(classes.n_classes, classes.noun)}",
        )  # fmt: skip

    def _over(
        self, counts: NDArray[np.int64], sizes: NDArray[np.int64], whole: NDArray[np.int64], n: int,
        gain: NDArray[np.float64], bound: NDArray[np.float64],
    ) -> NDArray[np.bool_]:  # fmt: skip
        """For each count, whether the value gains too much.

        Decided in whole numbers of any size where beta is the bound, and with a tolerance where the logarithm is.
        """
        beta = as_fraction(self.beta)
        share = counts.astype(object) * (n * beta.denominator)
        most = sizes.astype(object) * whole.astype(object) * (beta.numerator + beta.denominator)
        above = np.asarray(share > most, dtype=bool)
        by_logarithm = bound < float(self.beta)
        return np.where(by_logarithm, (gain > bound + TOLERANCE) & (gain > 0), above)
