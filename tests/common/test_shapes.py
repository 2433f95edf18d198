"""Every shape keeps the rules of the house. Whoever adds one adds nothing here: a method that publishes it shows it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import polars as pl
import pytest

import sfumato as sf
from sfumato.published.shape import shape_of
from support.house import METHODS, SHAPES, published, said_of


@cache
def releases():
    """Of every shape, the releases of the house that have it."""
    found = {name: [] for name in SHAPES}
    for method in METHODS:
        release, data = published(method)
        found[type(shape_of(release)).__name__].append((release, data))
    mixed = next(data for release, data in found["ClassesShape"])
    for show in ("permutation", "condensed"):  # ways of showing that methods have besides their own
        release = sf.publish(mixed, sf.Mondrian(show=show), sf.LDiversity(2), seed=3)
        found[type(shape_of(release)).__name__].append((release, mixed))
    smokes = sf.collection.Question("smokes", "Do you smoke?", sf.collection.Warner(0.75))
    survey = sf.collection.Survey("Health", [smokes])
    reports = survey.randomize(pl.DataFrame({"smokes": ["yes", "no"] * 20}), seed=3)
    found["ReportsShape"].append((sf.publish_reports(survey, reports), None))  # no method makes it: nobody has answers
    return found


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_it_is_published_and_describes_itself(name):
    shape = SHAPES[name]
    assert releases()[name]
    assert shape.__doc__
    assert shape.name
    assert shape.called
    assert shape.unit


def questions(release):
    columns = release.data.frame.columns
    yield "SELECT COUNT(*) FROM release"
    if isinstance(release.data, sf.Table):
        yield f'SELECT COUNT(*) FROM release WHERE "{columns[0]}" IS NOT NULL'


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_every_verb_of_a_reader_answers_or_says_why_not(name):
    for release, _ in releases()[name]:
        for sql in questions(release):
            found = []
            said_of(lambda r=release, q=sql, f=found: f.append(sf.ask(r, q)), sql)
            assert all(answer.low <= answer.high for answer in found)
        said_of(lambda r=release: len(sf.estimate(r, repeats=0)), name)
        assert said_of(lambda r=release: sf.ask(r, "DROP TABLE release"), name)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_its_figures_describe_themselves_and_readers_find_what_owners_say(name):
    """What anybody works out from the release alone is what the owner published of it."""
    for release, data in releases()[name]:
        whole, alone = sf.measure(release, data), sf.measure(replace(release, owner=None))
        assert all(figure.meaning and figure.label for figure in whole.figures)
        assert set(whole.public) <= set(whole)
        both = set(whole.public) & set(alone.public)
        assert {key: alone[key] for key in both} == pytest.approx({key: whole[key] for key in both}, nan_ok=True)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_a_report_is_written_for_it(name, tmp_path):
    release, _ = releases()[name][0]
    release.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<html" in page
    assert release.owner is None or release.owner.seed.hex() not in page
