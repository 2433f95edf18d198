"""Any metric followed back to no noise, beside its mean over graphs that may have been the original one."""

import numpy as np
import pytest

from sfumato.graphs.counts.metrics import (
    average_path_length,
    measure_of,
)
from sfumato.graphs.estimates.menu import estimate_graph
from sfumato.graphs.estimates.posterior import PosteriorGraphs
from sfumato.graphs.estimates.simex import estimate_metrics, posterior_mean, simex
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.small_graphs import edges, random_graph, rings_of_friends


def test_simex_follows_a_straight_line_back():
    """The number of edges is linear in the noise, so its mean is found."""
    graph, mu = random_graph(60, 0.1, 1), 0.05
    found = [
        simex(flip_pairs(graph, mu, Randomness(s)), mu, measure_of([edges]), Randomness(-s), draws=3)[0]
        for s in range(60)
    ]
    assert np.mean(found) == pytest.approx(graph.n_edges, abs=4 * np.std(found) / np.sqrt(60))


def test_simex_of_the_logarithm():
    """A number that decays with the noise is found on the log scale."""
    graph, mu, seen = random_graph(30, 0.2, 1), 0.1, []

    def decays(each):
        seen.append(each.n_edges)
        return np.array([np.exp(-each.n_edges / 50), -1.0])

    back = simex(graph, mu, decays, Randomness(1), draws=2, log=True)
    assert len(seen) == 9
    noise = [mu + f * mu - 2 * mu * f * mu for f in (0, 0.5, 1, 1.5, 2)]
    values = [np.exp(-np.array(part) / 50).mean() for part in (seen[:1], seen[1:3], seen[3:5], seen[5:7], seen[7:])]
    assert seen[0] == graph.n_edges
    assert back[0] == pytest.approx(np.exp(np.polyfit(noise, np.log(values), 2)[-1]), rel=1e-9)
    assert back[1] == pytest.approx(-1)


def test_path_length_is_read_better_than_seen():
    graph, mu = rings_of_friends(300, 6, 5), 0.002
    truth, measure = average_path_length(graph), measure_of(["average_path_length"])
    errors = []
    for seed in range(5):
        seen = flip_pairs(graph, mu, Randomness(seed))
        errors.append(
            [
                measure(seen)[0] - truth,
                simex(seen, mu, measure, Randomness(-seed), draws=3, log=True)[0] - truth,
                posterior_mean(PosteriorGraphs(seen, mu), measure, Randomness(-seed), draws=3)[0] - truth,
            ]
        )
    plain, followed, drawn = np.sqrt((np.array(errors) ** 2).mean(axis=0))
    assert plain > 0.5
    assert followed < 0.6 * plain
    assert drawn < 0.3 * plain


def test_both_ways_are_told_and_a_difference_is_flagged():
    graph = rings_of_friends(200, 6, 5)
    seen = flip_pairs(graph, 0.01, Randomness(1))
    told = estimate_graph(seen, 0.01, metrics=("average_path_length", hub), random=Randomness(2), repeats=3)
    far, near = told["average_path_length"], told["hub"]
    assert not far.agrees
    assert far.apart > 0.05
    assert "differ by more than 5%" in far.simex.note
    assert far.simex.low < far.simex.value < far.simex.high
    assert near.name == "hub"


def hub(graph):
    return int(graph.degrees.max())


def test_errors_can_be_left_out():
    graph = random_graph(40, 0.1, 1)
    told = estimate_metrics(graph, 0.01, measure_of([edges]), ["edges"], Randomness(1), repeats=0)["edges"]
    assert told.simex.stderr is None
    assert told.agrees
    assert told.simex.note == ""
    for wrong in ({"repeats": 1}, {"draws": 0}):
        with pytest.raises(ParameterError, match="must be"):
            estimate_metrics(graph, 0.01, measure_of([edges]), ["edges"], Randomness(1), **wrong)


def test_a_metric_that_is_not_finite_is_left_unsaid():
    graph = random_graph(30, 0.1, 1)
    measure = measure_of([endless])
    told = estimate_metrics(graph, 0.01, measure, ["endless"], Randomness(1), repeats=0)["endless"]
    assert told.simex.value is None
    assert "not finite" in told.simex.note


def endless(graph):
    return float("inf") if graph.n_edges % 2 else 1.0
