"""The search by likelihood, against plain sums and against all ordered choices of vertices."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.graphs.attacks import likelihood_search
from sfumato.graphs.attacks.likelihood_search import Evidence, likeliest_placement, weigh_accounts
from sfumato.graphs.attacks.planting import plant
from sfumato.graphs.flip_rate import FlipRates
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness
from support.small_graphs import graph_of, matrix, pairs_of, random_graph, rings_of_friends

NO_FLIPS = FlipRates(0.0, 0.0)


def some_evidence(n, k, seed, rates, density=0.4):
    """A published graph, what accounts were planted, and what is known of them."""
    planted = plant(random_graph(n - k, density, seed), k, min(2, n - k), Randomness(seed), links=2, apart=1)
    published = flip_pairs(planted.graph, rates.lost, Randomness(seed + 1))
    published = published.renumbered(Randomness(seed + 2).permutation(n))
    return published, weigh_accounts(published, planted.inside, planted.degrees, rates)


def slow_weight(evidence, path, graph):
    there = pairs_of(graph)
    kept, lost, came, stayed = evidence.pairs.tolist()
    last = evidence.degrees.shape[1] - 1
    total = sum(float(evidence.degrees[i, min(graph.degrees[v], last)]) for i, v in enumerate(path))
    for i, j in combinations(range(len(path)), 2):
        u, v = path[i], path[j]
        seen = (min(u, v), max(u, v)) in there
        usual = max(min(float(evidence.popularity[u] + evidence.popularity[v]), 0.0), evidence.closure)
        if evidence.inside[i, j]:
            total += kept if seen else lost
        else:
            total += came if seen else stayed
        total -= usual if seen else math.log(1 - math.exp(evidence.closure))
    return total


# -- evidence --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rates", [FlipRates(0.1, 0.1), FlipRates(0.2, 0.01), NO_FLIPS])
@pytest.mark.parametrize("seed", range(4))
def test_evidence_is_a_plain_sum(rates, seed):
    graph, evidence = some_evidence(14, 5, seed, rates)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        path = rng.permutation(14)[:5].astype(np.int32)
        assert evidence.of(path, graph) == pytest.approx(slow_weight(evidence, path.tolist(), graph), abs=1e-9)


@pytest.mark.parametrize("rates", [FlipRates(0.1, 0.1), FlipRates(0.3, 0.02)])
def test_what_is_weighed(rates):
    graph, degrees = rings_of_friends(40, 6, 1), np.array([3, 1, 9])
    inside = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=bool)
    evidence = weigh_accounts(graph, inside, degrees, rates)
    assert np.exp(evidence.pairs) == pytest.approx([1 - rates.lost, rates.lost, rates.came, 1 - rates.came])
    most = int(graph.degrees.max())
    for account, d in enumerate(degrees.tolist()):
        for x in range(most + 1):
            stay = np.arange(min(d, x) + 1)
            own = (binom.pmf(stay, d, 1 - rates.lost) * binom.pmf(x - stay, 39 - d, rates.came)).sum()
            usual = ((graph.degrees == x).sum() + 0.5) / (40 + 0.5 * (most + 1))
            assert evidence.degrees[account, x] == pytest.approx(math.log(own / usual), rel=1e-9)
    u, v = 4, 17
    joined = graph.degrees[u] * graph.degrees[v] / (2 * graph.n_edges)
    assert math.exp(evidence.popularity[u] + evidence.popularity[v]) == pytest.approx(joined)
    there = matrix(graph)
    closed = np.trace(there @ there @ there) / (there.sum(axis=0) * (there.sum(axis=0) - 1)).sum()
    assert math.exp(evidence.closure) == pytest.approx(closed)
    assert 0.2 < closed < 0.9


def test_evidence_where_little_is_there():
    pair = np.array([[False, True], [True, False]])
    for graph in (graph_of([], 4), graph_of([(0, 1)], 4), graph_of(combinations(range(5), 2), 5)):
        for rates in (NO_FLIPS, FlipRates(0.1, 0.1)):
            evidence = weigh_accounts(graph, pair, np.array([1, 3]), rates)
            assert np.isfinite(evidence.of(np.array([0, 2], dtype=np.int32), graph))
            assert np.isfinite(evidence.degrees).all()


# -- growing ---------------------------------------------------------------------------------------------------------
def slow_growth(graph, evidence, order, path):
    """All that a placement can become by one more account, and what each is worth."""
    there, last = matrix(graph).astype(bool), order[-1]
    found = {}
    for v in range(len(graph)):
        fits = (
            evidence.degrees[last, min(graph.degrees[v], evidence.degrees.shape[1] - 1)]
            > likelihood_search._IMPLAUSIBLE
        )
        joined = any(there[v, u] and evidence.inside[last, i] for u, i in zip(path, order[:-1], strict=True))
        if v not in path and fits and joined:
            found[(*path, v)] = partial_weight(graph, evidence, order, (*path, v))
    return found


def partial_weight(graph, evidence, order, path):
    chosen = Evidence(
        evidence.inside[np.ix_(order, order)], evidence.pairs, evidence.degrees[order], evidence.popularity,
        evidence.closure,
    )  # fmt: skip
    return slow_weight(chosen, path, graph)


@pytest.mark.parametrize("rates", [FlipRates(0.05, 0.05), FlipRates(0.2, 0.01), NO_FLIPS])
@pytest.mark.parametrize("seed", range(4))
def test_growing_keeps_the_likeliest(seed, rates):
    graph, evidence = some_evidence(16, 6, seed, rates)
    rng = np.random.default_rng(seed)
    order = likelihood_search._placing_order(evidence.inside, int(rng.integers(6)))[:4]
    paths = np.unique([rng.permutation(16)[:3] for _ in range(30)], axis=0).astype(np.int32)
    scores = np.array([partial_weight(graph, evidence, order[:3], path) for path in paths.tolist()])
    slow = {}
    for path in paths.tolist():
        slow |= slow_growth(graph, evidence, order, path)
    assert len(slow) > 20 or rates == NO_FLIPS
    best_first = sorted(slow.values(), reverse=True)
    for beam in (1, 2, 7, 1000):
        grown, worth = likelihood_search._extend_placements(graph, evidence, order, paths, scores, beam)
        assert len(grown) == min(beam, len(slow))
        assert sorted(worth.tolist(), reverse=True) == pytest.approx(best_first[:beam], abs=1e-9)
        for path, score in zip(grown.tolist(), worth.tolist(), strict=True):
            assert score == pytest.approx(slow[tuple(path)], abs=1e-9)
        assert len({tuple(path) for path in grown.tolist()}) == len(grown)


@pytest.mark.parametrize("first", range(5))
def test_whole_placements_are_worth_the_same_in_every_order(first):
    graph, evidence = some_evidence(14, 5, 3, FlipRates(0.05, 0.05))
    order = likelihood_search._placing_order(evidence.inside, first)
    assert order[0] == first
    assert sorted(order.tolist()) == list(range(5))
    paths, scores = np.arange(14, dtype=np.int32).reshape(-1, 1), evidence.degrees[first][graph.degrees]
    for t in range(1, 5):
        paths, scores = likelihood_search._extend_placements(graph, evidence, order[: t + 1], paths, scores, 10_000)
    assert len(paths) > 20
    for path, score in zip(paths[:200], scores[:200], strict=True):
        placement = np.empty(5, dtype=np.int32)
        placement[order] = path
        assert score == pytest.approx(evidence.of(placement, graph), abs=1e-9)


def test_accounts_are_placed_beside_those_they_are_joined_to():
    inside = np.zeros((5, 5), dtype=bool)
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (1, 3), (0, 3)):
        inside[a, b] = inside[b, a] = True
    assert likelihood_search._placing_order(inside, 4).tolist() == [4, 3, 0, 1, 2]
    assert likelihood_search._placing_order(inside, 0).tolist() == [0, 1, 3, 2, 4]


# -- the placement found ---------------------------------------------------------------------------------------------
def reachable(graph, evidence, order, path):
    """Whether the search can come by this placement."""
    there = matrix(graph).astype(bool)
    if evidence.degrees[order[0], graph.degrees[path[order[0]]]] <= likelihood_search._IMPLAUSIBLE:
        return False
    return all(
        evidence.degrees[i, graph.degrees[path[i]]] > likelihood_search._IMPLAUSIBLE
        and any(there[path[i], path[j]] and evidence.inside[i, j] for j in order[:t])
        for t, i in enumerate(order)
        if t
    )


@pytest.mark.parametrize("rates", [FlipRates(0.1, 0.1), FlipRates(0.02, 0.02), NO_FLIPS])
@pytest.mark.parametrize("seed", range(5))
def test_with_room_for_all_the_likeliest_of_all_is_found(seed, rates):
    k = 4
    graph, evidence = some_evidence(8, k, seed, rates, density=0.5)
    found = likeliest_placement(graph, evidence, 10_000)
    worth = {path: slow_weight(evidence, path, graph) for path in permutations(range(8), k)}
    starts = np.argsort(-evidence.degrees.max(axis=1), kind="stable")[:3]
    orders = [likelihood_search._placing_order(evidence.inside, int(first)).tolist() for first in starts]
    best = max(
        (score for path, score in worth.items() for order in orders if reachable(graph, evidence, order, path)),
        default=None,
    )
    if best is None:
        assert found is None
    else:
        assert len(set(found.tolist())) == k
        assert worth[tuple(found.tolist())] >= best - 1e-9
        if rates.lost:  # here no placement out of reach is likelier
            assert worth[tuple(found.tolist())] == pytest.approx(max(worth.values()))


@pytest.mark.parametrize("seed", range(10))
def test_mending_never_lowers_and_ends_where_no_one_account_can_move(seed):
    graph, evidence = some_evidence(12, 5, seed, FlipRates(0.05, 0.05))
    start = np.random.default_rng(seed).permutation(12)[:5].astype(np.int32)
    mended = likelihood_search._polish_placement(graph, evidence, start.copy())
    assert evidence.of(mended, graph) >= evidence.of(start, graph) - 1e-9
    assert len(set(mended.tolist())) == 5


def test_mending_keeps_what_it_could_not_have_found():
    """Account 0 lost its only edge; whoever is joined as it should be has a degree that fits much less."""
    graph = graph_of([(1, 2), (1, 3)], 4)
    path = np.eye(3, k=1, dtype=bool) | np.eye(3, k=-1, dtype=bool)
    degrees = np.array([[10.0, -10.0, 0.0], [-10.0, -10.0, 10.0], [-10.0, 10.0, -10.0]])
    evidence = Evidence(path, np.log([0.9, 0.1, 0.1, 0.9]), degrees, np.full(4, -1.0), math.log(0.3))
    truth = np.array([0, 1, 2], dtype=np.int32)
    assert likelihood_search._polish_placement(graph, evidence, truth).tolist() == [0, 1, 2]
    assert evidence.of(truth, graph) > evidence.of(np.array([3, 1, 2], dtype=np.int32), graph)


def test_mending_puts_one_wrong_account_right():
    planted = plant(random_graph(150, 0.05, 2), 12, 10, Randomness(2))
    evidence = weigh_accounts(planted.graph, planted.inside, planted.degrees, FlipRates(0.01, 0.01))
    truth = planted.accounts.astype(np.int32)
    for wrong in range(12):
        start = truth.copy()
        start[wrong] = 7
        assert (likelihood_search._polish_placement(planted.graph, evidence, start) == truth).all()
        assert start[wrong] == 7  # what was given stays


@pytest.mark.parametrize("mu", [0.0, 0.005, 0.02])
@pytest.mark.parametrize("seed", range(3))
def test_planted_accounts_are_found_with_the_path_broken(seed, mu):
    planted = plant(rings_of_friends(250, 8, seed), 16, 20, Randomness(seed))
    numbers = Randomness(seed + 9).permutation(266)
    seen = flip_pairs(planted.graph, mu, Randomness(seed)) if mu else planted.graph
    there = pairs_of(seen)
    a, b = planted.accounts[3:5].tolist()
    cut = graph_of((there - {(a, b)}) if mu else there, 266).renumbered(numbers)
    evidence = weigh_accounts(cut, planted.inside, planted.degrees, FlipRates(mu, mu))
    found = likeliest_placement(cut, evidence, 300)
    assert found.tolist() == numbers[planted.accounts].tolist()


def test_few_placements_kept_find_no_more():
    """A beam of one is a greedy search."""
    planted = plant(rings_of_friends(250, 8, 1), 12, 20, Randomness(1))
    seen = flip_pairs(planted.graph, 0.03, Randomness(1))
    evidence = weigh_accounts(seen, planted.inside, planted.degrees, FlipRates(0.03, 0.03))
    worth = [evidence.of(likeliest_placement(seen, evidence, beam), seen) for beam in (1, 10, 500)]
    assert worth == sorted(worth)


def test_nobody_has_such_a_degree():
    graph = rings_of_friends(60, 4, 1, rewired=0)  # everybody has four neighbours
    inside = ~np.eye(6, dtype=bool)
    assert likeliest_placement(graph, weigh_accounts(graph, inside, np.full(6, 9), NO_FLIPS)) is None
    assert (
        likeliest_placement(graph_of([], 20), weigh_accounts(graph_of([], 20), inside, np.full(6, 5), NO_FLIPS)) is None
    )
