"""What attacks share that form a belief on a person's sensitive value from the rows that fit."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from sfumato.contracts.attack import Attack, Attacked, Success
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole
from sfumato.tables.attacks.beliefs import RAW, Beliefs, before_and_after
from sfumato.tables.attacks.targets import OWNER, Secret, Targets, check_name, draw_targets, secret_of

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["BeliefAttack"]


class BeliefAttack(Attack, register=False):
    """Knows the quasi-identifiers of `people`, drawn at random, and is after their value in `sensitive`."""

    sensitive: str | None
    people: int

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_name("sensitive", self.sensitive)
        whole("people", self.people, least=1)

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Match everyone with the raw records and with the release, and count the sensitive values of rows that fit."""
        progress.step("looking for people")
        targets = draw_targets(release, original, self.people, random)
        progress.step("counting values")
        secret = secret_of(release, original, self.sensitive, targets.before, targets.after)
        before, after = before_and_after(targets, secret)
        found = {
            **self._figures(before, secret, targets, "_before", RAW, near=False),
            **self._figures(after, secret, targets, "", "", near=targets.after.shows_changed_values),
        }
        return Attacked(self, found, (OWNER, *self._notes(secret)))

    @abstractmethod
    def _figures(
        self, found: Beliefs, secret: Secret, targets: Targets, suffix: str, said: str, *, near: bool
    ) -> dict[str, Success]:  # fmt: skip
        """The figures of these beliefs; `near` beliefs are about the nearest rows, of which nothing is certain."""

    def _notes(self, secret: Secret) -> tuple[str, ...]:
        """What else readers of the figures should know."""
        return ()
