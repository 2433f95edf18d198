"""What an experiment found, in the form in which it is written down."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.reproduce.rounding import rounded

__all__ = ["Result"]


@dataclass(frozen=True, kw_only=True)
class Result:
    """One figure of the papers, or one experiment beside them."""

    figure: str
    claim: str
    """What the paper says of it, in a line."""
    printed: str
    """What the algorithm as printed gives here."""
    ours: str
    """What the method as rebuilt gives here."""
    seen: str
    """What to make of it."""
    setup: dict[str, Any]
    """Data and sizes."""
    points: list[dict[str, Any]]
    """The numbers."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, numbers to four digits."""
        return dict(rounded(asdict(self)))
