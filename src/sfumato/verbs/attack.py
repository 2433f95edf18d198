"""`attack`: what somebody who knows something finds in a release."""

from __future__ import annotations

from sfumato.contracts.attack import Attack, Attacked
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, ReleaseError
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness, Seed
from sfumato.published.shape import shape_of
from sfumato.release.release import Release

__all__ = ["attack"]


def attack(
    release: Release, attack: Attack, original: Table | Baskets | Graph | None = None, *, seed: Seed | None = None
) -> Attacked:
    """Attack a release and hold what was found against the truth, beside what could be guessed without it.

    Needs the `original` (by default the one the owner's part still holds) and the owner's row map. The result is for
    the owner: it is computed from the original. People are drawn the same way each time, unless a `seed` is given.
    """
    if not isinstance(release, Release):
        raise ParameterError(f"attack takes a Release, got {type(release).__name__}; load one with load_release")
    if not isinstance(attack, Attack):
        raise ParameterError(f"attack takes an attack such as ItemKnowledge(items=3), got {attack!r}")
    if not isinstance(release.data, attack.takes):
        raise ParameterError(
            f"{type(attack).__name__} attacks {attack.takes.__name__}, and the release is "
            f"{type(release.data).__name__}; choose another attack"
        )
    if release.owner is None:
        raise ReleaseError("whether an attack found the truth is known by the owner's row map, which is not here; "
                           "load the release from beside its owner's folder")  # fmt: skip
    known = original if original is not None else release.owner.original
    if known is None:
        raise ParameterError("attack needs the original to know the truth; give it, as in attack(release, ..., table)")
    shape = shape_of(release)
    wanted = shape.original_type
    if not isinstance(known, wanted):
        raise ParameterError(f"the release is of {wanted.__name__}, and the original is {type(known).__name__}")
    shape.refuse_other_original(known)
    random = Randomness(seed) if seed is not None else Randomness(0)
    with steps(3) as progress:
        return attack.run(release, known, random, progress)
