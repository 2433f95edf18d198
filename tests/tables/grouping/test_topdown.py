from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.boxes import group_losses, records, word_offsets
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.topdown_kernels import divide, enlarge
from support.naive import ncp
from support.tables_strategies import tables

FEW = settings(max_examples=60, deadline=None)


def clusters(rows, starts):
    return [sorted(rows[a:b].tolist()) for a, b in itertools.pairwise(starts)]


def numbers(*values, **columns):
    frame = pl.DataFrame(columns or {"x": list(values)})
    return sf.Table(frame, sf.Schema(quasi=frame.columns))


def grouped(table, k, seed=1):
    groups = sf.TopDown().groups(Job(encode(table, table.schema.quasi), [], sf.KAnonymity(k), Randomness(seed)))
    return clusters(groups.order, groups.starts)


def gcp(table, groups):
    coded = encode(table, table.schema.quasi)
    return sum(len(group) * ncp(coded, group) for group in groups) / len(table)


def kernels_of(table):
    columns = flatten(encode(table, table.schema.quasi))
    return columns, word_offsets(columns), records(columns)


@FEW
@given(tables(max_rows=40, sensitive=False), st.integers(1, 8), st.integers(0, 3))
def test_groups_partition_the_rows_and_lose_no_more_than_one_group(table, k, seed):
    """Every kind of column, ties, missing values, k = n and n < 2k."""
    if k > len(table):
        return
    groups = grouped(table, k, seed)
    assert sorted(itertools.chain(*groups)) == list(range(len(table)))
    assert min(map(len, groups)) >= k
    assert gcp(table, groups) <= gcp(table, [list(range(len(table)))]) + 1e-12
    assert groups == grouped(table, k, seed)
    if len(table) < 2 * k:
        assert len(groups) == 1


@FEW
@given(tables(min_rows=2, max_rows=30, sensitive=False), st.integers(1, 6))
def test_a_release_is_verified(table, k):
    if k > len(table):
        with pytest.raises(InfeasibleError):
            sf.publish(table, sf.TopDown(), sf.KAnonymity(k))
        return
    for show in ("ranges", "means"):
        release = sf.publish(table, sf.TopDown(show=show), sf.KAnonymity(k), seed=5)
        assert release.verdict.holds
        assert sf.verify(release, table).holds


@FEW
@given(tables(min_rows=2, max_rows=40, sensitive=False), st.integers(1, 6), st.integers(0, 9))
def test_division_stops_below_two_k(table, k, seed):
    columns, words, data = kernels_of(table)
    random = Randomness(seed)
    rows, starts = divide(columns, words, data, random.permutation(len(table)), random.words(len(table)), k)
    sizes = np.diff(starts)
    assert sorted(rows.tolist()) == list(range(len(table)))
    assert sizes.min() >= 1
    assert sizes.max() < 2 * k


def naive_divide(points, order, draws, k):
    """The clusters of step 1, from scratch: points on a grid of eighths, so that every sum is exact."""

    def loss(rows):
        return sum(max(points[r][c] for r in rows) - min(points[r][c] for r in rows) for c in (0, 1))

    found, pending, n_divided = [], [list(order)], 0
    while pending:
        rows = pending.pop()
        if len(rows) < 2 * k:
            found.append(rows)
            continue
        left = rows[int(draws[n_divided]) % len(rows)]
        n_divided += 1
        right = max(rows, key=lambda r: loss([left, r]))
        if loss([left, right]) == 0:
            cuts = [k * i for i in range(len(rows) // k)] + [len(rows)]
            found += [rows[a:b] for a, b in itertools.pairwise(cuts)]
            continue
        for _ in range(2):
            left, right = right, max(rows, key=lambda r, seed=right: loss([seed, r]))
        sides = {left: [left], right: [right]}
        n_assigned = {left: 0, right: 0}
        for row in rows:
            grows = {seed: loss([*side, row]) - loss(side) for seed, side in sides.items()}
            to = row if row in sides else min(sides, key=lambda seed: (grows[seed], n_assigned[seed], seed != left))
            n_assigned[to] += 1
            if row not in sides:
                sides[to].append(row)
        halves = [[row for row in rows if row in sides[seed]] for seed in (left, right)]
        pending += reversed(halves)
    return [sorted(rows) for rows in found]


@FEW
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=22), st.integers(1, 5), st.integers(0, 99))
def test_division_does_what_it_says(points, k, seed):
    points = [(0, 0), (8, 8), *points]
    table = numbers(x=[x for x, _ in points], y=[y for _, y in points])
    columns, words, data = kernels_of(table)
    random = Randomness(seed)
    order, draws = random.permutation(len(points)), random.words(len(points))
    assert clusters(*divide(columns, words, data, order, draws, k)) == naive_divide(points, order.tolist(), draws, k)


