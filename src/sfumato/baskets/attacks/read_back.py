"""Somebody who has the release alone, knows the method that made it, and reads baskets from it for certain.

Who is whose is what baskets promise to hide; what is in a basket they hide only as far as a vote leaves it open.
Records that are published alike stand for a group of as many originals. Every marked item is otherwise than the base in
one of them at least, and by the vote in half of them at most. If nothing is marked, all of them are the base. If one
item is, half of them or more are the base, and one or more are the base with that item turned round. If two are, in a
group of an odd number one is the base. If more are, nothing is certain. `sure_times` is exact for a group of which this
is all that is known. Windows of a ring are read one by one here, and tell far more together.

A threshold, which releases of earlier versions publish, tells that some original is as far from the base as that: with
a threshold of 1 each marked item is turned round alone in some basket, with one of all marked items all are in one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from sfumato.contracts.attack import Attack, Attacked, Success
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.km_anonymity import KMAnonymity
from sfumato.published.baskets.baskets import baskets_shape

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["Basket", "HowMade", "ReadBack", "SureTimes", "read_baskets_back", "sure_times"]

Basket: TypeAlias = frozenset[str]

_ROUNDED = "windows of a ring are read one by one; whoever puts them in a row reads far more"
_RECODED = "items may be withheld or shown under other names, so that no basket is known to be whole"
_UNKNOWN = "how this method forms groups is not known here: what possible worlds tell is all that is read"


@dataclass(frozen=True)
class ReadBack(Attack):
    """Has the release and knows the method, and nothing of people: how many baskets can be read from it for certain.

    Without the release none can, so that this is what all figures are compared with.

    >>> import sfumato as sf
    >>> sf.ReadBack()
    ReadBack()
    """

    takes: ClassVar[type] = PublishedBaskets

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Read what is certain, with and without knowing the method, and hold it against the originals."""
        shape, n = baskets_shape(release), len(original)
        published = shape.data
        if not n or len(published) != n:
            raise DataError(f"{len(published):,} records are published, and the original has {n:,}; give the right one")
        progress.step("reading baskets")
        made = HowMade.of(release)
        truth = Counter(_names(original))
        known, unaware = (read_baskets_back(published, each) for each in (made, made.unaware()))
        if not (known <= truth and unaware <= truth):
            raise DataError("these baskets are not those that the release was made from; give the original")
        once = {basket for basket, times in truth.items() if times == 1}
        bases = set(_names(published.base))

        def among(read: set[Basket]) -> float:
            return len(once & read) / max(len(once), 1)

        unlearnt = ", by somebody who does not know the method"
        found = {
            "read": (known.total() / n, "records whose basket is read for certain"),
            "read_unaware": (unaware.total() / n, f"records whose basket is read for certain{unlearnt}"),
            "once": (among(set(known)), "baskets that occur once, of these, that are read for certain"),
            "once_unaware": (among(set(unaware)), f"the same{unlearnt}"),
            "once_guessed": (among(bases), "baskets that occur once, of these, that some base is, which is a guess"),
        }
        notes = ("computed from the original: for its owner alone", *made.notes)
        return Attacked(
            self, {name: Success(value, None, None, 0.0, meaning) for name, (value, meaning) in found.items()}, notes
        )


