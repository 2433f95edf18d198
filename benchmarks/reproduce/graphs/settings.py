"""The graphs and the sizes of the experiments.

The thesis's Enron graph has 4,644 accounts; SNAP's has 36,692. Here the 4,644 with most neighbours, and the edges among
them, stand for it, and the whole is used too where size matters. Its sample of 20,000 authors of DBLP is replaced by
the 23,133 authors of ca-CondMat. wiki-Vote is its own; the 103,689 edges that it tells are votes, on 100,762 pairs.
"""

from __future__ import annotations

import functools
import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sfumato.data.graph import Graph
from sfumato.data.reading_graphs import read_graph
from sfumato.ground.randomness import Randomness

__all__ = [
    "COAUTHORS", "ENRON", "FULL", "MADE_UP", "SMALL", "WHOLE", "WIKI", "Scale", "graph_of", "size_of",
    "usual_accounts",
]  # fmt: skip

ENRON, WHOLE, COAUTHORS, WIKI, MADE_UP = "Enron, 4,644", "Enron, whole", "ca-CondMat", "wiki-Vote", "made up"
_FILES = {ENRON: "email-Enron", WHOLE: "email-Enron", COAUTHORS: "ca-CondMat", WIKI: "wiki-Vote"}
_ACCOUNTS = 4_644
_SIZES = {ENRON: (_ACCOUNTS, 96_433), WHOLE: (36_692, 183_831), COAUTHORS: (23_133, 93_439)}
"""Vertices and edges, so that figures are described and drawn anew without the files."""


@dataclass(frozen=True)
class Scale:
    """How much is run, and on what."""

    name: str
    enron: str
    whole: str
    coauthors: str
    wiki: str
    trials: int
    """Publications attacked for each mu and number of accounts, up to mu = 3e-4; half of them at 1e-3, a
    quarter at 3e-3, a tenth above."""
    ks: tuple[int, ...]
    """Numbers of accounts."""
    mus: dict[str, tuple[float, ...]]
    """What walks are tried at, by graph."""
    structural: dict[str, tuple[float, ...]]
    """What the structural attack is tried at, by graph."""
    structural_trials: dict[int, int]
    """Publications that it is tried on, by number of accounts; half of them above mu = 1e-2."""
    events: int
    """Publications of Table 4.4."""
    widths: tuple[int, ...]
    errors: tuple[int, ...]
    """Of figure 4.3."""
    steps: int
    """Where a search of figure 4.3 is given up."""
    seeds: int
    """Publications that estimates are made from."""
    estimated: tuple[float, ...]
    """What they are made at."""

    def tried(self, mu: float) -> int:
        """How many publications are attacked at this mu."""
        return self.trials if mu <= 3e-4 else max(self.trials // (2 if mu <= 1e-3 else 4 if mu <= 3e-3 else 10), 2)


_FEW = (0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)
_MANY = (0.0, 1e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3)
SMALL = Scale(
    name="small", enron=ENRON, whole=WHOLE, coauthors=COAUTHORS, wiki=WIKI, trials=10, ks=(20, 30),
    mus={ENRON: _FEW, COAUTHORS: _FEW, WHOLE: (0.0, 1e-6, 1e-5)},
    structural={ENRON: (1e-3, 1e-2), COAUTHORS: (1e-3,)}, structural_trials={20: 3}, events=10,
    widths=(1, 2, 4, 6), errors=(0, 1, 2), steps=200_000_000, seeds=2, estimated=(1e-5, 1e-4, 1e-3),
)  # fmt: skip
FULL = Scale(
    name="full", enron=ENRON, whole=WHOLE, coauthors=COAUTHORS, wiki=WIKI, trials=80, ks=(20, 25, 30),
    mus={ENRON: (*_MANY, 1e-2), COAUTHORS: _MANY, WHOLE: _MANY[:7]},
    structural={ENRON: (1e-3, 3e-3, 1e-2, 2e-2, 3e-2), COAUTHORS: (3e-4, 1e-3, 2e-3, 3e-3)},
    structural_trials={20: 16}, events=60,
    widths=(1, 2, 3, 4, 5, 6, 7, 8), errors=(0, 1, 2, 3), steps=4_000_000_000, seeds=4,
    estimated=(1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2),
)  # fmt: skip


@functools.cache
def graph_of(name: str) -> Graph:
    """A graph by its name."""
    if name == MADE_UP:
        return _made_up(400, 4_000)
    whole = read_graph(Path(os.environ["SFUMATO_DATA"]) / "graphs" / f"{_FILES[name]}.txt.gz")
    if name != ENRON:
        return whole
    return whole.subgraph(np.sort(np.argsort(-whole.degrees, kind="stable")[:_ACCOUNTS]))


def size_of(name: str) -> tuple[int, int]:
    """How many vertices and edges a graph has."""
    if name in _SIZES:
        return _SIZES[name]
    graph = graph_of(name)
    return len(graph), graph.n_edges


def _made_up(n: int, edges: int) -> Graph:
    """Ends of edges drawn so that vertex i is met about as 1 / sqrt(i + 1)."""
    drawn = (Randomness("made up").uniform(2 * edges) ** 2 * n).astype(np.int64)
    return Graph.from_edges(drawn[:edges], drawn[edges:], n)


def usual_accounts(n: int) -> tuple[int, int]:
    """The accounts and victims of figure 4.3 and Table 4.4: 4 log N and log^2 N."""
    return round(4 * math.log(n)), round(math.log(n) ** 2)
