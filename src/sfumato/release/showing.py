"""A release as people look at it in Python: a frame with bounds, a card for a notebook, the report as a page."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from sfumato.data.bounds import add_bounds
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.cards import card, chip, facts, lines, small
from sfumato.ground.errors import ParameterError, ReleaseError, SfumatoError
from sfumato.ground.validate import flag
from sfumato.published.shape import shape_of

if TYPE_CHECKING:
    from sfumato.ground.figures import Measures
    from sfumato.release.release import Release
    from sfumato.report.identity import Identity

__all__ = ["Report", "frame_of", "release_card", "report_of"]

_MEASURED = 20_000
"""Larger releases are not measured for a card."""
_LOSSES = ("gcp", "average_change", "distortion", "error_rate")


class Report(SaysWhatMethodsTake):
    """The report of a release as one HTML page; a notebook shows it, `save` writes it to a file.

    `html` is the page. `owner` says whether it is the owner's copy, which shows the original: not for readers.
    """

    def __init__(self, html: str, *, owner: bool) -> None:
        self.html = html
        self.owner = owner

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, all or nothing; the owner's copy can be read by its owner alone."""
        target = Path(path)
        if target.suffix.lower() not in (".html", ".htm"):
            raise ParameterError(f"a report is written to a file that ends in .html, got '{target.name}'")
        fresh = target.with_name(f".{target.name}.new")
        try:
            fresh.write_text(self.html, encoding="utf-8")
            if self.owner:
                fresh.chmod(0o600)
            os.replace(fresh, target)  # noqa: PTH105  as in the exchange of folders
        except OSError as error:
            fresh.unlink(missing_ok=True)
            reason = error.strerror or str(error)
            raise ReleaseError(f"could not write '{target.name}': {reason}; name another file") from None
        return target

    def __repr__(self) -> str:
        whose = "the owner's copy" if self.owner else "the readers' copy"
        return f"Report({whose}, {len(self.html):,} characters; .save('report.html') writes it)"

    def _repr_html_(self) -> str:
        style = "width:100%;height:720px;border:1px solid rgba(128,128,128,.35);border-radius:6px"
        return f'<iframe sandbox srcdoc="{escape(self.html)}" style="{style}" title="report"></iframe>'


def report_of(release: Release, *, owner: bool, identity: Identity) -> Report:
    """The page for readers, or the owner's, with what is said of it at its head."""
    from sfumato.report.rendering import render
    from sfumato.verbs.measure import measure
    from sfumato.verbs.verify import verify

    flag("owner", owner)
    kept = release.owner.original if release.owner is not None else None
    if owner and kept is None:
        raise ParameterError(
            "the owner's report shows the original, which is not here; publish again, or leave owner out"
        )
    verdict = release.verdict if release.certified is None else verify(release)
    if owner:
        figures = measure(release, relative=False)
        page = render(release, verdict, figures, audience="owner", original=kept, identity=identity)
        return Report(page, owner=True)
    disclosed: Measures
    if shape_of(release).measured_for_readers:
        disclosed = measure(replace(release, owner=None)).public
    elif release.owner is None and release.measures is not None:
        disclosed = release.measures.public
    else:
        disclosed = measure(release, relative=False).public
    page = render(release, verdict, disclosed, audience="public", original=None, identity=identity)
    return Report(page, owner=False)


def frame_of(release: Release, *, bounds: bool) -> pl.DataFrame:
    """The published rows; with `bounds`, the ends of ranges as numbers or dates beside their text."""
    flag("bounds", bounds)
    frame: pl.DataFrame = release.data.frame
    if not bounds:
        return frame
    ranges = {name: form for name, form in release.forms.items() if form == "range"}
    return add_bounds(frame, ranges, release.schema)[0] if ranges else frame


def release_card(release: Release) -> str:
    """What was published how, what it promises, and whether that holds."""
    verdict = release.verdict
    tone = {"holds": "good", "broken": "bad"}.get(verdict.word, "unsure")
    given = {key: value for key, value in release.method.items() if key != "name"}
    how = ", ".join(f"{key}={value!r}" for key, value in given.items())
    told = {
        "promise": release.promise.name if release.promise is not None else "none",
        "found": lines(verdict.found) if verdict.found else "",
        "method": f"{release.method.get('name')}({how[:160]})",
        "published": f"{len(release.data):,} {_noun(release)}",
        "lost": _loss(release),
        "damage": "; ".join(release.damage),
    }
    return card(
        "Release", facts(told), small("release.report() shows the report, release.save(folder) writes it"),
        badge=chip(verdict.word, tone),
    )  # fmt: skip


def _noun(release: Release) -> str:
    room = shape_of(release).room
    return {"tables": "rows", "baskets": "records"}.get(room, "vertices")


def _loss(release: Release) -> str:
    """The loss as it was measured when the release was saved; of a small one in memory, measured for the card."""
    from sfumato.verbs.measure import measure

    known = release.measures
    if known is None and release.owner is not None and len(release) <= _MEASURED:
        with suppress(SfumatoError):
            known = measure(release, n_queries=0, relative=False)
    name = next((each for each in _LOSSES if known is not None and each in known), None)
    return f"{known.figure(name).shown}: {known.figure(name).meaning}" if known is not None and name is not None else ""
