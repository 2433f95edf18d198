from __future__ import annotations

import itertools
from statistics import mean, median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.linkage import to_unit_range
from sfumato.tables.measures.usefulness import (
    _lloyd,
    _starting_centres,
    _triples,
    aggregate_errors,
    clustering_disagreement,
    clustering_error,
    distortion_by_column,
    localities_kept,
    neighbours_kept,
    rank_correlation,
    relative_distortion_by_column,
)

FEW = settings(max_examples=40, deadline=None)
SEEDS = st.integers(0, 10**6)


@FEW
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_moved_is_the_printed_formula_under_the_best_matching(pairs):
    a, b = np.array(pairs).T
    n, errors = len(a), []
    for names in itertools.permutations(range(4)):
        sets = [(set(np.flatnonzero(a == i)), set(np.flatnonzero(b == names[i]))) for i in range(4)]
        errors.append(sum(len(c | e) - len(c & e) for c, e in sets) / (2 * n))
    assert clustering_disagreement(a, b) == pytest.approx(min(errors))
    assert clustering_disagreement(b, a) == clustering_disagreement(a, b)


def test_moved_vectors():
    """Vector A-19."""
    assert clustering_disagreement(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])) == 0
    assert clustering_disagreement(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])) == 0.5
    assert clustering_disagreement(np.array(["a", "a", "b"]), np.array([7, 7, 7])) == pytest.approx(1 / 3)
    with pytest.raises(DataError, match="the same records, got 1 and 2"):
        clustering_disagreement(np.array([0]), np.array([0, 1]))


@FEW
@given(SEEDS, st.integers(1, 4))
def test_lloyd_agrees_with_a_loop(seed, k):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(20, 2))
    centres = _starting_centres(points, k, Randomness(seed))
    assert {tuple(c) for c in centres} <= {tuple(p) for p in points}
    assert len({tuple(c) for c in centres}) == k
    now, labels = [list(c) for c in centres], None
    while True:
        fresh = [min(range(k), key=lambda c, p=p: sum((p - np.array(now[c])) ** 2)) for p in points]
        if fresh == labels:
            break
        labels = fresh
        for c in range(k):
            inside = [p for p, label in zip(points, labels, strict=True) if label == c]
            if inside:
                now[c] = list(np.mean(inside, axis=0))
    assert _lloyd(points, centres).tolist() == labels


def test_starting_centres_are_drawn_by_squared_distance():
    points = np.array([[0.0], [1.0], [3.0]])
    n = 3_000
    pairs = [tuple(_starting_centres(points, 2, Randomness(i)).ravel()) for i in range(n)]
    from_zero = [second for first, second in pairs if first == 0.0]
    share = np.mean([second == 3.0 for second in from_zero])
    assert abs(share - 0.9) < 4 * np.sqrt(0.09 / len(from_zero))
    assert abs(len(from_zero) / n - 1 / 3) < 4 * np.sqrt(2 / 9 / n)


def test_clustering_error_of_clusters_that_stay_and_that_go():
    rng = np.random.default_rng(1)
    original = np.repeat([[0.0, 10.0, 0.0, 10.0], [0.0, 0.0, 5.0, 5.0]], 50, axis=1) + 0.1 * rng.normal(size=(2, 200))
    assert clustering_error(original, original, 4, Randomness(1)) == 0
    nudged = original + 0.1 * rng.normal(size=(2, 200))
    errors = [clustering_error(original, nudged, 4, Randomness(seed)) for seed in range(5)]
    assert min(errors) == 0  # a start in all four corners finds them again
    exchanged = original.copy()
    exchanged[:, :10], exchanged[:, 50:60] = original[:, 50:60], original[:, :10]
    assert min(clustering_error(original, exchanged, 4, Randomness(seed)) for seed in range(5)) == pytest.approx(0.1)
    mixed = original[:, rng.permutation(200)]
    assert clustering_error(original, mixed, 4, Randomness(1)) > 0.5
    assert clustering_error(original, nudged, 3, Randomness(2)) == clustering_error(original, nudged, 3, Randomness(2))
    with pytest.raises(ParameterError, match="k=3 clusters need 3 distinct records, and there are 2"):
        clustering_error(np.array([[0.0, 0.0, 1.0]]), np.zeros((1, 3)), 3, Randomness(1))
    with pytest.raises(ParameterError, match="k must be >= 1, got 0"):
        clustering_error(original, nudged, 0, Randomness(1))


