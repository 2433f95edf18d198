"""`sfumato risk`."""

from __future__ import annotations

from typing import Any, Literal

from sfumato.cli.options import say, seed_from, split_names, write_json
from sfumato.data.reading_graphs import read_graph
from sfumato.graphs.risk.graph_risk import graph_risk
from sfumato.ground.errors import ParameterError

__all__ = ["run"]


def run(
    graph: str, *, mus: str | None, direction: Literal["any", "both"], seed: str | None, as_json: bool, **asked: Any
) -> int:
    """Print what each mu hides and what it costs."""
    chosen: dict[str, Any] = {"mu": [_number(mu) for mu in split_names(mus)]} if mus else {}
    found = graph_risk(read_graph(graph, direction=direction), **chosen, **asked, seed=seed_from(seed))
    if as_json:
        write_json(found.to_dict())
    else:
        say(str(found))
    return 0


def _number(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise ParameterError(f"--mu takes numbers separated by commas, as in 0.0001,0.001; got {given!r}") from None
