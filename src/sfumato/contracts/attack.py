"""The contract of attacks: parameters that are checked when made, one entry point, a baseline for what was found."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sfumato.contracts.method import make_by_name
from sfumato.data.table import Table
from sfumato.ground import cards
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatItTakes, SaysWhatMethodsTake
from sfumato.ground.cards import card, grid, small
from sfumato.ground.errors import UnknownNameError, suggest
from sfumato.ground.figures import Unit, format_value
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.surface import load_modules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sfumato.release.release import Release

__all__ = [
    "Adversary",
    "Attack",
    "Attacked",
    "Findings",
    "Success",
    "attack_from_dict",
    "cut_short",
    "known_attacks",
    "mean_success",
    "root_success",
    "share_success",
    "success_cells",
]

T = TypeVar("T")

_Z = 1.959963984540054  # of a 95% interval


@dataclass(frozen=True)
class Success:
    """How far one goal of an adversary was reached, and how far it would be without what the adversary saw."""

    value: float
    low: float | None
    """The 95% interval over the people attacked, where there is one."""
    high: float | None
    baseline: float
    """The same for somebody who never saw the release, or the reports."""
    meaning: str
    unit: Unit = "share"


class Findings(SaysWhatMethodsTake, Mapping[str, T]):
    """What was found, by name, and notes on it."""

    def __init__(self, found: Mapping[str, T], notes: tuple[str, ...] = ()) -> None:
        self._found = dict(found)
        self.notes = notes

    def __getitem__(self, name: str) -> T:
        try:
            return self._found[name]
        except KeyError:
            raise UnknownNameError(f"nothing is called {name!r}{suggest(str(name), self._found)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class Attacked(Findings[Success]):
    """What the adversary found, by name, with its baseline. For the owner alone: it is computed from the original.

    `attack` is what was run, `found` has what it reached by name, and `notes` what to know of it.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> found = sf.attack(release, sf.LinkageAttack(people=50))
    >>> found["singled"].baseline
    0.0
    """

    def __init__(self, attack: Adversary, found: Mapping[str, Success], notes: tuple[str, ...] = ()) -> None:
        super().__init__(found, notes)
        self.attack = attack

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "attack": self.attack.to_dict(),
            "found": {name: asdict(each) for name, each in self._found.items()},
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        header = ("", "found", "95% interval", f"without the {self.attack.sees}")
        rows = [(name, *success_cells(each), each.meaning) for name, each in self._found.items()]
        widths = [max(len(row[i]) for row in (header, *rows)) for i in range(4)]
        lines = [repr(self.attack), "  ".join(title.rjust(w) for title, w in zip(header, widths, strict=True))]
        for row in rows:
            cells = [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:4], widths[1:], strict=True))]
            lines.append("  ".join([*cells, row[4]]))
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return fit_screen(str(self))

    def _repr_html_(self) -> str:
        rows = [(name, *success_cells(each), small(each.meaning)) for name, each in self._found.items()]
        heads = ("", "found", "95% interval", f"without the {self.attack.sees}", "")
        return card(repr(self.attack), grid(heads, rows, numbers=(1, 2, 3)), small(cards.lines(self.notes)))


class Adversary(SaysWhatItTakes):
    """Somebody who knows something and sees something. Subclasses are frozen dataclasses of their own parameters."""

    sees: ClassVar[str] = "release"
    """What is seen, in a word."""

    def to_dict(self) -> dict[str, Any]:
        """The name and the parameters."""
        return {"name": type(self).__name__, **{f.name: getattr(self, f.name) for f in fields(self)}}  # type: ignore[arg-type]


class Attack(Adversary, ABC):
    """Somebody who knows something and has the release."""

    takes: ClassVar[type] = Table
    """What published data it attacks."""
    example: ClassVar[str] = ""
    """Parameters of a small attack as a recipe would write them, where those it has by itself ask for much."""
    _registry: ClassVar[dict[str, type[Attack]]] = {}

    def __init_subclass__(cls, *, register: bool = True) -> None:
        super().__init_subclass__()
        if register:
            Attack._registry[cls.__name__] = cls

    @abstractmethod
    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Attack a release; its owner's row map must be there, to compare what was found with the truth."""


def success_cells(found: Success) -> tuple[str, str, str]:
    """What was found, its interval and its baseline, as cells of a table."""
    low, high = found.low, found.high
    interval = "" if low is None or high is None else f"{_figure(low, found.unit)} to {_figure(high, found.unit)}"
    return _figure(found.value, found.unit), interval, _figure(found.baseline, found.unit)


def known_attacks() -> dict[str, type[Attack]]:
    """Every attack, by name."""
    load_modules("tables.attacks", "baskets.attacks", "graphs.attacks")
    return dict(Attack._registry)


def attack_from_dict(given: Mapping[str, Any]) -> Attack:
    """Read what `to_dict` wrote, or what a command line says."""
    made: Attack = make_by_name("attack", known_attacks(), given)
    return made


def cut_short(tried: int, wanted: int, what: str) -> str:
    """The note on an attack whose time was over: so many of those wanted were tried."""
    return f"the time was over: {tried:,} of {wanted:,} {what} were tried; --within (within=) gives more"


def share_success(hits: NDArray[np.bool_], baseline: float, meaning: str) -> Success:
    """The share of people that were hit, with Wilson's interval."""
    return _wilson(float(hits.mean()), len(hits), baseline, meaning)


def _wilson(share: float, n: int, baseline: float, meaning: str) -> Success:
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return Success(share, min(max(middle - reach, 0.0), share), max(min(middle + reach, 1.0), share), baseline, meaning)


def mean_success(values: NDArray[np.float64], baseline: float, meaning: str, unit: Unit = "share") -> Success:
    """The mean over people, with a normal interval; with Wilson's where values are 0 or 1 alone, or all equal."""
    mean = float(values.mean())
    if unit == "share" and (values.std() == 0 or bool(((values == 0) | (values == 1)).all())):
        return _wilson(mean, len(values), baseline, meaning)
    reach = _Z * float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    high = mean + reach if unit != "share" else min(mean + reach, 1.0)
    return Success(mean, max(mean - reach, 0.0), high, baseline, meaning, unit)


def root_success(squares: NDArray[np.float64], baseline: float, meaning: str) -> Success:
    """The root of a mean of squares over people; its interval by that of the squares."""
    mean = mean_success(squares, 0.0, "", "number")
    assert mean.low is not None
    assert mean.high is not None
    return Success(math.sqrt(mean.value), math.sqrt(mean.low), math.sqrt(mean.high), baseline, meaning, "number")


def _figure(value: float, unit: Unit) -> str:
    return f"{value:,.1f}" if unit == "number" and 100 <= abs(value) < 1e5 else format_value(value, unit)
