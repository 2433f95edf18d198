"""`ask`: aggregates of a release in SQL, with bounds that cannot be wrong."""

from __future__ import annotations

from typing import Protocol
from weakref import WeakKeyDictionary

from sfumato.answers.answer import Answer, Answers
from sfumato.baskets.asking import AskedBaskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.errors import ParameterError
from sfumato.published.tables.sequence import refuse_counterfeits
from sfumato.release import Release
from sfumato.tables.answers.generalised import Generalised
from sfumato.tables.answers.grouped import Grouped
from sfumato.tables.answers.listing import read_listing

__all__ = ["Answer", "Answers", "ask"]


class _Asked(Protocol):
    def answer(self, sql: str) -> Answer | Answers: ...


_READY: WeakKeyDictionary[Release, _Asked] = WeakKeyDictionary()
"""Releases that were asked before, as tables of a database in memory."""


def ask(release: Release, sql: str) -> Answer | Answers:
    """Answer `SELECT COUNT|SUM|AVG|MIN|MAX|MEDIAN(column) FROM release [WHERE ...] [GROUP BY ...]`.

    The truth lies within the bounds of the answer, whatever the original is. With GROUP BY there is an answer for each
    combination of the columns grouped by. Baskets are asked for COUNT(*), with items as conditions: `WHERE milk AND NOT
    tea AND label = 'flu'`, and may be grouped by label.
    """
    if not isinstance(release, Release):
        raise ParameterError(f"ask takes a Release, got {type(release).__name__}; load one with load_release")
    ready = _READY.get(release)
    if ready is None:
        ready = _READY[release] = _prepared(release)
    return ready.answer(sql)


def _prepared(release: Release) -> _Asked:
    if isinstance(release.data, PublishedBaskets):
        return AskedBaskets(release.data, release.promise)
    frame = release.data.frame
    refuse_counterfeits(frame, release.files, release.public)
    listing = read_listing(frame, release.files, release.public)
    if listing is not None:
        return Grouped(frame, listing)
    return Generalised(frame, release.forms, release.schema, release.public)
