"""Attacks by degrees and by degrees of neighbours, against slow ones and against all that can happen."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import binom

import sfumato as sf
from sfumato.graphs.attacks.neighbourhood import DegreeAttack, RefinementAttack, degree_weights
from sfumato.graphs.estimates.degree_distribution import seen_shares
from sfumato.graphs.flip_rate import FlipRates
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.verbs.attack import attack
from support.small_graphs import graph_of, nested_degrees, random_graph


def grown(n, m, seed):
    """A graph that grows: each new vertex joins m others, likelier those of high degree."""
    rng = np.random.default_rng(seed)
    ends, edges = list(range(m)), []
    for v in range(m, n):
        for u in {ends[rng.integers(len(ends))] for _ in range(m)}:
            edges.append((u, v))
            ends += [u, v]
    return graph_of(edges, n)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_matching_where_names_were_removed(depth):
    graph = random_graph(40, 0.08, 3)
    found = attack(sf.publish(graph, sf.Relabelling(), seed=2), RefinementAttack(depth=depth))
    known = nested_degrees(graph, depth)
    sizes = np.array([known.count(each) for each in known])
    for suffix in ("", "_before"):
        assert found[f"candidates{suffix}"].value == pytest.approx(sizes.mean())
        assert found[f"found{suffix}"].value == pytest.approx((1 / sizes).mean())
        assert found[f"unique{suffix}"].value == pytest.approx((sizes == 1).mean())
        assert found[f"matched{suffix}"].value == 1
    assert found["found"].baseline == 1 / 40
    assert found["candidates"].baseline == 40
    assert found.notes == ("computed from the original: for its owner alone",)
    if depth == 1:
        by_degree = attack(sf.publish(graph, sf.Relabelling(), seed=2), DegreeAttack())
        assert by_degree["found"].value == pytest.approx(found["found"].value)
        assert by_degree["candidates"].value == pytest.approx(found["candidates"].value)


@pytest.mark.parametrize("method", [sf.EdgePerturbation(0.01), sf.AddDelete(3), sf.KDegree(4)])
def test_matching_after_changes(method):
    graph = random_graph(40, 0.08, 3)
    release = sf.publish(graph, method, seed=2)
    found = attack(release, RefinementAttack(depth=2))
    before, after = nested_degrees(graph, 2), nested_degrees(release.data, 2)
    behind = {int(v): p for p, v in enumerate(release.owner.rows)}
    sizes = np.array([after.count(each) for each in before])
    right = np.array([after[behind[v]] == before[v] for v in range(40)])
    assert 0 < right.sum() < 40
    assert found["candidates"].value == pytest.approx(sizes.mean())
    assert found["matched"].value == pytest.approx(right.mean())
    assert found["unique"].value == pytest.approx((right & (sizes == 1)).mean())
    assert found["found"].value == pytest.approx((right / np.maximum(sizes, 1)).mean())
    assert found["matched_before"].value == 1
    assert "no protection" in found.notes[1]


def test_weights_are_those_of_all_that_can_happen():
    """Four vertices, every pair an edge with probability .3: all graphs times all flips, by the published degree."""
    rates, density, pairs = FlipRates(0.2, 0.1), 0.3, list(combinations(range(4), 2))
    mine = [0 in pair for pair in pairs]
    joint = np.zeros((4, 4))
    for before, after in product(product((0, 1), repeat=6), repeat=2):
        chance = 1.0
        for was, is_ in zip(before, after, strict=True):
            chance *= density if was else 1 - density
            rate = rates.lost if was else rates.came
            chance *= rate if was != is_ else 1 - rate
        joint[np.dot(before, mine), np.dot(after, mine)] += chance
    assert joint.sum() == pytest.approx(1)
    shares = joint.sum(axis=0)
    for counts in ([1, 1, 1, 1], [2, 1, 0, 1], [0, 3, 1, 0]):
        counts = np.array(counts)
        for degree in range(4):
            posterior = joint[degree] / shares * (counts > 0)
            weights = degree_weights(degree, counts, shares, rates)
            assert weights == pytest.approx(posterior / (posterior * counts).sum(), abs=1e-12)


def test_weights_where_nothing_was_flipped_and_where_nobody_fits():
    counts = np.array([0, 3, 0, 2])
    no_flips = FlipRates(0.0, 0.0)
    assert degree_weights(1, counts, counts / 5, no_flips).tolist() == [0, pytest.approx(1 / 3), 0, 0]
    assert degree_weights(2, counts, counts / 5, no_flips) == pytest.approx([0, 0.2, 0, 0.2])
    assert degree_weights(4, counts, counts / 5, no_flips) == pytest.approx([0, 0.2, 0, 0.2])


def claims_and_hits(graphs, mu, shares_of):
    """What an adversary thinks that a guess is worth, and what it is, over all people: a row for each graph."""
    found = np.zeros((len(graphs), 2))
    for seed, graph in enumerate(graphs):
        seen = flip_pairs(graph, mu, Randomness(seed))
        counts, shares = np.bincount(seen.degrees), shares_of(seen)
        for degree in np.unique(graph.degrees):
            weights, own = degree_weights(int(degree), counts, shares, FlipRates(mu, mu)), graph.degrees == degree
            found[seed] += (counts * weights**2).sum() * own.sum(), weights[seen.degrees[own]].sum()
    return found / len(graphs[0])


@pytest.mark.parametrize("mu", [0.01, 0.1])
def test_weights_are_chances_where_the_model_holds(mu):
    """Graphs of independent pairs, and the true shares of published degrees: weights say what they are worth."""
    graphs = [random_graph(60, 0.1, seed) for seed in range(150)]
    density = 0.1 * (1 - mu) + 0.9 * mu
    shares = binom.pmf(np.arange(60), 59, density)
    claims = claims_and_hits(graphs, mu, lambda seen: shares[: seen.degrees.max() + 1])
    lead = claims[:, 0] - claims[:, 1]
    assert abs(lead.mean()) < 3 * lead.std() / np.sqrt(150)
    flat = claims_and_hits(graphs, mu, lambda seen: np.full(seen.degrees.max() + 1, 1 / 60))  # no f: far off
    lead = flat[:, 0] - flat[:, 1]
    assert abs(lead.mean()) > 3 * lead.std() / np.sqrt(150)


@pytest.mark.parametrize("mu", [0.003, 0.02])
def test_fitted_shares_are_better_than_counted_ones(mu):
    """Counts make the adversary surer and find less."""
    graphs = [grown(400, 3, 1)] * 20
    claim, hit = claims_and_hits(graphs, mu, lambda seen: seen_shares(seen, FlipRates(mu, mu))).mean(axis=0)
    too_sure, worse = claims_and_hits(graphs, mu, lambda seen: np.bincount(seen.degrees) / 400).mean(axis=0)
    assert claim == pytest.approx(hit, rel=0.08)
    assert too_sure / worse > claim / hit + 0.03
    assert hit > 0.998 * worse


@pytest.mark.parametrize("method", [sf.EdgePerturbation(0.01), sf.AddDelete(20)])
def test_guesses_by_likelihood(method):
    """A slow adversary, vertex by vertex."""
    graph = grown(60, 3, 2)
    release = sf.publish(graph, method, seed=4)
    n, h = 60, graph.n_edges
    lost, came = (0.01, 0.01) if isinstance(method, sf.EdgePerturbation) else (20 / h, 20 / (n * (n - 1) // 2 - h))
    shares = seen_shares(release.data, FlipRates(lost, came))
    weights = np.empty((n, n))
    for p, (at, d) in product(range(n), enumerate(graph.degrees.tolist())):
        x = int(release.data.degrees[p])
        stay = np.arange(min(d, x) + 1)
        chance = (binom.pmf(stay, d, 1 - lost) * binom.pmf(x - stay, n - 1 - d, came)).sum()
        weights[p, at] = chance / shares[x]
    weights /= weights.sum(axis=0)
    own = weights[np.argsort(release.owner.rows), np.arange(n)]
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = np.exp(-np.nansum(weights * np.log(weights), axis=0))
    found = attack(release, DegreeAttack())
    likeliest = weights > weights.max(axis=0) * (1 - 1e-7)
    hits = likeliest[np.argsort(release.owner.rows), np.arange(n)] / likeliest.sum(axis=0)
    assert found["found"].value == pytest.approx(hits.mean(), rel=1e-9)
    assert found["exposed"].value == pytest.approx((own > 0.5).mean())
    assert found["candidates"].value == pytest.approx(effective.mean(), rel=1e-9)
    assert found["fewest"].value == pytest.approx(effective.min(), rel=1e-9)
    assert found["found"].baseline == 1 / n
    assert 1 / n < found["found"].value
    assert "an edge was lost with probability" in found.notes[1]


def test_likelier_than_all_others_together():
    """Two hubs of 30 and 26 neighbours among 60: each is found with about 4 in 5, and that is exposed."""
    two = graph_of([(0, i) for i in range(2, 32)] + [(1, i) for i in range(28, 54)], 60)
    release = sf.publish(two, sf.EdgePerturbation(0.02), seed=16)
    rates, where = FlipRates(0.02, 0.02), np.argsort(release.owner.rows)
    counts, shares = np.bincount(release.data.degrees), seen_shares(release.data, rates)
    for hub, degree in ((0, 30), (1, 26)):
        own = degree_weights(degree, counts, shares, rates)[release.data.degrees[where[hub]]]
        assert 0.7 < own < 0.9
    assert attack(release, DegreeAttack())["exposed"].value == pytest.approx(2 / 60)


def test_degrees_where_names_were_removed():
    graph = grown(150, 3, 2)
    found = attack(sf.publish(graph, sf.Relabelling(), seed=4), DegreeAttack())
    sizes = np.bincount(graph.degrees)[graph.degrees]
    for suffix in ("", "_before"):
        assert found[f"candidates{suffix}"].value == pytest.approx(sizes.mean())
        assert found[f"fewest{suffix}"].value == pytest.approx(sizes.min())
        assert found[f"found{suffix}"].value == pytest.approx((1 / sizes).mean())
        assert found[f"exposed{suffix}"].value == pytest.approx((sizes == 1).mean())
    assert found["exposed"].value > 0
    assert len(found.notes) == 1


@pytest.mark.parametrize("k", [2, 5, 12])
def test_degrees_that_were_raised(k):
    graph = grown(150, 3, 2)
    release = sf.publish(graph, sf.KDegree(k), seed=4)
    found = attack(release, DegreeAttack())
    published = sorted(set(release.data.degrees.tolist()))
    behind = np.argsort(release.owner.rows)
    own = []
    for v, d in enumerate(graph.degrees.tolist()):
        fits = np.flatnonzero(release.data.degrees == next(x for x in published if x >= d))
        own.append(1 / len(fits) if behind[v] in fits else 0)
    assert found["found"].value == pytest.approx(np.mean(own))
    assert found["found"].value <= 1 / k
    assert found["fewest"].value >= k - 1e-9
    assert found["exposed"].value == 0
    assert found["exposed_before"].value > 0
    assert "only added" in found.notes[1]


def test_some_people_and_the_same_ones_each_time():
    graph = random_graph(60, 0.1, 1)
    release = sf.publish(graph, sf.EdgePerturbation(0.01), seed=1)
    for who in (DegreeAttack(people=20), RefinementAttack(people=20)):
        found = attack(release, who)
        assert found.to_dict() == attack(release, who).to_dict()
        assert found.to_dict() != attack(release, who, seed=5).to_dict()
        assert found["found"].low <= found["found"].value <= found["found"].high
        assert str(who) in str(found)
    alone = attack(sf.publish(graph_of([], 1), sf.Relabelling(), seed=1), DegreeAttack())
    assert alone["found"].value == alone["found"].baseline == alone["exposed"].baseline == 1


def test_what_is_refused():
    graph, other = random_graph(30, 0.2, 1), random_graph(30, 0.2, 2)
    for method in (sf.Relabelling(), sf.KDegree(3)):
        with pytest.raises(DataError, match="not made from this graph"):
            attack(sf.publish(graph, method, seed=1), DegreeAttack(), random_graph(30, 0.6, 2))
    with pytest.raises(DataError, match="not made from this graph"):
        attack(sf.publish(graph, sf.Relabelling(), seed=1), RefinementAttack(), other)
    release = sf.publish(graph, sf.EdgePerturbation(0.1), seed=1)
    with pytest.raises(DataError, match="30 vertices are published, and the original has 29"):
        attack(release, DegreeAttack(), random_graph(29, 0.2, 2))
    with pytest.raises(ParameterError, match="people must be a whole number >= 1, got 0"):
        DegreeAttack(people=0)
    with pytest.raises(ParameterError, match="depth must be a whole number >= 1, got True"):
        RefinementAttack(depth=True)


@pytest.mark.data
def test_a_real_graph(data_folder):
    """Hay et al. find most vertices of real networks alone by the degrees of their neighbours."""
    graph = sf.read_graph(data_folder / "graphs" / "wiki-Vote.txt.gz")
    naive = sf.publish(graph, sf.Relabelling(), seed=1)
    found = [attack(naive, RefinementAttack(depth=depth))["found"].value for depth in (1, 2, 3)]
    assert found[0] < 0.05
    assert 0.65 < found[1] < 0.76
    assert 0.78 < found[2] < 0.86
    blurred = [
        attack(sf.publish(graph, sf.EdgePerturbation(mu), seed=1), DegreeAttack())["found"].value
        for mu in (1e-4, 1e-3, 1e-2)
    ]
    assert found[0] > blurred[0] > blurred[1] > blurred[2] > 1 / len(graph)
