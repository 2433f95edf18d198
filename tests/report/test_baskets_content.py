"""The report on published baskets: its promise, its charts, and nothing of the owner's."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.report.baskets_content import gather_baskets
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


def said_by(release):
    content = gather_baskets(release, release.verdict, sf.measure(release))
    return " ".join([*content.limits, *(each.words for each in content.promises)]), dict(content.legend)


def test_the_report_says_how_many_baskets_can_be_read(folder):
    six = sf.Baskets.from_lists([list(word) for word in ("abc", "ab", "ab", "x", "xy", "xyz")])
    words, legend = said_by(sf.publish(six, sf.Grouped(), sf.KAnonymity(3), seed=1))
    assert "of 6 baskets 4 can be read for certain by whoever knows the method, 0 by anybody" in words
    assert "threshold" not in legend
    assert "thresholds" not in words
    words, _ = said_by(sf.publish(six, sf.Nonreciprocal(), sf.KAnonymity(3), seed=1))
    assert "can be read from single records alone for certain by whoever knows the method" in words
    assert "whoever puts them together can read baskets" in words
    words, _ = said_by(sf.publish(six, sf.Apriori(), sf.KMAnonymity(2, 2), seed=1))
    assert "for certain" not in words


def test_a_threshold_of_an_earlier_version_is_told():
    release = sf.load_release(Path(__file__).parents[1] / "releases_version_1" / "grouped-k")
    words, legend = said_by(release)
    assert "The thresholds, which newer releases do not have" in words
    assert legend["threshold"].startswith("In how many of the marked items")


def test_a_share_of_labels_is_not_said_to_be_one_of_all_worlds(folder):
    goods = sf.read_baskets("goods.csv", record="customer", item="good", label="why")
    for method in (sf.Nonreciprocal(), sf.Grouped(), sf.CAHD()):
        words, _ = said_by(sf.publish(goods, method, sf.LDiversity(3), seed=1))
        assert "no label makes up more than 1 in 3. Over all ways in which records could be assigned" in words
        assert "known with more certainty" not in words
