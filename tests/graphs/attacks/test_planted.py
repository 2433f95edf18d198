"""Attacks by planted accounts, from publishing to what the owner reads."""

import os

import numpy as np
import pytest
from scipy.stats import binom

import sfumato as sf
from sfumato.contracts.attack import attack_from_dict, known_attacks
from sfumato.graphs.attacks import planted as module
from sfumato.graphs.attacks.planted import IntervalWalkAttack, StructuralAttack, WalkBasedAttack
from sfumato.graphs.attacks.planting import plant
from sfumato.graphs.attacks.walk_search import Walks
from sfumato.graphs.flip_rate import FlipRates
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness
from sfumato.verbs.attack import attack
from support.small_graphs import graph_of, random_graph, rings_of_friends

ATTACKS = [WalkBasedAttack, IntervalWalkAttack, StructuralAttack]
SMALL = {"accounts": 10, "victims": 12, "links": 5}


@pytest.fixture(scope="module")
def graph():
    return random_graph(400, 0.03, 0)


def powerful(n, seed):
    """A few vertices with many neighbours, and many with few."""
    rng = np.random.default_rng(seed)
    weight = 1 / np.sqrt(1 + np.arange(n))
    ends = rng.choice(n, size=(2, 4 * n), p=weight / weight.sum())
    return sf.Graph.from_edges(ends[0], ends[1], n)


def narrow(kind):
    return {"beam": 40} if kind is StructuralAttack else {}


def trial_of(method, attacker, graph, seed):
    return attacker.attempt(graph, method, None, Randomness(seed))


# -- where nothing is flipped ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", [sf.Relabelling(), sf.EdgePerturbation(0.0)])
@pytest.mark.parametrize("kind", ATTACKS)
def test_all_are_found_where_names_alone_were_removed(kind, method, graph):
    for original in (graph, powerful(400, 1)):
        found = attack(sf.publish(original, method, seed=1), kind(**SMALL, trials=5))
        assert [found[name].value for name in ("success", "accounts", "victims", "mistaken")] == [1, 1, 1, 0]


@pytest.mark.parametrize("kind", ATTACKS)
def test_what_is_read_off_a_result(kind, graph):
    attacker = kind(**SMALL, trials=4)
    found = attack(sf.publish(graph, sf.Relabelling(), seed=1), attacker)
    assert list(found) == ["victims", "success", "accounts", "mistaken"]
    assert found["accounts"].baseline == 1 / 410
    assert found["victims"].baseline == 1 / 400
    assert found["success"].baseline == found["mistaken"].baseline == 0
    for each in found.values():
        assert 0 <= each.low <= each.value <= each.high <= 1
    assert found["success"].low < 0.8  # four trials do not tell much
    assert found.notes[0] == "computed from the original: for its owner alone"
    assert found.notes[1].startswith("of 4 fresh publications by the same method")
    assert found.to_dict()["attack"] == attacker.to_dict()
    assert attack_from_dict(attacker.to_dict()) == attacker
    assert known_attacks()[kind.__name__] is kind


def test_names_of_the_original_are_not_told():
    rng = np.random.default_rng(0)
    people = [f"person {i}" for i in range(80)]
    original = sf.Graph.from_edges(rng.integers(0, 80, 300), rng.integers(0, 80, 300), 80, people)
    found = attack(sf.publish(original, sf.EdgePerturbation(0.001), seed=1), WalkBasedAttack(**SMALL, trials=3))
    assert "person" not in str(found)
    assert "person" not in str(found.to_dict())


# -- with flips ------------------------------------------------------------------------------------------------------
def kept_exactly(graph, attacker, mu, seed, trials):
    """How likely no two accounts flip and every account keeps its number of neighbours, over plantings."""
    n, k, chances = len(graph), attacker.accounts, []
    for number in range(trials):
        random = Randomness(seed).spawn(f"trial {number}").spawn("planting")
        joined = plant(graph, k, attacker.victims, random, links=attacker.links, apart=attacker.apart).links.sum(axis=0)
        flips = np.arange(6)  # as many lost as came
        same = (binom.pmf(flips, joined[:, None], mu) * binom.pmf(flips, n - joined[:, None], mu)).sum(axis=1)
        chances.append((1 - mu) ** (k * (k - 1) / 2) * same.prod())
    return np.array(chances)


