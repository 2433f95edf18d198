"""Naming people of a graph that is known, from a few on, against slow scores and against what can be found at all."""

import math

import numpy as np
import pytest

import sfumato as sf
from sfumato.contracts.attack import attack_from_dict
from sfumato.graphs.attacks.known_graph import KnownGraphAttack, _one_each, _weigh_vertices, name_people, weigh_pairs
from sfumato.graphs.flip_rate import FlipRates
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.verbs.attack import attack
from support.small_graphs import graph_of, pairs_of, random_graph

WRONG = 0.01


def social(seed=1):
    return random_graph(300, 8 / 299, seed)


def found_in(graph, method, seed=2, **known):
    return attack(sf.publish(graph, method, seed=seed), KnownGraphAttack(**known))


# -- scores ----------------------------------------------------------------------------------------------------------
def slow_scores(known, published, names, taken, overlap, rates):
    """By person and vertex, pair by pair: every score in a dictionary."""
    n, lost, came = len(known), rates.lost, rates.came
    there, seen = pairs_of(known), pairs_of(published)
    left = 1 - lost - came
    degree = {v: int(published.degrees[v]) for v in range(n)}
    were = {v: min(max((degree[v] - came * (n - 1)) / left, 0.5), n - 1) for v in range(n)}
    total = sum(were.values())
    counts = [list(degree.values()).count(d) for d in range(max(degree.values()) + 1)]
    share = {v: (counts[degree[v]] + 0.5) / (n + 0.5 * len(counts)) for v in range(n)}
    absent = (overlap * (1 - lost) - came) * (1 - WRONG) / total
    miss = math.log((1 - WRONG) * lost + WRONG)
    named = {w: int(x) for w, x in enumerate(names) if x >= 0}
    scores, chances = {}, {}
    for u in range(n):
        helpers = [w for w in named if (min(u, w), max(u, w)) in there]
        if not helpers:
            continue
        scores[u] = {}
        rest = int(known.degrees[u]) - len(helpers)
        unnamed = max(n - 1 - len(named), 0)
        mean = rest / overlap * (1 - lost) + unnamed * came
        spread = rest / overlap * lost * (1 - lost) + unnamed * came * (1 - came)
        spread += (rest + 1) * (1 - overlap) / overlap**2 + 2 * WRONG * len(helpers)
        if rates.keeps_degrees:
            mean = int(known.degrees[u]) / overlap
            spread = (known.degrees[u] + 1) * (1 - overlap) / overlap**2 + 2 * WRONG * len(helpers)
        spread = max(spread, 1 / (2 * math.pi))
        for v in range(n):
            if taken[v] or not any((min(v, named[w]), max(v, named[w])) in seen for w in helpers):
                continue
            score, beside = sum(absent * were[v] * were[x] for x in named.values()), 0
            for w, x in named.items():
                if w == u or x == v:
                    continue
                joined = min(were[v] * were[x] / total, 0.5)
                usual = min(came + left * joined, 0.95)
                hidden = (1 - overlap) * joined / (1 - overlap * joined)
                if (min(v, x), max(v, x)) in seen:
                    beside += 1
                    if w in helpers:
                        chance = (1 - WRONG) * (1 - lost) + WRONG * usual
                    else:
                        chance = (1 - WRONG) * (came * (1 - hidden) + (1 - lost) * hidden) + WRONG * usual
                    score += math.log(chance / usual) - absent * were[v] * were[x]
                elif w in helpers:
                    score += miss
            away = degree[v] - (0 if rates.keeps_degrees else beside) - mean
            odds = math.exp(-(away**2) / (2 * spread)) / math.sqrt(2 * math.pi * spread) / share[v]
            scores[u][v] = score + math.log(max(odds, WRONG))
        chances[u] = n * math.exp(len(helpers) * miss)
    return scores, chances


