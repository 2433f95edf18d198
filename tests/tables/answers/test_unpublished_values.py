"""A value that no published row shows is told beside the answer, with values near it."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import hospital

METHODS = {
    "ranges": (sf.Mondrian(), sf.KAnonymity(5)),
    "recoded": (sf.LocalRecoding(), sf.KAnonymity(5)),
    "groups": (sf.Anatomy(), sf.LDiversity(2)),
}


@cache
def release(name):
    method, promise = METHODS[name]
    return sf.publish(hospital(200), method, promise, seed=1)


def asked(name, condition, by=""):
    return sf.ask(release(name), f"SELECT COUNT(*) FROM release WHERE {condition}{by}")


@pytest.mark.parametrize("name", METHODS)
def test_a_value_that_is_not_published_is_told(name):
    answer = asked(name, "diagnosis = 'asthmaa'")
    assert (answer.value, answer.low, answer.high) == (0, 0, 0)
    assert answer.notes == ("no published row shows 'asthmaa' in column 'diagnosis'; did you mean 'asthma'?",)
    first, second = repr(answer).split("\n")
    assert first == "COUNT(*): 0 (exact; 0 records)"
    assert second == f"  note: {answer.notes[0]}"
    assert answer.to_dict()["notes"] == list(answer.notes)
    assert "did you mean" in answer._repr_html_()


@pytest.mark.parametrize("name", METHODS)
def test_values_that_are_published_are_passed_over(name):
    for condition in ("diagnosis = 'asthma'", "sex = 'female'", "age > 40", "diagnosis LIKE 'asthmaa%'", "sex IS NULL"):
        answer = asked(name, condition)
        assert answer.notes == ()
        assert "notes" not in answer.to_dict()
        assert "note" not in repr(answer)


def test_what_is_near_may_hold_the_text_asked_for():
    assert asked("ranges", "diagnosis = 'hiv'").notes[0].endswith("; did you mean 'HIV infection'?")
    assert "; there are 'HIV infection', 'appendicitis', " in asked("ranges", "diagnosis = 'q'").notes[0]


def test_every_value_is_told_once():
    notes = asked("ranges", "diagnosis IN ('asthma', 'hiv') AND (diagnosis <> 'hiv' OR sex = 'femal')").notes
    assert [note.split(";")[0] for note in notes] == [
        "no published row shows 'hiv' in column 'diagnosis'",
        "no published row shows 'femal' in column 'sex'",
    ]


def test_a_value_that_may_lie_under_a_node_is_not_told():
    schema = sf.Schema(quasi=["town"], sensitive=["s"], hierarchies={"town": sf.Hierarchy.prefixes(length=3)})
    frame = pl.DataFrame({"town": ["021", "022", "023", "024"] * 5, "s": ["a", "b"] * 10})
    made = sf.publish(sf.Table(frame, schema), sf.BestFirst(), sf.KAnonymity(6), seed=1)
    assert made.to_polars()["town"].unique().to_list() == ["02*"]
    assert sf.ask(made, "SELECT COUNT(*) FROM release WHERE town = '029'").notes == ()
    told = sf.ask(made, "SELECT COUNT(*) FROM release WHERE town = '111'").notes
    assert told == ("no published row shows '111' in column 'town'; there are '02*'",)


def test_the_answers_of_groups_are_told_once():
    answers = asked("ranges", "department = 'surgry'", " GROUP BY smoker")
    assert answers.notes == ("no published row shows 'surgry' in column 'department'; did you mean 'surgery'?",)
    assert repr(answers).split("\n")[1] == f"  note: {answers.notes[0]}"
    assert "surgery" in answers._repr_html_()
    assert asked("ranges", "department = 'surgery'", " GROUP BY smoker").notes == ()


def test_labels_are_near_too():
    frame = pl.DataFrame({"age": list(range(20, 40)), "sex": ["1", "2"] * 10})
    columns = [
        sf.Column(name="age", role="quasi"),
        sf.Column(name="sex", role="sensitive", kind="category", labels={"1": "male", "2": "female"}),
    ]
    made = sf.publish(sf.Table(frame, sf.Schema.of(columns)), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    assert sf.ask(made, "SELECT COUNT(*) FROM release WHERE sex = 'female'").value == 10
    told = sf.ask(made, "SELECT COUNT(*) FROM release WHERE sex = 'femals'").notes
    assert told == ("no published row shows 'femals' in column 'sex'; did you mean 'female'?",)
