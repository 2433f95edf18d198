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
from sfumato.privacy.m_invariance import MInvariance
from sfumato.privacy.match_rank import MatchRank
from sfumato.privacy.promise import OfSize, Promise
from sfumato.privacy.target import Target
from sfumato.privacy.verdict import Verdict
from sfumato.published.equivalence import AS_RECORDED, Cells, PublishedClasses
from sfumato.published.judging import judge
from sfumato.published.tables.changed import Perturbed, is_perturbed
from sfumato.published.tables.class_loss import class_losses, shown_losses
from sfumato.published.tables.condensed import verify_condensed
from sfumato.published.tables.fitting import count_people
from sfumato.published.tables.linkage_rates import attack_rates
from sfumato.published.tables.properties import hold
from sfumato.published.tables.sequence import flaws as republished_flaws
from sfumato.published.tables.sequence import read_republished, republished_untruths, sequence
from sfumato.published.tables.subdomains import flaws as subdomain_flaws
from sfumato.published.tables.subdomains import read_subdomains, subdomain_untruths
from sfumato.published.tables.truth import untruths
from sfumato.published.tables.two_tables import flaws, permuted_untruths, read_permuted

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
    previous: Sequence[Release] = (),
) -> Verdict:
    """Check a promise on the published tables; with the original, also that they are true."""
    schema = release.schema
    frame = release.data.frame
    if "target" in release.public:
        return _verify_target(release, original, promise, quasi or schema.quasi)
    if "condensed" in release.public:
        wrong = [*release.damage, *_unnamed(release, ())]
        wrong += _other_roles(schema, original.schema) if original is not None else []
        kept = release.owner.files if release.owner is not None else {}
        told = release.public["condensed"]
        return verify_condensed(frame, schema, told, original, kept, promise, sensitive or schema.sensitive, wrong)
    if "republication" in release.public:
        return _verify_republished(release, original, promise, quasi or schema.quasi, previous)
    if "permutation" in release.public:
        return _verify_permuted(release, original, promise, quasi or schema.quasi, sensitive or schema.sensitive)
    cells = cells or Cells(suppressed_rows="class")  # a release has no suppressed rows: a class that shows `*` is one
    quasi = list(quasi) if quasi is not None else schema.quasi
    sensitive = list(sensitive) if sensitive is not None else schema.sensitive
    classes = PublishedClasses(frame, quasi, sensitive, schema.columns, cells, release.files)
    classes.files.pop("fitting", None)  # what is published is not what was found
    drawn = [name for name, form in release.forms.items() if form == "substitute"]
    beside = ("densities",) if "uncertain" in release.public else ("properties", "blocks") if drawn else ()
    broken: list[str] = [*release.damage, *_unnamed(release, beside)]
    found: list[str] = []
    rows = release.owner.rows if original is not None and release.owner is not None else None
    changed = is_perturbed(release.public)
    if changed:
        seen = Perturbed(frame, release.public, release.files, schema.quasi, original, rows)
        found, wrong = seen.check()
        broken += wrong
        if (fitting := seen.fitting()) is not None:
            classes.files["fitting"] = fitting
    elif drawn:
        held, wrong = hold(release.files.get("properties"), frame, drawn, schema, noise="noise" in release.public)
        found, broken = held, broken + wrong
        if "blocks" in release.files and set(drawn) != set(schema.quasi):
            broken.append("blocks are published, but not every quasi-identifier was drawn anew")
    checked_on = f"{frame.height:,} published rows alone"
    count_people(promise, classes, frame, release.public, schema, original if original is not None else _kept(release))
    whole = classes if quasi == schema.quasi else PublishedClasses(frame, schema.quasi, cells=cells)
    if _bounds_loss(promise) and original is None and not broken:
        classes.losses = _joined(classes, whole, shown_losses(frame, release.forms, schema, whole))
    if original is not None:
        broken += _other_roles(schema, original.schema)
        broken += _other_size(release, original)
        measured = promise is not None and any(isinstance(part, MatchRank) for part in promise.parts)
        if measured and rows is not None:
            classes.files["linkage"] = attack_rates(original.frame, frame, schema.quasi if changed else drawn, rows)
        broken += untruths(frame, release.forms, original, rows, drawn_anew=not changed)
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
    count_people(promise, classes, frame, release.public, schema, original, recorded=True)
    groups = permuted.classes(sensitive, schema.columns)
    if _bounds_loss(promise):
        broken.append("a bound on the loss speaks of classes, and two tables show none")
    verdict = judge(promise, classes, checked_on=checked_on, broken=tuple(broken), groups=groups)
    plural = "s" if permuted.n_groups != 1 else ""
    said = (
        f"{permuted.n_groups:,} group{plural}: quasi-identifiers are published as recorded, sensitive values by group"
    )
    return replace(verdict, decisions=(said, *verdict.decisions))