def test_walks_are_found_where_no_pair_of_an_account_flips(graph):
    trials, mu = 300, 1.7e-4
    attacker = WalkBasedAttack(**SMALL, trials=trials)
    found = attack(sf.publish(graph, sf.EdgePerturbation(mu), seed=1), attacker, seed=7)
    closed = (1 - mu) ** (10 * 400 + 45)
    chances = kept_exactly(graph, attacker, mu, 7, trials)
    assert 0.45 < closed < 0.55
    assert chances.mean() == pytest.approx(closed, abs=0.003)  # a link lost and another come is rare
    sigma = np.sqrt((chances * (1 - chances)).sum()) / trials
    assert abs(found["success"].value - chances.mean()) < 3 * sigma
    assert found["mistaken"].value == 0
    wide = attack(sf.publish(graph, sf.EdgePerturbation(mu), seed=1), IntervalWalkAttack(**SMALL, trials=60), seed=7)
    assert wide["success"].value > 0.95


def test_a_walk_is_found_just_where_the_accounts_are_as_they_were(graph):
    """Trial by trial."""
    hits = 0
    for seed in range(60):
        trial = trial_of(sf.EdgePerturbation(2e-4), WalkBasedAttack(**SMALL), graph, seed)
        own, planted = trial.accounts, trial.planted
        inside = trial.published.has_edges(np.repeat(own, 10), np.tile(own, 10)).reshape(10, 10)
        as_planted = (inside == planted.inside).all() and (trial.published.degrees[own] == planted.degrees).all()
        assert (trial.found is not None) == as_planted
        assert trial.accounts_found == float(as_planted)
        if not as_planted:
            assert (trial.victims == -1).all()
            assert trial.victims_found == 0
        hits += as_planted
    assert 10 < hits < 50


def test_what_each_width_and_error_adds():
    """Wider intervals and allowed errors find more; the path must hold."""
    mu, original = 0.006, random_graph(200, 0.05, 0)
    shares, broken = {}, 0
    for width, errors in ((0, 0), (2, 0), (4, 0), (4, 2)):
        attacker = IntervalWalkAttack(accounts=12, victims=10, width=width, errors=errors)
        trials = [trial_of(sf.EdgePerturbation(mu), attacker, original, seed) for seed in range(25)]
        shares[width, errors] = np.mean([trial.accounts_found == 1 for trial in trials])
        for trial in trials:
            own = trial.accounts
            if not trial.published.has_edges(own[:-1], own[1:]).all():
                broken += 1
                assert trial.accounts_found < 1
    assert shares[0, 0] < shares[2, 0] < shares[4, 0] < shares[4, 2]
    assert broken


def walks_of(paths, k):
    return Walks(np.array(paths, dtype=np.int32).reshape(-1, k), np.zeros(len(paths), dtype=np.int64), True, 1)