@settings(max_examples=200, deadline=None)
@given(tables(min_rows=4, max_rows=26, sensitive=False), st.integers(2, 4), st.data())
def test_a_small_cluster_does_what_costs_least(table, k, data):
    """One step of mending, against every merge and every loan tried by hand."""
    if len(table) < 2 * k:
        return
    coded = encode(table, table.schema.quasi)
    small = data.draw(st.integers(1, k - 1))
    edges = [0, small]
    while len(table) - edges[-1] >= 2 * k:
        edges.append(edges[-1] + data.draw(st.integers(k, min(2 * k - 1, len(table) - edges[-1] - k))))
    edges.append(len(table))
    order = np.array(data.draw(st.permutations(range(len(table)))), dtype=np.int64)
    columns, words, flat = kernels_of(table)
    before = clusters(order, np.array(edges))
    after = clusters(*enlarge(columns, words, flat, order, np.array(edges, dtype=np.int64), k))
    assert sorted(itertools.chain(*after)) == list(range(len(table)))
    assert min(map(len, after)) >= k

    def loss(group):
        return ncp(coded, group)

    group, others = before[0], before[1:]
    costs = [(len(group) + len(h)) * loss(group + h) - len(group) * loss(group) - len(h) * loss(h) for h in others]
    for h in others:
        if len(h) + len(group) >= 2 * k:
            lacking = k - len(group)
            apart = {row: loss([*group, row]) for row in h}
            least = sum(sorted(apart.values())[:lacking]) + 1e-12
            costs.append(  # of records equally near, any: the dearest of these loans is the least to do at
                max(
                    k * loss([*group, *lent]) - len(group) * loss(group) - lacking * loss(h)
                    for lent in itertools.combinations(h, lacking)
                    if sum(apart[row] for row in lent) <= least
                )
            )
    changed = [h for h in after if h not in others]
    partner = next(h for h in others if h not in after)
    assert len(after) - len(changed) == len(others) - 1
    larger = next(h for h in changed if set(group) <= set(h))
    if len(changed) == 1:
        assert larger == sorted(group + partner)
        moved = len(partner)
    else:
        assert len(larger) == k
        moved = k - len(group)
    assert len(larger) * loss(larger) - len(group) * loss(group) - moved * loss(partner) <= min(costs) + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_two_far_clusters_are_told_apart(seed):
    """A division between two clumps goes between them, wherever the search starts."""
    low, high = list(range(10)), list(range(1000, 1010))
    table = numbers(x=low + high, y=[v % 7 for v in low] + [500 + v % 7 for v in high])
    groups = grouped(table, 5, seed)
    assert all(max(group) < 10 or min(group) >= 10 for group in groups)
    assert grouped(table, 10, seed) == [list(range(10)), list(range(10, 20))] or grouped(table, 10, seed) == [
        list(range(10, 20)),
        list(range(10)),
    ]


def test_a_far_record_borrows_rather_than_widens_a_whole_cluster():
    """The outlier takes the two nearest of five; joining them all would spread its range over six records."""
    table = numbers(0, 1, 2, 3, 4, 100)
    columns, words, data = kernels_of(table)
    rows, starts = enlarge(columns, words, data, np.arange(6), np.array([0, 5, 6]), 3)
    assert sorted(clusters(rows, starts)) == [[0, 1, 2], [3, 4, 5]]


