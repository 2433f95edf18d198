"""What adversaries achieve at each mu: formulas against attacks, and the mu that stops them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import sfumato as sf
from sfumato.data.graph import Graph
from sfumato.graphs.attacks.planted import IntervalWalkAttack, WalkBasedAttack
from sfumato.graphs.attacks.structural import structural_risk
from sfumato.graphs.risk.choosing_mu import backbone_survives, degree_kernel, interval_coverage, path_mu
from sfumato.graphs.risk.graph_risk import graph_risk
from sfumato.graphs.risk.least_mu import degree_evidence, expected_success, least_mu, usual_degree
from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness


def scattered(n=400, m=1600, seed=2):
    ends = np.random.default_rng(seed).integers(0, n, (2, m))
    return Graph.from_edges(*ends, n)


GRAPH = scattered()


def measured(attack, mu):
    with steps(1) as progress:
        return attack.rates_of(GRAPH, sf.EdgePerturbation(mu), None, Randomness(8), progress).successes


def test_expected_success_in_closed_form():
    n, k, mu = len(GRAPH) + 12, 12, 0.002
    touching = 12 * 400 + 66
    assert expected_success(GRAPH, "walk-based", mu, accounts=12) == pytest.approx((1 - mu) ** touching)
    assert expected_success(GRAPH, "path", mu, accounts=12) == backbone_survives(mu, 12)
    density, told = GRAPH.n_edges / GRAPH.n_pairs, 12 * degree_evidence(GRAPH, n, k, mu)
    by_both = structural_risk(n, k, mu, density, known=told).mean
    assert expected_success(GRAPH, "structural", mu, accounts=12) == by_both > structural_risk(n, k, mu, density).mean
    all_near = interval_coverage(n, usual_degree(GRAPH, k), mu, 3) ** k
    no_error = (1 - mu) ** 55
    found = expected_success(GRAPH, "interval-walk", mu, accounts=12, width=3, errors=0)
    assert found == pytest.approx(backbone_survives(mu, 12) * all_near * no_error)
    with pytest.raises(ParameterError, match="did you mean 'structural'"):
        expected_success(GRAPH, "structura", mu)


@pytest.mark.parametrize(
    ("name", "attack", "mu"),
    [
        ("walk-based", WalkBasedAttack(accounts=12, trials=120), 1.5e-4),
        ("interval-walk", IntervalWalkAttack(accounts=12, trials=120, width=3, errors=1), 0.008),
    ],
)
def test_attacks_succeed_as_often_as_expected(name, attack, mu):
    asked = {"width": 3, "errors": 1} if name == "interval-walk" else {}
    expected = expected_success(GRAPH, name, mu, accounts=12, **asked)
    assert 0.2 < expected < 0.8
    share = measured(attack, mu).mean()
    assert abs(share - expected) < 3.5 * math.sqrt(expected * (1 - expected) / attack.trials) + 0.03


@pytest.mark.parametrize("name", ["walk-based", "interval-walk", "structural", "path"])
@pytest.mark.parametrize("success", [0.01, 0.1, 0.5])
def test_least_mu_stops_and_a_little_less_does_not(name, success):
    mu = least_mu(GRAPH, name, accounts=12, success=success)
    assert expected_success(GRAPH, name, mu, accounts=12) <= success * (1 + 1e-6)
    assert expected_success(GRAPH, name, mu * 0.995, accounts=12) > success
    for more in (1.05, 1.5, 2.0):
        if mu * more < 0.5:
            assert expected_success(GRAPH, name, mu * more, accounts=12) <= success * (1 + 1e-6)


def test_the_thesis_bound_is_that_the_path_breaks():
    assert least_mu(GRAPH, "path", accounts=20, success=0.1) == path_mu(20, 0.1)


def test_risk_holds_all_that_was_asked():
    risk = graph_risk(GRAPH, [1e-4, 0.01], accounts=12, trials=6)
    assert list(risk) == [1e-4, 0.01]
    row = risk[0.01]
    assert set(row.expected) == set(row.measured) == set(row.victims) == {"walk-based", "interval-walk", "structural"}
    assert set(risk.least) == {*row.expected, "path"}
    assert set(risk.most) == set(row.reach)
    assert row.backbone == backbone_survives(0.01, 12)
    kept, came = GRAPH.n_edges * 0.99, (GRAPH.n_pairs - GRAPH.n_edges) * 0.01
    assert row.true_edges == pytest.approx(kept / (kept + came))
    assert risk[1e-4].measured["interval-walk"].value == 1
    assert row.measured["walk-based"].value == 0
    assert row.victims["structural"].value >= row.measured["structural"].value * 0.5
    frame = risk.frame
    assert frame.height == 2
    assert {"mu", "expected_walk_based", "measured_structural_high", "reach_transitivity"} <= set(frame.columns)
    plain = json.loads(json.dumps(risk.to_dict()))
    assert plain["least"] == risk.least
    assert plain["by_mu"][1]["expected"] == dict(row.expected)


def test_risk_reads_well():
    said = str(graph_risk(GRAPH, 0.001, accounts=12))
    assert "An adversary with 12 accounts" in said
    assert "Measured" not in said
    assert "Expected to succeed in 10% of publications at most from" in said
    assert "Estimated to within 10% up to" in said
    assert max(map(len, said.splitlines())) < 120


@pytest.mark.slow
def test_the_same_seed_measures_the_same():
    first, again, other = (
        graph_risk(GRAPH, 0.008, accounts=10, trials=8, seed=seed).frame for seed in (1, 1, 2)
    )  # fmt: skip
    assert first.equals(again)
    assert first.columns == other.columns


def test_bad_input_gets_a_sentence():
    with pytest.raises(ParameterError, match="takes a Graph"):
        graph_risk("graph.csv")
    with pytest.raises(ParameterError, match="mu must be a number from 0 to below"):
        graph_risk(GRAPH, [0.1, 0.7])
    with pytest.raises(ParameterError, match="trials must be a whole number >= 0"):
        graph_risk(GRAPH, trials=-1)
    with pytest.raises(ParameterError, match="accounts must be from 2 to 64"):
        graph_risk(GRAPH, accounts=65)
    with pytest.raises(ParameterError, match="success must be a probability"):
        least_mu(GRAPH, success=1.0)
    with pytest.raises(ParameterError, match="3 vertices and an edge"):
        graph_risk(Graph.from_edges([], [], 5))


def test_no_flips():
    row = graph_risk(GRAPH, 0.0)[0.0]
    assert row.epsilon is None
    assert row.true_edges == row.backbone == row.coverage == 1
    assert row.expected["walk-based"] == row.expected["interval-walk"] == 1
    assert set(row.reach.values()) == {0.0}


def test_degrees_tell_on_average_what_a_sample_tells():
    """The mean of log law / shares over drawn degrees, with the shares of a perturbed graph."""
    n, mu = len(GRAPH) + 12, 0.01
    degree = usual_degree(GRAPH, 12)
    drawn = np.random.default_rng(4)
    seen = degree - drawn.binomial(degree, mu, 4000) + drawn.binomial(n - 1 - degree, mu, 4000)
    law = degree_kernel(n, degree, mu)
    others = np.mean([degree_kernel(n, int(d), mu) for d in GRAPH.degrees], axis=0)
    sampled = np.log(law[seen] / (others[seen] + 0.5 / n)).mean()
    assert degree_evidence(GRAPH, n, 12, mu) == pytest.approx(sampled, abs=0.1)


def test_a_stronger_adversary_needs_no_less():
    """Of a dense graph edges tell nothing, and degrees all: no mu of 0 is ever told."""
    dense = Graph.from_edges(
        *(end[np.random.default_rng(1).random(79800) < 0.5] for end in np.triu_indices(400, 1)), 400
    )
    for graph in (dense, GRAPH):
        for k in (5, 8, 20):
            walks = max(least_mu(graph, name, accounts=k) for name in ("walk-based", "interval-walk"))
            assert least_mu(graph, "structural", accounts=k) >= walks * (1 - 1e-9) > 0
