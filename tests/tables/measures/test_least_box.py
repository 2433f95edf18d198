"""The cheapest box around a record and k - 1 others, against all of them on small tables."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.tables.coding.boxes import add_record, clear_box, word_offsets
from sfumato.tables.coding.columns import flatten
from sfumato.tables.measures.floor import record_floors
from sfumato.tables.measures.least_box import CANDIDATES, Tuples, _nearest
from support.naive import ncp
from support.tables_strategies import tables


def cheapest(quasi, n, i, k):
    """What the cheapest class of k records loses that holds record i; larger ones lose no less."""
    others = [j for j in range(n) if j != i]
    return min(ncp(quasi, [i, *chosen]) for chosen in itertools.combinations(others, k - 1))


@settings(max_examples=120, deadline=None)
@given(tables(min_rows=3, max_rows=9, sensitive=False), st.integers(2, 4))
def test_it_is_the_cheapest(table, k):
    quasi, n, k = encode(table, table.schema.quasi), len(table), min(k, len(table))
    found = record_floors(quasi, k, np.arange(n), most_states=2000)
    assert found == pytest.approx([cheapest(quasi, n, i, k) for i in range(n)], abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(tables(min_rows=3, max_rows=9, sensitive=False), st.integers(2, 4), st.integers(1, 6))
def test_a_search_that_is_cut_off_stays_below(table, k, most_states):
    quasi, n, k = encode(table, table.schema.quasi), len(table), min(k, len(table))
    found = record_floors(quasi, k, np.arange(n), most_states=most_states)
    exact = record_floors(quasi, k, np.arange(n), most_states=2000)
    assert (found <= exact + 1e-9).all()
    assert (found >= record_floors(quasi, k, np.arange(n), most_states=1) - 1e-9).all()


@pytest.mark.parametrize("n_kept", [1, 2, 3, 5, 12, 20])
def test_the_nearest_are_kept_and_the_next_is_the_bound(n_kept):
    for seed in range(20):
        places = np.append(0.0, np.random.default_rng(seed).random(12))
        table = sf.Table(pl.DataFrame({"x": places}), sf.Schema(quasi=["x"]))
        columns = flatten(encode(table, ["x"]))
        words, data = word_offsets(columns), np.ascontiguousarray(columns.codes.T)
        extent, seen = np.empty((1, 3), dtype=np.int32), np.empty(int(words[-1]), dtype=np.uint64)
        clear_box(columns, extent, seen)
        add_record(columns, words, extent, seen, data[0])
        near, far = np.empty(n_kept, dtype=np.int64), np.empty(n_kept)
        n_near, beyond = _nearest(columns, words, Tuples(data, np.ones(13, dtype=np.int64)), extent, seen, near, far)
        losses = np.sort(places) / places.max()
        assert np.sort(far[:n_near]) == pytest.approx(losses[:n_near])
        assert n_near == min(n_kept, 13)
        assert beyond == (pytest.approx(losses[n_kept]) if n_kept < 13 else np.inf)


def test_whoever_is_beyond_the_candidates_bounds_the_search():
    """400 records on a line, a class of 300: the candidates do not suffice, and what lies beyond them is the bound."""
    table = sf.Table(pl.DataFrame({"x": np.arange(400)}), sf.Schema(quasi=["x"]))
    found = record_floors(encode(table, ["x"]), 300, np.array([0, 200]), most_states=50)
    assert found == pytest.approx([CANDIDATES / 399, (CANDIDATES / 2) / 399], abs=1e-6)
