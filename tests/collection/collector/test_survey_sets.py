"""Questions for sets of items: in the file of a survey, in tables of answers and reports, and in estimates."""

from __future__ import annotations

import polars as pl
import pytest

from sfumato import collection
from sfumato.collection.collector.survey import estimate_rows
from sfumato.ground.errors import DataError, RecipeError
from support.surveys import survey_of

FIVE = ["asthma", "diabetes", "gout", "migraine", "none of them"]
PADDED = collection.CutAndPaste(FIVE, sizes=[3], cutoff=4, rho=0.2, padded=True)
SIZES = collection.SelectASize(FIVE, keep=[[1.0], [0.3, 0.7], [0.1, 0.3, 0.6]], rho=0.2)
FILE = """
title = "Health"
[[question]]
name = "has"
text = "Which of these do you have?"
items = ["asthma", "diabetes", "gout", "migraine", "none of them"]
randomizer = {name = "CutAndPaste", sizes = [3], cutoff = 4, rho = 0.2, padded = true}
[[question]]
name = "had"
text = "Which did you have?"
randomizer = {name = "SelectASize", items = ["a", "b", "c"], keep = [0.2, 0.3, 0.5], rho = 0.2}
"""
SETS = [["asthma", "gout"], ["gout"], [], ["diabetes", "asthma"]] * 250