def test_the_nearest_record_of_all_clusters_is_borrowed():
    """One record alone among clusters of three: what lies nearest counts, and how wide its cluster is."""
    rng = np.random.default_rng(8)
    for spread in (1, 10, 1000) * 10:
        centres = np.repeat(rng.integers(0, 1000, 11), 3)
        values = (centres + rng.permutation(spread * 33)[:33] // 33)[2:]
        table = numbers(*values.tolist())
        columns, words, data = kernels_of(table)
        edges = np.array([0, 1, *range(4, 32, 3)])
        after = clusters(*enlarge(columns, words, data, np.arange(31), edges, 2))
        widths = {a: np.ptp(values[a : a + 3]) for a in range(1, 31, 3)}
        growth = {row: 2 * abs(values[row] - values[0]) - widths[1 + 3 * ((row - 1) // 3)] for row in range(1, 31)}
        borrowed = next(group for group in after if group[0] == 0)
        assert len(borrowed) == 2
        assert growth[borrowed[1]] == min(growth.values())


def test_small_clusters_join_each_other():
    table = numbers(0, 1, 50, 51, 100, 101)
    columns, words, data = kernels_of(table)
    rows, starts = enlarge(columns, words, data, np.arange(6), np.array([0, 1, 2, 3, 4, 5, 6]), 2)
    assert sorted(clusters(rows, starts)) == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize(("n", "k"), [(20, 1), (20, 3), (21, 4), (7, 4), (4, 4)])
def test_equal_records_are_cut_into_pieces(n, k):
    sizes = sorted(len(group) for group in grouped(numbers(*[5] * n), k))
    assert sum(sizes) == n
    assert len(sizes) == n // k
    assert k <= sizes[0] <= sizes[-1] <= 2 * k - 1


@example(k=2)
@given(k=st.integers(2, 6))
@settings(max_examples=5, deadline=None)
def test_chains_of_outliers_end(k):
    """Values that double: every division cuts off one record, until the cluster is halved."""
    table = numbers(*[2.0**i for i in range(400)] * 2)
    groups = grouped(table, k)
    assert sorted(itertools.chain(*groups)) == list(range(800))
    assert min(map(len, groups)) >= k


def test_other_seeds_other_groups():
    table = numbers(*[(i * 7919) % 1009 for i in range(200)])
    assert grouped(table, 5, 1) == grouped(table, 5, 1)
    assert grouped(table, 5, 1) != grouped(table, 5, 2)


def test_it_loses_about_what_others_lose():
    """On clumps of ten, every method for k = 10 should find the clumps; this one may miss a few."""
    rng = np.random.default_rng(3)
    centres = rng.uniform(0, 1000, (40, 3))
    points = np.repeat(centres, 10, axis=0) + rng.normal(0, 1, (400, 3))
    table = numbers(**{f"c{i}": points[:, i] for i in range(3)})
    assert gcp(table, grouped(table, 10)) < 0.03
    assert gcp(table, [list(range(400))]) == pytest.approx(1.0)


def test_losses_of_its_groups_are_those_of_the_kernel():
    table = numbers(x=[(i * 37) % 101 for i in range(60)], y=[(i * 17) % 13 for i in range(60)])
    columns, words, data = kernels_of(table)
    groups = sf.TopDown().groups(Job(encode(table, ["x", "y"]), [], sf.KAnonymity(4), Randomness(2)))
    found = group_losses(columns, words, data, groups.order, groups.starts) @ groups.sizes / 60
    assert found == pytest.approx(gcp(table, clusters(groups.order, groups.starts)))


def test_it_keeps_k_anonymity_only():
    table = sf.Table(pl.DataFrame({"x": [1, 2], "s": ["a", "b"]}), sf.Schema(quasi=["x"], sensitive=["s"]))
    with pytest.raises(ParameterError, match=r"not LDiversity\(2\); use Hilbert or Mondrian"):
        sf.publish(table, sf.TopDown(), sf.KAnonymity(1) & sf.LDiversity(2))
    with pytest.raises(ParameterError, match="show must be one of"):
        sf.TopDown(show="nothing")
