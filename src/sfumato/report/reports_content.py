"""The content of the report on a survey's reports, gathered from the release alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sfumato import __version__
from sfumato.collection.collector.released import estimate_reports, survey_of
from sfumato.collection.collector.survey import Question, estimate_rows
from sfumato.collection.measures.noise_left import NoiseLeft, noise_left
from sfumato.data.values import text
from sfumato.privacy.amplification import log_of
from sfumato.published.collection.reports import reports_shape
from sfumato.report.content import PromiseInWords, headline, state_of, words_where_it_stands

if TYPE_CHECKING:
    from sfumato.privacy.verdict import Verdict
    from sfumato.release.release import Release

__all__ = ["QuestionContent", "ReportsContent", "gather_reports"]


@dataclass(frozen=True)
class AnswerContent:
    """One answer to a question, and its share."""

    value: str
    share: str
    between: str
    meter: float | None
    """The share as the width of a bar, from 0 to 100; None of a mean."""


@dataclass(frozen=True)
class QuestionContent:
    """A question, how its answers were randomized, and what was answered."""

    text: str
    n: int
    randomizer: str
    says: str
    answers: Sequence[AnswerContent]


@dataclass(frozen=True)
class ReportsContent:
    """Everything the page says."""

    version: str
    n: int
    survey: str
    explanation: str
    tiles: Sequence[tuple[str, str]]
    state: str
    headline: str
    promises: Sequence[PromiseInWords]
    verdict: Verdict
    limits: Sequence[str]
    method: str
    method_words: str
    parameters: Sequence[tuple[str, str]]
    questions: Sequence[QuestionContent]
    noise_left: Sequence[NoiseLeft]
    """For each question to which noise was added, what of it is left once anybody has filtered the reports."""


def gather_reports(release: Release, verdict: Verdict) -> ReportsContent:
    """Read the published reports, and estimate from them."""
    shape, promise = reports_shape(release), release.promise
    survey, found = survey_of(shape), estimate_reports(shape)
    parts = promise.parts if promise is not None else ()
    gamma = shape.gamma
    one = " one question, drawn at random" if shape.asks_one else " every question"
    return ReportsContent(
        version=__version__,
        n=len(release),
        survey=survey.title,
        explanation=survey.explanation,
        tiles=[
            (f"{len(release):,}", "respondents"),
            (f"{len(survey.questions):,}", "question" if len(survey.questions) == 1 else "questions"),
            ("none" if gamma is None else f"{log_of(gamma):.4g}", "epsilon, of all reports of a respondent"),
            ("none" if gamma is None else f"{float(gamma):.4g}", "gamma, the most that odds change by"),
        ],
        state=state_of(promise, verdict),
        headline=headline(promise, verdict),
        promises=[
            PromiseInWords(repr(part), words_where_it_stands(verdict, part.in_words((), ())), "") for part in parts
        ],
        verdict=verdict,
        limits=(),
        method=str(release.method.get("name", "")),
        method_words=f"Each respondent was asked{one}, and answers were randomized by the published "
        f"randomizers, as the publisher says.",
        parameters=[],
        questions=[
            _question(question, shape.reports_to(asked).height, found.get(question.name))
            for question, asked in zip(survey.questions, shape.questions, strict=True)
        ],
        noise_left=noise_left(shape),
    )


def _question(question: Question, n: int, found: Any) -> QuestionContent:
    """One question; without reports, no answers are told."""
    randomizer = question.randomizer
    rows = estimate_rows(found) if found is not None else []
    form = ",.6g" if question.grid else ".1%"
    return QuestionContent(
        text=question.text,
        n=n,
        randomizer=type(randomizer).__name__,
        says=randomizer.in_words(),
        answers=[
            AnswerContent(
                text(each["value"]), f"{each['share']:{form}}", f"{each['low']:{form}} to {each['high']:{form}}",
                round(100 * each["shown"], 1) if "shown" in each else None,
            )
            for each in rows
        ],
    )  # fmt: skip
