"""Surveys: their file, their promise, reports as tables, and estimates from them."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import collection
from sfumato.ground.errors import DataError, ParameterError, RecipeError
from support.surveys import EVERY_KIND, TEXT, drawn_reports, survey_of

WARNER = collection.Warner(0.75)


def written(tmp_path, text):
    file = tmp_path / "survey.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_is_read(tmp_path):
    survey = collection.read_survey(written(tmp_path, TEXT))
    assert (survey.title, survey.explanation, survey.ask) == ("Health at work", "Asked every year.", "all")
    smokes, pain = survey.questions
    assert smokes.randomizer == collection.best_response(1.0, ["yes, I smoke", "no, I do not"])
    assert pain.randomizer == collection.OptimalUnaryEncoding(pain.answers, 1.0)
    assert smokes.answers == ("yes, I smoke", "no, I do not")


def test_numbers_are_asked_for_between_bounds(tmp_path):
    asked = """
    title = "Sleep"
    [[question]]
    name = "hours"
    text = "How many hours?"
    bounds = [0, 12]
    epsilon = 1.0
    [[question]]
    name = "cups"
    text = "How many cups?"
    bounds = [0, 10]
    randomizer = {name = "LaplaceNoise", epsilon = 1.0, steps = 10}
    """
    survey = collection.read_survey(written(tmp_path, asked))
    hours, cups = survey.questions
    assert hours.randomizer == collection.best_mean(1.0, 0, 12)
    assert cups.randomizer == collection.LaplaceNoise(0, 10, 1.0, steps=10)
    assert cups.grid == {"low": 0, "high": 10, "steps": 10}
    assert cups.answers == ()
    answers = pl.DataFrame({"hours": [6, 7, 8, 9] * 500, "cups": [1, 2, 3, 4] * 500})
    found = survey.estimate(survey.randomize(answers, seed=1))
    assert abs(found["hours"].value - 7.5) < 4 * found["hours"].spread
    assert abs(found["cups"].value - 2.5) < 4 * found["cups"].spread
    wrong = asked.replace("bounds = [0, 12]", 'bounds = [0, 12]\n    values = ["a", "b"]').replace(
        "LaplaceNoise", "Warner"
    )
    with pytest.raises(RecipeError, match=r"it needs values or bounds, and epsilon.*Warner takes no bounds"):
        collection.read_survey(written(tmp_path, wrong))


def test_all_mistakes_are_told_at_once(tmp_path):
    wrong = """
    title = "Health"
    [[question]]
    name = "a b"
    text = "A?"
    values = ["x", "y"]
    epsilon = 1.0
    [[question]]
    name = "b"
    text = "B?"
    values = ["x"]
    epsilon = 1.0
    [[question]]
    name = "c"
    text = "C?"
    randomizer = {name = "Wagner"}
    [[question]]
    name = "d"
    text = "D?"
    epsilon = 1.0
    randomizer = {name = "Warner"}
    [[question]]
    name = "e"
    text = "E?"
    """
    with pytest.raises(RecipeError) as caught:
        collection.read_survey(written(tmp_path, wrong))
    said = str(caught.value)
    for each in (
        "'a b'", "question 'b': values must be between 2", "question 'c': no randomizer is called 'Wagner'",
        "question 'd': Warner takes no epsilon", "question 'e': it needs values or bounds, and epsilon; or a randomizer",
    ):  # fmt: skip
        assert each in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "title is missing; question is missing"),
        ('title = "a"\nquestion = []', "question must be a list of tables"),
        ('title = 3\nasks = "all"\n[[question]]\nname = "a"', "question.0.text is missing"),
        (TEXT.replace('explanation = "Asked every year."', 'ask = "some"'), "ask must be one of"),
        (TEXT.replace('"pain"', '"Smokes"'), "two questions are called 'Smokes'"),
        (TEXT.replace('title = "Health at work"', 'title = " "'), "a survey needs a title"),
        (TEXT.replace("epsilon = 1.0}", 'epsilon = 1.0, values = ["a", "b"]}'), "values stands in the question and in"),
        ("title =", "is not TOML"),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence(tmp_path, text, said):
    with pytest.raises(RecipeError, match=r"^survey '.*survey\.toml'") as caught:
        collection.read_survey(written(tmp_path, text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there():
    with pytest.raises(RecipeError, match=r"survey 'nowhere\.toml' does not exist; check its path"):
        collection.read_survey("nowhere.toml")


# -- what is promised --------------------------------------------------------------------------------------------------
def test_who_answers_all_questions_spends_the_sum_and_who_answers_one_the_most():
    kinds = {"a": WARNER, "b": collection.KaryResponse(["x", "y", "z"], 2.0)}
    every, one = survey_of(kinds), survey_of(kinds, ask="one")
    gammas = [each.privacy.gamma for each in kinds.values()]
    assert every.privacy.gamma == gammas[0] * gammas[1]
    assert every.privacy.epsilon == pytest.approx(math.log(3) + 2.0)
    assert one.privacy.gamma == max(gammas)
    assert "22.2 times" in every.in_words()
    assert "adds up over its questions" in every.in_words()
    assert "the one question that you are asked" in one.in_words()
    assert "adds up" not in survey_of({"a": WARNER}).in_words()
    for each in (every, one):
        assert "All that one submission reports" in each.in_words()
        assert "tell nothing more. If you change an answer later, that adds to it." in each.in_words()
        assert each.privacy.for_ever is None


def test_what_many_submissions_tell_is_bounded_where_every_randomizer_bounds_it():
    rappor = collection.Rappor(["x", "y", "z"])
    ever = rappor.privacy.for_ever
    two, mixed = survey_of({"a": rappor, "b": rappor}), survey_of({"a": rappor, "b": WARNER})
    assert (two.privacy.gamma, two.privacy.for_ever) == (rappor.privacy.gamma**2, ever**2)
    assert survey_of({"a": rappor, "b": rappor}, ask="one").privacy.for_ever == ever
    assert mixed.privacy.for_ever is None
    assert f"never more than {float(ever**2):.3g} times in all" in two.in_words()
    assert f"never more than {float(ever * WARNER.privacy.gamma):.3g} times in all" in mixed.in_words()


def test_more_than_can_be_promised_is_told_where_the_survey_is_read(tmp_path):
    question = '[[question]]\nname = "q{}"\ntext = "Which?"\nvalues = ["a", "b"]\nepsilon = 20.0\n'
    (tmp_path / "survey.toml").write_text('title = "T"\n' + "".join(question.format(i) for i in range(40)))
    with pytest.raises(RecipeError, match="have an epsilon of 800 together, and 100 is the most that can be promised"):
        collection.read_survey(tmp_path / "survey.toml")
    (tmp_path / "survey.toml").write_text('title = "T"\n' + "".join(question.format(i) for i in range(4)))
    assert collection.read_survey(tmp_path / "survey.toml").privacy.epsilon == pytest.approx(80.0)


def test_what_no_computer_has_a_number_for_is_said_as_a_power():
    survey = survey_of({f"q{i}": collection.KaryResponse(["a", "b"], 20.0) for i in range(40)})
    assert "more than e^800 times as likely" in survey.in_words()
    assert "never" not in survey.in_words()


def test_a_survey_with_a_question_that_promises_nothing_promises_nothing():
    survey = survey_of({"a": WARNER, "b": collection.UnrelatedQuestion(0.7, 0.0)})
    assert survey.privacy.gamma is None
    assert "promises nothing as a whole" in survey.in_words()


def test_who_is_asked_one_question_is_promised_it_by_the_exact_law():
    """The law of the report of the whole survey, two questions of which one is drawn, under every pair of answers."""
    kinds = {"a": WARNER, "b": collection.Warner(0.6)}
    laws = {}
    for first in (0, 1):
        for second in (0, 1):
            law = {}
            for name, code in (("a", first), ("b", second)):
                stays = Fraction(kinds[name].stays, 2**53)
                for report in (0, 1):
                    law[name, report] = Fraction(1, 2) * (stays if report == code else 1 - stays)
            laws[first, second] = law
    worst = max(one[report] / other[report] for one in laws.values() for other in laws.values() for report in one)
    assert worst == survey_of(kinds, ask="one").privacy.gamma


# -- reports -----------------------------------------------------------------------------------------------------------
def test_answers_become_reports_and_reports_estimates():
    survey = survey_of({"a": WARNER, "b": collection.KaryResponse(["x", "y", "z"], 3.0)})
    answers = pl.DataFrame(
        {"b": ["x", "y", "y", "z"] * 500, "a": ["yes", "yes", "yes", "no"] * 500, "more": [1] * 2000}
    )
    reports = survey.randomize(answers, seed=3)
    assert reports.columns == ["a.answer", "b.answer"]
    found = survey.estimate(reports)
    assert abs(found["a"]["yes"].value - 0.75) < 4 * found["a"]["yes"].spread
    assert abs(found["b"]["y"].value - 0.5) < 4 * found["b"]["y"].spread
    assert reports.equals(survey.randomize(answers, seed=3))
    assert not reports.equals(survey.randomize(answers))


def test_where_one_question_is_asked_each_row_has_one_report():
    survey = survey_of({"a": WARNER, "b": collection.Rappor(["x", "y"])}, ask="one")
    reports = survey.randomize(pl.DataFrame({"a": ["yes"] * 900, "b": ["x"] * 900}), seed=1)
    asked = reports["a.answer"].is_not_null()
    assert 380 < asked.sum() < 520
    assert (reports["b.bit_1"].is_null() == asked).all()
    assert survey.estimate(reports)["a"]["yes"].n_low == asked.sum()


def test_which_question_is_asked_has_nothing_to_do_with_the_answers():
    """Each is asked as often whatever the answers are, and whoever answers what."""
    survey = survey_of({"a": WARNER, "b": WARNER}, ask="one")
    for answers in ({"a": ["yes"] * 4000, "b": ["no"] * 4000}, {"a": ["no"] * 4000, "b": ["yes", "no"] * 2000}):
        asked = survey.randomize(pl.DataFrame(answers), seed=5)["a.answer"].is_not_null()
        assert abs(asked.sum() - 2000) < 4 * 1000**0.5
        assert abs(asked[::2].sum() - 1000) < 4 * 500**0.5


@pytest.mark.parametrize("ask", ["all", "one"])
def test_two_waves_with_one_seed_are_not_tied_together(ask):
    """Ten of a thousand answers change, to one question, and reports change everywhere."""
    survey = survey_of({"a": WARNER, "b": WARNER}, ask=ask)
    first = pl.DataFrame({"a": ["yes", "no"] * 500, "b": ["yes"] * 1000})
    second = first.with_columns(a=pl.Series(["no"] * 10 + first["a"].to_list()[10:]))
    one, other = survey.randomize(first, seed=5), survey.randomize(second, seed=5)
    for name in one.columns:
        assert (one[name].fill_null("none") != other[name].fill_null("none")).sum() > 250


def test_every_kind_goes_through_submissions_into_a_table_and_back():
    survey = survey_of(EVERY_KIND)
    given_ = [drawn_reports(survey) for _ in range(30)]
    read = [survey.read_submission(each) for each in given_]
    assert read == given_
    frame = survey.report_frame(read)
    assert frame.height == 30
    for question in survey.questions:
        back = question.randomizer.reports_of(survey.reports_to(question, frame))
        assert back.tolist() == [each[question.name] for each in given_]
    assert set(survey.estimate(frame)) == set(EVERY_KIND)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", ""]), inner, max_size=3),
)


@given(ANYTHING)
def test_nothing_but_reports_is_read(given_):
    survey = survey_of({"a": WARNER, "b": collection.OptimalUnaryEncoding(["x", "y"], 1.0)})
    possible = [{"a": [a], "b": [b, c]} for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    if repr(given_) in map(repr, possible + [dict(reversed(each.items())) for each in possible]):
        assert survey.read_submission(given_) == given_
    else:
        with pytest.raises(DataError):
            survey.read_submission(given_)


def test_messages_name_what_is_wrong():
    survey = survey_of({"a": WARNER, "b": WARNER})
    with pytest.raises(DataError, match="question 'b' has no report"):
        survey.read_submission({"a": [0]})
    with pytest.raises(DataError, match="no question is called 'c'"):
        survey.read_submission({"a": [0], "c": [0]})
    with pytest.raises(DataError, match="column 'b': answer 1 is 'perhaps'"):
        survey.randomize(pl.DataFrame({"a": ["yes"], "b": ["perhaps"]}))
    with pytest.raises(DataError, match="no column 'b'"):
        survey.randomize(pl.DataFrame({"a": ["yes"]}))
    with pytest.raises(DataError, match=r"no column 'b\.answer', which question 'b' has"):
        survey.estimate(pl.DataFrame({"a.answer": ["yes"]}))
    with pytest.raises(DataError, match="question 'a': there are no reports"):
        survey.estimate(
            pl.DataFrame({"a.answer": pl.Series([], dtype=pl.String), "b.answer": pl.Series([], dtype=pl.String)})
        )
    with pytest.raises(DataError, match="each respondent answers one question"):
        survey_of({"a": WARNER, "b": WARNER}, ask="one").read_submission({"a": [0], "b": [0]})


@pytest.mark.parametrize(
    "make",
    [
        lambda: collection.Question("", "A?", WARNER), lambda: collection.Question("a", "", WARNER),
        lambda: collection.Question("a", "A?", "Warner"), lambda: collection.Survey("a", []),
        lambda: collection.Survey("", [collection.Question("a", "A?", WARNER)]),
        lambda: collection.Survey("a", [collection.Question("a", "A?", WARNER)], ask="none"),
    ],
)  # fmt: skip
def test_bad_parameters_get_a_sentence(make):
    with pytest.raises(ParameterError):
        make()


def test_another_randomizer_or_text_is_another_question():
    questions = [
        collection.Question("a", "A?", WARNER), collection.Question("a", "A??", WARNER),
        collection.Question("b", "A?", WARNER), collection.Question("a", "A?", collection.Warner(0.76)),
    ]  # fmt: skip
    assert len({each.id for each in questions}) == 4
    assert questions[0].id == collection.Question("a", "A?", collection.Warner(0.75)).id


@pytest.mark.parametrize(("made", "said"), [
    (lambda: collection.KaryResponse(), "KaryResponse needs 'values' and 'epsilon'; help"),
    (lambda: collection.KaryResponse(epsilon=1.0), "KaryResponse needs 'values'; help"),
    (lambda: collection.LaplaceNoise(epsilon=1.0), "LaplaceNoise needs 'low' and 'high'; help"),
    (lambda: collection.SelectASize(list("abc")), "SelectASize needs 'keep' and 'rho'; help"),
    (lambda: collection.OneColumn(), "OneColumn needs 'columns'; help"),
    (lambda: collection.Survey("Health"), "Survey needs 'questions'; help"),
    (lambda: collection.Question(), "Question needs 'name' and 'text' and 'randomizer'; help"),
])  # fmt: skip
def test_what_is_made_without_what_it_needs_is_refused_in_a_sentence(made, said):
    with pytest.raises(ParameterError) as caught:
        made()
    assert said in str(caught.value)
    assert caught.value.__context__ is None


def test_copies_of_questions_are_the_same():
    question = collection.Question("a", "A?", WARNER)
    assert copy.copy(question) == copy.deepcopy(question) == pickle.loads(pickle.dumps(question)) == question
