"""A release in memory, and what it says of itself."""

import sfumato as sf
from sfumato.datasets import hospital


def test_the_demo_data_under_all_promises():
    table = hospital(1_500)
    promise = sf.KAnonymity(10) & sf.LDiversity(3) & sf.TCloseness(0.5)
    release = sf.publish(table, sf.Mondrian(), promise, seed=1)
    assert release.verdict.holds
    assert len(release.verdict.found) == 3
    assert "holds" in repr(release)
    assert "smallest class" in release._repr_html_()
