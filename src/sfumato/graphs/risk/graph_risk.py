"""`graph_risk`: for several mu, what adversaries who plant accounts achieve, and how large errors of estimates become.

Expected success is by formula, before anything is published; success is measured by attacking publications.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, get_args

import polars as pl

from sfumato.contracts.attack import Success
from sfumato.data.given import given_graph
from sfumato.data.graph import Graph
from sfumato.graphs.attacks.planted import IntervalWalkAttack, PlantedAttack, StructuralAttack, WalkBasedAttack
from sfumato.graphs.edge_perturbation import EdgePerturbation
from sfumato.graphs.estimates.estimate import Z95
from sfumato.graphs.flip_rate import FlipRates, checked_mu, pair_variance
from sfumato.graphs.risk.choosing_mu import backbone_survives, edge_epsilon, interval_coverage
from sfumato.graphs.risk.least_mu import (
    AttackName,
    check_enough,
    expected_success,
    graph_density,
    least_mu,
    usual_degree,
)
from sfumato.graphs.risk.most_mu import ESTIMATES, EstimateErrors, estimate_errors, most_mu
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake, says_what_it_takes
from sfumato.ground.errors import InfeasibleError, UnknownNameError
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import told, whole

__all__ = ["GraphRisk", "RiskAt", "graph_risk"]

_USUAL = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)


@dataclass(frozen=True, kw_only=True)
class RiskAt:
    """What one mu hides, and what it costs."""

    mu: float
    epsilon: float | None
    """Of edge differential privacy; None at 0."""
    true_edges: float
    """The share of published edges that the original has, expected."""
    backbone: float
    """The probability that the path of the accounts keeps all its edges."""
    coverage: float
    """The probability that an account's degree is where the interval-walk attack looks for it."""
    expected: Mapping[str, float]
    """By attack, the probability of success by formula."""
    measured: Mapping[str, Success]
    """By attack, the share of publications in which it succeeded; empty where none was attacked."""
    victims: Mapping[str, Success]
    """By attack, the share of its victims who were found, on average."""
    reach: Mapping[str, float]
    """By estimate, half the width of its 95% interval over the true number."""
    degree_error: float
    """The standard error of the degree of a vertex."""


