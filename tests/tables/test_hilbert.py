import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from naive import best_consecutive, hilbert_curve, ncp
from sfumato.data.encoding import encode
from sfumato.ground.curve import hilbert_keys, radix_order
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.cutting.k_optimal import optimal_starts, optimal_starts_1d
from sfumato.tables.grouping.job import Job
from tables_strategies import tables


def cut(values, k):
    """Groups and total loss of one numeric column in its own order."""
    table = sf.Table(pl.DataFrame({"x": values}), sf.Schema(quasi=["x"]))
    coded = encode(table, ["x"])
    order = np.argsort(values, kind="stable")
    starts = optimal_starts(
        flatten(coded)._replace(codes=np.ascontiguousarray(coded[0].codes[order])[None, :]), k, np.inf
    )
    ordered = np.array(values)[order]
    return [ordered[a:b].tolist() for a, b in itertools.pairwise(starts)]


def total(groups):
    return sum(len(group) * (max(group) - min(group)) for group in groups)


@pytest.mark.parametrize(
    ("values", "k", "expected"),
    [
        ((1, 2, 4, 7, 11, 12, 13, 20, 22, 29), 2, 38),
        ((1, 2, 4, 7, 11, 12, 13, 20, 22, 29), 3, 57),
        ((1, 2, 4, 7, 11, 12, 13, 20, 22, 29), 4, 130),
        ((0, 49, 50, 51, 100), 2, 248),
        ((0, 10, 11, 12), 2, 22),
    ],
)
def test_vectors_of_the_one_dimensional_cut(values, k, expected):
    groups = cut(list(values), k)
    assert total(groups) == expected
    assert sorted(itertools.chain(*groups)) == sorted(values)
    assert all(k <= len(group) <= 2 * k - 1 for group in groups)


def test_vector_e1_and_e3_groups():
    values = [1, 2, 4, 7, 11, 12, 13, 20, 22, 29]
    assert cut(values, 2) == [[1, 2], [4, 7], [11, 12], [13, 20], [22, 29]]
    assert cut(values, 4) == [[1, 2, 4, 7, 11, 12], [13, 20, 22, 29]]


def test_vector_e4_every_prefix():
    """Opt(i) for the first i values; none for a single one."""
    values = [1, 2, 4, 7, 11, 12, 13, 20, 22, 29]
    assert [total(cut(values[:i], 2)) for i in range(2, 11)] == [2, 9, 8, 17, 10, 14, 24, 18, 38]


def test_a_bound_on_the_loss_that_no_cut_meets():
    columns = flatten(encode(sf.Table(pl.DataFrame({"x": [0, 1, 10, 11]}), sf.Schema(quasi=["x"])), ["x"]))
    assert optimal_starts(columns, 2, 0.1).tolist() == [0, 2, 4]
    assert optimal_starts(columns, 3, 0.1).tolist() == []


@settings(max_examples=150)
@given(tables(sensitive=False), st.data())
def test_the_cut_equals_exhaustive_search(table, data):
    """Every kind of column, missing values, every k, in any order of the rows."""
    coded = encode(table, table.schema.quasi)
    order = np.array(data.draw(st.permutations(range(len(table)))), dtype=np.int64)
    columns = flatten(coded)
    columns = columns._replace(codes=np.ascontiguousarray(columns.codes[:, order]))
    for k in range(1, len(table) + 1):
        starts = optimal_starts(columns, k, np.inf)
        sizes = np.diff(starts)
        assert starts[0] == 0
        assert starts[-1] == len(table)
        assert sizes.min() >= k
        found = sum((b - a) * ncp(coded, order[a:b]) for a, b in itertools.pairwise(starts))
        assert found == pytest.approx(best_consecutive(coded, order.tolist(), k), abs=1e-9)


def test_the_cut_is_right_across_blocks():
    """Longer than one block of the kernel: compared with the plain recurrence."""
    values = np.sort(np.array([(i * 7919) % 1009 for i in range(3000)]))
    k = 3
    opt = [0.0] + [float("inf")] * len(values)
    for i in range(k, len(values) + 1):
        opt[i] = min(
            opt[j] + (i - j) * float(values[i - 1] - values[j]) for j in range(max(0, i - 2 * k + 1), i - k + 1)
        )
    assert total(cut(values.tolist(), k)) == opt[-1]
    starts = optimal_starts_1d(values.astype(np.float64), k)
    assert sum((b - a) * (values[b - 1] - values[a]) for a, b in itertools.pairwise(starts)) == opt[-1]


@pytest.mark.parametrize(("d", "bits"), [(1, 4), (2, 1), (2, 3), (3, 2), (4, 2), (5, 1)])
def test_hilbert_keys_visit_every_cell_by_single_steps(d, bits):
    cells = np.array(list(itertools.product(range(2**bits), repeat=d)), dtype=np.uint32)
    keys = hilbert_keys(np.ascontiguousarray(cells.T), bits)
    order = radix_order(keys)
    assert sorted(keys[0].tolist()) == list(range(len(cells)))
    steps = np.abs(np.diff(cells[order].astype(int), axis=0)).sum(axis=1)
    assert (steps == 1).all()
    assert not cells[order[0]].any()


def test_hilbert_keys_are_self_similar():
    """The first quarter of a finer curve is a coarser curve, turned."""
    coarse, fine = hilbert_curve(2, 1), hilbert_curve(2, 2)
    assert {tuple(c >> 1 for c in cell) for cell in fine[:4]} == {coarse[0]}
    cells = np.array(fine, dtype=np.uint32).T
    keys = hilbert_keys(np.ascontiguousarray(cells), 2)[0]
    blocks = [{tuple(c >> 1 for c in fine[i]) for i in np.argsort(keys)[a : a + 4]} for a in range(0, 16, 4)]
    assert all(len(block) == 1 for block in blocks)


@pytest.mark.parametrize(("d", "bits"), [(7, 12), (130, 1), (3, 30)])
def test_long_keys_take_more_words(d, bits):
    axes = np.array([[(i * 37 + a * 11) % 2**bits for i in range(50)] for a in range(d)], dtype=np.uint32)
    keys = hilbert_keys(axes, bits)
    assert keys.shape == (-(-d * bits // 64), 50)
    order = radix_order(keys)
    numbers = [sum(int(keys[w, i]) << 64 * (len(keys) - 1 - w) for w in range(len(keys))) for i in range(50)]
    assert order.tolist() == sorted(range(50), key=lambda i: numbers[i])


@given(st.lists(st.integers(0, 2**64 - 1), max_size=40), st.integers(0, 3))
def test_radix_order_is_a_stable_sort(values, repeat):
    values = values * (repeat + 1)
    order = radix_order(np.array([values], dtype=np.uint64).reshape(1, -1))
    assert order.tolist() == sorted(range(len(values)), key=lambda i: values[i])


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
