"""Which methods compete for a table, by its hierarchies and its size."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.tables.choosing.candidates import candidate_names

NAMES = [f"q{i}" for i in range(4)]


def schema(n_with):
    rules = {name: sf.Hierarchy.intervals(breaks=[[0, 10, 20]]) for name in NAMES[:n_with]}
    return sf.Table(pl.DataFrame({name: range(20) for name in NAMES}), sf.Schema(quasi=NAMES, hierarchies=rules)).schema


@pytest.mark.parametrize(
    ("n_with", "first"), [(0, "Ordered"), (1, "Ordered"), (2, "LocalRecoding"), (4, "LocalRecoding")]
)
def test_a_third_of_the_columns_with_hierarchies_put_local_recoding_first(n_with, first):
    names = candidate_names(schema(n_with), 20)
    assert names[0] == first
    assert sorted(names) == ["LocalRecoding", "Ordered"]


@pytest.mark.parametrize(("n_rows", "names"), [(200_001, ["Ordered"]), (2_000_001, ["Hilbert"])])
def test_large_tables_have_what_finishes_in_seconds(n_rows, names):
    assert candidate_names(schema(4), n_rows) == candidate_names(schema(0), n_rows) == names
