"""`least_mu`: the least mu that stops an attack by planted accounts, by formulas for how likely each succeeds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np

from sfumato.data.given import given_graph
from sfumato.data.graph import Graph
from sfumato.graphs.attacks.planting import usual_links, usual_victims
from sfumato.graphs.attacks.structural import structural_risk
from sfumato.graphs.estimates.degree_law import binomial_shares, law_of_degree
from sfumato.graphs.flip_rate import checked_mu
from sfumato.graphs.risk.choosing_mu import backbone_survives, interval_coverage, path_mu
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.validate import any_whole, finite, one_of, told

__all__ = [
    "AttackName",
    "check_enough",
    "degree_evidence",
    "expected_success",
    "graph_density",
    "least_mu",
    "usual_degree",
]

AttackName: TypeAlias = Literal["walk-based", "interval-walk", "structural", "path"]


def expected_success(
    graph: Graph, attack: str, mu: float, *, accounts: int = 20, width: int = 5, errors: int = 2
) -> float:
    """The probability that an attack by planted accounts succeeds, by formula.

    `walk-based`: no pair of an account flips. `interval-walk`: the path stays whole, all degrees stay in their
    intervals, and at most `errors` of the accounts' other pairs flip. Both as if no others looked alike. `structural`:
    what somebody of unlimited power may believe of the true accounts by their edges and degrees, on average over flips
    and in a graph that is random otherwise; at least as much as the other two. `path`: the path stays whole.
    """
    one_of("attack", attack, get_args(AttackName))
    n, k = len(graph) + accounts, accounts
    if attack == "walk-based":
        return math.exp((k * (n - k) + k * (k - 1) // 2) * math.log1p(-checked_mu(mu)))
    if attack == "interval-walk":
        inside = interval_coverage(n, usual_degree(graph, k), mu, width) ** k
        first, shares = binomial_shares((k - 1) * (k - 2) // 2, mu)
        return backbone_survives(mu, k) * inside * min(1.0, float(shares[: max(errors + 1 - first, 0)].sum()))
    if attack == "structural":
        believed = structural_risk(n, k, mu, graph_density(graph), known=k * degree_evidence(graph, n, k, mu)).mean
        walks = ("walk-based", "interval-walk")
        return max(
            believed, *(expected_success(graph, each, mu, accounts=k, width=width, errors=errors) for each in walks)
        )
    return backbone_survives(mu, k)


@says_what_it_takes
def least_mu(
    graph: Graph,
    attack: AttackName = "structural",
    *,
    accounts: int = 20,
    success: float = 0.1,
    width: int = 5,
    errors: int = 2,
) -> float:
    """The least mu from which an attack by planted accounts is expected to succeed with probability `success` at most.

    `path` is the thesis's bound (Eq. 4.20): that the accounts' path breaks. An adversary who looks for the likeliest
    vertices does not need the path, which is why `structural` is the default.

    `graph` is the one to be published; `attack` is `structural`, `interval-walk`, `walk-based` or `path`, by so many
    `accounts`. `width` and `errors` are those of the interval-walk attack.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> 0 < sf.least_mu(graph, "path", accounts=9) < 0.5
    True
    """
    finite("success", success, asked="a probability between 0 and 1", above=0, below=1)
    given_graph(graph, f"least_mu takes a Graph, got {told(graph)}; read one with read_graph")
    one_of("attack", attack, get_args(AttackName))
    for name, value in (("accounts", accounts), ("width", width), ("errors", errors)):
        any_whole(name, value, least=0 if name == "errors" else 1)
    check_enough(graph)
    if attack == "path":
        return path_mu(accounts, success)

    def above(mu: float) -> bool:
        return expected_success(graph, attack, mu, accounts=accounts, width=width, errors=errors) > success

    return _largest_crossing(above)


def _largest_crossing(above: Callable[[float], bool]) -> float:
    """The largest mu at which `above` changes from true to false.

    It may change several times, as the rounded centres of intervals make success go up and down a little.
    """
    tried = np.geomspace(1e-12, 0.4999, 600)
    holds = [i for i, mu in enumerate(tried.tolist()) if above(mu)]
    if not holds:
        return float(tried[0])
    if holds[-1] == len(tried) - 1:
        raise InfeasibleError("no mu below 1/2 stops this attack; allow it more success")
    low, high = (math.log(float(tried[holds[-1] + i])) for i in (0, 1))
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if above(math.exp(middle)) else (low, middle)
    return math.exp(high)


def check_enough(graph: Graph) -> None:
    """Raise for graphs of fewer than 3 vertices or without an edge, which are too small to be attacked."""
    if len(graph) < 3 or not graph.n_edges:
        raise ParameterError(f"risks are told of graphs with 3 vertices and an edge or more, got {graph!r}")


def graph_density(graph: Graph) -> float:
    """The share of pairs that are edges."""
    return graph.n_edges / graph.n_pairs


def degree_evidence(graph: Graph, n: int, k: int, mu: float) -> float:
    """How much likelier, in logarithms and on average, a published degree is an account's than any vertex's.

    Degrees of others are taken to change by as much as an account's.
    """
    degree = usual_degree(graph, k)
    _, law = law_of_degree(n, mu, degree)
    wide = len(law)
    near = np.zeros(2 * wide + 1)  # how many vertices have each degree within reach of an account's
    counts = np.bincount(graph.degrees)
    low, high = max(degree - wide, 0), min(degree + wide + 1, len(counts))
    if low < high:
        near[low - degree + wide : high - degree + wide] = counts[low:high]
    others = np.convolve(near, law)[wide : 2 * wide]
    return max(float((law * np.log(np.maximum(law, 1e-300) * n / (others + 0.5))).sum()), 0.0)


def usual_degree(graph: Graph, k: int) -> int:
    """The degree of a planted account: two neighbours on the path, every second other account, and its victims."""
    return min(round((k + 1) / 2 + usual_victims(k, len(graph)) * usual_links(k) / k), len(graph) + k - 1)
