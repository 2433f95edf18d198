"""Which other method would lose less."""

import pytest

import sfumato as sf
from sfumato.verbs.lighter_methods import lighter_methods

TABLE = sf.datasets.hospital(400)


def test_what_is_told_to_lose_less_loses_less():
    release = sf.publish(TABLE, sf.Mondrian(), sf.KAnonymity(20), seed=1)
    found = dict(lighter_methods(release, TABLE))
    assert found
    for name, loss in found.items():
        other = sf.publish(TABLE, name, sf.KAnonymity(20))
        assert loss == pytest.approx(sf.measure(other)["gcp"], rel=0.05)
        assert loss < sf.measure(release)["gcp"]


def test_nothing_is_told_of_the_method_itself_nor_of_what_has_no_such_loss():
    best = sf.publish(TABLE, sf.LocalRecoding(), sf.KAnonymity(5), seed=1)
    assert "LocalRecoding" not in dict(lighter_methods(best, TABLE))
    bound = sf.publish(TABLE, sf.Hilbert(), sf.AccuracyBound(0.5), seed=1)
    assert not list(lighter_methods(bound, TABLE))
    baskets = sf.Baskets.from_lists([["a", "b"], ["a"]] * 5)
    assert not list(lighter_methods(sf.publish(baskets, promise=sf.KAnonymity(2), seed=1), baskets))


def test_large_tables_are_not_tried(monkeypatch):
    monkeypatch.setattr("sfumato.verbs.lighter_methods._MOST_TRIED", 300)
    release = sf.publish(TABLE, sf.Mondrian(), sf.KAnonymity(20), seed=1)
    assert not list(lighter_methods(release, TABLE))
