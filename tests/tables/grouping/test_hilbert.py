"""The Hilbert line of every table, and the groups that it is cut into."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.hilbert import hilbert_line
from sfumato.tables.grouping.job import Job
from support.ordered_tables import all_quasi, columns_of
from support.tables_strategies import EUROPE, tables


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


def test_the_hilbert_line_of_a_mixed_table_is_what_it_always_was():
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
    expected = [0, 18, 6, 12, 4, 16, 10, 22, 5, 17, 23, 11, 21, 3, 15, 9, 1, 13, 7, 19, 8, 20, 2, 14]
    assert line.rows.tolist() == expected
    assert line.along[[0, 2, 3, 4, 6, 8, 12, 23]].tolist() == [
        0.0, 15837.0, 506914.0, 782315.0, 816035.0, 2313434.0, 4341157.0, 7282904.0,
    ]  # fmt: skip
