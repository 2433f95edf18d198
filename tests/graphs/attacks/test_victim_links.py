"""Victims told by their links, against looking at everybody for every victim."""

import math
from itertools import permutations

import numpy as np
import pytest

from sfumato.graphs.attacks.planting import plant
from sfumato.graphs.attacks.victim_links import assigned_victims, exact_victims, likely_victims
from sfumato.graphs.flip_rate import FlipRates
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness
from support.small_graphs import graph_of, matrix, random_graph


def one_or_nobody(fits):
    return fits[0] if len(fits) == 1 else -1


def slow_exact(graph, accounts, links):
    there, others = matrix(graph).astype(bool), [v for v in range(len(graph)) if v not in set(accounts.tolist())]
    near = [v for v in others if there[v, accounts].any()]
    return [one_or_nobody([v for v in near if (there[v, accounts] == row).all()]) for row in links]


def slow_likely(graph, accounts, links, rates):
    there, others = matrix(graph).astype(bool), [v for v in range(len(graph)) if v not in set(accounts.tolist())]
    near = [v for v in others if there[v, accounts].any()]

    def log(chance):
        return math.log(max(chance, 1e-9))

    def weight(v, row):
        total = 0.0
        for seen, true in zip(there[v, accounts], row, strict=True):
            rate = rates.lost if true else rates.came
            total += log(1 - rate) if seen == true else log(rate)
        return total

    named = []
    for row in links:
        weights = [weight(v, row) for v in near]
        most = max(weights, default=0.0)
        named.append(one_or_nobody([v for v, w in zip(near, weights, strict=True) if w > most - 1e-7]))
    return named


@pytest.mark.parametrize("rates", [FlipRates(0.0, 0.0), FlipRates(0.05, 0.05), FlipRates(0.3, 0.01), FlipRates(0, 0.2)])
@pytest.mark.parametrize("seed", range(8))
def test_victims_are_those_of_a_slow_search(seed, rates):
    rng = np.random.default_rng(seed)
    graph = random_graph(25, rng.choice([0.1, 0.25, 0.5]), seed)
    accounts = rng.permutation(25)[: rng.integers(2, 7)].astype(np.int32)
    links = rng.random((12, len(accounts))) < 0.5
    assert exact_victims(graph, accounts, links).tolist() == slow_exact(graph, accounts, links)
    assert likely_victims(graph, accounts, links, rates).tolist() == slow_likely(graph, accounts, links, rates)


def test_victims_of_planted_accounts():
    planted = plant(random_graph(80, 0.1, 0), 12, 20, Randomness(5))
    accounts = planted.accounts.astype(np.int32)
    assert (exact_victims(planted.graph, accounts, planted.links) == planted.victims).all()
    rates = FlipRates(0.0, 0.0)
    assert (likely_victims(planted.graph, accounts, planted.links, rates) == planted.victims).all()
    seen = flip_pairs(planted.graph, 0.03, Randomness(1))
    exact = exact_victims(seen, accounts, planted.links)
    likely = likely_victims(seen, accounts, planted.links, FlipRates(0.03, 0.03))
    assert 0 < (exact == planted.victims).sum() < (likely == planted.victims).sum()
    assert exact.tolist() == slow_exact(seen, accounts, planted.links)
    assert likely.tolist() == slow_likely(seen, accounts, planted.links, FlipRates(0.03, 0.03))


def test_two_who_look_alike_are_not_told_apart():
    accounts, rates = np.array([0, 1], dtype=np.int32), FlipRates(0.1, 0.1)
    graph = graph_of([(0, 2), (0, 3), (1, 4)], 6)
    links = np.array([[True, False], [False, True], [True, True]])
    assert exact_victims(graph, accounts, links).tolist() == [-1, 4, -1]
    assert likely_victims(graph, accounts, links, rates).tolist() == [-1, 4, -1]
    uneven = likely_victims(graph, accounts, links, FlipRates(0.1, 0.2))
    assert uneven.tolist() == [-1, 4, -1]  # all of 2, 3 and 4 lack one link of the third


