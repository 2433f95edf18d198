"""A page in a browser that knows nothing, for the tests of the form."""

from __future__ import annotations

import pytest


@pytest.fixture
def opened(browser):
    """Open a page in a browser that knows nothing; requests and problems are noted on it."""
    contexts = []

    def open_page(address, **options):
        context = browser.new_context(**{"viewport": {"width": 1000, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.requests, page.problems = [], []
        page.on("request", lambda request: page.requests.append(request))
        page.on("console", lambda message: page.problems.append(message.text))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
