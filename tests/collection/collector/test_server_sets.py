"""Sets of items in the form: ticked in a real browser, randomized there, and sent as reports alone."""

from __future__ import annotations

import json
import re

import pytest

from sfumato import collection
from support.surveys import drawn_reports, posted, served, submission, survey_of

pytestmark = pytest.mark.browser

ITEMS = ["asthma", "diabetes", "gout", "migraine", "something <b>else</b> & more"]
SURVEY = survey_of(
    {
        "has": collection.CutAndPaste(ITEMS, sizes=[3], cutoff=4, rho=0.2, padded=True),
        "had": collection.SelectASize(ITEMS, keep=[[0.4, 0.6], [0.2, 0.3, 0.5]], rho=0.25),
    }
)


@pytest.fixture
def running(tmp_path):
    with served(SURVEY, tmp_path / "answers.sqlite") as found:
        yield found


def tick(page, name, places):
    for i in range(len(ITEMS)):
        page.set_checked(f'[id="{name}:{i}"]', i in places)


def sent(page, has, had):
    tick(page, "has", has)
    tick(page, "had", had)
    page.click("#send")
    page.wait_for_selector("#thanks", state="visible")


def bodies(page):
    return [json.loads(each.post_data) for each in page.requests if each.method == "POST"]


def test_sets_leave_the_browser_as_reports_alone(opened, running):
    collector, address = running
    page = opened(address)
    sent(page, {0, 2}, {3})
    (body,) = bodies(page)
    assert SURVEY.read_submission(body["reports"]) == body["reports"]
    assert collector.store.submissions() == [body["reports"]]
    assert [len(body["reports"][name]) for name in ("has", "had")] == [5, 6]
    assert body["reports"]["had"][0] == 1
    everything = "\n".join(f"{each.url} {each.all_headers()} {each.post_data or ''}" for each in page.requests)
    assert not [item for item in ITEMS if item in everything]
    assert page.problems == []


def test_the_same_set_reports_the_same_in_whatever_order_it_is_ticked(opened, running):
    page = opened(running[1])
    for order in ([0, 2, 3], [3, 0, 2], [2, 3, 0]):
        for i in order:
            page.check(f'[id="has:{i}"]')
        page.check('[id="had:1"]')
        page.click("#send")
        page.wait_for_selector("#thanks", state="visible")
        page.reload()
    assert len({json.dumps(each["reports"]) for each in bodies(page)}) == 1


def test_what_is_kept_is_the_same_whatever_is_ticked(opened, running):
    kept = []
    for has, had in ((set(), {0}), ({0, 1, 4}, {2, 3})):
        page = opened(running[1])
        page.evaluate(
            "() => { let n = 0; crypto.getRandomValues = (given) => given.map(() => { n += 1; return n; }); }"
        )
        sent(page, has, had)
        kept.append(page.evaluate("Object.fromEntries(Object.entries(localStorage))"))
    names = {f"sfumato survey {SURVEY.id} question {each.id}" for each in SURVEY.questions}
    assert set(kept[0]) == {"sfumato", *names}
    assert all(re.fullmatch("[0-9a-f]{64}", kept[0][name]) for name in names)
    assert kept[0] == kept[1]


SUBMIT = """
([has, had, n]) => {
  const survey = JSON.parse(document.getElementById("survey").textContent);
  const reports = [];
  for (let i = 0; i < n; i += 1) {
    localStorage.clear();
    const form = new Form(survey);
    reports.push(JSON.parse(form.body([has, had])).reports);
  }
  return reports;
}
"""


def test_reports_of_a_browser_follow_the_law_of_the_randomizers(opened, running):
    """How often each item is shown, of sets that are the same every time."""
    n, has, had = 1500, [1, 0, 0, 1, 0], [0, 1, 0, 0, 1]
    reports = opened(running[1]).evaluate(SUBMIT, [has, had, n])
    cut, select = (question.randomizer for question in SURVEY.questions)
    for i in range(5):
        stays = sum(j * p for j, p in enumerate(cut.law(3))) / 3 if has[i] else cut.chance
        within(sum(each["has"][i] for each in reports), n, stays)
        stays = sum(j * p for j, p in enumerate(select.law(2))) / 2 if had[i] else select.chance
        within(sum(each["had"][i + 1] for each in reports), n, stays)
    found = SURVEY.estimate(SURVEY.report_frame(reports))
    support = found["had"].support([ITEMS[1], ITEMS[4]])
    assert abs(support.value - 1) < 5 * support.spread


def within(count, n, p):
    """Within five standard deviations of what is expected."""
    p = float(p)
    assert abs(count - n * p) < 5 * (n * p * (1 - p)) ** 0.5


@pytest.mark.parametrize(
    ("has", "had", "said", "focus"),
    [
        ({0, 1, 2, 3}, {0}, "You ticked 4 at “What about has?”. Tick up to 3, and none if you have none.", "has:0"),
        (set(), set(), "You ticked 0 at “What about had?”. Tick 1 or 2.", "had:0"),
        ({1}, {0, 1, 2}, "You ticked 3 at “What about had?”. Tick 1 or 2.", "had:0"),
    ],
)
def test_sets_of_another_size_are_not_sent(opened, running, has, had, said, focus):
    page = opened(running[1])
    tick(page, "has", has)
    tick(page, "had", had)
    page.click("#send")
    assert page.inner_text("#said") == said
    assert page.evaluate("document.activeElement.id") == focus
    assert bodies(page) == []
    sent(page, set(), {1, 2})
    assert running[0].store.count() == 1


def test_the_keyboard_alone_suffices_and_a_phone_is_wide_enough(opened, running):
    page = opened(running[1], viewport={"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    small = "[...document.querySelectorAll('label, button')].filter((each) => each.offsetHeight < 44).length"
    assert page.evaluate(small) == 0
    page.focus('[id="has:0"]')
    for i in range(5):
        assert page.evaluate("document.activeElement.id") == f"has:{i}"
        if i in (1, 3):
            page.keyboard.press("Space")
        page.keyboard.press("Tab")
    assert [page.is_checked(f'[id="has:{i}"]') for i in range(5)] == [False, True, False, True, False]
    page.keyboard.press("Space")
    assert page.is_checked('[id="had:0"]')
    page.keyboard.press("Enter")
    page.wait_for_selector("#thanks", state="visible")
    assert running[0].store.count() == 1


def test_what_is_to_be_ticked_is_told_to_who_does_not_see(opened, running):
    page = opened(running[1])
    group = page.get_by_role("group", name="What about has?")
    described = group.get_attribute("aria-describedby").split()
    assert page.locator(f'[id="{described[0]}"]').inner_text().startswith("Tick up to 3")
    assert "How many items you have is not told." in page.locator(f'[id="{described[1]}"]').inner_text()
    assert page.get_by_role("checkbox", name="something <b>else</b> & more").count() == 2


def test_the_estimates_show_each_item(opened, running):
    collector, address = running
    for _ in range(20):
        assert posted(address, submission(drawn_reports(SURVEY)))[0] == 200
    page = opened(f"{address}estimates#{collector.token}")
    page.wait_for_selector("table")
    assert page.locator("table").first.locator("tbody th").all_inner_texts() == ITEMS
    assert page.locator("thead th").first.inner_text() == "item"
    found = SURVEY.estimate(SURVEY.report_frame(collector.store.submissions()))["has"].support(["asthma"])
    cells = page.locator("tbody tr").first.locator("td").all_inner_texts()
    assert cells[:2] == [f"{100 * found.value:.1f}%", f"{100 * found.low:.1f}% to {100 * found.high:.1f}%"]
    assert page.problems == []
