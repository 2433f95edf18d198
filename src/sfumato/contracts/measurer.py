"""Measuring a release: the options of `measure`, and one function for each shape, registered where it is written."""

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

__all__ = ["MeasureOptions", "further_measures", "measure_of", "register_further_measures"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasureOptions:
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
        """Refuse levels of the data cube for a release that has no classes; `shown` says what it has in their place."""
        if self.olap_levels:
            raise ParameterError(f"olap_levels compares classes, and this release has {shown}; leave olap_levels out")

    def refuse_levels_without(self, original: Table | None) -> None:
        """Refuse levels of the data cube where there is no original to compare with."""
        if self.olap_levels and original is None:
            raise ParameterError("olap_levels compares with the original; give it, or leave olap_levels out")


Measuring: TypeAlias = Callable[[Any, Any, MeasureOptions], Measures]
_FURTHER: list[tuple[type[Shape], Measuring]] = []


def register_further_measures(kind: type[Shape]) -> Callable[[Measuring], Measuring]:
    """Register a function whose figures are added to those of every release of this shape; it may return none."""

    def register(measuring: Measuring) -> Measuring:
        _FURTHER.append((kind, measuring))
        return measuring

    return register


def further_measures(shape: Shape, original: Any, asked: MeasureOptions) -> Measures:
    """Return the figures of all functions that were registered for this shape, or for a shape that it derives from."""
    found = Measures()
    for kind, measuring in _FURTHER:
        if isinstance(shape, kind):
            found |= measuring(shape, original, asked)
    return found


@singledispatch
def measure_of(shape: Shape, original: Any, asked: MeasureOptions) -> Measures:
    """Measure the utility and risk of a release of this shape; without the original, what the release itself shows."""
    raise ParameterError(f"there are no measures of {shape.name}")
