"""`ask`: aggregates of a release in SQL, with bounds that cannot be wrong."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from sfumato.contracts.answer import Answer, Answers
from sfumato.contracts.answerer import Answerer, answerer_of
from sfumato.contracts.question import NESTED
from sfumato.ground.calls import knows_its_parameters
from sfumato.ground.errors import ParameterError
from sfumato.ground.surface import load_folder
from sfumato.published.shape import shape_of
from sfumato.release.release import Release

__all__ = ["Answer", "Answers", "ask"]


_READY: WeakKeyDictionary[Release, Answerer] = WeakKeyDictionary()
"""Releases that were asked before, as tables of a database in memory."""


@knows_its_parameters
def ask(release: Release, sql: str) -> Answer | Answers:
    """Answer `SELECT COUNT|SUM|AVG|MIN|MAX|MEDIAN(column) FROM release [WHERE ...] [GROUP BY ...]`.

    The truth lies within the bounds of the answer, whatever the original is, withheld records among it; the estimate is
    of what is published. With GROUP BY there is an answer for each combination of the columns grouped by. Baskets are
    asked for COUNT(*), with items as conditions: `WHERE milk AND NOT tea AND label = 'flu'`, and are grouped by label.

    The question is `sql`, and the table to ask is called `release`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> answer = sf.ask(release, "SELECT COUNT(*) FROM release WHERE age > 40")
    >>> answer.low <= answer.value <= answer.high
    True
    """
    if not isinstance(release, Release):
        raise ParameterError(f"ask takes a Release, got {type(release).__name__}; load one with load_release")
    ready = _READY.get(release)
    if ready is None:
        shape = shape_of(release)
        load_folder(f"{shape.room}.answers")
        ready = _READY[release] = answerer_of(shape)
    try:
        return ready.answer(sql)
    except RecursionError:
        raise ParameterError(NESTED) from None
