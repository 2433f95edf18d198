"""What a certificate says beside the hashes: its verdict and its figures, held against what the files show.

A loaded release brings the verdict and the figures that somebody wrote. Where the same can be worked out from the files
alone, it is; what differs breaks the release. Words are not compared, since they may change with the version of the
program; the numbers in them are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.ground.errors import SfumatoError
from sfumato.ground.figures import Measures
from sfumato.privacy.verdict import Verdict
from sfumato.published.shape import shape_of
from sfumato.release.release import Release
from sfumato.release.signing import Signature, signature_flaws

__all__ = ["compare_with_certificate"]

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
_NEAR = 1e-6
"""How far two figures may lie apart, relative to their size: sums are not always added in the same order."""


def compare_with_certificate(
    release: Release, verdict: Verdict, original: Any, *, own: bool, signed_by: Path | None
) -> Verdict:
    """Return the verdict with what contradicts the certificate, and with what neither speaks of.

    `own`: the promise that was checked is the release's own, so that its verdict can be compared too. `signed_by` is
    the file of the public key that the certificate must be signed with.
    """
    assert release.certified is not None
    wrong: list[str] = []
    apart = []
    if release.certified.uncovered:
        apart.append(f"{_named(release.certified.uncovered)}, which the certificate does not list")
    if release.certified.unread:
        apart.append(f"{_named(release.certified.unread)} in the certificate, which nothing here reads")
    if signed_by is not None:
        wrong += signature_flaws(release.certified.signature, signed_by)
    else:
        apart.append(f"who made the release: {_unsigned(release.certified.signature)}")
    if not verdict.broken:
        other, unknown = _other_figures(release, original)
        wrong += [*(_other_verdict(release, verdict) if own else ()), *other]
        if unknown:
            need = "need the original" if original is None else "cannot be worked out from what was read"
            apart.append(f"{_named(unknown)} in the certificate, which {need}")
    return replace(verdict, broken=(*verdict.broken, *wrong), not_covered=(*verdict.not_covered, *apart))


def _unsigned(signature: Signature | None) -> str:
    if signature is None:
        return "its certificate is not signed"
    return "its certificate is signed, and no key was given to hold it against"


def _named(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(f"'{name}'" if len(name) <= 80 else f"'{name[:80]} ...'" for name in names[:most]) + more


def _other_verdict(release: Release, found: Verdict) -> list[str]:
    """Say so where the certificate's verdict is not the one that was found, as far as both decide the same."""
    said = release.verdict
    wrong: list[str] = []
    bases = {_NUMBER.sub("#", each.checked_on) for each in (said, found)}
    if len(bases) > 1 and not shape_of(release).proved_by_rows:
        return wrong
    for promise, value in (said.reached or {}).items():
        reached = (found.reached or {}).get(promise)
        if reached is not None and promise not in found.undecided and not _near(value, reached):
            wrong.append(f"the certificate says that {promise} reaches {value:.6g}, and the files show {reached:.6g}")
    again: dict[str, list[str]] = {}  # two promises of one kind say the same but for the numbers, in their order
    for clause in found.found:
        again.setdefault(_NUMBER.sub("#", clause), []).append(clause)
    for clause in said.found if not wrong else ():
        alike = again.get(_NUMBER.sub("#", clause))
        same = alike.pop(0) if alike else clause
        if same != clause:
            wrong.append(f"the certificate says {clause!r}, and the files show {same!r}")
    return wrong


def _is_current(release: Release) -> bool:
    from sfumato.release.certificate import FORMAT

    return release.certified is not None and release.certified.format == FORMAT


def _other_figures(release: Release, original: Any) -> tuple[list[str], list[str]]:
    """Say which figures of the certificate differ from what was read, a clause each; and name those not to be told."""
    said = release.measures
    if said is None or not _is_current(release):  # the first version measured some figures in another way
        return [], list(said or ())
    from sfumato.verbs.measure import measure  # the check of a promise needs none of it

    shape = shape_of(release)
    known = release.owner is not None or not shape.n_withheld  # which records the figures are of
    try:
        found = measure(replace(release, owner=None))
        if original is not None and known and not shape.measured_for_readers:
            with suppress(SfumatoError):  # an original that cannot be compared without the owner's part
                found = measure(release, original) | found
    except SfumatoError as error:
        return [f"its figures cannot be worked out from its files: {error}"], []
    wrong = [
        f"the certificate says {said.figure(name).label.lower()} {value:.6g}, and the files show {again:.6g}"
        for name, value, again in _pairs(said, found) if not _near(value, again)
    ]  # fmt: skip
    return wrong, [name for name in said if name not in found]


def _pairs(said: Measures, found: Measures) -> list[tuple[str, float, float]]:
    """The figures that both have, in whole and by column, by name."""
    pairs = [(name, value, found[name]) for name, value in said.items() if name in found]
    for name, split in said.by_column.items():
        again: Mapping[str, float] = found.by_column.get(name, {})
        pairs += [(name, value, again[column]) for column, value in split.items() if column in again]
    return pairs


def _near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=_NEAR, abs_tol=1e-12)
