"""Pages for the owner that belong to no release: their templates, in the style sheet of the reports."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from sfumato.data.inspecting_questions import percent
from sfumato.report.charts import PALETTE
from sfumato.report.wording import capital

__all__ = ["page_template", "style_sheet"]


def page_template(name: str) -> Any:
    """The template of that name in this folder; what is put into it is text, unless it is Markup."""
    return _environment().get_template(f"{name}.html.jinja")


@cache
def style_sheet() -> Any:
    """The style sheet of the reports, so that pages look alike."""
    from markupsafe import Markup

    environment = _environment()
    source = environment.loader.get_source(environment, "base.html.jinja")[0]
    sheet = re.search(r"<style>\n(.*?)</style>", source, re.DOTALL)
    assert sheet is not None, "base.html.jinja has no style sheet"
    return Markup(environment.from_string(sheet[1]).render(palette=PALETTE))


@cache
def _environment() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("sfumato.report", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["thousands"] = lambda number: f"{number:,.0f}"
    environment.filters["percent"] = percent
    environment.filters["sentence"] = lambda text: capital(text) + ("" if text.endswith((".", "?", "!")) else ".")
    return environment
