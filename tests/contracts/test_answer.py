"""Answers in words, as plain data and by key."""

import pytest

import sfumato as sf
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
    assert str(sf.ask(release, f"SELECT MIN(salary) {nobody}")) == "MIN(salary): none (0 records)"
    assert sf.ask(release, f"SELECT SUM(salary) {nobody}").value is None
    for condition in ("", " AND salary = 30"):
        none = sf.ask(release, f"SELECT COUNT(*) {nobody}{condition}")
        assert (none.value, none.low, none.high) == (0, 0, 0)
    assert answer.to_dict()["low"] == 35
