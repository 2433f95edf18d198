"""`publish_reports`: reports of a survey as a release, with the promise that follows from its randomizers."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sfumato.collection.collector.survey import Survey
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import DataError, ParameterError, PromiseBrokenError
from sfumato.ground.validate import told
from sfumato.privacy.amplification import is_within, log_of
from sfumato.privacy.local_dp import MOST_EPSILON, LocalDP
from sfumato.privacy.verdict import Verdict
from sfumato.published.collection.reports import ReportsShape
from sfumato.release.release import Release
from sfumato.verbs.verify import verify

__all__ = ["publish_reports"]

_UNCHECKED = Verdict(found=(), checked_on="nothing yet", undecided=("everything",))


@says_what_it_takes
def publish_reports(survey: Survey, reports: Any, promise: LocalDP | None = None) -> Release:
    """Make a release of the `reports` to a `survey`, which anybody can estimate from and check.

    `reports` are a table as `Survey.randomize` or `sfumato collect export` makes it; rows are put in an order that
    tells nothing of when they came. The `promise` is that of the survey's randomizers, unless a weaker one is given. A
    survey is refused if a report can give its answer away: nothing could be promised.

    >>> import sfumato as sf
    >>> import polars as pl
    >>> smokes = sf.collection.Question("smokes", "Do you smoke?", sf.collection.Warner(truth=0.75))
    >>> survey = sf.collection.Survey("Health", [smokes])
    >>> reports = survey.randomize(pl.DataFrame({"smokes": ["yes", "no", "no"] * 100}), seed=1)
    >>> sf.publish_reports(survey, reports)
    Release(300 rows, Survey, LocalDP(epsilon=1.098613) is declared)
    """
    if not isinstance(survey, Survey):
        raise ParameterError(f"publish_reports takes a Survey, got {told(survey)}; read one with read_survey")
    if promise is not None and not isinstance(promise, LocalDP):
        raise ParameterError(f"reports promise LocalDP, as in LocalDP(1.0), got {told(promise)}")
    gamma = survey.privacy.gamma
    if gamma is None:
        raise ParameterError(
            f"the survey promises nothing, so that its reports are not published: {survey.privacy.why_none}; ask with "
            f"other randomizers"
        )
    if log_of(gamma) > MOST_EPSILON:
        raise ParameterError(
            f"the survey has epsilon {log_of(gamma):,.6g} in all, and {MOST_EPSILON:g} is the most that is published; "
            f"ask fewer questions, or one of each respondent with ask='one'"
        )
    frame = survey.whole_numbers(reports)
    if not frame.height:
        raise DataError("there are no reports, so that nothing can be published")
    public = {"collection": survey.to_dict()}
    draft = Release(
        data=ReportsShape.data_of(frame.sort(frame.columns), public), verdict=_UNCHECKED, public=public,
        promise=promise if promise is not None else _promised(gamma),
        method={"name": "Survey", "ask": survey.ask},
    )  # fmt: skip
    verdict = verify(draft)
    if not verdict.stands:
        raise PromiseBrokenError(f"the survey does not keep the promise: {'; '.join(verdict.broken)}")
    return replace(draft, verdict=verdict)


def _promised(gamma: Fraction) -> LocalDP:
    """The promise that an amplification keeps, to six decimals."""
    epsilon = max(round(log_of(gamma), 6), 1e-6)
    return LocalDP(epsilon if is_within(gamma, epsilon) else math.ceil(epsilon * 1e6 + 0.5) / 1e6)