@pytest.mark.parametrize(
    ("overlap", "rates"),
    [
        (1.0, FlipRates(0.0, 0.0)),
        (1.0, FlipRates(0.05, 0.05)),
        (0.7, FlipRates(0.2, 0.03)),
        (0.6, FlipRates(0.0, 0.1)),
        (0.9, FlipRates(0.1, 0.03, keeps_degrees=True)),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_weights_are_those_of_pairs(overlap, rates, seed):
    rng = np.random.default_rng(seed)
    known, published = random_graph(12, 0.3, seed), random_graph(12, 0.35, seed + 40)
    names = np.full(12, -1, dtype=np.int64)
    names[rng.permutation(12)[:6]] = rng.permutation(12)[:6]
    taken = np.zeros(12, dtype=bool)
    taken[names[names >= 0][:2]] = True
    best, score, rest = _weigh_vertices(
        known, published, names, taken, weigh_pairs(published, overlap, rates), overlap, rates
    )
    slow, others = slow_scores(known, published, names, taken, overlap, rates)
    assert len(slow) > 6
    for u in range(12):
        if not slow.get(u):
            assert best[u] == -1
            continue
        top = max(slow[u].values())
        assert score[u] == pytest.approx(top, abs=1e-9)
        assert slow[u][int(best[u])] == pytest.approx(top, abs=1e-9)
        without = sum(math.exp(each) for v, each in slow[u].items() if v != best[u]) + others[u]
        assert rest[u] == pytest.approx(math.log(without), abs=1e-9)


def test_whoever_is_surest_has_a_vertex():
    best, sure = np.array([4, 4, 2, -1, 2, 0]), np.array([3.5, 5.0, 9.0, -np.inf, 9.5, 1.0])
    assert _one_each(best, sure, 3.0).tolist() == [-1, 4, -1, -1, 2, -1]
    assert _one_each(best, sure, 1.0).tolist() == [-1, 4, -1, -1, 2, 0]
    assert _one_each(best, sure, 99.0).tolist() == [-1] * 6


def test_a_path_is_named_from_one_end():
    path = graph_of([(i, i + 1) for i in range(9)], 10)
    number = np.random.default_rng(3).permutation(10)
    seeds = np.array([0])
    names = name_people(path, path.renumbered(number), seeds, number[seeds], 1.0, FlipRates(0.0, 0.0))
    assert names.tolist() == number.tolist()


def test_twins_are_not_named():
    """Two with the same neighbours cannot be told apart."""
    twins = graph_of([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (4, 6), (1, 7)], 8)
    names = name_people(twins, twins, np.array([0, 3]), np.array([0, 3]), 1.0, FlipRates(0.0, 0.0))
    assert names[[5, 6]].tolist() == [-1, -1]
    assert names[[0, 1, 2, 3, 4]].tolist() == [0, 1, 2, 3, 4]


def test_where_edges_are_only_added_the_known_ones_tell_how_many():
    graph = random_graph(60, 0.1, 2)
    release = sf.publish(graph, sf.KDegree(6), seed=1)
    published, seeds, true = release.data, np.arange(12), np.argsort(release.owner.rows)
    rate = (published.n_edges - graph.n_edges) / published.n_pairs
    told = FlipRates(0.0, published.n_edges / published.n_pairs, only_adds=True)
    named = [name_people(graph, published, seeds, true[seeds], 1.0, each) for each in (told, FlipRates(0.0, rate))]
    assert rate > 0
    assert named[0].tolist() == named[1].tolist()
    assert (named[0] == true).sum() > 12


# -- the attack ------------------------------------------------------------------------------------------------------
def test_nearly_everybody_where_names_were_removed():
    graph = social()
    found = found_in(graph, sf.Relabelling())
    assert found["found"].value > 0.95
    assert found["found_busy"].value > 0.99
    assert found["mistaken"].value == 0
    assert found["named_right"].value == 1
    assert found["found"].baseline == 1 / 280
    assert found["found"].low < found["found"].value <= found["found"].high
    assert found.notes[0] == "computed from the original: for its owner alone"
    assert "all edges of the original, with names, the published vertices of the 20 people" in found.notes[1]
    assert len(found.notes) == 2


def test_less_is_found_the_less_is_known():
    graph = social()
    whole, some, half = (found_in(graph, sf.EdgePerturbation(0.01), overlap=share) for share in (1, 0.8, 0.5))
    assert whole["found"].value > 0.6
    assert whole["found"].value > some["found"].value > half["found"].value
    assert whole["mistaken"].value < 0.03
    assert found_in(graph, sf.EdgePerturbation(0.01), overlap=0.5, seeds=60)["found"].value > half["found"].value
    assert "each edge of the original with probability 0.5" in half.notes[1]
    assert "an edge was lost with probability 0.01, and came with 0.01" in half.notes[1]


def test_nobody_where_nothing_is_left():
    found = found_in(social(), sf.EdgePerturbation(0.45))
    assert found["found"].value < 0.03
    assert found["mistaken"].value < 0.1


@pytest.mark.parametrize("edges", [[], [(0, 1)], [(i, j) for i in range(25) for j in range(i)]])
def test_graphs_that_tell_nothing(edges):
    found = found_in(graph_of(edges, 25), sf.Relabelling(), seeds=3)
    assert found["found"].value <= 0.05
    assert found["mistaken"].value == 0
    assert ("found_busy" in found) == (len(edges) > 1)
    assert "named_right" not in found


@pytest.mark.parametrize("method", [sf.KDegree(5), sf.AddDelete(60), sf.SpectralSwitching(0.05, eigenvalues=0)])
@pytest.mark.parametrize("overlap", [1.0, 0.8])
def test_other_methods(method, overlap):
    found = found_in(social(), method, overlap=overlap)
    assert found["found"].value > 0.4
    assert found["mistaken"].value < 0.05
    assert ("edges were only added" in found.notes[1]) == isinstance(method, sf.KDegree)


def test_figures_are_counted_from_names():
    """Everyone is named, rightly or not, or is not; `found` and `mistaken` leave out those known from the start."""
    graph = social(5)
    release = sf.publish(graph, sf.EdgePerturbation(0.02), seed=4)
    found = attack(release, KnownGraphAttack(seeds=15))
    true = np.argsort(release.owner.rows)
    seeds = np.argsort(-graph.degrees, kind="stable")[:15]
    names = name_people(graph, release.data, seeds, true[seeds], 1.0, FlipRates(0.02, 0.02))
    others = np.setdiff1d(np.arange(300), seeds)
    right, named = (names == true)[others], (names >= 0)[others]
    assert 0 < right.sum() < 285
    assert found["found"].value == pytest.approx(right.mean())
    assert found["mistaken"].value == pytest.approx((named & ~right).mean())
    assert found["named_right"].value == pytest.approx(right.sum() / named.sum())
    assert found["found_busy"].value == pytest.approx(right[graph.degrees[others] >= 5].mean())


def test_names_are_given_once_and_the_known_stay():
    graph = social(6)
    published = flip_pairs(graph, 0.03, Randomness(1))
    seeds = np.argsort(-graph.degrees, kind="stable")[:12]
    names = name_people(graph, published, seeds, seeds, 1.0, FlipRates(0.03, 0.03))
    given = names[names >= 0]
    assert len(np.unique(given)) == len(given) > 12
    assert names[seeds].tolist() == seeds.tolist()


def test_the_same_seed_finds_the_same():
    release = sf.publish(social(), sf.EdgePerturbation(0.01), seed=2)
    first, second, other = (attack(release, KnownGraphAttack(overlap=0.6), seed=s).to_dict() for s in (1, 1, 2))
    assert first == second != other
    assert attack_from_dict({"name": "KnownGraphAttack", "overlap": 0.6}) == KnownGraphAttack(overlap=0.6, seeds=20)


@pytest.mark.parametrize("overlap", [0, 1.1, -0.5, True, "all", float("nan")])
def test_overlap_is_a_share(overlap):
    with pytest.raises(ParameterError, match="overlap must be a number above 0 and at most 1, got"):
        KnownGraphAttack(overlap=overlap)


def test_what_does_not_fit():
    with pytest.raises(ParameterError, match="seeds must be a whole number >= 1, got 0"):
        KnownGraphAttack(seeds=0)
    with pytest.raises(ParameterError, match=r"seeds must be a whole number >= 1, got 2\.0"):
        KnownGraphAttack(seeds=2.0)
    release = sf.publish(random_graph(30, 0.2, 1), sf.EdgePerturbation(0.1), seed=1)
    with pytest.raises(DataError, match="30 vertices are published, and the original has 29"):
        attack(release, KnownGraphAttack(), random_graph(29, 0.2, 2))
    with pytest.raises(ParameterError, match="seeds must leave somebody to be found: at most 29 here, got 30"):
        attack(release, KnownGraphAttack(seeds=30))
    assert attack(release, KnownGraphAttack(seeds=29))["found"].baseline == 1


@pytest.mark.data
def test_a_real_graph(data_folder):
    """Whoever has five neighbours or more is found where one pair in a thousand was flipped, or one in a hundred."""
    graph = sf.read_graph(data_folder / "graphs" / "wiki-Vote.txt.gz")
    for mu, overlap in ((1e-3, 1.0), (1e-3, 0.8), (1e-2, 1.0)):
        found = attack(sf.publish(graph, sf.EdgePerturbation(mu), seed=1), KnownGraphAttack(overlap=overlap))
        assert found["found_busy"].value > 0.98
        assert found["found"].value > 0.55
        assert found["mistaken"].value < 0.01
