"""Verdicts: whether a promise holds, what was found, and on what it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.cards import card, chip, folded, lines, small
from sfumato.ground.validate import is_number

__all__ = ["Verdict", "VerdictWord"]

VerdictWord: TypeAlias = Literal["holds", "broken", "not decided", "declared"]

_SAID: dict[VerdictWord, str] = {
    "holds": "holds", "broken": "does NOT hold", "not decided": "is NOT decided", "declared": "is declared",
}  # fmt: skip
_SENTENCES = ("decisions", "broken", "undecided", "declared", "not_covered")
"""The parts of a verdict, beside what was found, that are told in sentences."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Verdict(SaysWhatMethodsTake):
    """The result of a check by somebody who knows nothing of the method: one of four words, and why.

    A promise *holds* where it was proved on what was read, and is *broken* where that contradicts it. It is *not
    decided* where what was read does not suffice. It is *declared* where it is that of a mechanism (perturbation,
    noise, differential privacy): the release tells its parameters and nothing contradicts them, while no release can
    prove how a draw was made.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> release.verdict.word, release.verdict.found
    ('holds', ('smallest class 5 in 18 classes',))
    """

    found: tuple[str, ...]
    """One clause per promise, such as `smallest class 10 in 2,714 classes`."""
    checked_on: str
    """What was read: the published table alone, or the original beside it."""
    decisions: tuple[str, ...] = ()
    """How cells that say no plain value were taken."""
    broken: tuple[str, ...] = ()
    """What does not hold, and where."""
    reached: Mapping[str, float] | None = None
    """The privacy found, by promise."""
    undecided: tuple[str, ...] = ()
    """Promises that nothing contradicts, and that what was read does not suffice to decide."""
    declared: tuple[str, ...] = ()
    """What a mechanism promises by the parameters that the release tells; nothing contradicts it."""
    not_covered: tuple[str, ...] = ()
    """What the verdict does not speak of, a clause each, such as files that the certificate does not list."""

    @property
    def word(self) -> VerdictWord:
        """The verdict in one word: the worst of all findings."""
        if self.broken:
            return "broken"
        if self.undecided:
            return "not decided"
        return "declared" if self.declared else "holds"

    @property
    def holds(self) -> bool:
        """Whether everything was proved."""
        return self.word == "holds"

    @property
    def stands(self) -> bool:
        """Whether a release with this verdict may be published: everything was proved, or is declared."""
        return self.word in ("holds", "declared")

    def __bool__(self) -> bool:
        return self.holds

    @property
    def said(self) -> str:
        """The verdict as the end of a sentence."""
        return _SAID[self.word]

    def __str__(self) -> str:
        lines = [self.said, *self.found, *(f"broken: {text}" for text in self.broken)]
        if not self.broken:
            lines += [f"not decided: {text}" for text in self.undecided]
            lines += [f"declared: {text}; the draw itself cannot be proved" for text in self.declared]
        lines += [
            f"checked on {self.checked_on}",
            *self.decisions,
            *(f"not covered: {text}" for text in self.not_covered),
        ]
        return "\n".join([lines[0], *("  " + line for line in lines[1:])])

    def __repr__(self) -> str:
        return fit_screen(f"Verdict({str(self).strip()})")

    def _repr_html_(self) -> str:
        tone = {"holds": "good", "broken": "bad"}.get(self.word, "unsure")
        more = [*self.decisions, *(f"not covered: {text}" for text in self.not_covered)]
        return card(
            "Verdict", lines(self.found), lines(f"broken: {text}" for text in self.broken),
            lines(f"not decided: {text}" for text in self.undecided if not self.broken),
            lines(f"declared: {text}; the draw itself cannot be proved" for text in self.declared if not self.broken),
            small(f"checked on {self.checked_on}"), folded("what else to know", lines(more)) if more else "",
            badge=chip(self.word, tone),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "word": self.word, "holds": self.holds, "found": list(self.found), "checked_on": self.checked_on,
            "decisions": list(self.decisions), "broken": list(self.broken), "reached": dict(self.reached or {}),
            **({"undecided": list(self.undecided)} if self.undecided else {}),
            **({"declared": list(self.declared)} if self.declared else {}),
            **({"not_covered": list(self.not_covered)} if self.not_covered else {}),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Verdict:
        """Read what `to_dict` wrote, or a certificate of the first version, which had no word."""
        sentences = [given["found"], *(given.get(key, []) for key in _SENTENCES)]
        if not all(isinstance(each, list) and all(isinstance(text, str) for text in each) for each in sentences):
            raise TypeError("the verdict is not told in lists of sentences")
        reached = given.get("reached", {})
        if not isinstance(reached, Mapping) or not all(is_number(value) for value in reached.values()):
            raise TypeError("the verdict does not say in numbers what was reached")
        verdict = cls(
            found=tuple(given["found"]), checked_on=str(given["checked_on"]),
            decisions=tuple(given.get("decisions", ())), broken=tuple(given.get("broken", ())),
            reached=dict(reached), undecided=tuple(given.get("undecided", ())),
            declared=tuple(given.get("declared", ())), not_covered=tuple(given.get("not_covered", ())),
        )  # fmt: skip
        if verdict.holds != bool(given["holds"]) or given.get("word", verdict.word) != verdict.word:
            raise ValueError("the verdict contradicts itself")
        return verdict
