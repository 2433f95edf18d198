"""The figures of published reports."""

from dataclasses import replace

import pytest

import sfumato as sf
from sfumato import collection
from sfumato.ground.errors import ParameterError
from support.surveys import survey_of


def test_the_epsilon_is_that_of_all_reports_of_a_respondent():
    survey = survey_of({"a": collection.Warner(0.75), "b": collection.Warner(0.75)})
    measures = sf.measure(sf.publish_reports(survey, survey.report_frame([{"a": [0], "b": [1]}] * 3)))
    assert dict(measures) == {"n_respondents": 3, "local_epsilon": pytest.approx(survey.privacy.epsilon)}


def test_where_nothing_bounds_it_there_is_no_epsilon():
    survey = survey_of({"a": collection.UnrelatedQuestion(0.7, 0.2)})
    release = sf.publish_reports(survey, survey.report_frame([{"a": [0]}]))
    told = survey.to_dict()
    told["questions"][0]["shipped"]["unrelated"] = 0
    release = replace(release, public={"collection": told})
    assert set(sf.measure(release)) == {"n_respondents"}
    with pytest.raises(ParameterError, match="olap_levels"):
        sf.measure(release, olap_levels=(1,))
