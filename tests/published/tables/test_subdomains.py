"""Releases of subdomains keep no promise that is not checked on them."""

import sfumato as sf
from support.distribution_tables import table_of


def test_other_promises_do_not_hold_for_want_of_a_check():
    table = table_of({"q": [1, 2, 3, 4], "s": [1, 2, 1, 2]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("uniform"), seed=1)
    assert not sf.verify(release, table, promise=sf.AccuracyBound(0.0001))
    assert not sf.verify(release, table, promise=sf.MatchRank(5))
    assert not sf.verify(release, table, promise=sf.KAnonymity(2))
