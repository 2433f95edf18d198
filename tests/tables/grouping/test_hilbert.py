"""The Hilbert line of every table, and the groups that it is cut into."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.hilbert import hilbert_line
from sfumato.tables.grouping.job import Job
from support.ordered_tables import all_quasi, columns_of
from support.tables_strategies import EUROPE, tables

UNEVEN = st.one_of(
    st.lists(st.integers(0, 60), min_size=1, max_size=12),
    st.lists(st.sampled_from([2.0**-i for i in range(60)]), min_size=1, max_size=10),
    st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=1, max_size=10),
    st.lists(st.sampled_from([1, 2, 3, 10**6, 10**6 + 1, 10**12, 10**15, 10**15 + 1]), min_size=1, max_size=12),
)
"""One column of numbers that lie unevenly."""


def consecutive_partitions(n):
    """Every way to cut n places into groups of neighbours, each as the edges of its groups."""
    for inner in itertools.product([False, True], repeat=n - 1):
        yield [0, *(i + 1 for i, cut in enumerate(inner) if cut), n]


def losses_of_groups(values, edges):
    spread = max(values) - min(values)
    return [(values[b - 1] - values[a]) / spread if spread else 0.0 for a, b in itertools.pairwise(edges)]


def best_consecutive_loss(values, k):
    """The least average loss of groups of k or more that are neighbours among the sorted values, by trying all."""
    values, best = sorted(values), 1.0
    for edges in consecutive_partitions(len(values)):
        sizes = np.diff(edges)
        if sizes.min() >= k:
            best = min(best, float(np.dot(sizes, losses_of_groups(values, edges))) / len(values))
    return best


def best_consecutive_k(values, max_loss):
    """The largest k such that groups of k or more neighbours among the sorted values lose `max_loss` at most."""
    values = sorted(values)
    return max(
        (min(np.diff(edges)) for edges in consecutive_partitions(len(values))
         if max(losses_of_groups(values, edges)) <= max_loss + 1e-9),
        default=1,
    )  # fmt: skip


def column_of_numbers(values):
    return sf.Table(pl.DataFrame({"x": values}), sf.Schema(quasi=["x"]))


def cells_of_groups(table, method, promise):
    """The records of each group as their cells, the groups and the records in them sorted."""
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    groups = method.groups(Job(quasi, sensitive, promise, Randomness(1)))
    cells = np.stack([column.codes for column in quasi], axis=1)[groups.order]
    return sorted(sorted(map(tuple, cells[a:b].tolist())) for a, b in itertools.pairwise(groups.starts))


@pytest.mark.parametrize(("values", "k", "gcp"), [
    ([13, 35, 59, 43, 54, 28, 31, 21], 2, 0.130), ([3, 1, 10**15, 10**15 + 1, 2, 10**15 + 2], 3, 0.0),
])  # fmt: skip
def test_values_that_lie_unevenly_are_cut_in_their_order(values, k, gcp):
    table = column_of_numbers(values)
    release = sf.publish(table, sf.Hilbert(), sf.KAnonymity(k))
    assert sf.measure(release)["gcp"] == pytest.approx(gcp, abs=0.001)


def test_a_bound_finds_room_among_values_that_lie_unevenly():
    """{1, 5}, {21, 32} and {34, 38, 39} lose 0.29 at most."""
    release = sf.publish(
        column_of_numbers([21, 34, 5, 39, 1, 32, 38]), sf.Hilbert(), sf.AccuracyBound(0.3, maximise="k")
    )
    assert release.data.to_polars()["x"].value_counts()["count"].min() == 2


@settings(max_examples=150)
@given(UNEVEN, st.integers(1, 4))
def test_one_column_is_cut_as_well_as_its_sorted_values_can_be(values, k):
    if k > len(values):
        return
    found = cells_of_groups(column_of_numbers(values), sf.Hilbert(), sf.KAnonymity(k))
    apart = sorted(set(values))
    spread = apart[-1] - apart[0]
    lost = sum(len(g) * (apart[g[-1][0]] - apart[g[0][0]]) / spread for g in found) / len(values) if spread else 0.0
    assert lost == pytest.approx(best_consecutive_loss(values, k), abs=1e-9)


@settings(max_examples=150)
@given(UNEVEN, st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8]))
def test_one_column_within_a_bound_reaches_the_k_of_its_sorted_values(values, max_loss):
    best = best_consecutive_k(values, max_loss)
    if best == 1:
        with pytest.raises(InfeasibleError, match="leaves no room for any privacy"):
            cells_of_groups(column_of_numbers(values), sf.Hilbert(), sf.AccuracyBound(max_loss, maximise="k"))
        return
    found = cells_of_groups(column_of_numbers(values), sf.Hilbert(), sf.AccuracyBound(max_loss, maximise="k"))
    assert min(map(len, found)) == best


FAR = st.sampled_from([0, 1, 2, 10**3, 10**6, 10**6 + 1, 10**9, 10**15, 10**15 + 1, None])


@settings(max_examples=60)
@given(
    st.integers(1, 9).flatmap(lambda d: st.lists(st.tuples(*[FAR] * d), min_size=2, max_size=14)),
    st.randoms(use_true_random=False), st.sampled_from([sf.KAnonymity(2), sf.AccuracyBound(0.5, maximise="k")]),
    st.booleans(),
)  # fmt: skip
def test_the_order_of_the_file_makes_no_difference(rows, random, promise, polish):
    """Values so far apart that no key tells them all from each other: ties on the curve go by the values."""
    names = [f"x{c}" for c in range(len(rows[0]))]
    rows, found = [(0,) * len(names), *rows], []
    for given_rows in (rows, random.sample(rows, len(rows))):
        frame = pl.DataFrame(given_rows, schema=dict.fromkeys(names, pl.Int64), orient="row")
        try:
            found.append(cells_of_groups(sf.Table(frame, sf.Schema(quasi=names)), sf.Hilbert(polish=polish), promise))
        except InfeasibleError:
            found.append(None)
    assert found[0] == found[1]


@settings(max_examples=60)
@given(tables(max_rows=30, sensitive=False), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_the_file_makes_no_difference_to_mixed_tables(table, random, fast):
    if len(table) < 2:
        return
    frame = table.to_polars()
    shuffled = frame[random.sample(range(len(frame)), len(frame))]
    found = [
        cells_of_groups(sf.Table(each, table.schema), sf.Hilbert(fast=fast), sf.KAnonymity(2))
        for each in (frame, shuffled)
    ]
    assert found[0] == found[1]


@settings(max_examples=60)
@given(tables(max_rows=40), st.integers(1, 6), st.booleans())
def test_groups_partition_the_rows(table, k, fast):
    if k > len(table):
        return
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    groups = sf.Hilbert(fast=fast).groups(Job(quasi, sensitive, sf.KAnonymity(k), Randomness(1)))
    assert sorted(groups.order.tolist()) == list(range(len(table)))
    assert (groups.sizes >= k).all()
    assert (groups.sizes <= 2 * k - 1).all()


def test_hilbert_keeps_other_promises_too():
    table = sf.Table(pl.DataFrame({"x": [1, 2], "s": ["a", "b"]}), sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, sf.Hilbert(), sf.KAnonymity(2) & sf.LDiversity(2))
    assert release.verdict.reached == {"KAnonymity(k=2)": 2.0, "LDiversity(2)": 2.0}


def test_many_columns_and_many_values():
    """More columns than bits, and more values than the key has room for."""
    frame = pl.DataFrame({f"c{i}": [(i * j * 17) % 23 for j in range(60)] for i in range(140)})
    release = sf.publish(sf.Table(frame, sf.Schema(quasi=frame.columns)), sf.Hilbert(), sf.KAnonymity(5))
    assert release.verdict.holds
    wide = pl.DataFrame({f"c{i}": [float((j * 7919 + i) % 100_003) for j in range(2000)] for i in range(9)})
    assert sf.publish(sf.Table(wide, sf.Schema(quasi=wide.columns)), sf.Hilbert(), sf.KAnonymity(5)).verdict.holds


def test_the_recorded_hilbert_line_of_a_mixed_table():
    lands = ["Italy", "France", "Spain", "US", "Brazil", "Chile"]
    frame = pl.DataFrame({
        "age": [(i * 17) % 41 if i % 9 else None for i in range(24)],
        "land": [lands[(i * 5) % 6] for i in range(24)],
        "job": ["abcd"[(i * i) % 4] for i in range(24)],
        "grade": [["low", "mid", "high"][(i * 7) % 3] for i in range(24)],
    })  # fmt: skip
    orders = {"grade": ["low", "mid", "high"]}
    table = all_quasi(frame, hierarchies={"land": EUROPE}, orders=orders, weights={"age": 2.0})
    line = hilbert_line(columns_of(table))
    expected = [0, 18, 6, 12, 16, 4, 10, 22, 5, 17, 23, 11, 21, 3, 15, 9, 13, 1, 7, 19, 8, 20, 14, 2]
    assert line.rows.tolist() == expected
    assert line.along[[0, 2, 3, 4, 6, 8, 12, 23]].tolist() == [
        0.0, 4054493.0, 129770018.0, 136309785.0, 263188751.0, 590557771.0, 1111337645.0, 1864418898.0,
    ]  # fmt: skip
