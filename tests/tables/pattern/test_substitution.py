"""Points as they are drawn: uniform, repeated by a seed, and never of a walk that has not mixed."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import kstest

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.substitution import draw
from support.pattern_tables import body_of, row
from support.walked_bodies import ALPHA, UNIFORM, assert_law_of_the_range, locality_body


@pytest.mark.parametrize("walk", UNIFORM)
def test_drawn_points_have_the_law_of_the_range(walk):
    """Many walks, one point of each: the start must be forgotten."""
    body = locality_body((0, 1, 3))
    points = np.array([draw(body, walk, Randomness(seed)).point for seed in range(250)])
    assert_law_of_the_range(points, 1)


@pytest.mark.parametrize("walk", UNIFORM)
def test_a_point_of_an_interval_is_uniform(walk):
    body = body_of([0.5, 0.5], row({0: 1.0}, 0.75), ties=[0, 0])
    points = np.array([draw(body, walk, Randomness(seed)).point[0] for seed in range(1000)])
    assert kstest(points / 0.75, "uniform").pvalue > ALPHA


def test_a_draw_tells_how_it_was_come_by():
    body = locality_body((3, 5, 11, 27, 33, 45))
    drawn = draw(body, "billiard", Randomness(2))
    assert drawn.has_mixed
    assert drawn.effective_size >= 20
    assert drawn.smallest_slack > 0
    assert 0 < drawn.moved <= drawn.n_steps
    few = draw(body, "billiard", Randomness(2), steps=3)
    assert few.n_steps == 3
    assert not few.has_mixed


def test_the_same_seed_draws_the_same_point():
    body = locality_body((3, 5, 11, 27, 33, 45))
    for walk in (*UNIFORM, "one-sided"):
        first, again = (draw(body, walk, Randomness(4), steps=50).point for _ in range(2))
        other = draw(body, walk, Randomness(5), steps=50).point
        assert first.tolist() == again.tolist()
        assert first.tolist() != other.tolist()


def test_the_one_sided_walk_stays_where_ties_put_it():
    """Erratum A2: from the data, on the border, most directions lead nowhere."""
    body = locality_body(range(8))
    drawn = draw(body, "one-sided", Randomness(1), steps=200)
    assert drawn.moved < 20


def test_many_values_in_one_body_are_refused_or_drawn_exactly():
    table = sf.Table(pl.DataFrame({"x": Randomness(3).uniform(900)}), sf.Schema(quasi=["x"]))
    with pytest.raises(InfeasibleError, match="give a partition"):
        sf.publish(table, sf.PatternPreserving(sf.Localities(0.02)))
    release = sf.publish(table, sf.PatternPreserving(sf.Order()), seed=1)
    drawn = np.sort(release.data.frame["x"].to_numpy())
    assert np.abs(drawn - np.sort(table.frame["x"].to_numpy())).mean() > 0.005


def test_a_walk_that_does_not_mix_publishes_nothing():
    ages = pl.DataFrame({"x": Randomness(3).integers(40, size=100)})
    table = sf.Table(ages, sf.Schema(quasi=["x"]))
    with pytest.raises(InfeasibleError, match="did not mix"):
        sf.publish(table, sf.PatternPreserving(sf.Localities(), walk="one-sided"), seed=1)
    stuck = sf.PatternPreserving(sf.Localities(0.5), walk="one-sided", steps=200, bounds="partition")
    with pytest.raises(sf.errors.PromiseBrokenError, match="those of the original"):
        sf.publish(table, stuck, seed=1)


@pytest.mark.slow
def test_coordinate_steps_are_not_believed_too_soon():
    table = sf.Table(pl.DataFrame({"x": [0.1, 0.25, 0.3, 0.9]}), sf.Schema(quasi=["x"], bounds={"x": (0, 1)}))
    method = sf.PatternPreserving(sf.Localities(), walk="coordinate", resolution="real")
    first = [np.sort(sf.publish(table, method, seed=seed).data.frame["x"].to_numpy())[0] for seed in range(400)]
    assert np.mean(first) == pytest.approx(0.2, abs=4 * 0.163 / 20)
