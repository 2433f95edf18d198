"""Grouping methods whose groups can be formed anew for a number of steps after they were formed: `polish=STEPS`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, cast

from sfumato.tables.grouping.groups import GroupingMethod
from sfumato.tables.grouping.regrouping import polish_steps

__all__ = ["PolishedMethod"]


class PolishedMethod(GroupingMethod, register=False):
    """Base of methods with the parameter `polish`: true, false, or for how many steps groups are formed anew."""

    polish: bool | int

    def __post_init__(self) -> None:
        """Check `polish`, and hold it as Python's own number or truth value."""
        super().__post_init__()
        n_steps = polish_steps(self.polish)
        object.__setattr__(self, "polish", n_steps or bool(self.polish))

    def before_steps(self) -> Self:
        """The method as it is without a number of steps."""
        return self._polished(polish=True) if polish_steps(self.polish) else self

    def after_steps(self, n_steps: int) -> Self | None:
        """The method that goes on for so many steps."""
        return self._polished(polish=n_steps)

    def _polished(self, *, polish: bool | int) -> Self:
        return cast(Self, replace(cast(Any, self), polish=polish))
