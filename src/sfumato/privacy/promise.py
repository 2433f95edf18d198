"""Promises: what a release guarantees.

A promise is a small frozen class. It appears twice, and the two share nothing but its definition: as
`conditions` on class histograms, which algorithms use while they form classes, and as `check`, which reads the
classes off a published table and decides from scratch.

Its file says everything about it: beside these two, what people call it (`name`), what it means for them (`in_words`),
which command-line option asks for it (`option`), of which data it can be promised (`of`), and what its check looks at
(`speaks_of`), in one of these words:

- `classes`: how many records look the same to whoever knows their quasi-identifiers, or some of their items.
- `groups`: the sensitive values of whatever set of rows they are told of. That is a class, or, where sensitive values
  are published apart or records are drawn anew, a group of rows that need not look the same.
- `records`: single records: with how many each can change places, how many a link leaves, how many fit it.
- `population`: how many people outside the table fit what a class shows.
- `graph`: the vertices and edges of a graph.
- `mechanism`: how what is published was drawn: its parameters are recomputed, the draw cannot be proved.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args

from sfumato.ground.calls import SaysWhatItTakes
from sfumato.ground.errors import ParameterError, suggest
from sfumato.ground.surface import load_modules
from sfumato.ground.validate import told, whole
from sfumato.privacy.words import first_sentence, join_names

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.conditions import Condition
    from sfumato.privacy.option import Option
    from sfumato.published.equivalence import PublishedClasses

__all__ = [
    "All",
    "Finding",
    "OfSize",
    "Promise",
    "as_fraction",
    "check_fraction",
    "known_promises",
    "promise_from_dict",
]

SpeaksOf: TypeAlias = Literal["classes", "groups", "records", "population", "graph", "mechanism"]
DataKind: TypeAlias = Literal["table", "baskets", "graph"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What the check of one promise found."""

    promise: str
    holds: bool
    found: str
    """One clause for people, such as `smallest class 10 in 2,714 classes`."""
    value: float
    """The privacy reached, in the promise's own unit: k, l or t."""
    worst_class: int | None = None
    """The class that comes closest to breaking the promise, or breaks it."""
    decided: bool = True
    """False where what was read does not suffice to decide: nothing contradicts the promise, and nothing proves it."""
    declared: bool = False
    """True where a mechanism's promise was not contradicted, and no release could prove it; then it does not hold."""


class Promise(SaysWhatItTakes, ABC):
    """A guarantee about every equivalence class of a published table."""

    speaks_of: ClassVar[SpeaksOf]
    """What its check looks at, in a word that is explained above. Every promise says so; there is no default."""
    of: ClassVar[frozenset[DataKind]] = frozenset({"table"})
    """Of which data it can be promised."""
    kept_by_groups: ClassVar[bool] = False
    """Whether groups of records that satisfy `min_size` and `conditions` keep it, whatever is shown of them."""
    kept_by: ClassVar[str] = ""
    """The method that keeps it where none is named; empty where any that forms groups does."""
    bounds_loss: ClassVar[bool] = False
    """Whether it bounds what the ranges of a class lose: then it needs classes that show ranges."""
    measured: ClassVar[bool] = False
    """Whether it is about repeated draws of a method, so that one release can contradict it and cannot prove it."""
    option: ClassVar[Option | None] = None
    """The command-line option that asks for it, with those of its other parameters."""
    example: ClassVar[str] = "5"
    """A value of its first parameter, as a recipe would write it."""
    _registry: ClassVar[dict[str, type[Promise]]] = {}

    def __init_subclass__(cls, *, register: bool = True) -> None:
        if not register:
            return
        if getattr(cls, "speaks_of", None) not in get_args(SpeaksOf):
            words = ", ".join(map(repr, get_args(SpeaksOf)))
            raise TypeError(f"{cls.__name__} must say what it speaks of: speaks_of is one of {words}")
        Promise._registry[cls.__name__] = cls

    def __and__(self, other: Promise) -> Promise:
        if not isinstance(other, Promise):
            return NotImplemented
        return All((*self.parts, *other.parts))

    def __bool__(self) -> bool:
        """Refuse: `a and b` is b alone, and `a or b` is a alone, so that one of two promises would be lost."""
        raise ParameterError("a promise is neither true nor false; join promises with &, as in KAnonymity(5) & ...")

    @property
    def parts(self) -> tuple[Promise, ...]:
        """The single promises this one is made of."""
        return (self,)

    @property
    def name(self) -> str:
        """The promise as people call it."""
        return repr(self)

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """What it means for the people in the data; `noun` is what its sets of rows are called."""
        return first_sentence(type(self).__doc__) or "See the documentation of this promise."

    @property
    def lacking(self) -> str | None:
        """What must be given before it can be decided, in words; None where a release and its original suffice."""
        return None

    def in_words_of_baskets(self) -> str:
        """What it means for the people whose sets of items are published."""
        return self.in_words((), ())

    @abstractmethod
    def min_size(self) -> int:
        """Return the size of the smallest class that could keep the promise."""

    @abstractmethod
    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """Return the conditions on the histograms of these sensitive columns that a class must satisfy."""

    @abstractmethod
    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Decide the promise on the classes of a published table."""

    @abstractmethod
    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Say why no release of such a table can keep the promise, and the best that one can; None where one can."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for certificates and recipes."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {"name": type(self).__name__, **{key: value for key, value in own.items() if value is not None}}


class OfSize(Promise, register=False):
    """What promises share that ask for k records and nothing of their sensitive values."""

    k: int

    def min_size(self) -> int:
        """Return k: a class, or whatever records hide in, has k records or more."""
        return self.k

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """No conditions: the size alone decides."""
        return []

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Say so where the table has fewer than k records: no release of it can keep the promise."""
        if n_rows >= self.k:
            return None
        if n_rows == 0:
            return f"k={self.k} needs at least {self.k} records and the table has none; give it some"
        return f"k={self.k} needs at least {self.k} records and the table has {n_rows}; the best is k={n_rows}"

    def _check_k(self, least: int) -> None:
        whole("k", self.k, least=least)


