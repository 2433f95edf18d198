"""Samarati's search against trying every node of the lattice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from support.naive_lattice import PROMISES, lattices
from support.searched_lattices import MEASURES, SHARES, SOME, minimal_levels


@SOME
@given(lattices(), st.sampled_from(PROMISES), SHARES, MEASURES)
def test_samarati_finds_all_nodes_of_the_least_height(made, promise, share, measure):
    if any(not isinstance(part, sf.KAnonymity) for part in promise.parts):
        share = 0.0
    every = made.search(promise, share, measure)
    method = sf.Samarati(max_suppressed=share, measure=measure)
    if not every:
        with pytest.raises(InfeasibleError):
            method.search(made.table, promise)
        return
    found = method.search(made.table, promise)
    height = min(map(sum, every))
    flattest = {node for node in every if sum(node) == height}
    assert minimal_levels(found) == flattest
    assert found.cost == pytest.approx(min(every[node] for node in flattest))
    assert found.bound <= min(every.values()) + 1e-12
