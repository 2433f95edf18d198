"""Anonymity in expectation: Aggarwal, "On unifying privacy and uncertain data models", ICDE 2008."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.ground.errors import ParameterError
from sfumato.privacy.promise import Finding, OfSize

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.conditions import Condition
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["ExpectedAnonymity"]

_ROUNDING = 1e-7


@dataclass(frozen=True)
class ExpectedAnonymity(OfSize):
    """Every record is published as a density that k records are expected to fit at least as well as the true one.

    The expectation is over the draw of the density's centre: in one release more or fewer may fit. Whether it holds
    follows from the published spreads and the true records, so that nobody without the original can decide it.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.UncertainPublication(3), seed=1).promise
    ExpectedAnonymity(k=3)
    """

    speaks_of = "records"
    kept_by = "UncertainPublication"

    k: int

    def __post_init__(self) -> None:
        """Check k."""
        self._check_k(2)

    @property
    def name(self) -> str:
        """As in `5-anonymity in expectation`."""
        return f"{self.k:,}-anonymity in expectation"

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """Refused: a record has no class."""
        raise self._densities_only_error()

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Compare with k how many records are expected to fit each density; not decided where that is not known."""
        if "densities" not in classes.files:
            found = "no densities are published, and it is about these"
            return [Finding(promise=repr(self), holds=False, value=1.0, found=found)]
        expected = classes.evidence.expected_fits
        if expected is None:
            found = "how many records fit a density cannot be told without the original and the owner's row map"
            return [Finding(promise=repr(self), holds=False, decided=False, value=0.0, found=found)]
        holds = bool((expected >= self.k * (1.0 - _ROUNDING)).all())
        found = f"every density is expected to fit at least {self.k:,} records as well as its own"
        if not holds:
            found = f"a density is expected to fit fewer than {self.k:,} records as well as its own"
        return [Finding(promise=repr(self), holds=holds, value=float(self.k if holds else 1), found=found)]

    def _densities_only_error(self) -> ParameterError:
        return ParameterError(
            f"{self!r} is about densities, which UncertainPublication({self.k}) publishes; promise "
            f"KAnonymity({self.k}) of classes"
        )