@dataclass(frozen=True)
class All(Promise, register=False):
    """Several promises at once; made with `&`."""

    promises: tuple[Promise, ...]

    @property
    def parts(self) -> tuple[Promise, ...]:
        """The promises joined."""
        return self.promises

    @property
    def name(self) -> str:
        """The names of all parts."""
        return join_names([part.name for part in self.promises])

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """What each part means."""
        return " ".join(part.in_words(quasi, sensitive, noun) for part in self.promises)

    def min_size(self) -> int:
        """The largest that a part asks for."""
        return max(part.min_size() for part in self.promises)

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """The conditions of all parts."""
        return [condition for part in self.promises for condition in part.conditions(sensitive)]

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """The findings of all parts."""
        return [finding for part in self.promises for finding in part.check(classes)]

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """The reason of the first part that no release can keep; None where all can be kept."""
        return next((why for part in self.promises if (why := part.limit(n_rows, sensitive)) is not None), None)

    def to_dict(self) -> dict[str, Any]:
        """A list of the parts."""
        return {"name": "All", "promises": [part.to_dict() for part in self.promises]}

    def __repr__(self) -> str:
        return " & ".join(repr(part) for part in self.promises)


_FINEST = 1_000_000
_NOISE = Fraction(1, 10**15)
"""How far the nearest double lies from a fraction, relative to it."""


def as_fraction(value: float) -> Fraction:
    """Return the fraction that a parameter stands for: 0.1 is one tenth and 10 / 3 ten thirds, not the nearest doubles.

    Denominators go up to a million, so that algorithms and checks can both decide in whole numbers.
    """
    return Fraction(str(value)).limit_denominator(_FINEST)


def check_fraction(name: str, value: float) -> None:
    """Refuse a parameter that no fraction with a denominator of a million or less stands for.

    >>> check_fraction("l", 10 / 3)
    >>> check_fraction("l", 2.0000004)
    Traceback (most recent call last):
    sfumato.ground.errors.ParameterError: l has six decimals at most or is one like 10 / 3; write 2, not 2.0000004
    """
    exact, near = Fraction(str(value)), as_fraction(value)
    if abs(exact - near) > _NOISE * abs(exact):
        raise ParameterError(
            f"{name} has six decimals at most or is one like 10 / 3; write {round(value, 6):.6f}".rstrip("0").rstrip(
                "."
            )
            + f", not {value!r}"
        )


def known_promises() -> dict[str, type[Promise]]:
    """Every single promise, by the name of its class."""
    load_modules("privacy")
    return dict(Promise._registry)


def promise_from_dict(given: Mapping[str, Any]) -> Promise:
    """Read what `to_dict` wrote, or what a recipe says."""
    if not isinstance(given, Mapping):
        raise ParameterError(f"a promise is a table with a name, got {told(given)}")
    rest = dict(given)
    name = str(rest.pop("name", ""))
    if name == "All" and not (isinstance(rest.get("promises"), (list, tuple)) and rest["promises"]):
        raise ParameterError("a promise of All needs promises, a list of at least one")
    if name == "All":
        return All(tuple(promise_from_dict(part) for part in rest["promises"]))
    promises = known_promises()
    cls = promises.get(name)
    if cls is None:
        raise ParameterError(f"no promise is called {name!r}{suggest(name, sorted(promises))}")
    known = [f.name for f in fields(cls)]  # type: ignore[arg-type]
    for key in rest:
        if key not in known:
            raise ParameterError(f"{name} has no parameter {key!r}{suggest(key, known)}")
    if known[0] not in rest:
        raise ParameterError(f"{name} needs {known[0]}, as in {known[0]} = {cls.example}")
    if isinstance(rest.get("columns"), list):
        rest["columns"] = tuple(rest["columns"])
    try:
        return cls(**rest)
    except TypeError as error:
        raise ParameterError(f"{name}: {error}") from None
