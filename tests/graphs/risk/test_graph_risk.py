"""What adversaries achieve at each mu, in one table: all that was asked, told well, the same by the same seed."""

from __future__ import annotations

import json

import pytest

from sfumato.data.graph import Graph
from sfumato.graphs.risk.choosing_mu import backbone_survives
from sfumato.graphs.risk.graph_risk import graph_risk
from sfumato.graphs.risk.least_mu import least_mu
from sfumato.ground.errors import ParameterError
from support.small_graphs import SCATTERED


def test_risk_holds_all_that_was_asked():
    risk = graph_risk(SCATTERED, [1e-4, 0.01], accounts=12, trials=6)
    assert list(risk) == [1e-4, 0.01]
    row = risk[0.01]
    assert set(row.expected) == set(row.measured) == set(row.victims) == {"walk-based", "interval-walk", "structural"}
    assert set(risk.least) == {*row.expected, "path"}
    assert set(risk.most) == set(row.reach)
    assert row.backbone == backbone_survives(0.01, 12)
    kept, came = SCATTERED.n_edges * 0.99, (SCATTERED.n_pairs - SCATTERED.n_edges) * 0.01
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
    said = str(graph_risk(SCATTERED, 0.001, accounts=12))
    assert "An adversary with 12 accounts" in said
    assert "Measured" not in said
    assert "Expected to succeed in 10% of publications at most from" in said
    assert "Estimated to within 10% up to" in said
    assert max(map(len, said.splitlines())) < 120


@pytest.mark.slow
def test_the_same_seed_measures_the_same():
    first, again, other = (
        graph_risk(SCATTERED, 0.008, accounts=10, trials=8, seed=seed).frame for seed in (1, 1, 2)
    )  # fmt: skip
    assert first.equals(again)
    assert first.columns == other.columns


def test_bad_input_gets_a_sentence():
    with pytest.raises(ParameterError, match="takes a Graph"):
        graph_risk("graph.csv")
    with pytest.raises(ParameterError, match="mu must be a number from 0 to below"):
        graph_risk(SCATTERED, [0.1, 0.7])
    with pytest.raises(ParameterError, match="trials must be a whole number >= 0"):
        graph_risk(SCATTERED, trials=-1)
    with pytest.raises(ParameterError, match="accounts must be from 2 to 64"):
        graph_risk(SCATTERED, accounts=65)
    with pytest.raises(ParameterError, match="success must be a probability"):
        least_mu(SCATTERED, success=1.0)
    with pytest.raises(ParameterError, match="3 vertices and an edge"):
        graph_risk(Graph.from_edges([], [], 5))


def test_no_flips():
    row = graph_risk(SCATTERED, 0.0)[0.0]
    assert row.epsilon is None
    assert row.true_edges == row.backbone == row.coverage == 1
    assert row.expected["walk-based"] == row.expected["interval-walk"] == 1
    assert set(row.reach.values()) == {0.0}
