import stat

import polars as pl
import pytest

import sfumato as sf
from sfumato.data.bounds import add_bounds
from sfumato.datasets import hospital
from sfumato.ground.errors import ParameterError


@pytest.fixture(scope="module")
def release():
    return sf.publish(hospital(80), sf.Mondrian(), sf.KAnonymity(5), seed=1)


def test_bounds_are_numbers_beside_the_text(release):
    plain, bounded = release.to_polars(), release.to_polars(bounds=True)
    assert plain.equals(release.data.frame)
    assert bounded.equals(add_bounds(release.data.frame, release.forms, release.schema)[0])
    assert bounded["age_low"].dtype == pl.Int64
    assert release.to_pandas(bounds=True)["age_high"].max() <= 105
    assert list(release.to_pandas().columns) == plain.columns


def test_a_release_has_a_length_and_is_never_false(release):
    assert len(release) == 80
    assert release


def test_sets_and_graphs_have_no_bounds():
    baskets = sf.Baskets.from_lists([["a", "b"], ["a"], ["b", "c"], ["a", "c"]] * 5)
    made = sf.publish(baskets, sf.Nonreciprocal(), sf.KAnonymity(2), seed=1)
    assert made.to_polars(bounds=True).height == 20
    graph = sf.publish(sf.Graph.from_edges([0, 1], [1, 2]), sf.Relabelling(), seed=1)
    assert graph.to_polars(bounds=True).height == 2
    for each in (made, graph):
        assert "<html" in each.report().html
        assert each._repr_html_().startswith("<div")


def test_the_report_is_the_readers_copy_unless_the_owner_asks(release, tmp_path):
    report = release.report()
    names = hospital(80).frame["name"].to_list()
    assert not report.owner
    assert not any(name in report.html for name in names)
    assert "srcdoc=" in report._repr_html_()
    assert report.save(tmp_path / "report.html").read_text(encoding="utf-8") == report.html
    owners = release.report(owner=True)
    assert len(owners.html) > len(report.html)
    assert stat.S_IMODE(owners.save(tmp_path / "owners.html").stat().st_mode) == 0o600
    with pytest.raises(sf.errors.ParameterError, match=r"ends in \.html"):
        report.save(tmp_path / "report.pdf")
    with pytest.raises(sf.errors.ReleaseError, match="could not write"):
        report.save(tmp_path / "nowhere" / "report.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["owners.html", "report.html"]


def test_the_head_of_a_report_is_as_save_writes_it(release, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1735603200")
    about = {"purpose": "Research on stays", "contact": "board@example.org"}
    for page in (release.report(title="Stays of 2024", about=about), release.report(owner=True, title="Stays of 2024")):
        assert "Stays of 2024" in page.html
        assert "31 December 2024" in page.html
    assert "Research on stays" in release.report(about=about).html
    assert "31 December 2024" in release.report().html
    assert "1 May 2023" in release.report(about={"date": "2023-05-01"}).html
    with pytest.raises(ParameterError, match=r"about has no key 'titel'; did you mean 'title'\?"):
        release.report(about={"titel": "x"})
    with pytest.raises(ParameterError, match=r"about.title must be a text, got 5"):
        release.report(title=5)
    with pytest.raises(ParameterError, match=r"report has no parameter 'titel'; did you mean 'title'\?"):
        release.report(titel="x")


def test_a_loaded_release_is_verified_for_its_report(release, tmp_path):
    loaded = sf.load_release(release.save(tmp_path / "out", report=False))
    assert "<html" in loaded.report().html
    with pytest.raises(sf.errors.ParameterError, match="shows the original, which is not here"):
        loaded.report(owner=True)


def test_a_card_tells_promise_verdict_loss_rows_and_method(release):
    card = release._repr_html_()
    for said in ("5-anonymity", "holds", "80 rows", "Mondrian", "lost"):
        assert said in card
