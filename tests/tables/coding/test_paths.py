"""Paths: records are in one class at a node exactly where the node's mask leaves the same of their bits."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.tables.coding.levels import levels_of
from sfumato.tables.coding.paths import paths_of
from support.naive_lattice import lattices


def parts_at(levels, codes, node):
    """What every record becomes in each column, by the levels themselves."""
    return [tuple(levels.part[levels.offset[c, l] + 1 + row[c]] for c, l in enumerate(node)) for row in codes]


def check(levels, codes, nodes):
    paths = paths_of(levels, codes)
    for node in nodes:
        left = [tuple(row) for row in (paths.words & paths.mask(node)).tolist()]
        parts = parts_at(levels, codes, node)
        assert len(set(zip(left, parts, strict=True))) == len(set(left)) == len(set(parts))
    return paths


@pytest.mark.parametrize("halved", [False, True])
@settings(max_examples=40)
@given(made=lattices(min_rows=2, max_rows=12, trees=True))
def test_masks_leave_the_classes_of_every_node(halved, made):
    quasi = encode(made.table, made.table.schema.quasi)
    levels = levels_of(quasi, halved=halved)
    codes = np.ascontiguousarray(np.stack([column.codes for column in quasi], axis=1))
    check(levels, codes, itertools.product(*(range(top + 1) for top in levels.tops)))


def test_many_columns_need_several_words():
    rng = np.random.default_rng(1)
    table = sf.Table(
        pl.DataFrame({f"c{c}": rng.integers(0, 300, 60) for c in range(12)}),
        sf.Schema(quasi=[f"c{c}" for c in range(12)]),
    )
    quasi = encode(table, table.schema.quasi)
    levels = levels_of(quasi, halved=True)
    codes = np.ascontiguousarray(np.stack([column.codes for column in quasi], axis=1))
    nodes = [tuple(int(rng.integers(0, top + 1)) for top in levels.tops) for _ in range(30)]
    assert check(levels, codes, nodes).words.shape[1] > 1


def test_a_column_of_one_value_takes_no_bits():
    table = sf.Table(pl.DataFrame({"a": ["x"] * 3, "b": [1, 2, 2]}), sf.Schema(quasi=["a", "b"]))
    quasi = encode(table, table.schema.quasi)
    levels = levels_of(quasi)
    codes = np.ascontiguousarray(np.stack([column.codes for column in quasi], axis=1))
    check(levels, codes, itertools.product(*(range(top + 1) for top in levels.tops)))
