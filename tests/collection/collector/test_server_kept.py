"""What the form keeps in a browser, and what it sends when it is asked to send again."""

from __future__ import annotations

import json
import re

import pytest

from sfumato import collection
from support.surveys import served, survey_of

pytestmark = pytest.mark.browser

SURVEY = survey_of(
    {
        "smokes": collection.Warner(0.75),
        "pain": collection.OptimalUnaryEncoding(list("abcd"), 1.0),
        "town": collection.best_response(1.0, [f"town {i}" for i in range(600)]),
        "hours": collection.LaplaceNoise(0, 12, 1.0),
    }
)


@pytest.fixture
def running(tmp_path):
    with served(SURVEY, tmp_path / "answers.sqlite") as found:
        yield found


def fill(page, smokes=0, pain=1, town=3, hours=7):
    page.check(f'[id="smokes:{smokes}"]')
    page.check(f'[id="pain:{pain}"]')
    page.select_option("select", index=town + 1)
    page.fill('[id="hours:number"]', str(hours))


def sent(page):
    page.click("#send")
    page.wait_for_selector("#thanks", state="visible")


def bodies(page):
    return [json.loads(each.post_data) for each in page.requests if each.method == "POST"]


def test_what_is_kept_is_a_secret_for_each_question_whatever_was_answered(opened, running):
    """From the same random bytes two people with other answers keep the same, in questions of any size."""
    kept = []
    for given in ({}, {"smokes": 1, "pain": 3, "town": 599, "hours": 2}):
        page = opened(running[1])
        page.evaluate(
            "() => { let n = 0; crypto.getRandomValues = (given) => given.map(() => { n += 1; return n; }); }"
        )
        fill(page, **given)
        sent(page)
        kept.append(page.evaluate("Object.fromEntries(Object.entries(localStorage))"))
    names = {f"sfumato survey {SURVEY.id} question {each.id}" for each in SURVEY.questions}
    assert set(kept[0]) == {"sfumato", *names}
    assert all(re.fullmatch("[0-9a-f]{64}", kept[0][name]) for name in names)
    assert kept[0] == kept[1]


def test_who_answers_again_reports_the_same_and_who_changes_does_not_change_the_rest(opened, running):
    page = opened(running[1])
    for given in ({}, {}, {"town": 400}, {}):
        fill(page, **given)
        sent(page)
        page.reload()
    first, second, other, last = (each["reports"] for each in bodies(page))
    assert first == second == last
    assert {name for name in first if first[name] != other[name]} == {"town"}


def test_two_surveys_with_the_same_question_do_not_show_who_answered_both(opened, tmp_path):
    """In one browser: what is drawn for the one does not follow from the other."""
    asked = collection.LocalHashing(list(range(20)), 1.0)
    surveys = [survey_of({"a": asked}), survey_of({"a": asked, "b": collection.Warner(0.75)})]
    with served(surveys[0], tmp_path / "answers.sqlite") as (_, address):
        page = opened(address)
        draw = "(survey) => rememberedReport(survey, survey.questions[0], 3, new Draws(), localStorage)"
        one, other, again = (page.evaluate(draw, each.shipped()) for each in (*surveys, surveys[0]))
    assert one == again
    assert one[:3] != other[:3]


def test_what_could_not_be_sent_is_sent_again_as_it_was(opened, running):
    collector, address = running
    page = opened(address)
    page.route("**/answers", lambda route: route.abort())
    fill(page)
    page.click("#send")
    page.get_by_text("Not sent: the survey does not answer").wait_for()
    page.unroute("**/answers")
    page.click("#send")
    page.wait_for_selector("#thanks", state="visible")
    first, second = bodies(page)
    assert first == second
    assert collector.store.count() == 1


def test_an_error_in_words_of_its_own_is_survived(opened, running):
    """What stands between the browser and the survey may answer with a page."""
    page = opened(running[1])
    page.route("**/answers", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    fill(page)
    page.click("#send")
    page.get_by_text("Not sent: the survey answers with error 502.").wait_for()
    page.unroute("**/answers")
    page.click("#send")
    page.wait_for_selector("#thanks", state="visible")


def test_what_may_have_arrived_is_sent_again_as_it_was_and_cannot_be_changed(opened, running):
    """The first attempt is kept and its acknowledgement lost: the page shows what is kept."""
    collector, address = running
    page = opened(address)

    def lose(route):
        route.fetch()
        route.abort()

    page.route("**/answers", lose)
    fill(page, smokes=0, town=3)
    page.click("#send")
    page.get_by_text("Press the button again: the same is sent, and counted once.").wait_for()
    assert collector.store.count() == 1
    page.unroute("**/answers")
    assert page.locator("fieldset:disabled").count() == 4
    page.evaluate("() => { document.querySelector('select').selectedIndex = 500; }")
    sent(page)
    assert collector.store.submissions() == [json.loads(page.inner_text("#left"))["reports"]]


@pytest.mark.parametrize(
    "name", ["remove", "addEventListener", "submit", "elements", "hidden", "form", "send", "survey"]
)
def test_a_question_may_have_the_name_of_anything(opened, tmp_path, name):
    survey = survey_of({name: collection.Warner(0.75), "town": collection.KaryResponse(list(range(20)), 1.0)})
    with served(survey, tmp_path / "answers.sqlite") as (collector, address):
        page = opened(address)
        page.check(f'[id="{name}:0"]')
        page.select_option("select", index=2)
        sent(page)
        assert page.problems == []
        assert page.url == address
        assert collector.store.count() == 1


def test_the_browser_itself_never_sends_the_form(opened, running):
    """Even where nothing of the script is left to stop it; and no field would carry an answer."""
    page = opened(running[1])
    fill(page)
    data = "[...new FormData(document.getElementById('form'))]"
    assert page.evaluate(data) == [["q-0", "on"], ["q-1", "on"]]
    before = len(page.requests)
    page.evaluate("() => { document.getElementById('form').submit(); }")
    page.wait_for_timeout(200)
    assert page.url == running[1]
    assert len(page.requests) == before
