"""A bound on the loss, and as much privacy as it leaves room for: the dual of every other promise.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, section 2.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from sfumato.ground.errors import ParameterError, SchemaError
from sfumato.ground.validate import is_number
from sfumato.privacy.conditions import Condition
from sfumato.privacy.option import Option
from sfumato.privacy.promise import Finding, Promise
from sfumato.privacy.sensitive import chosen_columns
from sfumato.privacy.words import counted, number_in_words

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["AccuracyBound"]

_SLACK = 1e-6

Privacy: TypeAlias = Literal["k", "l"]


@dataclass(frozen=True)
class AccuracyBound(Promise):
    """No class loses more than `max_ncp` (its normalised certainty penalty), with the most privacy found within that.

    What is made as large as can be is `l`, the size of a class over the count of its most frequent sensitive value,
    the least over all classes; or `k`, the size of the smallest class. By default l where the table has a sensitive
    column, else k. Where there are several, `column` says which. The verdict says what was reached.

    `maximise` is which of the two.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(200), sf.Hilbert(), sf.AccuracyBound(0.5), seed=1)
    Release(200 rows, Hilbert, AccuracyBound(max_ncp=0.5) holds)
    """

    speaks_of = "groups"  # whose l, or k, is made as large as can be
    kept_by = "Hilbert"
    bounds_loss = True
    example = "0.3"
    option = Option(
        flag="--max-ncp", help="The most that a class may lose; as much privacy as that allows.", place=50
    )  # fmt: skip

    max_ncp: float
    maximise: Privacy | None = None
    column: str | None = None

    def __post_init__(self) -> None:
        """Check the bound."""
        if not is_number(self.max_ncp) or not 0.0 <= self.max_ncp <= 1.0:
            raise ParameterError(f"max_ncp must lie between 0 (nothing lost) and 1, got {self.max_ncp!r}")
        if self.maximise is not None and self.maximise not in get_args(Privacy):
            raise ParameterError(f"maximise must be 'k' or 'l', got {self.maximise!r}")
        if self.column is not None and (not isinstance(self.column, str) or self.maximise == "k"):
            raise ParameterError(f"column names the sensitive column whose l is maximised, got {self.column!r}")

    def __repr__(self) -> str:
        parts = [f"max_ncp={number_in_words(self.max_ncp)}"]
        parts += [f"maximise={self.maximise!r}"] if self.maximise is not None else []
        parts += [f"column={self.column!r}"] if self.column is not None else []
        return f"AccuracyBound({', '.join(parts)})"

    @property
    def name(self) -> str:
        """As in `a loss of at most 30% in every class`."""
        return f"a loss of at most {self.max_ncp:.0%} in every class"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """What is bounded, and what was made as large as it can be."""
        column = self.target(sensitive)
        most = f"every {noun} is as large" if column is None else f"the values of {column} in every {noun} are as mixed"
        return f"No {noun} loses more than {self.max_ncp:.0%} of its detail; within that, {most} as was found possible."

    def min_size(self) -> int:
        """Return 1: the size of classes is what is made as large as possible."""
        return 1

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """No conditions: the histograms of classes are what is made as good as possible."""
        return []

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Only a column that is not there: every bound can be kept, as records left as they are lose nothing."""
        self.target([column.name for column in sensitive])
        return None if n_rows else "an empty table has no privacy to speak of; publish one that has records"

    def target(self, sensitive: Sequence[str]) -> str | None:
        """The column whose l is maximised; None where it is k."""
        if self.maximise == "k" or (self.maximise is None and not sensitive and self.column is None):
            return None
        named = None if self.column is None else [self.column]
        names = chosen_columns(self, named, sensitive)
        if len(names) > 1:
            raise SchemaError(
                f"{self!r} can maximise l for one column, and {', '.join(names)} are sensitive; name one as in "
                f"AccuracyBound({number_in_words(self.max_ncp)}, column={names[0]!r}), or say maximise='k'"
            )
        return names[0]

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Find the privacy that was reached, and compare the loss of each class, where it is known, with the bound."""
        column = self.target(classes.sensitive)
        n = classes.n_classes
        if column is None:
            reached = float(classes.sizes.min()) if n else 1.0
            said = f"smallest {classes.noun} {int(reached):,} in {counted(n, classes.noun)}"
        else:
            counts, starts = classes.histograms(column)
            tops = np.maximum.reduceat(counts, starts) if n else np.ones(1)
            privacy = np.add.reduceat(counts, starts) / tops if n else np.ones(1)
            reached = float(privacy.min())
            shown = np.floor(reached * 100 + 1e-6) / 100  # never rounded up
            said = f"least diverse {classes.noun} reaches l={shown:g} on {column!r} in {counted(n, classes.noun)}"
        losses = classes.evidence.losses
        if losses is None:
            found = f"{said}; what is lost cannot be checked without the original"
            return [Finding(promise=repr(self), holds=False, decided=False, value=reached, found=found)]
        most = float(losses.max()) if len(losses) else 0.0
        holds = most <= self.max_ncp + _SLACK
        found = f"{said}; no {classes.noun} loses more than {number_in_words(self.max_ncp)} (NCP)"
        if not holds:
            found = f"{said}; a {classes.noun} loses {most:.4f} (NCP), more than {number_in_words(self.max_ncp)}"
        worst = int(losses.argmax()) if len(losses) else None
        return [Finding(promise=repr(self), holds=holds, value=reached, found=found, worst_class=worst)]