@FEW
@given(SEEDS, st.integers(2, 12), st.data())
def test_neighbours_agree_with_a_sort(seed, n, data):
    k = data.draw(st.integers(1, n - 1))
    rng = np.random.default_rng(seed)
    original, published = rng.normal(size=(2, n)), rng.normal(size=(2, n))
    near = []
    for points in to_unit_range(original, published):
        order = [
            sorted((i for i in range(n) if i != t), key=lambda i, t=t: sum((points[:, i] - points[:, t]) ** 2))
            for t in range(n)
        ]
        near.append([set(each[:k]) for each in order])
    assert neighbours_kept(original, published, k) == pytest.approx(
        mean(len(a & b) / k for a, b in zip(*near, strict=True))
    )
    assert neighbours_kept(original, original, k) == 1


def test_neighbours_among_copies():
    grid = np.repeat(np.arange(4.0), 30)[None]
    assert neighbours_kept(grid, grid, 5) == 1
    assert neighbours_kept(grid, np.zeros((1, 120)), 5) < 0.2
    with pytest.raises(ParameterError, match="below the number of records, 120, got 120"):
        neighbours_kept(grid, grid, 120)


@FEW
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=15))
def test_rank_correlation_is_spearmans(pairs):
    true, shown = np.array(pairs, dtype=float).T
    found = rank_correlation(true[None], shown[None])[0]
    if len(set(true)) == 1 or len(set(shown)) == 1:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(true, shown).statistic)


def locality(a, b, c):
    """Which of a and c is nearer to b: -1, 0 or 1."""
    return np.sign(abs(a - b) - abs(c - b))


@FEW
@given(SEEDS)
def test_localities_agree_with_a_loop(seed):
    rng = np.random.default_rng(seed)
    original, published = (rng.integers(0, 9, (2, 7)).astype(float) for _ in range(2))
    found = localities_kept(original, published, Randomness(seed), 60)
    triples = _triples(7, 60, Randomness(seed).spawn("localities"))
    for line in range(2):
        kept = []
        for triple in triples.T:
            a, b, c = sorted(triple, key=lambda i: original[line, i])
            before = locality(*original[line, [a, b, c]])
            if len(set(original[line, triple])) == 3 and before:
                kept.append(before == locality(*published[line, [a, b, c]]))
        expected = float(np.mean(kept)) if kept else float("nan")
        assert found[line] == pytest.approx(expected, nan_ok=True)


def test_triples_are_uniform():
    triples = _triples(4, 24_000, Randomness(3))
    found, counts = np.unique(triples, axis=1, return_counts=True)
    assert found.shape[1] == 24
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(1000)


def test_localities_of_scaled_mirrored_and_folded_values():
    rng = np.random.default_rng(2)
    original = rng.normal(size=(2, 100))
    assert (localities_kept(original, 5 - 3 * original, Randomness(1)) == 1).all()
    assert (localities_kept(original, np.zeros((2, 100)), Randomness(1)) == 0).all()
    noisy = localities_kept(original, original + 0.3 * rng.normal(size=(2, 100)), Randomness(1))
    assert ((noisy > 0.6) & (noisy < 0.97)).all()
    assert np.isnan(localities_kept(np.array([[1.0, 2.0, 3.0]]), np.zeros((1, 3)), Randomness(1))).all()
    assert np.isnan(localities_kept(np.array([[1.0, 2.0]]), np.zeros((1, 2)), Randomness(1))).all()
    folded = np.array([[10.0, 0.0, 1.0]])  # vector A-17: the linear row holds, the locality does not
    assert localities_kept(np.array([[0.0, 1.0, 3.0]]), folded, Randomness(1)).tolist() == [0.0]


