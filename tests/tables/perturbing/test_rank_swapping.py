"""RankSwapping: columns keep their values, and nobody's moves far."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from sfumato.ground.randomness import Randomness
from sfumato.tables.perturbing.rank_swapping import swap_ranks
from support.changed_tables import numbers, people, saved, with_frame, with_public

FEW = settings(max_examples=40, deadline=None)


@FEW
@given(st.integers(0, 300), st.integers(0, 320), st.integers(0, 1000))
def test_ranks_are_swapped_in_pairs_within_the_window(n, window, seed):
    words = np.random.default_rng(seed).integers(0, 2**63, n).astype(np.uint64)
    source = swap_ranks(words, window)
    assert (source[source] == np.arange(n)).all()
    assert (np.abs(source - np.arange(n)) <= window).all()
    alone = np.flatnonzero(source == np.arange(n))
    assert window == 0 or (np.diff(alone) > window).all()  # two that stay alone cannot see each other


def test_partners_are_picked_alike():
    counts = np.zeros(6)
    for seed in range(4_000):
        words = Randomness(seed).words(7)
        counts[swap_ranks(words, 5)[0]] += 1
    assert counts[0] == 0
    assert np.abs(counts[1:] - 800).max() < 5 * np.sqrt(4_000 * 0.2 * 0.8)


@FEW
@given(st.integers(2, 80), st.floats(0.5, 100), st.integers(1, 40), st.integers(0, 1000))
def test_every_column_holds_its_values_and_none_moves_far(n, p, values, seed):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"x": rng.integers(0, values, n), "y": rng.normal(size=n), "s": np.arange(n)})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"], sensitive=["s"]))
    if n * p < 100:
        with pytest.raises(DataError, match="is less than one rank; raise p"):
            sf.publish(table, sf.RankSwapping(p), seed=seed)
        return
    release = sf.publish(table, sf.RankSwapping(p), seed=seed)
    shown, own = release.data.frame, frame[release.owner.rows.tolist()]
    assert shown["s"].equals(own["s"])
    for name in ("x", "y"):
        assert shown[name].sort().equals(own[name].sort())
    rank = {value: i for i, value in enumerate(frame["y"].sort().to_list())}
    moved = [abs(rank[a] - rank[b]) for a, b in zip(shown["y"], own["y"], strict=True)]
    assert max(moved) <= n * p / 100


def test_missing_values_stay_and_other_columns_are_as_recorded():
    table = people(age=[None, *range(20, 40), *range(20, 199)])
    release = sf.publish(table, sf.RankSwapping(10, ["age", "edu"]), seed=2)
    own = table.frame[release.owner.rows.tolist()]
    shown = release.data.frame
    assert (
        shown.filter(pl.col("age").is_null())["disease"].to_list()
        == own.filter(pl.col("age").is_null())["disease"].to_list()
    )
    assert shown["edu"].value_counts(sort=True).equals(own["edu"].value_counts(sort=True))
    assert not shown["edu"].equals(own["edu"])
    assert shown.select("income", "day", "sex").equals(own.select("income", "day", "sex"))
    assert release.forms == {"age": "substitute", "edu": "substitute"}
    assert "as recorded: 'income', 'day', 'sex'" in release.verdict.found


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_a_release_survives_the_disk(tmp_path, format):
    table = numbers()
    release = sf.publish(table, sf.RankSwapping(5), seed=1)
    loaded = saved(release, tmp_path / "out", format)
    assert sf.verify(loaded).word == "not decided"
    assert sf.verify(loaded, table)
    assert dict(loaded.measures) == {"linkage_chance": 1 / 200}
    assert sf.measure(release)["rank_correlation"] > 0.95


def test_what_is_no_swap_is_seen():
    table = numbers()
    release = sf.publish(table, sf.RankSwapping(5), seed=1)
    frame = release.data.frame
    other = with_frame(release, frame.with_columns(pl.col("age") + 1))
    assert "does not hold the values of the original" in str(sf.verify(other, table))
    far = with_frame(release, frame.with_columns(pl.col("age").reverse()))
    assert "moved by more than 5% of the ranks" in str(sf.verify(far, table))
    assert (
        sf.verify(with_public(release, swapping={"p": 0.5, "columns": ["age", "income", "day"]}), table).word
        == "broken"
    )
    assert sf.verify(with_public(release, swapping={"p": 5, "columns": ["age"]})).word == "broken"
    assert sf.verify(with_public(release, swapping={})).word == "broken"


def test_bad_parameters_and_columns():
    for p in (0, -1, 101, True, "5", float("nan")):
        with pytest.raises(ParameterError, match="p must be a percentage"):
            sf.RankSwapping(p)
    for columns in ("age", [], ["age", "age"], [3], 3):
        with pytest.raises(ParameterError, match="columns must be a list of names"):
            sf.RankSwapping(5, columns)
    with pytest.raises(SchemaError, match="column 'sex' has no order, so that its values have no rank"):
        sf.publish(people(), sf.RankSwapping(5))
    with pytest.raises(
        SchemaError, match="'sex' is of kind category, and RankSwapping changes numbers, dates and ordinals"
    ):
        sf.publish(people(), sf.RankSwapping(5, ["sex"]))
    with pytest.raises(SchemaError, match="'name' is an identifier"):
        sf.publish(people(), sf.RankSwapping(5, ["name"]))
    with pytest.raises(SchemaError, match="no column 'agee'; did you mean 'age'"):
        sf.publish(people(), sf.RankSwapping(5, ["agee"]))
    method = sf.RankSwapping(5, ["age"])
    assert method_from_dict(method.to_dict()) == method
    assert method_from_dict({"name": "RankSwapping", "p": 5, "columns": ["age"]}) == method
