"""`attack`: what somebody who knows something finds in a release."""

from __future__ import annotations

from contextlib import nullcontext

from sfumato.contracts.attack import Attack, Attacked
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import ParameterError, ReleaseError
from sfumato.ground.progress import Progress, steps
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import finite
from sfumato.published.shape import shape_of
from sfumato.release.release import Release

__all__ = ["attack"]


@says_what_it_takes
def attack(
    release: Release,
    attack: Attack,
    original: Table | Baskets | Graph | None = None,
    *,
    seed: Seed | None = None,
    within: float | None = None,
    progress: Progress | None = None,
) -> Attacked:
    """Attack a release and hold what was found against the truth, beside what could be guessed without it.

    Needs the `original` (by default the one the owner's part still holds) and the owner's row map. The result is for
    the owner: it is computed from the original. People are drawn the same way each time, unless a `seed` is given.

    An attack that takes longer than `within` seconds stops with what it found on those that it tried until then, drawn
    at random; a note says how many they are. How many that is depends on the machine. A `progress` that the caller made
    (of three steps) shows how far the work is.

    The `attack` is an object such as `LinkageAttack()`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> sf.attack(release, sf.HomogeneityAttack(people=50))["certain"].meaning
    "people whose 'diagnosis' is the only one among rows that fit"
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
    with steps(3) if progress is None else nullcontext(progress) as progress:
        if within is not None:
            progress.end_within(finite("within", within, asked="a number of seconds above 0", above=0))
        return attack.run(release, known, random, progress)
