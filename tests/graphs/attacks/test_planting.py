"""Accounts planted in a graph, and how well they tell victims apart."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from sfumato.graphs.attacks.planting import (
    MOST_ACCOUNTS,
    plant,
    usual_links,
    usual_victims,
)
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from support.small_graphs import matrix, pairs_of, random_graph


@pytest.mark.parametrize(
    ("k", "victims", "links", "apart"), [(12, 30, 5, 2), (8, 10, 3, 1), (20, 9, 6, 4), (2, 1, 1, 1)]
)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_planted(k, victims, links, apart, seed):
    graph = random_graph(60, 0.1, 1)
    before = pairs_of(graph)
    planted = plant(graph, k, victims, Randomness(seed), links=links, apart=apart)
    assert pairs_of(graph) == before
    assert len(graph) == 60
    assert len(planted.graph) == 60 + k
    assert planted.accounts.tolist() == list(range(60, 60 + k))
    assert {(a, b) for a, b in pairs_of(planted.graph) if b < 60} == before
    there = matrix(planted.graph).astype(bool)
    assert (there[60:, 60:] == planted.inside).all()
    assert planted.inside.diagonal(1).all()
    assert len(set(planted.victims.tolist())) == victims
    assert planted.victims.min() >= 0
    assert planted.victims.max() < 60
    assert (planted.links == there[60:, planted.victims].T).all()
    assert there[60:, :60].sum() == planted.links.sum() == victims * links
    assert (planted.links.sum(axis=1) == links).all()
    assert (planted.degrees == planted.graph.degrees[60:]).all()
    sets = [set(np.flatnonzero(row)) for row in planted.links]
    assert all(len(a - b) >= apart and len(b - a) >= apart for a, b in combinations(sets, 2))


def test_other_pairs_of_accounts_are_fair_coins():
    graph, k, rounds = random_graph(10, 0.3, 0), 10, 400
    tosses = np.array([plant(graph, k, 2, Randomness(seed)).inside for seed in range(rounds)])
    assert (tosses == tosses.transpose(0, 2, 1)).all()
    assert not tosses[:, np.arange(k), np.arange(k)].any()
    a, b = np.triu_indices(k, 2)
    coins = tosses[:, a, b]
    assert abs(coins.mean() - 0.5) < 3 * 0.5 / np.sqrt(coins.size)
    assert (abs(coins.mean(axis=0) - 0.5) < 4.5 * 0.5 / np.sqrt(rounds)).all()  # every pair, 36 of them
    together = np.corrcoef(coins.T)[np.triu_indices(len(a), 1)]
    assert abs(together).max() < 5 / np.sqrt(rounds)


def test_anybody_is_a_victim_and_any_account_is_linked():
    graph, rounds = random_graph(10, 0.3, 0), 500
    hit, linked = np.zeros(10), np.zeros(6)
    for seed in range(rounds):
        planted = plant(graph, 6, 3, Randomness(seed), links=3, apart=1)
        hit[planted.victims] += 1
        linked += planted.links.sum(axis=0)
    assert (abs(hit / rounds - 0.3) < 4 * np.sqrt(0.21 / rounds)).all()
    assert (abs(linked / rounds - 1.5) < 4 * np.sqrt(0.75 / rounds)).all()


def test_a_seed_repeats_and_another_does_not():
    graph = random_graph(40, 0.1, 1)
    first, again, other = (plant(graph, 8, 6, Randomness(seed)) for seed in (1, 1, 2))
    assert first.graph == again.graph
    assert (first.victims == again.victims).all()
    assert first.graph != other.graph


def test_as_many_accounts_as_can_be_and_everybody_a_victim():
    graph = random_graph(30, 0.1, 2)
    planted = plant(graph, MOST_ACCOUNTS, 30, Randomness(0), links=MOST_ACCOUNTS // 2)
    assert sorted(planted.victims.tolist()) == list(range(30))
    assert plant(graph, 5, 0, Randomness(0), links=3).links.shape == (0, 5)
    assert plant(graph, 3, 3, Randomness(0), links=1, apart=1).links.sum() == 3  # the only way there is
    assert [usual_victims(k, 1000) for k in (2, 3, 20, 30)] == [1, 3, 100, 225]
    assert usual_victims(64, 1000) == 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 0), "an adversary makes 2 to 64 accounts, got 1"),
        ((65, 0), "an adversary makes 2 to 64 accounts, got 65"),
        ((5, 31), "there are 30 people to aim at, got 31 victims"),
        ((5, -1), "there are 30 people to aim at, got -1 victims"),
        ((4, 2), "links must be from 1 to the number of accounts .* got links=5 and apart=2 for 4 accounts"),
    ],
)
def test_numbers_that_cannot_be(arguments, message):
    with pytest.raises(ParameterError, match=message):
        plant(random_graph(30, 0.1, 0), *arguments, Randomness(0), links=5, apart=2)


@pytest.mark.parametrize(("links", "apart"), [(0, 1), (3, 4), (3, 0), (0, 0)])
def test_links_that_cannot_be(links, apart):
    with pytest.raises(ParameterError, match=f"got links={links} and apart={apart} for 8 accounts"):
        plant(random_graph(30, 0.1, 0), 8, 2, Randomness(0), links=links, apart=apart)


def test_more_sets_than_there_are():
    graph = random_graph(30, 0.1, 0)
    assert len(plant(graph, 4, 6, Randomness(0), links=2, apart=1).links) == 6  # all pairs of four
    with pytest.raises(InfeasibleError, match="7 sets of 2 out of 4 accounts that differ by 1 are not found; aim at"):
        plant(graph, 4, 7, Randomness(0), links=2, apart=1)
    with pytest.raises(InfeasibleError, match="3 sets of 2 out of 4 accounts that differ by 2"):
        plant(graph, 4, 3, Randomness(0), links=2, apart=2)


def test_fewer_victims_where_they_will_do():
    graph = random_graph(30, 0.1, 0)
    planted = plant(graph, 4, 20, Randomness(0), links=2, apart=1, or_fewer=True)
    assert len(planted.links) == len(planted.victims) == 6
    assert (planted.graph.degrees[30:] == planted.degrees).all()
    enough = plant(graph, 4, 5, Randomness(0), links=2, apart=1, or_fewer=True)
    assert len(enough.links) == 5
    assert [usual_links(k) for k in (5, 6, 7, 20, 64)] == [3, 4, 5, 5, 5]


# -- the three claims, by all that can happen ------------------------------------------------------------------------
def ends(links, mu):
    """Every set of links that flips can make of these, with its probability."""
    for flips in product((0, 1), repeat=len(links)):
        chance = mu ** sum(flips) * (1 - mu) ** (len(links) - sum(flips))
        yield tuple(link ^ flip for link, flip in zip(links, flips, strict=True)), chance


def any_link_changes(k, mu):
    """The probability that some of a victim's pairs with k accounts flips (claim 1)."""
    return -math.expm1(k * math.log1p(-mu))


