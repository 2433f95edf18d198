"""Bounding boxes against the penalty written out plainly."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.tables.coding.boxes import (
    add_record,
    clear_box,
    count_bits,
    group_losses,
    join_boxes,
    loss_of_box,
    loss_with_record,
    records,
    word_offsets,
)
from sfumato.tables.coding.columns import flatten
from support.naive import ncp
from support.tables_strategies import EUROPE, tables


class Box:
    """A box of some columns, grown record by record."""

    def __init__(self, columns):
        self.columns, self.words = columns, word_offsets(columns)
        self.extent = np.full((len(columns.shape), 3), 77, dtype=np.int32)  # what was there before must not matter
        self.seen = np.full(self.words[-1], 77, dtype=np.uint64)
        clear_box(columns, self.extent, self.seen)

    def add(self, record):
        add_record(self.columns, self.words, self.extent, self.seen, record)

    def join(self, other):
        join_boxes(self.columns, self.words, self.extent, self.seen, other.extent, other.seen)

    def loss(self):
        return loss_of_box(self.columns, self.extent)

    def loss_with(self, record):
        return loss_with_record(self.columns, self.words, self.extent, self.seen, record)

    def state(self):
        return self.extent.tolist(), self.seen.tolist()


def box_of(columns, data, rows):
    box = Box(columns)
    for row in rows:
        box.add(data[row])
    return box


def check_growth(coded, rows):
    """Grow a box along `rows`: its loss, told before and after each step, is the penalty of what is in it."""
    columns = flatten(coded)
    data = records(columns)
    box = Box(columns)
    assert box.loss() == 0.0
    for done, row in enumerate(rows):
        before = box.state()
        told = box.loss_with(data[row])
        assert box.state() == before
        box.add(data[row])
        expected = ncp(coded, rows[: done + 1])
        assert box.loss() == pytest.approx(expected, abs=1e-12)
        assert told == pytest.approx(expected, abs=1e-12)


@settings(max_examples=120)
@given(tables(sensitive=False), st.data())
def test_the_loss_of_a_growing_box_is_the_penalty_of_its_records(table, data):
    order = data.draw(st.permutations(range(len(table))))
    check_growth(encode(table, table.schema.quasi), list(order))


@settings(max_examples=120)
@given(tables(sensitive=False), st.data())
def test_joining_equals_adding_all(table, data):
    coded = encode(table, table.schema.quasi)
    columns = flatten(coded)
    order = list(data.draw(st.permutations(range(len(table)))))
    at, overlap = data.draw(st.integers(0, len(order))), data.draw(st.integers(0, 3))
    codes = records(columns)
    one, two = order[:at], order[max(0, at - overlap) :]
    together = box_of(columns, codes, order)
    for first, second in ((one, two), (two, one)):
        box, other = box_of(columns, codes, first), box_of(columns, codes, second)
        before = other.state()
        box.join(other)
        assert box.state() == together.state()
        assert other.state() == before
        assert box.loss() == pytest.approx(ncp(coded, order), abs=1e-12)


@settings(max_examples=80)
@given(tables(sensitive=False), st.data())
def test_group_losses_are_those_of_the_groups(table, data):
    coded = encode(table, table.schema.quasi)
    columns = flatten(coded)
    order = np.array(data.draw(st.permutations(range(len(table)))), dtype=np.int64)
    inner = data.draw(st.sets(st.integers(1, max(1, len(table) - 1)), max_size=4)) if len(table) > 1 else set()
    starts = np.array([0, *sorted(inner), len(table)], dtype=np.int64)
    losses = group_losses(columns, word_offsets(columns), records(columns), order, starts)
    expected = [ncp(coded, order[a:b].tolist()) for a, b in itertools.pairwise(starts)]
    assert losses == pytest.approx(expected, abs=1e-12)


def wide_table(n_values, *, missing):
    """Two sets of many values around a hierarchy and a range, so that their bits lie side by side."""
    n = n_values + 40
    words = [f"value {(i * 7) % n_values:03}" for i in range(n)]
    others = [f"other {(i * 11) % (n_values - 1):03}" for i in range(n)]
    if missing:
        words[5] = words[70] = others[9] = None
    places = [("Italy", "France", "Spain", "US", "Brazil", "Chile", None)[i % (7 if missing else 6)] for i in range(n)]
    frame = pl.DataFrame({"a": words, "place": places, "x": [(i * 13) % 50 for i in range(n)], "b": others})
    schema = sf.Schema(quasi=["a", "place", "x", "b"], hierarchies={"place": EUROPE}, weights={"a": 3.0, "x": 0.5})
    return sf.Table(frame, schema)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_values", [63, 64, 65, 128, 129, 200])
def test_sets_of_more_values_than_a_word_has_bits(n_values, missing):
    table = wide_table(n_values, missing=missing)
    coded = encode(table, table.schema.quasi)
    rows = [(i * 37) % len(table) for i in range(60)]
    check_growth(coded, rows)
    columns = flatten(coded)
    codes = records(columns)
    box, other = box_of(columns, codes, rows[:25]), box_of(columns, codes, rows[25:])
    box.join(other)
    assert box.state() == box_of(columns, codes, rows).state()
    assert box.loss() == pytest.approx(ncp(coded, rows), abs=1e-12)


def test_words_are_as_many_as_the_bits_of_each_set_need():
    offsets = {n: word_offsets(flatten(encode(wide_table(n, missing=m), ["a", "place", "x", "b"]))).tolist()
               for n, m in ((64, False), (65, False), (66, True))}  # fmt: skip
    assert offsets == {64: [0, 1, 1, 1, 2], 65: [0, 2, 2, 2, 3], 66: [0, 2, 2, 2, 4]}


def test_records_follow_an_order():
    table = wide_table(64, missing=False)
    columns = flatten(encode(table, table.schema.quasi))
    order = np.array([5, 0, 3], dtype=np.int64)
    assert records(columns, order).tolist() == columns.codes[:, order].T.tolist()
    assert records(columns).tolist() == columns.codes.T.tolist()


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted(word):
    assert count_bits(np.uint64(word)) == word.bit_count()


def test_a_column_of_missing_values_alone_costs_nothing():
    frame = pl.DataFrame({"x": [None, None, 1], "y": [1, 2, 3]}, schema={"x": pl.Int64, "y": pl.Int64})
    coded = encode(sf.Table(frame, sf.Schema(quasi=["x", "y"])), ["x", "y"])
    columns = flatten(coded)
    box = box_of(columns, records(columns), [0, 1])
    assert box.loss() == pytest.approx(0.25)  # half of the way from 1 to 3, in one of two columns
    assert box.loss_with(records(columns)[2]) == pytest.approx(0.75)  # missing and present: half, and all of y