def test_edges_that_come_and_edges_that_go_weigh_as_they_should():
    """One has a link too few, the other one too many."""
    accounts, links = np.array([0, 1, 2], dtype=np.int32), np.array([[True, True, False]])
    graph = graph_of([(0, 3), (0, 4), (1, 4), (2, 4)], 5)
    assert likely_victims(graph, accounts, links, FlipRates(0.01, 0.2)).tolist() == [4]
    assert likely_victims(graph, accounts, links, FlipRates(0.2, 0.01)).tolist() == [3]
    assert likely_victims(graph, accounts, links, FlipRates(0.1, 0.1)).tolist() == [-1]
    assert exact_victims(graph, accounts, links).tolist() == [-1]


def test_nobody_is_joined_to_the_accounts():
    accounts, links = np.array([0, 1], dtype=np.int32), np.array([[True, False], [False, False], [True, True]])
    for graph in (graph_of([(2, 3)], 5), graph_of([(0, 1), (2, 3)], 5)):
        assert exact_victims(graph, accounts, links).tolist() == [-1, -1, -1]
        assert likely_victims(graph, accounts, links, FlipRates(0.1, 0.1)).tolist() == [-1, -1, -1]


def test_accounts_are_no_victims():
    """0 is joined to just account 1, and 1 to just account 0; nobody else fits better."""
    accounts, links = np.array([0, 1], dtype=np.int32), np.array([[False, True], [True, False]])
    graph = graph_of([(0, 1), (0, 2), (1, 2)], 4)
    assert exact_victims(graph, accounts, links).tolist() == [-1, -1]
    assert likely_victims(graph, accounts, links, FlipRates(0.1, 0.1)).tolist() == [2, 2]


def test_links_are_in_the_order_of_the_accounts():
    graph = graph_of([(7, 0), (3, 1), (5, 2), (7, 2)], 8)
    links = np.array([[True, False, False], [False, True, False], [True, False, True]])
    assert exact_victims(graph, np.array([7, 3, 5], dtype=np.int32), links).tolist() == [0, 1, 2]
    assert exact_victims(graph, np.array([3, 7, 5], dtype=np.int32), links).tolist() == [1, 0, -1]


def test_all_victims_together_against_every_choice():
    """Six vertices at most are tried in every order."""
    rates = FlipRates(0.1, 0.05)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        graph, accounts = random_graph(11, 0.4, seed), np.arange(5, dtype=np.int32)
        links = rng.random((3, 5)) < 0.5
        there = matrix(graph).astype(bool)
        near = [v for v in range(5, 11) if there[v, :5].any()]
        rho = graph.n_edges / graph.n_pairs

        def weight(v, row, there=there, rho=rho):
            chance = np.where(row, np.where(there[v, :5], 0.9, 0.1), np.where(there[v, :5], 0.05, 0.95))
            return np.log(chance / np.where(there[v, :5], rho, 1 - rho)).sum()

        if len(near) < 3:
            continue
        best = max(permutations(near, 3), key=lambda some: sum(map(weight, some, links)))
        found = assigned_victims(graph, accounts, links, rates).tolist()
        assert sum(map(weight, found, links)) == pytest.approx(sum(map(weight, best, links)))
        assert len(set(found)) == 3


def test_fewer_vertices_than_victims():
    graph = graph_of([(0, 1), (0, 2)], 4)
    found = assigned_victims(graph, np.array([0, 1], dtype=np.int32), np.ones((3, 2), dtype=bool), FlipRates(0.1, 0.1))
    assert sorted(found.tolist()) == [-1, -1, 2]
    nobody = assigned_victims(graph, np.array([3], dtype=np.int32), np.ones((2, 1), dtype=bool), FlipRates(0.1, 0.1))
    assert nobody.tolist() == [-1, -1]