def stranger_looks_alike(n, k, victims, links, mu):
    """A bound on the probability that somebody else comes to be joined to just a victim's accounts (claim 2).

    For people who were joined to one of these accounts already.
    """
    return max(n - k - victims, 0) * mu ** (links - 1) * (1 - mu) ** (k - links + 1)


def victims_look_alike(k, differ, mu):
    """The probability that two victims whose links differ in so many accounts end with the same ones (claim 3).

    Links of both flip, so that one that differs comes to agree with probability 2 mu (1 - mu); the thesis lets one
    victim's flip alone, and has its inequality the wrong way round.
    """
    either = 2 * mu * (1 - mu)
    return either**differ * (1 - either) ** (k - differ)


@pytest.mark.parametrize("mu", [0.0, 0.01, 0.1, 0.4])
@pytest.mark.parametrize("k", [1, 3, 6])
def test_claim_1(k, mu):
    links = (1,) * (k // 2) + (0,) * (k - k // 2)
    changes = sum(chance for seen, chance in ends(links, mu) if seen != links)
    assert any_link_changes(k, mu) == pytest.approx(changes, abs=1e-14)


def test_claim_1_of_very_few_flips():
    assert any_link_changes(10, 1e-18) == pytest.approx(1e-17)


@pytest.mark.parametrize("mu", [0.0, 0.01, 0.1, 0.3])
@pytest.mark.parametrize(("k", "links"), [(4, 2), (5, 3), (6, 5), (6, 6)])
def test_claim_2(k, links, mu):
    """One stranger who has one of the links: just so; anybody with another, or none, and several people: no more."""
    target = (1,) * links + (0,) * (k - links)

    def comes(own):
        return dict(ends(own, mu))[target]

    one = comes((1,) + (0,) * (k - 1))
    assert stranger_looks_alike(k + 2, k, 1, links, mu) == pytest.approx(one)
    assert comes((0,) * k) <= one
    assert comes((0,) * (k - 1) + (1,)) <= one
    assert stranger_looks_alike(k + 13, k, 1, links, mu) >= 1 - (1 - one) ** 12 - 1e-15
    assert stranger_looks_alike(k + 1, k, 1, links, mu) == 0
    assert stranger_looks_alike(k + 1, k, 9, links, mu) == 0


@pytest.mark.parametrize("mu", [0.0, 0.03, 0.1, 0.4])
@pytest.mark.parametrize(("k", "differ"), [(4, 0), (4, 2), (6, 4), (5, 5)])
def test_claim_3(k, differ, mu):
    """Links of both victims flip."""
    first = (1,) * (k // 2) + (0,) * (k - k // 2)
    second = tuple(1 - link if at < differ else link for at, link in enumerate(first))
    second_ends = dict(ends(second, mu))
    equal = sum(chance * second_ends[seen] for seen, chance in ends(first, mu))
    assert victims_look_alike(k, differ, mu) == pytest.approx(equal)


def test_claim_3_is_not_what_the_thesis_prints():
    assert victims_look_alike(6, 4, 0.1) == pytest.approx(7.06e-4, rel=1e-3)
    assert victims_look_alike(6, 4, 0.1) > 8 * 0.1**4 * 0.9**2
