"""Reports as a release: the promise that follows, the order of rows, and what is refused."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato import collection
from sfumato.ground.errors import DataError, ParameterError, PromiseBrokenError
from sfumato.privacy.amplification import is_within
from support.surveys import EVERY_KIND, PROMISING, drawn_reports, survey_of

SURVEY = survey_of({"a": collection.KaryResponse(["x", "y", "z"], 1.0), "b": collection.Warner(0.75)})
ANSWERS = pl.DataFrame({"a": ["x", "y", "z", "x"] * 20, "b": ["yes", "no"] * 40})


@given(st.floats(0.01, 5.0), st.integers(2, 6))
def test_the_promise_is_that_of_the_randomizers_to_six_decimals(epsilon, k):
    survey = survey_of({"a": collection.KaryResponse(list(range(k)), epsilon)})
    promise = sf.publish_reports(survey, survey.report_frame([{"a": [0]}])).promise
    gamma = survey.privacy.gamma
    assert is_within(gamma, promise.epsilon)
    assert not is_within(gamma, promise.epsilon - 2e-6)


def test_all_questions_together_spend_the_sum():
    assert sf.publish_reports(SURVEY, SURVEY.randomize(ANSWERS)).promise == sf.LocalDP(2.098613)


def test_rows_are_in_an_order_that_tells_nothing_of_when_they_came():
    reports = SURVEY.randomize(ANSWERS, seed=4)
    one = sf.publish_reports(SURVEY, reports)
    other = sf.publish_reports(SURVEY, reports.sample(fraction=1.0, shuffle=True, seed=1))
    assert one.data.frame.equals(other.data.frame)
    assert one.data.frame.equals(one.data.frame.sort(one.data.frame.columns))
    assert one.owner is None


def test_reports_are_published_as_whole_numbers():
    survey = survey_of(PROMISING)
    given_ = [drawn_reports(survey) for _ in range(10)]
    frame = sf.publish_reports(survey, survey.report_frame(given_)).data.frame
    assert all(dtype.is_integer() for dtype in frame.dtypes)
    wanted = [tuple(number for name in PROMISING for number in each[name]) for each in given_]
    assert sorted(frame.rows()) == sorted(wanted)


def test_what_is_asked_for_is_kept_or_refused():
    reports = SURVEY.randomize(ANSWERS)
    assert sf.publish_reports(SURVEY, reports, sf.LocalDP(3.0)).promise == sf.LocalDP(3.0)
    with pytest.raises(PromiseBrokenError, match="the published randomizers allow gamma"):
        sf.publish_reports(SURVEY, reports, sf.LocalDP(2.0))
    with pytest.raises(ParameterError, match="reports promise LocalDP"):
        sf.publish_reports(SURVEY, reports, sf.KAnonymity(3))
    with pytest.raises(ParameterError, match="takes a Survey"):
        sf.publish_reports("survey.toml", reports)
    with pytest.raises(DataError, match="there are no reports"):
        sf.publish_reports(SURVEY, reports.head(0))
    with pytest.raises(DataError, match="cannot have been drawn"):
        sf.publish_reports(SURVEY, reports.with_columns(pl.lit("other").alias("b.answer")))
    with pytest.raises(DataError, match=r"no column 'b\.answer'"):
        sf.publish_reports(SURVEY, reports.select("a.answer"))


@pytest.mark.parametrize("kind", [kind for kind in EVERY_KIND if kind not in PROMISING] + ["told as it is"])
def test_reports_that_give_answers_away_are_not_published(kind):
    plain = collection.MatrixResponse(["a", "b"], [[1.0, 0.0], [0.0, 1.0]])
    survey = survey_of({"a": collection.Warner(0.75), "b": EVERY_KIND.get(kind, plain)})
    reports = survey.report_frame([drawn_reports(survey)])
    for promise in (None, sf.LocalDP(9.0)):
        with pytest.raises(ParameterError, match="the survey promises nothing, so that its reports are not published"):
            sf.publish_reports(survey, reports, promise)


def test_many_questions_are_published_up_to_the_largest_epsilon():
    """A hundred questions and one more, each of epsilon 1: the sum is promised."""
    survey = survey_of({f"q{i}": collection.KaryResponse(["x", "y"], 1.0) for i in range(101)})
    release = sf.publish_reports(survey, survey.report_frame([drawn_reports(survey)]))
    assert release.promise == sf.LocalDP(101.0)
    assert release.verdict.word == "declared"
    wide = survey_of({f"q{i}": collection.KaryResponse(["x", "y"], 18.0) for i in range(40)})
    with pytest.raises(ParameterError, match="the survey has epsilon 720 in all, and 700 is the most"):
        sf.publish_reports(wide, wide.report_frame([drawn_reports(wide)]))
