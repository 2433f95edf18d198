"""Condensed releases: decided on the owner's groups and the original, saved and loaded."""

from dataclasses import replace

import pytest

import sfumato as sf
from sfumato.ground.errors import ReleaseError
from support.condensed_tables import stays
from support.house import published


def test_promises_on_sensitive_values_are_about_groups():
    table = stays(300)
    release = sf.publish(table, sf.Hilbert(show="condensed"), sf.KAnonymity(5) & sf.LDiversity(3), seed=1)
    assert release.verdict.holds
    assert "least diverse group" in release.verdict.found[1]
    stricter = sf.verify(release, table, promise=sf.KAnonymity(200))
    assert not stricter.holds
    assert "smallest group" in stricter.broken[0]
    assert not sf.verify(release, table, promise=sf.LDiversity(290)).holds


def test_without_the_original_or_the_groups_nothing_is_decided():
    table = stays(100)
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(5), seed=1)
    for verdict in (sf.verify(release), sf.verify(replace(release, owner=None), table)):
        assert not verdict.holds
        assert verdict.undecided == ("KAnonymity(k=5)",)
        assert verdict.said == "is NOT decided"


@pytest.mark.parametrize(("format", "alpha"), [("parquet", 1.5), ("csv", 1.0), ("arrow", 1.5)])
def test_saved_and_loaded(tmp_path, format, alpha):
    table = stays(100)
    release = sf.publish(table, sf.Condensation(alpha=alpha), sf.KAnonymity(5), seed=1)
    loaded = sf.load_release(release.save(tmp_path / "out", format=format))
    assert loaded.data.frame.equals(release.data.frame)
    assert loaded.verdict.holds
    assert sf.verify(loaded, table).holds
    assert set(loaded.measures) == {"drawn_rows", "linkage_bound", "linkage_chance"}
    assert "record" not in str(loaded.files)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "rows drawn from the statistics of groups" in page
    assert "picks the row that shows the person" in page
    assert (tmp_path / "owner" / "out" / "report.html").is_file()
    (tmp_path / "owner" / "out").rename(tmp_path / "away")
    assert sf.verify(sf.load_release(tmp_path / "out"), table).undecided
    with pytest.raises(ReleaseError, match="cannot be decided without the original"):
        sf.load_release(tmp_path / "out").save(tmp_path / "again")


@pytest.mark.parametrize("told", [None, 7, [], {}, "x", {"alpha": "1", "noise": 0, "keep_means": False},
                                  {"alpha": 1, "noise": -1, "keep_means": False}, {"alpha": 1, "noise": 0}])  # fmt: skip
def test_how_rows_were_drawn_is_told(told):
    release = sf.publish(published("Condensation")[1], sf.Condensation(), sf.KAnonymity(5), seed=1)
    verdict = sf.verify(replace(release, public={**release.public, "condensed": told}, owner=None))
    assert verdict.word == "broken"
    assert "how its rows were drawn" in verdict.broken[0]
