"""Evidence: what a check found out itself about a release, apart from the tables that a stranger published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sfumato.published.tables.subdomain_lists import Subdomains

__all__ = ["Evidence", "Fitting"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitting:
    """Who of a population fits the classes of a published table."""

    counts: NDArray[np.int64]
    """For each class, how many people fit it."""
    n_people: int
    n_outside: int
    """How many people fit no class that shows anything."""
    n_several: int
    """How many fit more than one."""
    n_hidden: int
    """How many records of the table show nothing, or are withheld: anybody may stand behind one."""
    blank: NDArray[np.bool_]
    """Which classes show nothing in any quasi-identifier: everybody fits those."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """What promises are decided on beside the classes; a field that is None was not found out."""

    losses: NDArray[np.float64] | None = None
    """What each class loses (NCP)."""
    fitting: Mapping[str, Fitting] = field(default_factory=dict)
    """Who of each population fits the classes, by the fingerprint of the population."""
    unfit: str | None = None
    """Why it cannot be told who fits a class, where that is so for any population."""
    linked: NDArray[np.float64] | None = None
    """For each linkage attack that was tried, the share of records that it links at least."""
    expected_fits: NDArray[np.float64] | None = None
    """For each published density, how many records are expected to fit it as well as its own."""
    subdomains: Subdomains | None = None
    """Where sensitive values are shown as subdomains: these."""
