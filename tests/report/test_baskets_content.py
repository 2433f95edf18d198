"""The report on published baskets: its promise, its charts, and nothing of the owner's."""

from html.parser import HTMLParser

import pytest

import sfumato as sf
from sfumato.cli import run
from support.goods import LONG, write_goods


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_goods(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Text(HTMLParser):
    def __init__(self):
        super().__init__()
        self.said = []

    def handle_data(self, data):
        self.said.append(data.strip())


def test_the_report(folder, capsys):
    assert run(["publish", "goods.csv", *LONG, "--l", "3", "-o", "out", "--seed", "99887766"]) == 0
    public, owners = ((folder / part / "report.html").read_text() for part in ("out", "owner/out"))
    for page in (public, owners):
        parsed = Text()
        parsed.feed(page)
        words = " ".join(parsed.said)
        assert "This release keeps its promise of 3-diversity." in words
        assert "no label makes up more than 1 in 3" in words
        assert page.count("<svg") == (3 if page is public else 4)
        assert "built-in method" not in page
        assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "99887766" not in public
    assert "Error rate" in owners
    assert "Error rate" not in public
    assert "For the owner only" not in public


def test_the_report_of_a_release_without_marks(folder):
    release = sf.publish(sf.read_baskets("goods.dat"), sf.Nonreciprocal(), sf.KAnonymity(1), seed=1)
    page = (release.save(folder / "plain") / "report.html").read_text()
    assert "Items may be withheld" in page
    assert "Marked items of a record" not in page
