"""The panel of attacks: in the owner's report where it was asked for, and nowhere else."""

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import ReleaseError
from sfumato.report.threats_content import threats_shown
from support.report_pages import Page


def test_the_owners_report_tells_what_attacks_achieved(tmp_path):
    release = sf.publish(hospital(120), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    release.save(tmp_path / "out", attack=True)
    owner = Page((tmp_path / "owner/out/report.html").read_text(encoding="utf-8")).words
    public = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    part = threats_shown(sf.threats(release, seed=release.owner.seed.hex()))
    assert [each.name for each in part.threats] == ["singling out", "linkability", "inference"]
    for each in part.threats:
        assert each.shown in owner
        assert each.between in owner
        assert each.without in owner
        assert each.sentence in owner
    assert "What attacks achieved" not in public
    assert threats_shown(None) is None


def test_attacks_are_refused_where_no_report_would_tell_of_them(tmp_path):
    release = sf.publish(hospital(60), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    with pytest.raises(ReleaseError, match="none is written here; leave attack out"):
        release.save(tmp_path / "out", attack=True, report=False)
    graph = sf.publish(sf.Graph.from_edges([0, 1, 2], [1, 2, 3]), sf.EdgePerturbation(0.1), seed=1)
    with pytest.raises(ReleaseError, match="reports on tables; leave attack out"):
        graph.save(tmp_path / "graph", attack=True)
    assert not list(tmp_path.iterdir())