def naive_queries(original, published, labels, random, n_queries):
    d, n = original.shape
    stream = random.spawn("aggregates")
    names = sorted(set(labels))
    low, high = original.min(axis=1), original.max(axis=1)
    results = []
    for asked in [None, *range(d)]:
        errors = []
        for _ in range(n_queries):
            above = low + (high - low) * stream.uniform(d)
            wanted = set(names)
            if asked is not None:
                order = stream.permutation(len(names))
                wanted = {names[i] for i in order[: int(stream.integers(len(names), size=1)[0]) + 1]}
            answers = []
            for values in (original, published):
                rows = [r for r in range(n) if labels[r] in wanted
                        and all(values[c, r] > above[c] for c in range(d) if c != asked)]  # fmt: skip
                answers.append(len(rows) if asked is None else mean(values[asked, rows]) if rows else None)
            a, b = answers
            if a and b is not None:
                errors.append(abs(a - b) / abs(a))
        results.append((errors, n_queries - len(errors)))
    return results


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_aggregates_agree_with_a_loop_over_rows(seed):
    rng = np.random.default_rng(seed)
    original = rng.normal(size=(3, 25))
    published = original + 0.5 * rng.normal(size=(3, 25))
    labels = rng.choice(list("abcd"), 25)
    found = aggregate_errors(original, published, labels, Randomness(seed), 20)
    assert [each.query for each in found] == ["COUNT(*)", "AVG(0)", "AVG(1)", "AVG(2)"]
    for each, (errors, skipped) in zip(
        found, naive_queries(original, published, labels, Randomness(seed), 20), strict=True
    ):
        assert (each.n_answered, each.n_skipped) == (len(errors), skipped)
        assert each.median == pytest.approx(median(errors) if errors else float("nan"), nan_ok=True)
        assert each.mean == pytest.approx(mean(errors) if errors else float("nan"), nan_ok=True)


def test_aggregates_of_data_that_did_not_move_or_that_vanished():
    rng = np.random.default_rng(3)
    original, labels = rng.uniform(size=(3, 200)), rng.integers(0, 5, 200)
    for each in aggregate_errors(original, original, labels, Randomness(1), 50):
        assert each.median == each.mean == 0
        assert each.n_answered + each.n_skipped == 50
    count, *averages = aggregate_errors(original, original - 10, labels, Randomness(1), 50)
    assert count.mean == 1  # an empty count is an answer
    assert all(each.n_answered == 0 and np.isnan(each.median) for each in averages)
    with pytest.raises(DataError, match="one value per record, 200, got 3"):
        aggregate_errors(original, original, np.arange(3), Randomness(1))


def test_distortion_by_hand():
    """Vector A-18: finite where t is 0."""
    original = np.array([[0.0, 5.0, 10.0], [7.0, 7.0, 7.0], [0.0, 0.0, 0.0], [-100.0, 0.0, 100.0]])
    published = np.array([[1.0, 5.0, 8.0], [8.0, 7.0, 7.0], [1.0, 0.0, 0.0], [-50.0, 1.0, 100.0]])
    assert distortion_by_column(original, published) == pytest.approx([0.1, 0.0, 0.0, 51 / 200 / 3])
    assert relative_distortion_by_column(original, published) == pytest.approx(
        [(1 / 0.1 + 0 + 0.2) / 3, 1 / 21, 0.0, (0.5 + 1 / 2 + 0) / 3]
    )


def test_what_cannot_be_compared():
    one = np.ones((1, 2))
    for original, published, message in (
        (np.ones(2), np.ones(2), r"must have one shape, \(columns, records\), got \(2,\) and \(2,\)"),
        (one, np.ones((2, 2)), r"got \(1, 2\) and \(2, 2\)"),
        (one, np.array([[1.0, np.nan]]), "must be finite numbers"),
    ):
        with pytest.raises(DataError, match=message):
            distortion_by_column(original, published)
    with pytest.raises(ParameterError, match="n must be >= 1, got 0"):
        localities_kept(one, one, Randomness(1), 0)
    with pytest.raises(ParameterError, match="n_queries must be >= 1, got 0"):
        aggregate_errors(one, one, np.arange(2), Randomness(1), 0)
