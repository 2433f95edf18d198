"""Measuring a release: what is asked, and one function for each shape, registered by the room that measures it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, TypeAlias

from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.figures import Measures
from sfumato.ground.randomness import Randomness
from sfumato.published.shape import Shape

__all__ = ["Asked", "also_measured", "further_measures", "measure_of"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """Options of `measure`; each shape takes those that mean something for it."""

    label: str | None = None
    """The column that a reader predicts; by default the first sensitive one."""
    k: int | None = None
    """The least size of a class that was promised."""
    population: Table | None = None
    """A table that the published persons are a part of, for the journalist's risk."""
    n_queries: int = 200
    random: Randomness | None = None
    """Without it, the same queries are drawn every time."""
    relative: bool = False
    """Whether the distortion is also measured relative to the value itself."""
    olap_levels: Sequence[int] = ()
    """Levels of the data cube to compare with the original's."""

    def refuse_levels(self, shown: str) -> None:
        """Raise where levels of the data cube are asked for, of a release that shows this in place of classes."""
        if self.olap_levels:
            raise ParameterError(f"olap_levels compares classes, and this release has {shown}; leave olap_levels out")

    def refuse_levels_without(self, original: Table | None) -> None:
        """Raise where levels of the data cube are asked for, and there is no original to compare with."""
        if self.olap_levels and original is None:
            raise ParameterError("olap_levels compares with the original; give it, or leave olap_levels out")


Measuring: TypeAlias = Callable[[Any, Any, Asked], Measures]
_FURTHER: list[tuple[type[Shape], Measuring]] = []


def also_measured(kind: type[Shape]) -> Callable[[Measuring], Measuring]:
    """Join the figures of a function, which may give none, to those of every release of this shape."""

    def register(measuring: Measuring) -> Measuring:
        _FURTHER.append((kind, measuring))
        return measuring

    return register


def further_measures(shape: Shape, original: Any, asked: Asked) -> Measures:
    """The figures that were registered for this shape or for one that it is a kind of."""
    found = Measures()
    for kind, measuring in _FURTHER:
        if isinstance(shape, kind):
            found |= measuring(shape, original, asked)
    return found


@singledispatch
def measure_of(shape: Shape, original: Any, asked: Asked) -> Measures:
    """Utility and risk of a release of this shape; without the original, what the release says of itself."""
    raise ParameterError(f"there are no measures of {shape.name}")
