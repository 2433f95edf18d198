"""Command-line options as promises declare them: plain data, from which the command line makes its own options.

A promise that can be asked for on the command line has one `Option` that asks for it. Other parameters of the promise
have options of their own, in `further`. Where a promise also takes an option that belongs to another one, `takes` names
its flag: k^m-anonymity is asked for by `--m` and takes `--k`, which then does not ask for k-anonymity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sfumato.ground.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.privacy.promise import Promise

__all__ = ["Option", "options_in_order", "promises_asked_for"]

LAST = 1_000


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option of the command line, and the parameter of the promise that it gives."""

    flag: str
    """As it is written: `--l-kind`."""
    help: str
    type: Any = float
    """What its value is read as: float, int, Path, or a Literal of the words there are."""
    whole: bool = False
    """Whether a number without a fraction is passed on as a whole number, 5 and not 5.0."""
    default: Any = None
    """What stands for it where it is not given; None leaves the parameter out."""
    parameter: str = ""
    """The parameter of the promise; without it, the one that is called as the flag is."""
    alone: str = ""
    """What is said where it is given without an option that it needs: a further option needs the one that asks for the
    promise, which needs those that it takes."""
    further: tuple[Option, ...] = ()
    """Options that give further parameters of the same promise."""
    takes: tuple[str, ...] = ()
    """Flags of other promises' options whose values this promise needs too."""
    place: int = LAST
    """Options stand in help texts, and promises in a conjunction, in the order of these numbers."""

    @property
    def field(self) -> str:
        """The flag as a name in Python: `l_kind`."""
        return self.flag.removeprefix("--").replace("-", "_")

    def is_given(self, values: Mapping[str, Any]) -> bool:
        """Whether the values that were read hold it with another value than its default."""
        return bool(values.get(self.field, self.default) != self.default)

    def argument(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The parameter of the promise and its value, as a mapping; empty where there is no value."""
        value = values.get(self.field, self.default)
        if self.whole and isinstance(value, float) and value.is_integer():
            value = int(value)
        return {} if value is None else {self.parameter or self.field: value}


def options_in_order(promises: Iterable[type[Promise]]) -> list[Option]:
    """Return the options of these promises as help texts list them; refuse a flag that two promises declare."""
    asking = sorted(
        (option for _, option in _promises_with_options(promises)), key=lambda option: (option.place, option.flag)
    )
    options = [each for option in asking for each in (option, *option.further)]
    flags = [option.flag for option in options]
    for flag in flags:
        if flags.count(flag) > 1:
            raise TypeError(f"the option {flag} is declared twice; the second promise can take it from the first")
    return options


def promises_asked_for(promises: Iterable[type[Promise]], values: Mapping[str, Any]) -> list[Promise]:
    """Make the promises that the values of options ask for; `values` goes by `Option.field`.

    An option without the others that it needs is refused.
    """
    declared = _promises_with_options(promises)
    by_flag = {option.flag: option for option in options_in_order(promise for promise, _ in declared)}
    for _, option in declared:
        _refuse_alone(option, by_flag, values)
    asked = [(promise, option) for promise, option in declared if option.is_given(values)]
    taken = {flag for _, option in asked for flag in option.takes}
    found = []
    for promise, option in asked:
        if option.flag not in taken:
            used = [option, *option.further, *(by_flag[flag] for flag in option.takes)]
            arguments = {name: value for each in used for name, value in each.argument(values).items()}
            found.append((min(each.place for each in used), promise(**arguments)))
    return [promise for _, promise in sorted(found, key=lambda pair: pair[0])]


def _promises_with_options(promises: Iterable[type[Promise]]) -> list[tuple[type[Promise], Option]]:
    return [(promise, promise.option) for promise in promises if promise.option is not None]


def _refuse_alone(option: Option, by_flag: Mapping[str, Option], values: Mapping[str, Any]) -> None:
    """Refuse an option that is given without one that it needs."""
    needs = [(option, by_flag[flag]) for flag in option.takes] + [(each, option) for each in option.further]
    for each, needed in needs:
        if each.is_given(values) and not needed.is_given(values):
            raise ParameterError(each.alone or f"{each.flag} goes with {needed.flag}; give {needed.flag} too")
