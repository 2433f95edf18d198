"""`ask`: aggregates of a release in SQL, with bounds that cannot be wrong."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import sfumato.baskets.asking
import sfumato.tables.answers.answering  # noqa: F401  the rooms register who answers
from sfumato.answers.answer import Answer, Answers
from sfumato.answers.answering import Answerer, answerer_of
from sfumato.errors import ParameterError
from sfumato.published.shape import shape_of
from sfumato.release import Release

__all__ = ["Answer", "Answers", "ask"]


_READY: WeakKeyDictionary[Release, Answerer] = WeakKeyDictionary()
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
        ready = _READY[release] = answerer_of(shape_of(release))
    return ready.answer(sql)
