"""Every figure gets a line, and a threshold says whose it is."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.figures import catalogue
from sfumato.report.judging import judge, split_jargon

sf.measure(sf.publish(hospital(60), sf.Mondrian(), sf.KAnonymity(5), seed=1))


@pytest.mark.parametrize(
    ("name", "value", "rows", "word", "line"),
    [
        ("gcp", 0.25, 100, "good", "up to 25%, our rule of thumb."),
        ("gcp", 0.26, 100, "look again", "above 25%, our rule of thumb: a smaller k"),
        ("withheld_rows", 5, 100, "good", "up to 5% of the rows, our rule of thumb."),
        ("withheld_rows", 6, 100, "look again", "above 5% of the rows, our rule of thumb: who is left out"),
        ("query_error_median", 0.2, 100, "look again", "above 10%, our rule of thumb"),
        ("il1", 0.9, 100, "", "No threshold is in use; less is better, to compare releases by."),
        ("n_classes", 7, 100, "", "Neither more nor less is better."),
        ("c_avg", 1.2, 100, "", "1 is the best that can be"),
    ],
)
def test_the_line_under_a_figure(name, value, rows, word, line):
    judged = judge(catalogue()[name].of(value), rows)
    assert judged.word == word
    assert judged.line.startswith(line)


def test_every_figure_has_a_line_and_jargon_is_apart():
    figures = [about.of(0.5) for about in catalogue().values() if "{" not in about.name]
    plain, jargon = split_jargon(figures, 100)
    assert len(plain) + len(jargon) == len(figures)
    assert all(each.line.endswith(".") for each in (*plain, *jargon))
    assert {"discernibility", "il1", "volume", "ncp"} <= {each.figure.name for each in jargon}
    assert "gcp" in {each.figure.name for each in plain}
