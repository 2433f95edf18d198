"""The mu that stops an adversary: formulas against attacks, and a little less that does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sfumato as sf
from sfumato.data.graph import Graph
from sfumato.graphs.attacks.planted import IntervalWalkAttack, WalkBasedAttack
from sfumato.graphs.attacks.structural import structural_risk
from sfumato.graphs.risk.choosing_mu import backbone_survives, interval_coverage, path_mu
from sfumato.graphs.risk.least_mu import degree_evidence, expected_success, least_mu, usual_degree
from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness
from support.small_graphs import SCATTERED, degree_kernel


def measured(attack, mu):
    with steps(1) as progress:
        return attack.rates_of(SCATTERED, sf.EdgePerturbation(mu), None, Randomness(8), progress).successes


def test_expected_success_in_closed_form():
    n, k, mu = len(SCATTERED) + 12, 12, 0.002
    touching = 12 * 400 + 66
    assert expected_success(SCATTERED, "walk-based", mu, accounts=12) == pytest.approx((1 - mu) ** touching)
    assert expected_success(SCATTERED, "path", mu, accounts=12) == backbone_survives(mu, 12)
    density, told = SCATTERED.n_edges / SCATTERED.n_pairs, 12 * degree_evidence(SCATTERED, n, k, mu)
    by_both = structural_risk(n, k, mu, density, known=told).mean
    assert (
        expected_success(SCATTERED, "structural", mu, accounts=12) == by_both > structural_risk(n, k, mu, density).mean
    )
    all_near = interval_coverage(n, usual_degree(SCATTERED, k), mu, 3) ** k
    no_error = (1 - mu) ** 55
    found = expected_success(SCATTERED, "interval-walk", mu, accounts=12, width=3, errors=0)
    assert found == pytest.approx(backbone_survives(mu, 12) * all_near * no_error)
    with pytest.raises(ParameterError, match="did you mean 'structural'"):
        expected_success(SCATTERED, "structura", mu)


@pytest.mark.parametrize(
    ("name", "attack", "mu"),
    [
        ("walk-based", WalkBasedAttack(accounts=12, trials=120), 1.5e-4),
        ("interval-walk", IntervalWalkAttack(accounts=12, trials=120, width=3, errors=1), 0.008),
    ],
)
def test_attacks_succeed_as_often_as_expected(name, attack, mu):
    asked = {"width": 3, "errors": 1} if name == "interval-walk" else {}
    expected = expected_success(SCATTERED, name, mu, accounts=12, **asked)
    assert 0.2 < expected < 0.8
    share = measured(attack, mu).mean()
    assert abs(share - expected) < 3.5 * math.sqrt(expected * (1 - expected) / attack.trials) + 0.03


@pytest.mark.parametrize("name", ["walk-based", "interval-walk", "structural", "path"])
@pytest.mark.parametrize("success", [0.01, 0.1, 0.5])
def test_least_mu_stops_and_a_little_less_does_not(name, success):
    mu = least_mu(SCATTERED, name, accounts=12, success=success)
    assert expected_success(SCATTERED, name, mu, accounts=12) <= success * (1 + 1e-6)
    assert expected_success(SCATTERED, name, mu * 0.995, accounts=12) > success
    for more in (1.05, 1.5, 2.0):
        if mu * more < 0.5:
            assert expected_success(SCATTERED, name, mu * more, accounts=12) <= success * (1 + 1e-6)


def test_the_thesis_bound_is_that_the_path_breaks():
    assert least_mu(SCATTERED, "path", accounts=20, success=0.1) == path_mu(20, 0.1)


def test_degrees_tell_on_average_what_a_sample_tells():
    """The mean of log law / shares over drawn degrees, with the shares of a perturbed graph."""
    n, mu = len(SCATTERED) + 12, 0.01
    degree = usual_degree(SCATTERED, 12)
    drawn = np.random.default_rng(4)
    seen = degree - drawn.binomial(degree, mu, 4000) + drawn.binomial(n - 1 - degree, mu, 4000)
    law = degree_kernel(n, degree, mu)
    others = np.mean([degree_kernel(n, int(d), mu) for d in SCATTERED.degrees], axis=0)
    sampled = np.log(law[seen] / (others[seen] + 0.5 / n)).mean()
    assert degree_evidence(SCATTERED, n, 12, mu) == pytest.approx(sampled, abs=0.1)


def test_a_stronger_adversary_needs_no_less():
    """Of a dense graph edges tell nothing, and degrees all: no mu of 0 is ever told."""
    dense = Graph.from_edges(
        *(end[np.random.default_rng(1).random(79800) < 0.5] for end in np.triu_indices(400, 1)), 400
    )
    for graph in (dense, SCATTERED):
        for k in (5, 8, 20):
            walks = max(least_mu(graph, name, accounts=k) for name in ("walk-based", "interval-walk"))
            assert least_mu(graph, "structural", accounts=k) >= walks * (1 - 1e-9) > 0
