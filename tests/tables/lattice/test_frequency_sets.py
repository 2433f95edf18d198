"""Frequency sets that are rolled up are those counted from the rows, whatever their keys."""

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.tables.coding.levels import levels_of
from sfumato.tables.lattice import examiner as examiner_module
from sfumato.tables.lattice import frequency_sets
from sfumato.tables.lattice.examiner import Examiner
from sfumato.tables.lattice.frequency_sets import classify
from support.naive_lattice import PROMISES, lattices


def examiner_of(made, promise, **options):
    quasi = encode(made.table, made.table.schema.quasi)
    sensitive = encode(made.table, made.table.schema.sensitive)
    return Examiner(quasi, sensitive, promise, levels_of(quasi), **options)


@settings(max_examples=60)
@given(lattices(), st.sampled_from(PROMISES), st.randoms(use_true_random=False), st.sampled_from([2, 64]))
def test_frequency_sets_that_are_rolled_up_are_those_counted_from_the_rows(made, promise, random, room):
    nodes = made.nodes()
    random.shuffle(nodes)
    examiner = examiner_of(made, promise)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examiner_module, "_SETS", room)
        patch.setattr(examiner_module, "_WORTH", 1.0)
        for node in nodes:
            examiner.prepare(node)
            examiner.examine(node)
    used = sorted({part for each in promise.parts for part in (getattr(each, "columns", ()) or ("s", "x"))})
    if all(isinstance(part, sf.KAnonymity) for part in promise.parts):
        used = []
    for known in examiner._sets:
        rows = made.shown(known.node)[0]
        keys = [(row, *(made.frame[name][i] for name in used)) for i, row in enumerate(rows)]
        counted = {keys[entry]: int(weight) for entry, weight in zip(known.entries, known.weight, strict=True)}
        assert counted == Counter(keys)
        assert len(counted) == len(known.entries)
    for node in nodes:
        of_row, allowed = examiner.classes(node)
        groups = defaultdict(set)
        for i, row in enumerate(made.shown(node)[0]):
            groups[row].add(int(of_row[i]))
        assert all(len(ids) == 1 for ids in groups.values())
        assert len(set(of_row.tolist())) == len(groups) == len(allowed)


def wide(n_columns, n_rows=300):
    """So many columns that a class's key does not fit into 64 bits."""
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 200, (n_rows // 3, n_columns))
    return sf.Table(
        pl.DataFrame({f"c{c}": np.tile(rows[:, c], 3) for c in range(n_columns)}),
        sf.Schema(quasi=[f"c{c}" for c in range(n_columns)]),
    )


def test_paths_beyond_64_bits_are_told_apart():
    table = wide(12)
    quasi = encode(table, table.schema.quasi)
    levels = levels_of(quasi)
    assert np.prod([float(column.n_codes) for column in quasi]) > 2.0**64
    examiner = Examiner(quasi, [], sf.KAnonymity(3), levels)
    assert examiner.examine((0,) * 12).holds
    of_row, _ = examiner.classes((0,) * 12)
    assert of_row[:100].tolist() == of_row[100:200].tolist()
    assert len(set(of_row.tolist())) == table.frame.unique().height
    node = (0,) * 11 + (1,)
    assert len(set(examiner.classes(node)[0].tolist())) == table.frame.drop("c11").unique().height
    assert sf.BestFirst().search(table, sf.KAnonymity(3)).cost == 0


def test_entries_of_one_slot_are_told_apart():
    """Slots are few, and entries that share one must still be compared."""
    words = np.arange(0, 64, dtype=np.uint64).reshape(-1, 1)
    scratch = frequency_sets.scratch_for(64)
    for mask, n in ((63, 64), (62, 32), (48, 4), (0, 1)):
        entries = np.arange(64)
        assert classify(words, np.array([mask], dtype=np.uint64), entries, np.ones(64, dtype=np.int64), scratch) == n
        assert len({(int(w) & mask, int(i)) for w, i in zip(words[:, 0], scratch.ids, strict=True)}) == n
        assert set(scratch.sizes[:n].tolist()) == {64 // n}
