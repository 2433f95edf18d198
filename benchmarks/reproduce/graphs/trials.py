"""Publications with planted accounts, each attacked in several ways."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from sfumato.contracts.attack import share_success
from sfumato.data.graph import Graph
from sfumato.graphs.attacks.planted import PlantedAttack, Trial
from sfumato.graphs.edge_perturbation import EdgePerturbation
from sfumato.ground.randomness import Randomness

__all__ = ["every_trial", "share", "succeeded", "trials_of"]

_T = TypeVar("_T")


def succeeded(trial: Trial) -> bool:
    """Whether all accounts were found, and a victim."""
    return trial.accounts_found == 1 and trial.victims_found > 0


def trials_of(graph: Graph, mu: float, attacks: Sequence[PlantedAttack], seed: str) -> list[Trial]:
    """One publication, attacked in every way; all plant the same accounts."""
    first, *others = attacks
    tried = [first.attempt(graph, EdgePerturbation(mu), None, Randomness(seed))]
    given = tried[0]
    return [*tried, *(attack.look(given) for attack in others)]


def every_trial(times: int, work: Callable[[int], _T]) -> list[_T]:
    """What comes of so many trials."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(work, range(times)))


def share(hits: Sequence[bool]) -> dict[str, Any]:
    """A share of trials with Wilson's interval, as a row has it."""
    found = share_success(np.array(hits, dtype=bool), 0.0, "")
    return {"success": found.value, "low": found.low, "high": found.high, "trials": len(hits)}
