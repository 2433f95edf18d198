"""Words on values that were drawn anew: the properties that they keep, and the random walk that drew them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from sfumato.data.values import text

__all__ = ["properties_kept", "walk_in_words"]

_MOST = 40


def properties_kept(properties: pl.DataFrame | None) -> list[tuple[str, int]]:
    """The properties by name, with how many statements each makes; the first of them where there are many."""
    if properties is None:
        return []
    counted = properties.group_by("property", maintain_order=True).len().rows()
    kept = [(str(name), int(n)) for name, n in counted[:_MOST]]
    rest = counted[_MOST:]
    return [*kept, (f"{len(rest):,} more", sum(int(n) for _, n in rest))] if rest else kept


def walk_in_words(walk: Mapping[str, Any], resolution: Mapping[str, float]) -> list[tuple[str, str]]:
    """How the values were drawn by the walk, and to how many digits they are published: names and texts."""
    if not walk:
        return []
    said = [("walk", f"{walk['name']}, {int(walk.get('steps', 0)):,} steps in {int(walk['bodies']):,} bodies")]
    if walk.get("bodies"):
        time = walk["autocorrelation_time"]
        worth = f"{walk['effective_size']:.0f} independent points"
        state = "mixed" if walk["mixed"] else "NOT mixed: the values may lean towards where the walk began"
        said.append(("mixing", f"{state}; the slowest walk was worth {worth}"
                     + (f", one every {time:.1f} steps" if time is not None else ", as it never moved")))  # fmt: skip
        said.append(("smallest slack", f"{walk['smallest_slack']:.2g} of a column’s range"))
    parameters = [
        f"{name} {'as real numbers' if not step else 'to ' + text(float(step))}" for name, step in resolution.items()
    ]
    return [*said, ("told", ", ".join(parameters))] if parameters else said
