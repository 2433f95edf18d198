"""The check of a release: what it promises, on the published tables alone or beside the original.

Knows nothing of methods. What a release shows decides which check it is: classes, two tables, or subdomains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.match_rank import MatchRank
from sfumato.privacy.promise import Promise
from sfumato.privacy.published import Cells, PublishedClasses
from sfumato.privacy.target import Target
from sfumato.privacy.verdict import Verdict, judge
from sfumato.tables.class_loss import class_losses, shown_losses
from sfumato.tables.pattern.published import hold
from sfumato.tables.permuted import AS_RECORDED, flaws, permuted_untruths, read_permuted
from sfumato.tables.subdomains import flaws as subdomain_flaws
from sfumato.tables.subdomains import read_subdomains, subdomain_untruths
from sfumato.tables.substitutes import attack_rates
from sfumato.tables.truth import untruths

if TYPE_CHECKING:
    from sfumato.release import Release

__all__ = ["verify_release"]


def verify_release(
    release: Release,
    original: Table | None,
    promise: Promise | None,
    cells: Cells | None,
    quasi: Sequence[str] | None,
    sensitive: Sequence[str] | None,
) -> Verdict:
    """Check a promise on the published tables; with the original, also that they are true."""
    schema = release.schema
    frame = release.data.frame
    if "target" in release.public:
        return _verify_target(release, original, promise, quasi or schema.quasi)
    if "permutation" in release.public:
        return _verify_permuted(release, original, promise, quasi or schema.quasi, sensitive or schema.sensitive)
    cells = cells or Cells(suppressed_rows="class")  # a release has no suppressed rows: a class that shows `*` is one
    quasi = list(quasi) if quasi is not None else schema.quasi
    sensitive = list(sensitive) if sensitive is not None else schema.sensitive
    classes = PublishedClasses(frame, quasi, sensitive, schema.columns, cells, release.files)
    broken, found = list(release.damage), []
    drawn = [name for name, form in release.forms.items() if form == "substitute"]
    if drawn:
        held, wrong = hold(release.files.get("properties"), frame, drawn, schema, noise="noise" in release.public)
        found, broken = held, broken + wrong
        if "blocks" in release.files and set(drawn) != set(schema.quasi):
            broken.append("blocks are published, but not every quasi-identifier was drawn anew")
    checked_on = f"{frame.height:,} published rows alone"
    whole = classes if quasi == schema.quasi else PublishedClasses(frame, schema.quasi, cells=cells)
    if _bounds_loss(promise) and original is None and not broken:
        classes.losses = _joined(classes, whole, shown_losses(frame, release.forms, schema, whole))
    if original is not None:
        broken += _other_roles(schema, original.schema)
        rows = release.owner.rows if release.owner is not None else None
        measured = promise is not None and any(isinstance(part, MatchRank) for part in promise.parts)
        if measured and rows is not None:
            classes.files["linkage"] = attack_rates(original.frame, frame, drawn, rows)
        broken += untruths(frame, release.forms, original, rows)
        if _bounds_loss(promise) and not broken:
            classes.losses = _joined(classes, whole, class_losses(frame, release.forms, original, rows))
        checked_on = f"{frame.height:,} published rows, each against its own record of the original"
        if rows is None:
            checked_on = f"{frame.height:,} published rows and the original, without the owner's row map"
    return judge(promise, classes, checked_on=checked_on, broken=tuple(broken), found=tuple(found))


def _verify_permuted(
    release: Release, original: Table | None, promise: Promise | None, quasi: Sequence[str], sensitive: Sequence[str]
) -> Verdict:
    """Two tables: sensitive values by group, and how far anybody hides by the quasi-identifiers as recorded."""
    frame, schema = release.data.frame, release.schema
    broken = [*release.damage, *flaws(frame, release.files, release.public, schema)]
    checked_on = f"{frame.height:,} published rows and the sensitive values of their groups alone"
    permuted = read_permuted(frame, release.files, release.public) if len(broken) == len(release.damage) else None
    beside = [name for name in release.files if permuted is not None and name != release.public["permutation"]["table"]]
    broken += [f"the table {name!r} is published, and the release does not name it" for name in beside]
    if permuted is None:
        found = "the two tables do not fit each other, so that the promise cannot be decided"
        return Verdict(holds=False, found=(found,), checked_on=checked_on, broken=tuple(broken))
    if original is not None:
        rows = release.owner.rows if release.owner is not None else None
        broken += _other_roles(schema, original.schema)
        broken += permuted_untruths(frame, permuted, original, rows)
        checked_on = f"{frame.height:,} published rows and the sensitive values of their groups, against the original"
        checked_on += ", each row with its own record" if rows is not None else ", without the owner's row map"
    classes = PublishedClasses(frame, quasi, (), schema.columns, AS_RECORDED)
    n = max(classes.n_rows, 1)
    classes.files["linkage"] = pl.DataFrame({"low": [classes.n_classes / n]})  # whoever knows the rows links this share
    groups = permuted.classes(sensitive, schema.columns)
    if _bounds_loss(promise):
        broken.append("a bound on the loss speaks of classes, and two tables show none")
    verdict = judge(promise, classes, checked_on=checked_on, broken=tuple(broken), groups=groups)
    plural = "s" if permuted.n_groups != 1 else ""
    said = (
        f"{permuted.n_groups:,} group{plural}: quasi-identifiers are published as recorded, sensitive values by group"
    )
    return replace(verdict, decisions=(said, *verdict.decisions))


def _verify_target(release: Release, original: Table | None, promise: Promise | None, quasi: Sequence[str]) -> Verdict:
    """Subdomains by group: whether they follow the target, and, with the original, whether its values lie in them."""
    frame, schema = release.data.frame, release.schema
    broken = [*release.damage, *subdomain_flaws(frame, release.files, release.public, schema)]
    checked_on = f"{frame.height:,} published rows and the subdomains of their groups alone"
    if len(broken) > len(release.damage):
        found = "the published tables do not fit each other, so that the promise cannot be decided"
        return Verdict(holds=False, found=(found,), checked_on=checked_on, broken=tuple(broken))
    seen = read_subdomains(frame, release.files, release.public)
    assert seen is not None
    if original is not None:
        rows = release.owner.rows if release.owner is not None else None
        target = Target.of(release.public["target"]["target"])
        broken += _other_roles(schema, original.schema)
        broken += subdomain_untruths(frame, seen, target, original, rows)
        checked_on = f"{frame.height:,} published rows and the subdomains of their groups, against the original"
        checked_on += ", each row with its own record" if rows is not None else ", without the owner's row map"
    classes = PublishedClasses(frame, quasi, (), schema.columns, AS_RECORDED)
    classes.subdomains = seen
    classes.files["linkage"] = pl.DataFrame({"low": [classes.n_classes / max(classes.n_rows, 1)]})
    if _bounds_loss(promise):
        broken.append("a bound on the loss speaks of classes, and subdomains by group show none")
    verdict = judge(promise, classes, checked_on=checked_on, broken=tuple(broken))
    fakes = int(seen.listed.sum()) - frame.height
    said = f"{seen.n_groups:,} group{'s' if seen.n_groups != 1 else ''}: quasi-identifiers are published as recorded, "
    said += f"{seen.column!r} as subdomains" + (f", {fakes:,} more than there are rows" if fakes else "")
    return replace(verdict, decisions=(said, *verdict.decisions))


def _other_roles(published: Schema, original: Schema) -> list[str]:
    """Columns that the release takes for something else than the original does: its promise would speak of less."""
    wrong = []
    for name, column in published.columns.items():
        role = original.role(name)
        if role != column.role and (role in ("quasi", "sensitive") or column.role in ("quasi", "sensitive")):
            wrong.append(f"column {name!r} is {role} in the original, and {column.role} in the release")
    return wrong


def _joined(
    classes: PublishedClasses, whole: PublishedClasses, losses: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """The loss of classes by some quasi-identifiers: the largest among the classes by all of them inside each."""
    if losses is None or classes is whole:
        return losses
    joined = np.zeros(classes.n_classes)
    np.maximum.at(joined, classes.of_row, losses[whole.of_row])
    return joined


def _bounds_loss(promise: Promise | None) -> bool:
    return promise is not None and any(isinstance(part, AccuracyBound) for part in promise.parts)
