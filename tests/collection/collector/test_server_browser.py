"""The form and the estimates in a real browser: what leaves it, what it keeps, and how they are used."""

from __future__ import annotations

import json
import re

import pytest

from sfumato import collection
from support.surveys import TEXT, drawn_reports, posted, served, submission, survey_of

pytestmark = pytest.mark.browser

MANY = [f"district {i}" for i in range(12)]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    file = tmp_path_factory.mktemp("survey") / "survey.toml"
    file.write_text(
        TEXT
        + f'\n[[question]]\nname = "home"\ntext = "Where do you live?"\nvalues = {json.dumps(MANY)}\nepsilon = 1.0\n'
    )
    return collection.read_survey(file)


@pytest.fixture
def running(survey, tmp_path):
    with served(survey, tmp_path / "answers.sqlite") as found:
        yield found


def answer(page, smokes=0, pain=0, home=3):
    page.check(f'[id="smokes:{smokes}"]')
    page.check(f'[id="pain:{pain}"]')
    page.select_option("select", index=home + 1)
    page.click("#send")
    page.wait_for_selector("#thanks", state="visible")


def bodies(page):
    return [json.loads(each.post_data) for each in page.requests if each.method == "POST"]


def everything_sent(page):
    """All that left the browser, as one text."""
    return "\n".join(f"{each.method} {each.url} {each.all_headers()} {each.post_data or ''}" for each in page.requests)


def test_a_submission_leaves_the_browser_as_reports_alone(opened, running, survey):
    collector, address = running
    page = opened(address)
    answer(page)
    assert page.problems == []
    assert all(each.url.startswith(address) for each in page.requests)
    assert [each.method for each in page.requests].count("POST") == 1
    (body,) = bodies(page)
    assert set(body) == {"submission", "reports"}
    assert re.fullmatch("[0-9a-f]{32}", body["submission"])
    assert survey.read_submission(body["reports"]) == body["reports"]
    assert collector.store.submissions() == [body["reports"]]
    assert json.loads(page.inner_text("#left")) == body
    sent = everything_sent(page)
    for question in survey.questions:
        for value in question.answers:
            assert str(value) not in sent
    assert "cookie" not in sent.lower()


SUBMIT = """
async ([smokes, pain, home, n]) => {
  const survey = JSON.parse(document.getElementById("survey").textContent);
  document.getElementById(`smokes:${smokes}`).checked = true;
  document.getElementById(`pain:${pain}`).checked = true;
  document.querySelector("select").selectedIndex = home + 1;
  for (let i = 0; i < n; i += 1) {
    localStorage.clear();
    const form = new Form(survey);
    await send(form.body(form.asked.map(answerTo)));
  }
}
"""


def test_many_submissions_follow_the_law_of_the_randomizers_and_nothing_else(opened, running, survey):
    """Of two answers that are told apart by nothing but reports, each drawn with the probability that is published."""
    collector, address = running
    n, page = 250, opened(address)
    page.evaluate(SUBMIT, [0, 2, 5, n])
    sent = bodies(page)
    assert len({each["submission"] for each in sent}) == n
    assert len({len(each["submission"]) for each in sent}) == 1
    smokes, pain, home = survey.questions
    within(sum(each["reports"]["smokes"] == [0] for each in sent), n, smokes.randomizer.support.mine)
    for bit in range(4):
        p = pain.randomizer.support.mine if bit == 2 else pain.randomizer.support.other
        within(sum(each["reports"]["pain"][bit] for each in sent), n, p)
    for value in (0, 5, 11):
        p = home.randomizer.support.mine if value == 5 else home.randomizer.support.other
        within(sum(value in each["reports"]["home"] for each in sent), n, p)
    text = everything_sent(page)
    for question in survey.questions:
        assert not [value for value in question.answers if str(value) in text]
    assert collector.store.count() == n
    found = survey.estimate(survey.report_frame(collector.store.submissions()))
    assert found["smokes"]["yes, I smoke"].value > 0.5
    assert found["home"]["district 5"].value > 0.5


