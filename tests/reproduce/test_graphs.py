"""The experiments on random edge perturbation run on a small made-up graph, and what must hold of them does."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.reproduce.distribution.results import line
from benchmarks.reproduce.figures import claim_lines
from benchmarks.reproduce.graphs import success
from benchmarks.reproduce.graphs.charts import chart
from benchmarks.reproduce.graphs.choosing import figure_1, figure_2, transitivity_spread
from benchmarks.reproduce.graphs.closed_forms import figure_141, figure_142, figure_143, printed_lambda
from benchmarks.reproduce.graphs.degrees import distance, figure_48, histogram
from benchmarks.reproduce.graphs.estimates import figure_46, figure_47
from benchmarks.reproduce.graphs.events import EVENTS, event, figure_144
from benchmarks.reproduce.graphs.hub_classes import figure_49
from benchmarks.reproduce.graphs.report import page
from benchmarks.reproduce.graphs.running_time import figure_43
from benchmarks.reproduce.graphs.settings import MADE_UP, SMALL, graph_of
from benchmarks.reproduce.graphs.trials import share, trials_of

from sfumato.graphs.attacks.planted import IntervalWalkAttack
from sfumato.graphs.estimates.transitivity import estimate_triads, transitivity
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness

TINY = replace(
    SMALL, name="tiny", enron=MADE_UP, whole=MADE_UP, coauthors=MADE_UP, wiki=MADE_UP, trials=4, ks=(12, 16),
    mus={MADE_UP: (0.0, 1e-6, 1e-4, 1e-3)}, structural={MADE_UP: (1e-3,)}, structural_trials={12: 2}, events=3,
    widths=(1, 3), errors=(0, 1), seeds=2, estimated=(1e-4, 1e-3),
)  # fmt: skip
EVERY = (figure_141, figure_142, figure_143, figure_144, figure_43, success.figure_44, success.figure_45,
         figure_46, figure_47, figure_48, figure_49, figure_1, figure_2)  # fmt: skip


def held(figure):
    return {claim.paper: claim.holds for claim in figure.claims}


def test_tables_that_need_no_graph():
    assert held(figure_141(TINY)) == {"the table, digit by digit": True}
    told = held(figure_142(TINY))
    assert not told["the table, for the mu that it tells"]
    assert told["they are those of a mu ten times smaller"]
    third = figure_143(TINY)
    assert held(third)["the table, by Eq. 4.30 and 4.31"]
    assert printed_lambda(1e-3, 10) == pytest.approx(0.00313707, rel=1e-5)
    believed = line(third.rows, "m", "believed", mu=1e-3)
    assert believed[0] > 0.999
    assert believed[10] < 0.5


@pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)
def test_a_figure_can_be_written_and_drawn_again_from_its_rows(make):
    stored = json.loads(json.dumps(make(TINY).to_dict()))
    again = make(TINY, stored["rows"]).to_dict()
    assert [claim["holds"] for claim in again["claims"]] == [claim["holds"] for claim in stored["claims"]]
    assert chart(stored).startswith("<svg")
    text = page({"scale": "tiny", "times": "", "figures": {str(stored["number"]): stored}})
    assert all(said in text for said in claim_lines(stored))
    assert all(claim["seen"] for claim in stored["claims"])


def test_walks_succeed_without_flips_and_wider_ones_more_often():
    rows = success.success_of(MADE_UP, TINY)
    for k in TINY.ks:
        assert line(rows, "mu", "success", attack=success.WALK, k=k)[0.0] == 1
        narrow, wide = (line(rows, "mu", "success", attack=success.INTERVAL, k=k, w=w, m=2) for w in (3, 5))
        assert all(narrow[mu] <= wide[mu] for mu in wide)
    assert success.undisturbed(100, 10, 1e-3) == pytest.approx(0.999**1045)


def test_an_attack_fails_at_the_first_check_that_its_accounts_fail():
    graph = graph_of(MADE_UP)
    attack = IntervalWalkAttack(accounts=10, victims=20, width=9, errors=0)
    (trial,) = trials_of(graph, 0.0, [attack], "one")
    assert event(trial, 9, 0) == EVENTS[0]
    lost = replace(trial, found=None)
    a, b = trial.accounts[:2]
    u, v = trial.published.edges
    both = ((u == a) | (v == a)) & ((u == b) | (v == b))
    assert both.sum() == 1
    cut = replace(lost, published=type(graph).from_edges(u[~both], v[~both], len(trial.published)))
    assert event(cut, 9, 0) == "broken path"
    assert event(cut, 0, 0) == "false prediction"
    apart = next((i, j) for i in range(10) for j in range(i + 2, 10) if trial.planted.inside[i, j])
    ends = trial.accounts[list(apart)]
    both = np.isin(u, ends) & np.isin(v, ends)
    cut = replace(lost, published=type(graph).from_edges(u[~both], v[~both], len(trial.published)))
    assert event(cut, 9, 0) == "edge check failed"
    assert event(cut, 9, 1) == "mistaken"


def test_shares_and_distances():
    found = share([True, False, True, True])
    assert found["success"] == 0.75
    assert found["low"] < 0.75 < found["high"]
    assert histogram(np.array([0.4, 0.6, -0.6, 1.2])) == {-1: 0.25, 0: 0.25, 1: 0.5}
    assert distance({0: 0.5, 1: 0.5}, {1: 0.5, 2: 0.5}) == 0.5


def test_the_spread_of_transitivity_from_the_original_is_that_of_its_estimates():
    graph, mu = graph_of(MADE_UP), 1e-3
    told = [transitivity(estimate_triads(flip_pairs(graph, mu, Randomness(seed)), mu)).stderr for seed in range(1, 6)]
    assert transitivity_spread(MADE_UP, mu) == pytest.approx(np.mean(told), rel=0.1)
    assert transitivity_spread(MADE_UP, 0.0) == 0
    assert math.isfinite(transitivity_spread(MADE_UP, 0.1))
