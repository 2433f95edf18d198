"""Who answers questions about a release: one reader for each shape, registered where it is written."""

from __future__ import annotations

from functools import singledispatch
from typing import Protocol

from sfumato.contracts.answer import Answer, Answers
from sfumato.ground.errors import ParameterError
from sfumato.published.shape import Shape

__all__ = ["Answerer", "answerer_of", "refuse_counterfeits"]


class Answerer(Protocol):
    """A release that is ready to be asked."""

    def answer(self, sql: str) -> Answer | Answers:
        """The answer to a question in SQL."""


@singledispatch
def answerer_of(shape: Shape) -> Answerer:
    """The release, ready to be asked."""
    raise ParameterError(f"{shape.called} cannot be asked in SQL; read it with estimate")


def refuse_counterfeits(shape: Shape) -> None:
    """Refuse to answer from rows some of which stand for nobody: no bound could be sure."""
    if shape.n_counterfeits:
        raise ParameterError(
            f"{shape.n_counterfeits:,} rows of this release are counterfeits, so that no answer has sure bounds; "
            f"ask a release that has none"
        )