def within(count, n, p):
    """Within five standard deviations of what is expected."""
    p = float(p)
    assert abs(count - n * p) < 5 * (n * p * (1 - p)) ** 0.5


def test_who_answers_again_reports_the_same(opened, running):
    _, address = running
    page = opened(address)
    for _ in range(3):
        answer(page, smokes=1, pain=2, home=7)
        page.reload()
    first, *others = bodies(page)
    assert len({each["submission"] for each in [first, *others]}) == 3
    assert all(each["reports"] == first["reports"] for each in others)


def test_rappor_keeps_its_permanent_response_and_reports_afresh(opened, tmp_path):
    survey = survey_of(
        {"a": collection.Rappor(list("abcdefgh")), "b": collection.BloomRappor(list("abcdefgh"), cohorts=4)}
    )
    with served(survey, tmp_path / "answers.sqlite") as (collector, address):
        page = opened(address)
        names = [f"sfumato survey {survey.id} question {each.id}" for each in survey.questions]
        seen = []
        for _ in range(6):
            page.check('[id="a:2"]')
            page.check('[id="b:1"]')
            page.click("#send")
            page.wait_for_selector("#thanks", state="visible")
            seen.append(page.evaluate("names => names.map((name) => localStorage.getItem(name))", names))
            page.reload()
        reports = [each["reports"] for each in bodies(page)]
        assert all(each == seen[0] for each in seen)
        assert len({tuple(each["a"]) for each in reports}) > 1
        assert len({each["b"][0] for each in reports}) == 1
        assert collector.store.count() == 6


def test_one_question_is_asked_of_each_and_it_stays_the_same_one(opened, tmp_path):
    survey = survey_of({name: collection.Warner(0.75) for name in "abcd"}, ask="one")
    with served(survey, tmp_path / "answers.sqlite") as (collector, address):
        asked = set()
        for i in range(8):
            page = opened(address)
            shown = page.locator("fieldset:visible")
            assert shown.count() == 1
            mine = shown.get_attribute("id")
            asked.add(mine)
            if i > 1:
                continue
            page.reload()
            assert page.locator("fieldset:visible").get_attribute("id") == mine
            page.locator("fieldset:visible input").first.check()
            page.click("#send")
            page.wait_for_selector("#thanks", state="visible")
            assert [f"asked:{name}" for name in bodies(page)[0]["reports"]] == [mine]
        assert len(asked) > 1
        assert collector.store.count() == 2


def test_numbers_are_asked_for_and_leave_as_reports(opened, tmp_path):
    questions = {"hours": collection.LaplaceNoise(0, 12, 1.0, steps=24), "cups": collection.Duchi(0, 10, 1.0)}
    survey = survey_of(questions)
    with served(survey, tmp_path / "answers.sqlite") as (collector, address):
        page = opened(address, viewport={"width": 320, "height": 700})
        page.click("#send")
        assert page.inner_text("#said") == "Please choose an answer to every question."
        assert page.evaluate("document.activeElement.id") == "hours:number"
        page.keyboard.type("7.3125")
        page.keyboard.press("Tab")
        page.keyboard.type("-31.75")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.keyboard.press("Enter")
        page.wait_for_selector("#thanks", state="visible")
        (body,) = bodies(page)
        assert survey.read_submission(body["reports"]) == body["reports"]
        sent = everything_sent(page)
        assert "7.3125" not in sent
        assert "31.75" not in sent
        page.goto(f"{address}estimates#{collector.token}")
        page.wait_for_selector("table")
        assert page.locator("tbody th").all_inner_texts() == ["mean", "mean"]
        assert "%" not in page.locator("tbody").first.inner_text()
        assert page.problems == []


def test_the_keyboard_alone_suffices(opened, running):
    collector, address = running
    page = opened(address)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "smokes:0":
            break
    page.keyboard.press("ArrowDown")
    assert page.is_checked('[id="smokes:1"]')
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert page.is_checked('[id="pain:1"]')
    page.keyboard.press("Tab")
    page.keyboard.type("district 4")
    assert page.evaluate("document.querySelector('select').selectedIndex") == 5
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "send"
    page.keyboard.press("Enter")
    page.wait_for_selector("#thanks", state="visible")
    assert page.evaluate("document.activeElement.id") == "thanks"
    assert collector.store.count() == 1


