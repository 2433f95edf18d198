"""Verdicts: whether a promise holds, what was found, and on what it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.privacy.of_population import OfPopulation
from sfumato.privacy.promise import Finding, OfSize, Promise
from sfumato.privacy.published import PublishedClasses

__all__ = ["Verdict", "judge"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of a check by somebody who knows nothing of the method."""

    holds: bool
    found: tuple[str, ...]
    """One clause per promise, such as `smallest class 10 in 2,714`."""
    checked_on: str
    """What was read: the published table alone, or the original beside it."""
    decisions: tuple[str, ...] = ()
    """How cells that say no plain value were taken."""
    broken: tuple[str, ...] = ()
    """What does not hold, and where."""
    reached: Mapping[str, float] | None = None
    """The privacy found, by promise."""
    undecided: tuple[str, ...] = ()
    """Promises that nothing contradicts, and that what was read does not suffice to decide; then nothing holds."""

    def __bool__(self) -> bool:
        return self.holds

    @property
    def said(self) -> str:
        """The verdict in a word or two."""
        return "holds" if self.holds else "is NOT decided" if self.undecided and not self.broken else "does NOT hold"

    def __str__(self) -> str:
        lines = [self.said, *self.found, *(f"broken: {text}" for text in self.broken)]
        lines += [f"checked on {self.checked_on}", *self.decisions]
        return "\n".join([lines[0], *("  " + line for line in lines[1:])])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "holds": self.holds, "found": list(self.found), "checked_on": self.checked_on,
            "decisions": list(self.decisions), "broken": list(self.broken), "reached": dict(self.reached or {}),
            **({"undecided": list(self.undecided)} if self.undecided else {}),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Verdict:
        """Read what `to_dict` wrote."""
        return cls(
            holds=bool(given["holds"]), found=tuple(given["found"]), checked_on=str(given["checked_on"]),
            decisions=tuple(given.get("decisions", ())), broken=tuple(given.get("broken", ())),
            reached=dict(given.get("reached", {})), undecided=tuple(given.get("undecided", ())),
        )  # fmt: skip


def judge(
    promise: Promise | None,
    classes: PublishedClasses,
    *,
    checked_on: str,
    broken: tuple[str, ...] = (),
    found: tuple[str, ...] = (),
    groups: PublishedClasses | None = None,
) -> Verdict:
    """Decide a promise on the classes of a published table; `found` and `broken` list what was decided elsewhere.

    Where sensitive values are told of `groups` and not of classes, promises on them are decided on these; how far
    anybody hides is still a matter of the classes.
    """
    findings: list[Finding] = []
    failed: list[str] = []
    undecided: list[str] = []
    for part in promise.parts if promise is not None else ():
        seen = classes if groups is None or isinstance(part, (OfSize, OfPopulation)) else groups
        for finding in part.check(seen):
            findings.append(finding)
            if not finding.decided:
                undecided.append(finding.promise)
            elif not finding.holds:
                at = finding.worst_class
                where = f", {seen.noun} {seen.describe(at)}" if at is not None else ""
                failed.append(f"{finding.promise}: {finding.found}{where}")
    return Verdict(
        holds=not failed and not broken and not undecided,
        found=(*(finding.found for finding in findings), *found)
        or (f"{classes.n_classes:,} classes, no promise asked for",),
        checked_on=checked_on,
        decisions=tuple(_decisions(classes)),
        broken=(*failed, *broken),
        reached={finding.promise: finding.value for finding in findings if finding.decided},
        undecided=tuple(undecided),
    )


def _decisions(classes: PublishedClasses) -> list[str]:
    cells = classes.cells
    said = []
    if classes.n_suppressed:
        said.append(
            f"{classes.n_suppressed:,} of {classes.n_rows:,} rows show nothing in any quasi-identifier: "
            f"suppressed, no class of their own"
        )
    if classes.n_cells_suppressed:
        marks = " ".join(repr(mark) for mark in cells.suppressed)
        said.append(f"{marks} is a suppressed cell, and equals only another suppressed cell")
    if classes.n_empty:
        taken = "a suppressed cell" if cells.empty == "suppressed" else "a missing value, a value of its own"
        said.append(f"an empty or NaN cell is {taken}")
    return said
