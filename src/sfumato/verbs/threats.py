"""`threats`: what an adversary can do with a published table, in the three words that regulators use.

Article 29 Data Protection Working Party, Opinion 05/2014 on anonymisation techniques: singling out (picking the record
of one person), linkability (joining what two tables say of one person) and inference (deducing a value of a person).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from sfumato.contracts.attack import Adversary, Attack, Attacked, Findings, Success, success_cells
from sfumato.data.given import given_table
from sfumato.data.table import Table
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.cards import card, grid, lines, small
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.figures import format_value
from sfumato.ground.progress import Progress, steps
from sfumato.ground.randomness import Seed
from sfumato.ground.validate import finite
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.shape import shape_of
from sfumato.published.tables.table import TableShape
from sfumato.release.release import Release
from sfumato.tables.attacks.distance_linkage import DistanceLinkage
from sfumato.tables.attacks.homogeneity import HomogeneityAttack
from sfumato.tables.attacks.inference import InferenceAttack
from sfumato.tables.attacks.known_sample import KnownSampleAttack
from sfumato.tables.attacks.linkage import LinkageAttack
from sfumato.tables.attacks.row_matching import is_near
from sfumato.verbs.attack import attack

__all__ = ["Panel", "Threat", "threats"]

_USUAL_STEPS = 12  # of four attacks
_OWNER = "computed from the original: for its owner alone"


@dataclass(frozen=True, eq=False)
class Threat:
    """One of the three threats, by the attack that got furthest."""

    name: str
    attack: Adversary
    figure: str
    """The figure of that attack that is shown."""
    success: Success
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "attack": self.attack.to_dict(), "figure": self.figure, **asdict(self.success), "sentence": self.sentence
        }  # fmt: skip


class Panel(Findings[Threat]):
    """Singling out, linkability and inference, each by its best attack. For the owner alone.

    `found` has the threats by name, and `notes` what to know of them.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> sf.threats(release)["inference"].figure
    'right'
    """

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"threats": {name: each.to_dict() for name, each in self._found.items()}, "notes": list(self.notes)}

    def __str__(self) -> str:
        header = ("", "found", "95% interval", "without the release", "attack")
        rows = []
        for name, each in self._found.items():
            low, high = each.success.low, each.success.high
            interval = f"{_percent(low)} to {_percent(high)}" if low is not None and high is not None else ""
            value, baseline = _percent(each.success.value), _percent(each.success.baseline)
            rows.append((name, value, interval, baseline, _attack_in_words(each.attack)))
        widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
        lines = []
        for row in (header, *rows):
            cells = [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:4], widths[1:4], strict=True))]
            lines.append("  ".join([*cells, row[4]]).rstrip())
        lines += [f"{name}: {each.sentence}" for name, each in self._found.items()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return fit_screen(str(self))

    def _repr_html_(self) -> str:
        heads = ("", "found", "95% interval", "without the release", "attack")
        rows = [
            (name, *success_cells(each.success), small(_attack_in_words(each.attack))) for name, each in self.items()
        ]
        said = lines(f"{name}: {each.sentence}" for name, each in self.items())
        return card("Threats", grid(heads, rows, numbers=(1, 2, 3)), said, small(lines(self.notes)))


@says_what_it_takes
def threats(
    release: Release,
    original: Table | None = None,
    *,
    outside: Table | None = None,
    seed: Seed | None = None,
    within: float | None = None,
    progress: Progress | None = None,
) -> Panel:
    """Attack a release of a table in every way that applies, and say how far singling out, linkage and inference get.

    Everybody's quasi-identifiers are known to the adversary; with an `outside` table, links are those to its persons.
    Needs the original and the owner's row map, as `attack` does. Once `within` seconds are over, no further attack is
    begun: a note names those that were left out. A `progress` that the caller made shows how far the work is.

    People are drawn the same way each time, unless a `seed` is given.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> list(sf.threats(release))
    ['singling out', 'linkability', 'inference']
    """
    if not isinstance(release, Release):
        raise ParameterError(f"threats takes a Release, got {type(release).__name__}; load one with load_release")
    shape = shape_of(release)
    if not isinstance(shape, TableShape):
        raise ParameterError(
            f"threats is about releases of tables, and this is one of {shape.called}; "
            f"use attack with an attack for such data"
        )
    if outside is not None:
        given_table(outside, f"outside must be a Table, got {type(outside).__name__}; read it with read_table")
    with steps(_USUAL_STEPS) if progress is None else nullcontext(progress) as progress:
        if within is not None:
            progress.end_within(finite("within", within, asked="a number of seconds above 0", above=0))
        return _try_all(_Tries(release, original, seed, progress), shape, outside)


class _Tries:
    """Attacks on one release while there is time; those that there was none for are remembered."""

    def __init__(self, release: Release, original: Table | None, seed: Seed | None, progress: Progress) -> None:
        self.release, self.original, self.seed, self.progress = release, original, seed, progress
        self.left_out: list[Attack] = []

    def make(self, attacks: Sequence[Attack], *, at_least: int = 0) -> list[Attacked]:
        """Make these attacks in turn: the first `at_least` in any case, the others while there is time."""
        found = []
        for number, each in enumerate(attacks):
            if number >= at_least and self.progress.is_over:
                self.left_out.append(each)
            else:
                found.append(attack(self.release, each, self.original, seed=self.seed, progress=self.progress))
        return found

    def make_those_that_can(self, attacks: Sequence[Attack]) -> list[Attacked]:
        """Make those of these attacks that this release allows."""
        found = []
        for each in attacks:
            with suppress(ParameterError, DataError):
                found += self.make([each])
        return found

    @property
    def notes(self) -> list[str]:
        """The note on attacks that there was no time for."""
        if not self.left_out:
            return []
        names = ", ".join(_attack_in_words(each) for each in self.left_out)
        return [f"the time was over before {names}; --within (within=) gives more"]


def _try_all(tries: _Tries, shape: TableShape, outside: Table | None) -> Panel:
    """Make all attacks that apply, and sum up by threat."""
    near = any(is_near(form) for form in shape.seen_forms.values())
    notes = [_OWNER]
    if near:
        looked = tries.make([DistanceLinkage("nearest"), DistanceLinkage("rank")], at_least=1)
        linked = [*looked, *tries.make_those_that_can(
            [DistanceLinkage("assignment"), DistanceLinkage("rank_assignment"),
             *([KnownSampleAttack()] if shape.change == "rotation" else [])]
        )]  # fmt: skip
        if outside is not None:
            notes.append("means and changed values cannot be held against the outside table: links are by distance")
    else:
        looked = tries.make([LinkageAttack()], at_least=1)
        linked = tries.make([LinkageAttack(outside)], at_least=1) if outside is not None else looked
    linkability = _linkability(linked, near=near, outside=outside is not None and not near)
    classes = shape.plain_classes() if not near else None
    if classes is not None and classes.n_classes and outside is None:
        linkability = _by_class(linkability, classes)
    found = {"singling out": _singling_out(looked, near=near), "linkability": linkability}
    try:
        learnt = tries.make([InferenceAttack("bayes"), InferenceAttack("class")])
        same = tries.make([HomogeneityAttack()])
        certain = same[0].get("certain") if same else None
        if learnt:
            sure = max(certain.value, _uniform(classes)) if certain is not None else None
            found["inference"] = _inference(learnt, sure)
    except ParameterError as error:
        notes.append(f"inference was not tried: {error}")
    return Panel(found, (*notes, *tries.notes))


def _best(tried: Sequence[Attacked], *names: str) -> tuple[Attacked, str]:
    """The attack with the largest value of its figure, the first of `names` that it has; and that name."""
    named = [(each, next(name for name in names if name in each)) for each in tried]
    return max(named, key=lambda pair: pair[0][pair[1]].value)


def _singling_out(tried: Sequence[Attacked], *, near: bool) -> Threat:
    best, name = _best(tried, "alone" if near else "singled")
    success = best[name]
    who = "are nearest to their own row and to no other" if near else "can be told from everybody else by their row"
    sentence = f"{_percent(success.value)} of people {who}, by what is known of them"
    return Threat("singling out", best.attack, name, success, sentence)


def _linkability(tried: Sequence[Attacked], *, near: bool, outside: bool) -> Threat:
    best, name = _best(tried, "found", "recovered", "chance")
    success = best[name]
    share = _percent(success.value)
    if name == "recovered":
        sentence = f"by a few known records all numbers of {share} of the others are worked out"
        return Threat("linkability", best.attack, name, success, sentence)
    if name == "chance":
        sentence = f"the likeliest link of a person of the outside table is right with {share}"
    elif outside:
        sentence = f"a person of the outside table who is in the release is given the own row with {share}"
    else:
        sentence = f"{'the row named for' if near else 'a row that fits'} a person is the person's own with {share}"
    raw = _percent(best[f"{name}_before"].value)
    return Threat("linkability", best.attack, name, success, f"{sentence}, and with {raw} in the raw records")


def _by_class(found: Threat, classes: PublishedClasses) -> Threat:
    """The threat of an adversary who knows everybody, and so who cannot be in which class, if that is larger.

    The rows of a class look the same, so that nobody is given the right one with more than 1 over their number.
    """
    most = classes.n_classes / max(classes.n_rows, 1)
    if most <= found.success.value:
        return found
    success = replace(found.success, value=most, low=None, high=None)
    sentence = (
        f"{found.sentence}; for somebody who knows everybody and works out who cannot be where, up to {_percent(most)}"
    )
    return replace(found, success=success, sentence=sentence)


def _uniform(classes: PublishedClasses | None) -> float:
    """The share of people in classes with one sensitive value."""
    if classes is None or not classes.sensitive or not classes.n_classes:
        return 0.0
    counts, starts = classes.histograms(classes.sensitive[0])
    alone = np.diff(np.append(starts, len(counts))) == 1
    return float(classes.sizes[alone].sum()) / max(classes.n_rows, 1)


def _inference(tried: Sequence[Attacked], certain: float | None) -> Threat:
    best, name = _best(tried, "right")
    success, control, excess = best["right"], best["control"], best["excess"]
    sentence = f"a guess is right about {_percent(success.value)} of people"
    if "members" in best:
        sentence += (
            f"; published once more without some of them, about {_percent(best['members'].value)} of those in it and "
            f"{_percent(control.value)} of those left out"
        )
    else:
        sentence += f", and about {_percent(control.value)} of people who are not in the release"
    sentence += f": being in it adds {_percent(excess.value)}"
    if certain is not None:
        sentence += f"; of {_percent(certain)} the value is certain, or would be to somebody who knows everybody"
    return Threat("inference", best.attack, name, success, sentence)


def _percent(value: float) -> str:
    """A share as people read it."""
    return format_value(value, "share")


def _attack_in_words(attack: Adversary) -> str:
    """The attack's name, with the parameter that says how it works."""
    how = {key: value for key, value in attack.to_dict().items() if key in ("by", "learner") and value is not None}
    return f"{type(attack).__name__}({', '.join(f'{key}={value!r}' for key, value in how.items())})"
