"""Walks: the uniform law on bodies whose laws are known, and a test that notices when the law is another."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, kstest

from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.centre import cholesky, slacks
from sfumato.tables.pattern.localities import staircase
from sfumato.tables.pattern.polytope import bodies
from sfumato.tables.pattern.rows import Rows, stack
from sfumato.tables.pattern.substitution import Walker
from sfumato.tables.pattern.walks import chord, directions, mirrors
from support.pattern_tables import body_of, ordered, row
from support.walked_bodies import ALPHA, UNIFORM, assert_law_of_the_range, localities, locality_body, units

N_BATCHES = 40


def walk_points(body, walk, n_steps, seed=7):
    """Whole points, one line per step, of a walk that was not watched before."""
    walker = Walker(body.rows, body.data if walk == "one-sided" else body.start, walk, Randomness(seed))
    walker.steps(n_steps // 20)
    walker.probe = np.eye(body.n_free)
    trace, moved = walker.steps(n_steps)
    assert moved > 0.9 * n_steps
    rows = body.rows
    assert all(
        slacks(rows.indptr, rows.variable, rows.coefficient, rows.bound, x).min() > -1e-9 for x in trace[::97]
    )  # fmt: skip
    return trace


def off_by(series, expected):
    """How many standard errors a mean is off (of batch means, so that steps may depend on each other)."""
    means = series[: len(series) // N_BATCHES * N_BATCHES].reshape(N_BATCHES, -1).mean(axis=1)
    return abs(means.mean() - expected) / (means.std(ddof=1) / np.sqrt(N_BATCHES))


def assert_moments(points, means, variances):
    for c, (mean, variance) in enumerate(zip(means, variances, strict=True)):
        assert off_by(points[:, c], mean) < 4, c
        assert off_by((points[:, c] - mean) ** 2, variance) < 4, c
        assert points[:, c].var() == pytest.approx(variance, rel=0.15)  # and the error is small enough to say so


# -- the chord ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("v", "expected"),
    [
        ((1.0, 0.0, 0.0), (-0.5, 0.5)),
        ((0.0, 1.0, 0.0), (-0.5, 0.35)),
        (np.ones(3) / np.sqrt(3), (-0.866025, 1.385641)),
    ],
)
def test_vector_a11_of_the_chord(v, expected):
    box = [row({i: -1.0}) for i in range(3)] + [row({i: 1.0}, 3.0) for i in range(3)]
    rows = stack([localities((0, 1, 3)), *box])
    found = chord(
        rows.indptr, rows.variable, rows.coefficient, rows.bound, np.array([0.5, 1.0, 2.2]), np.asarray(v)
    )  # fmt: skip
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_chord_from_the_border_never_points_inside_out():
    """A point that rounding put outside has room 0, not less."""
    rows = stack([row({0: -1.0}), row({0: 1.0}, 1.0)])
    x = np.array([1.0 + 1e-12])
    assert chord(rows.indptr, rows.variable, rows.coefficient, rows.bound, x, np.ones(1)) == (
        pytest.approx(-1.0), 0.0,
    )  # fmt: skip


# -- exact laws --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("walk", UNIFORM)
def test_vector_a12_moments_of_one_locality(walk):
    points = walk_points(locality_body((0, 1, 3)), walk, 400_000 if walk == "coordinate" else 40_000)
    assert_moments(points, (1 / 4, 3 / 8, 3 / 4), (0.0375, 0.034375, 0.0375))


@pytest.mark.parametrize("walk", UNIFORM)
def test_vector_a13_moments_of_an_order(walk):
    points = walk_points(body_of(units(range(5)), ordered(5)), walk, 60_000)
    assert_moments(points, [i / 6 for i in range(1, 6)], [i * (6 - i) / 252 for i in range(1, 6)])


@pytest.mark.parametrize(
    ("walk", "values", "n_steps", "thin"),
    [
        ("billiard", (3, 5, 11, 27, 33, 45), 20_000, 10),
        ("billiard", (0, 1, 2, 3, 4, 5, 6), 20_000, 10),
        ("billiard", (1, 2, 4, 8, 16, 32, 64, 65, 67, 71, 79, 95, 96, 98), 12_000, 12),
        ("hit-and-run", (3, 5, 11, 27, 33, 45), 120_000, 60),
        ("hit-and-run", (0, 1, 2, 3, 4), 80_000, 40),
        ("coordinate", (0, 1, 3), 60_000, 40),
        ("coordinate", (1, 2, 4, 8), 200_000, 150),
    ],
)
def test_vector_a14_law_of_the_range(walk, values, n_steps, thin):
    assert_law_of_the_range(walk_points(locality_body(values), walk, n_steps), thin)


@pytest.mark.parametrize("walk", UNIFORM)
def test_a_box_is_filled_evenly(walk):
    """A row that binds nothing holds the variables together."""
    n = 4
    points = walk_points(body_of([0.2, 0.9, 0.5, 0.4], row(dict.fromkeys(range(n), 1.0), n + 1.0)), walk, 60_000)
    for c in range(n):
        assert kstest(points[::30, c], "uniform").pvalue > ALPHA
    assert_moments(points, [1 / 2] * n, [1 / 12] * n)
    for c in range(n - 1):
        assert off_by((points[:, c] - 0.5) * (points[:, c + 1] - 0.5), 0.0) < 4


@pytest.mark.parametrize("walk", UNIFORM)
def test_a_simplex_is_filled_evenly(walk):
    """Each coordinate of the corner simplex of dimension n has the law Beta(1, n)."""
    n = 4
    points = walk_points(body_of([0.1, 0.2, 0.05, 0.3], row(dict.fromkeys(range(n), 1.0), 1.0)), walk, 100_000)
    for c in range(n):
        assert kstest(points[::100, c], beta(1, n).cdf).pvalue > ALPHA
    assert kstest(points[::100].sum(axis=1), beta(n, 1).cdf).pvalue > ALPHA
    assert_moments(points, [1 / (n + 1)] * n, [n / ((n + 1) ** 2 * (n + 2))] * n)


@pytest.mark.parametrize("walk", ["billiard", "hit-and-run"])
def test_a_face_is_filled_evenly_after_elimination(walk):
    """sum x = 1: the flat Dirichlet law, symmetric although one variable was eliminated."""
    n = 4
    body = body_of([0.1, 0.2, 0.3, 0.4], row(dict.fromkeys(range(n), 1.0), 1.0, equal=True))
    points = np.array([body.variables(y) for y in walk_points(body, walk, 40_000)])
    assert points.shape[1] == n
    assert points.sum(axis=1) == pytest.approx(1.0)
    assert_moments(points, [1 / n] * n, [(n - 1) / (n**2 * (n + 1))] * n)


@pytest.mark.parametrize("walk", ["billiard", "hit-and-run"])
def test_a_thin_body_is_filled_evenly(walk):
    """A strip a thousand times longer than wide: the metric makes it round."""
    rows = stack([row({0: 1.0, 1: -1.0}, 0.001), row({0: -1.0, 1: 1.0}, 0.001)])
    points = walk_points(body_of([0.3, 0.3], rows), walk, 60_000)
    across = (points[:, 0] - points[:, 1] + 0.001) / 0.002
    along = points.mean(axis=1)
    assert off_by(across, 0.5) < 4
    assert off_by((across - 0.5) ** 2, 1 / 12) < 4
    assert off_by(along, 0.5) < 4
    assert off_by((along - 0.5) ** 2, 1 / 12) < 4.5  # the ends are cut off by less than 0.001


# -- the walk as printed, which these tests must notice ----------------------------------------------------
def interval():
    return body_of([0.5], stack([]))


def test_vector_a15_the_one_sided_walk_has_the_arcsine_law():
    x = walk_points(interval(), "one-sided", 200_000)[:, 0]
    assert x.var() == pytest.approx(0.125, abs=0.003)
    assert (x < 0.1).mean() == pytest.approx(0.2048, abs=0.01)
    assert off_by((x - 0.5) ** 2, 0.125) < 4
    assert off_by((x - 0.5) ** 2, 1 / 12) > 20
    assert kstest(x[::20], "uniform").pvalue < ALPHA


@pytest.mark.parametrize("walk", UNIFORM)
def test_the_walks_are_uniform_on_an_interval(walk):
    x = walk_points(interval(), walk, 50_000)[:, 0]
    assert off_by((x - 0.5) ** 2, 1 / 12) < 4
    assert kstest(x[::10], "uniform").pvalue > ALPHA


def test_the_law_of_the_range_rejects_the_one_sided_walk():
    body = locality_body((3, 5, 11, 27, 33, 45))
    walker = Walker(body.rows, body.start, "one-sided", Randomness(3))
    walker.probe = np.eye(body.n_free)
    points, _ = walker.steps(200_000)
    with pytest.raises(AssertionError):
        assert_law_of_the_range(points, 100)
    inside = body_of([0.2, 0.9, 0.5, 0.4], row(dict.fromkeys(range(4), 1.0), 5.0))
    points = walk_points(inside, "one-sided", 60_000)
    with pytest.raises(AssertionError):
        assert_moments(points, [1 / 2] * 4, [1 / 12] * 4)


def test_directions_have_unit_length_in_the_metric():
    normals = Randomness(1).normal(9).reshape(3, 3)
    metric = normals @ normals.T + np.eye(3)
    moves = directions(cholesky(metric), Randomness(2).normal(3 * 2000).reshape(-1, 3))
    assert np.einsum("si,ij,sj->s", moves, np.linalg.inv(metric), moves) == pytest.approx(1.0)
    assert np.cov(moves.T) == pytest.approx(metric / 3, abs=0.15 * metric.max())


def test_mirrors_are_the_normals_in_the_metric():
    metric = np.array([[2.0, 0.5], [0.5, 1.0]])
    rows = stack([row({0: 1.0, 1: -3.0}, 1.0), row({1: 2.0}, 1.0)])
    assert mirrors(rows.indptr, rows.variable, rows.coefficient, metric) == pytest.approx(
        np.array([metric @ [1.0, -3.0], metric @ [0.0, 2.0]])
    )


# -- bodies of many variables --------------------------------------------------------------------------------
def test_sweeps_have_the_law_of_a_box_with_a_narrow_sum():
    """1,200 variables whose mean is kept to a hundredth: each is uniform still, and the sum is uniform in its strip."""
    n = 1_200
    rows = stack([
        Rows.of(np.arange(n)[None], np.full((1, n), 1.0 / n), 0.505),
        Rows.of(np.arange(n)[None], np.full((1, n), -1.0 / n), -0.495),
    ])  # fmt: skip
    (body,) = bodies(np.full(n, 0.5) + np.linspace(-0.4, 0.4, n), np.zeros(n), np.ones(n), rows, np.arange(n), ["sum"])
    walker = Walker(body.rows, body.start, "billiard", Randomness(3))
    assert walker.swept
    walker.probe = np.ascontiguousarray(np.stack([np.full(n, 1.0 / n), *np.eye(n)[:7]], axis=1))
    walker.steps(100)
    trace, moved = walker.steps(3_000)
    assert moved == 3_000
    assert 0.495 <= trace[:, 0].min() <= trace[:, 0].max() <= 0.505
    single = trace[:, 1:].ravel()
    assert single.mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 7_000))
    assert single.var() == pytest.approx(1 / 12, rel=0.05)
    half = np.sqrt(1 / 12 / n)  # the spread that the mean would have without the strip, cut off at 0.6 of it
    assert trace[:, 0].std() == pytest.approx(_cut_normal_spread(0.005 / half) * half, rel=0.1)


def _cut_normal_spread(c):
    """The standard deviation of a normal number given that it lies within -c and c."""
    from scipy.stats import norm

    return float(np.sqrt(1 - 2 * c * norm.pdf(c) / (2 * norm.cdf(c) - 1)))


# -- at the sizes of the published tables --------------------------------------------------------------------
@pytest.mark.parametrize(("n", "n_steps"), [(20, 6_000), (50, 3_000), (100, 2_400)])
def test_the_range_has_its_law_for_all_localities_of_many_values(n, n_steps):
    """The staircase of n random values in a box of length 1: Beta(n - 1, 2), whatever the localities."""
    values = np.sort(Randomness(n).uniform(n))
    corners = staircase(values)
    near = Rows.of(corners[:, [1, 0, 2]], [2.0, -1.0, -1.0])
    near = near._replace(coefficient=near.coefficient * np.repeat(corners[:, 3], 3))
    order = Rows.of(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1), [1.0, -1.0])
    (body,) = bodies(values, np.zeros(n), np.ones(n), stack([near, order]), np.arange(n), ["localities"])
    walker = Walker(body.rows, body.start, "billiard", Randomness(5))
    walker.probe = np.zeros((n, 2))
    walker.probe[-1, 0], walker.probe[0, 0], walker.probe[0, 1] = 1.0, -1.0, 1.0
    walker.steps(100)
    trace, moved = walker.steps(n_steps)
    assert moved == n_steps
    spread, low = trace[::12].T
    assert kstest(spread, beta(n - 1, 2).cdf).pvalue > ALPHA
    assert kstest(low / (1.0 - spread), "uniform").pvalue > ALPHA


@pytest.mark.parametrize("d", [10, 20])
def test_whole_chords_fill_a_box_evenly_and_half_chords_do_not(d):
    """The share of coordinates within 0.05 of a wall is 0.1; the half chord crowds them there."""
    (body,) = bodies(
        np.linspace(0.2, 0.8, d), np.zeros(d), np.ones(d),
        Rows.of(np.arange(d)[None], np.ones((1, d)), float(d)), np.arange(d), ["nothing"],
    )  # fmt: skip
    shares = {}
    for walk in ("hit-and-run", "one-sided"):
        walker = Walker(body.rows, body.start, walk, Randomness(4))
        walker.probe = np.eye(d)
        walker.steps(2_000)
        trace, _ = walker.steps(60_000)
        shares[walk] = float(((trace < 0.05) | (trace > 0.95)).mean())
    assert shares["hit-and-run"] == pytest.approx(0.1, abs=0.006)
    assert shares["one-sided"] > 0.13
