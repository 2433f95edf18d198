"""Columns that are published as recorded have exact answers."""

import sfumato as sf
from support.asked import figure_2


def test_columns_as_recorded_are_exact():
    answer = sf.ask(figure_2(), "SELECT MEDIAN(\"group\") FROM release WHERE gender = 'F'")
    assert (answer.low, answer.value, answer.high, answer.spread) == (2, 2, 2, 0)
