"""What is measured of drawn values, and where no bound is known."""

from __future__ import annotations

import sfumato as sf
from support.pattern_tables import sorted_table


def test_the_bound_of_linkage_is_for_exchangeable_records_only():
    release = sf.publish(sorted_table(), sf.PatternPreserving([sf.Blocks(10), sf.Order()]), seed=1)
    assert "linkage_bound" not in sf.measure(release)
