"""The decision on a promise, from the classes that a published table shows."""

from __future__ import annotations

import polars as pl

from sfumato.privacy.promise import Finding, Promise
from sfumato.privacy.verdict import Verdict
from sfumato.published.equivalence import PublishedClasses

__all__ = ["judge"]

_UNSEEN = r"[\p{Cf}\p{Z}\s]+"
"""Blanks, and characters that are not shown."""
_LONGEST = 40


def judge(
    promise: Promise | None,
    classes: PublishedClasses,
    *,
    checked_on: str,
    broken: tuple[str, ...] = (),
    found: tuple[str, ...] = (),
    groups: PublishedClasses | None = None,
) -> Verdict:
    """Decide a promise on the classes of a published table, and sum up in a verdict.

    `found` and `broken` list what other parts of the check found already. Where sensitive values are published for
    `groups` in place of classes, promises on them are decided on the groups; how many records look the same is still
    decided on the classes.
    """
    findings: list[Finding] = []
    failed: list[str] = []
    undecided: list[str] = []
    declared: list[str] = []
    for part in promise.parts if promise is not None else ():
        seen = groups if groups is not None and part.speaks_of == "groups" else classes
        for finding in part.check(seen):
            findings.append(finding)
            if not finding.decided:
                undecided.append(finding.promise)
            elif finding.declared:
                declared.append(finding.promise)
            elif not finding.holds:
                at = finding.worst_class
                where = f", {seen.noun} {seen.describe(at)}" if at is not None else ""
                failed.append(f"{finding.promise}: {finding.found}{where}")
    return Verdict(
        found=(*(finding.found for finding in findings), *found)
        or (f"{classes.n_classes:,} classes, no promise asked for",),
        checked_on=checked_on,
        decisions=tuple(_decisions(classes)),
        broken=(*failed, *broken),
        reached={finding.promise: finding.value for finding in findings if finding.decided},
        undecided=tuple(undecided),
        declared=tuple(declared),
        not_covered=tuple(_look_alikes(promise, groups if groups is not None else classes)),
    )


def _look_alikes(promise: Promise | None, seen: PublishedClasses) -> list[str]:
    """Values that count as different and that people would take for one, a clause for each column that has some."""
    if promise is None or all(part.speaks_of != "groups" for part in promise.parts):
        return []
    said = []
    for name in seen.sensitive:
        if seen.frame[name].dtype not in (pl.String, pl.Categorical, pl.Enum):
            continue
        values = pl.DataFrame({"value": seen.frame[name].drop_nulls().unique().cast(pl.String)}).with_columns(
            pl.col("value").str.normalize("NFKC").str.to_lowercase().str.replace_all(_UNSEEN, "").alias("seen")
        )
        alike = values.filter(pl.col("seen").is_duplicated()).sort("seen", "value")
        if alike.height:
            a, b = (value if len(value) <= _LONGEST else f"{value[:_LONGEST]} ..." for value in alike["value"].head(2))
            said.append(
                f"that some values of {name!r} look the same, as {a!r} and {b!r} do: they count as different values"
            )
    return said


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
