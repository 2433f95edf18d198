"""Differential privacy: what is published comes out nearly as likely whether or not any one record is in the data.

Dwork, McSherry, Nissim & Smith, "Calibrating noise to sensitivity in private data analysis", TCC 2006; with delta:
Dwork, Kenthapadi, McSherry, Mironov & Naor, "Our data, ourselves", EUROCRYPT 2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from sfumato.ground.validate import finite, one_of
from sfumato.privacy.promise import Finding, Promise

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.conditions import Condition
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["NEIGHBOURS", "DifferentialPrivacy", "Neighbours", "records_apart"]

Neighbours: TypeAlias = Literal["added or removed", "changed"]
NEIGHBOURS: tuple[str, ...] = get_args(Neighbours)
"""Which data differ in one record: one more or less, or the same number and one with other values."""
_LEAST, _MOST = 1e-6, 100.0


def records_apart(neighbours: str) -> int:
    """How many records must be added or removed between neighbours: a change is one removed and one added.

    >>> records_apart("added or removed"), records_apart("changed")
    (1, 2)
    """
    return 1 if neighbours == "added or removed" else 2


@dataclass(frozen=True)
class DifferentialPrivacy(Promise):
    """Whatever is published is at most e^epsilon times as likely with any one record as without it, plus delta.

    `neighbours` says what is compared: data with one record `added or removed`, or with the values of one record
    `changed`. Delta is a probability that the factor need not account for, of any set of outcomes. It is the promise of
    a mechanism: a check recomputes `epsilon` and `delta` from the parameters that a release tells, and the draw itself
    cannot be proved, so that it is declared and never holds.

    >>> import sfumato as sf
    >>> sf.DifferentialPrivacy(1)
    DifferentialPrivacy(epsilon=1)
    """

    speaks_of = "mechanism"
    example = "1.0"

    epsilon: float
    delta: float = 0.0
    neighbours: Neighbours = "added or removed"

    def __post_init__(self) -> None:
        """Check the parameters."""
        finite("epsilon", self.epsilon, asked=f"a number from {_LEAST:f} to {_MOST:g}", low=_LEAST, high=_MOST)
        finite("delta", self.delta, asked="0, or a probability below 1", low=0.0, below=1.0)
        one_of("neighbours", self.neighbours, NEIGHBOURS)

    @property
    def name(self) -> str:
        """As in `differential privacy with epsilon 1`."""
        small = f" and delta {self.delta:g}" if self.delta else ""
        return f"differential privacy with epsilon {self.epsilon:g}{small}"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """By which factor the probability of what is published may change."""
        factor = math.exp(self.epsilon)
        shown = f"{factor:.3g}" if factor < 1000 else f"{factor:,.0f}" if factor < 1e9 else f"{factor:.2g}"
        one = "with a person’s record as without it" if self.neighbours == "added or removed" else (
            "with a person’s values as with any others"
        )  # fmt: skip
        apart = f", plus a probability of {self.delta:g}" if self.delta else ""
        return (
            f"Whatever is published was at most {shown} times as likely {one}{apart}, whatever somebody knows of all "
            f"the others. It says nothing of what is true of people in general, and counts records: somebody with "
            f"several is protected less."
        )

    def __repr__(self) -> str:
        """With the parameters that are not those it has by itself."""
        delta = f", delta={self.delta!r}" if self.delta else ""
        neighbours = f", neighbours={self.neighbours!r}" if self.neighbours != NEIGHBOURS[0] else ""
        return f"DifferentialPrivacy(epsilon={self.epsilon!r}{delta}{neighbours})"

    def min_size(self) -> int:
        """Return 1: nothing is asked of classes."""
        return 1

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """No conditions: no class keeps it, whatever it holds."""
        return []

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Say that records cannot keep it: it is kept by noise in what is counted of them."""
        return f"{self!r} is about counts with noise, and not about records; publish with NoisyCounts"

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Broken: published records tell of no mechanism whose epsilon could be computed."""
        found = "records are published, and not counts with noise, so that no epsilon can be computed"
        return [Finding(promise=repr(self), holds=False, value=math.inf, found=found)]

    def check_spent(self, epsilon: Fraction, delta: float) -> Finding:
        """Compare what a release spends, by the parameters that it tells, with what is promised; exactly.

        An epsilon stands for the decimal number that is written: 0.1 is one tenth.
        """
        spent = f"epsilon {_rounded_up(epsilon)}" + (f" and delta {delta:.3g}" if delta else "")
        kept = epsilon <= Fraction(str(self.epsilon)) and delta <= self.delta
        found = f"{spent}, recomputed from the published scale" + ("" if kept else ": more than is promised")
        return Finding(promise=repr(self), holds=False, declared=kept, value=float(epsilon), found=found)


def _rounded_up(epsilon: Fraction) -> str:
    """The number in four decimals or fewer, never below it but for what a double cannot tell."""
    shown = math.ceil(epsilon * 10_000 - Fraction(1, 10**6)) / 10_000
    return f"{shown:g}" if shown >= 0.001 else f"{float(epsilon):.3g}"
