"""Memoized answers, and what repeated ones would tell."""

from fractions import Fraction as F
from math import comb

import pytest

from sfumato import collection
from sfumato.collection.randomizers.randomizer import known_randomizers
from sfumato.errors import ParameterError

KEY = bytes(range(32))


@pytest.mark.parametrize("asked", [
    collection.Warner(truth=0.75), collection.KaryResponse(values=tuple("abc"), epsilon=0.2),
    collection.LocalHashing(values=tuple("abc"), epsilon=0.2), collection.SubsetSelection(values=tuple("abcdef"), epsilon=0.2),
    collection.OptimalUnaryEncoding(values=tuple("abcdef"), epsilon=0.2),
])  # fmt: skip
def test_who_is_asked_again_reports_the_same(asked):
    answer, other = asked.values[:2]
    mine, again, theirs = collection.Memo(KEY), collection.Memo(KEY), collection.Memo()
    questions = [f"question {i}" for i in range(60)]
    reports = [mine.report(asked, answer, question=each) for each in questions]
    assert all(r.equals(again.report(asked, answer, question=q)) for r, q in zip(reports, questions, strict=True))
    assert any(not r.equals(theirs.report(asked, answer, question=q)) for r, q in zip(reports, questions, strict=True))
    assert any(not r.equals(mine.report(asked, other, question=q)) for r, q in zip(reports, questions, strict=True))
    assert len({r.row(0) for r in reports}) > 1, "questions are drawn apart"


def test_rappor_keeps_its_permanent_response_and_draws_reports_afresh():
    values = tuple(range(20))
    permanent = collection.Rappor(values=values, f=0.5, p=0.0, q=1.0)
    mine = collection.Memo(KEY)
    kept = mine.report(permanent, 3, question="page").row(0)
    assert all(mine.report(permanent, 3, question="page").row(0) == kept for _ in range(5))
    asked = collection.Rappor(values=values, f=0.5, p=0.25, q=0.75)
    assert len({mine.report(asked, 3, question="other page").row(0) for _ in range(10)}) > 1


def test_the_cohort_does_not_depend_on_the_answer():
    asked = collection.BloomRappor(values=tuple(range(20)), cohorts=16)
    mine = collection.Memo(KEY)
    assert len({mine.report(asked, value, question="page")["cohort"][0] for value in range(20)}) == 1


EIGHT = tuple("abcdefgh")


@pytest.mark.parametrize(("one", "same"), [
    (collection.KaryResponse(values=EIGHT, epsilon=1), collection.KaryResponse(values=EIGHT, epsilon=1.0)),
    (collection.SubsetSelection(values=EIGHT, epsilon=1.0), collection.SubsetSelection(values=EIGHT, epsilon=1.0, size=2)),
    (collection.KaryResponse(values=(1, 2, 3), epsilon=1.0), collection.KaryResponse(values=(1.0, 2.0, 3.0), epsilon=1.0)),
    (collection.LaplaceNoise(low=0, high=10, epsilon=1), collection.LaplaceNoise(low=0.0, high=10.0, epsilon=1.0)),
])  # fmt: skip
def test_randomizers_that_draw_by_the_same_numbers_report_the_same(one, same):
    answer = one.values[0] if hasattr(one, "values") else 5
    for i in range(40):
        mine, question = collection.Memo(KEY), f"question {i}"
        assert mine.report(one, answer, question=question).row(0) == mine.report(same, answer, question=question).row(0)


def test_a_question_with_a_slightly_other_randomizer_is_refused_and_drawn_for_anew():
    mine, changed = collection.Memo(KEY), collection.Warner(truth=0.75 + 1e-9)
    mine.report(collection.Warner(truth=0.75), "yes", question="smokes")
    for _ in range(2):
        with pytest.raises(
            ParameterError, match=r"'smokes' was asked with another randomizer before.*whose epsilon adds up"
        ):
            mine.report(changed, "yes", question="smokes")
    mine.report(changed, "yes", question="smokes now")
    mine.report(collection.Warner(truth=0.75), "no", question="smokes")
    thresholds = [collection.Warner(truth=0.75 + i * 1e-9) for i in range(60)]
    reports = [collection.Memo(KEY).report(each, "yes", question="smokes")["answer"][0] for each in thresholds]
    assert {"yes", "no"} == set(reports), "the words are not those of another threshold"


@pytest.mark.parametrize(("asked", "question"), [
    (None, "q"), (collection.Warner, "q"), (collection.Warner(), None), (collection.Warner(), 5), (collection.Warner(), ["q"]),
    (collection.OneColumn(columns={"a": collection.Warner(), "b": collection.Warner()}), "q"),
])  # fmt: skip
def test_what_is_no_randomizer_and_no_question_is_refused(asked, question):
    with pytest.raises(ParameterError, match=r"asked must be a randomizer|question must be a text"):
        collection.Memo().report(asked, "yes", question=question)


@pytest.mark.parametrize("key", [b"short", "text", 5])
def test_a_short_key_is_refused(key):
    with pytest.raises(ParameterError, match="at least 16 random bytes"):
        collection.Memo(key)


def test_a_key_is_not_shown():
    assert KEY.hex() not in repr(collection.Memo(KEY))
    assert str(KEY) not in repr(collection.Memo(KEY))


@pytest.mark.parametrize(("m", "right"), [(1, F(3, 4)), (5, F(459, 512)), (11, F(1012581, 1048576))])
def test_a_majority_of_fresh_answers_gives_the_truth_away(m, right):
    truth = F(3, 4)
    assert sum(comb(m, j) * truth**j * (1 - truth) ** (m - j) for j in range(m // 2 + 1, m + 1)) == right


def test_every_randomizer_is_known_by_its_name():
    assert {"Warner", "KaryResponse", "LocalHashing", "Rappor", "BloomRappor"} <= set(known_randomizers())


def test_what_rappor_promises_for_ever_is_told_of_a_kept_first_stage():
    asked = collection.Rappor(values=("a", "b"), f=0.5, p=0.5, q=0.75)
    assert "Where the first stage is kept, as the form and Memo keep it, all reports of the same" in asked.in_words()
    assert "first stage" not in collection.Warner().in_words()
