import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.job import Job
from support.naive import loss
from support.tables_strategies import tables

PROMISES = [
    sf.KAnonymity(1),
    sf.KAnonymity(2),
    sf.KAnonymity(3) & sf.LDiversity(2),
    sf.LDiversity(2, kind="distinct"),
    sf.LDiversity(1.5, kind="entropy"),
    sf.LDiversity(2, kind="recursive", c=2),
    sf.TCloseness(0.3),
    sf.TCloseness(0.4, distance="variational"),
    sf.KAnonymity(2) & sf.TCloseness(0.8, distance="kl"),
]


def grouped(table, method, promise):
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    return method.groups(Job(quasi, sensitive, promise, Randomness(1)))


@settings(max_examples=150)
@given(tables(max_rows=30), st.sampled_from(PROMISES), st.booleans())
def test_every_class_holds_the_promise(table, promise, strict):
    sensitive = encode(table, table.schema.sensitive)
    if promise.limit(len(table), sensitive) is not None:
        return
    groups = grouped(table, sf.Mondrian(strict=strict), promise)
    assert sorted(groups.order.tolist()) == list(range(len(table)))
    frame = table.frame.select(table.schema.sensitive)[groups.order].with_columns(
        group=np.repeat(np.arange(groups.n_groups), groups.sizes)
    )
    verdict = sf.verify(frame, promise=promise, quasi=["group"], sensitive=table.schema.sensitive)
    assert verdict.holds, verdict.broken


@settings(max_examples=100)
@given(tables(max_rows=14), st.integers(1, 4))
def test_strict_groups_cannot_be_cut_further(table, k):
    """No axis-parallel cut between two codes (or two branches) leaves k on both sides: brute force."""
    if k > len(table):
        return
    quasi = encode(table, table.schema.quasi)
    groups = grouped(table, sf.Mondrian(), sf.KAnonymity(k))
    for a, b in itertools.pairwise(groups.starts):
        rows = groups.order[a:b]
        for column in quasi:
            codes = column.codes[rows]
            edges = sorted(set(codes.tolist()))[:-1]
            if column.tree is not None:
                present = [code for code in codes if code >= 0]
                top = column.tree.lowest_cover(min(present), max(present)) if present else 0
                edges = [-1] + [int(column.tree.last[child]) for child in column.tree.children(top)]
            for edge in edges:
                left = int((codes <= edge).sum())
                assert not (left >= k and len(rows) - left >= k), (column.name, codes.tolist(), edge)


@settings(max_examples=60)
@given(tables(max_rows=30), st.integers(1, 4))
def test_relaxed_groups_never_lose_more(table, k):
    if k > len(table):
        return
    quasi = encode(table, table.schema.quasi)

    def total(groups):
        return sum(
            (b - a) * column.weight * loss(column, groups.order[a:b])
            for a, b in itertools.pairwise(groups.starts) for column in quasi
        )  # fmt: skip

    strict = grouped(table, sf.Mondrian(), sf.KAnonymity(k))
    relaxed = grouped(table, sf.Mondrian(strict=False), sf.KAnonymity(k))
    assert total(relaxed) <= total(strict) + 1e-9
    assert relaxed.n_groups >= strict.n_groups


def test_strict_groups_do_not_overlap():
    frame = pl.DataFrame({"x": [i % 10 for i in range(200)], "y": [(i * 7) % 13 for i in range(200)]})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"]))
    groups = grouped(table, sf.Mondrian(), sf.KAnonymity(5))
    seen = {}
    for g, (a, b) in enumerate(itertools.pairwise(groups.starts)):
        for point in frame[groups.order[a:b]].rows():
            assert seen.setdefault(point, g) == g


def test_the_widest_column_is_cut_first_and_the_next_where_it_cannot():
    frame = pl.DataFrame({"wide": [0, 0, 0, 0, 0, 10], "narrow": [0, 1, 2, 3, 4, 5]})
    schema = sf.Schema(quasi=["wide", "narrow"], bounds={"wide": (0, 10), "narrow": (0, 50)})
    groups = grouped(sf.Table(frame, schema), sf.Mondrian(), sf.KAnonymity(3))
    assert [sorted(groups.order[a:b].tolist()) for a, b in itertools.pairwise(groups.starts)] == [[0, 1, 2], [3, 4, 5]]


def test_a_hierarchy_is_cut_between_its_branches():
    country = ["Italy", "France", "Spain", "US", "Brazil", "Chile"]
    from support.tables_strategies import EUROPE

    table = sf.Table(pl.DataFrame({"c": country}), sf.Schema(quasi=["c"], hierarchies={"c": EUROPE}))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(3))
    assert sorted(release.data.frame["c"].to_list()) == ["America"] * 3 + ["Europe"] * 3


def test_sparse_codes_take_the_sorting_path():
    """Many distinct values, of which a region holds few."""
    rng = [(i * 7919) % 100_003 for i in range(5_000)]
    frame = pl.DataFrame({"x": rng, "y": [(i * 31) % 4_999 for i in range(5_000)], "z": [i % 2 for i in range(5_000)]})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y", "z"]))
    for strict in (True, False):
        groups = grouped(table, sf.Mondrian(strict=strict), sf.KAnonymity(4))
        assert groups.sizes.min() >= 4
        assert groups.sizes.max() <= 7
        assert sorted(groups.order.tolist()) == list(range(5_000))


@pytest.mark.parametrize("k", [1, 5])
def test_one_column_one_value(k):
    table = sf.Table(pl.DataFrame({"x": [3] * 5}), sf.Schema(quasi=["x"]))
    groups = grouped(table, sf.Mondrian(strict=False), sf.KAnonymity(k))
    assert groups.n_groups == 1


def test_k_1_is_the_identity():
    frame = pl.DataFrame({"x": [3, 1, 2, 2, None], "c": ["a", "b", "a", None, "b"]})
    table = sf.Table(frame, sf.Schema(quasi=["x", "c"]))
    for method in (sf.Mondrian(), sf.Hilbert()):
        release = sf.publish(table, method, sf.KAnonymity(1))
        expected = frame.with_columns(pl.col("x").cast(pl.String))[release.owner.rows]
        assert release.data.frame.equals(expected)
