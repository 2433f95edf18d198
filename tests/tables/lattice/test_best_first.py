"""Best-first search against trying every node of the lattice."""

import itertools
from collections import Counter

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from support.arx_files import arx_lines, labels_at, n_levels
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


@settings(max_examples=60)
@given(arx_lines("a", least_leaves=2), arx_lines("b", least_leaves=2), st.sampled_from([1, 2, 3]), SHARES, st.data())
def test_the_least_loss_over_arx_files_is_that_of_their_columns(a, b, k, share, data):
    n = data.draw(st.integers(k, 10))
    rows = [tuple(data.draw(st.sampled_from(lines))[0] for lines in (a, b)) for _ in range(n)]
    table = sf.Table(
        pl.DataFrame(rows, schema=["p", "q"], orient="row"),
        sf.Schema(quasi=["p", "q"], hierarchies={"p": sf.Hierarchy.from_paths(a), "q": sf.Hierarchy.from_paths(b)}),
    )
    costs = {}
    for node in itertools.product(range(n_levels(a)), range(n_levels(b))):
        at = [labels_at(lines, level) for lines, level in zip((a, b), node, strict=True)]
        shown = [(at[0][p], at[1][q]) for p, q in rows]
        gone = [m for m in Counter(shown).values() if m < k]
        if sum(gone) <= share * n and sum(gone) < n:
            kept = [cells for cells in shown if shown.count(cells) >= k]
            lost = [arx_loss(labels, cell) for cells in kept for labels, cell in zip(at, cells, strict=True)]
            costs[node] = (sum(lost) / 2 + sum(gone)) / n
    found = sf.BestFirst(max_suppressed=share, measure="loss").search(table, sf.KAnonymity(k))
    assert found.cost == pytest.approx(min(costs.values()))
    assert costs[tuple(found.levels.values())] == pytest.approx(found.cost)


def arx_loss(labels, cell):
    """(leaves shown alike - 1) / (all - 1)."""
    return (sum(label == cell for label in labels.values()) - 1) / (len(labels) - 1)