def test_sets_are_asked_for_in_a_file(tmp_path):
    (tmp_path / "survey.toml").write_text(FILE)
    has, had = collection.read_survey(tmp_path / "survey.toml").questions
    assert has.randomizer == PADDED
    assert (has.items, has.answers, has.grid) == (tuple(FIVE), (), None)
    assert had.randomizer == collection.SelectASize(list("abc"), keep=[0.2, 0.3, 0.5], rho=0.2)
    assert collection.Question("a", "A?", collection.Warner(0.75)).items == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('randomizer = {name = "CutAndPaste", sizes = [3], cutoff = 4, rho = 0.2, padded = true}', "epsilon = 1.0"),
         "question 'has': it has items, and needs a randomizer of sets: SelectASize or CutAndPaste"),
        (('"CutAndPaste", sizes = [3], cutoff = 4, rho = 0.2, padded = true', '"Warner"'), "Warner takes no items; leave it out"),
        (("sizes = [3],", 'sizes = [3], items = ["a"],'), "items stands in the question and in its randomizer"),
        (("cutoff = 4", "cutoff = 1"), "question 'has': cutoff must be at least itemset_size, 2"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_them_is_said(tmp_path, change, said):
    assert change[0] in FILE
    (tmp_path / "survey.toml").write_text(FILE.replace(*change))
    with pytest.raises(RecipeError) as caught:
        collection.read_survey(tmp_path / "survey.toml")
    assert said in str(caught.value)


def test_how_many_may_be_ticked_is_said():
    for randomizer, said in {
        PADDED: "Tick up to 3, and none if you have none.", SIZES: "Tick 0, 1 or 2.",
        collection.CutAndPaste(FIVE, sizes=[2], cutoff=2, rho=0.2): "Tick exactly 2.", collection.Warner(0.75): "",
    }.items():  # fmt: skip
        assert collection.Question("a", "A?", randomizer).sizes_in_words == said


def test_a_survey_says_that_sizes_are_told_where_they_are():
    besides = "How many items you tick is told besides"
    assert besides in survey_of({"a": SIZES}).in_words()
    assert besides not in survey_of({"a": PADDED}).in_words()


@pytest.mark.parametrize("ask", ["all", "one"])
def test_sets_become_bits_and_bits_estimates(ask):
    survey = survey_of({"a": SIZES, "b": collection.Warner(0.75), "c": PADDED}, ask=ask)
    reports = survey.randomize(pl.DataFrame({"a": SETS, "b": ["yes"] * 1000, "c": SETS}), seed=2)
    bits = [f"bit_{i}" for i in range(1, 6)]
    assert reports.columns == ["a.size", *(f"a.{bit}" for bit in bits), "b.answer", *(f"c.{bit}" for bit in bits)]
    found = survey.estimate(reports)
    for name in ("a", "c"):
        for item, share in {"asthma": 0.5, "diabetes": 0.25, "gout": 0.5, "migraine": 0.0}.items():
            support = found[name].support([item])
            assert abs(support.value - share) < 4.5 * support.spread
    rows = estimate_rows(found["c"])
    assert [row["value"] for row in rows] == FIVE
    assert all(0 <= row["low"] <= row["shown"] <= row["high"] <= 1 for row in rows)
    assert survey.whole_numbers(reports)["a.bit_1"].to_list() == reports["a.bit_1"].to_list()


def test_the_same_is_learnt_from_lists_and_from_bits():
    survey = survey_of({"a": SIZES})
    lists = SIZES.randomize(SETS, seed=1)
    bits = SIZES.bits_frame(lists)
    assert bits.columns == ["size", "bit_1", "bit_2", "bit_3", "bit_4", "bit_5"]
    assert SIZES.reports_of(bits).tolist() == SIZES.reports_of(lists).tolist()
    named = bits.rename({name: f"a.{name}" for name in bits.columns})
    assert survey.estimate(named)["a"].support(["gout"]) == SIZES.estimate(lists).support(["gout"])


@pytest.mark.parametrize(
    ("column", "wrong", "said"),
    [("a.bit_2", 2, "column 'bit_2' of the reports holds whole numbers from 0 to 1"), ("a.size", 5, "from 0 to 2"),
     ("a.size", None, "column 'size'")],
)  # fmt: skip
def test_reports_that_cannot_have_been_drawn_are_refused(column, wrong, said):
    survey = survey_of({"a": SIZES})
    reports = survey.randomize(pl.DataFrame({"a": SETS}), seed=1)
    values = [wrong, *reports[column].to_list()[1:]]
    changed = reports.with_columns(pl.Series(column, values, dtype=pl.Int64))
    for read in (survey.estimate, survey.whole_numbers):
        with pytest.raises(DataError, match=said):
            read(changed)


def test_sets_are_read_from_texts():
    survey = survey_of({"a": PADDED})
    texts = ["asthma;gout", " gout ", None, "diabetes; asthma;"] * 250
    assert survey.randomize(pl.DataFrame({"a": texts}), seed=3).equals(
        survey.randomize(pl.DataFrame({"a": SETS}), seed=3)
    )
    numbers = survey_of({"a": collection.CutAndPaste([1, 2, 30], sizes=[1], cutoff=2, rho=0.2, itemset_size=1)})
    reports = numbers.randomize(pl.DataFrame({"a": [1, 30, 2] * 300}), seed=1)
    assert abs(numbers.estimate(reports)["a"].support(["30"]).value - 1 / 3) < 0.3


@pytest.mark.parametrize(
    ("given", "said"),
    [(["asthma;flu"], "column 'a': answer 1 has 'flu', which is none of the 5 items"),
     (["gout", "gout;gout"], "column 'a': answer 2 has an item twice"),
     (["gout;asthma;migraine;diabetes"], "column 'a': answer 1 has 4 items, and sets of at most 3 are asked for"),
     ([1.5], "column 'a': answers are lists of items")],
)  # fmt: skip
def test_texts_that_are_no_sets_are_refused(given, said):
    with pytest.raises(DataError) as caught:
        survey_of({"a": PADDED}).randomize(pl.DataFrame({"a": given}))
    assert said in str(caught.value)


@pytest.mark.parametrize("item", ["a;b", " a", ""])
def test_items_that_texts_cannot_tell_are_given_in_lists(item):
    survey = survey_of({"a": collection.CutAndPaste([item, "c"], sizes=[1], cutoff=1, rho=0.2, itemset_size=1)})
    with pytest.raises(DataError, match=r"sets are written with ; between their items, and .* cannot be told so"):
        survey.randomize(pl.DataFrame({"a": ["c"]}))
    assert survey.randomize(pl.DataFrame({"a": [[item]]})).height == 1


def test_submissions_become_a_table_that_any_format_holds(tmp_path):
    survey = survey_of({"a": SIZES, "b": PADDED}, ask="one")
    given = [{"a": [2, 0, 1, 1, 0, 0]}, {"b": [0, 0, 0, 0, 1]}, {"a": [0, 0, 0, 0, 0, 0]}]
    frame = survey.report_frame([survey.read_submission(each) for each in given])
    assert frame.row(0) == (2, 0, 1, 1, 0, 0, None, None, None, None, None)
    frame.write_csv(tmp_path / "reports.csv")
    assert survey.whole_numbers(pl.read_csv(tmp_path / "reports.csv")).equals(survey.whole_numbers(frame))
    with pytest.raises(DataError, match=r"size of a report is a whole number from 0 to 2"):
        survey.read_submission({"a": [3, 0, 1, 1, 0, 0]})
