"""The noise that is left in published reports."""

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato import collection
from sfumato.collection.measures.noise_left import noise_left
from sfumato.ground.randomness import Randomness
from sfumato.published.shape import shape_of
from support.surveys import survey_of

NOISE = collection.LaplaceNoise(0, 10, 4.0)


def published(n=4_000, seed=1, *, same=True, **more):
    """Reports to two questions, whose answers are alike or have nothing to do with each other."""
    random = Randomness(seed)
    first = 5 + random.normal(n)
    second = first + 0.1 * random.normal(n) if same else 5 + random.normal(n)
    survey = survey_of({"a": NOISE, "b": NOISE, "c": collection.Warner(0.75)}, **more)
    answers = pl.DataFrame({"a": first, "b": second, "c": ["yes"] * n})
    return sf.publish_reports(survey, survey.randomize(answers, seed=seed)), np.stack([first, second])


def test_what_is_left_is_what_a_filter_leaves_of_the_true_answers():
    release, true = published(20_000)
    found = noise_left(shape_of(release))
    told = collection.effective_noise(np.cov(true), np.sqrt(NOISE.moments.second))
    assert [each.question for each in found] == ["a", "b"]
    for each, expected in zip(found, told.by_column, strict=True):
        assert each.added == pytest.approx(told.nominal)
        assert each.left == pytest.approx(expected, rel=0.05)
        assert each.low < each.left < each.high <= each.added
        assert each.left < each.alone < each.added
    assert sf.measure(release)["noise_left"] == pytest.approx(min(each.left for each in found) / told.nominal)


def test_columns_that_have_nothing_in_common_take_no_noise_off_each_other():
    found = noise_left(shape_of(published(20_000, same=False)[0]))
    assert all(each.left == pytest.approx(each.alone, rel=0.02) for each in found)


def test_where_one_question_is_asked_of_each_every_column_is_filtered_alone():
    found = noise_left(shape_of(published(ask="one")[0]))
    assert [each.left for each in found] == [each.alone for each in found]


@pytest.mark.slow
def test_the_interval_holds_what_is_left_19_times_in_20():
    held = []
    for seed in range(200):
        release, true = published(2_000, seed)
        told = collection.effective_noise(np.cov(true), np.sqrt(NOISE.moments.second)).by_column
        held += [each.low <= left <= each.high for each, left in zip(noise_left(shape_of(release)), told, strict=True)]
    assert 0.92 <= np.mean(held) <= 0.98


def test_too_few_reports_and_no_numbers_tell_nothing_of_it():
    assert noise_left(shape_of(published(99)[0])) == ()
    survey = survey_of({"c": collection.Warner(0.75)})
    release = sf.publish_reports(survey, survey.randomize(pl.DataFrame({"c": ["yes"] * 200}), seed=1))
    assert noise_left(shape_of(release)) == ()
    assert "noise_left" not in sf.measure(release)


def test_the_report_shows_it():
    page = published()[0].report().html
    assert "The noise that is left" in page
    assert "filtered together" in page
