"""Answers in words, as plain data and by key."""

import datetime as dt
import math

import pytest

import sfumato as sf
from sfumato.contracts.answer import Answer, Answers
from support.asked import bounds, figure_2


def test_group_by():
    answers = sf.ask(figure_2(), "SELECT gender, AVG(salary) AS a FROM release GROUP BY gender")
    assert len(answers) == 2
    assert bounds(answers["F"]) == (35, 55)
    assert bounds(answers[("M",)]) == bounds(sf.ask(figure_2(), "SELECT AVG(salary) FROM release WHERE gender = 'M'"))
    assert [key for key, _ in answers] == [("F",), ("M",)]
    frame = answers.to_polars()
    assert frame.columns == ["gender", "value", "low", "high", "spread", "n_low", "n_high"]
    assert frame["n_low"].to_list() == [6, 5]
    assert "F: AVG(salary): 45 (between 35 and 55 for certain" in repr(answers)
    with pytest.raises(KeyError):
        answers["X"]
    none = sf.ask(figure_2(), "SELECT gender, COUNT(*) FROM release WHERE gender = 'X' GROUP BY gender")
    assert len(none) == 0


def test_words():
    release = figure_2()
    answer = sf.ask(release, "SELECT AVG(salary) FROM release WHERE gender = 'F'")
    assert str(answer).startswith("AVG(salary): 45 (between 35 and 55 for certain; spread ")
    assert str(answer).endswith("; 6 records)")
    assert str(sf.ask(release, "SELECT COUNT(*) FROM release")) == "COUNT(*): 11 (exact; 11 records)"
    assert str(sf.ask(release, "SELECT COUNT(salary) FROM release")) == "COUNT(salary): 11 (exact; 11 records)"
    nobody = "FROM release WHERE gender = 'X'"
    said = str(sf.ask(release, f"SELECT MIN(salary) {nobody}"))
    assert said.startswith("MIN(salary): none (0 records)\n  note: no published row shows 'X' in column 'gender'")
    assert sf.ask(release, f"SELECT SUM(salary) {nobody}").value is None
    for condition in ("", " AND salary = 30"):
        none = sf.ask(release, f"SELECT COUNT(*) {nobody}{condition}")
        assert (none.value, none.low, none.high) == (0, 0, 0)
    assert answer.to_dict()["low"] == 35


def answer_of(value, low, high, n_low=4, n_high=5, label="SUM(x)", withheld=1, spread=0.0):
    return Answer(label, value, low, high, True, spread, n_low, n_high, withheld=withheld)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (answer_of(3, 3, 3, 5, 5), "SUM(x): 3 (exact; 5 records, 1 withheld)"),
        (answer_of(3, 3, 3, 0, 1, withheld=0), "SUM(x): 3 (that, or none at all; 0 to 1 record)"),
        (answer_of(3, 3, math.inf), "SUM(x): 3 of what is published (at least 3 for certain; 4 to 5 records, 1 withheld)"),
        (answer_of(3, -math.inf, 3), "SUM(x): 3 of what is published (at most 3 for certain; 4 to 5 records, 1 withheld)"),
        (answer_of(3, -math.inf, math.inf, spread=2.0),
         "SUM(x): 3 of what is published (without bounds; spread 2; 4 to 5 records, 1 withheld)"),
        (answer_of(None, dt.date.min, dt.date(2024, 1, 1), 0, 1, "MIN(d)", spread=None),
         "MIN(d): none of what is published (at most 2024-01-01 for certain, or none at all; 0 to 1 record, 1 withheld)"),
        (answer_of(2, 2, 3, 2, 3, "COUNT(*)"),
         "COUNT(*): 2 of what is published (between 2 and 3 for certain; 2 to 3 records, 1 withheld)"),
        (answer_of(3, 3, 5, withheld=0), "SUM(x): 3 (between 3 and 5 for certain; spread 0; 4 to 5 records)"),
    ],
)  # fmt: skip
def test_words_of_what_is_not_known(answer, said):
    assert str(answer) == said


def test_an_estimate_alone_is_never_exact():
    assert "exact" not in str(Answer("COUNT(*)", 3, 3, 3, False, 0.0, 0, 5))


def test_a_side_without_a_bound_is_plain_data_too():
    told = answer_of(3, -math.inf, 7).to_dict()
    assert (told["low"], told["high"], told["withheld"]) == (None, 7, 1)
    assert answer_of(None, dt.datetime.min, dt.datetime(2024, 1, 1), label="MIN(t)").to_dict()["low"] is None
    answers = Answers(["a"], [(("x",), answer_of(3, -math.inf, 7))], 1)
    assert answers.to_polars()["low"].to_list() == [-math.inf]
    assert "1 withheld record may have any key, also one that is not shown" in repr(answers)
