"""A rank that no table can keep is refused at once."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from support.pattern_tables import sorted_table


def test_match_rank_that_no_table_can_keep_is_refused_at_once():
    with pytest.raises(InfeasibleError, match="k=500"):
        sf.publish(sorted_table(60), sf.PatternPreserving(sf.Order()), sf.MatchRank(500))
