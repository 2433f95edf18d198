"""P-privacy: Koudas, Srivastava, Yu & Zhang, PVLDB 2(1), 2009, definition 3.2."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.values import as_number, text
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite
from sfumato.privacy.conditions import Condition
from sfumato.privacy.promise import Finding, Promise, as_fraction, check_fraction
from sfumato.privacy.target import PARTS, Target
from sfumato.privacy.words import join_names, number_in_words

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.published.equivalence import PublishedClasses
    from sfumato.published.tables.subdomain_lists import Subdomains

__all__ = ["PPrivate", "achieved_densities", "distance_from_target"]


@dataclass(frozen=True)
class PPrivate(Promise):
    """A reader who takes the list of a group at its word finds that everybody's value in it follows the target.

    Every group lists subdomains; a value that lies in one is distributed inside it as the target is. Over all
    subdomains of a group, the probability of each value must be that of the target: exactly, or `within` a total
    variation distance (the largest difference in the probability of any set of values). It says nothing of a reader who
    also reckons with how the list was chosen, or who knows values of others in the group.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.TargetDistribution(), sf.PPrivate("uniform"), seed=1)
    Release(100 rows, TargetDistribution, PPrivate('uniform') holds)
    """

    speaks_of = "groups"
    kept_by = "TargetDistribution"
    example = '"uniform"'

    target: Target | str | Mapping[str, Any]
    within: float = 0.0

    def __post_init__(self) -> None:
        """Read the target, check the tolerance."""
        object.__setattr__(self, "target", Target.of(self.target))
        finite("within", self.within, asked="a total variation distance from 0 to below 1", low=0, below=1)
        check_fraction("within", self.within)

    @property
    def distribution(self) -> Target:
        """The target, read."""
        return Target.of(self.target)

    def __repr__(self) -> str:
        target = self.distribution
        said = repr(target.kind) if target.kind in ("uniform", "table", "group") else target.in_full
        return f"PPrivate({said}{f', within={number_in_words(self.within)}' if self.within else ''})"

    @property
    def name(self) -> str:
        """As in `P-privacy within 0.1`."""
        return "P-privacy" + (f" within {number_in_words(self.within)}" if self.within else "")

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """Which distribution a reader finds in every group."""
        names = join_names(sensitive, "or") or "sensitive value"
        near = f" to a total variation of {number_in_words(self.within)}" if self.within else ""
        return (
            f"Read as it stands, the list of a person’s group says that their {names} follows the target "
            f"distribution{near}, {self.distribution.in_words}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The target as plain data."""
        return {"name": "PPrivate", "target": self.distribution.to_dict(), "within": self.within}

    def min_size(self) -> int:
        """Return 1: any group is large enough, as one record alone is shown as the whole domain."""
        return 1

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """No conditions: groups are made to follow the target, whatever they hold."""
        return []

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Say that classes cannot keep it: they show sensitive values as recorded, which follow no target."""
        return f"{self!r} is about sensitive values shown as subdomains; publish with TargetDistribution"

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Compare the distribution that every group's subdomains give with the target, in whole numbers."""
        seen = classes.evidence.subdomains
        if seen is None:
            found = "no subdomains are published, so that no distribution can be told"
            return [Finding(promise=repr(self), holds=False, value=1.0, found=found)]
        farthest, at = Fraction(0), None
        known: dict[bytes, Fraction] = {}
        starts, within = seen.starts, as_fraction(self.within)
        stated = self._has_promised_target(seen)
        for g in range(seen.n_groups):
            part, t = slice(starts[g], starts[g + 1]), int(seen.target_of_group[g])
            if not stated[g]:
                label = f" of the group {seen.labels[g]!r}" if seen.labels else ""
                found = f"the published target{label} is not the one promised"
                return [Finding(promise=repr(self), holds=False, value=1.0, found=found)]
            listing = np.concatenate([[t], seen.first[part], seen.last[part], seen.count[part]]).astype(np.int64)
            key = listing.tobytes()
            if key not in known:
                known[key] = distance_from_target(seen.first[part], seen.last[part], seen.count[part], seen.weights[t])
            if at is None or known[key] > farthest:
                farthest, at = known[key], g
        holds = farthest <= within
        where = f"{seen.n_groups:,} group{'s' if seen.n_groups != 1 else ''}"
        if not farthest:
            found = f"every value of {seen.column!r} has exactly the target's probability in {where}"
        else:
            shown = math.ceil(farthest * 10_000) / 10_000  # never rounded down
            found = f"farthest group at total variation {shown:.4f} from the target on {seen.column!r} in {where}"
        return [Finding(promise=repr(self), holds=holds, value=float(farthest), found=found)]

    def _has_promised_target(self, seen: Subdomains) -> list[bool]:
        """For each group, whether its published target is the promised one, as far as that can be known."""
        texts = [text(value) for value in seen.values.to_list()]
        numbers = None
        if seen.values.dtype.is_numeric() or seen.values.dtype.is_temporal():
            numbers = np.array([as_number(value) for value in seen.values.to_list()])
        target = self.distribution
        if target.kind == "each" and (seen.published_target != target or not seen.labels):
            return [False] * seen.n_groups
        known: dict[tuple[str, int], bool] = {}
        result = []
        for g in range(seen.n_groups):
            label, t = (seen.labels[g] if target.kind == "each" else ""), int(seen.target_of_group[g])
            if (label, t) not in known:
                known[label, t] = _weights_agree(target, label, seen.weights[t], seen.published_target, texts, numbers)
            result.append(known[label, t])
        if target.by_data:  # the table has one distribution, whichever it is
            follow = [g for g in range(seen.n_groups) if _kind(target, seen, g) == "table"]
            numbers_used = {int(seen.target_of_group[g]) for g in follow}
            if len({seen.weights[t].tobytes() for t in numbers_used}) > 1:
                return [False] * seen.n_groups
        return result