@dataclass(frozen=True)
class HowMade:
    """What is known of how published records came about."""

    kind: str
    """`groups` that are published alike, windows of a `ring`, items under other names (`recoded`), or only `worlds`."""
    least: int = 2
    """How many originals a published record stands for at least; on a ring, exactly."""
    most: int | None = None
    """How many at most, where that is known."""
    voted: bool = True
    """Whether the base is what most of a group have, or what all have."""

    @classmethod
    def of(cls, release: Release) -> HowMade:
        """What the release itself says: the name of the method, its public parameters and the promise."""
        name, promise = str(release.method.get("name", "")), release.promise
        parts, k = (promise.parts, promise.min_size()) if promise is not None else ((), 1)
        if name == "Apriori" or any(isinstance(part, KMAnonymity) for part in parts):
            return cls("recoded")
        if name == "Nonreciprocal":
            return cls("ring", k, k)
        if name not in ("Grouped", "CAHD"):
            return cls("worlds")
        plain = name == "Grouped" and bool(parts) and all(isinstance(part, KAnonymity) for part in parts)
        return cls("groups", k, 2 * k - 1 if plain else None, release.method.get("show", "votes") != "withheld")

    def unaware(self) -> HowMade:
        """The same release for somebody who does not know the method, but what the columns mean."""
        return self if self.kind == "recoded" else HowMade("worlds")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the figures leave out."""
        left_out = {"ring": _ROUNDED, "recoded": _RECODED, "worlds": _UNKNOWN}
        return (left_out[self.kind],) if self.kind in left_out else ()


@dataclass(frozen=True)
class SureTimes:
    """How many of some originals, at least, are the base; with each single marked item turned round; and with all."""

    base: int = 0
    single: int = 0
    all: int = 0


def read_baskets_back(published: PublishedBaskets, made: HowMade) -> Counter[Basket]:
    """The baskets that are there for certain, each with the least number of times. O(items shown and marked)."""
    alike: Counter[tuple[Basket, Basket, int]] = Counter(
        zip(_names(published.base), _names(published.differs), published.threshold.tolist(), strict=True)
    )
    found: Counter[Basket] = Counter()
    for (base, differs, threshold), n in alike.items():
        told = threshold if published.tells_threshold else None
        sure = _of_alike(n, len(differs), told, made, len(published))
        times = Counter({base: sure.base})
        if len(differs) > 1:
            times.update({base ^ {item}: sure.single for item in differs if sure.single})
        times[base ^ differs] += sure.all if differs else 0
        for basket, least in times.items():
            found[basket] = max(found[basket], least) if made.kind == "ring" else found[basket] + least
    return +found


def _of_alike(n: int, marked: int, threshold: int | None, made: HowMade, n_records: int) -> SureTimes:
    """What is certain of the originals behind n records that are published alike."""
    if made.kind == "recoded":
        return SureTimes()
    if not marked or threshold == 0:  # windows at n places of a ring cover more records than n
        return SureTimes(min(n + made.least - 1, n_records) if made.kind == "ring" else n)
    if made.kind == "worlds":
        return SureTimes()
    told = threshold if made.voted else None
    if made.kind == "ring":
        return sure_times(made.least, marked, told)
    if n < made.least:
        return SureTimes()
    return _least_over_groups(n, marked, told, made)


def sure_times(size: int, marked: int, threshold: int | None = None, *, voted: bool = True) -> SureTimes:
    """What is certain of `size` originals that are published with so many marked items.

    Each of these has at least one original that is otherwise than the base, and at most half of them where the base is
    voted on; where the base is what all have, at most all but one. A `threshold` is how far the farthest is.
    """
    if not marked:
        return SureTimes(size)
    turned = marked * (size // 2 if voted else size - 1)  # items turned round in all originals, at most
    together = (threshold or 1) - 1  # of which so many are sure to be in the same original as another
    single = int(threshold == 1 or marked == 1)
    return SureTimes(max(size - (turned - together), 0), single, int(marked in (1, threshold)))


@lru_cache(maxsize=4096)
def _least_over_groups(n: int, marked: int, threshold: int | None, made: HowMade) -> SureTimes:
    """What is certain if n records that are alike may be of one group or of several."""
    if made.most is None or n <= made.most:  # one group leaves the most open
        return sure_times(n, marked, threshold, voted=made.voted)
    sizes = range(made.least, made.most + 1)
    each = [sure_times(size, marked, threshold, voted=made.voted) for size in sizes]
    base, groups = [0.0] + [float("inf")] * n, [0.0] + [float("inf")] * n
    for total in range(1, n + 1):
        for size, sure in zip(sizes, each, strict=True):
            if size <= total:
                base[total] = min(base[total], base[total - size] + sure.base)
                groups[total] = min(groups[total], groups[total - size] + 1)
    if groups[n] == float("inf"):
        return SureTimes()
    one = each[0]
    return SureTimes(int(base[n]), int(groups[n]) * one.single, int(groups[n]) * one.all)


def _names(baskets: Baskets) -> list[Basket]:
    return [frozenset(basket) for basket in baskets]
