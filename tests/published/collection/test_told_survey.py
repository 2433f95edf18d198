"""What a release tells of its survey: nothing beside what is read, and the randomizers that were shipped."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

import sfumato as sf
from sfumato.collection.randomizers.randomizer import known_randomizers
from sfumato.data.schema import Schema
from sfumato.ground.errors import DataError
from sfumato.published.collection.told_survey import _RANDOMIZERS, told_flaws
from support.surveys import EVERY_KIND, PROMISING, drawn_reports, survey_of

SURVEY = survey_of(PROMISING)


@pytest.fixture(scope="module")
def release():
    return sf.publish_reports(SURVEY, SURVEY.report_frame([drawn_reports(SURVEY) for _ in range(20)]))


def changed(release, change):
    public = copy.deepcopy(dict(release.public))
    told = public["collection"]
    change(told, {each["name"]: each for each in told["questions"]})
    return replace(release, public=public)


def test_every_randomizer_is_listed():
    assert set(_RANDOMIZERS) == set(known_randomizers())


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 7.3, 20.0])
def test_whatever_randomizers_tell_of_themselves_fits(epsilon):
    made = dict(PROMISING)
    values, kinds = (
        list(range(7)),
        {type(each) for each in EVERY_KIND.values()} | {sf.collection.SymmetricUnaryEncoding},
    )
    for kind in kinds:
        parameters = _RANDOMIZERS[kind.__name__][1]
        if "epsilon" in parameters and "values" in parameters:
            made[f"any{kind.__name__}"] = kind(values=values, epsilon=epsilon)
        elif "epsilon" in parameters and 1 <= epsilon < 10:
            made[f"any{kind.__name__}"] = kind(low=-0.5, high=2, epsilon=epsilon, steps=20)
    for size in (2, 3, 40):
        rows = [[0.9 if i == j else 0.1 / (size - 1) for j in range(size)] for i in range(size)]
        made[f"matrix{size}"] = sf.collection.MatrixResponse(list(range(size)), rows)
    survey = survey_of(made)
    assert told_flaws(survey.to_dict(), [each.privacy.gamma for each in made.values()]) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda told, asked: told.update(answers={"a": 1}),
        lambda told, asked: asked["kary"].update({"true answers": {"row 1": "one"}}),
        lambda told, asked: asked["kary"]["shipped"].update(more=1),
        lambda told, asked: asked["hybrid"]["shipped"]["duchi"].update(more=1),
        lambda told, asked: asked["duchi"]["shipped"].update(values=["a", "b"]),
    ],
)
def test_what_nobody_reads_is_named(release, change):
    verdict = sf.verify(changed(release, change))
    assert verdict.word == "broken"
    assert any("the release tells something that is not read" in each for each in verdict.broken)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("subset", {"epsilon": 20.0}), ("subset", {"epsilon": 1.01}), ("subset", {"epsilon": 0.99}), ("subset", {"size": 3}),
        ("kary", {"epsilon": "1"}), ("kary", {"epsilon": None}), ("kary", {"epsilon": {"a": 1}}), ("kary", {"more": 1}),
        ("kary", {"name": "SubsetSelection"}), ("kary", {"name": "Other"}), ("kary", {"name": ["KaryResponse"]}),
        ("kary", {"values": ["five", "two", "three", "four", "one"]}), ("kary", {"values": ["one", "two"]}),
        ("warner", {"truth": 0.7500001}), ("unrelated", {"asked": 0.2}), ("rappor", {"f": 0.4}), ("bloom", {"q": 0.8}),
        ("bloom", {"cohorts": 4}), ("bloom", {"bits": 5}), ("bloom", {"hashes": 0}), ("hashing", {"cells": 5}),
        ("matrix", {"matrix": [[0.6, 0.4], [0.4, 0.6]]}), ("matrix", {"matrix": [[0.8, 0.2]]}), ("matrix", {"matrix": "x"}),
        ("duchi", {"high": 11}), ("laplace", {"steps": 11}), ("hybrid", {"low": -1}), ("staircase", {"epsilon": 2.0}),
        ("select-a-size", {"rho": 0.24}), ("select-a-size", {"keep": [[0.4, 0.6]]}), ("select-a-size", {"padded": True}),
        ("select-a-size", {"keep": [[0.4, 0.6], [0.3, 0.2, 0.5]]}), ("select-a-size", {"keep": {"1": [0.4, 0.6]}}),
        ("select-a-size", {"items": list("abcde")}), ("select-a-size", {"itemset_size": 0}), ("select-a-size", {"itemset_size": True}),
        ("cut-and-paste", {"cutoff": 2}), ("cut-and-paste", {"sizes": [1, 2]}), ("cut-and-paste", {"sizes": 2}),
        ("cut-and-paste", {"padded": 1}), ("cut-and-paste", {"rho": "0.25"}), ("cut-and-paste", {"itemset_size": "2"}),
        ("cut-and-paste", {"name": "SelectASize"}),
    ],
    ids=repr,
)  # fmt: skip
def test_another_randomizer_than_was_shipped_breaks_it(release, kind, parameters):
    verdict = sf.verify(changed(release, lambda told, asked: asked[kind]["randomizer"].update(parameters)))
    assert verdict.word == "broken"
    assert f"question {kind!r}" in verdict.broken[0]


def test_title_and_explanation_are_texts(release):
    for name in ("title", "explanation"):
        for wrong in ({"row 1": "one"}, None, 3):
            broken = sf.verify(changed(release, lambda told, _, n=name, w=wrong: told.update({n: w}))).broken
            assert broken == (f"the {name} of the survey is no text",)


@pytest.mark.parametrize("prime", [2, 2**31 - 2, 2**31, 2**31 - 19])
def test_hashes_are_drawn_by_the_one_prime(release, prime):
    with pytest.raises(DataError, match="prime"):
        sf.verify(changed(release, lambda told, asked: asked["hashing"]["shipped"].update(prime=prime)))


def test_rows_in_another_order_break_it(release):
    data = sf.Table(release.data.frame.reverse(), Schema(rest="plain"))
    assert "the rows are not in rising order" in sf.verify(replace(release, data=data)).broken[0]