def _verify_republished(
    release: Release, original: Table | None, promise: Promise | None, quasi: Sequence[str],
    previous: Sequence[Release],
) -> Verdict:  # fmt: skip
    """Numbered classes, counterfeits among them; and, with earlier releases, whether people keep their values."""
    frame, schema = release.data.frame, release.schema
    broken = [*release.damage, *republished_flaws(frame, release.files, release.public, schema)]
    checked_on = f"{frame.height:,} published rows alone"
    if len(broken) > len(release.damage):
        found = "the published tables do not fit each other, so that the promise cannot be decided"
        return Verdict(holds=False, found=(found,), checked_on=checked_on, broken=tuple(broken))
    seen = read_republished(frame, release.files, release.public)
    assert seen is not None
    if original is not None:
        rows = release.owner.rows if release.owner is not None else None
        broken += _other_roles(schema, original.schema)
        broken += republished_untruths(frame, seen, release.forms, original, rows)
        checked_on = f"{frame.height:,} published rows, each that is no counterfeit against its own record"
        if rows is None:
            checked_on = f"{frame.height:,} published rows and the original, without the owner's row map"
    if _bounds_loss(promise):
        broken.append("a bound on the loss is not decided where some rows are counterfeits")
        promise = None
    beyond = [name for name in quasi if name not in (*schema.quasi, seen.group_name)]
    if beyond and seen.n_fakes:  # which rows of a class are counterfeits is not told
        broken.append(f"who shares a value of {beyond[0]!r} is not decided where some rows are counterfeits")
    classes = PublishedClasses(
        seen.people(frame), quasi, schema.sensitive, schema.columns, Cells(suppressed_rows="class")
    )  # fmt: skip
    groups = _numbered_classes(release)
    told = f"{seen.n_fakes:,} of {frame.height:,} rows are counterfeits"
    if seen.n_fakes and any(isinstance(part, OfSize) for part in (promise.parts if promise is not None else ())):
        told += ", which hide nobody: sizes of classes are without them"
    verdict = judge(promise, classes, checked_on=checked_on, broken=tuple(broken), found=(told,), groups=groups)
    return _over_releases(verdict, [*previous, release], promise, seen.release)


def _over_releases(
    verdict: Verdict, releases: Sequence[Release], promise: Promise | None, number: int
) -> Verdict:  # fmt: skip
    """The verdict on the last of these releases, with what holds over all of them."""
    asked = [part for part in promise.parts if isinstance(part, MInvariance)] if promise is not None else []
    if not asked:
        return verdict
    if len(releases) == 1:
        alone = "the first of its sequence" if number == 1 else (
            f"release {number} of its sequence, decided alone; give the earlier ones as previous"
        )  # fmt: skip
        return replace(verdict, decisions=(alone, *verdict.decisions))
    over = sequence(releases)
    hurt = ((i + 1, each) for i, release in enumerate(releases[:-1]) for each in release.damage)
    broken = [*(f"release {i} of the sequence: {each}" for i, each in hurt), *over.broken]
    if not broken:
        for i, release in enumerate(releases[:-1]):
            found = [finding for part in asked for finding in part.check(_numbered_classes(release))]
            broken += [f"release {i + 1} of the sequence: {each.found}" for each in found if not each.holds]
    undecided = (f"{asked[0]!r} over the sequence",) if over.undecided else ()
    return replace(
        verdict, holds=verdict.holds and not broken and not undecided, broken=(*verdict.broken, *broken),
        found=(*verdict.found, *(said for said in (over.found, over.undecided) if said and not broken)),
        undecided=(*verdict.undecided, *undecided),
    )  # fmt: skip


def _numbered_classes(release: Release) -> PublishedClasses:
    """The classes of a release of a sequence, by their numbers."""
    group, schema = str(release.public["republication"]["group"]), release.schema
    return PublishedClasses(
        release.data.frame, [group], schema.sensitive, schema.columns, AS_RECORDED, noun="class"
    )  # fmt: skip


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
    count_people(promise, classes, frame, release.public, schema, original, recorded=True)
    if _bounds_loss(promise):
        broken.append("a bound on the loss speaks of classes, and subdomains by group show none")
    verdict = judge(promise, classes, checked_on=checked_on, broken=tuple(broken))
    fakes = int(seen.listed.sum()) - frame.height
    said = f"{seen.n_groups:,} group{'s' if seen.n_groups != 1 else ''}: quasi-identifiers are published as recorded, "
    said += f"{seen.column!r} as subdomains" + (f", {fakes:,} more than there are rows" if fakes else "")
    return replace(verdict, decisions=(said, *verdict.decisions))


def _unnamed(release: Release, beside: Sequence[str]) -> list[str]:
    """Columns and tables that are published without the release saying what they are: no promise speaks of them."""
    columns = [name for name in release.data.frame.columns if name not in release.schema.columns]
    tables = [name for name in release.files if name not in beside]
    return [
        *(f"column {name!r} is published, and the release does not say what it is" for name in columns),
        *(f"the table {name!r} is published, and the release does not name it" for name in tables),
    ]


def _other_size(release: Release, original: Table) -> list[str]:
    """An original with another number of records than the release came from is not the one it came from."""
    n = release.data.frame.height + int(release.public.get("withheld_rows", 0))
    if len(original) == n:
        return []
    return [f"the original has {len(original):,} records, and the release was made from {n:,}; give the same table"]


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


def _kept(release: Release) -> Table | None:
    """The original, where the owner's part still holds it; it says what the columns are."""
    original = release.owner.original if release.owner is not None else None
    return original if isinstance(original, Table) else None


def _bounds_loss(promise: Promise | None) -> bool:
    return promise is not None and any(isinstance(part, AccuracyBound) for part in promise.parts)
