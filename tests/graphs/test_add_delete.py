"""A fixed number of edges goes and as many come, every choice as likely as any other."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from sfumato.contracts.method import method_from_dict
from sfumato.data.graph import Graph
from sfumato.graphs.add_delete import AddDelete, _distinct, replace_edges
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity


def edge_set(graph):
    return set(zip(*(end.tolist() for end in graph.edges), strict=True))


def fits(counts, n_cells, p=1e-4):
    expected = sum(counts.values()) / n_cells
    return sum((counts[key] - expected) ** 2 / expected for key in counts) + expected * (
        n_cells - len(counts)
    ) < chi2.isf(p, n_cells - 1)


@given(st.integers(2, 9), st.sets(st.integers(0, 35)), st.integers(0, 12), st.integers(0, 99))
def test_exactly_so_many(n, pairs, count, seed):
    every = list(combinations(range(n), 2))
    edges = {every[p] for p in pairs if p < len(every)}
    graph = Graph.from_edges([a for a, _ in edges], [b for _, b in edges], n)
    most = min(len(edges), len(every) - len(edges))
    if count > most:
        with pytest.raises(InfeasibleError, match=f"the most is {most}"):
            replace_edges(graph, count, Randomness(seed))
        return
    changed = edge_set(replace_edges(graph, count, Randomness(seed)))
    assert len(edges - changed) == len(changed - edges) == count


@pytest.mark.parametrize("count", [1, 2])
def test_every_choice_is_as_likely(count):
    graph, random = Graph.from_edges([0, 1, 0, 3], [1, 2, 4, 4], 5), Randomness("choices")
    before = edge_set(graph)
    seen = Counter()
    for turn in range(1200):
        after = edge_set(replace_edges(graph, count, random.spawn(str(turn))))
        seen[frozenset(before - after), frozenset(after - before)] += 1
    assert fits(seen, {1: 4 * 6, 2: 6 * 15}[count])


@pytest.mark.parametrize(("size", "count"), [(9, 2), (8, 2), (5, 4)])
def test_numbers_drawn_without_replacement(size, count):
    random = Randomness("distinct")
    seen = Counter(frozenset(_distinct(size, count, random).tolist()) for _ in range(4000))
    assert all(len(drawn) == count for drawn in seen)
    assert fits(seen, len(list(combinations(range(size), count))))


def test_few_of_very_many():
    drawn = _distinct(2**61, 1000, Randomness(1))
    assert len(set(drawn.tolist())) == 1000
    assert drawn.max() > 2**60


def test_a_share_of_the_edges_and_what_is_told():
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 60, 300), rng.integers(0, 60, 300), 60)
    outcome = AddDelete(0.1).run(graph, None, Randomness(1), Progress(3, shown=False))
    count = round(0.1 * graph.n_edges)
    assert outcome.public == {"graph": {"vertices": 60, "edges_replaced": count}}
    ends = outcome.rows[outcome.frame.to_numpy()]
    assert len(outcome.frame) == graph.n_edges
    assert graph.has_edges(ends[:, 0], ends[:, 1]).sum() == graph.n_edges - count


@pytest.mark.parametrize("edges", [-1, 1.0, 2.5, -0.1, True, "3", float("nan")])
def test_numbers_and_shares_that_cannot_be(edges):
    with pytest.raises(ParameterError, match="edges must be a whole number >= 0, or a share"):
        AddDelete(edges)


def test_promises_are_refused():
    assert method_from_dict({"name": "AddDelete", "edges": 0.5}).promise_for(None) is None
    with pytest.raises(ParameterError, match="keeps no promise"):
        AddDelete(3).promise_for(KAnonymity(2))
