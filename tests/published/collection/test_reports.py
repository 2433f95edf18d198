"""Published reports: what is declared, what is broken, and what is read back from disk."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import polars as pl
import pytest

import sfumato as sf
from sfumato.data.schema import Schema
from sfumato.ground.errors import DamagedReleaseError, DataError, ParameterError
from sfumato.published.collection.reports import reports_shape
from sfumato.published.shape import shape_of
from support.surveys import PROMISING, drawn_reports, survey_of

SURVEY = survey_of(PROMISING)


def made(survey=SURVEY, n=40):
    return sf.publish_reports(survey, survey.report_frame([drawn_reports(survey) for _ in range(n)]))


@pytest.fixture(scope="module")
def release():
    return made()


def test_every_kind_is_declared_and_never_holds(release):
    verdict = sf.verify(release)
    assert verdict.word == "declared"
    assert not verdict.holds
    assert reports_shape(release).gamma == SURVEY.privacy.gamma
    assert verdict.reached == {repr(release.promise): pytest.approx(SURVEY.privacy.epsilon)}


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("ask", ["all", "one"])
def test_it_survives_the_disk(tmp_path, format, ask):
    survey = survey_of({"a": sf.collection.Warner(0.75), "b": sf.collection.Rappor(["x", "y"])}, ask=ask)
    answers = pl.DataFrame({"a": ["yes", "no"] * 30, "b": ["x", "y"] * 30})
    release = sf.publish_reports(survey, survey.randomize(answers, seed=2))
    release.save(tmp_path / "out", format=format)
    loaded = sf.load_release(tmp_path / "out")
    assert loaded.data.frame.equals(release.data.frame)
    verdict = sf.verify(loaded)
    assert verdict.word == "declared"
    assert loaded.promise == release.promise
    one, other = sf.estimate(loaded), sf.estimate(release)
    assert {name: each.to_dict() for name, each in one.items()} == {
        name: each.to_dict() for name, each in other.items()
    }
    wanted = survey.estimate(survey.randomize(answers, seed=2))
    assert one["a"].shares.tolist() == wanted["a"].shares.tolist()


def test_means_of_numbers_are_estimated_and_reported(tmp_path):
    survey = survey_of({"hours": sf.collection.LaplaceNoise(0, 12, 1.0, steps=24)})
    release = sf.publish_reports(survey, survey.randomize(pl.DataFrame({"hours": [7.0, 8.0] * 200}), seed=1))
    release.save(tmp_path / "out")
    loaded = sf.load_release(tmp_path / "out")
    assert sf.verify(loaded).word == "declared"
    mean = sf.estimate(loaded)["hours"]
    assert abs(mean.value - 7.5) < 4 * mean.spread
    assert f"{mean.value:,.6g}" in (tmp_path / "out" / "report.html").read_text()


def changed(release, change):
    public = copy.deepcopy(dict(release.public))
    change(public["collection"])
    return replace(release, public=public)


def shipped(told, name):
    return next(each for each in told["questions"] if each["name"] == name)["shipped"]


@pytest.mark.parametrize(
    ("kind", "number"), [("kary", "stays"), ("warner", "stays"), ("unary", "mine"), ("hadamard", "plus"),
                         ("hashing", "stays"), ("subset", "inside"), ("unrelated", "asked"), ("rappor", "one")],
)  # fmt: skip
def test_numbers_that_give_more_than_is_promised_break_it(release, kind, number):
    def raise_it(told):
        said = shipped(told, kind)
        said[number] = (said[number] + 2**53) // 2

    verdict = sf.verify(changed(release, raise_it))
    assert verdict.word == "broken"
    assert "the published randomizers allow gamma" in verdict.broken[0]


def test_a_gamma_beyond_all_floats_is_told_by_its_epsilon():
    survey = survey_of({f"q{i}": sf.collection.KaryResponse(["x", "y"], 1.0) for i in range(40)})

    def raise_them(told):
        for each in told["questions"]:
            each["shipped"]["stays"] = 2**53 - 1

    verdict = sf.verify(changed(made(survey, n=2), raise_them))
    assert verdict.word == "broken"
    assert "the published randomizers allow epsilon 1469.4" in verdict.broken[0]


def test_one_unit_of_a_threshold_is_seen():
    """The promise is held against whole numbers, and not against rounded ones."""
    survey = survey_of({"a": sf.collection.KaryResponse(["x", "y"], 1.0)})
    release = replace(made(survey), promise=sf.LocalDP(1.0))
    assert sf.verify(release).word == "declared"

    def raise_it(told):
        shipped(told, "a")["stays"] += 1

    assert sf.verify(changed(release, raise_it)).word == "broken"


def test_a_promise_that_is_stronger_is_broken_and_a_weaker_one_is_declared(release):
    assert sf.verify(release, promise=sf.LocalDP(1.0)).word == "broken"
    assert sf.verify(release, promise=sf.LocalDP(90.0)).word == "declared"
    with pytest.raises(ParameterError, match="reports promise LocalDP"):
        sf.verify(release, promise=sf.KAnonymity(3))


def test_reports_that_give_answers_away_are_never_declared(release):
    def give_away(told):
        shipped(told, "unrelated")["unrelated"] = 0

    forged = changed(release, give_away)
    for promise in (sf.LocalDP(99.0), None):
        verdict = sf.verify(replace(forged, promise=promise))
        assert verdict.word == "broken"
        assert not verdict.declared
        assert any("give an answer away" in each for each in verdict.broken)


def with_column(release, name, values):
    frame = release.data.frame.with_columns(pl.Series(name, values))
    return replace(release, data=sf.Table(frame, Schema(rest="plain")))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("kary.answer", 5), ("kary.answer", -1), ("warner.answer", 2), ("unary.bit_2", 2), ("bloom.cohort", 3),
     ("hadamard.column", 8), ("hashing.a", 2**31 - 1), ("hashing.cell", 9), ("subset.value_1", 4), ("kary.answer", None),
     ("duchi.report", 2), ("laplace.report", 10**9)],
)  # fmt: skip
def test_a_report_that_cannot_have_been_drawn_breaks_it(release, name, wrong):
    values = release.data.frame[name].to_list()
    values[7] = wrong
    verdict = sf.verify(with_column(release, name, values))
    assert verdict.word == "broken"


def test_other_columns_break_it(release):
    frame = release.data.frame
    for other in (frame.drop("kary.answer"), frame.with_columns(more=pl.lit(1)), frame.select(reversed(frame.columns))):
        data = sf.Table(other, Schema(rest="plain"))
        assert "the columns are not those" in sf.verify(replace(release, data=data)).broken[0]
    texts = with_column(release, "kary.answer", ["one"] * len(release))
    assert sf.verify(texts).word == "broken"


def test_rows_must_have_as_many_reports_as_were_asked_for():
    survey = survey_of({"a": sf.collection.Warner(0.75), "b": sf.collection.Warner(0.75)}, ask="one")
    release = sf.publish_reports(survey, survey.report_frame([{"a": [0]}, {"b": [1]}, {"b": [0]}]))
    both = with_column(release, "a.answer", [0, 0, 0])
    assert any("has reports to 2 questions, and each was asked 1" in each for each in sf.verify(both).broken)

    def all_of_them(told):
        told["ask"] = "all"

    assert sf.verify(changed(release, all_of_them)).word == "broken"


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told.pop("questions"), lambda told: told.update(questions=[]), lambda told: told.update(ask="some"),
        lambda told: told["questions"].append(told["questions"][0]), lambda told: told["questions"][0].pop("shipped"),
        lambda told: told["questions"][0].update(name=3), lambda told: told["questions"][0].update(name="\ud800"),
        lambda told: told["questions"][0].update(randomizer=None),
        lambda told: told["questions"][0]["shipped"].update(kind="other"),
        lambda told: told["questions"][0]["shipped"].update(stays=1.5), lambda told: told.update(questions=[3]),
    ],
)  # fmt: skip
def test_a_certificate_that_does_not_tell_is_damaged(tmp_path, release, change):
    release.save(tmp_path / "out", report=False)
    file = tmp_path / "out" / "release.json"
    certificate = json.loads(file.read_text())
    change(certificate["public"]["collection"])
    file.write_text(json.dumps(certificate))
    with pytest.raises(DamagedReleaseError):
        sf.verify(sf.load_release(tmp_path / "out"))


def test_the_original_is_nowhere(release):
    with pytest.raises(ParameterError, match="randomized where they were given"):
        sf.verify(release, sf.Table(release.data.frame, Schema(rest="plain")))


def test_other_releases_are_no_reports():
    from sfumato.datasets import hospital

    with pytest.raises(ParameterError, match="and not of reports"):
        reports_shape(sf.publish(hospital(60), sf.Mondrian(), sf.KAnonymity(5), seed=1))


def test_a_question_that_nobody_was_asked_is_left_out_of_the_estimates():
    survey = survey_of({"a": sf.collection.Warner(0.75), "b": sf.collection.Warner(0.75)}, ask="one")
    release = sf.publish_reports(survey, survey.report_frame([{"a": [0]}, {"a": [1]}]))
    assert set(sf.estimate(release)) == {"a"}
    assert "0 reports by" in release.report().html


def test_numbers_that_the_named_randomizer_does_not_draw_with_are_not_estimated_from(release):
    def lower_it(told):
        shipped(told, "kary")["stays"] -= 1

    other = changed(release, lower_it)
    assert sf.verify(other).word == "declared"
    with pytest.raises(DataError, match="drawn with other numbers than KaryResponse draws with"):
        sf.estimate(other)


def test_its_shape_says_what_it_is(release):
    shape = shape_of(release)
    assert (shape.name, shape.called, shape.unit, shape.room) == ("reports", "reports", "respondents", "collection")
