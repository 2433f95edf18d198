"""Numbers as they are written down."""

from __future__ import annotations

from typing import Any

__all__ = ["rounded"]


def rounded(value: Any) -> Any:
    """Plain data with its numbers to four digits; what is not finite becomes None."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.4g}") if value == value and abs(value) != float("inf") else None
    return value
