"""How to read the cells of a published table: means, modes, and rows that stand for nobody."""

import pytest

from sfumato.tables.grouping.mondrian import Mondrian
from support.report_pages import both_pages, made_up_people
from support.republished_tables import second_of_sequence


@pytest.fixture(scope="module")
def two():
    return second_of_sequence()


def test_the_report_says_that_some_rows_stand_for_nobody(tmp_path, two):
    page = (two.save(tmp_path / "out") / "report.html").read_text()
    assert "This release keeps its promise of 2-invariance" in page
    assert "among the same values in all of them" in page
    assert "Some rows may be counterfeits" in page
    assert "number of the class" in page


def test_means_and_modes():
    public, owner = both_pages(made_up_people(), Mondrian(show="means"))
    assert "mean of the class" in public
    assert "most frequent in the class" in public
    assert "before and after" in owner
