"""What the owner says of a release: checked in sentences, shown as written, and dated."""

from __future__ import annotations

import datetime as dt
import json

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import ParameterError
from sfumato.report.identity import NOBODY, identity_of, today
from support.report_pages import Page

ABOUT = {
    "title": "Stays <b>of</b> 2024", "data": "Admissions", "purpose": "Research", "contact": "a@example.org",
    "recipient": "Anybody", "date": dt.date(2025, 3, 1),
    "decided": [{"what": "k = 5", "who": "the board", "why": "the data are open"}, {"what": "no names"}],
}  # fmt: skip


def test_what_is_said_is_read_back_as_it_was_written():
    said = identity_of(ABOUT)
    assert said.to_dict() == {**ABOUT, "date": "2025-03-01"}
    assert identity_of(said.to_dict()) == said
    assert said.date_in_words == "1 March 2025"
    assert identity_of(ABOUT, title="Another").title == "Another"
    assert identity_of() == NOBODY
    assert not NOBODY.to_dict()


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"purpos": "x"}, r"about has no key 'purpos'; did you mean 'purpose'\?"),
        ({"title": ""}, "about.title must be a text, got ''; leave it out where there is none"),
        ({"title": "x" * 201}, "about.title takes at most 200 characters, got 201; shorten it"),
        ({"date": dt.datetime(2024, 1, 1, 5)}, "about.date must be a date such as 2024-12-31"),
        ({"date": "31.12.2024"}, "about.date must be a date such as 2024-12-31, got '31.12.2024'"),
        ({"decided": ["k = 5"]}, "about.decided must list what was decided"),
        ({"decided": [{"what": "k", "when": "now"}]}, r"about.decided\[1\] has no key 'when'"),
        ({"decided": [{"what": "k"}] * 101}, "about.decided takes at most 100 decisions, got 101"),
        ("a title", "about must be a table such as"),
    ],
)
def test_mistakes_get_a_sentence(about, message):
    with pytest.raises(ParameterError, match=message):
        identity_of(about)


def test_the_date_is_that_of_today_unless_it_is_given_or_fixed(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert today() == dt.date(2023, 11, 14)
    assert NOBODY.dated().date == dt.date(2023, 11, 14)
    assert identity_of(ABOUT).dated().date == dt.date(2025, 3, 1)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(ParameterError, match="SOURCE_DATE_EPOCH must be a number of seconds since 1970, got 'soon'"):
        today()
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert abs((today() - dt.datetime.now(tz=dt.UTC).date()).days) <= 1


def test_both_reports_and_the_certificate_say_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    release = sf.publish(hospital(60), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    release.save(tmp_path / "out", about=ABOUT)
    for folder in ("out", "owner/out"):
        page = (tmp_path / folder / "report.html").read_text(encoding="utf-8")
        words = Page(page).words
        for text in ("Stays <b>of</b> 2024", "1 March 2025", "Admissions", "Research", "a@example.org", "Anybody",
                     "k = 5", "the board", "The data are open.", "no names"):  # fmt: skip
            assert text in words, text
        assert "<b>of</b>" not in page
        assert "<title>Privacy report: Stays" in page or "<title>Owner’s report: Stays" in page
    certificate = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert certificate["about"] == identity_of(ABOUT).to_dict()
    release.save(tmp_path / "bare")
    assert "14 November 2023" in (tmp_path / "bare" / "report.html").read_text(encoding="utf-8")
    assert sf.verify(sf.load_release(tmp_path / "bare")).holds
    again = release.save(tmp_path / "again")
    assert (again / "report.html").read_bytes() == (tmp_path / "bare" / "report.html").read_bytes()
    release.save(tmp_path / "none", report=False)
    assert "about" not in json.loads((tmp_path / "none" / "release.json").read_text(encoding="utf-8"))
