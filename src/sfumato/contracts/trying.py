"""What a method that tries others needs and tells: a stream of random numbers for each, and what came of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato.ground.errors import SfumatoError
from sfumato.ground.randomness import Randomness

if TYPE_CHECKING:
    from sfumato.contracts.method import Method

__all__ = ["Streams", "Tried", "label_of", "own_parameters"]


class Streams(NamedTuple):
    """Where each method gets its random numbers from: what it would get if it were run alone."""

    of: Callable[[Method], Randomness]
    """The stream of a method, the same whenever it is asked for."""
    repeats: bool
    """Whether somebody gave a seed, and counts on the same release whenever this is run."""


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A method that was tried for a release, and what came of it. It is the owner's: it tells of the original."""

    method: Method
    loss: float | None = None
    """What its groups lose (GCP, from 0 to 1); None where it formed none."""
    seconds: float = 0.0
    why: str = ""
    """Why it formed none."""

    def __str__(self) -> str:
        came = f"{self.loss:.4f}" if self.loss is not None else self.why
        return f"{label_of(self.method)} {came}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {"method": label_of(self.method), "loss": self.loss, "seconds": self.seconds, "why": self.why}


def label_of(method: Method) -> str:
    """The method as a person would write it, with the parameters that are not as they are by default."""
    said = ", ".join(f"{name}={value!r}" for name, value in own_parameters(method).items())
    return f"{type(method).__name__}({said})" if said else type(method).__name__


def own_parameters(method: Method) -> dict[str, Any]:
    """The parameters that are not as they are by default."""
    try:
        plain: Any = type(method)()
    except (SfumatoError, TypeError):  # it needs some
        plain = type(method)
    own = {each.name: getattr(method, each.name) for each in fields(method)}  # type: ignore[arg-type]
    return {name: value for name, value in own.items() if value is not None and value != getattr(plain, name, None)}
