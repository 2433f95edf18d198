"""Closed forms of what a probability mu of flipping hides and costs: paths, degrees, epsilon, standard errors.

Xue's thesis (National University of Singapore, 2012), chapter 4. The error of the number of edges is that given the
graph, `sqrt(M v)` for M pairs, where `v = mu (1 - mu) / (1 - 2 mu)^2`; the thesis's Eq. 4.16 takes the graph as random.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.estimates.degree_law import degree_intervals, law_of_degree
from sfumato.graphs.flip_rate import checked_mu, pair_variance
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.validate import any_whole, finite

__all__ = ["backbone_survives", "degree_interval", "edge_epsilon", "interval_coverage", "path_mu", "trade_off"]

_BACKBONE = 20


def edge_epsilon(mu: float) -> float | None:
    """The epsilon of edge differential privacy, ln((1 - mu) / mu), or None at 0, where nothing is protected.

    >>> round(edge_epsilon(0.01), 6)
    4.59512
    """
    return None if checked_mu(mu) == 0 else math.log1p(-mu) - math.log(mu)


# -- attacks on an embedded subgraph ---------------------------------------------------------------------------------
def backbone_survives(mu: float, k: int) -> float:
    """The probability that a path of k vertices keeps all its edges (thesis, Table 4.1)."""
    return math.exp((any_whole("k", k, least=2) - 1) * math.log1p(-checked_mu(mu)))


def path_mu(k: int, epsilon: float) -> float:
    """The least mu at which a path of k vertices survives with probability `epsilon` at most (Eq. 4.20).

    >>> round(path_mu(20, 0.1), 9)
    0.11413321
    """
    chance = finite("epsilon", epsilon, asked="a number between 0 and 1", above=0, below=1)
    mu = -math.expm1(math.log(chance) / (any_whole("k", k, least=2) - 1))
    if mu >= 0.5:
        raise InfeasibleError(
            f"a path of {k} vertices survives with probability {epsilon} only for mu={mu:.3g}, and mu must be below "
            f"0.5; ask for an epsilon above {0.5 ** (k - 1):.3g}"
        )
    return mu


# -- degrees ---------------------------------------------------------------------------------------------------------
def degree_interval(n: int, degree: int, mu: float, w: int) -> tuple[int, int]:
    """The published degrees at which an attacker looks for a vertex: within `w` of the degree expected after flips."""
    _check_degree(n, degree)
    low, high = degree_intervals(n, np.array([degree]), checked_mu(mu), any_whole("w", w, least=0))
    return int(low[0]), int(high[0])


def interval_coverage(n: int, degree: int, mu: float, w: int) -> float:
    """The probability that the published degree lies in `degree_interval`."""
    low, high = degree_interval(n, degree, mu, w)
    first, shares = _published_degree(n, degree, mu)
    return min(1.0, float(shares[max(low - first, 0) : max(high + 1 - first, 0)].sum()))


def _published_degree(n: int, degree: int, mu: float) -> tuple[int, NDArray[np.float64]]:
    """The least published degree that is not negligible, and the probabilities from there."""
    _check_degree(n, degree)
    return law_of_degree(n, checked_mu(mu), degree)


# -- what it costs ---------------------------------------------------------------------------------------------------
def trade_off(graph: Graph, mus: Sequence[float]) -> pl.DataFrame:
    """A row for each mu: what it hides and what it costs on this graph.

    `backbone_survives` is for paths of 20 vertices; `true_edges` is the share of published edges that the original has,
    expected; `sd_edges` and `sd_degree` are the standard errors of the estimated number of edges and of a degree.
    """
    n_edges, n_pairs = graph.n_edges, graph.n_pairs
    rows = []
    for mu in mus:
        v, kept, added = pair_variance(mu), n_edges * (1 - mu), (n_pairs - n_edges) * mu
        rows.append({
            "mu": float(mu), "epsilon": edge_epsilon(mu), "edges_changed": n_pairs * mu,
            "edges_deleted": n_edges * mu, "edges_added": added,
            "true_edges": kept / (kept + added) if kept + added else None,
            "backbone_survives": backbone_survives(mu, _BACKBONE),
            "sd_edges": math.sqrt(n_pairs * v), "sd_degree": math.sqrt(max(len(graph) - 1, 0) * v),
        })  # fmt: skip
    names = (
        "mu", "epsilon", "edges_changed", "edges_deleted", "edges_added", "true_edges", "backbone_survives", "sd_edges",
        "sd_degree",
    )  # fmt: skip
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Float64))


def _check_degree(n: int, degree: int) -> None:
    if any_whole("degree", degree, least=0) >= any_whole("n", n, least=1):
        raise ParameterError(f"a vertex among {n:,} has at most {n - 1:,} neighbours, got degree={degree}")