def test_what_is_in_focus_is_seen(opened, running):
    page = opened(running[1])
    for _ in range(5):  # the fold, two groups of buttons, a list, and the button that sends
        page.keyboard.press("Tab")
        seen = """() => [document.activeElement, document.activeElement.parentElement].some((each) => {
            const style = getComputedStyle(each);
            return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
        })"""
        assert page.evaluate(seen)


@pytest.mark.parametrize("width", [320, 1000])
def test_nothing_runs_off_the_page(opened, running, width):
    collector, address = running
    page = opened(address, viewport={"width": width, "height": 700})
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(fits)
    small = "[...document.querySelectorAll('label, select, button')].filter((each) => each.offsetHeight < 44).length"
    assert page.evaluate(small) == 0
    answer(page)
    assert page.evaluate(fits)
    page.goto(f"{address}estimates#{collector.token}")
    page.wait_for_selector("table")
    assert page.evaluate(fits)
    assert page.problems == []


def test_a_question_that_is_left_open_is_asked_for_and_nothing_is_sent(opened, running):
    page = opened(running[1])
    page.check('[id="smokes:0"]')
    page.click("#send")
    assert page.inner_text("#said") == "Please choose an answer to every question."
    assert page.evaluate("document.activeElement.id") == "pain:0"
    assert bodies(page) == []


def test_a_browser_that_keeps_nothing_is_told_so(opened, running, browser):
    context = browser.new_context()
    context.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied'); }})")
    page = context.new_page()
    page.requests = []
    page.goto(running[1])
    assert page.is_visible("#forgets")
    answer(page)
    context.close()
    assert running[0].store.count() == 1


def test_a_browser_without_room_is_told_so(opened, running):
    page = opened(running[1])
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }"
    )
    answer(page)
    assert page.is_visible("#forgets")
    assert running[0].store.count() == 1


def test_without_scripts_nothing_can_be_sent(opened, running):
    page = opened(running[1], java_script_enabled=False)
    assert page.is_visible("noscript p")
    assert page.is_disabled("#send")


def test_text_of_the_owner_is_text_on_the_page(opened, tmp_path):
    evil = "</script><script>document.title = 'evil'</script><b>&\"'"
    question = collection.Question("a", evil, collection.Warner(0.75, values=[evil, "no"]))
    survey = collection.Survey(evil, [question], explanation=evil)
    with served(survey, tmp_path / "answers.sqlite") as (collector, address):
        page = opened(address)
        assert page.title() == evil
        assert page.inner_text("legend") == evil
        page.check('[id="a:0"]')
        page.click("#send")
        page.wait_for_selector("#thanks", state="visible")
        page.goto(f"{address}estimates#{collector.token}")
        page.wait_for_selector("table")
        assert page.inner_text("tbody th >> nth=0") == evil
        assert page.problems == []


# -- estimates ---------------------------------------------------------------------------------------------------------
def test_the_estimates_come_in_by_themselves(opened, running, survey):
    collector, address = running
    page = opened(f"{address}estimates#{collector.token}")
    page.get_by_text("No answers yet.").wait_for()
    for _ in range(30):
        assert posted(address, submission(drawn_reports(survey)))[0] == 200
    page.get_by_text("30 respondents so far.").wait_for(timeout=8000)
    assert page.locator("table").count() == 3
    found = survey.estimate(survey.report_frame(collector.store.submissions()))["smokes"]["yes, I smoke"]
    cells = page.locator("tbody tr").first.locator("td").all_inner_texts()
    assert cells[:2] == [f"{100 * found.value:.1f}%", f"{100 * found.low:.1f}% to {100 * found.high:.1f}%"]
    assert page.problems == []
    assert not [each.url for each in page.requests if collector.token in each.url.partition("#")[0]]


def test_the_estimates_need_the_token(opened, running):
    page = opened(f"{running[1]}estimates#wrong")
    page.get_by_text("the estimates are the owner's").wait_for()
    assert page.locator("table").count() == 0
