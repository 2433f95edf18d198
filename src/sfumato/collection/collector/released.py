"""Reading a release of reports: the survey that it tells of, and what was answered to it."""

from __future__ import annotations

from typing import Any

from sfumato.collection.collector.survey import Survey, survey_from_dict
from sfumato.ground.errors import DataError, SfumatoError
from sfumato.published.collection.reports import ReportsShape

__all__ = ["estimate_reports", "survey_of"]


def survey_of(shape: ReportsShape) -> Survey:
    """The survey that a release tells of; refused where its randomizers do not draw with the numbers that it tells."""
    try:
        survey = survey_from_dict(shape.told)
    except (KeyError, TypeError, SfumatoError) as error:
        raise DataError(f"the release does not tell its survey so that it can be read: {error}") from None
    for asked, question in zip(shape.questions, survey.questions, strict=True):
        if dict(asked.shipped) != question.randomizer.shipped:
            raise DataError(
                f"question {asked.name!r} was drawn with other numbers than {type(question.randomizer).__name__} draws "
                f"with, so that nothing can be estimated"
            )
    return survey


def estimate_reports(shape: ReportsShape) -> dict[str, Any]:
    """What was answered to each question, by its name, with intervals."""
    survey, found = survey_of(shape), {}
    for asked, question in zip(shape.questions, survey.questions, strict=True):
        given = shape.reports_to(asked)
        if given.height:
            frame = question.randomizer.report_frame(given.to_numpy())
            found[asked.name] = question.randomizer.estimate(frame)  # type: ignore[attr-defined]
    return found
