"""`sfumato risk`."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import Any, Literal

from sfumato.cli.options import say, seed_from, split_names, write_json
from sfumato.data.delimited import as_utf8, file_content
from sfumato.data.reading_baskets import holds_lines
from sfumato.data.reading_graphs import holds_edges, read_graph
from sfumato.data.recognising_contents import has_lines_of_items
from sfumato.graphs.risk.graph_risk import GraphRisk, graph_risk
from sfumato.ground.errors import DataError, ParameterError
from sfumato.privacy.words import join_names

__all__ = ["run"]

_SAMPLE = 1 << 16
_STRONGEST_FIRST = ("structural", "interval-walk", "walk-based")


def run(
    graph: str, *, mus: str | None, direction: Literal["any", "both"], seed: str | None, as_json: bool, **asked: Any
) -> int:
    """Print what each mu hides and what it costs, and how the graph is published with one that will do."""
    chosen: dict[str, Any] = {"mu": [_number(mu) for mu in split_names(mus)]} if mus else {}
    _refuse_sets(graph)
    found = graph_risk(read_graph(graph, direction=direction), **chosen, **asked, seed=seed_from(seed))
    mu = _mu_to_publish(found)
    way = f" --direction {direction}" if direction != "any" else ""
    command = f"sfumato publish {shlex.quote(graph)}{way} --mu {mu:g} -o out"
    if as_json:
        write_json({**found.to_dict(), "publish": command})
    else:
        say(str(found), "", _what_it_does(found, mu), "To publish the graph with it, run", f"  {command}")
    return 0


def _refuse_sets(source: str) -> None:
    """Refuse a file that looks like sets of items: its lines hold more or fewer than two names, not as many on each."""
    file = Path(source).expanduser()
    if not file.is_file() or not (has_lines_of_items(source) or (holds_lines(source) and not holds_edges(source))):
        return
    content = as_utf8(file, file_content(file), None)[:_SAMPLE].decode(errors="ignore")
    sizes = {len(line.split()) for line in content.split("\n")[: None if len(content) < _SAMPLE // 4 else -1]} - {0}
    if len(sizes) > 1 or not sizes <= {2, 3}:
        quoted = shlex.quote(source)
        raise DataError(
            f"file '{file}' looks like baskets, sets of items on lines of several lengths, and risk is about graphs; "
            f"see `sfumato inspect {quoted}`"
        )


def _number(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise ParameterError(f"--mu takes numbers separated by commas, as in 0.0001,0.001; got {given!r}") from None


def _mu_to_publish(found: GraphRisk) -> float:
    """The least mu that stops the strongest adversary whom some estimate survives; else the least of all."""
    kept = max((mu for mu in found.most.values() if mu is not None), default=0.0)
    least = [mu for name in _STRONGEST_FIRST if (mu := found.least.get(name)) is not None]
    for mu in map(_rounded_up, least):
        if mu <= kept:
            return mu
    return _rounded_up(min(least, default=0.001))


def _rounded_up(mu: float) -> float:
    """The number with two digits, never less than it was, nor above 1/2."""
    if mu <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(mu)) - 1)
    return min(float(f"{math.ceil(mu / step - 1e-9) * step:.2g}"), 0.5)


def _what_it_does(found: GraphRisk, mu: float) -> str:
    """One line on whom this mu stops, and which estimates survive it."""
    stopped = [name for name in reversed(_STRONGEST_FIRST) if (at := found.least.get(name)) is not None and at <= mu]
    others = [name for name in reversed(_STRONGEST_FIRST) if name not in stopped]
    kept = [name.replace("_", " ") for name, at in found.most.items() if at is not None and mu <= at]
    whom = f"stops {_attacks(stopped)}" if stopped else "stops no attack"
    whom += f", not {_attacks(others)}" if others and stopped else ""
    left = f"{join_names(kept, 'and')} can be estimated to within" if kept else "nothing can be estimated to within"
    return f"mu = {mu:g} {whom}; {left} {found.error:.0%}."


def _attacks(names: list[str]) -> str:
    return f"the {join_names(names, 'and')} attack{'s' if len(names) > 1 else ''}"
