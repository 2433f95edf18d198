"""The report in a real browser: nothing is fetched, nothing fails, nothing runs off the page."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.datasets import hospital

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    sf.publish(hospital(400), sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(2), seed=1).save(folder / "out")
    return folder


@pytest.mark.parametrize("page_of", ["out/report.html", "owner/out/report.html"])
@pytest.mark.parametrize("width", [390, 800, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_stands_alone(browser, saved, page_of, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    requests, problems = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((saved / page_of).as_uri())
    assert requests == [(saved / page_of).as_uri()]
    assert problems == []
    assert page.locator("svg").count() >= 2
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    inside = "[...document.querySelectorAll('.scroll')].every(card => card.scrollWidth <= card.clientWidth + 1)"
    assert page.evaluate(inside)
    assert "10-" not in page.title()
    assert page.locator("h1").count() == 1
    page.close()


@pytest.mark.parametrize("page_of", ["out/report.html", "owner/out/report.html"])
def test_in_print_no_heading_stands_apart_from_what_it_heads(browser, saved, page_of):
    """What is folded is open, and headings, keys and notes under them keep with what comes after."""
    page = browser.new_page()
    page.goto((saved / page_of).as_uri())
    page.emulate_media(media="print")
    kept = "[...document.querySelectorAll('h2, h3, h2 + .note, .keys')].every(e => getComputedStyle(e).breakAfter == 'avoid')"
    whole = "[...document.querySelectorAll('figure, tr, .tiles, li')].every(e => getComputedStyle(e).breakInside == 'avoid')"
    assert page.evaluate(kept)
    assert page.evaluate(whole)
    assert page.locator("details table").is_visible()
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    page.close()