def test_intervals_widen_first_and_then_errors_are_allowed(graph, monkeypatch):
    """To the last width and the last error, and no further than to the first path."""
    asked, given = [], []

    def watched(published, inside, low, high, errors, steps):
        asked.append((int((high - low).max()) // 2, errors))
        return walks_of(given if len(asked) == 5 else [], 10)

    monkeypatch.setattr(module, "find_walks", watched)
    planted, rates = plant(graph, 10, 12, Randomness(0)), FlipRates(0.01, 0.01)
    attacker = IntervalWalkAttack(**SMALL, width=3, errors=2)
    assert attacker.recover(planted.graph, planted, rates) is None
    assert asked == [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2)]
    asked.clear()
    given.append(list(range(10)))
    assert attacker.recover(planted.graph, planted, rates).tolist() == list(range(10))
    assert len(asked) == 5
    asked.clear()
    IntervalWalkAttack(**SMALL, width=0, errors=0).recover(planted.graph, planted, rates)
    assert asked == [(0, 0)]


@pytest.mark.parametrize("at", range(3))
def test_of_several_paths_the_likeliest_is_taken(at, graph, monkeypatch):
    planted = plant(graph, 10, 12, Randomness(0))
    paths = [list(range(10)), list(range(50, 60))]
    paths.insert(at, planted.accounts.tolist())
    monkeypatch.setattr(module, "find_walks", lambda *_, **__: walks_of(paths, 10))
    found = IntervalWalkAttack(**SMALL).recover(planted.graph, planted, FlipRates(0.01, 0.01))
    assert found.tolist() == planted.accounts.tolist()
    assert WalkBasedAttack(**SMALL).recover(planted.graph, planted, FlipRates(0.01, 0.01)) is None  # it cannot tell


def test_victims_by_all_their_links_or_by_most():
    """Vertex 4 lacks one of the victim's three links."""
    graph, accounts = graph_of([(0, 1), (1, 2), (2, 3), (0, 4), (1, 4)], 6), np.arange(4, dtype=np.int32)
    links = np.array([[True, True, True, False], [True, True, False, False]])
    rates = FlipRates(0.01, 0.01)
    assert WalkBasedAttack().tell_victims(graph, accounts, links, rates).tolist() == [-1, 4]
    assert IntervalWalkAttack().tell_victims(graph, accounts, links, rates).tolist() == [4, 4]
    assert StructuralAttack().tell_victims(graph, accounts, links, rates).tolist() == [-1, 4]  # nobody is two victims


@pytest.mark.parametrize("seed", range(4))
def test_structure_is_found_though_the_path_is_broken(seed):
    original = rings_of_friends(200, 6, 1)
    attacker = StructuralAttack(accounts=14, victims=10, beam=200)
    trial = trial_of(sf.EdgePerturbation(0.02), attacker, original, seed)
    assert trial.accounts_found == 1
    assert trial.victims_found > 0.7
    assert trial.rates == FlipRates(0.02, 0.02)


def test_a_trial_holds_the_truth(graph):
    trial = trial_of(sf.EdgePerturbation(0.001), IntervalWalkAttack(**SMALL), graph, 5)
    assert sorted(trial.truth.tolist()) == list(range(410))
    u, v = trial.planted.graph.edges
    assert trial.published.has_edges(trial.truth[u], trial.truth[v]).mean() > 0.99
    assert (trial.accounts == trial.truth[400:]).all()
    assert trial.accounts_found == 1
    assert trial.victims_found == (trial.victims == trial.truth[trial.planted.victims]).mean() > 0.8


def test_shares_of_what_was_found(graph):
    """By hand: half of the accounts, one victim of two."""
    planted = plant(graph, 4, 2, Randomness(0), links=2, apart=1)
    truth = np.roll(np.arange(404), 3)
    found = truth[planted.accounts].astype(np.int32)
    found[:2] = found[1::-1]
    named = np.array([truth[planted.victims[0]], -1])
    trial = module.Trial(planted, planted.graph, FlipRates(0, 0), truth, found, named)
    assert trial.accounts_found == trial.victims_found == 0.5
    tally = module.Tally(
        np.array([1.0, 0.5, 0.0, 1.0]), np.array([0.5, 0.5, 0.0, 0.0]), np.array([True, True, False, True]),
        np.array([False] * 4), 4,
    )  # fmt: skip
    assert tally.successes.tolist() == [True, False, False, False]
    figures = tally.figures(400)
    assert {name: figures[name].value for name in figures} == {
        "success": 0.25, "accounts": 0.625, "victims": 0.25, "mistaken": 0.25,
    }  # fmt: skip


# -- as any attack ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ATTACKS)
def test_a_seed_repeats_and_threads_change_nothing(kind, graph, monkeypatch):
    release = sf.publish(graph, sf.EdgePerturbation(0.01), seed=1)
    attacker = kind(accounts=8, victims=6, links=3, trials=4, **narrow(kind))
    first, again, other = (attack(release, attacker, seed=seed).to_dict() for seed in (1, 1, 2))
    assert first == again
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert attack(release, attacker, seed=1).to_dict() == first
    assert attack(release, attacker) == attack(release, attacker, seed=0)
    if kind is not WalkBasedAttack:
        assert other != first


@pytest.mark.parametrize("method", [sf.AddDelete(0), sf.AddDelete(8), sf.AddDelete(0.05), sf.KDegree(5)])
@pytest.mark.parametrize("kind", ATTACKS)
def test_other_methods(kind, method):
    original = random_graph(120, 0.08, 1)
    found = attack(sf.publish(original, method, seed=1), kind(**SMALL, trials=3, **narrow(kind)))
    assert 0 <= found["success"].value <= found["accounts"].value <= 1
    if method == sf.AddDelete(0):
        assert found["success"].value == 1


def test_the_wrong_original(graph):
    release = sf.publish(graph, sf.Relabelling(), seed=1)
    with pytest.raises(DataError, match="400 vertices are published, and the original has 399; give the original"):
        attack(release, WalkBasedAttack(**SMALL, trials=1), random_graph(399, 0.03, 0))


def test_more_victims_than_can_be(graph):
    release = sf.publish(graph, sf.Relabelling(), seed=1)
    with pytest.raises(ParameterError, match="there are 400 people to aim at, got 401 victims"):
        attack(release, WalkBasedAttack(victims=401, trials=2))
    with pytest.raises(InfeasibleError, match=r"50 sets of 5 out of 8 accounts .* make more accounts"):
        attack(release, WalkBasedAttack(accounts=8, victims=50, links=5, trials=50))


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        (WalkBasedAttack, {"accounts": 1}, "accounts must be from 2 to 64, got 1"),
        (WalkBasedAttack, {"accounts": 65}, "accounts must be from 2 to 64, got 65"),
        (WalkBasedAttack, {"accounts": 8.0}, "accounts must be a whole number >= 1, got 8.0"),
        (WalkBasedAttack, {"accounts": True}, "accounts must be a whole number >= 1, got True"),
        (
            WalkBasedAttack,
            {"accounts": 4, "links": 5},
            "links must not be more than accounts.* links=5 and apart=2 for 4 accounts",
        ),
        (WalkBasedAttack, {"links": 5, "apart": 6}, "got links=5 and apart=6 for 20 accounts"),
        (WalkBasedAttack, {"apart": 0}, "apart must be a whole number >= 1, got 0"),
        (WalkBasedAttack, {"links": 0}, "links must be a whole number >= 1, got 0"),
        (WalkBasedAttack, {"victims": 0}, "victims must be a whole number >= 1, got 0"),
        (WalkBasedAttack, {"victims": "all"}, "victims must be a whole number >= 1, got 'all'"),
        (StructuralAttack, {"trials": 0}, "trials must be a whole number >= 1, got 0"),
        (IntervalWalkAttack, {"trials": None}, "trials must be a whole number >= 1, got None"),
        (IntervalWalkAttack, {"width": -1}, "width must be a whole number >= 0, got -1"),
        (IntervalWalkAttack, {"errors": 0.5}, "errors must be a whole number >= 0, got 0.5"),
        (IntervalWalkAttack, {"accounts": 99}, "accounts must be from 2 to 64, got 99"),
        (StructuralAttack, {"beam": 0}, "beam must be a whole number >= 1, got 0"),
        (StructuralAttack, {"links": 21}, "links must not be more than accounts"),
    ],
)
def test_numbers_that_cannot_be(kind, wrong, message):
    with pytest.raises(ParameterError, match=message):
        kind(**wrong)


