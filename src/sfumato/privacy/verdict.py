"""Verdicts: whether a promise holds, what was found, and on what it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Verdict"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of a check by somebody who knows nothing of the method."""

    holds: bool
    found: tuple[str, ...]
    """One clause per promise, such as `smallest class 10 in 2,714`."""
    checked_on: str
    """What was read: the published table alone, or the original beside it."""
    decisions: tuple[str, ...] = ()
    """How cells that say no plain value were taken."""
    broken: tuple[str, ...] = ()
    """What does not hold, and where."""
    reached: Mapping[str, float] | None = None
    """The privacy found, by promise."""
    undecided: tuple[str, ...] = ()
    """Promises that nothing contradicts, and that what was read does not suffice to decide; then nothing holds."""

    def __bool__(self) -> bool:
        return self.holds

    @property
    def said(self) -> str:
        """The verdict in a word or two."""
        return "holds" if self.holds else "is NOT decided" if self.undecided and not self.broken else "does NOT hold"

    def __str__(self) -> str:
        lines = [self.said, *self.found, *(f"broken: {text}" for text in self.broken)]
        lines += [f"checked on {self.checked_on}", *self.decisions]
        return "\n".join([lines[0], *("  " + line for line in lines[1:])])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "holds": self.holds, "found": list(self.found), "checked_on": self.checked_on,
            "decisions": list(self.decisions), "broken": list(self.broken), "reached": dict(self.reached or {}),
            **({"undecided": list(self.undecided)} if self.undecided else {}),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Verdict:
        """Read what `to_dict` wrote."""
        return cls(
            holds=bool(given["holds"]), found=tuple(given["found"]), checked_on=str(given["checked_on"]),
            decisions=tuple(given.get("decisions", ())), broken=tuple(given.get("broken", ())),
            reached=dict(given.get("reached", {})), undecided=tuple(given.get("undecided", ())),
        )  # fmt: skip
