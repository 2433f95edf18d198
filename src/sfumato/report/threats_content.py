"""What attacks achieved, for the owner's report on a table: singling out, linkability and inference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.contracts.attack import Findings
from sfumato.ground.figures import format_value

__all__ = ["ThreatShown", "ThreatsPart", "threats_shown"]


@dataclass(frozen=True)
class ThreatShown:
    """One of the three threats, by the attack that got furthest."""

    name: str
    attack: str
    value: float
    low: float | None
    high: float | None
    baseline: float
    sentence: str

    @property
    def shown(self) -> str:
        """The share that was reached."""
        return format_value(self.value, "share")

    @property
    def between(self) -> str:
        """The 95% interval; a dash where the value is a bound and has none."""
        if self.low is None or self.high is None:
            return "–"
        return f"{format_value(self.low, 'share')} to {format_value(self.high, 'share')}"

    @property
    def without(self) -> str:
        """What is reached by somebody who never saw the release."""
        return format_value(self.baseline, "share")


@dataclass(frozen=True)
class ThreatsPart:
    """The threats, and notes on them."""

    threats: Sequence[ThreatShown]
    notes: Sequence[str]


def threats_shown(panel: Findings[Any] | None) -> ThreatsPart | None:
    """The panel of `sfumato.threats` as rows; None where nothing was attacked."""
    if panel is None:
        return None
    rows = [
        ThreatShown(
            name, type(each.attack).__name__, each.success.value, each.success.low, each.success.high,
            each.success.baseline, each.sentence,
        )
        for name, each in panel.items()
    ]  # fmt: skip
    return ThreatsPart(rows, [str(note) for note in panel.notes])