class GraphRisk(SaysWhatMethodsTake, Mapping[float, RiskAt]):
    """Risks and costs by mu, and the least mu that stops each attack. For the owner: it is computed from the original.

    `least` has for each attack the least mu at which it is expected to succeed with probability `success` at most, and
    `most` for each estimate the largest at which its 95% interval reaches `error` of the true number; None where there
    is no such mu.

    `rows` has a line for each mu; `accounts` and `trials` are what was asked for.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> sf.graph_risk(graph, (0.1,), accounts=3)[0.1].mu
    0.1
    """

    def __init__(
        self,
        rows: Sequence[RiskAt],
        *,
        least: Mapping[str, float | None],
        most: Mapping[str, float | None],
        accounts: int,
        success: float,
        error: float,
        trials: int,
    ) -> None:
        self._rows = {row.mu: row for row in rows}
        self.least = dict(least)
        self.most = dict(most)
        self.error = error
        self.accounts = accounts
        self.success = success
        self.trials = trials

    def __getitem__(self, mu: float) -> RiskAt:
        if mu not in self._rows:
            raise UnknownNameError(f"mu = {told(mu)} was not tried; one of {', '.join(map(str, self._rows))} was")
        return self._rows[mu]

    def __iter__(self) -> Iterator[float]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def frame(self) -> pl.DataFrame:
        """A row for each mu."""
        return pl.DataFrame([_flat(row) for row in self._rows.values()], infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "accounts": self.accounts, "success": self.success, "trials": self.trials, "error": self.error,
            "least": self.least, "most": self.most,
            "by_mu": [asdict(row) for row in self._rows.values()],
        }  # fmt: skip

    def __str__(self) -> str:
        rows = list(self._rows.values())
        lines = [f"An adversary with {self.accounts} accounts:", *_table([_protection_row(row) for row in rows])]
        if self.trials:
            lines += ["", f"Victims found, on average over {self.trials:,} publications each (95% intervals):",
                      *_table([_success_row(row.mu, row.victims) for row in rows])]  # fmt: skip
            lines += ["", "Publications in which all accounts were found, and a victim:",
                      *_table([_success_row(row.mu, row.measured) for row in rows])]  # fmt: skip
        lines += [
            "",
            "Half the width of 95% intervals of what can be estimated:",
            *_table([_cost_row(row) for row in rows]),
        ]
        lines += ["", f"Expected to succeed in {self.success:.0%} of publications at most from"]
        lines += [f"  {name:<15} " + _limit(mu) for name, mu in self.least.items()]
        lines += ["", f"Estimated to within {self.error:.0%} up to"]
        lines += [f"  {name.replace('_', ' '):<15} " + _limit(mu) for name, mu in self.most.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return fit_screen(str(self))


@says_what_it_takes
def graph_risk(
    graph: Graph,
    mu: float | Sequence[float] = _USUAL,
    *,
    accounts: int = 20,
    width: int = 5,
    errors: int = 2,
    success: float = 0.1,
    error: float = 0.1,
    trials: int = 0,
    seed: Seed | None = None,
) -> GraphRisk:
    """Say what adversaries with `accounts` planted accounts achieve at each `mu`, and how far estimates are then off.

    `width` and `errors` are those of the interval-walk attack. `least` of the result is for the chance of `success`,
    `most` for the `error`. With `trials`, every attack is also run on that many publications.

    `graph` is the one to be published. What is drawn is the same each time, unless a `seed` is given.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> list(sf.graph_risk(graph, (0.1, 0.2), accounts=3))
    [0.1, 0.2]
    """
    given_graph(graph, f"graph_risk takes a Graph, got {type(graph).__name__}; read one with read_graph")
    whole("trials", trials, least=0)
    mus = [float(checked_mu(each)) for each in (mu if isinstance(mu, Iterable) else [mu])]
    attacks: dict[str, PlantedAttack] = {
        "walk-based": WalkBasedAttack(accounts=accounts, trials=max(trials, 1)),
        "interval-walk": IntervalWalkAttack(accounts=accounts, trials=max(trials, 1), width=width, errors=errors),
        "structural": StructuralAttack(accounts=accounts, trials=max(trials, 1)),
    }
    check_enough(graph)
    stops = partial(least_mu, graph, accounts=accounts, success=success, width=width, errors=errors)
    least = {name: _or_none(partial(stops, name)) for name in get_args(AttackName)}
    random, rows = Randomness(seed if seed is not None else 0), []
    with steps(1 + len(mus) * len(attacks) * bool(trials)) as progress:
        progress.step("counting")
        known = estimate_errors(graph)
        for each in mus:
            measured, victims = {}, {}
            for name, attack in attacks.items() if trials else ():
                progress.step(f"{name}, mu={each:g}")
                tally = attack.rates_of(graph, EdgePerturbation(each), None, random.spawn(f"{name} {each}"), progress)
                figures = tally.figures(len(graph))
                measured[name], victims[name] = figures["success"], figures["victims"]
            rows.append(_row(graph, each, accounts, width, errors, known, measured, victims))
        most = {name: _or_none(partial(most_mu, graph, name, error, errors=known)) for name in ESTIMATES}
    return GraphRisk(
        rows, least=least, most=most, accounts=accounts, success=success, error=error, trials=trials
    )  # fmt: skip


def _row(
    graph: Graph,
    mu: float,
    k: int,
    width: int,
    errors: int,
    known: EstimateErrors,
    measured: Mapping[str, Success],
    victims: Mapping[str, Success],
) -> RiskAt:
    """What one mu hides and costs; `k` accounts are planted."""
    n, rho = len(graph) + k, graph_density(graph)
    published = FlipRates(mu, mu).density(rho)
    return RiskAt(
        mu=mu, epsilon=edge_epsilon(mu), true_edges=rho * (1 - mu) / published if published else math.nan,
        backbone=backbone_survives(mu, k), coverage=interval_coverage(n, usual_degree(graph, k), mu, width),
        expected={
            name: expected_success(graph, name, mu, accounts=k, width=width, errors=errors)
            for name in get_args(AttackName) if name != "path"
        },
        measured=measured, victims=victims, reach=known.reach(mu),
        degree_error=math.sqrt((len(graph) - 1) * pair_variance(mu)),
    )  # fmt: skip


def _or_none(find: Callable[[], float]) -> float | None:
    """What `find` returns, or None where it is infeasible."""
    try:
        return find()
    except InfeasibleError:
        return None


# -- how it reads ----------------------------------------------------------------------------------------------------
def _flat(row: RiskAt) -> dict[str, Any]:
    """One mu as a row of plain numbers."""
    flat: dict[str, Any] = {"mu": row.mu, "epsilon": row.epsilon, "true_edges": row.true_edges,
                            "backbone": row.backbone, "coverage": row.coverage}  # fmt: skip
    flat |= {f"expected_{_name(name)}": value for name, value in row.expected.items()}
    for what, found in (("measured", row.measured), ("victims", row.victims)):
        for name, each in found.items():
            flat |= {f"{what}_{_name(name)}{end}": value
                     for end, value in (("", each.value), ("_low", each.low), ("_high", each.high))}  # fmt: skip
    return flat | {f"reach_{name}": value for name, value in row.reach.items()} | {"degree_error": row.degree_error}


def _name(attack: str) -> str:
    return attack.replace("-", "_")


def _protection_row(row: RiskAt) -> dict[str, str]:
    """What one mu hides, as texts by column."""
    expected = {name: _chance(value) for name, value in row.expected.items()}
    return {
        "mu": f"{row.mu:g}", "epsilon": "none" if row.epsilon is None else f"{row.epsilon:.2f}",
        "true edges": _chance(row.true_edges), "path whole": _chance(row.backbone),
        "degree near": _chance(row.coverage), **expected,
    }  # fmt: skip


def _success_row(mu: float, measured: Mapping[str, Success]) -> dict[str, str]:
    """What each attack achieved at one mu, as texts by column."""
    said = {name: f"{each.value:.0%} ({each.low:.0%} to {each.high:.0%})" for name, each in measured.items()}
    return {"mu": f"{mu:g}", **said}


def _cost_row(row: RiskAt) -> dict[str, str]:
    """How wide intervals are at one mu, as texts by column."""
    reach = {name.replace("_", " "): _share(value) for name, value in row.reach.items()}
    return {"mu": f"{row.mu:g}", **reach, "a degree": f"{Z95 * row.degree_error:.1f}"}


def _share(value: float) -> str:
    return f"{value:.2g} times" if value >= 10 else f"{value:.0%}" if value >= 0.1 else f"{value:.2%}"


def _limit(mu: float | None) -> str:
    return "no mu below 1/2" if mu is None else f"mu = {mu:.3g}"


def _chance(value: float) -> str:
    return f"{value:.1%}" if value >= 0.001 or value == 0 else f"{value:.0e}"


def _table(rows: Sequence[Mapping[str, str]]) -> list[str]:
    if not rows:
        return []
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return ["  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in lines]
