"""Best-first search against trying every node of the lattice."""

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from support.naive_lattice import PROMISES, lattices
from support.searched_lattices import MEASURES, SHARES, SOME, minimal_levels, one_column


@SOME
@given(lattices(), st.sampled_from(PROMISES), SHARES, MEASURES)
def test_best_first_costs_what_the_best_of_all_nodes_costs(made, promise, share, measure):
    every = made.search(promise, share, measure)
    method = sf.BestFirst(max_suppressed=share, measure=measure)
    if not every:
        with pytest.raises(InfeasibleError):
            method.search(made.table, promise)
        return
    found = method.search(made.table, promise)
    assert found.cost == pytest.approx(min(every.values()))
    assert every[tuple(found.levels.values())] == pytest.approx(found.cost)
    assert found.complete
    assert found.n_examined <= found.n_nodes == len(made.nodes())
    assert minimal_levels(found) <= set(every)


@settings(max_examples=40)
@given(lattices(min_rows=3), st.sampled_from(PROMISES), SHARES, MEASURES, st.integers(1, 6))
def test_a_search_that_is_stopped_says_how_much_better_another_could_be(made, promise, share, measure, most):
    every = made.search(promise, share, measure)
    assume(every)
    found = sf.BestFirst(max_suppressed=share, measure=measure, max_examined=most).search(made.table, promise)
    assert found.bound <= min(every.values()) + 1e-12
    assert every[tuple(found.levels.values())] == pytest.approx(found.cost)
    assert found.complete == (found.bound >= found.cost)


def test_not_every_row_may_be_withheld():
    assert sf.BestFirst(0.9).search(one_column([1, 2, 3, 4]), sf.KAnonymity(2)).levels == {"c": 1}
    found = sf.BestFirst(0.5).search(one_column([1, 1, 2, 3]), sf.KAnonymity(2))
    assert (found.levels, found.n_withheld, found.cost) == ({"c": 0}, 2, 0.5)


def test_the_share_of_withheld_rows_is_rounded_down():
    assert sf.BestFirst(0.3).search(one_column([1] * 7 + [2, 3, 4]), sf.KAnonymity(2)).n_withheld == 3
    assert sf.BestFirst(0.29).search(one_column([1] * 7 + [2, 3, 4]), sf.KAnonymity(2)).n_withheld == 0


def test_what_the_whole_table_cannot_keep_a_part_of_it_may():
    frame = pl.DataFrame({"c": [1, 1, 2, 2, 3], "s": ["p", "q", "p", "q", "p"]})
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["s"]))
    with pytest.raises(InfeasibleError):
        sf.publish(table, sf.BestFirst(), sf.LDiversity(2))
    release = sf.publish(table, sf.BestFirst(0.2), sf.LDiversity(2), seed=1)
    assert release.verdict.holds
    assert release.public["withheld_rows"] == 1
