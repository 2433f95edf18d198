"""Target distributions: what the sensitive values of a group are made to look like.

Koudas, Srivastava, Yu & Zhang, "Distribution-based microdata anonymization", PVLDB 2(1), 2009, section 3. A target is
a rule; over the values of a domain it becomes whole-numbered weights, so that everything that follows is decided in
whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.values import text
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError, suggest
from sfumato.privacy.promise import as_fraction

__all__ = ["PARTS", "Target"]

PARTS = 1_000_000
"""Distributions that are no fractions of whole numbers are rounded to weights of this sum."""

_MOST = 10**12
_LARGEST = 10**300
_NEEDS = {"histogram": ("shares",), "normal": ("mean", "sd"), "zipf": ("s",), "each": ("column", "targets")}
_IN_WORDS = {
    "uniform": "the uniform one: every value of the domain is equally likely",
    "table": "that of the whole table",
    "group": "that of the group before it was split",
    "histogram": "a histogram that the owner gave",
    "normal": "a normal one",
    "zipf": "a Zipf distribution over the ordered values",
    "each": "one that the owner gave for each group",
}
_NAMES = tuple(_IN_WORDS)


@dataclass(frozen=True)
class Target(SaysWhatMethodsTake):
    """A distribution over the values of a sensitive column. Make one with the constructors below, or by its name.

    Of its `kind` it has `numbers`, `shares` of values or, by values of a `column`, `parts`.

    >>> Target.of("uniform")
    Target.uniform()
    """

    kind: str
    numbers: tuple[float, ...] = ()
    shares: tuple[tuple[str, float], ...] = ()
    column: str = ""
    parts: tuple[tuple[str, Target], ...] = ()

    # -- constructors ------------------------------------------------------------------------------------------------
    @staticmethod
    def uniform() -> Target:
        """Every value of the domain alike."""
        return Target("uniform")

    @staticmethod
    def table() -> Target:
        """As in the whole table: t-closeness with t = 0."""
        return Target("table")

    @staticmethod
    def group() -> Target:
        """As in the group itself, before it is split: who has which value is all that is hidden."""
        return Target("group")

    @staticmethod
    def histogram(shares: Mapping[Any, float]) -> Target:
        """A weight for every value, as in `{"flu": 3, "cold": 2}`; values that are not named have none."""
        if not isinstance(shares, Mapping) or not shares:
            raise ParameterError(f"a histogram names values and their weights, as in {{'flu': 3}}, got {shares!r}")
        for value, weight in shares.items():
            if not _is_real_number(weight) or weight < 0:
                raise ParameterError(f"the weight of {value!r} must be a number >= 0, got {_short(weight)}")
        texts = [text(value) for value in shares]
        twice = next((each for each in texts if texts.count(each) > 1), None) if len(set(texts)) < len(texts) else None
        if twice is not None:
            raise ParameterError(f"the histogram names the value {twice!r} twice; give it one weight")
        if not any(shares.values()):
            raise ParameterError("some value of a histogram must have a weight above 0")
        return Target("histogram", shares=tuple((text(value), weight) for value, weight in shares.items()))

    @staticmethod
    def normal(mean: float, sd: float) -> Target:
        """The normal density at every value (numbers alone)."""
        for name, number in (("mean", mean), ("sd", sd)):
            if not _is_real_number(number):
                raise ParameterError(f"{name} must be a number, got {_short(number)}")
        if sd <= 0:
            raise ParameterError(f"sd must be above 0, got {sd!r}")
        return Target("normal", numbers=(mean, sd))

    @staticmethod
    def zipf(s: float) -> Target:
        """Of the k-th value in the order of the domain, a weight of 1 / k^s."""
        if not _is_real_number(s) or s < 0:
            raise ParameterError(f"s must be a number >= 0, got {_short(s)}")
        return Target("zipf", numbers=(s,))

    @staticmethod
    def each(column: str, targets: Mapping[Any, Target | str | Mapping[str, Any]]) -> Target:
        """One target for every value of a column that groups are formed by."""
        if not isinstance(column, str) or not isinstance(targets, Mapping) or not targets:
            raise ParameterError("Target.each takes a column and a target for each of its values")
        parts = tuple((text(value), Target.of(target)) for value, target in targets.items())
        if any(part.kind == "each" for _, part in parts):
            raise ParameterError("a target for each value of a column must be a single distribution")
        return Target("each", column=column, parts=parts)

    @staticmethod
    def of(given: Target | str | Mapping[str, Any]) -> Target:
        """A target as it is, by name (`"uniform"`, `"table"`, `"group"`), or from what `to_dict` wrote."""
        if isinstance(given, Target):
            return given
        if not isinstance(given, (str, Mapping)):
            raise ParameterError(
                f"a target is a name such as 'uniform', a Target, or a table with a name, got {given!r}"
            )
        rest: dict[str, Any] = {"name": given} if isinstance(given, str) else dict(given)
        name = str(rest.pop("name", ""))
        if name not in _NAMES:
            raise ParameterError(f"no target is called {name!r}{suggest(name, _NAMES)}")
        wanted = _NEEDS.get(name, ())
        if set(rest) != set(wanted):
            needs = " and ".join(wanted) or "nothing more"
            raise ParameterError(f"the target {name!r} takes {needs}, got {', '.join(rest) or 'none of it'}")
        return getattr(Target, name)(**rest)  # type: ignore[no-any-return]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for recipes and certificates."""
        if self.kind == "histogram":
            return {"name": "histogram", "shares": dict(self.shares)}
        if self.kind == "normal":
            return {"name": "normal", "mean": self.numbers[0], "sd": self.numbers[1]}
        if self.kind == "zipf":
            return {"name": "zipf", "s": self.numbers[0]}
        if self.kind == "each":
            parts = {value: part.to_dict() for value, part in self.parts}
            return {"name": "each", "column": self.column, "targets": parts}
        return {"name": self.kind}

    def __repr__(self) -> str:
        return fit_screen(self.in_full)

    @property
    def in_full(self) -> str:
        """The target with all that it was given, as promises name it."""
        given = self.to_dict()
        return f"Target.{given.pop('name')}({', '.join(f'{key}={value!r}' for key, value in given.items())})"

    @property
    def in_words(self) -> str:
        """The distribution as the end of a sentence."""
        return _IN_WORDS[self.kind]

    # -- over a domain -----------------------------------------------------------------------------------------------
    @property
    def by_data(self) -> bool:
        """Whether it follows the records, so that readers must be told its weights."""
        return self.kind in ("table", "group") or any(part.by_data for _, part in self.parts)

    def for_label(self, label: str) -> Target:
        """The target of the group whose rows have this value in the column that groups are formed by."""
        if self.kind != "each":
            return self
        found = dict(self.parts).get(label)
        if found is None:
            raise ParameterError(f"no target is given for {label!r} in column {self.column!r}; add one")
        return found

    def weights(
        self, texts: Sequence[str], numbers: NDArray[np.float64] | None, own: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Return whole-numbered weights for the values of a domain, given as texts and, where there are any, numbers.

        `own` are the counts of the table or group that `table` and `group` follow.
        """
        m = len(texts)
        if self.kind == "uniform":
            return np.ones(m, dtype=np.int64)
        if self.kind in ("table", "group"):
            assert own is not None
            return own.astype(np.int64) // max(int(np.gcd.reduce(own)), 1)
        if self.kind == "histogram":
            return self._histogram_weights(texts)
        if self.kind == "normal":
            if numbers is None:
                raise ParameterError("a normal target needs a column of numbers; give a histogram for categories")
            mean, sd = self.numbers
            with np.errstate(over="ignore", invalid="ignore"):
                away = np.minimum(np.abs((numbers - mean) / sd), 1e300)
                nearest = away.min()
                return weights_of_density(
                    np.exp(-0.5 * np.where(away == nearest, 0.0, (away - nearest) * (away + nearest)))
                )
        return weights_of_density(np.arange(1, m + 1, dtype=np.float64) ** -self.numbers[0])

    def _histogram_weights(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The weights of a histogram over these values: the least whole numbers in its proportions."""
        place = {value: i for i, value in enumerate(texts)}
        for value, weight in self.shares:
            if weight and value not in place:
                raise ParameterError(
                    f"the target gives {value!r} a weight, and no record has that value; list it in domain, or drop it"
                )
        fractions = [_fraction(weight) for _, weight in self.shares]
        common = math.lcm(*(fraction.denominator for fraction in fractions))
        found = np.zeros(len(texts), dtype=np.int64)
        if sum(fractions) * common > _MOST:
            total = sum(fractions)
            parts = weights_of_density(np.array([float(fraction / total) for fraction in fractions]))
            fractions, common = [Fraction(int(part)) for part in parts], 1
        for (value, weight), fraction in zip(self.shares, fractions, strict=True):
            if weight:
                found[place[value]] = int(fraction * common)
        return np.asarray(found // max(int(np.gcd.reduce(found)), 1))


def _is_real_number(number: Any) -> bool:
    """Whether it is a number, and not too large to compute with."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    return abs(number) <= _LARGEST if isinstance(number, int) else math.isfinite(number) and abs(number) <= _LARGEST


def _short(given: Any) -> str:
    shown = repr(given) if not isinstance(given, int) or abs(given) <= _LARGEST else "a number past 10^300"
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _fraction(weight: float) -> Fraction:
    """A weight as the fraction it stands for, or as the decimal that is written where no such fraction is near."""
    near = as_fraction(weight)
    return near if abs(float(near) - weight) <= 1e-9 * weight else Fraction(str(weight))


def weights_of_density(density: NDArray[np.float64]) -> NDArray[np.int64]:
    """Round a density to whole-numbered weights that sum to `PARTS`, by the largest remainders."""
    ideal = density * (PARTS / density.sum())
    weights: NDArray[np.int64] = np.floor(ideal).astype(np.int64)
    lacking = PARTS - int(weights.sum())
    weights[np.argsort(-(ideal - weights), kind="stable")[:lacking]] += 1
    return weights