def _kind(target: Target, seen: Subdomains, g: int) -> str:
    if target.kind != "each":
        return target.kind
    return {label: part.kind for label, part in target.parts}.get(seen.labels[g], "")


def _weights_agree(
    target: Target,
    label: str,
    published: NDArray[np.int64],
    published_target: Target | None,
    texts: list[str],
    numbers: NDArray[np.float64] | None,
) -> bool:
    """Whether the published weights are those of the target.

    `published_target` is the target that the release names. It decides where the target follows the records, as only
    the original could tell its weights.
    """
    try:
        own = target.for_label(label)
        if own.by_data:  # only the original can tell whether it does: it is compared where it is given
            return published_target == target
        expected = own.weights(texts, numbers)
    except ParameterError:
        return False
    said, right = sum(map(int, published)), sum(map(int, expected))
    if own.kind in ("normal", "zipf"):  # a formula of real numbers: the last digit is the processor's
        return bool(np.abs(published / said - expected / right).max(initial=0.0) <= 2.0 / PARTS)
    return all(int(a) * right == int(b) * said for a, b in zip(published, expected, strict=True))


def achieved_densities(
    first: NDArray[np.int64], last: NDArray[np.int64], count: NDArray[np.int64], weights: NDArray[np.int64]
) -> tuple[list[tuple[int, int, int]], int]:
    """The distribution that subdomains give: stretches of places (first, stop, density), and a denominator.

    The probability of a value is its weight times the density of its stretch, over the denominator. Whole numbers.
    """
    total = np.concatenate([[0], np.cumsum(weights)])
    inside = [int(w) for w in total[last + 1] - total[first]]
    if not all(inside):
        raise ZeroDivisionError("a subdomain has no weight")
    common = math.lcm(*inside)
    change: dict[int, int] = {0: 0, len(weights): 0}
    for a, b, c, w in zip(first.tolist(), last.tolist(), count.tolist(), inside, strict=True):
        change[a] = change.get(a, 0) + c * (common // w)
        change[b + 1] = change.get(b + 1, 0) - c * (common // w)
    places = sorted(change)
    stretches, density = [], 0
    for place, stop in pairwise(places):
        density += change[place]
        stretches.append((place, stop, density))
    return stretches, common * sum(count.tolist())


def distance_from_target(
    first: NDArray[np.int64], last: NDArray[np.int64], count: NDArray[np.int64], weights: NDArray[np.int64]
) -> Fraction:
    """The total variation distance between the distribution that a group's subdomains give and the target, exactly."""
    if not len(first):
        return Fraction(0)
    try:
        stretches, denominator = achieved_densities(first, last, count, weights)
    except ZeroDivisionError:
        return Fraction(1)
    total = [0, *np.cumsum(weights).tolist()]
    whole = total[-1]
    # |W_s d / denominator - W_s / whole|, summed and halved
    off = sum((total[stop] - total[place]) * abs(d * whole - denominator) for place, stop, d in stretches)
    return Fraction(off, 2 * denominator * whole)
