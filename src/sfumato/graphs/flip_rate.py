"""The probability mu that a pair of vertices was flipped: checked, as noise, and as a reader learns it of a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from sfumato.data.graph import Graph
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import is_number

__all__ = ["FlipRates", "Number", "checked_mu", "exact_mu", "flip_rates", "pair_variance"]

Number: TypeAlias = float | Fraction
_Real = TypeVar("_Real", float, Fraction)


def checked_mu(mu: Any) -> Any:
    """The probability of a flip as given, if it is a number from 0 to below 1/2; else a ParameterError."""
    if not (is_number(mu) or isinstance(mu, Fraction)) or not 0 <= mu < 0.5:
        raise ParameterError(f"mu must be a number from 0 to below 0.5, got {mu!r}; at 1/2 nothing of a graph is left")
    return mu


def exact_mu(mu: Number) -> Fraction:
    """The probability of a flip as an exact fraction, checked."""
    return Fraction(checked_mu(mu))


def pair_variance(mu: _Real) -> _Real:
    """The variance of `Z = (A - mu)/(1 - 2 mu)`, which is unbiased for every pair, whether it is an edge or not."""
    checked_mu(mu)
    return mu * (1 - mu) / (1 - 2 * mu) ** 2


@dataclass(frozen=True)
class FlipRates:
    """How likely an edge is not published, and how likely two vertices without one are published with one."""

    lost: float
    came: float
    only_adds: bool = False
    """Whether edges were only added, to make degrees alike: degrees rise, by an unknown number."""
    keeps_degrees: bool = False
    """Whether every vertex has as many neighbours as it had."""

    def density(self, original: float) -> float:
        """The density that is published, where the original has this one."""
        return original * (1 - self.lost) + (1 - original) * self.came


def flip_rates(parameters: Mapping[str, Any], published: Graph) -> FlipRates:
    """The rates of flips as an adversary works them out from the public parameters of a graph, `public["graph"]`.

    Where edges were replaced, their number stayed, so that both rates follow. Where edges were only added, to make
    degrees alike, nobody learns how many; the published density is the most that the rate of added edges can be.
    """
    if "mu" in parameters:
        return FlipRates(float(parameters["mu"]), float(parameters["mu"]))
    if "edges_replaced" in parameters:
        count, n_edges = int(parameters["edges_replaced"]), published.n_edges
        kept = bool(parameters.get("degrees_kept"))
        return FlipRates(
            count / max(n_edges, 1), count / max(published.n_pairs - n_edges, 1), keeps_degrees=kept
        )  # fmt: skip
    if "k" in parameters:
        return FlipRates(0.0, published.n_edges / max(published.n_pairs, 1), only_adds=True)
    return FlipRates(0.0, 0.0)