def test_as_many_victims_as_in_the_thesis(graph):
    assert len(trial_of(sf.Relabelling(), WalkBasedAttack(accounts=16), graph, 1).victims) == 64
    assert len(trial_of(sf.Relabelling(), WalkBasedAttack(accounts=16), random_graph(40, 0.1, 1), 1).victims) == 40


@pytest.mark.parametrize("accounts", [4, 6, 8, 10, 64])
def test_any_number_of_accounts_goes_without_saying_more(accounts):
    trial = trial_of(sf.Relabelling(), StructuralAttack(accounts=accounts, beam=20), random_graph(200, 0.05, 1), 1)
    planted = trial.planted
    assert 1 <= len(planted.victims) <= max(accounts**2 // 4, 1)
    assert planted.inside.shape == (accounts, accounts)
    assert len(trial.victims) == len(planted.victims)
    if accounts == 64:
        assert trial.accounts_found == 1


# -- a real graph ----------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def enron(data_folder):
    whole = sf.read_graph(data_folder / "graphs" / "email-Enron.txt.gz")
    return whole.subgraph(np.sort(np.argsort(-whole.degrees, kind="stable")[:4644]))


def share(graph, attacker, mu):
    with steps(1) as progress:
        tally = attacker.rates_of(graph, sf.EdgePerturbation(mu), None, Randomness(3), progress)
    return float(tally.successes.mean())


@pytest.mark.data
def test_accounts_among_those_who_write_most(enron):
    """The thesis's figure 4.5: exact degrees fail at once, intervals hold on, and structure alone holds out."""
    assert share(enron, WalkBasedAttack(accounts=30, trials=20), 1e-4) == 0
    assert share(enron, IntervalWalkAttack(accounts=30, trials=20), 1e-4) >= 0.8
    assert share(enron, IntervalWalkAttack(accounts=30, trials=20), 2e-3) <= 0.6
    assert share(enron, StructuralAttack(accounts=30, trials=3, beam=200), 1e-3) == 1


def test_degrees_made_alike_do_not_hide_accounts():
    graph = powerful(400, 1)
    release = sf.publish(graph, sf.KDegree(5), seed=1)
    found = attack(release, StructuralAttack(accounts=14, trials=6))
    assert found["success"].value >= 0.8
    assert found["victims"].value > 0.8


def test_two_accounts_are_few_but_allowed(graph):
    release = sf.publish(graph, sf.Relabelling(), seed=1)
    assert 0 <= attack(release, StructuralAttack(accounts=2, trials=2))["victims"].value <= 1


def test_the_interval_of_what_never_failed_is_not_a_point(graph):
    release = sf.publish(graph, sf.Relabelling(), seed=1)
    found = attack(release, StructuralAttack(accounts=12, trials=5))
    assert found["accounts"].value == 1
    assert found["accounts"].low < 0.9


def test_a_search_that_is_cut_short_is_no_failure(graph, monkeypatch):
    """Nothing found, and not to the end: it may have succeeded, and the upper end says so."""
    monkeypatch.setattr(module, "_STEPS", 30)
    release = sf.publish(graph, sf.EdgePerturbation(0.01), seed=1)
    found = attack(release, IntervalWalkAttack(**SMALL, trials=3))
    assert found["success"].value == 0
    assert found["success"].high == 1
    assert "in 3 of them the search was cut short, and might have succeeded" in found.notes


def test_widths_and_errors_beyond_reason_end(graph):
    """Every degree is within 10,000, and there are 45 pairs."""
    settings = list(IntervalWalkAttack(**SMALL, width=10_000, errors=10_000)._settings(30, 45))
    assert len(settings) == 62 + 45
    assert settings[-1] == (61, 45)


@pytest.mark.parametrize("kind", [sf.StructuralAttack, sf.DegreeAttack, sf.RefinementAttack])
def test_another_graph_of_the_same_size_is_refused(kind, graph):
    release = sf.publish(graph, sf.EdgePerturbation(0.0001), seed=1)
    for other in (random_graph(400, 0.03, 9), graph.renumbered(np.roll(np.arange(400), 1))):
        with pytest.raises(DataError, match="not made from this graph"):
            attack(release, kind(), other)
        with pytest.raises(DataError, match="not made from this graph"):
            sf.measure(release, other)
