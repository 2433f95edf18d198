"""Who answers questions about a release: an answerer for each shape, registered in the file that has it."""

from __future__ import annotations

from functools import singledispatch
from typing import Protocol

from sfumato.contracts.answer import Answer, Answers
from sfumato.ground.errors import ParameterError
from sfumato.published.shape import Shape

__all__ = ["Answerer", "answerer_of", "refuse_counterfeits"]


class Answerer(Protocol):
    """Answers questions from one release, which was read already."""

    def answer(self, sql: str) -> Answer | Answers:
        """Answer a question in SQL."""


@singledispatch
def answerer_of(shape: Shape) -> Answerer:
    """Return the answerer of a release of this shape; refuse shapes that have none."""
    raise ParameterError(f"{shape.called} cannot be asked in SQL; read it with estimate")


def refuse_counterfeits(shape: Shape) -> None:
    """Refuse to answer from rows of which some are counterfeits: no bound could be sure."""
    if shape.n_counterfeits:
        raise ParameterError(
            f"{shape.n_counterfeits:,} rows of this release are counterfeits, so that no answer has sure bounds; "
            f"ask a release that has none"
        )
