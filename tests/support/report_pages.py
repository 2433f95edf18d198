"""Pages of a report: rendered for somebody, and parsed."""

from __future__ import annotations

import datetime as dt
from html.parser import HTMLParser

import numpy as np
import polars as pl

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.release.release import Release
from sfumato.report.rendering import render
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.verbs.measure import measure
from sfumato.verbs.publish import publish


class Page(HTMLParser):
    """Tags with their attributes, text by tag, and whether every tag is closed."""

    VOID = frozenset({"meta", "br", "link", "img", "input", "hr", "path", "line", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    @property
    def words(self) -> str:
        visible = [" ".join(texts) for tag, texts in self.texts.items() if tag != "style"]
        return " ".join(" ".join(visible).split())


def report_page(release: Release, original: Table | None, audience="public", measures=None, verdict=None) -> str:
    measures = measure(release, original) if measures is None else measures
    verdict = release.verdict if verdict is None else verdict
    return render(release, verdict, measures, audience=audience, original=original)


def made_up_people(n: int = 300, *, seed: int = 3) -> Table:
    random = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "name": [f"Zebediah{i:04}" for i in range(n)],
            "age": random.integers(20, 80, n),
            "town": random.choice(["Rome", "Oslo", "Lima", "Pune"], n),
            "born": [dt.date(1950, 1, 1) + dt.timedelta(days=int(day)) for day in random.integers(0, 9000, n)],
            "wage": random.normal(30_000, 8_000, n).round(2),
            "illness": random.choice(["flu", "gout", "mumps"], n),
            "shoe": random.integers(30, 50, n),
        }
    )
    schema = Schema(identifier=["name"], quasi=["age", "town", "born", "wage"], sensitive=["illness"])
    return Table(frame, schema)


def both_pages(table: Table, method=None, promise=None) -> tuple[str, str]:
    release = publish(table, method or Mondrian(), KAnonymity(5) if promise is None else promise, seed=1)
    measures = measure(release, table)
    pages = tuple(report_page(release, table, audience, measures=measures) for audience in ("public", "owner"))
    for page in pages:
        Page(page)
        assert len(page.encode()) < 500_000
    return pages  # type: ignore[return-value]
