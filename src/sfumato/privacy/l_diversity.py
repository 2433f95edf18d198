"""l-diversity: Machanavajjhala, Gehrke, Kifer & Venkitasubramaniam, ICDE 2006; Xiao & Tao, VLDB 2006."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from sfumato.data.values import MISSING
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite, one_of
from sfumato.privacy.conditions import DISTINCT, ENTROPY, FREQUENCY, RECURSIVE, TOLERANCE, Condition
from sfumato.privacy.option import Option
from sfumato.privacy.promise import Finding, Promise, as_fraction, check_fraction
from sfumato.privacy.sensitive import check_columns, chosen_columns, column_numbers, columns_in_words
from sfumato.privacy.words import counted, number_in_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sfumato.data.encoding import Coded
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["LDiversity"]

_LEAST_C = 1e-6
_MOST_L = 10**9

DiversityKind: TypeAlias = Literal["frequency", "distinct", "entropy", "recursive"]

_WITHOUT_L = "--c and --l-kind speak of l-diversity; give --l too"


@dataclass(frozen=True)
class LDiversity(Promise):
    """The sensitive values of every class are spread over at least l well-represented ones.

    - `frequency` (the default): no value makes up more than 1/l of a class, so that nobody's value is known with
      probability above 1/l.
    - `distinct`: at least l different values.
    - `entropy`: the entropy of the values is at least log l.
    - `recursive`: with counts r1 >= r2 >= ..., r1 < c (r_l + r_{l+1} + ...), strictly.

    Every sensitive column is held to it, or only `columns`. A missing value counts as a value.

    `kind` says which of them is asked for.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(200), sf.Mondrian(), sf.LDiversity(2), seed=1)
    Release(200 rows, Mondrian, LDiversity(2) holds)
    """

    speaks_of = "groups"
    of = frozenset({"table", "baskets"})
    kept_by_groups = True
    option = Option(
        flag="--l", help="l-diversity of the sensitive columns.", whole=True, place=20,
        further=(
            Option(flag="--l-kind", help="Which l-diversity.", type=DiversityKind, default="frequency",
                   parameter="kind", alone=_WITHOUT_L),
            Option(flag="--c", help="The c of recursive (c, l)-diversity.", alone=_WITHOUT_L),
        ),
    )  # fmt: skip

    l: float  # noqa: E741  the literature's own letter
    kind: DiversityKind = "frequency"
    c: float | None = None
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check l, c and the kind."""
        one_of("kind", self.kind, get_args(DiversityKind))
        finite("l", self.l, asked=f"a number from 1 to {_MOST_L:,}", low=1, high=_MOST_L)
        if self.kind in ("distinct", "recursive") and self.l != int(self.l):
            raise ParameterError(f"l must be a whole number for {self.kind} l-diversity, got {self.l!r}")
        if (self.kind == "recursive") != (self.c is not None):
            word = "needs c, as in LDiversity(3, kind='recursive', c=2)" if self.kind == "recursive" else "takes no c"
            raise ParameterError(f"{self.kind} l-diversity {word}")
        if self.kind == "frequency":
            check_fraction("l", self.l)
        if self.c is not None:
            finite("c", self.c, asked=f"a number of {_LEAST_C:g} or more", low=_LEAST_C)
            check_fraction("c", self.c)
        check_columns(self.columns)

    def __repr__(self) -> str:
        parts = [f"{number_in_words(self.l)}"]
        parts += [f"kind={self.kind!r}"] if self.kind != "frequency" else []
        parts += [f"c={number_in_words(self.c)}"] if self.c is not None else []
        parts += [f"columns={self.columns!r}"] if self.columns is not None else []
        return f"LDiversity({', '.join(parts)})"

    @property
    def name(self) -> str:
        """As in `3-diversity (distinct)`."""
        return f"{number_in_words(self.l)}-diversity" + (f" ({self.kind})" if self.kind != "frequency" else "")

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """What whoever knows the class or group can still not tell of a value."""
        names = columns_in_words(self.columns, sensitive)
        among = "the records that look the same" if noun == "class" else f"the records of a {noun}"
        if self.kind == "frequency":
            return (
                f"Among {among}, no value of {names} makes up more than 1 in {number_in_words(self.l)}: "
                f"whoever knows which {noun} somebody is in, and nothing else, guesses it right no more often."
            )
        if self.kind == "distinct":
            return f"Among {among} there are at least {number_in_words(self.l)} different values of {names}."
        if self.kind == "entropy":
            return (
                f"Among {among}, the values of {names} are as hard to guess as among "
                f"{number_in_words(self.l)} equally frequent ones (by entropy)."
            )
        return (
            f"Among {among}, the most frequent value of {names} stays below {number_in_words(self.c or 1)} times "
            f"the count of the {number_in_words(self.l)}th most frequent and all rarer ones together."
        )

    def min_size(self) -> int:
        """Return l, rounded up: a class of fewer than l records cannot be l-diverse."""
        return math.ceil(self.l)

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """One condition for each sensitive column, by the kind of diversity."""
        columns = column_numbers(self, self.columns, [column.name for column in sensitive])
        if self.kind == "frequency":
            asked = as_fraction(self.l)
            return [Condition(FREQUENCY, s, asked.numerator, asked.denominator) for s in columns]
        if self.kind == "distinct":
            return [Condition(DISTINCT, s, self.l) for s in columns]
        if self.kind == "entropy":
            return [Condition(ENTROPY, s, self.l) for s in columns]
        c = as_fraction(self.c or 1)
        return [Condition(RECURSIVE, s, self.l, c.numerator, c.denominator) for s in columns]

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Say so where the whole table as one class, the most diverse there is, is not l-diverse."""
        if not n_rows:
            return f"{self!r} needs at least {self.min_size()} records and the table has none; give it some"
        for s in column_numbers(self, self.columns, [column.name for column in sensitive]):
            column = sensitive[s]
            counts = np.bincount(column.codes + 1, minlength=column.n_codes + 1)
            reached = float(self._largest_l(counts[counts > 0], np.zeros(1, dtype=np.int64))[0])
            if not self._is_enough(reached):
                top = int(counts.max())
                absent = int(counts[0]) == top  # codes of missing values are -1
                which = f"most frequent value, {MISSING!r}," if absent else "most frequent value"
                wayout = "; missing = 'withhold' leaves such records out" if absent else ""
                return (
                    f"{self!r} cannot be met on column {column.name!r}: its {which} has {top:,} of {n_rows:,} records "
                    f"and {int((counts > 0).sum())} values occur; the best is l={_floor(reached):g}{wayout}"
                )
        return None

    def in_words_of_baskets(self) -> str:
        """What it means for the people whose sets of items are published, each with a label."""
        if self.kind == "distinct":
            least = number_in_words(self.l)
            return f"The published records that a person may stand behind carry at least {least} different labels."
        return (
            f"Among the published records that the method ties a person to, each as likely as the others, no label "
            f"makes up more than 1 in {number_in_words(self.l)}. Over all ways in which records could be assigned, or "
            f"where labels go with items, a label may be likelier."
        )

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Compare with l the largest l that each class satisfies, from its published histogram."""
        findings = []
        for name in chosen_columns(self, self.columns, classes.sensitive):
            reached = self._largest_l(*classes.histograms(name))
            at = int(reached.argmin()) if reached.size else None
            value = float(reached[at]) if at is not None else float(self.l)
            findings.append(
                Finding(
                    promise=repr(self), holds=self._is_enough(value), value=value, worst_class=at,
                    found=f"least diverse {classes.noun} reaches l={_floor(value):g} on {name!r} "
                          f"in {counted(classes.n_classes, classes.noun)}",
                )
            )  # fmt: skip
        return findings

    def _is_enough(self, reached: float) -> bool:
        return reached >= self.l - (TOLERANCE if self.kind == "entropy" else 0)

    def _largest_l(self, counts: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The largest l that each class satisfies; `counts` lie class by class, from `starts` on."""
        if not starts.size:
            return np.empty(0)
        sizes = np.add.reduceat(counts, starts)
        tops = np.maximum.reduceat(counts, starts)
        n_distinct = np.diff(np.append(starts, counts.size))
        if self.kind == "frequency":
            asked = as_fraction(self.l)  # decide in integers of any size, so that 3 of 9 is exactly one third
            enough = (tops.astype(object) * asked.numerator <= sizes.astype(object) * asked.denominator).astype(bool)
            below = math.nextafter(float(self.l), 0.0)
            return np.where(enough, np.maximum(sizes / tops, self.l), np.minimum(sizes / tops, below))
        if self.kind == "distinct":
            return n_distinct.astype(np.float64)
        if self.kind == "entropy":
            weighted = np.add.reduceat(counts * np.log(counts), starts)
            return np.asarray(np.exp(np.log(sizes) - weighted / sizes))
        c = as_fraction(self.c or 1)
        owner = np.repeat(np.arange(starts.size), n_distinct)
        falling = counts[np.lexsort((-counts, owner))]
        before = np.cumsum(falling) - falling
        tails = sizes[owner] - (before - before[starts][owner])  # r_i + ... + r_m
        large = tops[owner].astype(object) * c.denominator < tails.astype(object) * c.numerator
        return np.add.reduceat(large.astype(np.float64), starts)


def _floor(value: float) -> float:
    """Two decimals, never rounded up past what was reached."""
    return math.floor(value * 100 + 1e-6) / 100
